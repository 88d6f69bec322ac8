package subscription

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/modeltest"
)

// TestDataFromAPI: of every recorded subscription the data source shows what the wire has, and nothing else than the resource does.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, exchange := range contract.All("billing/subscription_") {
		if !strings.HasSuffix(exchange.Operation, ".get") || exchange.Response.Status != 200 {
			continue
		}
		shown++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			var object billing.Subscription
			wire := modeltest.Wire(t, exchange.Response.Body, &object)
			data, err := dataFromAPI(&object)
			if err != nil {
				t.Fatal(err)
			}
			resource, err := fromAPI(&object)
			if err != nil {
				t.Fatal(err)
			}
			have, managed := modeltest.Attributes(t, data), modeltest.Attributes(t, resource)
			delete(managed, "cancellation_reason") // there the reason to give, here the one given
			if have["pending_plan_id"] != nil {
				wire["plan_id"] = have["pending_plan_id"] // what was asked for
			}
			managed["custom_metadata"] = managed["effective_custom_metadata"]
			delete(wire, "custom_metadata") // null too is shown as an object
			modeltest.Agree(t, have, managed)
			modeltest.Agree(t, have, wire)
		})
	}
	if shown == 0 {
		t.Fatal("no exchange of a get")
	}
}

// TestInvoiceFromAPI: what is known of an invoice, and all of it.
func TestInvoiceFromAPI(t *testing.T) {
	t.Parallel()
	exchange, err := contract.Load("billing/invoice_create")
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
