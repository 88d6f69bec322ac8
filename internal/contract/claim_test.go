package contract_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
)

// start serves the handler over TLS until the test ends. The clock of a handler
// that has one can be moved.
func start(t *testing.T, handler http.Handler) contract.Target {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	target := contract.Target{
		BaseURL: server.URL, Token: goodToken, Client: server.Client(), NarrowToken: narrowToken,
		RevokedToken: "faithful-revoked-token", ExpiredToken: "faithful-expired-token",
		FinanceBaseURL: server.URL + financePrefix, FinanceToken: financeToken,
		FinanceExpiredToken: financeExpiredToken, FinanceNarrowToken: financeNarrowToken,
		CollectionsBaseURL: server.URL, CollectionsAPIKey: adminKey,
		Settle: func(context.Context) error { return nil }, // deliveries are sent before the answers
	}
	if clock, ok := handler.(interface{ advance(time.Duration) }); ok {
		target.Advance = func(_ context.Context, by time.Duration) error { clock.advance(by); return nil }
	}
	if service, ok := handler.(interface {
		receive(http.Handler) (string, func())
	}); ok {
		target.Receive = func(_ context.Context, handler http.Handler) (string, func(), error) {
			url, stop := service.receive(handler)
			return url, stop, nil
		}
	}
	return target
}

// allClaims are those of the three services, which the faithful server is in one.
func allClaims() []contract.Claim {
	return slices.Concat(contract.BillingClaims(), contract.CollectionsClaims(), contract.FinanceClaims())
}

func TestClaimsHoldAgainstAFaithfulServer(t *testing.T) {
	t.Parallel()
	server := newFaithful()
	target := start(t, server)
	for _, result := range contract.Run(t.Context(), target, allClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	if n := len(server.customers); n != 0 {
		t.Errorf("the claims left %d customers behind", n)
	}
	if n := len(server.subscriptions); n != 0 {
		t.Errorf("the claims left %d subscriptions behind", n)
	}
	if n := len(server.endpoints); n != 0 {
		t.Errorf("the claims left %d webhook endpoints behind", n)
	}
	if n := server.entries(); n != 0 {
		t.Errorf("the claims left %d records of financial management behind", n)
	}
	for _, key := range server.keys {
		if key["revokedAt"] == nil {
			t.Errorf("the claims left the key %s unrevoked", key["name"])
		}
	}
}

func TestClaimsHoldBesideOtherObjectsAndWithSmallPages(t *testing.T) {
	t.Parallel()
	server := newFaithful()
	for range 30 {
		server.create(object{"name": "somebody else"})
		server.bookNew("payables", object{"name": "somebody else", "company_id": newUUID()})
	}
	server.most = 2
	target := start(t, server)
	target.MaxPerPage = 2
	for _, result := range contract.Run(t.Context(), target, allClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	if n := len(server.customers); n != 30 {
		t.Errorf("%d customers after the claims, want the 30 of before", n)
	}
	if n := server.entries(); n != 30 {
		t.Errorf("%d records after the claims, want the 30 of before", n)
	}
}

func TestClaimsAreNumberedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	last := 0
	texts := map[string]int{}
	for _, claim := range allClaims() {
		if claim.Number <= last {
			t.Errorf("claim %d stands after claim %d", claim.Number, last)
		}
		last = claim.Number
		if other, ok := texts[claim.Text+claim.Source]; ok {
			t.Errorf("claims %d and %d say the same", other, claim.Number)
		}
		texts[claim.Text+claim.Source] = claim.Number
		checkSource(t, claim.Source)
		if !strings.HasSuffix(claim.Text, ".") {
			t.Errorf("claim %d is no full sentence: %q", claim.Number, claim.Text)
		}
	}
}

func TestClaimsSayWhatTheTargetLacks(t *testing.T) {
	t.Parallel()
	target := start(t, newFaithful())
	target.NarrowToken, target.RevokedToken, target.ExpiredToken, target.Advance = "", "", "", nil
	target.Receive, target.LoopbackAllowed = nil, true
	target.FinanceExpiredToken, target.FinanceNarrowToken = "", ""
	var lacking []int
	for _, result := range contract.Run(t.Context(), target, allClaims()) {
		if result.NotGiven() {
			lacking = append(lacking, result.Claim.Number)
		} else if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	want := []int{24, 25, 26, 331, 332, 333, 334, 335, 336, 337, 338, 339, 340} // two dead tokens, a narrow one, and a clock
	want = append(want, 522, 548, 566)                                          // loopback that is refused, and the clock
	for _, claim := range contract.CollectionsClaims() {
		if claim.Number > 580 { // a receiver
			want = append(want, claim.Number)
		}
	}
	want = append(want, 713, 717, 718) // an expired token and a narrow one
	if !slices.Equal(lacking, want) {
		t.Errorf("the claims %v say what they lack, want %v", lacking, want)
	}
}

// TestClaimsUseTheTargetsCatalogue holds the claims to the plans and prices that
// a service with a catalogue of its own knows.
func TestClaimsUseTheTargetsCatalogue(t *testing.T) {
	t.Parallel()
	plans := []string{newUUID(), newUUID()}
	prices := []contract.Price{{newUUID(), newUUID()}, {newUUID(), newUUID()}, {newUUID(), newUUID()}}
	refuse := func(in *inFlight) {
		for _, item := range items(in.sent["items"]) {
			if price := item["price_id"]; price != nil && !slices.ContainsFunc(prices, func(p contract.Price) bool { return p.PriceID == price }) {
				in.status = http.StatusNotFound
			}
		}
		if plan, ok := in.sent["plan_id"].(string); ok && !slices.Contains(plans, plan) {
			in.status = http.StatusNotFound
		}
	}
	target := start(t, &faulty{faithful: newFaithful(), fault: fault{rewrite: refuse}})
	target.Plans, target.Prices = plans, prices
	for _, result := range contract.Run(t.Context(), target, contract.BillingClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	target.Plans, target.Prices = plans[:1], prices[:1]
	for _, result := range contract.Run(t.Context(), target, contract.BillingClaims()) {
		if changing := result.Claim.Number == 281 || result.Claim.Number == 263; changing && !result.NotGiven() {
			t.Errorf("%s\ngives %v with one plan and one price, want that it lacks another", result.Claim, result.Err)
		}
	}
}

// TestClaimsWaitForDeliveries runs them against a service that sends beside its
// answers and does not say when it has.
func TestClaimsWaitForDeliveries(t *testing.T) {
	t.Parallel()
	server := newFaithful()
	server.async = true
	target := start(t, server)
	target.Settle = nil
	for _, result := range contract.Run(t.Context(), target, contract.CollectionsClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsAuthHeader holds the claims against a service that takes
// the bare key in a header of its own.
func TestClaimsUseTheTargetsAuthHeader(t *testing.T) {
	t.Parallel()
	const header = "X-Api-Key"
	rename := func(in *inFlight) {
		in.header.Del("Authorization")
		if key := in.header.Get(header); key != "" {
			in.header.Set("Authorization", "Bearer "+key)
		}
	}
	target := start(t, &faulty{faithful: newFaithful(), fault: fault{rewrite: rename}})
	target.CollectionsAuthHeader = header
	for _, result := range contract.Run(t.Context(), target, contract.CollectionsClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
}

func TestClaimsNeedTheirService(t *testing.T) {
	t.Parallel()
	claims := slices.Concat(contract.CollectionsClaims(), contract.FinanceClaims())
	for _, result := range contract.Run(t.Context(), contract.Target{BaseURL: "https://127.0.0.1:1"}, claims) {
		if !result.NotGiven() {
			t.Errorf("%s\ngives %v without its service", result.Claim, result.Err)
		}
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	checked := 0
	claims := []contract.Claim{
		{Number: 1, Check: func(context.Context, contract.Target) error { checked++; cancel(); return nil }},
		{Number: 2, Check: func(context.Context, contract.Target) error { checked++; return nil }},
	}
	results := contract.Run(ctx, contract.Target{}, claims)
	if checked != 1 || results[0].Err != nil || !errors.Is(results[1].Err, context.Canceled) {
		t.Errorf("checked %d claims with results %v, want the first one only", checked, results)
	}
}

// TestClaimsCleanUpAfterAnInterrupt cancels in the middle of a claim that has
// made a customer.
func TestClaimsCleanUpAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	server := newFaithful()
	ctx, cancel := context.WithCancel(t.Context())
	target := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r)
		if r.Method == http.MethodPatch {
			cancel()
		}
	}))
	for _, claim := range contract.BillingClaims() {
		if claim.Number != 71 {
			continue
		}
		if err := claim.Check(ctx, target); !errors.Is(err, context.Canceled) {
			t.Errorf("the interrupted claim says %v, want the context's error", err)
		}
	}
	if n := len(server.customers); n != 0 {
		t.Errorf("%d customers left behind, want none", n)
	}
}
