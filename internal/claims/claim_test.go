package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// published are the numbers that reports may contain.
const published = `
1 5 12 23 24 25 26 31 35 36 37 39 40 41 42 43 45 46 51 52 53 54 56 57 58 61 62 71 74 75 76 81 82 83 84 85 86 88 90 101
106 109 110 111 112 121 122 123 124 125 133 135 136 138 139 141 142 143 145 154 161 164 167 168 171 172 175 176 177
180 181 182 183 184 201 202 203 204 205 206 207 210 211 228 229 233 241 242 243 244 246 261 262 263 264 271 272 273
275 278 279 281 282 283 291 292 293 297 298 301 311 312 313 314 315 321 322 323 324 334 335 336 337 338 339 340 351
352 361 362 363 364 365 366 367 368 369 370 371 501 502 503 505 506 508 509 510 512 513 514 521 532 534 536 537 538
539 541 542 543 544 546 548 549 550 551 552 553 561 562 563 564 566 567 568 569 570 571 572 573 581 585 586 587 589
591 592 601 602 604 611 612 613 614 621 622 623 624 645 646 647 701 704 712 713 717 721 722 724 726 727 728 741 742
743 751 752 753 756 757 758 759 760 763 771 772 773 774 776 777 785 791 793
`

// TestClaimsAreNumberedOnce checks that each number, also of a claim that was replaced, means one claim.
func TestClaimsAreNumberedOnce(t *testing.T) {
	t.Parallel()
	of, texts := map[int]string{}, map[string]int{}
	for _, claim := range claims.All() {
		for _, n := range append(claim.Also, claim.Number) {
			if n == 0 || of[n] != "" {
				t.Errorf("%s has the number %d, as has %q", claim, n, of[n])
			}
			of[n] = claim.Text
		}
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
	for word := range strings.FieldsSeq(published) {
		if n, err := strconv.Atoi(word); err != nil || of[n] == "" {
			t.Errorf("no claim has the number %s any more", word)
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

// passing is a transport that sees the requests of claims.
type passing func(r *http.Request, body []byte, next http.RoundTripper) (*http.Response, error)

func (p passing) into(target *claims.Target) {
	next := target.Client.Transport
	target.Client = &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return p(r, body, next)
	})}
}

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func numbered(number int) claims.Claim {
	all := claims.All()
	return all[slices.IndexFunc(all, func(c claims.Claim) bool { return c.Number == number })]
}

// TestClaimsCleanUpAfterAnInterrupt cancels a claim after it has created a customer.
func TestClaimsCleanUpAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true}))
	passing(func(r *http.Request, _ []byte, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if r.Method == http.MethodPatch {
			cancel()
		}
		return response, err
	}).into(&target)
	if err := numbered(71).Check(ctx, target); !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted claim returned %v, want the context's error", err)
	}
	if left := inventory(t, server, target); strings.Contains(left, "claim") {
		t.Errorf("objects left behind: %s", left)
	}
}

// inventory returns the first page of each list, except for keys.
func inventory(t *testing.T, server *sandbox.Server, target claims.Target) (held string) {
	t.Helper()
	for _, address := range []string{
		target.BaseURL + "/v1/customers?sort_by=name", target.BaseURL + "/v1/billing-accounts?sort_by=id",
		target.BaseURL + "/v1/subscriptions?sort_by=id", target.CollectionsBaseURL + "/api/v1/webhook-endpoints",
		target.FinanceBaseURL + "/v1/accounts?limit=100", target.FinanceBaseURL + "/v1/payables?limit=100",
		target.FinanceBaseURL + "/v1/receivables?limit=100",
	} {
		held += string(ask(t, server, target, http.MethodGet, address, nil)) + "\n"
	}
	return held
}

// ask sends a request to a service with its token, and returns the body of the response, which has to be a success.
func ask(t *testing.T, server *sandbox.Server, target claims.Target, method, address string, body any) []byte {
	t.Helper()
	var sent []byte
	if body != nil {
		sent, _ = json.Marshal(body) // of tests
	}
	status, got := exchange(t, server, target, method, address, sent)
	if status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, address, status, got)
	}
	return got
}

// send is ask for any response, and for a path.
func send(t *testing.T, server *sandbox.Server, target claims.Target, method, path string, body []byte) (int, object) {
	t.Helper()
	base := target.BaseURL
	switch first := strings.Split(path, "/")[2]; {
	case strings.HasPrefix(path, "/api/"):
		base = target.CollectionsBaseURL
	case slices.Contains([]string{"notes", "accounts", "payables", "receivables"}, first):
		base = target.FinanceBaseURL
	}
	status, got := exchange(t, server, target, method, base+path, body)
	return status, decoded(got)
}

func exchange(t *testing.T, server *sandbox.Server, target claims.Target, method, address string,
	body []byte) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	token := target.Token
	switch {
	case strings.HasPrefix(address, server.FinanceURL()):
		token = target.FinanceToken
		request.Header.Set("X-Idempotency-Key", uuid.NewString())
	case strings.HasPrefix(address, server.CollectionsURL()+"/api/"):
		token = target.CollectionsAPIKey
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := target.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, got
}

// TestClaimsSayWhatTheTargetLacks runs claims with missing prerequisites.
func TestClaimsSayWhatTheTargetLacks(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	target.NarrowToken, target.RevokedToken, target.ExpiredToken, target.Advance = "", "", "", nil
	target.Receive, target.FinanceExpiredToken, target.FinanceNarrowToken = nil, "", ""
	needy := []int{24, 25, 26, 713, 717, 581, 585, 592, 601, 604, 611, 622, 623, 624, 645, 659}
	for _, claim := range claims.All() {
		if !claim.MovesClock && !slices.Contains(needy, claim.Number) {
			continue
		}
		if result := claims.Run(t.Context(), target, []claims.Claim{claim})[0]; !result.NotGiven() {
			t.Errorf("%s\nreturned %v without its prerequisites", claim, result.Err)
		}
	}
}

func TestClaimsNeedTheirService(t *testing.T) {
	t.Parallel()
	for _, result := range claims.Run(t.Context(), claims.Target{BaseURL: "https://127.0.0.1:1"}, claims.All()) {
		if result.Claim.Service != claims.Billing && !result.NotGiven() {
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
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	passing(func(r *http.Request, body []byte, next http.RoundTripper) (*http.Response, error) {
		named := regexp.MustCompile(`"(?:plan|price)_id":"([^"]+)"`).FindAllSubmatch(body, -1)
		for _, one := range named {
			id := string(one[1])
			priced := slices.ContainsFunc(prices, func(p claims.Price) bool { return p.PriceID == id })
			if !priced && !slices.Contains(plans, id) && !strings.HasPrefix(id, "00000000") {
				return nil, fmt.Errorf("%s is not in the catalog", id)
			}
		}
		return next.RoundTrip(r)
	}).into(&target)
	target.Plans, target.Prices = plans, prices
	catalogued := slices.DeleteFunc(claims.All(), func(c claims.Claim) bool {
		return !strings.HasPrefix(c.Operation(), "subscriptions.") || c.MovesClock
	})
	for _, result := range claims.Run(t.Context(), target, catalogued) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	target.Plans, target.Prices = plans[:1], prices[:1]
	for _, result := range claims.Run(t.Context(), target, []claims.Claim{numbered(281), numbered(263)}) {
		if !result.NotGiven() {
			t.Errorf("%s\nreturned %v with one plan and one price, want a missing prerequisite", result.Claim, result.Err)
		}
	}
}

// TestClaimsUseTheTargetsOperations runs the claims about customers against a service with other routes.
func TestClaimsUseTheTargetsOperations(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	passing(func(r *http.Request, _ []byte, next http.RoundTripper) (*http.Response, error) {
		rest, is := strings.CutPrefix(r.URL.Path, "/v2/clients")
		switch {
		case is && r.Method == http.MethodPut:
			r.Method, r.URL.Path = http.MethodPatch, "/v1/customers"+rest
		case is:
			r.URL.Path = "/v1/customers" + rest
		case strings.HasPrefix(r.URL.Path, "/v1/customers"):
			return nil, errors.New("not the route of the target")
		}
		return next.RoundTrip(r)
	}).into(&target)
	target.Operations = map[string]string{
		"customers.list": "GET /v2/clients", "customers.create": "POST /v2/clients", "customers.get": "GET /v2/clients/{id}",
		"customers.update": "PUT /v2/clients/{id}", "customers.delete": "DELETE /v2/clients/{id}",
	}
	for _, claim := range claims.All() {
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
	for _, claim := range claims.All() {
		if heading := claim.Section(); heading == "" || !strings.Contains(string(page), "# "+heading+"\n") {
			t.Errorf("%s: the heading %q is missing on the page", claim, heading)
		}
	}
}

var (
	sourceForm = regexp.MustCompile(
		`^((?:Recurring billing|Financial management|Collections) §[1-9] |[Ww]ire contract: [a-z_]+\.[a-z_.]+)`)
	namedForm = regexp.MustCompile(`([a-z_]+\.[a-z_.]+[a-z])`)
)

// checkSource checks that a source names a section of a service description or an existing operation.
func checkSource(t *testing.T, source string) {
	t.Helper()
	if !sourceForm.MatchString(source) {
		t.Errorf("source %q names neither a section nor an operation", source)
	}
	_, operations, _ := strings.Cut(strings.ToLower(source), "wire contract: ")
	for _, named := range namedForm.FindAllString(operations, -1) {
		if !slices.ContainsFunc(evidence.Operations(), func(o evidence.Operation) bool { return o.Name == named }) {
			t.Errorf("source %q names the unknown operation %q", source, named)
		}
	}
}

// effects are what the requests of a claim do.
type effects struct {
	mu                                     sync.Mutex
	writes, keys, invoices, charges, clock bool
}

// note records one request. A rejected request has no effect.
func (e *effects) note(request *http.Request, raw []byte, next http.RoundTripper) (*http.Response, error) {
	response, err := next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	path, post := request.URL.Path, request.Method == http.MethodPost
	e.writes = e.writes || request.Method != http.MethodGet
	if response.StatusCode >= http.StatusBadRequest {
		return response, nil
	}
	var sent map[string]any
	_ = json.Unmarshal(raw, &sent) // a body that is not an object has no members
	_, reprices := sent["items"]
	for _, field := range []string{"billing_cycle", "discount_percent", "discount_code_id"} {
		_, has := sent[field]
		reprices = reprices || has
	}
	changes := request.Method == http.MethodPatch || request.Method == http.MethodPut
	e.keys = e.keys || post && path == "/api/v1/api-keys" || post && strings.HasSuffix(path, "/rotate")
	e.invoices = e.invoices || post && strings.HasSuffix(path, "/invoices")
	method, given := sent["collection_method"]
	creates := post && path == "/v1/subscriptions"
	e.charges = e.charges || strings.HasSuffix(path, "/change-plan") && sent["timing"] != "end_of_period" ||
		changes && strings.HasPrefix(path, "/v1/subscriptions/") && reprices ||
		given && (method == "charge_automatically" || method == nil) || creates && !given
	return response, nil
}

// TestClaimsHold runs every claim against a sandbox with small pages that contains other objects. Each claim must hold,
// its marked effects must match its requests, and afterwards the objects are unchanged; only revoked keys remain. Half
// of the claims about collections do not know when the service has sent its deliveries.
func TestClaimsHold(t *testing.T) {
	t.Parallel()
	server, target := startSandbox(t, open(t, sandbox.Options{MaxPerPage: 2}))
	for n := range 5 {
		name := fmt.Sprint("somebody else ", n)
		ask(t, server, target, http.MethodPost, target.BaseURL+"/v1/customers",
			object{"name": name, "create_billing_account": false})
		ask(t, server, target, http.MethodPost, target.FinanceBaseURL+"/v1/payables",
			object{"name": name, "company_id": uuid.NewString()})
	}
	before := inventory(t, server, target)
	all, advance, settle := target, target.Advance, target.Settle
	for _, claim := range claims.All() {
		seen := &effects{}
		target = all
		passing(seen.note).into(&target)
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
	if after := inventory(t, server, all); after != before {
		t.Errorf("the objects were\n%s\nand are now\n%s", before, after)
	}
	var keys struct {
		Data []struct{ Name, RevokedAt string }
	}
	if err := json.Unmarshal(ask(t, server, all, http.MethodGet, all.CollectionsBaseURL+"/api/v1/api-keys", nil),
		&keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys.Data {
		if strings.HasPrefix(key.Name, "claim") && key.RevokedAt == "" {
			t.Errorf("the claims did not revoke the key %s", key.Name)
		}
	}
}

func TestSafeOrder(t *testing.T) {
	t.Parallel()
	sorted := claims.InSafeOrder(claims.All())
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
	if len(sorted) != len(claims.All()) || !slices.ContainsFunc(sorted, func(c claims.Claim) bool { return c.ReadsOnly }) {
		t.Error("claims are missing")
	}
}

// TestClaimsCoverTheOperations checks that each operation has a claim.
func TestClaimsCoverTheOperations(t *testing.T) {
	t.Parallel()
	sources := ""
	for _, claim := range claims.All() {
		sources += strings.ToLower(claim.Source) + " "
	}
	for _, operation := range evidence.Operations() {
		if !strings.Contains(sources, operation.Name) {
			t.Errorf("%s has no claim", operation.Name)
		}
	}
}
