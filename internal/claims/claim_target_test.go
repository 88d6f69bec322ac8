package claims_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func TestClaimsSayWhatTheTargetLacks(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	target.NarrowToken, target.RevokedToken, target.ExpiredToken, target.Advance = "", "", "", nil
	target.Receive, target.LoopbackAllowed = nil, true
	target.FinanceExpiredToken, target.FinanceNarrowToken = "", ""
	var lacking []int
	for _, result := range claims.Run(t.Context(), target, allClaims()) {
		if result.NotGiven() {
			lacking = append(lacking, result.Claim.Number)
		} else if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	// two dead tokens, a narrow one, and a clock
	want := []int{24, 25, 26, 331, 332, 333, 334, 335, 336, 337, 338, 339, 340}
	want = append(want, 522, 548, 566) // loopback that is rejected, and the clock
	for _, claim := range claims.CollectionsClaims() {
		if claim.Number > 580 { // a receiver
			want = append(want, claim.Number)
		}
	}
	want = append(want, 713, 717, 718) // an expired token and a narrow one
	if !slices.Equal(lacking, want) {
		t.Errorf("the claims %v say what they lack, want %v", lacking, want)
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

// TestClaimsAboutJWTsNeedOne runs them with a token that says nothing.
func TestClaimsAboutJWTsNeedOne(t *testing.T) {
	t.Parallel()
	name := func(in *inFlight) {
		if in.header.Get("Authorization") == "Bearer opaque" {
			in.header.Set("Authorization", "Bearer "+in.proxy.target.FinanceToken)
		}
	}
	_, target := startFaulty(t, open(t, sandbox.Options{}), fault{rewrite: name})
	target.FinanceToken = "opaque"
	for _, result := range claims.Run(t.Context(), target, claims.FinanceClaims()) {
		needs := result.Claim.Number == 714 || result.Claim.Number == 715
		if result.NotGiven() != needs || !needs && result.Err != nil {
			t.Errorf("%s\ngives %v", result.Claim, result.Err)
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
	for _, result := range claims.Run(t.Context(), target, claims.BillingClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	target.Plans, target.Prices = plans[:1], prices[:1]
	for _, result := range claims.Run(t.Context(), target, claims.BillingClaims()) {
		if changing := result.Claim.Number == 281 || result.Claim.Number == 263; changing && !result.NotGiven() {
			t.Errorf("%s\ngives %v with one plan and one price, want that it lacks another", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsAuthHeader holds the claims against a service that takes
// the bare key in its own header.
func TestClaimsUseTheTargetsAuthHeader(t *testing.T) {
	t.Parallel()
	const header = "X-Api-Key"
	rename := func(in *inFlight) {
		in.header.Del("Authorization")
		if key := in.header.Get(header); key != "" {
			in.header.Set("Authorization", "Bearer "+key)
		}
	}
	_, target := startFaulty(t, open(t, sandbox.Options{}), fault{rewrite: rename})
	target.CollectionsAuthHeader = header
	for _, result := range claims.Run(t.Context(), target, claims.CollectionsClaims()) {
		if result.Err != nil && result.Claim.Number != loopbackRejected {
			t.Errorf("%s\n%v", result.Claim, result.Err)
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
