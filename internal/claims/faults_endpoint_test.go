package claims_test

import (
	"maps"
	"net/http"
	"path"
	"strings"
)

const (
	hooks    = "/api/v1/webhook-endpoints"
	hook     = hooks + "/*"
	hookStep = hook + "/*"
	records  = hook + "/deliveries"
	redo     = records + "/*/retry"
	keys     = "/api/v1/api-keys"
	oneKey   = keys + "/*"
	rotation = oneKey + "/rotate"
)

var endpointFaults = []fault{
	{name: "an endpoint is created with 200", breaks: []int{501},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a created endpoint without updatedAt", breaks: []int{501},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { deleteAt(in.got, "data.updatedAt") })},
	{name: "a new endpoint is inactive", breaks: []int{502},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { setDefault(sent, "active", false) })},
	{name: "a new endpoint has all current events", only: 502,
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { setDefault(sent, "events", []any{"charge.paid"}) })},
	{name: "a secret without its prefix", breaks: []int{503, 512},
		spoil: onCall(http.MethodPost, hooks, trimSecret, hookStep)},
	{name: "the same secret for all", breaks: []int{503, 512},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { setAt(in.got, "data.secret", "whsec_same") }, hookStep)},
	{name: "reads omit the description", breaks: []int{505, 508},
		spoil: onCall(http.MethodGet, hook, func(in *inFlight) { deleteAt(in.got, "data.description") })},
	{name: "lists omit the description", only: 505, spoil: onCall(http.MethodGet, hooks, func(in *inFlight) {
		for _, endpoint := range items(at(in.got, "data")) {
			delete(endpoint, "description")
		}
	})},
	{name: "credentials are returned", breaks: []int{505, 506, 508, 510}, spoil: onCall(http.MethodGet, hook, func(in *inFlight) {
		setAt(in.got, "data.authentication", in.proxy.withheld[at(in.got, "data.id")])
	})},
	{name: "the user name is not returned", only: 506,
		spoil: onCall("", hook, func(in *inFlight) { deleteAt(in.got, "data.authentication.username") })},
	{name: "the header's name is not returned", breaks: []int{505, 506, 510},
		spoil: onCall("", hook, func(in *inFlight) { deleteAt(in.got, "data.authentication.name") })},
	{name: "400 for an invalid value at collections", breaks: []int{521},
		spoil: whenStatus(422, 422, func(in *inFlight) { in.status = 400 })},
	{name: "updates ignore active", breaks: []int{508, 614, 647},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "active") })},
	{name: "updates clear missing fields", only: 508,
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { setDefault(sent, "description", nil) })},
	{name: "null does not clear the description", only: 509, rewrite: onSent(http.MethodPatch, hook, func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "an empty list does not clear the events", breaks: []int{509},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) {
			if list, ok := sent["events"].([]any); ok && len(list) == 0 {
				delete(sent, "events")
			}
		})},
	{name: "an authentication is merged", only: 510, rewrite: onCall(http.MethodPatch, hook, func(in *inFlight) {
		if in.sent["authentication"] != nil {
			in.sent["authentication"] = merge(in.proxy.withheld[in.id()], in.sent["authentication"])
		}
	})},
	{name: "a rotation keeps the secret", breaks: []int{512, 514, 587}, rewrite: onCall(http.MethodPost, hook+"/rotate-secret",
		func(in *inFlight) {
			in.status, in.got = http.StatusOK,
				object{"data": merge(in.proxy.one(in.parentPath()), object{"secret": in.proxy.secrets[in.parent()]})}
		})},
	{name: "a rotation omits the secret", breaks: []int{512}, spoil: onCall(http.MethodPost, hook+"/rotate-secret",
		func(in *inFlight) { deleteAt(in.got, "data.secret") })},
	{name: "a deletion returns a body", breaks: []int{513},
		spoil: onCall(http.MethodDelete, hook, func(in *inFlight) {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		})},
	{name: "a deleted endpoint stays", breaks: []int{514}, rewrite: onCall(http.MethodDelete, hook,
		func(in *inFlight) { in.status = http.StatusNoContent })},
}

// addressFaults accept other schemes, or return another error code.
var addressFaults = []fault{
	{name: "http is accepted", only: 521, rewrite: onSent(http.MethodPost, hooks, func(sent object) {
		if address, _ := sent["url"].(string); strings.HasPrefix(address, "http:") {
			sent["url"] = "https://example.com/in"
		}
	})},
	{name: "another code for addresses", breaks: []int{521},
		spoil: whenStatus(422, 422, func(in *inFlight) { setAt(in.got, "error.code", "invalid_url") })},
}

// onCall changes calls of that method, or of any method if it is empty, with one of the paths, if the status is below
// 300.
func onCall(method, form string, act func(*inFlight), more ...string) func(*inFlight) {
	return func(in *inFlight) {
		if method != "" && in.method != method || in.status >= 300 {
			return
		}
		for _, form := range append([]string{form}, more...) {
			if fits, err := path.Match(form, in.path); err == nil && fits {
				in.proxy.mu.Lock()
				defer in.proxy.mu.Unlock()
				act(in)
				return
			}
		}
	}
}

// onSent changes the bodies of calls with that method and path.
func onSent(method, form string, act func(object)) func(*inFlight) {
	return onCall(method, form, func(in *inFlight) {
		if in.sent != nil {
			act(in.sent)
		}
	})
}

func setDefault(sent object, field string, value any) {
	if _, is := sent[field]; !is {
		sent[field] = value
	}
}

func trimSecret(in *inFlight) {
	if secret, ok := at(in.got, "data.secret").(string); ok {
		setAt(in.got, "data.secret", strings.TrimPrefix(secret, "whsec_"))
	}
}

// partly removes an invalid field from a request, and refusePartly rejects the request after the rest was processed.
func partly(field string) func(*inFlight) {
	return func(in *inFlight) {
		if _, is := in.sent[field]; is {
			delete(in.sent, field)
			in.mark = "partly " + field
		}
	}
}

func refusePartly(field string) func(*inFlight) {
	return func(in *inFlight) {
		if in.mark == "partly "+field {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{field: "no"}}}}
		}
	}
}
