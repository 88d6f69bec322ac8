package claims_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

var deliveryFaults = []fault{
	{name: "a test gets 200", breaks: []int{581}, spoil: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a test returns other ids", breaks: []int{581}, spoil: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) { setAt(in.got, "data.eventId", newUUID()) })},
	{name: "nothing is sent", breaks: []int{581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 601, 607, 611, 613, 621,
		622, 641, 648}, deliver: nowhere},
	{name: "a delivery without its event id", breaks: []int{581, 582, 607, 648}, deliver: func(out *sending) {
		out.header.Del("X-Webhook-Event-Id")
	}},
	{name: "attempts are counted from 0", breaks: []int{582, 607, 612}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Attempt", itoa(out.attempt-1))
	}},
	{name: "deliveries are put", breaks: []int{582}, deliver: func(out *sending) { out.method = http.MethodPut }},
	{name: "deliveries are text", breaks: []int{582}, deliver: func(out *sending) {
		setHeader(out, "Content-Type", "text/plain")
	}},
	{name: "the timestamp is a number", breaks: []int{582, 586}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Timestamp", itoa(int(out.at.Unix())))
	}},
	{name: "a sender without a version", breaks: []int{583}, deliver: func(out *sending) {
		setHeader(out, "User-Agent", "faithful")
	}},
	{name: "a sender of version 2.0", breaks: []int{583}, deliver: func(out *sending) {
		setHeader(out, "User-Agent", "faithful/2.0")
	}},
	{name: "no organization in the envelope", breaks: []int{584},
		deliver: onBody("", func(envelope object) { delete(envelope, "organizationId") })},
	{name: "data is null", breaks: []int{584},
		deliver: onBody("webhook.test", func(envelope object) { envelope["data"] = nil })},
	{name: "an envelope without milliseconds", breaks: []int{584},
		deliver: onBody("", func(envelope object) { envelope["timestamp"] = "2025-05-06T14:22:09Z" })},
	{name: "no signature", breaks: []int{585, 586, 587}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", "none")
	}},
	{name: "the signature leaves t out", breaks: []int{585, 587}, deliver: func(out *sending) {
		_, v1, _ := strings.Cut(signed(out.secret, 0, string(out.body)), ",")
		setHeader(out, "X-Webhook-Signature", "t="+itoa(int(out.at.Unix()))+","+v1)
	}},
	{name: "the signature is in capitals", breaks: []int{585}, deliver: func(out *sending) {
		value := signed(out.secret, out.at.Unix(), string(out.body))
		t, v1, _ := strings.Cut(value, ",v1=")
		setHeader(out, "X-Webhook-Signature", t+",v1="+strings.ToUpper(v1))
	}},
	{name: "the body is changed once it is signed", breaks: []int{585, 587}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", signed(out.secret, out.at.Unix(), string(out.body)))
		out.body = append(slices.Clone(out.body), '\n')
	}},
	{name: "t in milliseconds", breaks: []int{586}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Signature", signed(out.secret, out.at.UnixMilli(), string(out.body)))
	}},
	{name: "t of another day", breaks: []int{586}, deliver: func(out *sending) {
		out.at = out.at.Add(-24 * time.Hour)
		setHeader(out, "X-Webhook-Timestamp", moment(out.at))
	}},
	oldSecretFault(),
	{name: "an Authorization in any case", breaks: []int{588}, deliver: func(out *sending) {
		setHeader(out, "Authorization", "Bearer none")
	}},
	{name: "credentials are not sent", breaks: []int{589, 590}, deliver: func(out *sending) {
		out.header.Del("Authorization")
		out.header.Del("X-Gateway-Key")
	}},
	{name: "an update leaves the authentication", breaks: []int{510, 590},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "authentication") })},
	{name: "an update leaves the url", breaks: []int{508, 530, 590},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "url") })},
	{name: "a test goes to every endpoint", breaks: []int{591}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			for _, endpoint := range in.proxy.all(hooks) {
				if endpoint["id"] != in.parent() {
					in.proxy.ask(http.MethodPost, hooks+"/"+endpoint["id"].(string)+"/test", nil)
				}
			}
		})},
	{name: "a test goes where it is wanted", breaks: []int{591}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			endpoint := in.proxy.one(in.parentPath())
			if wanted := texts(endpoint["events"]); len(wanted) > 0 && !slices.Contains(wanted, "webhook.test") {
				in.status, in.got = http.StatusAccepted, object{"data": object{"eventId": newUUID(), "deliveryId": newUUID()}}
			}
		})},
	{name: "inactive endpoints are tested", breaks: []int{592}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			in.proxy.ask(http.MethodPatch, in.parentPath(), object{"active": true})
		})},
	{name: "a test of an inactive endpoint is refused", breaks: []int{592}, rewrite: onCall(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			if in.proxy.one(in.parentPath())["active"] == false {
				in.status = http.StatusConflict
			}
		})},
}

var attemptFaults = []fault{
	{name: "only 200 is a success", breaks: []int{601}, spoil: onRecords(func(record object) {
		if record["httpCode"] == json.Number("201") {
			record["status"] = "failed"
		}
	})},
	{name: "a success without deliveredAt", breaks: []int{601, 606, 611},
		spoil: onRecords(func(record object) { record["deliveredAt"] = nil })},
	{name: "a failure without an error", breaks: []int{602, 603, 604, 608, 612},
		spoil: onRecords(func(record object) { record["lastError"] = "" })},
	{name: "a failure without nextRetryAt", breaks: []int{602, 603, 604, 605, 608, 612},
		spoil: onRecords(func(record object) { record["nextRetryAt"] = nil })},
	{name: "every failure has status 500", breaks: []int{602, 603},
		spoil: onRecords(func(record object) { record["httpCode"] = 500 })},
	{name: "redirects are followed", breaks: []int{603}, deliver: func(out *sending) { out.redirects = true }},
	{name: "no response is code 0", breaks: []int{604}, spoil: onRecords(func(record object) {
		if record["httpCode"] == nil {
			record["httpCode"] = 0
		}
	})},
	{name: "the first retry comes after an hour", breaks: []int{605, 606, 607, 608},
		advance: func(by time.Duration) time.Duration { return by / 15 },
		spoil:   onRecords(func(record object) { move(record, "nextRetryAt", 56*time.Minute) })},
	{name: "the clock of deliveries stands still", breaks: []int{548, 566, 606, 607, 608, 609}, advance: still},
	{name: "a retry without success", breaks: []int{606}, deliver: func(out *sending) {
		if out.attempt > 1 {
			nowhere(out)
		}
	}},
	{name: "a retry is another event", breaks: []int{607},
		deliver: onRetry(func(out *sending) { setHeader(out, "X-Webhook-Event-Id", newUUID()) })},
	{name: "a retry is another delivery", breaks: []int{607},
		deliver: onRetry(func(out *sending) { setHeader(out, "X-Webhook-Delivery-Id", newUUID()) })},
	{name: "a retry is number 1", breaks: []int{607},
		deliver: onRetry(func(out *sending) { setHeader(out, "X-Webhook-Attempt", "1") })},
	{name: "a retry has another body", breaks: []int{607},
		deliver: onRetry(func(out *sending) { out.body = append(slices.Clone(out.body), '\n') })},
	{name: "a retry keeps t", breaks: []int{607}, deliver: onRetry(func(out *sending) { out.at = out.first })},
	{name: "waits do not grow", breaks: []int{608}, advance: faster(5*time.Minute, 4)},
	{name: "waits grow by the first one", breaks: []int{608}, advance: faster(10*time.Minute, 2)},
	{name: "seven attempts", breaks: []int{608}, spoil: onRecords(func(record object) {
		if record["attempts"] == json.Number("7") {
			record["status"], record["nextRetryAt"] = "exhausted", nil
		}
	})},
	{name: "nine attempts", breaks: []int{608}, spoil: onRecords(func(record object) {
		if record["attempts"] == json.Number("8") && record["status"] == "exhausted" {
			record["status"], record["nextRetryAt"] = "failed", record["createdAt"]
		}
	})},
	{name: "an inactive endpoint's delivery stays failed", breaks: []int{609}, spoil: onRecords(func(record object) {
		if record["status"] == "exhausted" {
			record["status"] = "failed"
		}
	})},
}

func itoa(n int) string { return strconv.Itoa(n) }

func setHeader(out *sending, name, value string) { out.header.Set(name, value) }

// nowhere keeps a delivery from its receiver.
func nowhere(out *sending) { out.lost = true }

func still(time.Duration) time.Duration { return 0 }

// faster moves the clock further than it was told, where that is beyond a time.
func faster(beyond, times time.Duration) func(time.Duration) time.Duration {
	return func(by time.Duration) time.Duration {
		if by > beyond {
			return by * times
		}
		return by
	}
}

// onBody acts on the envelope of that event, or of any where it is empty, before
// it is signed.
func onBody(event string, act func(object)) func(*sending) {
	return func(out *sending) {
		if event != "" && event != out.event {
			return
		}
		envelope := decode(out.body).(object)
		act(envelope)
		body, err := json.Marshal(envelope)
		if err != nil {
			panic(err)
		}
		out.body = body
	}
}

// onRetry acts on every attempt after the first.
func onRetry(act func(*sending)) func(*sending) {
	return func(out *sending) {
		if out.attempt > 1 {
			act(out)
		}
	}
}

// onRecords acts on every delivery that a list shows.
func onRecords(act func(object)) func(*inFlight) {
	return onCall(http.MethodGet, records, func(in *inFlight) {
		for _, record := range items(at(in.got, "data")) {
			act(record)
		}
	})
}

// oldSecretFault signs with the first secret of an endpoint for ever.
func oldSecretFault() fault {
	first := map[any]string{}
	return fault{name: "the old secret goes on", breaks: []int{587}, deliver: func(out *sending) {
		if secret, is := first[out.proxy.owners[out.secret]]; is {
			out.secret = secret
		}
	}, spoil: onCall(http.MethodPost, hooks, func(in *inFlight) {
		if secret, ok := at(in.got, "data.secret").(string); ok {
			first[at(in.got, "data.id")] = secret
		}
	})}
}
