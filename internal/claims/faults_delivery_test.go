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
	{name: "nothing is sent", breaks: []int{581, 585, 586, 587, 589, 590, 591, 601, 611, 613, 621, 622}, deliver: nowhere},
	{name: "a delivery without its event id", breaks: []int{581}, deliver: func(out *sending) {
		out.header.Del("X-Webhook-Event-Id")
	}},
	{name: "attempts are counted from 0", breaks: []int{612}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Attempt", itoa(out.attempt-1))
	}},
	{name: "the timestamp is a number", breaks: []int{586}, deliver: func(out *sending) {
		setHeader(out, "X-Webhook-Timestamp", itoa(int(out.at.Unix())))
	}},
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
	{name: "credentials are not sent", breaks: []int{589, 590}, deliver: func(out *sending) {
		out.header.Del("Authorization")
		out.header.Del("X-Gateway-Key")
	}},
	{name: "an update leaves the authentication", breaks: []int{510, 590},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "authentication") })},
	{name: "an update leaves the url", breaks: []int{508, 590},
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
	{name: "a success without deliveredAt", breaks: []int{601, 611},
		spoil: onRecords(func(record object) { record["deliveredAt"] = nil })},
	{name: "a failure without an error", breaks: []int{602, 604, 612},
		spoil: onRecords(func(record object) { record["lastError"] = "" })},
	{name: "a failure without nextRetryAt", breaks: []int{602, 604, 612},
		spoil: onRecords(func(record object) { record["nextRetryAt"] = nil })},
	{name: "every failure has status 500", breaks: []int{602},
		spoil: onRecords(func(record object) { record["httpCode"] = 500 })},
	{name: "no response is code 0", breaks: []int{604}, spoil: onRecords(func(record object) {
		if record["httpCode"] == nil {
			record["httpCode"] = 0
		}
	})},
	{name: "the clock of deliveries stands still", breaks: []int{548, 566}, advance: still},
}

func itoa(n int) string { return strconv.Itoa(n) }

func setHeader(out *sending, name, value string) { out.header.Set(name, value) }

// nowhere keeps a delivery from its receiver.
func nowhere(out *sending) { out.lost = true }

func still(time.Duration) time.Duration { return 0 }

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
