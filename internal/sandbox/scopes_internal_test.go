package sandbox

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
)

// A token can have each scope that a route asks for.
func TestScopesOfTokens(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, r := range s.billing.Routes() {
		for _, collection := range billing.Catalogue {
			scope := strings.ReplaceAll(r.Scope, "{collection}", collection)
			if err := s.checkScopes(Token{Scopes: []string{scope}}); scope != "" && err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
	}
	for service, routes := range map[Service]string{Finance: "payables:read", Collections: "webhook_endpoints:write"} {
		if err := s.checkScopes(Token{Service: service, Scopes: []string{routes}}); err != nil {
			t.Error(err)
		}
	}
}
