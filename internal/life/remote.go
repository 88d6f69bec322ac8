package life

import (
	"net/http"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func typeOf(address string) string { return acctest.Block{Address: address}.Type() }

// pathOf is where the service has the object of a state.
func pathOf(address string, state object) string {
	id, _ := state["id"].(string)
	collection, _ := state["collection"].(string)
	return strings.Replace(evidence.KindOf(typeOf(address)).Path(), "{collection}", collection, 1) + "/" + id
}

// remote is the object as the service has it, the items of a subscription among its fields; nil where it is gone.
func (s *stage) remote(address string, state object) object {
	if state == nil || evidence.KindOf(typeOf(address)).Type == "" {
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
