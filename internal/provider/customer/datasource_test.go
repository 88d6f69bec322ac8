package customer

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/modeltest"
)

// TestDataFromAPI: of every recorded customer the data source shows what the wire has, and nothing else than the resource does.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, exchange := range contract.All("billing/customer_") {
		if !strings.HasSuffix(exchange.Operation, ".get") || exchange.Response.Status != 200 {
			continue
		}
		shown++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			var object billing.Customer
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
