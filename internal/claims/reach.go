package claims

import (
	"context"
	"fmt"
	"net/http"
)

// Reach sends one read to each service of the target. It returns the environment that recurring billing reports, and an
// error if a service cannot be reached or rejects its token, because then every claim would fail.
func Reach(ctx context.Context, target Target) (environment string, err error) {
	for _, one := range []struct {
		service Service
		path    string
	}{{Billing, mePath}, {Finance, ledgerAccountsPath}, {Collections, endpointsPath}} {
		p := newProbe(ctx, target)
		if p.speakTo(one.service); p.err != nil {
			continue
		}
		a := p.get(one.path)
		switch {
		case p.err != nil:
			return "", fmt.Errorf("%s cannot be reached at %q: %w", one.service, p.target.BaseURL, p.masked(p.err))
		case a.status == http.StatusUnauthorized:
			return "", fmt.Errorf("%s at %q rejected the token (status 401)", one.service, p.target.BaseURL)
		}
		if text, ok := a.at("environment").(string); ok && one.service == Billing {
			environment = text
		}
	}
	return environment, nil
}
