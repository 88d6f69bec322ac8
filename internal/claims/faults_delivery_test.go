package claims_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

var deliveryFaults = []fault{
	{name: "a test returns 200", breaks: []int{581}, spoil: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a test returns other ids", breaks: []int{581}, spoil: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) { setAt(in.got, "data.eventId", uuid.NewString()) })},
	{name: "nothing is sent", breaks: []int{581, 585, 586, 587, 589, 591, 601, 611, 613, 621, 622}, deliver: nowhere},
	{name: "a delivery without its event id", breaks: []int{581}, deliver: func(out *sending) {
		out.header.Del("X-Webhook-Event-Id")
	}},
	{name: "attempts are counted from 0", breaks: []int{612}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Attempt", itoa(out.attempt-1))
	}},
	{name: "the timestamp is a number", only: 586, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Timestamp", itoa(int(out.at.Unix())))
	}},
	{name: "the signature is missing", breaks: []int{585, 586, 587}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", "none")
	}},
	{name: "the signature does not cover t", breaks: []int{585, 587}, deliver: func(out *sending) {
		_, v1, _ := strings.Cut(signed(out.secret, 0, string(out.body)), ",")
		setHeader(out, "X-Webhook-Signature", "t="+itoa(int(out.at.Unix()))+","+v1)
	}},
	{name: "the signature is in upper case", breaks: []int{585}, deliver: func(out *sending) {
		value := signed(out.secret, out.at.Unix(), string(out.body))
		t, v1, _ := strings.Cut(value, ",v1=")
		setHeader(out, "X-Webhook-Signature", t+",v1="+strings.ToUpper(v1))
	}},
	{name: "the body is changed after it is signed", breaks: []int{585, 587}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", signed(out.secret, out.at.Unix(), string(out.body)))
		out.body = append(slices.Clone(out.body), '\n')
	}},
	{name: "t in milliseconds", breaks: []int{586}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", signed(out.secret, out.at.UnixMilli(), string(out.body)))
	}},
	{name: "t is a day off", breaks: []int{586}, deliver: func(out *sending) {
		out.at = out.at.Add(-24 * time.Hour)
		setHeader(out, "X-Webhook-Timestamp", moment(out.at))
	}},
	remembering(oldSecretFault),
	{name: "credentials are not sent", only: 589, deliver: func(out *sending) {
		out.header.Del("Authorization")
		out.header.Del("X-Gateway-Key")
	}},
	{name: "an update ignores the authentication", breaks: []int{510},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "authentication") })},
	{name: "an update ignores the url", breaks: []int{508},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "url") })},
	{name: "a test goes to every endpoint", breaks: []int{591}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			for _, endpoint := range in.proxy.all(hooks) {
				if endpoint["id"] != in.parent() {
					in.proxy.ask(http.MethodPost, hooks+"/"+endpoint["id"].(string)+"/test", nil)
				}
			}
		})},
	{name: "a test goes to endpoints with the event", only: 591, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			endpoint := in.proxy.one(in.parentPath())
			if wanted := texts(endpoint["events"]); len(wanted) > 0 && !slices.Contains(wanted, "webhook.test") {
				in.status = http.StatusAccepted
				in.got = object{"data": object{"eventId": uuid.NewString(), "deliveryId": uuid.NewString()}}
			}
		})},
	{name: "inactive endpoints are tested", breaks: []int{592}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			in.proxy.ask(http.MethodPatch, in.parentPath(), object{"active": true})
		})},
	{name: "a test of an inactive endpoint is rejected", breaks: []int{592}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			if in.proxy.one(in.parentPath())["active"] == false {
				in.status = http.StatusConflict
			}
		})},
}

var attemptFaults = []fault{
	{name: "only 200 is a success", only: 601, spoil: onRecords(func(record object) {
		if record["httpCode"] == json.Number("201") {
			record["status"] = "failed"
		}
	})},
	{name: "a success without deliveredAt", breaks: []int{601, 611},
		spoil: onRecords(func(record object) { record["deliveredAt"] = nil })},
	{name: "a failure without an error", breaks: []int{602, 604, 612},
		spoil: onRecords(func(record object) { record["lastError"] = "" })},
	{name: "a failure without nextRetryAt", breaks: []int{602, 604, 612},
		spoil: onRecords(func(record object) { record["nextRetryAt"] = nil })},
	{name: "every failure has status 500", breaks: []int{601, 602, 604},
		spoil: onRecords(func(record object) { record["httpCode"] = 500 })},
	{name: "code is 0 without a response", only: 604, spoil: onRecords(func(record object) {
		if record["httpCode"] == nil {
			record["httpCode"] = 0
		}
	})},
	{name: "the clock of deliveries is stopped", breaks: []int{334, 336, 338, 339, 548, 566}, advance: still},
}

func itoa(n int) string { return strconv.Itoa(n) }

func setHeader(out *sending, name, value string) { out.header.Set(name, value) }

// nowhere prevents a delivery from reaching its receiver.
func nowhere(out *sending) { out.lost = true }

func still(time.Duration) time.Duration { return 0 }

// onRecords changes every listed delivery.
func onRecords(act func(object)) func(*inFlight) {
	return onCall(http.MethodGet, records, func(in *inFlight) {
		for _, record := range items(at(in.got, "data")) {
			act(record)
		}
	})
}

// oldSecretFault always signs with the first secret of an endpoint.
func oldSecretFault() fault {
	first := map[any]string{}
	return fault{name: "the old secret stays in use", only: 587, deliver: func(out *sending) {
		if secret, is := first[out.proxy.owners[out.secret]]; is {
			out.secret = secret
		}
	}, spoil: onCall(http.MethodPost, hooks, func(in *inFlight) {
		if secret, ok := at(in.got, "data.secret").(string); ok {
			first[at(in.got, "data.id")] = secret
		}
	})}
}

var redeliveryFaults = []fault{
	{name: "a redelivery returns 200", breaks: []int{611, 612, 613},
		spoil: onCall(http.MethodPost, redo, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a redelivery has no effect", breaks: []int{534, 611, 612, 613, 614},
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
			in.status, in.got = http.StatusAccepted, object{"data": object{}}
		})},
	{name: "a redelivery is another event", only: 611,
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Event-Id", uuid.NewString()) })},
	{name: "a redelivery is another delivery", breaks: []int{611},
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Delivery-Id", uuid.NewString()) })},
	{name: "a redelivery has another body", breaks: []int{611},
		deliver: onSecond(func(out *sending) { out.body = append(slices.Clone(out.body), '\n') })},
	{name: "a redelivery keeps counting attempts", only: 612,
		deliver: onSecond(func(out *sending) { setHeader(out, "X-Webhook-Attempt", "2") })},
	{name: "exhausted is final", only: 613, rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
		list, _, _ := strings.Cut(in.path, "/deliveries/")
		for _, record := range in.proxy.all(list + "/deliveries") {
			if record["id"] == in.parent() && record["status"] == "exhausted" {
				in.status = http.StatusConflict
			}
		}
	})},
	{name: "an inactive endpoint accepts redeliveries", only: 614,
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
			endpoint, _, _ := strings.Cut(in.path, "/deliveries/")
			in.proxy.ask(http.MethodPatch, endpoint, object{"active": true})
		})},
	{name: "another code for an inactive endpoint", breaks: []int{570, 571, 614},
		spoil: whenStatus(409, 409, func(in *inFlight) { setAt(in.got, "error.code", "conflict") })},
	remembering(resetFault),
	{name: "the request body is not recorded", only: 621,
		spoil: onRecords(func(record object) { record["requestBody"] = nil })},
	{name: "the response body is not recorded", breaks: []int{621},
		spoil: onRecords(func(record object) { record["responseBody"] = nil })},
	{name: "a record without its event id", breaks: []int{611, 621},
		spoil: onRecords(func(record object) { delete(record, "eventId") })},
	{name: "the Authorization is shown", only: 622,
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
	{name: "the status of deliveries is ignored", only: 623, rewrite: onCall(http.MethodGet, records,
		func(in *inFlight) { in.query.Del("status") })},
	{name: "the event of deliveries is ignored", breaks: []int{623}, rewrite: onCall(http.MethodGet, records,
		func(in *inFlight) { in.query.Del("event") })},
}

var keyEventFaults = []fault{
	{name: "keys cause no events", breaks: []int{645, 646, 647}, deliver: func(out *sending) {
		if strings.HasPrefix(out.event, "api_key.") {
			nowhere(out)
		}
	}},
	{name: "every endpoint receives all events", breaks: []int{501, 645},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { sent["events"] = []any{} })},
	{name: "no events means none", breaks: []int{502, 646},
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
		setHeader(out, "X-Webhook-Event-Id", uuid.NewString())
	}},
	{name: "the same event id for all", breaks: []int{581}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Event-Id", strangerID)
	}},
	{name: "the same delivery id for all", only: 581, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Delivery-Id", strangerID)
	}},
}

const strangerID = "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10"

// onSecond changes every request of a delivery after the first, regardless of its attempt number.
func onSecond(act func(*sending)) func(*sending) {
	return func(out *sending) {
		if out.repeated {
			act(out)
		}
	}
}

// resetFault resets the attempts of a delivery to 0 when its redelivery is requested.
func resetFault() fault {
	asked := map[any]bool{}
	return fault{name: "a rejected redelivery resets the attempts", breaks: []int{612, 614},
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) { asked[in.parent()] = true }),
		spoil: onRecords(func(record object) {
			if asked[record["id"]] {
				record["attempts"] = 0
			}
		})}
}

// shownFault adds a part of the last sent delivery to every listed delivery.
func shownFault(name string, what func(*sending) string) fault {
	return remembering(func() fault {
		last := ""
		return fault{name: name, breaks: []int{622}, deliver: func(out *sending) { last = what(out) },
			spoil: onRecords(func(record object) { record["trace"] = last })}
	})
}
