package claims_test

import (
	"net/http"
	"slices"
	"strings"
)

const (
	accounts      = "/v1/billing-accounts"
	subscriptions = "/v1/subscriptions"
)

var accountCreateFaults = []fault{
	{name: "a list loads no customer", breaks: []int{139, 184},
		spoil: onCall(http.MethodGet, accounts, func(in *inFlight) {
			for _, account := range items(at(in.got, "data")) {
				delete(account, "customer")
			}
		})},
	{name: "a transition loads no customer", breaks: []int{184}, spoil: onCall(http.MethodPost, accounts+"/*/close",
		func(in *inFlight) {
			deleteAt(in.got, "data.customer")
		})},
	{name: "a new account without its public_id", breaks: []int{141},
		spoil: onData(accounts, func(a object) { delete(a, "public_id") })},
	{name: "a new account's term is 30 days", breaks: []int{141},
		spoil: onData(accounts, func(a object) { a["payment_terms_days"] = 30 })},
	{name: "an account's custom_metadata is dropped", breaks: []int{142, 161, 167},
		rewrite: forget(accounts, "custom_metadata")},
	{name: "billing_email is left empty", breaks: []int{143}, spoil: on(http.MethodPost, accounts, func(in *inFlight) {
		if in.sent["billing_email"] == nil {
			setAt(in.got, "data.billing_email", nil)
		}
	})},
	{name: "terms are not looked at", breaks: []int{142, 144, 161, 165}, rewrite: forget(accounts, "payment_terms_days")},
	{name: "every account has a new customer", breaks: []int{145, 146, 148, 149}, rewrite: onPayer(func(c object) {
		delete(c, "id")
		delete(c, "external_id")
		c["name"] = "somebody new"
	})},
	{name: "an external code is no id", breaks: []int{146}, rewrite: onPayer(func(c object) {
		if c["id"] != nil && !isUUID(c["id"]) {
			c["id"] = "00000000-0000-4000-8000-000000000000"
		}
	})},
	{name: "document numbers are compared mask and all", breaks: []int{147}, rewrite: onPayer(func(c object) {
		if number, ok := c["document_number"].(string); ok && !strings.Contains(number, ".") {
			delete(c, "document_number")
			c["name"] = "somebody new"
		}
	})},
	{name: "an unknown customer is not found", breaks: []int{148},
		spoil: whenStatus(422, 422, func(in *inFlight) { in.status = http.StatusNotFound })},
	{name: "fields beside a reference count", breaks: []int{149}, spoil: on(http.MethodPost, accounts, func(in *inFlight) {
		if name := at(in.sent, "customer.name"); at(in.sent, "customer.id") != nil && name != nil {
			setAt(in.got, "data.customer.name", name)
		}
	})},
	{name: "a new customer's notes are dropped", breaks: []int{150},
		rewrite: onPayer(func(c object) { delete(c, "notes") })},
	{name: "the customer says company", breaks: []int{150}, spoil: onCustomers(func(c object) {
		if c["kind"] == "juridical" {
			c["kind"] = "company"
		}
	})},
	{name: "a new customer's name is made up", breaks: []int{151}, rewrite: onPayer(func(c object) {
		if c["name"] == nil {
			c["name"] = "unnamed"
		}
	})},
	{name: "a new account needs no customer", breaks: []int{152},
		rewrite: on(http.MethodPost, accounts, func(in *inFlight) {
			if in.sent["customer"] == nil {
				in.sent["customer"] = object{"name": "unnamed"}
			}
		})},
	{name: "the customer's own words for its kind", breaks: []int{153}, rewrite: onPayer(func(c object) {
		if c["kind"] == "natural" {
			c["kind"] = "individual"
		}
	})},
	{name: "objects share an external_id", breaks: []int{154, 229}, spoil: whenStatus(422, 422, func(in *inFlight) {
		if at(in.got, "error.code") == "external_id_taken" {
			in.status = http.StatusCreated
		}
	})},
}

var accountUpdateFaults = []fault{
	{name: "an update of an account resets the term", breaks: []int{161, 164},
		rewrite: on(http.MethodPatch, accounts, func(in *inFlight) {
			if in.sent["payment_terms_days"] == nil {
				in.sent["payment_terms_days"] = 15
			}
		})},
	{name: "an account's update leaves the email", breaks: []int{162},
		rewrite: on(http.MethodPatch, accounts, func(in *inFlight) { delete(in.sent, "email") })},
	{name: "the account shows a new name, the customer does not", breaks: []int{162},
		spoil: onData("/v1/customers", func(c object) { c["name"] = "as before" })},
	{name: "the address goes last", breaks: []int{163}, spoil: onData(accounts, func(a object) {
		if list, ok := at(a, "customer.addresses").([]any); ok {
			slices.Reverse(list)
		}
	})},
	{name: "names of any length", breaks: []int{165}, rewrite: on(http.MethodPatch, accounts, func(in *inFlight) {
		if name, ok := in.sent["name"].(string); ok && len(name) != 2*255 {
			in.sent["name"] = "a name"
		}
	})},
	{name: "a refused update keeps what was valid", breaks: []int{166, 232}, spoil: func(in *inFlight) {
		for _, field := range []string{"payment_terms_days", "notes"} {
			if value, ok := in.sent[field]; ok && in.method == http.MethodPatch && in.status == http.StatusUnprocessableEntity {
				in.proxy.ask(http.MethodPatch, in.path, object{field: value})
			}
		}
	}},
	{name: "what does not exist is invalid", breaks: []int{168, 233},
		spoil: whenStatus(404, 404, func(in *inFlight) { in.status = http.StatusUnprocessableEntity })},
}

var accountStatusFaults = []fault{
	{name: "the reason of a suspension is lost", breaks: []int{171},
		spoil: onData(accounts, func(a object) { a["suspension_reason"] = nil })},
	{name: "a suspension does nothing", breaks: []int{171, 173, 178}, rewrite: skip("/suspend")},
	{name: "a reactivation does nothing", breaks: []int{172, 178}, rewrite: skip("/reactivate")},
	{name: "a second suspension is fine", breaks: []int{173}, spoil: forgive("/suspend")},
	{name: "a second reactivation is fine", breaks: []int{174}, spoil: forgive("/reactivate")},
	{name: "closing does nothing", breaks: []int{175, 176, 177, 179}, rewrite: skip("/close")},
	{name: "closing deletes", breaks: []int{175, 176, 180}, rewrite: onStep("/close", func(in *inFlight) {
		in.method, in.path = http.MethodDelete, strings.TrimSuffix(in.path, "/close")
	})},
	{name: "a closed account can be changed", breaks: []int{176},
		spoil: on(http.MethodPatch, accounts, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a closed account can be suspended", breaks: []int{176}, spoil: forgive("/suspend")},
	{name: "closing takes the subscriptions along", breaks: []int{180}, rewrite: onStep("/close", func(in *inFlight) {
		for _, subscription := range in.proxy.all(subscriptions, "billing_account_id", in.parent()) {
			in.proxy.ask(http.MethodPost, subscriptions+"/"+subscription["id"].(string)+"/cancel", object{})
		}
	})},
	{name: "closing with subscriptions is refused", breaks: []int{180}, rewrite: onStep("/close", func(in *inFlight) {
		if len(in.proxy.all(subscriptions, "billing_account_id", in.parent())) > 0 {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "nothing but customers is deleted", breaks: []int{181, 182, 300}, rewrite: func(in *inFlight) {
		if in.method == http.MethodDelete && !strings.HasPrefix(in.path, "/v1/customers") {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
	{name: "an external_id is given once", breaks: []int{177, 298}, rewrite: func(in *inFlight) {
		external, _ := in.sent["external_id"].(string)
		if external != "" && len(in.proxy.all(accounts, "external_id", external))+
			len(in.proxy.all(subscriptions, "external_id", external)) > 0 {
			in.status = http.StatusUnprocessableEntity
		}
	}},
}

// on acts on requests of that method below a path, or on their responses.
func on(method, path string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == method && in.sent != nil && strings.HasPrefix(in.path, path) {
			act(in)
		}
	}
}

// onStep acts on requests whose path ends so, or on their responses.
func onStep(suffix string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && strings.HasSuffix(in.path, suffix) {
			act(in)
		}
	}
}

// skip acknowledges a step without doing it.
func skip(suffix string) func(*inFlight) {
	return onStep(suffix, func(in *inFlight) {
		in.method, in.path = http.MethodGet, strings.TrimSuffix(in.path, suffix)
	})
}

// forgive acknowledges a rejected step as if it had been done.
func forgive(suffix string) func(*inFlight) {
	return onStep(suffix, func(in *inFlight) {
		if in.status == http.StatusUnprocessableEntity {
			in.status = http.StatusOK
		}
	})
}

// forget drops fields from every request below a path.
func forget(path string, fields ...string) func(*inFlight) {
	return func(in *inFlight) {
		for _, field := range fields {
			if strings.HasPrefix(in.path, path) {
				delete(in.sent, field)
			}
		}
	}
}

// onPayer acts on the customer of a new account.
func onPayer(act func(object)) func(*inFlight) {
	return on(http.MethodPost, accounts, func(in *inFlight) {
		if customer, ok := in.sent["customer"].(object); ok {
			act(customer)
		}
	})
}

// onData acts on every object that is returned below a path, single or listed.
func onData(path string, act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if !strings.HasPrefix(in.path, path) {
			return
		}
		if one, ok := at(in.got, "data").(object); ok {
			act(one)
		}
		for _, one := range items(at(in.got, "data")) {
			act(one)
		}
	}
}
