package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §1: every response carries Request-Id.
func TestRequestIDIsOnEveryResponse(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	etag := c.do("GET", "/v1/me", "").header.Get("ETag")
	server.AddFault(sandbox.Fault{Operation: "customers.delete", Status: 503})
	responses := map[string]result{
		"200": c.do("GET", "/v1/me", ""),
		"201": c.do("POST", "/v1/customers", `{"name":"Ana"}`),
		"304": c.do("GET", "/v1/me", "", "If-None-Match", etag),
		"400": c.do("POST", "/v1/customers", `{`),
		"401": c.with("").do("GET", "/v1/me", ""),
		"404": c.do("GET", "/v1/nothing", ""),
		"405": c.do("PUT", "/v1/me", ""),
		"422": c.do("POST", "/v1/customers", `{}`),
		"503": c.do("DELETE", "/v1/customers/x", ""),
	}
	var ids []string
	for status, r := range responses {
		if fmt.Sprint(r.status) != status {
			t.Errorf("status %d, want %s", r.status, status)
		}
		id := r.header.Get("Request-Id")
		if !anUUID.MatchString(id) || slices.Contains(ids, id) {
			t.Errorf("%s: Request-Id %q is no fresh UUID", status, id)
		}
		ids = append(ids, id)
	}
}

// Recurring billing §1 and §7: what is not a request of an operation.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	untyped, form := c, c
	untyped.contentType, form.contentType = "", "application/x-www-form-urlencoded"
	utf8 := c
	utf8.contentType = "application/json; charset=utf-8"
	utf8.do("GET", "/v1/me", "").want(200)
	tests := map[string]struct {
		got    result
		status int
		code   string
	}{
		"no content type":    {untyped.do("GET", "/v1/me", ""), 400, "unsupported_content_type"},
		"other content type": {form.do("POST", "/v1/customers", "name=Ana"), 400, "unsupported_content_type"},
		"not JSON":           {c.do("POST", "/v1/customers", `{"name":`), 400, "malformed_request"},
		"two values":         {c.do("POST", "/v1/customers", `{"name":"Ana"} {}`), 400, "malformed_request"},
		"empty body":         {c.do("POST", "/v1/customers", ``), 400, "malformed_request"},
		"no object":          {c.do("POST", "/v1/customers", `["Ana"]`), 400, "malformed_request"},
		"too large": {c.do("POST", "/v1/customers", `{"name":"`+strings.Repeat("a", 1<<20)+`"}`), 413,
			"body_too_large"},
		"no such route":      {c.do("GET", "/v1/customer", ""), 404, "route_not_found"},
		"empty id":           {c.do("GET", "/v1/customers/", ""), 404, "route_not_found"},
		"escaped slash":      {c.do("GET", "/v1/customers/a%2Fb", ""), 404, "not_found"},
		"no such method":     {c.do("PUT", "/v1/customers", "{}"), 405, "method_not_allowed"},
		"no such parameter":  {c.do("GET", "/v1/me?page=1", ""), 422, "validation_error"},
		"repeated parameter": {c.do("GET", "/v1/customers?page=1&page=2", ""), 422, "validation_error"},
		"malformed query":    {c.do("GET", "/v1/customers?search=%zz", ""), 400, "malformed_request"},
	}
	for name, test := range tests {
		test.got.t = t
		if test.got.status != test.status || test.got.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, test.got.status, test.got.body, test.status, test.code)
		}
	}
	if r := c.do("HEAD", "/v1/customers", ""); r.status != 405 || r.header.Get("Allow") != "GET, POST" {
		t.Errorf("HEAD: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
}

// Recurring billing §1: conditional requests.
func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	c := call(t, server)
	path := "/v1/customers/" + c.create(`{"name":"Ana"}`)
	first := c.do("GET", path, "").want(200)
	etag, modified := first.header.Get("ETag"), first.header.Get("Last-Modified")
	if modified != "Mon, 04 May 2026 12:00:00 GMT" {
		t.Errorf("Last-Modified %q", modified)
	}
	long, stale := "Mon, 04 May 2026 12:00:01 GMT", "Mon, 04 May 2026 11:59:59 GMT"
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"same tag", []string{"If-None-Match", etag}, 304},
		{"weak tag in a list", []string{"If-None-Match", `"other", W/` + etag}, 304},
		{"any tag", []string{"If-None-Match", "*"}, 304},
		{"other tag", []string{"If-None-Match", `"other"`}, 200},
		{"same date", []string{"If-Modified-Since", modified}, 304},
		{"later date", []string{"If-Modified-Since", long}, 304},
		{"earlier date", []string{"If-Modified-Since", stale}, 200},
		{"no date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"tag wins over date", []string{"If-None-Match", `"other"`, "If-Modified-Since", modified}, 200},
	}
	for _, test := range tests {
		r := c.do("GET", path, "", test.headers...)
		if r.status != test.status || (r.status == 304) != (len(r.body) == 0) || r.header.Get("ETag") != etag {
			t.Errorf("%s: %d with %d bytes, ETag %q", test.name, r.status, len(r.body), r.header.Get("ETag"))
		}
	}
	c.do("PATCH", path, `{"notes":"changed"}`).want(200)
	c.do("GET", path, "", "If-None-Match", etag).want(200)
}
