package sandbox_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
)

// A clock that jumps over several attempts finds each made at its own time.
func TestClockJumpsOverAttempts(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(func(w http.ResponseWriter, _ hook.Delivery) {
		w.Header().Set("Location", "/moved")
		w.WriteHeader(http.StatusFound)
	})
	server := start(t, reaching(erp))
	c := collect(t, server)
	path, _ := c.endpoint(`{"url":"` + erp.URL + `"}`)
	c.do("POST", path+"/test", "").want(202)
	settle(t, server)
	server.Clock().Advance(30 * time.Minute)
	settle(t, server)
	var at []string
	for _, w := range erp.Take() {
		at = append(at, w.Header.Get("X-Webhook-Timestamp")[11:19]+" "+w.Path)
	}
	if want := []string{"09:00:00 /", "09:04:00 /", "09:12:00 /", "09:28:00 /"}; !slices.Equal(at, want) {
		t.Errorf("attempts at %v, want %v: redirects are not followed", at, want)
	}
	erp.Respond(hook.Status(http.StatusAccepted, ""))
	server.Clock().Advance(time.Hour)
	settle(t, server)
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 0, "status") != "success" ||
		got.json("data", 0, "attempts") != "5" ||
		got.text("data", 0, "deliveredAt") != "2026-05-04T10:00:00.000Z" || got.json("data", 0, "lastError") != "null" {
		t.Errorf("in the end %s", got.body)
	}
}

// Collections §3: endpoints that are inactive or removed, and manual redelivery.
func TestInactiveEndpointsAndRedelivery(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusInternalServerError, ""))
	server := start(t, reaching(erp))
	c := collect(t, server)
	path, _ := c.endpoint(`{"url":"` + erp.URL + `"}`)
	retry := path + "/deliveries/" + c.do("POST", path+"/test", "").want(202).text("data", "deliveryId") + "/retry"
	settle(t, server)

	other, _ := c.endpoint(`{"url":"` + erp.URL + `"}`)
	c.do("POST", other+strings.TrimPrefix(retry, path), "").want(404)
	c.do("DELETE", other, "").want(204)

	c.do("PATCH", path, `{"active":false}`).want(200)
	if r := c.do("POST", retry, "").want(409); r.text("error", "code") != "ENDPOINT_INACTIVE" {
		t.Errorf("retry on an inactive endpoint: %s", r.body)
	}
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 0, "status") != "failed" {
		t.Errorf("a refused retry changed %s", got.body)
	}
	c.do("POST", path+"/test", "").want(202)
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 1, "status") != "exhausted" ||
		got.json("data", 1, "attempts") != "0" || got.text("data", 1, "lastError") == "" {
		t.Errorf("a test event on an inactive endpoint: %s", got.body)
	}
	server.Clock().Advance(4 * time.Minute)
	settle(t, server)
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 0, "status") != "exhausted" ||
		got.json("data", 0, "attempts") != "1" {
		t.Errorf("at the time of its retry: %s", got.body)
	}
	first := erp.Take()

	c.do("PATCH", path, `{"active":true}`).want(200)
	erp.Respond(hook.Status(http.StatusOK, ""))
	restarted := c.do("POST", retry, "").want(202)
	for field, want := range map[string]string{"status": `"pending"`, "attempts": "0", "httpCode": "null",
		"lastError": "null", "nextRetryAt": "null"} {
		if restarted.json("data", field) != want {
			t.Errorf("restarted with %s %s, want %s", field, restarted.json("data", field), want)
		}
	}
	settle(t, server)
	again := erp.Take()
	if len(first) != 1 || len(again) != 1 || again[0].Header.Get("X-Webhook-Attempt") != "1" ||
		again[0].Header.Get("X-Webhook-Event-Id") != first[0].Header.Get("X-Webhook-Event-Id") ||
		again[0].Body != first[0].Body {
		t.Errorf("redelivered %+v after %+v", again, first)
	}
	if r := c.do("POST", retry, "").want(409); r.text("error", "code") != "DELIVERY_NOT_FAILED" {
		t.Errorf("retry of a success: %s", r.body)
	}

	erp.Respond(hook.Status(http.StatusInternalServerError, ""))
	gone, _ := c.endpoint(`{"url":"` + erp.URL + `"}`)
	c.do("POST", gone+"/test", "").want(202)
	settle(t, server)
	c.do("DELETE", gone, "").want(204)
	server.Clock().Advance(time.Hour)
	settle(t, server)
	all := server.Deliveries()
	if last := all[len(all)-1]; last.State.Status != "exhausted" || last.State.Attempts != 1 || !last.Removed ||
		last.URL != erp.URL {
		t.Errorf("delivery of a removed endpoint: %+v", last)
	}
}

// Collections §3 and §5: a name that has come to lead inside ends the delivery for
// good, and nothing is sent.
func TestRebinding(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	table := names{"hooks.example.com": "8.8.8.8"}
	o := reaching(erp)
	o.AllowLoopbackReceivers, o.Resolver = false, table
	server := start(t, o)
	c := collect(t, server)
	path, _ := c.endpoint(`{"url":"` + erp.At("hooks.example.com") + `/"}`)
	table["hooks.example.com"] = "127.0.0.1"
	c.do("POST", path+"/test", "").want(202)
	settle(t, server)
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 0, "status") != "exhausted" ||
		got.json("data", 0, "nextRetryAt") != "null" ||
		!strings.Contains(got.text("data", 0, "lastError"), "internal network") {
		t.Errorf("delivery %s", got.body)
	}
	if got := erp.Take(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}

// A restart over the same state continues with what is due, and opens what it has
// sealed; nothing of that lies readable in the file.
func TestPipelineSurvivesRestart(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusBadGateway, ""))
	o := reaching(erp)
	o.StateFile = filepath.Join(t.TempDir(), "state.db")
	first := start(t, o)
	c := collect(t, first)
	path, created := c.endpoint(`{"url":"` + erp.URL +
		`","authentication":{"type":"basic","username":"ana","password":"p4ss-in-clear"}}`)
	c.do("POST", path+"/test", "").want(202)
	settle(t, first)
	erp.Take()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	erp.Respond(hook.Status(http.StatusOK, ""))
	o.Start = morning.Add(24 * time.Hour)
	second := start(t, o)
	settle(t, second)
	got := erp.Take()
	if len(got) != 1 || got[0].Header.Get("X-Webhook-Attempt") != "2" ||
		got[0].Header.Get("Authorization") != "Basic YW5hOnA0c3MtaW4tY2xlYXI=" {
		t.Fatalf("after the restart %+v", got)
	}
	if at, _ := got[0].Signature(); !got[0].SignedWith(created.text("data", "secret")) ||
		at != strconv.FormatInt(o.Start.Unix(), 10) {
		t.Errorf("after the restart signed %s", got[0].Header.Get("X-Webhook-Signature"))
	}
	if r := collect(t, second).do("GET", path+"/deliveries", "").want(200); r.text("data", 0, "status") != "success" {
		t.Errorf("after the restart %s", r.body)
	}
}

// Close does not wait for a consumer that does not respond, and the delivery is
// not lost.
func TestCloseBreaksOffDeliveries(t *testing.T) {
	t.Parallel()
	reached, release := make(chan struct{}), make(chan struct{})
	erp := hook.Start(t)
	erp.Respond(func(http.ResponseWriter, hook.Delivery) { close(reached); <-release })
	defer close(release)
	server := start(t, reaching(erp))
	c := collect(t, server)
	path, _ := c.endpoint(`{"url":"` + erp.URL + `"}`)
	c.do("POST", path+"/test", "").want(202)
	<-reached
	if got := c.do("GET", path+"/deliveries", ""); got.text("data", 0, "status") != "pending" {
		t.Errorf("while the consumer thinks: %s", got.body)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if left := server.Deliveries(); left[0].State.Status != "pending" || !left[0].State.Open() {
		t.Errorf("left %+v", left[0])
	}
}

// A consumer that does not respond delays the other deliveries of its endpoint, and none of another one.
func TestSlowConsumerDelaysOnlyItself(t *testing.T) {
	t.Parallel()
	reached, release, other := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	erp := hook.Start(t)
	erp.Respond(func(_ http.ResponseWriter, d hook.Delivery) {
		if d.Path == "/other" {
			close(other)
			return
		}
		reached <- struct{}{}
		<-release
	})
	server := start(t, reaching(erp))
	c := collect(t, server)
	slow, _ := c.endpoint(`{"url":"` + erp.URL + `/slow"}`)
	quick, _ := c.endpoint(`{"url":"` + erp.URL + `/other"}`)
	c.do("POST", slow+"/test", "").want(202)
	<-reached
	c.do("POST", slow+"/test", "").want(202)
	c.do("POST", quick+"/test", "").want(202)
	<-other
	if n := len(reached); n != 0 {
		t.Errorf("%d more deliveries to an endpoint whose consumer has not responded", n)
	}
	close(release)
	settle(t, server)
	if n := len(reached); n != 1 {
		t.Errorf("%d deliveries after the response, want 1", n)
	}
}
