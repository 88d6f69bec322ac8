package claims_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// TestClaimsLeaveOthersAlone runs every claim with small pages in addition to the objects of others, and finds those
// and no more afterwards; of keys the record stays, revoked.
func TestClaimsLeaveOthersAlone(t *testing.T) {
	t.Parallel()
	p, target := startFaulty(t, open(t, sandbox.Options{MaxPerPage: 2}), fault{})
	for n := range 5 {
		name := fmt.Sprint("somebody else ", n)
		p.ask(http.MethodPost, "/v1/customers", object{"name": name, "create_billing_account": false})
		p.ask(http.MethodPost, financePrefix+"/v1/payables", object{"name": "somebody else", "company_id": newUUID()})
	}
	before := p.inventory(t)
	for _, result := range claims.Run(t.Context(), target, allClaims()) {
		if result.Err != nil && result.Claim.Number != loopbackRejected {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	if after := p.inventory(t); after != before {
		t.Errorf("the services held\n%s\nand hold\n%s", before, after)
	}
	for _, key := range p.all(keys) {
		if strings.HasPrefix(key["name"].(string), "claim") && key["revokedAt"] == nil {
			t.Errorf("the claims left the key %s unrevoked", key["name"])
		}
	}
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
		if !strings.HasSuffix(claim.Text, ".") {
			t.Errorf("claim %d is no full sentence: %q", claim.Number, claim.Text)
		}
	}
}

// TestClaimsWaitForDeliveries runs them against a service that does not say when it has sent.
func TestClaimsWaitForDeliveries(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	target.Settle = nil
	for _, result := range claims.Run(t.Context(), target, claims.CollectionsClaims()) {
		if result.Err != nil && result.Claim.Number != loopbackRejected {
			t.Errorf("%s\n%v", result.Claim, result.Err)
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
