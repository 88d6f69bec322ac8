package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	var out bytes.Buffer
	w, err := orgcopy.NewWriter(&out, orgcopy.Header{
		Organization: json.RawMessage(`{"id":"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d","name":"Padaria Aurora","plan":"gold"}`),
		Time:         at, Key: "ck_live_1a2b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := w.Put(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(nil, orgcopy.Collections{}); err != nil {
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
		orgcopy.Object{Kind: orgcopy.Customer, Object: json.RawMessage(copiedCustomer)},
		orgcopy.Object{Kind: orgcopy.Account, Object: json.RawMessage(copiedAccount)},
		orgcopy.Object{Kind: orgcopy.Subscription, Object: json.RawMessage(copiedSubscription), Items: json.RawMessage(`[]`)})})
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
	response, err := trusting(t, s.CAPEM(), nil).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
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
		orgcopy.Object{Kind: orgcopy.Endpoint, Object: json.RawMessage(endpoint)},
		orgcopy.Object{Kind: orgcopy.Key, Object: json.RawMessage(key)})})
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
	for operation, kind := range map[string]string{"customers.get": orgcopy.Customer,
		"billing_accounts.get": orgcopy.Account, "subscriptions.get": orgcopy.Subscription, "webhook_endpoints.get": orgcopy.Endpoint, "api_keys.get": orgcopy.Key,
		"finance.records.get": orgcopy.Record} {
		for _, e := range evidence.All("") {
			if e.Operation != operation || e.Response.Status != http.StatusOK {
				continue
			}
			compared[operation]++
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				recorded(t, kind, e)
			})
		}
	}
	if len(compared) != 6 {
		t.Errorf("compared %v", compared)
	}
}

// recorded serves a copy of a recorded object, and compares what it returns.
func recorded(t *testing.T, kind string, e evidence.Exchange) {
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
	objects := []orgcopy.Object{{Kind: kind, Object: want.Data}}
	address, token := sandbox.Billing, (*sandbox.Server).BillingToken
	switch kind {
	case orgcopy.Subscription:
		account := strings.Replace(copiedAccount, "21111111-1111-4111-8111-111111111111", of.Account, 1)
		objects = append([]orgcopy.Object{{Kind: orgcopy.Account, Object: json.RawMessage(account)}}, objects...)
	case orgcopy.Endpoint, orgcopy.Key:
		address, token = sandbox.Collections, (*sandbox.Server).CollectionsKey
	case orgcopy.Record:
		address, token = sandbox.Finance, (*sandbox.Server).FinanceToken
		objects[0].Service = string(sandbox.Finance)
		objects[0].Collection = strings.Split(e.Request.Path, "/")[2]
	}
	s := start(t, sandbox.Options{Copy: copiedAt(t, time.Date(2025, 9, 20, 0, 0, 0, 0, time.UTC), objects...)})
	base := map[sandbox.Service]string{sandbox.Billing: s.BillingURL(), sandbox.Collections: s.CollectionsURL(),
		sandbox.Finance: s.FinanceURL()}[address]
	var got struct {
		Data json.RawMessage `json:"data"`
	}
	content := answer(t, s, "GET", base+e.Request.Path, token(s), "")
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
		"account without customer": {[]orgcopy.Object{{Kind: orgcopy.Account, Object: json.RawMessage(`{"id":"a"}`)}},
			"line 2: the billing account shows no customer"},
		"subscription without account": {[]orgcopy.Object{
			{Kind: orgcopy.Subscription, Object: json.RawMessage(copiedSubscription)}},
			`line 2: the copy has no billing account with the id "21111111-1111-4111-8111-111111111111"`},
		"two kinds with one id": {[]orgcopy.Object{
			{Kind: orgcopy.Customer, Object: json.RawMessage(copiedCustomer)},
			{Kind: orgcopy.Endpoint, Object: json.RawMessage(`{"id":"11111111-1111-4111-8111-111111111111"}`)}},
			"line 3: the id \"11111111-1111-4111-8111-111111111111\" is also that of another object"},
		"no id":       {[]orgcopy.Object{{Kind: orgcopy.Customer, Object: json.RawMessage(`{}`)}}, "line 2: the object has no id"},
		"wrong field": {[]orgcopy.Object{{Kind: orgcopy.Customer, Object: json.RawMessage(`{"id":"a","name":1}`)}}, "line 2: "},
	} {
		_, err := sandbox.Start(t.Context(), sandbox.Options{Copy: copied(t, c.objects...)})
		wrong := new(sandbox.CopyError)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A terms' amount is known where the source showed it for the same terms, and only there.
func TestCopyInventsNoAmount(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("31111111-", "32222222-", "41111111-", "42222222-", "12345", "99",
		`"pending_plan_id":"42222222-2222-4222-8222-222222222222",`, "").Replace(copiedSubscription)
	s := start(t, sandbox.Options{Copy: copied(t,
		orgcopy.Object{Kind: orgcopy.Customer, Object: json.RawMessage(copiedCustomer)},
		orgcopy.Object{Kind: orgcopy.Account, Object: json.RawMessage(copiedAccount)},
		orgcopy.Object{Kind: orgcopy.Subscription, Object: json.RawMessage(copiedSubscription)},
		orgcopy.Object{Kind: orgcopy.Subscription, Object: json.RawMessage(other)})})
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
