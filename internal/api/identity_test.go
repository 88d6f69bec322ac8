package api

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// aboutNothing are the operations whose path names an object that the response does not show.
var aboutNothing = []string{"subscriptions.invoice", "subscriptions.items.list", "subscriptions.items.sync",
	"webhook_deliveries.list", "webhook_endpoints.test"}

// TestSubjects: every operation that names an object is checked, or is known to return something else.
func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, name := range OperationNames() {
		_, template, _ := DefaultOperations().Lookup(name)
		checked := operations[name].about.noun != ""
		if strings.Contains(template, "{id}") && checked == slices.Contains(aboutNothing, name) {
			t.Errorf("%s needs either an about (contract.go) or a place in aboutNothing", name)
		}
	}
}

// TestOtherObject: a response about another object than the one asked for is an error that names both, however the
// operation reads it.
func TestOtherObject(t *testing.T) {
	t.Parallel()
	const upper, lower = "7B0D3C1E-52F4-4A63-8C1D-1F2E3D4C5B6A", "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
	one := func(operation string, path map[string]string) func(*Client) error {
		return func(c *Client) error {
			_, err := One[map[string]any](t.Context(), c, Request{Operation: operation, Path: path, Body: map[string]any{}})
			return err
		}
	}
	optional := func(c *Client) error {
		_, _, err := Optional[map[string]any](t.Context(), c, updateCustomer)
		return err
	}
	remove := func(c *Client) error { return Delete(t.Context(), c, deleteCustomer) }
	for name, test := range map[string]struct {
		do   func(*Client) error
		body string
		want string // "": no error
		kind outcome
	}{
		"read": {one("customers.get", map[string]string{"id": "c1"}), `{"data":{"id":"c2"}}`,
			`the customer "c1", but the response shows the customer "c2"`, plainError},
		"read, bare": {one("customers.get", map[string]string{"id": "c1"}), `{"id":"c2"}`,
			`"c2"`, plainError},
		"case of an id": {one("customers.get", map[string]string{"id": "c1"}), `{"id":"C1"}`,
			`"C1"`, plainError},
		"case of a UUID": {one("customers.get", map[string]string{"id": upper}),
			`{"id":"` + lower + `"}`, "", ""},
		"a number": {one("finance.records.get", map[string]string{"collection": "x", "id": "7"}),
			`{"data":{"id":7}}`, "", ""},
		"another number": {one("finance.records.get", map[string]string{"collection": "x", "id": "7"}),
			`{"data":{"id":8}}`, `the record "8"`, plainError},
		"a name in other letters": {one("customers.get", map[string]string{"id": "c1"}), `{"data":{"ID":"c2"}}`,
			`"c2"`, plainError},
		"two ids": {one("customers.get", map[string]string{"id": "c1"}),
			`{"id":"c1","Id":"c2","iD":null}`, `"c2"`, plainError},
		"no id":                       {one("customers.get", map[string]string{"id": "c1"}), `{"data":{"name":"x"}}`, "", ""},
		"update":                      {optional, `{"data":{"id":"c2"}}`, `"c2"`, plainError},
		"update without a body":       {optional, ``, "", ""},
		"delete":                      {remove, `{"data":{"id":"c2","deleted":true}}`, `"c2"`, plainError},
		"delete that shows no object": {remove, `{"data":{"deleted":true}}`, "", ""},
		"transition": {one("billing_accounts.close", map[string]string{"id": "a1"}), `{"data":{"id":"a2"}}`,
			`the billing account "a1", but the response shows the billing account "a2"`, isAmbiguous},
		"redelivery": {one("webhook_deliveries.retry", map[string]string{"id": "e1", "deliveryId": "d1"}),
			`{"data":{"id":"d2"}}`, `"d2"`, isAmbiguous},
		"redelivery of the asked one": {one("webhook_deliveries.retry", map[string]string{"id": "e1", "deliveryId": "d1"}),
			`{"data":{"id":"d1"}}`, "", ""},
		"rotation": {one("api_keys.rotate", map[string]string{"id": "k1"}),
			`{"data":{"id":"k2","predecessorId":"k1"}}`, "", ""},
		"rotation of another key": {one("api_keys.rotate", map[string]string{"id": "k1"}),
			`{"data":{"id":"k2","predecessorId":"k9"}}`, `"k9"`, isAmbiguous},
		"invoice of a subscription": {one("subscriptions.invoice", map[string]string{"id": "s1"}),
			`{"data":{"id":"i1"}}`, "", ""},
	} {
		err := test.do(newClient(t, play(step{status: 200, body: test.body, header: map[string]string{"Request-Id": "r1"}})))
		var other *OtherObjectError
		if found := errors.As(err, &other); found != (test.want != "") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.want == "" {
			continue
		}
		if e, ok := AsError(err); !ok || e.RequestID != "r1" || outcomeOf(err) != test.kind ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// TestOtherCreated: a creation whose response shows an object that cannot be the created one is ambiguous, and names
// both. What a service may write in another form or leave out is not another object.
func TestOtherCreated(t *testing.T) {
	t.Parallel()
	const upper, lower, other = "7B0D3C1E-52F4-4A63-8C1D-1F2E3D4C5B6A", "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a",
		"0b3c6f0e-0000-4000-8000-00000000000a"
	const date, older, recent = "Sun, 04 May 2031 12:00:30 GMT", "2031-05-04T12:00:10.000Z",
		"2031-05-04T12:00:30.100Z"
	for name, test := range map[string]struct {
		operation, sent, shown string
		want                   string // "": no error
	}{
		"external_id": {"customers.create", `{"name":"A","external_id":"new"}`,
			`{"customer":{"id":"c1","name":"A","external_id":"old"}}`,
			`customer with external_id "new", but the response shows the customer "c1" with external_id "old"`},
		"external_id in another form": {"customers.create", `{"name":"A","external_id":" new"}`,
			`{"customer":{"id":"c1","external_id":"NEW"}}`, ""},
		"external_id cut": {"customers.create", `{"name":"A","external_id":"new-1"}`,
			`{"customer":{"id":"c1","external_id":"new"}}`, ""},
		"an external_id that was not sent": {"customers.create", `{"name":"A"}`,
			`{"customer":{"id":"c1","name":"A","external_id":"oo"}}`, `external_id "oo"`},
		"no external_id": {"customers.create", `{"name":"A","external_id":"new"}`,
			`{"customer":{"id":"c1","name":"A","external_id":null}}`, ""},
		"external_id left out": {"customers.create", `{"name":"A","external_id":"new"}`,
			`{"customer":{"id":"c1","name":"B","created_at":"` + recent + `"}}`, ""},
		"an older customer": {"customers.create", `{"name":"A","external_id":"new"}`,
			`{"customer":{"id":"c1","external_id":"new","created_at":"` + older + `"}}`, "which existed before the request"},
		"an older account": {"billing_accounts.create", `{"customer":{"id":"` + upper + `"}}`,
			`{"id":"a1","customer":{"id":"` + lower + `"},"created_at":"` + older + `"}`, "created at " + older},
		"an older subscription": {"subscriptions.create", `{"billing_account_id":"` + upper + `"}`,
			`{"id":"s1","created_at":"` + older + `"}`, "sent at about 2031-05-04T12:00:30Z"},
		"an older key, with a token": {"api_keys.create", `{"name":"n"}`,
			`{"id":"k1","name":"n","token":"t","createdAt":"` + older + `"}`, "which existed before the request"},
		"an older endpoint": {"webhook_endpoints.create", `{"url":"https://a.example"}`,
			`{"id":"e1","secret":"s","createdAt":"` + older + `"}`, "which existed before the request"},
		"another name": {"customers.create", `{"name":"A"}`, `{"customer":{"id":"c1","name":"B"}}`, `name "B"`},
		"the name in another form": {"customers.create", `{"name":" Ana  Lima"}`,
			`{"customer":{"id":"c1","name":"ANA LIMA"}}`, ""},
		"another plan": {"subscriptions.create", `{"plan_id":"` + upper + `"}`, `{"id":"s1","plan_id":"` + other + `"}`,
			"plan_id"},
		"another plan, the external_id": {"subscriptions.create", `{"external_id":"e","plan_id":"` + upper + `"}`,
			`{"id":"s1","external_id":"e","plan_id":"` + other + `"}`, ""},
		"no external_id, and none sent": {"customers.create", `{"name":"A"}`,
			`{"customer":{"id":"c1","name":"A","external_id":null}}`, ""},
		"account, customer": {"billing_accounts.create", `{"customer":{"id":"` + upper + `"}}`,
			`{"id":"a1","customer":{"id":"` + other + `"}}`, `customer.id`},
		"account, customer in capitals": {"billing_accounts.create", `{"customer":{"id":"` + upper + `"}}`,
			`{"id":"a1","customer":{"id":"` + lower + `"}}`, ""},
		"account, customer by code": {"billing_accounts.create", `{"customer":{"id":"cus_1"}}`,
			`{"id":"a1","customer":{"id":"` + lower + `"}}`, ""},
		"account, customer by a code like a UUID": {"billing_accounts.create", `{"customer":{"id":"` + upper + `"}}`,
			`{"id":"a1","customer":{"id":"` + other + `","external_id":"` + upper + `"}}`, ""},
		"account, no customer": {"billing_accounts.create", `{"customer":{"id":"` + upper + `"}}`, `{"id":"a1"}`, ""},
		"account, external_id": {"billing_accounts.create", `{"external_id":"e1","customer":{"id":"` + upper + `"}}`,
			`{"id":"a1","external_id":"e2"}`, `external_id "e2"`},
		"subscription, account": {"subscriptions.create", `{"billing_account_id":"` + upper + `"}`,
			`{"id":"s1","billing_account_id":"` + other + `"}`, `billing_account_id`},
		"subscription, account the same": {"subscriptions.create", `{"billing_account_id":"` + upper + `"}`,
			`{"id":"s1","billing_account_id":"` + lower + `"}`, ""},
		"endpoint": {"webhook_endpoints.create", `{"url":"https://a.example/x"}`,
			`{"id":"e1","url":"https://u:hidden@a.example/y?k=hidden","secret":"s"}`,
			`url "https://a.example/…", but the response shows the webhook endpoint "e1" with url`},
		"endpoint, cut": {"webhook_endpoints.create", `{"url":"https://a.example/hooks/billing"}`,
			`{"id":"e1","url":"https://a.example/ho","secret":"s"}`, ""},
		"endpoint, in punycode": {"webhook_endpoints.create", `{"url":"https://café.example/ç"}`,
			`{"id":"e1","url":"https://xn--caf-dma.example/%C3%A7","secret":"s"}`, ""},
		"API key, escaped": {"api_keys.create", `{"name":"A & B "}`, `{"id":"k1","name":"A &amp; B","token":"t"}`, ""},
		"endpoint, normalized": {"webhook_endpoints.create", `{"url":"https://A.example"}`,
			`{"id":"e1","url":"https://a.example:443/","secret":"s"}`, ""},
		"endpoint without its address": {"webhook_endpoints.create", `{"url":"https://a.example/x"}`,
			`{"id":"e1","secret":"s"}`, ""},
		"API key": {"api_keys.create", `{"name":"new"}`, `{"id":"k1","name":"oo","token":"t"}`,
			`API key with name "new", but the response shows the API key "k1" with name "oo"`},
	} {
		c := newClient(t,
			play(step{status: 201, body: `{"data":` + test.shown + `}`, header: map[string]string{"Request-Id": "r1",
				"Date": date}}))
		_, err := One[map[string]any](t.Context(), c, Request{Operation: test.operation, Body: json.RawMessage(test.sent)})
		var found *OtherObjectError
		if errors.As(err, &found) != (test.want != "") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.want != "" && (outcomeOf(err) != isAmbiguous || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// TestCreatedBefore: an object that an earlier response of the run has shown was not created by a later request,
// whatever its date. The clock of Date decides nothing once a creation has shown that another one dates objects.
func TestCreatedBefore(t *testing.T) {
	t.Parallel()
	const date = "Sun, 04 May 2031 12:00:30 GMT"
	dated := func(status int, id, created string) step {
		return step{status: status, body: `{"data":{"id":"` + id + `","created_at":"` + created + `"}}`,
			header: map[string]string{"Date": date}}
	}
	create := Request{Operation: "billing_accounts.create", Body: json.RawMessage(`{}`)}
	c := newClient(t, play(dated(200, "a1", "2031-05-04T12:00:30.000Z"), dated(201, "A1", "2031-05-04T12:00:30.000Z"),
		dated(201, "a2", "2031-05-04T12:00:10.000Z"), dated(201, "a3", "2031-05-04T13:00:30.000Z"),
		dated(201, "a4", "2031-05-04T12:00:10.000Z")))
	if _, err := One[thing](t.Context(), c, Request{Operation: "billing_accounts.get",
		Path: map[string]string{"id": "a1"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"an earlier response of this run has shown it", "created at", "", ""} {
		_, err := One[thing](t.Context(), c, create)
		apitest.Says(t, err, want)
	}
}

// TestCreations: every creation of an object with its own id is checked. A key gives a record its identity.
func TestCreations(t *testing.T) {
	t.Parallel()
	for _, name := range OperationNames() {
		checked := operations[name].creates.noun != ""
		want := strings.HasSuffix(name, ".create") && name != "finance.records.create" || name == "api_keys.rotate"
		if checked != want {
			t.Errorf("%s: creates (contract.go) is set: %v, want %v", name, checked, want)
		}
	}
}
