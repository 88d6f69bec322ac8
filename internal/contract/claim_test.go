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
