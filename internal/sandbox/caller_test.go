package sandbox_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// start runs a sandbox for one test.
func start(t *testing.T, o sandbox.Options) *sandbox.Server {
	t.Helper()
	server, err := sandbox.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// caller speaks plain HTTP to one service of a sandbox.
type caller struct {
	t           *testing.T
	base, token string
	contentType string
	client      *http.Client
}

func call(t *testing.T, server *sandbox.Server) caller {
	t.Helper()
	return caller{
		t: t, base: server.BillingURL(), token: server.BillingToken(),
		contentType: "application/json", client: trusting(t, server.CAPEM(), nil),
	}
}

// inMemory is a sandbox without connections, and its caller: waits take no time in a bubble.
func inMemory(t *testing.T) (*sandbox.Server, caller) {
	t.Helper()
	server := start(t, sandbox.Options{NoListeners: true})
	return server, caller{t: t, base: server.BillingURL(), token: server.BillingToken(), contentType: "application/json",
		client: &http.Client{Transport: server}}
}

// trusting makes a client that trusts the authority and keeps no connection.
func trusting(t *testing.T, ca []byte, config *tls.Config) *http.Client {
	t.Helper()
	if config == nil {
		config = &tls.Config{}
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(ca) {
		t.Fatal("the CA is no PEM certificate")
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
}

func (c caller) with(token string) caller {
	c.token = token
	return c
}

// result is a response, its body read whole.
type result struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// try sends a request with extra headers given as name, value pairs.
func (c caller) try(method, path, body string, headers ...string) (result, error) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.contentType != "" {
		request.Header.Set("Content-Type", c.contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.client.Do(request)
	if err != nil {
		return result{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return result{c.t, response.StatusCode, response.Header, content}, err
}

// do is try for a request that must be returned whole.
func (c caller) do(method, path, body string, headers ...string) result {
	c.t.Helper()
	r, err := c.try(method, path, body, headers...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// want fails the test unless the response has the status.
func (r result) want(status int) result {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// at returns the value under the keys; numbers index arrays.
func (r result) at(keys ...any) any {
	r.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		r.t.Fatalf("body %q: %v", r.body, err)
	}
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				r.t.Fatalf("no object at %q of %v in %s", k, keys, r.body)
			}
			value = object[k]
		case int:
			list, ok := value.([]any)
			if !ok || k >= len(list) {
				r.t.Fatalf("no item %d of %v in %s", k, keys, r.body)
			}
			value = list[k]
		}
	}
	return value
}

func (r result) text(keys ...any) string {
	r.t.Helper()
	s, ok := r.at(keys...).(string)
	if !ok {
		r.t.Fatalf("no text at %v in %s", keys, r.body)
	}
	return s
}

// json is the value under the keys, in JSON with sorted keys.
func (r result) json(keys ...any) string {
	r.t.Helper()
	document, err := json.Marshal(r.at(keys...))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(document)
}

// raw is json for what is JSON again.
func (r result) raw(keys ...any) json.RawMessage { return json.RawMessage(r.json(keys...)) }

// names lists the field of every object of a listing.
func (r result) names(field string) []string {
	r.t.Helper()
	var out []string
	items, _ := r.at("data").([]any)
	for i := range items {
		out = append(out, r.text("data", i, field))
	}
	return out
}

// create creates a customer and returns its id.
func (c caller) create(body string) string {
	c.t.Helper()
	return c.do("POST", "/v1/customers", body).want(201).text("data", "customer", "id")
}

// account creates a customer and returns the id of its billing account.
func (c caller) account() string {
	c.t.Helper()
	return c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(201).text("data", "billing_account", "id")
}

// plans that subscriptions of tests run on.
const plan, otherPlan = "3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71", "c9e17b52-06af-4d3b-8e94-61f5a2d7b830"

// subscribe creates a subscription with the fields, written as `,"name":value`,
// on its own account, and returns its path and the response.
func (c caller) subscribe(fields string) (string, result) {
	c.t.Helper()
	r := c.do("POST", "/v1/subscriptions", `{"billing_account_id":"`+c.account()+`","plan_id":"`+plan+`"`+
		fields+`}`).want(201)
	return "/v1/subscriptions/" + r.text("data", "id"), r
}

// blames fails the test unless the response rejects exactly these fields.
func (r result) blames(fields ...string) {
	r.t.Helper()
	if r.status != 422 || r.text("error", "code") != "validation_error" {
		r.t.Errorf("%d %s, want a refusal of %v", r.status, r.body, fields)
		return
	}
	got, _ := r.at("error", "details", "fields").(map[string]any)
	for _, field := range fields {
		if _, ok := got[field]; !ok || len(got) != len(fields) {
			r.t.Errorf("blames %v, want %v", got, fields)
		}
	}
}

// refuses fails the test unless the response is 422 with the code.
func (r result) refuses(code string) {
	r.t.Helper()
	if r.status != 422 || r.text("error", "code") != code {
		r.t.Errorf("%d %s, want 422 %s", r.status, r.body, code)
	}
}

// holds fails the test unless data has these values, in JSON.
func (r result) holds(fields map[string]string) result {
	r.t.Helper()
	for field, want := range fields {
		if got := r.json("data", field); got != want {
			r.t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
	return r
}

// morning and janLast are where the fixed clocks of tests start.
var (
	morning = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	janLast = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
)

const (
	accounts      = "/v1/billing-accounts"
	subscriptions = "/v1/subscriptions"
	endpointsPath = "/api/v1/webhook-endpoints"
	keysPath      = "/api/v1/api-keys"
)

// collect speaks to the collections service of a sandbox.
func collect(t *testing.T, server *sandbox.Server) caller {
	t.Helper()
	c := call(t, server)
	c.base, c.token = server.CollectionsURL(), server.CollectionsKey()
	return c
}

// endpoint creates a webhook endpoint and returns its path.
func (c caller) endpoint(body string) (path string, created result) {
	c.t.Helper()
	created = c.do("POST", endpointsPath, body).want(201)
	return endpointsPath + "/" + created.text("data", "id"), created
}

// key creates an API key and returns its path.
func (c caller) key(body string) (path string, created result) {
	c.t.Helper()
	created = c.do("POST", keysPath, body).want(201)
	return keysPath + "/" + created.text("data", "id"), created
}

// uses asks for something that a key without scopes may ask for.
func (c caller) uses(token string) result {
	c.t.Helper()
	return c.with(token).do("GET", endpointsPath, "")
}

// put makes records with these names in a collection, and returns their paths.
func (c caller) put(collection string, names ...string) (paths []string) {
	c.t.Helper()
	for _, name := range names {
		made := c.do("POST", "/v1/"+collection, `{"name":"`+name+`"}`).want(201)
		paths = append(paths, "/v1/"+collection+"/"+made.text("data", "id"))
	}
	return paths
}

// page returns the names on a page and the cursor to the next one, empty if
// there is none.
func (c caller) page(list, cursor string) (names, next string) {
	c.t.Helper()
	if cursor != "" {
		separator := "?"
		if strings.Contains(list, "?") {
			separator = "&"
		}
		list += separator + "cursor=" + url.QueryEscape(cursor)
	}
	r := c.do("GET", list, "").want(200)
	next, _ = r.at("meta", "next_cursor").(string)
	return strings.Join(r.names("name"), " "), next
}

// walk returns the names on each page from a cursor on, parted by |.
func (c caller) walk(list, cursor string) string {
	c.t.Helper()
	var pages []string
	for {
		var names string
		names, cursor = c.page(list, cursor)
		if pages = append(pages, names); cursor == "" || len(pages) > 20 {
			return strings.Join(pages, "|")
		}
	}
}

// keyed creates a record with an idempotency key.
func (c caller) keyed(collection, body, key string) result {
	c.t.Helper()
	return c.do("POST", "/v1/"+collection, body, "X-Idempotency-Key", key)
}

// financeToken makes a token of financial management.
func financeToken(t *testing.T, server *sandbox.Server, token sandbox.Token) string {
	t.Helper()
	token.Service = sandbox.Finance
	value, err := server.NewToken(token)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// names resolves by a table, which a test may change.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	addr, err := netip.ParseAddr(n[host])
	return []netip.Addr{addr}, err
}

func items(list ...string) string { return `"items":[` + strings.Join(list, ",") + `]` }

func anItem(last, more string) string {
	return `{"product_id":"077b6d09-4c35-4f60-bb73-b0e95293ef` + last +
		`","price_id":"778eb688-eeaf-4066-9dd4-1508edacf1` + last + `"` + more + `}`
}

// creationKey is an idempotency key.
const creationKey = "5f0c3a52-9b1e-4d7a-8c46-2e9d1b7f0a83"

const everyCustomerField = `{
	"name": "Ana Souza", "external_id": "crm-1", "nickname": "Ana", "legal_name": "Ana Souza ME",
	"document_number": "529.982.247-25", "kind": "natural", "birthday": "1990-12-31",
	"notes": "prefers mail", "tags": ["vip", "a<b>"],
	"addresses": [{"kind": "billing", "street": "Rua A", "number": "10", "complement": null,
		"neighborhood": "Centro", "city": "Recife", "state": "PE", "postal_code": "50000-000", "country": "BRA"}],
	"phones": [{"kind": "mobile", "value": "+5581999990000"}],
	"emails": [{"value": "ana@exemplo.com.br"}],
	"websites": [{"kind": "shop", "value": "https://exemplo.com.br"}],
	"custom_metadata": {"n": 9007199254740993, "f": 1.50, "deep": {"list": [1, null]}}
}`
