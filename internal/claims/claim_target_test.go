package claims_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestClaimsSayWhatTheTargetLacks runs those that need more than the services.
func TestClaimsSayWhatTheTargetLacks(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	target.NarrowToken, target.RevokedToken, target.ExpiredToken, target.Advance = "", "", "", nil
	target.Receive, target.FinanceExpiredToken, target.FinanceNarrowToken = nil, "", ""
	tokens := []int{24, 25, 26, 713, 717}
	for _, claim := range allClaims() {
		receives := claim.Service == claims.Collections && claim.Number > 580
		if !receives && !claim.MovesClock && !slices.Contains(tokens, claim.Number) {
			continue
		}
		if result := claims.Run(t.Context(), target, []claims.Claim{claim})[0]; !result.NotGiven() {
			t.Errorf("%s\ngives %v without what it needs", claim, result.Err)
		}
	}
}

func TestClaimsNeedTheirService(t *testing.T) {
	t.Parallel()
	all := slices.Concat(claims.CollectionsClaims(), claims.FinanceClaims())
	for _, result := range claims.Run(t.Context(), claims.Target{BaseURL: "https://127.0.0.1:1"}, all) {
		if !result.NotGiven() {
			t.Errorf("%s\ngives %v without its service", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsCatalogue holds the claims to the plans and prices that
// a service with its own catalogue knows.
func TestClaimsUseTheTargetsCatalogue(t *testing.T) {
	t.Parallel()
	plans := []string{newUUID(), newUUID()}
	prices := []claims.Price{{newUUID(), newUUID()}, {newUUID(), newUUID()}, {newUUID(), newUUID()}}
	refuse := func(in *inFlight) {
		for _, item := range items(in.sent["items"]) {
			if price := item["price_id"]; price != nil &&
				!slices.ContainsFunc(prices, func(p claims.Price) bool { return p.PriceID == price }) {
				in.status = http.StatusNotFound
			}
		}
		if plan, ok := in.sent["plan_id"].(string); ok && !slices.Contains(plans, plan) {
			in.status = http.StatusNotFound
		}
	}
	_, target := startFaulty(t, open(t, sandbox.Options{}), fault{rewrite: refuse})
	target.Plans, target.Prices = plans, prices
	catalogued := slices.DeleteFunc(claims.BillingClaims(), func(c claims.Claim) bool {
		return !strings.HasPrefix(c.Operation(), "subscriptions.") || c.MovesClock
	})
	for _, result := range claims.Run(t.Context(), target, catalogued) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	target.Plans, target.Prices = plans[:1], prices[:1]
	changing := func(c claims.Claim) bool { return c.Number != 281 && c.Number != 263 }
	for _, result := range claims.Run(t.Context(), target, slices.DeleteFunc(catalogued, changing)) {
		if !result.NotGiven() {
			t.Errorf("%s\ngives %v with one plan and one price, want that it lacks another", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsOperations runs the claims about customers against a service that has other routes for them.
func TestClaimsUseTheTargetsOperations(t *testing.T) {
	t.Parallel()
	_, target := startFaulty(t, open(t, sandbox.Options{}), fault{rewrite: func(in *inFlight) {
		switch rest, is := strings.CutPrefix(in.path, "/v2/clients"); {
		case is && in.method == http.MethodPut:
			in.method, in.path = http.MethodPatch, "/v1/customers"+rest
		case is:
			in.path = "/v1/customers" + rest
		case strings.HasPrefix(in.path, "/v1/customers") || in.method == http.MethodPatch:
			in.path = "/nowhere"
		}
	}})
	target.Operations = map[string]string{
		"customers.list": "GET /v2/clients", "customers.create": "POST /v2/clients", "customers.get": "GET /v2/clients/{id}",
		"customers.update": "PUT /v2/clients/{id}", "customers.delete": "DELETE /v2/clients/{id}",
	}
	for _, claim := range claims.BillingClaims() {
		if !strings.HasPrefix(claim.Operation(), "customers.") || claim.Number > 130 {
			continue
		}
		if err := claim.Check(t.Context(), target); err != nil {
			t.Errorf("%s\n%v", claim, err)
		}
	}
}
