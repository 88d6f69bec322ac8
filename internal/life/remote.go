package life

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// paths are those of the resource types at the services. A type that is missing here has no remote object.
var paths = map[string]string{
	"billing_customer": "/v1/customers/", "billing_account": "/v1/billing-accounts/",
	"billing_subscription": "/v1/subscriptions/", "billing_webhook_endpoint": "/api/v1/webhook-endpoints/",
	"billing_api_key": "/api/v1/api-keys/", "billing_finance_record": "/v1/",
}

func typeOf(address string) string { return acctest.Block{Address: address}.Type() }

// pathOf is where the service has the object of a state.
func pathOf(address string, state object) string {
	id, _ := state["id"].(string)
	if collection, isRecord := state["collection"].(string); isRecord {
		id = collection + "/" + id
	}
	return paths[typeOf(address)] + id
}

// remote is the object as the service has it, the items of a subscription among its fields; nil where it is gone.
func (s *stage) remote(address string, state object) object {
	if state == nil || paths[typeOf(address)] == "" {
		return nil
	}
	path := pathOf(address, state)
	status, response := s.service.Call(http.MethodGet, path, nil)
	data, _ := response["data"].(object)
	if status != http.StatusOK || data == nil {
		return nil
	}
	if typeOf(address) == "billing_subscription" {
		_, listed := s.service.Call(http.MethodGet, path+"/items", nil)
		data["items"] = listed["data"]
	}
	return data
}

// wanted are items as a request names them.
func wanted(items []any) []any {
	var all []any
	for _, item := range items {
		fields, _ := item.(object)
		all = append(all, object{"product_id": fields["product_id"], "price_id": fields["price_id"],
			"quantity": fields["quantity"], "unit_amount_subcents": fields["unit_amount_subcents"]})
	}
	return all
}
