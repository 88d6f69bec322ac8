package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Answers that only a fault brings about.
func TestAnsweringFaults(t *testing.T) {
	t.Parallel()
	ahead := time.Now().Add(time.Hour)
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
			return err == nil && at.After(ahead.Add(-2*time.Second)) && at.Before(ahead.Add(time.Minute))
		}},
		"503":        {sandbox.Fault{Status: 503}, 503, func(r result) bool { return r.text("error", "code") == "service_unavailable" }},
		"own code":   {sandbox.Fault{Status: 422, Code: "teapot"}, 422, func(r result) bool { return r.text("error", "code") == "teapot" }},
		"HTML":       {sandbox.Fault{Status: 502, HTML: true}, 502, isPage},
		"HTML 200":   {sandbox.Fault{HTML: true}, 200, isPage},
		"empty":      {sandbox.Fault{Status: 500, Empty: true}, 500, func(r result) bool { return len(r.body) == 0 }},
		"given body": {sandbox.Fault{Body: `{"data":null}`}, 200, func(r result) bool { return string(r.body) == `{"data":null}` }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{})
			c := call(t, server)
			server.AddFault(test.fault)
			r := c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(test.status)
			if !test.check(r) || r.header.Get("Request-Id") == "" {
				t.Errorf("answer %v %s", r.header, r.body)
			}
			server.ClearFaults()
			if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "0" {
				t.Errorf("the faulty request was processed: total %s", got)
			}
		})
	}
}

func isPage(r result) bool {
	return strings.HasPrefix(r.header.Get("Content-Type"), "text/html") && strings.HasPrefix(string(r.body), "<!DOCTYPE html>")
}

// Faults after which a client cannot know what has happened.
func TestFaultsAroundProcessing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault     sandbox.Fault
		fails     func(result, error) bool
		processed string
	}{
		"dropped before": {sandbox.Fault{DropBefore: true}, func(_ result, err error) bool { return errors.Is(err, io.EOF) }, "0"},
		"dropped after":  {sandbox.Fault{DropAfter: true}, func(_ result, err error) bool { return errors.Is(err, io.EOF) }, "1"},
		"truncated": {sandbox.Fault{TruncateBody: true}, func(r result, err error) bool {
			return errors.Is(err, io.ErrUnexpectedEOF) && r.status == 201 && len(r.body) > 0
		}, "1"},
		"503 after": {sandbox.Fault{Status: 503, After: true}, func(r result, err error) bool { return err == nil && r.status == 503 }, "1"},
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
				t.Errorf("answer %d %s, error %v", r.status, r.body, err)
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
		{"operation=customers.create,times=1,status=503,retry-after=2", sandbox.Fault{Operation: "customers.create", Status: 503, Times: 1, RetryAfter: "2"}},
		{"method=POST,path=/v1/c,skip=3,drop=before", sandbox.Fault{Method: "POST", PathPrefix: "/v1/c", Skip: 3, DropBefore: true}},
		{"drop=after", sandbox.Fault{DropAfter: true}},
		{"latency=2s,truncate", sandbox.Fault{Latency: 2 * time.Second, TruncateBody: true}},
		{"status=500,after,html", sandbox.Fault{Status: 500, After: true, HTML: true}},
		{"status=500,code=x,empty", sandbox.Fault{Status: 500, Code: "x", Empty: true}},
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
	for spec, says := range map[string]string{
		"": "does nothing", "times=1": "does nothing", "status=99": "200 to 599", "status=x": "200 to 599", "latency=2": "duration",
		"drop=now": "before or after", "operation=customers.creat,status=500": "customers.create", "times=-1,status=500": "from 0 up",
		"stat=500": "no key", "status": "needs a value", "html=yes": "takes no value",
		"statsu=500": "did you mean status?", "nothing=1": "a fault is KEY=VALUE", "method=PSOT,drop=after": "one of GET, POST",
		"operation=webhook_endpoint.get,status=500": "did you mean webhook_endpoints.get?", "operation=refunds,status=500": "names are such as me.get",
	} {
		if _, err := sandbox.ParseFault(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want a word of %q", spec, err, says)
		}
	}
}
