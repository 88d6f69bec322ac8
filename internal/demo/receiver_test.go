package demo

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
)

// arrives [-again] EVENT STATUS waits for the next delivery of an event to which the receiver responds with a status;
// with -again it must be the second attempt of the delivery before.
func arrives(ts *testscript.TestScript, _ bool, args []string) {
	c, event, status := of(ts), args[len(args)-2], args[len(args)-1]
	for began := time.Now(); time.Since(began) < patience; time.Sleep(5 * time.Millisecond) {
		got := c.receiver.Got()
		next := slices.IndexFunc(got[c.arrived:], func(d hook.Delivery) bool {
			return d.Header.Get("X-Webhook-Event") == event && strconv.Itoa(d.Status) == status
		})
		if next < 0 {
			continue
		}
		c.arrived += next + 1
		all := got[:c.arrived]
		about := func(back int) string { return all[len(all)-back].Header.Get("X-Webhook-Event-Id") }
		attempt := all[len(all)-1].Header.Get("X-Webhook-Attempt")
		if args[0] == "-again" && (about(1) != about(2) || attempt != "2") {
			ts.Fatalf("attempt %s of %s is not the second one of %s", attempt, about(1), about(2))
		}
		return
	}
	ts.Fatalf("the delivery did not arrive")
}

// changed returns the delivery with an additional space in its body.
func changed(d hook.Delivery) hook.Delivery {
	d.Body = strings.Replace(d.Body, "{", "{ ", 1)
	return d
}

// trust SECRET makes the receiver reject deliveries that are not signed with a secret. The first secret must match the
// latest delivery.
func trust(ts *testscript.TestScript, _ bool, args []string) {
	c, secret := of(ts), args[0]
	got := c.receiver.Got()
	if d := got[len(got)-1]; !c.trusting && (!d.SignedWith(secret) || changed(d).SignedWith(secret)) {
		ts.Fatalf("the receiver does not distinguish a genuine event from a changed one")
	}
	c.trusting = true
	c.receiver.Respond(func(w http.ResponseWriter, d hook.Delivery) {
		status := http.StatusOK
		if !d.SignedWith(secret) {
			status = http.StatusUnauthorized
		}
		w.WriteHeader(status)
	})
}

// received FILE first|last|changed... writes deliveries as the variable "received" of the example: the first, the last,
// or a modified copy of the last.
func received(ts *testscript.TestScript, _ bool, args []string) {
	got := of(ts).receiver.Got()
	last := got[len(got)-1]
	which := map[string]hook.Delivery{"first": got[0], "last": last, "changed": changed(last)}
	var all []map[string]any
	for _, name := range args[1:] {
		d := which[name]
		at, _ := d.Signature()
		all = append(all, map[string]any{"signature": d.Header.Get("X-Webhook-Signature"), "body": d.Body,
			"at": json.Number(at)})
	}
	content, err := json.Marshal(map[string]any{"received": all})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}
