package claims

import (
	"context"
	"fmt"
	"net/http"
)

// Reach sends one read to each service that the target names. It returns the environment that recurring billing
// reports, and an error when a service cannot be reached or rejects its token, because every claim would then fail for
// that reason.
func Reach(ctx context.Context, target Target) (environment string, err error) {
	for _, one := range []struct {
		service         Service
		base, token     string
		path, keyHeader string
		finance         bool
	}{
		{Billing, target.BaseURL, target.Token, mePath, "", false},
		{Finance, target.FinanceBaseURL, target.FinanceToken, ledgerAccountsPath, "", true},
		{Collections, target.CollectionsBaseURL, target.CollectionsAPIKey, endpointsPath,
			target.CollectionsAuthHeader, false},
	} {
		if one.base == "" {
			continue
		}
		p := newProbe(ctx, target)
		p.target.BaseURL, p.target.Token, p.keyHeader, p.finance = one.base, one.token, one.keyHeader, one.finance
		a := p.get(one.path)
		switch {
		case p.err != nil:
			return "", fmt.Errorf("%s cannot be reached at %q: %w", one.service, one.base, p.masked(p.err))
		case a.status == http.StatusUnauthorized:
			return "", fmt.Errorf("%s at %q rejected the token (status 401)", one.service, one.base)
		}
		if text, ok := a.at("environment").(string); ok && one.service == Billing {
			environment = text
		}
	}
	return environment, nil
}
