package claims_test

import (
	"net/http"
	"slices"
	"strings"
)

var redeliveryFaults = []fault{
	{name: "a redelivery gets 200", breaks: []int{611, 612, 613},
		spoil: onCall(http.MethodPost, redo, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a redelivery does nothing", breaks: []int{611, 612, 613},
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
			in.status, in.got = http.StatusAccepted, object{"data": object{}}
		})},
	{name: "a redelivery is another event", breaks: []int{611},
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Event-Id", newUUID()) })},
	{name: "a redelivery is another delivery", breaks: []int{611},
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Delivery-Id", newUUID()) })},
	{name: "a redelivery has another body", breaks: []int{611},
		deliver: onSecond(func(out *sending) { out.body = append(slices.Clone(out.body), '\n') })},
	{name: "a redelivery goes on counting", breaks: []int{612},
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Attempt", "2") })},
	{name: "exhausted is final", breaks: []int{613}, rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
		list, _, _ := strings.Cut(in.path, "/deliveries/")
		for _, record := range in.proxy.all(list + "/deliveries") {
			if record["id"] == in.parent() && record["status"] == "exhausted" {
				in.status = http.StatusConflict
			}
		}
	})},
	{name: "an inactive endpoint takes redeliveries", breaks: []int{614},
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
			endpoint, _, _ := strings.Cut(in.path, "/deliveries/")
			in.proxy.ask(http.MethodPatch, endpoint, object{"active": true})
		})},
	{name: "another code for an inactive endpoint", breaks: []int{614},
		spoil: whenStatus(409, 409, func(in *inFlight) { setAt(in.got, "error.code", "conflict") })},
	resetFault(),
	{name: "no body of the request is kept", breaks: []int{621},
		spoil: onRecords(func(record object) { record["requestBody"] = nil })},
	{name: "no body of the response is kept", breaks: []int{621},
		spoil: onRecords(func(record object) { record["responseBody"] = nil })},
	{name: "a record without its event id", breaks: []int{611, 621},
		spoil: onRecords(func(record object) { delete(record, "eventId") })},
	{name: "the Authorization is shown", breaks: []int{622},
		spoil: onRecords(func(record object) { setAt(record, "requestHeaders.Authorization", "Bearer x") })},
	{name: "the cookie is shown", breaks: []int{622},
		spoil: onRecords(func(record object) { setAt(record, "responseHeaders.Set-Cookie", []any{"session=1"}) })},
	{name: "the custom header is shown", breaks: []int{622},
		spoil: onRecords(func(record object) { setAt(record, "requestHeaders.X-Gateway-Key", "x") })},
	shownFault("the signature is shown", func(out *sending) string {
		return signed(out.secret, out.at.Unix(), string(out.body))
	}),
	shownFault("the secret is shown", func(out *sending) string { return out.secret }),
	shownFault("the credential is shown", func(out *sending) string { return out.header.Get("Authorization") }),
	{name: "the status of deliveries is ignored", breaks: []int{623}, rewrite: onCall(http.MethodGet, records,
		func(in *inFlight) { in.query.Del("status") })},
	{name: "the event of deliveries is ignored", breaks: []int{623}, rewrite: onCall(http.MethodGet, records,
		func(in *inFlight) { in.query.Del("event") })},
}

var keyEventFaults = []fault{
	{name: "keys make no events", breaks: []int{645, 646, 647}, deliver: func(out *sending) {
		if strings.HasPrefix(out.event, "api_key.") {
			nowhere(out)
		}
	}},
	{name: "every endpoint gets everything", breaks: []int{645},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { sent["events"] = []any{} })},
	{name: "no events named is none wanted", breaks: []int{646},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) {
			if list, _ := sent["events"].([]any); len(list) == 0 {
				sent["events"] = []any{"none"}
			}
		})},
	{name: "an endpoint cannot be made active again", breaks: []int{508, 613, 647},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) {
			if sent["active"] == true {
				delete(sent, "active")
			}
		})},
	{name: "each endpoint has its own event id", breaks: []int{581}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Event-Id", newUUID())
	}},
	{name: "one event id for all", breaks: []int{581}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Event-Id", strangerID)
	}},
	{name: "one delivery id for all", breaks: []int{581}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Delivery-Id", strangerID)
	}},
}

const strangerID = "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10"

// onSecond acts on every request of a delivery after the first, whatever number
// it carries.
func onSecond(act func(*sending)) func(*sending) {
	sent := map[string]bool{}
	return func(out *sending) {
		if sent[out.delivery] {
			act(out)
		}
		sent[out.delivery] = true
	}
}

// resetFault counts from 0 again once a redelivery was asked for.
func resetFault() fault {
	asked := false
	return fault{name: "a refused redelivery resets", breaks: []int{614},
		rewrite: onCall(http.MethodPost, redo, func(*inFlight) { asked = true }),
		spoil: onRecords(func(record object) {
			if asked {
				record["attempts"] = 0
			}
		})}
}

// shownFault shows something of the last sending in every delivery.
func shownFault(name string, what func(*sending) string) fault {
	last := ""
	return fault{name: name, breaks: []int{622}, deliver: func(out *sending) { last = what(out) },
		spoil: onRecords(func(record object) { record["trace"] = last })}
}
