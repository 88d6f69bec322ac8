package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestRespondingFaults are the responses that only a fault causes.
func TestRespondingFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  sandbox.Fault
		status int
		check  func(r result) bool
	}{
		"429 without Retry-After": {sandbox.Fault{Status: 429}, 429, func(r result) bool {
			return r.text("error", "code") == "rate_limited" && r.header.Values("Retry-After") == nil
		}},
		"429 with seconds": {sandbox.Fault{Status: 429, RetryAfter: "2"}, 429, func(r result) bool {
			return r.header.Get("Retry-After") == "2"
		}},
		"429 with a date": {sandbox.Fault{Status: 429, RetryAfter: "date:1h"}, 429, func(r result) bool {
			at, err := http.ParseTime(r.header.Get("Retry-After"))
			sent, dateErr := http.ParseTime(r.header.Get("Date"))
			return err == nil && dateErr == nil && at.Sub(sent) == time.Hour // by the same clock
		}},
		"503": {sandbox.Fault{Status: 503}, 503,
			func(r result) bool { return r.text("error", "code") == "service_unavailable" }},
		"own code": {sandbox.Fault{Status: 422, Code: "teapot"}, 422,
			func(r result) bool { return r.text("error", "code") == "teapot" }},
		"empty": {sandbox.Fault{Status: 500, Empty: true}, 500, func(r result) bool { return len(r.body) == 0 }},
		"given body": {sandbox.Fault{Body: `{"data":null}`}, 200,
			func(r result) bool { return string(r.body) == `{"data":null}` }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{Start: time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)})
			c := call(t, server)
			server.AddFault(test.fault)
			r := c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(test.status)
			if !test.check(r) || r.header.Get("Request-Id") == "" {
				t.Errorf("response %v %s", r.header, r.body)
			}
			server.ClearFaults()
			if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "0" {
				t.Errorf("the faulty request was processed: total %s", got)
			}
		})
	}
}

// Faults after which a client cannot know what has happened.
func TestFaultsAroundProcessing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault     sandbox.Fault
		fails     func(result, error) bool
		processed string
	}{
		"dropped before": {sandbox.Fault{DropBefore: true}, func(_ result, err error) bool { return errors.Is(err, io.EOF) },
			"0"},
		"dropped after": {sandbox.Fault{DropAfter: true}, func(_ result, err error) bool { return errors.Is(err, io.EOF) },
			"1"},
		"truncated": {sandbox.Fault{TruncateBody: true}, func(r result, err error) bool {
			return errors.Is(err, io.ErrUnexpectedEOF) && r.status == 201 && len(r.body) > 0
		}, "1"},
		"503 after": {sandbox.Fault{Status: 503, After: true}, func(r result, err error) bool {
			return err == nil &&
				r.status == 503
		}, "1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{})
			c := call(t, server)
			test.fault.Operation, test.fault.Times = "customers.create", 1
			server.AddFault(test.fault)
			r, err := c.try("POST", "/v1/customers", `{"name":"Ana"}`)
			if !test.fails(r, err) {
				t.Errorf("return %d %s, error %v", r.status, r.body, err)
			}
			if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != test.processed {
				t.Errorf("total %s, want %s", got, test.processed)
			}
		})
	}
}

// Which requests a fault hits.
func TestFaultMatching(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	statuses := func(path string, n int) (got []int) {
		for range n {
			got = append(got, c.do("GET", path, "").status)
		}
		return got
	}
	want := func(got []int, want ...int) {
		t.Helper()
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("statuses %v, want %v", got, want)
			}
		}
	}
	server.AddFault(sandbox.Fault{Operation: "customers.list", Status: 500, Skip: 1, Times: 2})
	want(statuses("/v1/me", 1), 200)
	want(statuses("/v1/customers", 4), 200, 500, 500, 200)

	server.AddFault(sandbox.Fault{Method: "POST", Status: 500})
	server.AddFault(sandbox.Fault{PathPrefix: "/v1/billing", Status: 502})
	want(statuses("/v1/customers", 1), 200)
	want(statuses("/v1/billing-accounts", 2), 502, 502)
	c.do("POST", "/v1/customers", "{}").want(500)
	server.ClearFaults()
	want(statuses("/v1/billing-accounts", 1), 200)

	server.AddFault(sandbox.Fault{Status: 500, Times: 1})
	server.AddFault(sandbox.Fault{Status: 502, Times: 1})
	want(statuses("/v1/me", 3), 500, 502, 200)
}

func TestLatencyDelaysAndServes(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	server.AddFault(sandbox.Fault{Latency: time.Millisecond, Times: 1})
	call(t, server).do("GET", "/v1/me", "").want(200)
	if log := server.Requests(); len(log) != 1 || log[0].Fault == "" {
		t.Errorf("log %+v", log)
	}
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec string
		want sandbox.Fault
	}{
		{"operation=customers.create,times=1,status=503,retry-after=2", sandbox.Fault{Operation: "customers.create",
			Status: 503, Times: 1, RetryAfter: "2"}},
		{"method=POST,path=/v1/c,skip=3,drop=before", sandbox.Fault{Method: "POST", PathPrefix: "/v1/c", Skip: 3,
			DropBefore: true}},
		{"drop=after", sandbox.Fault{DropAfter: true}},
		{"latency=2s,truncate", sandbox.Fault{Latency: 2 * time.Second, TruncateBody: true}},
		{"status=500,after,empty", sandbox.Fault{Status: 500, After: true, Empty: true}},
		{"status=500,code=x,empty", sandbox.Fault{Status: 500, Code: "x", Empty: true}},
		{"operation=customers.get,lag=1m0s", sandbox.Fault{Operation: "customers.get", Lag: time.Minute}},
		{"path=/v1/c,times=2,other", sandbox.Fault{PathPrefix: "/v1/c", Times: 2, Other: true}},
		{"status=404,foreign=html", sandbox.Fault{Status: 404, Foreign: "html"}},
		{"skip=4,silent", sandbox.Fault{Skip: 4, Silent: true}},
		{"status=503,outage=1m30s", sandbox.Fault{Status: 503, Outage: 90 * time.Second}},
		{"clock=-24h0m0s", sandbox.Fault{Clock: -24 * time.Hour}},
		{"status=503,retry-after=date:30s", sandbox.Fault{Status: 503, RetryAfter: "date:30s"}},
		{"times=1,outage=24h0m0s", sandbox.Fault{Times: 1, Outage: 24 * time.Hour}},
		{`body={"a":1,"b":2}`, sandbox.Fault{Body: `{"a":1,"b":2}`}},
	}
	for _, test := range tests {
		got, err := sandbox.ParseFault(test.spec)
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", test.spec, got, err)
		}
		if got.String() != test.spec {
			t.Errorf("%s is written as %s", test.spec, got)
		}
	}
	for spec, want := range map[string]time.Duration{"clock=-1d": -24 * time.Hour, "clock=1d12h": 36 * time.Hour} {
		if got, err := sandbox.ParseFault(spec); err != nil || got.Clock != want {
			t.Errorf("%s: %+v, %v", spec, got, err)
		}
	}
	for spec, says := range map[string]string{
		"": "does nothing", "times=1": "does nothing", "status=99": "200 to 599", "status=x": "200 to 599",
		"latency=2": "duration", "drop=now": "before or after", "operation=customers.creat,status=500": "customers.create",
		"times=-1,status=500": "from 1 up", "times=0,status=500": "from 1 up", "status=500,status=503": "given twice",
		"skip=-1,silent": "from 0 up", "drop=before,drop=after": "given twice", "after,status=500,after": "given twice",
		"lag=2m": "at most 1m0s", "lag=0s": "duration",
		"foreign=xml": "one of empty, error, flat, html, json", "outage=-1s": "duration", "clock=soon": "24h or -90s",
		"clock=1h,times=2": "no other key", "clock=0s": "24h or -90s", "drop": "before or after",
		"silent=1": "takes no value", "stat=500": "no key",
		"status": "needs a value", "empty=yes": "takes no value", "statsu=500": "did you mean status?",
		"nothing=1": "keys are operation, ", "method=PSOT,drop=after": "one of GET, POST",
		"operation=webhook_endpoint.get,status=500": "did you mean webhook_endpoints.get?",
		"operation=refunds,status=500":              "\"refunds\"; \"billing-sandbox operations\" lists all",
		"operation=endpoints.rot,status=500":        "rotate_secret? \"billing-sandbox operations\" lists all",
		"operation=,status=500": "did you mean me.get, customers.list, customers.create, customers.get, " +
			"customers.update?",
		"path=v1,status=500": "begin with /", "retry-after=foo,status=429": "seconds, or date:30s",
		"retry-after=date:foo,status=429": "seconds, or date:30s", "retry-after=-1,status=429": "seconds, or date:30s",
		"retry-after=,status=429": "seconds, or date:30s",
	} {
		if _, err := sandbox.ParseFault(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want a word of %q", spec, err, says)
		}
	}
}

// A GET that lags shows neither a new object nor a change nor a deletion, alone and
// in a list; a write is judged by what there is.
func TestLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testLag)
}

func testLag(t *testing.T) {
	server, c := inMemory(t)
	old, gone := c.create(`{"name":"Ana","external_id":"ana"}`), c.create(`{"name":"Rui"}`)
	time.Sleep(2100 * time.Millisecond)
	server.AddFault(sandbox.Fault{Lag: 2 * time.Second})
	c.do("PATCH", "/v1/customers/"+old, `{"name":"Eva"}`).want(200)
	c.do("DELETE", "/v1/customers/"+gone, "").want(200)
	added := c.create(`{"name":"Zoe"}`)
	c.do("POST", "/v1/customers", `{"name":"Ana","external_id":"ana"}`).refuses("external_id_taken")
	if got := c.do("GET", "/v1/customers/"+old, "").want(200).text("data", "name"); got != "Ana" {
		t.Errorf("the old version is %q", got)
	}
	c.do("GET", "/v1/customers/"+gone, "").want(200)
	c.do("GET", "/v1/customers/"+added, "").want(404)
	if got := c.do("GET", "/v1/customers?sort_by=name&sort_order=asc", "").names("name"); strings.Join(got,
		" ") != "Ana Rui" {
		t.Errorf("listed are %v", got)
	}
	time.Sleep(2100 * time.Millisecond)
	if got := c.do("GET", "/v1/customers?sort_by=name&sort_order=asc", "").names("name"); strings.Join(got,
		" ") != "Eva Zoe" {
		t.Errorf("listed are then %v", got)
	}
}

// A GET of one object gets another one of its type, once there is one.
func TestOther(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	server.AddFault(sandbox.Fault{Other: true})
	billing, finance, collections := call(t, server), call(t, server), call(t, server)
	finance.base, finance.token = server.FinanceURL(), server.FinanceToken()
	collections.base, collections.token = server.CollectionsURL(), server.CollectionsKey()
	for _, test := range []struct {
		c          caller
		path, body string
	}{
		{finance, "/v1/notes", `{"text":"x"}`},
		{collections, "/api/v1/webhook-endpoints", `{"url":"https://hooks.example.com/x"}`},
	} {
		first := test.c.do("POST", test.path, test.body).want(201).text("data", "id")
		if got := test.c.do("GET", test.path+"/"+first, "").text("data", "id"); got != first {
			t.Errorf("%s: the only object is returned as %s", test.path, got)
		}
		second := test.c.do("POST", test.path, test.body).want(201).text("data", "id")
		if got := test.c.do("GET", test.path+"/"+first, "").text("data", "id"); got != second {
			t.Errorf("%s: returned is %s, want %s", test.path, got, second)
		}
	}
	first, second := billing.create(`{"name":"Ana"}`), billing.create(`{"name":"Rui"}`)
	if got := billing.do("GET", "/v1/customers/"+first, "").text("data", "id"); got != second {
		t.Errorf("returned is %s, want %s", got, second)
	}
	billing.do("PATCH", "/v1/customers/"+first, `{"name":"Eva"}`).holds(map[string]string{"id": `"` + first + `"`})
	billing.do("GET", "/v1/me", "").want(200)
	for _, r := range server.Requests() {
		if single := strings.HasSuffix(r.Operation, ".get") && r.Operation != "me.get"; single != (r.Fault != "") {
			t.Errorf("%s meets the fault %q", r.Operation, r.Fault)
		}
	}
}

// A response that is not the service's has no Request-Id, and a body of its kind.
func TestForeign(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	for _, kind := range sandbox.ForeignKinds() {
		server.AddFault(sandbox.Fault{Foreign: kind, Times: 1})
		r := c.do("GET", "/v1/customers", "").want(404)
		if r.header.Get("Request-Id") != "" || (len(r.body) == 0) != (kind == "empty") ||
			strings.Contains(string(r.body), "<html>") != (kind == "html") ||
			(r.header.Get("Content-Type") == "application/json") == (kind == "html" || kind == "empty") {
			t.Errorf("%s: %v %s", kind, r.header, r.body)
		}
	}
	server.AddFault(sandbox.Fault{Foreign: "json", Status: 502, Times: 1})
	c.do("GET", "/v1/customers", "").want(502)
	c.do("GET", "/v1/customers", "").want(200)
}

// The connections that are open go silent, with either protocol, and new ones work.
func TestSilent(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{HTTP2: http2})
			c := call(t, server)
			transport := c.client.Transport.(*http.Transport)
			transport.DisableKeepAlives, transport.ForceAttemptHTTP2 = false, http2
			c.client.Timeout = 500 * time.Millisecond
			c.do("GET", "/v1/me", "").want(200)
			server.AddFault(sandbox.Fault{Operation: "customers.list", Silent: true})
			var waited interface{ Timeout() bool }
			for _, path := range []string{"/v1/customers", "/v1/me"} {
				if _, err := c.try("GET", path, ""); !errors.As(err, &waited) || !waited.Timeout() {
					t.Errorf("%s on a silent connection: %v", path, err)
				}
				if !http2 {
					break // a client of HTTP/1.1 has thrown the connection away
				}
			}
			transport.CloseIdleConnections()
			call(t, server).do("GET", "/v1/customers", "").want(200)
		})
	}
}

// An outage begins with the request that the fault hits, concerns all services, ends automatically, and is in force
// until then.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"connections": 0, "status": 503} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{})
			c, other := call(t, server), call(t, server)
			other.base = server.FinanceURL()
			server.AddFault(sandbox.Fault{Outage: time.Hour, Status: status, Skip: 1, Times: 2})
			c.do("GET", "/v1/me", "").want(200)
			for _, away := range []caller{c, other, c} {
				if r, err := away.try("GET", "/v1/me", ""); (err == nil) != (status != 0) || err == nil && r.status != status {
					t.Errorf("responded with %d, %v", r.status, err)
				}
				if running := server.Faults(); len(running) != 1 || running[0].Times != 1 ||
					running[0].Outage <= 0 || running[0].Outage > time.Hour {
					t.Errorf("in force: %v", running)
				}
			}
			server.ClearFaults()
			synctest.Test(t, func(t *testing.T) {
				server, c := inMemory(t)
				server.AddFault(sandbox.Fault{Outage: time.Minute, Status: status})
				for range 2 {
					if r, err := c.try("GET", "/v1/me", ""); err == nil && r.status != status {
						t.Errorf("responded with %d", r.status)
					}
					time.Sleep(30 * time.Second)
				}
				c.do("GET", "/v1/me", "").want(200)
			})
		})
	}
}

// The clock of the service differs from this machine's until the faults are cleared.
func TestClockFault(t *testing.T) {
	t.Parallel()
	standing := time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)
	server := start(t, sandbox.Options{Start: standing})
	c := call(t, server)
	server.AddFault(sandbox.Fault{Clock: -24 * time.Hour})
	r := c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(201)
	for _, text := range []string{r.header.Get("Date"), r.text("data", "customer", "created_at")} {
		at, err := http.ParseTime(text)
		if err != nil {
			at, err = time.Parse(time.RFC3339, text)
		}
		if apart := time.Until(at); err != nil || apart < -24*time.Hour-time.Minute || apart > -24*time.Hour {
			t.Errorf("%s is %s away, %v", text, apart, err)
		}
	}
	server.ClearFaults()
	if got := server.Clock().Now(); !got.Equal(standing) {
		t.Errorf("the clock is then at %s", got)
	}
}
