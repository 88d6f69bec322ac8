package demo

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
)

// receiver is a consumer of webhooks. It accepts every delivery, and after trust only those signed with that secret.
type receiver struct {
	*hook.Receiver
	secret string // of the last trust
	passed int    // number of deliveries that arrives has processed
}

// startReceiver writes the certificate, for names below example.com, to a file.
func startReceiver(t *testing.T, certificate string) (*receiver, error) {
	t.Helper()
	r := &receiver{Receiver: hook.Start(t)}
	return r, os.WriteFile(certificate, r.PEM(), 0o600)
}

// next returns the next delivery with a response.
func (r *receiver) next() (hook.Delivery, bool) {
	if got := r.Got(); r.passed < len(got) && got[r.passed].Status != 0 {
		r.passed++
		return got[r.passed-1], true
	}
	return hook.Delivery{}, false
}

// latest returns the last result of next.
func (r *receiver) latest() hook.Delivery {
	if r.passed == 0 {
		return hook.Delivery{}
	}
	return r.Got()[r.passed-1]
}

// changed returns the delivery with an additional space in its body.
func changed(d hook.Delivery) hook.Delivery {
	d.Body = strings.Replace(d.Body, "{", "{ ", 1)
	return d
}

// arrives [-again] EVENT STATUS waits for the next delivery of an event to which the receiver responds with a status;
// with -again it must be the second attempt of the previous one.
func arrives(ts *testscript.TestScript, _ bool, args []string) {
	const eventID, attempt = "X-Webhook-Event-Id", "X-Webhook-Attempt"
	r, again := of(ts).receiver, args[0] == "-again"
	event, status := args[len(args)-2], args[len(args)-1]
	for began := time.Now(); time.Since(began) < patience; time.Sleep(5 * time.Millisecond) {
		before := r.latest().Header.Get(eventID)
		for d, come := r.next(); come; d, come = r.next() {
			if d.Header.Get("X-Webhook-Event") != event || strconv.Itoa(d.Status) != status {
				continue
			}
			if again && (d.Header.Get(eventID) != before || d.Header.Get(attempt) != "2") {
				ts.Fatalf("attempt %s of %s is not the second one of %s", d.Header.Get(attempt), d.Header.Get(eventID), before)
			}
			ts.Logf("%s, attempt %s, signed %s", event, d.Header.Get(attempt), d.Header.Get("X-Webhook-Signature"))
			return
		}
	}
	ts.Fatalf("the delivery did not arrive")
}

// trust SECRET makes the receiver verify deliveries with a secret. The first secret must match the latest delivery.
func trust(ts *testscript.TestScript, _ bool, args []string) {
	r, secret := of(ts).receiver, args[0]
	got := r.Got()
	if d := got[len(got)-1]; r.secret == "" && (!d.SignedWith(secret) || changed(d).SignedWith(secret)) {
		ts.Fatalf("the receiver does not distinguish a genuine event from a changed one")
	}
	r.secret = secret
	r.Respond(func(w http.ResponseWriter, d hook.Delivery) {
		if !d.SignedWith(secret) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}

// received FILE first|last|changed... writes deliveries as the variable "received" of the example: the first, the last,
// or a modified copy of the last.
func received(ts *testscript.TestScript, _ bool, args []string) {
	r := of(ts).receiver
	var all []map[string]any
	for _, which := range args[1:] {
		d := r.latest()
		switch which {
		case "first":
			d = r.Got()[0]
		case "changed":
			d = changed(d)
		}
		at, _ := d.Signature()
		all = append(all, map[string]any{"signature": d.Header.Get("X-Webhook-Signature"), "body": d.Body,
			"at": json.Number(at)})
	}
	content, err := json.Marshal(map[string]any{"received": all})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}
