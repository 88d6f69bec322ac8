package sandbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// copied are objects of an organization, in a copy that was made on 31 January 2026.
func copied(t *testing.T, objects ...orgcopy.Object) func() (io.ReadCloser, error) {
	t.Helper()
	return copiedAt(t, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), objects...)
}

func copiedAt(t *testing.T, at time.Time, objects ...orgcopy.Object) func() (io.ReadCloser, error) {
	t.Helper()
	return copiedWith(t, at, orgcopy.Collections{}, objects...)
}

func copiedWith(t *testing.T, at time.Time, collections orgcopy.Collections,
	objects ...orgcopy.Object) func() (io.ReadCloser, error) {
	t.Helper()
	var out bytes.Buffer
	w, err := orgcopy.NewWriter(&out, orgcopy.Header{
		Organization: json.RawMessage(`{"id":"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d","name":"Padaria Aurora","plan":"gold"}`),
		Time:         at})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := w.Put(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(orgcopy.End{Collections: collections, Key: "ck_live_1a2b"}); err != nil {
		t.Fatal(err)
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
}

const (
	copiedCustomer = `{"id":"11111111-1111-4111-8111-111111111111","public_id":"c-1","name":"Ana","loyalty":{"points":` +
		`9007199254740993},"custom_metadata":{},"created_at":"2025-01-01T00:00:00.123456Z","updated_at":"2025-01-01T00:00:00Z"}`
	copiedAccount = `{"id":"21111111-1111-4111-8111-111111111111","currency":"BRL","status":"active","payment_terms_days":10,` +
		`"customer":{"id":"11111111-1111-4111-8111-111111111111"},"created_at":"2025-01-01T00:00:00Z",` +
		`"updated_at":"2025-01-01T00:00:00Z"}`
	copiedSubscription = `{"id":"31111111-1111-4111-8111-111111111111","billing_account_id":"21111111-1111-4111-8111-111111111111",` +
		`"plan_id":"41111111-1111-4111-8111-111111111111","status":"in_dispute","billing_cycle":"monthly",` +
		`"current_period_start":"2026-01-10T00:00:00Z","current_period_end":"2026-02-10T00:00:00Z",` +
		`"recurring_amount_cents":12345,"metadata":{"pending_plan_id":"42222222-2222-4222-8222-222222222222","risk":1},` +
		`"created_at":"2025-01-10T00:00:00Z","updated_at":"2026-01-10T00:00:00Z"}`
)

// An object of a copy is returned as the source returned it: fields that nobody knows, fields that are left out, and
// the wording of values.
func TestCopyShowsTheSource(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Copy: copied(t,
		orgcopy.Object{Kind: evidence.Customer, Object: json.RawMessage(copiedCustomer)},
		orgcopy.Object{Kind: evidence.Account, Object: json.RawMessage(copiedAccount)},
		orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(copiedSubscription), Items: json.RawMessage(`[]`)})})
	for path, want := range map[string]string{
		"/v1/customers/11111111-1111-4111-8111-111111111111":     copiedCustomer,
		"/v1/subscriptions/31111111-1111-4111-8111-111111111111": copiedSubscription,
	} {
		var got struct {
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(read(t, s, path), &got); err != nil {
			t.Fatal(err)
		}
		if string(canonical(t, got.Data)) != string(canonical(t, []byte(want))) {
			t.Errorf("%s:\n%s\nwant\n%s", path, got.Data, want)
		}
	}
	me := string(read(t, s, "/v1/me"))
	if !strings.Contains(me, `"name":"copy of Padaria Aurora"`) || !strings.Contains(me, "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d") {
		t.Errorf("the organization is %s", me)
	}
	if now := s.Clock().Now(); !now.Equal(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)) || !s.Clock().Fixed() {
		t.Errorf("the clock shows %s", now)
	}
}

// canonical is JSON with sorted keys and every digit.
func canonical(t *testing.T, document []byte) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, s *sandbox.Server, path string) []byte {
	t.Helper()
	return answer(t, s, "GET", s.BillingURL()+path, s.BillingToken(), "")
}

func answer(t *testing.T, s *sandbox.Server, method, address, token, body string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	_, _, content := wholeResponse(t, trusting(t, s.CAPEM(), nil).Do, request)
	return []byte(content)
}

// resolver notes that it was asked.
type resolver struct{ asked atomic.Int64 }

func (r *resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.asked.Add(1)
	return nil, errors.New("no such host")
}

// A copy has the addresses of real consumers. Whatever happens in it, nothing is sent, and no name is looked up.
func TestCopySendsNothing(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var connections atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = conn.Close()
		}
	}()
	t.Setenv("HTTPS_PROXY", "http://"+listener.Addr().String())
	t.Setenv("HTTP_PROXY", "http://"+listener.Addr().String())
	endpoint := `{"id":"51111111-1111-4111-8111-111111111111","url":"https://` + listener.Addr().String() + `/hook",` +
		`"events":[],"active":true,"authentication":{"type":"basic","username":"u"},"createdAt":"2025-01-01T00:00:00Z",` +
		`"updatedAt":"2025-01-01T00:00:00Z"}`
	key := `{"id":"61111111-1111-4111-8111-111111111111","name":"k","description":"","keyPrefix":"ck_live_1a2b","source":"api",` +
		`"scopes":["*"],"createdAt":"2025-01-01T00:00:00Z"}`
	asked := &resolver{}
	s := start(t, sandbox.Options{Resolver: asked, AllowLoopbackReceivers: true, Copy: copied(t,
		orgcopy.Object{Kind: evidence.Endpoint, Object: json.RawMessage(endpoint)},
		orgcopy.Object{Kind: evidence.Key, Object: json.RawMessage(key)})})
	if !strings.HasPrefix(s.CollectionsKey(), "ck_live_1a2b_") {
		t.Errorf("the key of the copy has another public prefix than the one that it was read with")
	}
	hooks := s.CollectionsURL() + "/api/v1/webhook-endpoints"
	send := func(method, address, body string) []byte {
		return answer(t, s, method, address, s.CollectionsKey(), body)
	}
	send("POST", hooks, `{"url":"https://consumer.test.internal-name.org/hook"}`)
	send("PATCH", hooks+"/51111111-1111-4111-8111-111111111111", `{"url":"https://other.test.internal-name.org/hook"}`)
	send("PATCH", hooks+"/51111111-1111-4111-8111-111111111111", `{"url":"https://`+listener.Addr().String()+`/hook"}`)
	send("POST", hooks+"/51111111-1111-4111-8111-111111111111/test", "")
	send("POST", s.CollectionsURL()+"/api/v1/api-keys/61111111-1111-4111-8111-111111111111/rotate", `{"graceDays":1}`)
	if _, err := s.Emit("charge.paid", nil); err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Deliveries() {
		send("POST", hooks+"/51111111-1111-4111-8111-111111111111/deliveries/"+d.ID+"/retry", "")
	}
	control := func(method, path, body string) {
		answer(t, s, method, s.ControlURL()+path, s.ControlToken(), body)
	}
	control("POST", "/events", `{"event":"api_key.revoked"}`)
	control("POST", "/clock", `{"advance":"240h"}`)
	control("GET", "/deliveries", "")
	control("GET", "/status", "")
	if err := s.WaitDeliveries(t.Context()); err != nil {
		t.Error(err)
	}
	deliveries := s.Deliveries()
	if len(deliveries) < 4 {
		t.Errorf("%d deliveries are recorded", len(deliveries))
	}
	for _, d := range deliveries {
		if d.State.Attempts > 0 || len(d.State.Trail) > 0 {
			t.Errorf("an attempt was made of %+v", d)
		}
	}
	control("POST", "/reset", "")
	if n, looked := connections.Load(), asked.asked.Load(); n > 0 || looked > 0 {
		t.Errorf("%d connections, %d lookups of names", n, looked)
	}
}

// Each object of the recorded exchanges comes out of a copy as the service returned it.
func TestCopyOfRecordedObjects(t *testing.T) {
	t.Parallel()
	compared := map[string]int{}
	for _, kind := range evidence.Kinds() {
		for _, e := range evidence.All("") {
			if e.Operation != kind.Operation("get") || e.Response.Status != http.StatusOK {
				continue
			}
			compared[kind.Name]++
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				recorded(t, kind, e)
			})
		}
	}
	if len(compared) != len(evidence.Kinds()) {
		t.Errorf("compared %v", compared)
	}
}

// recorded serves a copy of a recorded object, and compares what it returns.
func recorded(t *testing.T, kind evidence.Kind, e evidence.Exchange) {
	t.Helper()
	var want struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(e.Response.Body, &want); err != nil {
		t.Fatal(err)
	}
	if want.Data == nil {
		want.Data = e.Response.Body
	}
	var of struct {
		Account string `json:"billing_account_id"`
	}
	if err := json.Unmarshal(want.Data, &of); err != nil {
		t.Fatal(err)
	}
	objects := []orgcopy.Object{{Kind: kind.Name, Object: want.Data}}
	switch kind.Name {
	case evidence.Subscription:
		account := strings.Replace(copiedAccount, "21111111-1111-4111-8111-111111111111", of.Account, 1)
		objects = append([]orgcopy.Object{{Kind: evidence.Account, Object: json.RawMessage(account)}}, objects...)
	case evidence.Record:
		objects[0].Service, objects[0].Collection = kind.Service, strings.Split(e.Request.Path, "/")[2]
	}
	s := start(t, sandbox.Options{Copy: copiedAt(t, time.Date(2025, 9, 20, 0, 0, 0, 0, time.UTC), objects...)})
	base := map[string][2]string{"billing": {s.BillingURL(), s.BillingToken()},
		"collections": {s.CollectionsURL(), s.CollectionsKey()}, "finance": {s.FinanceURL(), s.FinanceToken()}}[kind.Service]
	var got struct {
		Data json.RawMessage `json:"data"`
	}
	content := answer(t, s, "GET", base[0]+e.Request.Path, base[1], "")
	if err := json.Unmarshal(content, &got); err != nil ||
		string(canonical(t, got.Data)) != string(canonical(t, want.Data)) {
		t.Errorf("got  %s\nwant %s", content, canonical(t, want.Data))
	}
}

// A copy that cannot be used says in which line, and nothing is served.
func TestCopyThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		objects []orgcopy.Object
		want    string
	}{
		"account without customer": {[]orgcopy.Object{{Kind: evidence.Account, Object: json.RawMessage(`{"id":"a"}`)}},
			"line 2: the billing account shows no customer"},
		"subscription without account": {[]orgcopy.Object{
			{Kind: evidence.Subscription, Object: json.RawMessage(copiedSubscription)}},
			`line 2: the copy has no billing account with the id "21111111-1111-4111-8111-111111111111"`},
		"two kinds with one id": {[]orgcopy.Object{
			{Kind: evidence.Customer, Object: json.RawMessage(copiedCustomer)},
			{Kind: evidence.Endpoint, Object: json.RawMessage(`{"id":"11111111-1111-4111-8111-111111111111"}`)}},
			"line 3: the id \"11111111-1111-4111-8111-111111111111\" is also that of another object"},
		"no id":       {[]orgcopy.Object{{Kind: evidence.Customer, Object: json.RawMessage(`{}`)}}, "line 2: the object has no id"},
		"wrong field": {[]orgcopy.Object{{Kind: evidence.Customer, Object: json.RawMessage(`{"id":"a","name":1}`)}}, "line 2: "},
	} {
		_, err := sandbox.Start(t.Context(), sandbox.Options{Copy: copied(t, c.objects...)})
		wrong := new(orgcopy.Error)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A closed account outlives its customer, which no list shows. The customer of another account was not read.
func TestCopiedWithoutCustomer(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"closed": "not_found", "active": `"id":"11111111-1111-4111-8111-111111111111"`} {
		account := strings.Replace(copiedAccount, "active", status, 1)
		s := start(t, sandbox.Options{Copy: copied(t,
			orgcopy.Object{Kind: evidence.Account, Object: json.RawMessage(account)})})
		if got := string(read(t, s, "/v1/customers/11111111-1111-4111-8111-111111111111")); !strings.Contains(got, want) {
			t.Errorf("the customer of the account that is %s: %s, want %s", status, got, want)
		}
	}
}

// The clock of a copy begins with the last change in it, but not with a date that is far from the time of the copy.
func TestCopiedTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for updated, want := range map[string]time.Time{"2026-01-30T00:00:00Z": at,
		"2026-01-31T12:00:00.5Z": at.Add(500 * time.Millisecond), "2027-01-01T00:00:00Z": at} {
		customer := strings.Replace(copiedCustomer, `"updated_at":"2025-01-01T00:00:00Z"`, `"updated_at":"`+updated+`"`, 1)
		s := start(t, sandbox.Options{Copy: copied(t,
			orgcopy.Object{Kind: evidence.Customer, Object: json.RawMessage(customer)})})
		if now := s.Clock().Now(); !now.Equal(want) {
			t.Errorf("updated at %s: the clock shows %s, want %s", updated, now, want)
		}
	}
}

// A canceled subscription outlives its account, which may be deleted.
func TestCopiedWithoutAccount(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Copy: copied(t, orgcopy.Object{Kind: evidence.Subscription,
		Object: json.RawMessage(`{"id":"s","billing_account_id":"gone","status":"canceled"}`)})})
	answer(t, s, "GET", s.BillingURL()+"/v1/subscriptions/s", s.BillingToken(), "")
}

// A terms' amount is known where the source showed it for the same terms, and only there.
func TestCopyInventsNoAmount(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("31111111-", "32222222-", "41111111-", "42222222-", "12345", "99",
		`"status":"in_dispute"`, `"status":"active"`,
		`"pending_plan_id":"42222222-2222-4222-8222-222222222222",`, "").Replace(copiedSubscription)
	s := start(t, sandbox.Options{Copy: copied(t,
		orgcopy.Object{Kind: evidence.Customer, Object: json.RawMessage(copiedCustomer)},
		orgcopy.Object{Kind: evidence.Account, Object: json.RawMessage(copiedAccount)},
		orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(copiedSubscription)},
		orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(other),
			Items: json.RawMessage(`[]`)})})
	path := s.BillingURL() + "/v1/subscriptions/31111111-1111-4111-8111-111111111111"
	for _, c := range []struct{ body, want string }{
		{`{"plan_id":"42222222-1111-4111-8111-111111111111"}`, `"recurring_amount_cents":99,`},
		{`{"plan_id":"43333333-1111-4111-8111-111111111111"}`, `"recurring_amount_cents":null,`},
		{`{"plan_id":"41111111-1111-4111-8111-111111111111"}`, `"recurring_amount_cents":12345,`},
		{`{"discount_percent":10}`, `"recurring_amount_cents":null,`},
	} {
		if got := string(answer(t, s, "PATCH", path, s.BillingToken(), c.body)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.body, got)
		}
	}
}

// The amount of terms that no subscription has follows from the catalogue, and from arithmetic that the organization's
// own amounts prove. What contradicts itself proves nothing.
func TestCopiedAmounts(t *testing.T) {
	t.Parallel()
	const plan = `{"id":"41111111-0000-4000-8000-00000000000%d","name":"p","amount_cents":%d,"currency":"BRL","billing_cycle":"monthly"}`
	planID := func(n int) string { return fmt.Sprintf("41111111-0000-4000-8000-00000000000%d", n) }
	subscription := func(n int, cents, more string) string {
		return fmt.Sprintf(`{"id":"31111111-0000-4000-8000-00000000000%d","status":"active","billing_cycle":"monthly",`+
			`"billing_account_id":"21111111-1111-4111-8111-111111111111","recurring_amount_cents":%s,`+
			`"current_period_start":"2026-01-10T00:00:00Z","current_period_end":"2026-02-10T00:00:00Z",`+
			`"created_at":"2025-01-10T00:00:00Z","updated_at":"2026-01-10T00:00:00Z"%s}`, n, cents, more)
	}
	on := func(n int) string { return `,"plan_id":"` + planID(n) + `"` }
	discount := func(percent string) string { return `,"discount_percent":"` + percent + `"` }
	const item = `[{"id":"i","product_id":"a","price_id":"b","quantity":%d,"unit_amount_subcents":%d}]`
	const none = "null"
	for name, c := range map[string]struct {
		more   []string // subscriptions beside the first one, which is on plan 1 for 310.27
		items  string   // of the first one
		cents  string   // of the first one; empty: 31027
		body   string
		want   string
		unsure string // certainty of the first one
	}{
		"a plan of the catalogue":         {body: `{"plan_id":"` + planID(2) + `"}`, want: "99900"},
		"a canceled one proves nothing":   {more: []string{strings.Replace(subscription(2, "50000", on(2)), "active", "canceled", 1)}, body: `{"plan_id":"` + planID(2) + `"}`, want: "99900"},
		"one that costs less than listed": {more: []string{subscription(2, "50000", on(2))}, body: `{"plan_id":"` + planID(2) + `"}`, want: none, unsure: "unknown"},
		"a plan of another currency":      {body: `{"plan_id":"` + planID(3) + `"}`, want: none, unsure: "unknown"},
		"a discount":                      {body: `{"discount_percent":10}`, want: "27924", unsure: "estimated"},
		"a discount with a plan of the catalogue": {more: []string{subscription(2, "89910", on(2)+discount("10.00"))},
			body: `{"discount_percent":50,"plan_id":"` + planID(2) + `"}`, want: "49950", unsure: "estimated"},
		"a discount that is contradicted": {more: []string{subscription(2, "99900", on(2)+discount("10.00"))},
			body: `{"discount_percent":15}`, want: none, unsure: "unknown"},
		"items that add up": {items: fmt.Sprintf(item, 3, 450000), cents: "44527",
			body: `{"items":[{"product_id":"51111111-1111-4111-8111-111111111111","price_id":"61111111-1111-4111-8111-111111111111","quantity":4,"unit_amount_subcents":450000}]}`, want: "49027", unsure: "estimated"},
		"items that do not": {items: fmt.Sprintf(item, 3, 450000), cents: "44530",
			body: `{"items":[{"product_id":"51111111-1111-4111-8111-111111111111","price_id":"61111111-1111-4111-8111-111111111111","quantity":4,"unit_amount_subcents":450000}]}`, want: none, unsure: "unknown"},
	} {
		own := c.cents
		if own == "" {
			own = "31027"
		}
		first := orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(subscription(1, own, on(1))),
			Items: json.RawMessage(cmp.Or(c.items, "[]"))}
		objects := []orgcopy.Object{
			{Kind: evidence.Record, Service: "billing", Collection: "plans", Object: json.RawMessage(fmt.Sprintf(plan, 1, 31027))},
			{Kind: evidence.Record, Service: "billing", Collection: "plans", Object: json.RawMessage(fmt.Sprintf(plan, 2, 99900))},
			{Kind: evidence.Record, Service: "billing", Collection: "plans",
				Object: json.RawMessage(strings.Replace(fmt.Sprintf(plan, 3, 99900), "BRL", "USD", 1))},
			{Kind: evidence.Customer, Object: json.RawMessage(copiedCustomer)},
			{Kind: evidence.Account, Object: json.RawMessage(copiedAccount)}, first}
		for _, one := range c.more {
			objects = append(objects, orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(one),
				Items: json.RawMessage(`[]`)})
		}
		s := start(t, sandbox.Options{Copy: copied(t, objects...)})
		path := s.BillingURL() + "/v1/subscriptions/31111111-0000-4000-8000-000000000001"
		var got string
		if strings.Contains(c.body, "items") {
			answer(t, s, "PUT", path+"/items", s.BillingToken(), c.body)
			got = string(answer(t, s, "GET", path, s.BillingToken(), ""))
		} else {
			got = string(answer(t, s, "PATCH", path, s.BillingToken(), c.body))
		}
		if !strings.Contains(got, `"recurring_amount_cents":`+c.want+`,`) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		amount := s.Amounts()["31111111-0000-4000-8000-000000000001"]
		unsure := map[bool]string{true: "unknown"}[amount.Cents == nil] +
			map[bool]string{true: "estimated"}[amount.Estimated]
		if unsure != c.unsure {
			t.Errorf("%s: the amount is %q, want %q", name, unsure, c.unsure)
		}
	}
}

// No invoice is made before the end of a trial, even one that is later than that of the period. On another day than
// that of the renewal, and for a suspended account, nothing says what is invoiced.
func TestCopiedInvoices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ account, subscription, want string }{
		"a trial": {"active", `"status":"trialing","trial_end":"2026-03-02T00:00:00Z","current_period_end":"2026-02-10T00:00:00Z"`,
			"2026-03-02 100, 2026-04-02 100"},
		"a day in a trial": {"active", `"status":"trialing","trial_end":"2026-03-02T00:00:00Z","current_period_end":` +
			`"2026-03-02T00:00:00Z","cycle_billing_date":"2026-02-20T00:00:00Z"`, "2026-03-02 100, 2026-04-02 100"},
		"a day later": {"active", `"status":"active","current_period_end":"2026-02-10T00:00:00Z","cycle_billing_date":"2026-02-28T00:00:00Z"`, "2026-02-28 100, 2026-03-28 100"},
		"no trial":    {"active", `"status":"active","current_period_end":"2026-02-10T00:00:00Z"`, "2026-02-10 100, 2026-03-10 100, 2026-04-10 100"},
		"another day": {"active", `"status":"active","current_period_end":"2026-04-10T00:00:00Z","cycle_billing_date":"2026-04-01T00:00:00Z"`, "2026-04-01 100"},
		"suspended":   {"suspended", `"status":"active","current_period_end":"2026-04-10T00:00:00Z"`, "2026-04-10 <nil>"},
	} {
		s := start(t, sandbox.Options{Copy: copied(t,
			orgcopy.Object{Kind: evidence.Customer, Object: json.RawMessage(copiedCustomer)},
			orgcopy.Object{Kind: evidence.Account, Object: json.RawMessage(`{"id":"a","status":"` + c.account +
				`","currency":"BRL","customer":{"id":"11111111-1111-4111-8111-111111111111"}}`)},
			orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(`{"id":"s","billing_account_id":"a","billing_cycle":` +
				`"monthly","recurring_amount_cents":100,"current_period_start":"2026-01-10T00:00:00Z",` + c.subscription + `}`)})})
		s.Clock().Set(time.Date(2026, 4, 15, 0, 0, 0, 0, time.UTC))
		var list struct {
			Data []struct {
				CreatedAt   time.Time `json:"created_at"`
				AmountCents any       `json:"amount_cents"`
			} `json:"data"`
		}
		content := answer(t, s, "GET", s.BillingURL()+"/v1/invoices?sort_by=created_at&sort_order=asc", s.BillingToken(), "")
		if err := json.Unmarshal(content, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, invoice := range list.Data {
			got = append(got, fmt.Sprintf("%s %v", invoice.CreatedAt.Format(time.DateOnly), invoice.AmountCents))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// The records of a copied collection are listed, filtered, searched and sorted as those of the service; a collection
// that was not copied is not there. Fields of invoices may have any form.
func TestCopiedRecords(t *testing.T) {
	t.Parallel()
	record := func(collection, object string) orgcopy.Object {
		return orgcopy.Object{Kind: evidence.Record, Service: "billing", Collection: collection,
			Object: json.RawMessage(object)}
	}
	s := start(t, sandbox.Options{Copy: copiedWith(t, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		orgcopy.Collections{Copied: []string{"billing/discount_codes", "billing/coupons"}},
		record("discount_codes", `{"id":"a","name":"Summer","worth":10}`),
		record("discount_codes", `{"id":"b","name":"Winter","worth":10,"note":null}`),
		record("discount_codes", `{"id":"c","name":"Spring","worth":20}`), record("companies", `{"id":"d"}`),
		record("invoices", `{"id":"i","subscription_id":"s","number":7,"amount_cents":"10.00","created_at":"2026-01-10"}`),
		record("invoices", `{"id":"j","subscription_id":"t","amount_cents":1000,"status":"settled"}`))})
	for path, want := range map[string]string{
		"/v1/discount_codes?sort_by=name&sort_order=asc":  "c a b",
		"/v1/discount_codes?sort_by=name&sort_order=desc": "b a c",
		"/v1/discount_codes?sort_by=name":                 "b a c",
		"/v1/discount_codes?sort_by=id&sort_order=asc":    "a b c",
		"/v1/discount_codes?worth=10":                     "a b",
		"/v1/discount_codes?worth=10&name=Winter":         "b",
		"/v1/discount_codes?per_page=2&page=2":            "c",
		"/v1/coupons":                                     "",
		"/v1/companies":                                   "route_not_found",
		"/v1/invoices?subscription_id=t":                  "j",
		"/v1/invoices?sort_by=id&sort_order=asc":          "i j",
	} {
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		content := read(t, s, path)
		if err := json.Unmarshal(content, &list); err != nil {
			t.Fatalf("%s: %s", path, content)
		}
		ids := []string{}
		for _, one := range list.Data {
			ids = append(ids, one.ID)
		}
		if got := strings.Join(ids, " ") + list.Error.Code; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	shown := string(read(t, s, "/v1/invoices?subscription_id=s"))
	for _, want := range []string{`"number":7`, `"amount_cents":"10.00"`, `"created_at":"2026-01-10"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s lacks %s", shown, want)
		}
	}
}

// A rotated key of a copy leads to its successor, which a source does not show: it was created a whole number of days
// before the end of the key, and has its name.
func TestCopiedSuccessor(t *testing.T) {
	t.Parallel()
	key := func(n int, created, expires string) orgcopy.Object {
		return orgcopy.Object{Kind: evidence.Key, Object: json.RawMessage(fmt.Sprintf(`{"id":"61111111-0000-4000-8000-00000000000%d",`+
			`"name":"k","description":"","keyPrefix":"ck_live_%d","source":"api","scopes":["*"],"expiresAt":%s,`+
			`"createdAt":"%s"}`, n, n, expires, created))}
	}
	s := start(t, sandbox.Options{Copy: copied(t, key(1, "2025-01-01T00:00:00Z", `"2026-02-07T10:00:00Z"`),
		key(2, "2026-01-31T10:00:00Z", "null"), key(3, "2025-06-01T00:00:00Z", `"2026-02-07T11:00:00Z"`))})
	for n, want := range map[int]string{1: "key_not_active", 2: `"predecessorId"`, 3: `"predecessorId"`} {
		path := fmt.Sprintf("%s/api/v1/api-keys/61111111-0000-4000-8000-00000000000%d/rotate", s.CollectionsURL(), n)
		content := string(answer(t, s, "POST", path, s.CollectionsKey(), `{"graceDays":1}`))
		if !strings.Contains(content, want) {
			t.Errorf("rotation of key %d: %s, want %s", n, content, want)
		}
	}
}
