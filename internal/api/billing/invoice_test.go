package billing

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const invoicePath = "POST " + subscriptionPath + "/invoices"

func TestInvoiceSubscription(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason, response string
		raw, id          string
		body             string
	}{
		"with a reason": {reason: "again", response: data(`{"id":"i1","total_cents":9007199254740993}`),
			raw: `{"id":"i1","total_cents":9007199254740993}`, id: "i1", body: `{"reason":"again"}`},
		"bare":          {response: `{"id":"i1"}`, raw: `{"id":"i1"}`, id: "i1"},
		"a number":      {response: data(`{"id":9007199254740993}`), raw: `{"id":9007199254740993}`, id: "9007199254740993"},
		"without an id": {response: data(`{"status":"open"}`), raw: `{"status":"open"}`},
	}
	for name, test := range tests {
		w := newWire(map[string]http.HandlerFunc{invoicePath: respond(201, test.response)})
		raw, id, err := newService(t, w).InvoiceSubscription(t.Context(), "s1", test.reason)
		if err != nil || string(raw) != test.raw || id != test.id {
			t.Errorf("%s: %s, %q, %v", name, raw, id, err)
		}
		if len(w.Bodies) != 1 || w.Bodies[0] != test.body {
			t.Errorf("%s: sent %q", name, w.Bodies)
		}
	}
}

func TestLostInvoiceIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"lost": lost, "bad gateway": respond(502, "<html>"), "timeout": respond(408, ""), "no body": respond(201, ""),
	} {
		w := newWire(map[string]http.HandlerFunc{"/": handler})
		_, _, err := newService(t, w).InvoiceSubscription(t.Context(), "s1", "")
		if _, ok := api.AsAmbiguous(err); !ok ||
			!strings.Contains(err.Error(),
				`The subscription "s1" may or may not have a new invoice. Check the list of its invoices`) {
			t.Errorf("%s: %v", name, err)
		}
		if len(w.Seen) != 1 {
			t.Errorf("%s: sent %v", name, w.Seen)
		}
	}
}

func TestRefusedInvoiceIsPlain(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(404, `{"error":{"code":"not_found","message":"no"}}`)})
	_, _, err := newService(t, w).InvoiceSubscription(t.Context(), "s1", "")
	if _, ambiguous := api.AsAmbiguous(err); ambiguous || !api.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newService(t, w).InvoiceSubscription(ctx, "s1", ""); !errors.Is(err, context.Canceled) ||
		len(w.Seen) != 1 {
		t.Errorf("%v after %v", err, w.Seen)
	}
}

func TestInterruptLetsASentInvoiceEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := newWire(map[string]http.HandlerFunc{invoicePath: func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(5 * time.Second)
			if r.Context().Err() != nil {
				lost(w, r)
			}
			respond(201, data(`{"id":"i1"}`))(w, r)
		}})
		if _, id, err := newService(t, w).InvoiceSubscription(ctx, "s1", ""); err != nil || id != "i1" {
			t.Errorf("%q, %v", id, err)
		}
	})
}

func TestInvoiceKeepsItsOwnCopy(t *testing.T) {
	t.Parallel()
	var invoice Invoice
	data := []byte(`{"id":"i1"}`)
	if err := invoice.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if string(invoice.Raw) != `{"id":"i1"}` {
		t.Errorf("got %q", invoice.Raw)
	}
}

func TestListInvoices(t *testing.T) {
	t.Parallel()
	const (
		ours    = `{"id":"i1","subscription_id":"s1","billing_account_id":"a1","total_cents":9007199254740993}`
		theirs  = `{"id":"i2","subscription_id":"s2","billing_account_id":"a2"}`
		unnamed = `{"id":"i3","subscription_id":null,"lines":[{"x":1}]}`
	)
	for name, test := range map[string]struct {
		query InvoiceQuery
		want  []string
	}{
		"all":          {InvoiceQuery{}, []string{"i1", "i2", "i3"}},
		"subscription": {InvoiceQuery{SubscriptionID: "s1"}, []string{"i1", "i3"}},
		"account":      {InvoiceQuery{BillingAccountID: "a2"}, []string{"i2", "i3"}},
		"both":         {InvoiceQuery{SubscriptionID: "s1", BillingAccountID: "a2"}, []string{"i3"}},
	} {
		w := newWire(map[string]http.HandlerFunc{"GET /v1/invoices": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("subscription_id") != test.query.SubscriptionID ||
				r.URL.Query().Get("billing_account_id") != test.query.BillingAccountID {
				t.Errorf("%s: asked for %s", name, r.URL.RawQuery)
			}
			respond(200, listOf(ours, theirs, unnamed))(w, r)
		}})
		var ids []string
		for invoice, err := range newService(t, w).ListInvoices(t.Context(), test.query) {
			if err != nil {
				t.Fatal(err)
			}
			if invoice.ID == "i1" && (string(invoice.Raw) != ours || invoice.SubscriptionID != "s1" ||
				invoice.BillingAccountID != "a1") {
				t.Errorf("%s: got %+v", name, invoice)
			}
			ids = append(ids, invoice.ID)
		}
		if !reflect.DeepEqual(ids, test.want) {
			t.Errorf("%s: got %v", name, ids)
		}
	}
}
