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
	checked := 0
	for _, site := range s.sites() {
		for _, r := range site.Routes {
			for _, collection := range append(billing.Catalogue, "accounts") {
				if r.Scope == "" || site.Service == Billing && collection == "accounts" {
					continue
				}
				scope := strings.ReplaceAll(r.Scope, "{collection}", collection)
				if err := s.checkScopes(Token{Service: site.Service, Scopes: []string{scope}}); err != nil {
					t.Errorf("%s: %v", r.Name, err)
				}
				checked++
			}
		}
	}
	if checked < 100 {
		t.Errorf("checked %d scopes", checked)
	}
}
