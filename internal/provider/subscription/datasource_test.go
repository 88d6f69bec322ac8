package subscription

import (
	"encoding/json"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// TestDataFromAPI: of every recorded subscription the data source shows what the wire has, and nothing else than the
// resource does.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	modeltest.Shown(t, evidence.Responses("billing/subscription_get"), fromAPI, dataFromAPI,
		func(shown, managed, wire map[string]any) {
			delete(managed, "cancellation_reason") // there the reason to give, here the one given
			if shown["pending_plan_id"] != nil {
				wire["plan_id"] = shown["pending_plan_id"] // what was asked for
			}
		})
}

// TestInvoiceFromAPI: what is known of an invoice, and all of it.
func TestInvoiceFromAPI(t *testing.T) {
	t.Parallel()
	exchange, err := evidence.Load("billing/invoice_create")
	if err != nil {
		t.Fatal(err)
	}
	var invoice billing.Invoice
	wire := modeltest.Wire(t, exchange.Response.Body, &invoice)
	shown, err := invoiceFromAPI(&invoice)
	if err != nil {
		t.Fatal(err)
	}
	modeltest.Agree(t, modeltest.Attributes(t, shown), wire)
	var whole map[string]any
	if err := json.Unmarshal([]byte(shown.JSON.ValueString()), &whole); err != nil || len(whole) != len(wire) {
		t.Errorf("shown as %s: %v", shown.JSON, err)
	}
}
