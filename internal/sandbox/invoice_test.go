package sandbox_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// wire contract: subscriptions.invoice.
func TestManualInvoice(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	path, made := c.subscribe(`,"collection_method":"manual_invoice"`)
	first := c.do("POST", path+"/invoices", `{"reason":"twice"}`).want(201)
	first.holds(map[string]string{
		"number": `"INV-000001"`, "status": `"open"`, "currency": `"BRL"`, "reason": `"twice"`, "due_date": `"2026-02-10"`,
		"subscription_id": made.json("data", "id"), "billing_account_id": made.json("data", "billing_account_id"),
		"amount_cents": made.json("data", "recurring_amount_cents"), "period_start": at(1, 31, 12),
		"period_end": at(2, 28, 12), "created_at": at(1, 31, 12), "updated_at": at(1, 31, 12),
	})
	second := c.do("POST", path+"/invoices", "").want(201).holds(map[string]string{"number": `"INV-000002"`,
		"reason": "null"})
	if !anUUID.MatchString(first.text("data", "id")) || first.text("data", "id") == second.text("data", "id") {
		t.Errorf("ids of %s and %s", first.body, second.body)
	}
	for behavior, status := range map[string]string{"mark_uncollectible": "uncollectible", "keep_as_draft": "draft",
		"void": "void"} {
		c.do("POST", path+"/pause", `{"behavior":"`+behavior+`"}`).want(200)
		c.do("POST", path+"/invoices", "").want(201).holds(map[string]string{"status": `"` + status + `"`})
	}
	c.do("GET", path+"/invoices", "").want(405)
}

// wire contract: invoices.list.
func TestInvoiceFilters(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	one, first := c.subscribe("")
	two, second := c.subscribe("")
	c.do("POST", one+"/invoices", "").want(201)
	server.Clock().Advance(time.Hour)
	c.do("POST", two+"/invoices", "").want(201)
	c.do("POST", two+"/invoices", "").want(201)
	account := func(r result) string { return "billing_account_id=" + r.text("data", "billing_account_id") }
	for query, want := range map[string]string{
		"": "3", "subscription_id=" + first.text("data", "id"): "1", "subscription_id=" + second.text("data", "id"): "2",
		account(first): "1", account(second): "2", account(first) + "&subscription_id=" + second.text("data", "id"): "0",
		"subscription_id=x": "0",
	} {
		if got := c.do("GET", "/v1/invoices?"+query, "").want(200).json("meta", "total"); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	c.do("GET", "/v1/invoices?status=open", "").blames("status")
}
