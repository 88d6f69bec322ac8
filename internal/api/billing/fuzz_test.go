package billing

import (
	"encoding/json"
	"net/http"
	"strings"
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
		if _, err := s.UpdateCustomer(ctx, "x1", CustomerBody{}); err == nil {
			t.Error("a rejected update succeeded")
		}
	})
}

// FuzzShows: an object that is adopted shows every text that was sent, in one of the forms that mean the same.
func FuzzShows(f *testing.F) {
	f.Add("Ana", "Ana", "e1", "e1", "n", "n")
	f.Add("Ana", "ana", "e1", "E1", "", "")
	f.Add("2025-01-01T00:00:00Z", "2024-12-31T21:00:00-03:00", "\u0000", "", "a\tb", "a b")
	f.Fuzz(func(t *testing.T, name, shownName, code, shownCode, notes, shownNotes string) {
		sent := CustomerBody{Name: api.Set(name), ExternalID: api.Set(code), Notes: api.Set(notes)}
		object, err := json.Marshal(map[string]any{"name": shownName, "external_id": shownCode, "notes": shownNotes})
		if err != nil {
			t.Fatal(err)
		}
		valid := func(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
		means := func(a, b string) bool { return sameText(valid(a), valid(b)) }
		want := means(name, shownName) && means(code, shownCode) && means(notes, shownNotes)
		if shows(sent, object) && !want {
			t.Errorf("%q %q %q is shown as %s", name, code, notes, object)
		}
	})
}
