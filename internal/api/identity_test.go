package api

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// aboutNothing are the operations whose path names an object that the response does not show.
var aboutNothing = []string{"subscriptions.invoice", "subscriptions.items.list", "subscriptions.items.sync", "webhook_deliveries.list", "webhook_endpoints.test"}

// TestSubjects: every operation that names an object is checked, or is known to return something else.
func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, name := range OperationNames() {
		_, template, _ := DefaultOperations().Lookup(name)
		s, checked := subjects[name]
		named := strings.Contains(template, "{id}")
		switch {
		case named && checked == slices.Contains(aboutNothing, name):
			t.Errorf("%s: checked %v", name, checked)
		case checked && !strings.Contains(template, "{"+s.placeholder+"}"):
			t.Errorf("%s: the path %s has no %s", name, template, s.placeholder)
		}
	}
}

// TestOtherObject: a response about another object than the one asked for is an error that names both, however the operation reads it.
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
		"read":                        {one("customers.get", map[string]string{"id": "c1"}), `{"data":{"id":"c2"}}`, `the customer "c1", and the response shows the customer "c2"`, plainError},
		"read, bare":                  {one("customers.get", map[string]string{"id": "c1"}), `{"id":"c2"}`, `"c2"`, plainError},
		"case of an id":               {one("customers.get", map[string]string{"id": "c1"}), `{"id":"C1"}`, `"C1"`, plainError},
		"case of a UUID":              {one("customers.get", map[string]string{"id": upper}), `{"id":"` + lower + `"}`, "", ""},
		"a number":                    {one("finance.records.get", map[string]string{"collection": "x", "id": "7"}), `{"data":{"id":7}}`, "", ""},
		"another number":              {one("finance.records.get", map[string]string{"collection": "x", "id": "7"}), `{"data":{"id":8}}`, `the record "8"`, plainError},
		"no id":                       {one("customers.get", map[string]string{"id": "c1"}), `{"data":{"name":"x"}}`, "", ""},
		"update":                      {optional, `{"data":{"id":"c2"}}`, `"c2"`, plainError},
		"update without a body":       {optional, ``, "", ""},
		"delete":                      {remove, `{"data":{"id":"c2","deleted":true}}`, `"c2"`, plainError},
		"delete that shows no object": {remove, `{"data":{"deleted":true}}`, "", ""},
		"transition":                  {one("billing_accounts.close", map[string]string{"id": "a1"}), `{"data":{"id":"a2"}}`, `the billing account "a1", and the response shows the billing account "a2"`, isAmbiguous},
		"redelivery":                  {one("webhook_deliveries.retry", map[string]string{"id": "e1", "deliveryId": "d1"}), `{"data":{"id":"d2"}}`, `"d2"`, isAmbiguous},
		"redelivery of the asked one": {one("webhook_deliveries.retry", map[string]string{"id": "e1", "deliveryId": "d1"}), `{"data":{"id":"d1"}}`, "", ""},
		"rotation":                    {one("api_keys.rotate", map[string]string{"id": "k1"}), `{"data":{"id":"k2","predecessorId":"k1"}}`, "", ""},
		"rotation of another key":     {one("api_keys.rotate", map[string]string{"id": "k1"}), `{"data":{"id":"k2","predecessorId":"k9"}}`, `"k9"`, isAmbiguous},
		"invoice of a subscription":   {one("subscriptions.invoice", map[string]string{"id": "s1"}), `{"data":{"id":"i1"}}`, "", ""},
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
		if e, ok := AsError(err); !ok || e.RequestID != "r1" || outcomeOf(err) != test.kind || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// TestOtherObjectIsNotKept: what came under the wrong address is not asked about again.
func TestOtherObjectIsNotKept(t *testing.T) {
	t.Parallel()
	transport := play(etag(`{"data":{"id":"c2"}}`, `"v2"`), ok(`{"data":{"id":"c1"}}`))
	c := newClient(t, transport)
	for i, fails := range []bool{true, false} {
		if _, err := One[thing](t.Context(), c, getCustomer); (err != nil) != fails {
			t.Errorf("read %d: %v", i, err)
		}
	}
	if got := transport.seen[1].Header.Get("If-None-Match"); got != "" {
		t.Errorf("asked with %q", got)
	}
}
