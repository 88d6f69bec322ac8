package billing

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// FuzzObjects: no response breaks the decoding of an object, and what is returned without an error is the object that
// was asked for.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"data":{"id":"x1","name":"A","emails":null,"tags":{},"custom_metadata":{"a":1e999}}}`, `{"id":"x2"}`,
		`{"data":{"ID":"x2"}}`, `{"data":[]}`,
		`{"data":{"id":"x1","status":"frozen","customer":null,"discount_percent":10,"items":[{"price_id":1}],"metadata":{"pendingPlanId":7}}}`, `{"data":{"id":"x1","customer":{"id":"c"},"custom_metadata":[],"created_at":0}}`, `{"data":{"id":1,"discount_percent":"ten"}}`,
		`{"data":[{"id":"i","price_id":"p","quantity":1e2},null]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		wire := newWire(map[string]http.HandlerFunc{"/": respond(http.StatusForbidden, string(body)),
			"GET /": respond(http.StatusOK, string(body))})
		client, err := api.New(api.Config{Service: "billing", BaseURL: "https://api.example.test", Token: "tok_1234567890",
			Transport: wire})
		if err != nil {
			t.Fatal(err)
		}
		s := New(client) // which sends each request once
		ctx := t.Context()
		if v, err := s.GetCustomer(ctx, "x1"); err == nil && !same.ID(v.ID, "x1") {
			t.Errorf("customer %q", v.ID)
		}
		if v, err := s.GetBillingAccount(ctx, "x1"); err == nil && !same.ID(v.ID, "x1") {
			t.Errorf("account %q", v.ID)
		}
		if v, err := s.GetSubscription(ctx, "x1"); err == nil && !same.ID(v.ID, "x1") {
			t.Errorf("subscription %q", v.ID)
		}
		if items, listed, err := s.SubscriptionItems(ctx, "x1"); err == nil && !listed && len(items) > 0 {
			t.Errorf("items %v of no list", items)
		}
		for invoice, err := range s.ListInvoices(ctx, InvoiceQuery{}) {
			if _, encoding := json.Marshal(invoice); err == nil && encoding != nil {
				t.Error(encoding)
			}
		}
		if me, err := s.Me(ctx); err == nil && me == nil {
			t.Error("no organization and no error")
		}
		if _, err := s.UpdateCustomer(ctx, "x1", CustomerUpdate{}); err == nil {
			t.Error("a refused update succeeded")
		}
	})
}

// FuzzSameJSON: a document equals itself in every spelling of its numbers, and the comparison does not depend on the
// order of its sides.
func FuzzSameJSON(f *testing.F) {
	for _, seed := range [][2]string{{`1.50`, `15e-1`}, {`{"a":[1,null]}`, `{"a":[1.0,null]}`}, {`1e999999999`, `1`},
		{`-0`, `0`}, {`0e9`, `0`}, {``, `null`}, {`"1"`, `1`}, {`1e-2147483648`, `0.1e-2147483647`}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := json.RawMessage(a), json.RawMessage(b)
		if len(a) > 0 && json.Valid(x) && !sameJSON(x, x) {
			t.Errorf("%q is not itself", a)
		}
		if len(a) > 0 && len(b) > 0 && sameJSON(x, y) != sameJSON(y, x) {
			t.Errorf("%q and %q are the same one way only", a, b)
		}
	})
}
