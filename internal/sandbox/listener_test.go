package sandbox_test

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestListener forwards the deliveries of one endpoint to a plain local address, as they are sent to any other.
func TestListener(t *testing.T) {
	t.Parallel()
	app := hook.Start(t)
	app.Respond(hook.Status(503, ""))
	plain := httptest.NewServer(app)
	defer plain.Close()
	server := start(t, sandbox.Options{Start: morning})
	c, control := collect(t, server), call(t, server)
	control.base, control.token = server.ControlURL(), server.ControlToken()

	for address, want := range map[string]string{
		"ftp://localhost": "write it like http://localhost:3000/hooks", "localhost:3000": "write it like",
		"http://169.254.169.254/": "nor in a private network", "http://8.8.8.8/": "nor in a private network",
		"http://a:b@localhost/": "credentials",
	} {
		r := control.do("POST", "/listeners", `{"forward_to":"`+address+`"}`).want(422)
		if !strings.Contains(r.text("error", "message"), want) {
			t.Errorf("%s: %s", address, r.body)
		}
	}
	made := control.do("POST", "/listeners", `{"forward_to":"`+plain.URL+`/hooks?a=b","events":["charge.paid"]}`).want(200)
	path := endpointsPath + "/" + made.text("id")
	other := control.do("POST", "/listeners", `{"forward_to":"`+plain.URL+`"}`).want(200)
	test := c.do("POST", endpointsPath+"/"+other.text("id")+"/test", "").want(202)
	settle(t, server)
	app.Take()
	if shown := c.do("GET", path, ""); shown.text("data", "url") != "https://listen-1.sandbox.example/" ||
		other.text("url") != "https://listen-2.sandbox.example/" || strings.Contains(string(shown.body), plain.URL) {
		t.Errorf("the endpoint is %s", shown.body)
	}
	control.do("DELETE", "/listeners/"+other.text("id"), "").want(200)
	kept := control.do("GET", "/deliveries/"+test.text("data", "deliveryId"), "").want(200)
	if kept.json("removed") != "true" || kept.text("url") != other.text("url") {
		t.Errorf("the delivery of an ended listener: %s", kept.body)
	}
	c.endpoint(`{"url":"` + made.text("url") + `"}`) // of somebody who knows the name

	control.do("POST", "/events", `{"event":"charge.paid"}`).want(200)
	got := app.Take()
	if len(got) != 1 || got[0].Path != "/hooks" || !got[0].SignedWith(made.text("secret")) ||
		got[0].Header.Get("X-Webhook-Event") != "charge.paid" {
		t.Fatalf("received %+v", got)
	}
	app.Respond(hook.Status(200, ""))
	server.Clock().Advance(4 * time.Minute)
	settle(t, server)
	if again := app.Take(); len(again) != 1 || again[0].Body != got[0].Body {
		t.Errorf("sent again: %+v", again)
	}
	all := server.Deliveries()
	if first, stranger := all[1].State, all[2].State; first.Status != "success" || stranger.Attempts != 2 ||
		!strings.Contains(stranger.LastError, "reserved for documentation") {
		t.Errorf("deliveries %+v", all)
	}

	c.do("PATCH", path, `{"url":"https://hooks.example.com/"}`).want(200)
	control.do("DELETE", "/listeners/"+made.text("id"), "").want(404)
	c.do("PATCH", path, `{"url":"`+made.text("url")+`"}`).want(200)
	control.do("POST", "/events", `{"event":"charge.paid"}`).want(200)
	if after := app.Take(); len(after) != 0 {
		t.Errorf("an endpoint that had another URL since is forwarded: %+v", after)
	}
	audit := string(control.do("GET", "/audit?type=endpoint", "").body)
	if !strings.Contains(audit, `"cause":"command","action":"listen"`) {
		t.Errorf("the end of the listener is not in the audit trail: %s", audit)
	}
}

// TestRemovedEndpointKeepsItsDeliveries shows with what they were sent, and why they cannot be sent again.
func TestRemovedEndpointKeepsItsDeliveries(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(500, "no"))
	server := start(t, reaching(erp))
	c, control := collect(t, server), call(t, server)
	control.base, control.token = server.ControlURL(), server.ControlToken()
	path, _ := c.endpoint(`{"url":"` + erp.URL + `/in"}`)
	test := c.do("POST", path+"/test", "").want(202)
	settle(t, server)
	delivery := "/deliveries/" + test.text("data", "deliveryId")
	resend := func(status int, want string) {
		t.Helper()
		if r := control.do("POST", delivery+"/resend", "").want(status); !strings.Contains(string(r.body), want) {
			t.Errorf("resend: %s, want %q", r.body, want)
		}
	}
	resend(200, `"status":"failed"`)
	c.do("PATCH", path, `{"active":false}`).want(200)
	resend(409, "inactive. Activate it first")
	c.do("PATCH", path, `{"active":true}`).want(200)
	erp.Respond(hook.Status(200, ""))
	resend(200, `"status":"success"`)
	resend(409, "The status of this delivery is success: only a failed or exhausted one can be sent again")
	sent := erp.Take()
	if entry := string(control.do("GET", "/audit?type=delivery", "").body); strings.Count(entry, `"deliveries resend"`) != 2 {
		t.Errorf("audit trail %s", entry)
	}

	c.do("DELETE", path, "").want(204)
	resend(409, "has been removed, so nothing can be sent to it")
	shown := control.do("GET", delivery, "").want(200)
	requestID, signature := test.header.Get("Request-Id"), "X-Webhook-Signature"
	if shown.json("removed") != "true" || shown.text("url") != erp.URL+"/in" || shown.text("payload") != sent[0].Body ||
		shown.text("cause") != "request" || shown.text("request_id") != requestID ||
		shown.text("state", "trail", 0, "request_headers", signature) != sent[0].Header.Get(signature) {
		t.Errorf("the delivery of a removed endpoint: %s", shown.body)
	}
	control.do("GET", "/deliveries/none", "").want(404)
	control.do("POST", "/deliveries/none/resend", "").want(404)
}

// A listener ends with the process that serves it: after a restart its endpoint would deliver every event once more.
func TestListenersEndWithTheServer(t *testing.T) {
	t.Parallel()
	options := sandbox.Options{Start: morning, StateFile: filepath.Join(t.TempDir(), "state.db")}
	server := start(t, options)
	control := call(t, server)
	control.base, control.token = server.ControlURL(), server.ControlToken()
	control.do("POST", "/listeners", `{"forward_to":"http://localhost:1"}`).want(200)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	again := start(t, options)
	if total := collect(t, again).do("GET", endpointsPath, "").json("meta", "total"); total != "0" {
		t.Errorf("%s endpoints", total)
	}
}
