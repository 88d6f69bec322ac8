package claims_test

import (
	"net/http"
	"strings"
)

var refusalFaults = []fault{
	{name: "400 for what is invalid", breaks: []int{101, 110, 111},
		spoil: whenStatus(422, 422, func(in *inFlight) { in.status = 400 })},
	{name: "another code for what is invalid", breaks: []int{101, 110},
		spoil: whenStatus(422, 422, func(in *inFlight) { setAt(in.got, "error.code", "invalid") })},
	{name: "no details", breaks: []int{101, 110, 111, 154, 228, 229},
		spoil: whenStatus(422, 422, func(in *inFlight) { deleteAt(in.got, "error.details") })},
	{name: "a name is made up", breaks: []int{101}, rewrite: onCreate(func(sent object) {
		if sent["name"] == nil {
			sent["name"] = "unnamed"
		}
	})},
	{name: "a refused create makes it all the same", breaks: []int{106}, rewrite: onCreate(func(sent object) {
		if sent["kind"] == "company" {
			delete(sent, "kind")
		}
	}), spoil: func(in *inFlight) {
		if in.method == http.MethodPost && in.status == http.StatusCreated && in.sent["external_id"] != nil {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{"kind": "no"}}}}
		}
	}},
	{name: "a refused update is done in part", breaks: []int{109}, rewrite: onUpdate(func(sent object) {
		if sent["kind"] == "company" {
			delete(sent, "kind")
		}
	}), spoil: func(in *inFlight) {
		if in.method == http.MethodPatch && in.status == http.StatusOK {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{"kind": "no"}}}}
		}
	}},
	{name: "external_id_taken without the id", breaks: []int{110, 111},
		spoil: whenStatus(422, 422, func(in *inFlight) { deleteAt(in.got, "error.details.id") })},
	{name: "an update takes any external_id", breaks: []int{111}, rewrite: onUpdate(func(sent object) {
		if external, ok := sent["external_id"].(string); ok {
			sent["external_id"] = external + " "
		}
	})},
	{name: "one's own external_id is taken", breaks: []int{112}, rewrite: func(in *inFlight) {
		if in.method == http.MethodPatch && in.sent["external_id"] != nil {
			in.status = http.StatusUnprocessableEntity
		}
	}},
	{name: "delete returns 204", breaks: []int{121},
		spoil: onDelete(func(in *inFlight) { in.status, in.got = http.StatusNoContent, nil })},
	{name: "delete returns false", breaks: []int{121},
		spoil: onDelete(func(in *inFlight) { setAt(in.got, "data.deleted", false) })},
	{name: "delete does nothing", breaks: []int{122, 123, 124, 125}, rewrite: func(in *inFlight) {
		if in.method == http.MethodDelete {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
	{name: "a second delete is fine", breaks: []int{5, 122}, spoil: func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusNotFound {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
}

var accountFaults = []fault{
	{name: "a deleted customer's account stays active", breaks: []int{125},
		spoil: onAccounts(func(a object) { a["status"] = "active" })},
	{name: "the customer is not loaded", breaks: []int{133},
		spoil: onAccounts(func(a object) { delete(a, "customer") })},
	{name: "the customer is loaded in part", breaks: []int{133},
		spoil: onAccounts(func(a object) { deleteAt(a, "customer.addresses") })},
	{name: "customer_id is ignored", breaks: []int{54, 135}, rewrite: func(in *inFlight) {
		in.query.Del("customer_id")
		if in.path == "/v1/customers" && in.sent != nil {
			delete(in.sent, "create_billing_account")
		}
	}},
	{name: "status is ignored", breaks: []int{136, 311}, rewrite: func(in *inFlight) { in.query.Del("status") }},
}

func onDelete(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusOK {
			act(in)
		}
	}
}

// onAccounts acts on every account that a single read returns.
func onAccounts(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if account, ok := at(in.got, "data").(object); ok && strings.HasPrefix(in.path, "/v1/billing-accounts/") {
			act(account)
		}
	}
}
