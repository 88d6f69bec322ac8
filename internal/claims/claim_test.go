package claims_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// allClaims are those of the three services, in the order of their numbers.
func allClaims() []claims.Claim {
	return slices.Concat(claims.BillingClaims(), claims.CollectionsClaims(), claims.FinanceClaims())
}

// inventory is what the services list first, but for keys.
func (p *proxy) inventory(t *testing.T) string {
	t.Helper()
	held := []any{p.ask(http.MethodGet, "/v1/customers", nil, "sort_by", "name")} // without it in any order
	for _, path := range []string{accounts, subscriptions, hooks} {
		held = append(held, p.ask(http.MethodGet, path, nil))
	}
	for _, collection := range []string{"accounts", "payables", "receivables"} {
		held = append(held, p.ask(http.MethodGet, financePrefix+"/v1/"+collection, nil, "limit", "100"))
	}
	raw, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
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
		for _, sentence := range []string{claim.Text, claim.Meaning()} {
			if !strings.HasSuffix(sentence, ".") && !strings.HasSuffix(sentence, "?") {
				t.Errorf("claim %d is no full sentence: %q", claim.Number, sentence)
			}
		}
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	checked := 0
	two := []claims.Claim{
		{Number: 1, Check: func(context.Context, claims.Target) error { checked++; cancel(); return nil }},
		{Number: 2, Check: func(context.Context, claims.Target) error { checked++; return nil }},
	}
	results := claims.Run(ctx, claims.Target{}, two)
	if checked != 1 || results[0].Err != nil || !errors.Is(results[1].Err, context.Canceled) {
		t.Errorf("checked %d claims with results %v, want the first one only", checked, results)
	}
}

// TestClaimsCleanUpAfterAnInterrupt cancels in the middle of a claim that has
// created a customer.
func TestClaimsCleanUpAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, target := startFaulty(t, open(t, sandbox.Options{}), fault{spoil: func(in *inFlight) {
		if in.method == http.MethodPatch {
			cancel()
		}
	}})
	for _, claim := range claims.BillingClaims() {
		if claim.Number != 71 {
			continue
		}
		if err := claim.Check(ctx, target); !errors.Is(err, context.Canceled) {
			t.Errorf("the interrupted claim says %v, want the context's error", err)
		}
	}
	if n := len(p.all("/v1/customers")); n != 0 {
		t.Errorf("%d customers left behind, want none", n)
	}
}
