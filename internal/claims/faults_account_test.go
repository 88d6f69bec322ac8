package claims_test

import (
	"net/http"
	"strings"
)

const (
	accounts      = "/v1/billing-accounts"
	subscriptions = "/v1/subscriptions"
)

var accountCreateFaults = []fault{
	{name: "a list omits the customer", breaks: []int{139, 184},
		spoil: onCall(http.MethodGet, accounts, func(in *inFlight) {
			for _, account := range items(at(in.got, "data")) {
				delete(account, "customer")
			}
		})},
	{name: "a transition omits the customer", only: 184, spoil: onCall(http.MethodPost, accounts+"/*/close",
		func(in *inFlight) {
			deleteAt(in.got, "data.customer")
		})},
	{name: "a new account without its public_id", only: 141,
		spoil: onData(accounts, func(a object) { delete(a, "public_id") })},
	{name: "a new account's term is 30 days", breaks: []int{141},
		spoil: onData(accounts, func(a object) { a["payment_terms_days"] = 30 })},
	{name: "an account's custom_metadata is dropped", breaks: []int{142, 161, 167},
		rewrite: forget(accounts, "custom_metadata")},
	{name: "billing_email is left empty", only: 143, spoil: on(http.MethodPost, accounts, func(in *inFlight) {
		if in.sent["billing_email"] == nil {
			setAt(in.got, "data.billing_email", nil)
		}
	})},
	{name: "payment terms are ignored", breaks: []int{142, 161}, rewrite: forget(accounts, "payment_terms_days")},
	{name: "every account has a new customer", breaks: []int{145}, rewrite: onPayer(func(c object) {
		delete(c, "id")
		delete(c, "external_id")
		c["name"] = "somebody new"
	})},
	{name: "objects share an external_id", breaks: []int{110, 111, 154, 229}, spoil: whenStatus(422, 422, func(in *inFlight) {
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
	{name: "a missing object is invalid", breaks: []int{5, 168, 233, 352},
		spoil: whenStatus(404, 404, func(in *inFlight) { in.status = http.StatusUnprocessableEntity })},
}

var accountStatusFaults = []fault{
	{name: "the reason of a suspension is lost", breaks: []int{171},
		spoil: onData(accounts, func(a object) { a["suspension_reason"] = nil })},
	{name: "a suspension has no effect", breaks: []int{171}, rewrite: skip("/suspend")},
	{name: "a reactivation has no effect", breaks: []int{172}, rewrite: skip("/reactivate")},
	{name: "closing has no effect", breaks: []int{175, 176, 177}, rewrite: skip("/close")},
	{name: "closing deletes", breaks: []int{175, 176, 180}, rewrite: onStep("/close", func(in *inFlight) {
		in.method, in.path = http.MethodDelete, strings.TrimSuffix(in.path, "/close")
	})},
	{name: "a closed account can be changed", breaks: []int{154, 168, 176},
		spoil: on(http.MethodPatch, accounts, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a closed account can be suspended", only: 176, spoil: forgive("/suspend")},
	{name: "closing cancels the subscriptions", only: 180, rewrite: onStep("/close", func(in *inFlight) {
		for _, subscription := range in.proxy.all(subscriptions, "billing_account_id", in.parent()) {
			in.proxy.ask(http.MethodPost, subscriptions+"/"+subscription["id"].(string)+"/cancel", object{})
		}
	})},
	{name: "closing with subscriptions is rejected", breaks: []int{180}, rewrite: onStep("/close", func(in *inFlight) {
		if len(in.proxy.all(subscriptions, "billing_account_id", in.parent())) > 0 {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "only customers are deleted", breaks: []int{168, 181, 182, 233}, rewrite: func(in *inFlight) {
		if in.method == http.MethodDelete && !strings.HasPrefix(in.path, "/v1/customers") {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
	{name: "an external_id can never be used again", breaks: []int{154, 177, 229, 298}, rewrite: func(in *inFlight) {
		external, _ := in.sent["external_id"].(string)
		if external != "" && len(in.proxy.all(accounts, "external_id", external))+
			len(in.proxy.all(subscriptions, "external_id", external)) > 0 {
			in.status = http.StatusUnprocessableEntity
		}
	}},
}

// on changes requests of that method below a path, or their responses.
func on(method, path string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == method && in.sent != nil && strings.HasPrefix(in.path, path) {
			act(in)
		}
	}
}

// onStep changes requests whose path has that suffix, or their responses.
func onStep(suffix string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && strings.HasSuffix(in.path, suffix) {
			act(in)
		}
	}
}

// skip acknowledges a step without executing it.
func skip(suffix string) func(*inFlight) {
	return onStep(suffix, func(in *inFlight) {
		in.method, in.path = http.MethodGet, strings.TrimSuffix(in.path, suffix)
	})
}

// forgive acknowledges a rejected step as successful.
func forgive(suffix string) func(*inFlight) {
	return onStep(suffix, func(in *inFlight) {
		if in.status == http.StatusUnprocessableEntity {
			in.status = http.StatusOK
		}
	})
}

// forget removes fields from every request below a path.
func forget(path string, fields ...string) func(*inFlight) {
	return func(in *inFlight) {
		for _, field := range fields {
			if strings.HasPrefix(in.path, path) {
				delete(in.sent, field)
			}
		}
	}
}

// onPayer changes the customer of a new account.
func onPayer(act func(object)) func(*inFlight) {
	return on(http.MethodPost, accounts, func(in *inFlight) {
		if customer, ok := in.sent["customer"].(object); ok {
			act(customer)
		}
	})
}

// onData changes every returned object below a path, single or listed.
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
