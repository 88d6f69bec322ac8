package claims_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// allClaims returns the claims of the three services, by number.
func allClaims() []claims.Claim {
	return slices.Concat(claims.BillingClaims(), claims.CollectionsClaims(), claims.FinanceClaims())
}

// inventory returns the first page of each list, except for keys.
func (p *proxy) inventory(t *testing.T) string {
	t.Helper()
	held := []any{p.ask(http.MethodGet, "/v1/customers", nil, "sort_by", "name")} // otherwise in any order
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
			t.Errorf("claim %d comes after claim %d", claim.Number, last)
		}
		last = claim.Number
		if other, ok := texts[claim.Text+claim.Source]; ok {
			t.Errorf("claims %d and %d have the same text", other, claim.Number)
		}
		texts[claim.Text+claim.Source] = claim.Number
		checkSource(t, claim.Source)
		for _, sentence := range []string{claim.Text, claim.Otherwise} {
			if !strings.HasSuffix(sentence, ".") && !strings.HasSuffix(sentence, "?") {
				t.Errorf("claim %d is not a full sentence: %q", claim.Number, sentence)
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
		t.Errorf("checked %d claims with results %v, want only the first", checked, results)
	}
}

// TestClaimsCleanUpAfterAnInterrupt cancels a claim after it has created a customer.
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
			t.Errorf("the interrupted claim returned %v, want the context's error", err)
		}
	}
	if n := len(p.all("/v1/customers")); n != 0 {
		t.Errorf("%d customers left behind, want none", n)
	}
}

// TestClaimsSayWhatTheTargetLacks runs claims with missing prerequisites.
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
			t.Errorf("%s\nreturned %v without its prerequisites", claim, result.Err)
		}
	}
}

func TestClaimsNeedTheirService(t *testing.T) {
	t.Parallel()
	all := slices.Concat(claims.CollectionsClaims(), claims.FinanceClaims())
	for _, result := range claims.Run(t.Context(), claims.Target{BaseURL: "https://127.0.0.1:1"}, all) {
		if !result.NotGiven() {
			t.Errorf("%s\nreturned %v without its service", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsCatalogue checks that claims use the plans and prices of a service with its own catalog.
func TestClaimsUseTheTargetsCatalogue(t *testing.T) {
	t.Parallel()
	plans := []string{uuid.NewString(), uuid.NewString()}
	prices := []claims.Price{{uuid.NewString(), uuid.NewString()}, {uuid.NewString(), uuid.NewString()},
		{uuid.NewString(), uuid.NewString()}}
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
			t.Errorf("%s\nreturned %v with one plan and one price, want a missing prerequisite", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsOperations runs the claims about customers against a service with other routes.
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

// TestSectionsAreThoseOfThePage checks that the page has the heading that the report of a failed claim names.
func TestSectionsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../evidence/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range allClaims() {
		if heading := claim.Section(); heading == "" || !strings.Contains(string(page), "# "+heading+"\n") {
			t.Errorf("%s: the heading %q is missing on the page", claim, heading)
		}
	}
}

var (
	sourceForm = regexp.MustCompile(
		`^((?:Recurring billing|Financial management|Collections) §[1-9] |[Ww]ire contract: [a-z_]+\.[a-z_.]+)`)
	namedForm = regexp.MustCompile(`[Ww]ire contract: ([a-z_]+\.[a-z_.]+[a-z])`)
)

var (
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// signed returns the value of the header X-Webhook-Signature.
func signed(secret string, timestamp int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", timestamp, body) // a hash never returns an error
	return fmt.Sprintf("t=%d,v1=%s", timestamp, hex.EncodeToString(mac.Sum(nil)))
}

// checkSource checks that a source names a section of a service description or an existing operation.
func checkSource(t *testing.T, source string) {
	t.Helper()
	if !sourceForm.MatchString(source) {
		t.Errorf("source %q names neither a section nor an operation", source)
	}
	if named := namedForm.FindStringSubmatch(source); named != nil && !isOperation(named[1]) {
		t.Errorf("source %q names the unknown operation %q", source, named[1])
	}
}

func isOperation(name string) bool {
	return slices.ContainsFunc(evidence.Operations(), func(o evidence.Operation) bool { return o.Name == name })
}

// TestClaimsCoverFinance compares the claims about financial management with its operations: each operation has a
// claim, and each named operation exists.
func TestClaimsCoverFinance(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`finance\.[a-z_.]+[a-z]`)
	claimed := map[string]bool{}
	for _, claim := range claims.FinanceClaims() {
		for _, name := range named.FindAllString(claim.Source, -1) {
			claimed[name] = true
			if !isOperation(name) {
				t.Errorf("%s names the unknown operation %s", claim, name)
			}
		}
	}
	for _, operation := range evidence.Operations() {
		if strings.HasPrefix(operation.Name, "finance.") && !claimed[operation.Name] {
			t.Errorf("%s has no claim", operation.Name)
		}
	}
}
