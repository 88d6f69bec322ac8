package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// watch is a transport that records the effects of a claim's requests.
type watch struct {
	http.RoundTripper

	mu                              sync.Mutex
	writes, keys, invoices, charges bool
	clock                           bool
}

func (w *watch) RoundTrip(request *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(raw))
	response, err := w.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(request, raw, response.StatusCode < http.StatusBadRequest)
	return response, nil
}

// note records one request. A rejected request has no effect.
func (w *watch) note(request *http.Request, raw []byte, done bool) {
	path, post := request.URL.Path, request.Method == http.MethodPost
	w.writes = w.writes || request.Method != http.MethodGet
	if !done {
		return
	}
	var sent map[string]any
	_ = json.Unmarshal(raw, &sent) // a body that is not an object has no members
	_, reprices := sent["items"]
	for _, field := range []string{"billing_cycle", "discount_percent", "discount_code_id"} {
		_, has := sent[field]
		reprices = reprices || has
	}
	changes := request.Method == http.MethodPatch || request.Method == http.MethodPut
	w.keys = w.keys || post && path == "/api/v1/api-keys" || post && strings.HasSuffix(path, "/rotate")
	w.invoices = w.invoices || post && strings.HasSuffix(path, "/invoices")
	method, given := sent["collection_method"]
	creates := post && path == "/v1/subscriptions"
	w.charges = w.charges || strings.HasSuffix(path, "/change-plan") && sent["timing"] != "end_of_period" ||
		changes && strings.HasPrefix(path, "/v1/subscriptions/") && reprices ||
		given && (method == "charge_automatically" || method == nil) || creates && !given
}

// TestClaimsHold runs every claim against a sandbox with small pages that contains other objects. Each claim must hold,
// its marked effects must match its requests, and afterwards the objects are unchanged; only revoked keys remain. Half
// of the claims about collections do not know when the service has sent its deliveries.
func TestClaimsHold(t *testing.T) {
	t.Parallel()
	p, target := startFaulty(t, open(t, sandbox.Options{MaxPerPage: 2}), fault{})
	for n := range 5 {
		name := fmt.Sprint("somebody else ", n)
		p.ask(http.MethodPost, "/v1/customers", object{"name": name, "create_billing_account": false})
		p.ask(http.MethodPost, financePrefix+"/v1/payables", object{"name": "somebody else", "company_id": uuid.NewString()})
	}
	before := p.inventory(t)
	transport, advance, settle := target.Client.Transport, target.Advance, target.Settle
	for _, claim := range allClaims() {
		seen := &watch{RoundTripper: transport}
		target.Client = &http.Client{Transport: seen}
		target.Advance = func(ctx context.Context, by time.Duration) error { seen.clock = true; return advance(ctx, by) }
		if target.Settle = settle; claim.Number%2 == 0 {
			target.Settle = nil
		}
		if result := claims.Run(t.Context(), target, []claims.Claim{claim})[0]; result.Err != nil || result.Left != nil {
			t.Errorf("%s\n%v, %v", claim, result.Err, result.Left)
		}
		for effect, has := range map[string]struct{ does, marked bool }{
			"reads only":      {!seen.writes, claim.ReadsOnly},
			"moves the clock": {seen.clock, claim.MovesClock},
			"leaves":          {seen.keys || seen.invoices, claim.Leaves != ""},
			"costs":           {seen.invoices || seen.charges, claim.Costs != ""},
		} {
			if has.does != has.marked {
				t.Errorf("%s: %s is %t, but marked %t", claim, effect, has.does, has.marked)
			}
		}
	}
	if after := p.inventory(t); after != before {
		t.Errorf("the objects were\n%s\nand are now\n%s", before, after)
	}
	for _, key := range p.all(keys) {
		if strings.HasPrefix(key["name"].(string), "claim") && key["revokedAt"] == nil {
			t.Errorf("the claims did not revoke the key %s", key["name"])
		}
	}
}

func TestSafeOrder(t *testing.T) {
	t.Parallel()
	sorted := claims.InSafeOrder(allClaims())
	wrote, left, charged, moved := false, false, false, false
	var before []int
	for _, claim := range sorted {
		writesOnly := !claim.ReadsOnly && claim.Leaves+claim.Costs == ""
		if claim.ReadsOnly && wrote || writesOnly && !claim.MovesClock && left ||
			claim.Costs == "" && !claim.MovesClock && charged || moved && !claim.MovesClock {
			t.Errorf("%s is in the wrong order", claim)
		}
		wrote, moved = wrote || !claim.ReadsOnly, moved || claim.MovesClock
		left, charged = left || claim.Leaves != "", charged || claim.Costs != ""
		for _, number := range claim.RestsOn {
			if !slices.Contains(before, number) {
				t.Errorf("%s comes before claim %d, on which it rests, or there is no such claim", claim, number)
			}
		}
		before = append(before, claim.Number)
	}
	if len(sorted) != len(allClaims()) || !slices.ContainsFunc(sorted, func(c claims.Claim) bool { return c.ReadsOnly }) {
		t.Error("claims are missing")
	}
}
