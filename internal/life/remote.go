package life

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func typeOf(address string) string { return core.Block{Address: address}.Type() }

// pathOf returns the path of an object in state.
func pathOf(address string, state object) string {
	id, _ := state["id"].(string)
	collection, _ := state["collection"].(string)
	return strings.Replace(evidence.KindOf(typeOf(address)).Path(), "{collection}", collection, 1) + "/" + id
}

// remote returns the object at the service, with the items of a subscription as a field; nil if it does not exist.
func (s *scenario) remote(address string, state object) object {
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

// wanted returns items in the format of a request.
func wanted(items []any) []any {
	var all []any
	for _, item := range items {
		fields, _ := item.(object)
		all = append(all, object{"product_id": fields["product_id"], "price_id": fields["price_id"],
			"quantity": cmp.Or(fields["quantity"], any(json.Number("1"))), "unit_amount_subcents": fields["unit_amount_subcents"]})
	}
	return all
}
