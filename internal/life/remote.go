package life

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// kind is a resource type at the service.
type kind struct {
	path string
	call func(s *acctest.Service, method, path string, body any) (int, object)
}

var kinds = map[string]kind{
	"billing_customer":         {"/v1/customers/", (*acctest.Service).Call},
	"billing_account":          {"/v1/billing-accounts/", (*acctest.Service).Call},
	"billing_subscription":     {"/v1/subscriptions/", (*acctest.Service).Call},
	"billing_webhook_endpoint": {"/api/v1/webhook-endpoints/", (*acctest.Service).CallCollections},
	"billing_api_key":          {"/api/v1/api-keys/", (*acctest.Service).CallCollections},
	"billing_finance_record":   {"/v1/", (*acctest.Service).CallFinance},
}

func typeOf(address string) string { return acctest.Block{Address: address}.Type() }

// pathOf is where the service has the object of a state.
func pathOf(address string, state object) string {
	id, _ := state["id"].(string)
	if collection, isRecord := state["collection"].(string); isRecord {
		id = collection + "/" + id
	}
	return kinds[typeOf(address)].path + id
}

// remote is the object as the service has it, the items of a subscription among its fields; nil where it is gone.
func (s *stage) remote(address string, state object) object {
	if state == nil || kinds[typeOf(address)].call == nil {
		return nil
	}
	kind, path := kinds[typeOf(address)], pathOf(address, state)
	status, response := kind.call(s.service, http.MethodGet, path, nil)
	data, _ := response["data"].(object)
	if status != http.StatusOK || data == nil {
		return nil
	}
	if typeOf(address) == "billing_subscription" {
		_, listed := kind.call(s.service, http.MethodGet, path+"/items", nil)
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
