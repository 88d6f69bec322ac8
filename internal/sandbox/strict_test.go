package sandbox_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// What is not a request of an operation, and queries.
func TestRejectedRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c, finance := call(t, server), book(t, server)
	untyped, form := c, c
	untyped.contentType, form.contentType = "", "application/x-www-form-urlencoded"
	escaped := func(name string) string { return url.Values{name: {"a"}}.Encode() }
	for name, test := range map[string]struct {
		caller
		request, body string
		status        int
		code, field   string
	}{
		"no content type":    {untyped, "GET /v1/me", "", 400, "unsupported_content_type", ""},
		"other content type": {form, "POST /v1/customers", "name=Ana", 400, "unsupported_content_type", ""},
		"not JSON":           {c, "POST /v1/customers", `{"name":`, 400, "malformed_request", ""},
		"not UTF-8":          {c, "POST /v1/customers", "{\"name\":\"S\xe3o\"}", 400, "malformed_request", ""},
		"a member twice":     {c, "POST /v1/customers", `{"name":"Ana","tags":[{"a":1,"a":2}]}`, 400, "malformed_request", ""},
		"two values":         {c, "POST /v1/customers", `{"name":"Ana"} {}`, 400, "malformed_request", ""},
		"empty body":         {c, "POST /v1/customers", ``, 400, "malformed_request", ""},
		"no object":          {c, "POST /v1/customers", `["Ana"]`, 400, "malformed_request", ""},
		"no object, finance": {finance, "POST /v1/notes", `[]`, 400, "malformed_request", ""},
		"too large": {c, "POST /v1/customers", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "body_too_large",
			""},
		"no such route":      {c, "GET /v1/customer", "", 404, "route_not_found", ""},
		"empty id":           {c, "GET /v1/customers/", "", 404, "route_not_found", ""},
		"escaped slash":      {c, "GET /v1/customers/a%2Fb", "", 404, "not_found", ""},
		"no collection":      {finance, "GET /v1/9", "", 404, "route_not_found", ""},
		"long collection":    {finance, "POST /v1/" + strings.Repeat("a", 65), "{}", 404, "route_not_found", ""},
		"no such method":     {c, "PUT /v1/customers", "{}", 405, "method_not_allowed", ""},
		"a changed key":      {collect(t, server), "PATCH " + keysPath + "/x", "{}", 405, "method_not_allowed", ""},
		"no such parameter":  {c, "GET /v1/me?page=1", "", 422, "validation_error", "page"},
		"repeated parameter": {c, "GET /v1/customers?page=1&page=2", "", 422, "validation_error", "page"},
		"malformed query":    {c, "GET /v1/customers?search=%zz", "", 400, "malformed_request", ""},
		"page":               {c, "GET /v1/customers?page=x", "", 400, "malformed_request", "page"},
		"per_page":           {c, "GET /v1/customers?per_page=1.5", "", 400, "malformed_request", "per_page"},
		"empty per_page":     {c, "GET /v1/customers?per_page=", "", 400, "malformed_request", "per_page"},
		"sort_order":         {c, "GET /v1/customers?sort_order=up", "", 422, "validation_error", "sort_order"},
		"sort_by":            {c, "GET /v1/customers?sort_by=shoe_size", "", 422, "validation_error", "sort_by"},
		"updated_at_gte":     {c, "GET /v1/customers?updated_at_gte=soon", "", 422, "validation_error", "updated_at_gte"},
		"unknown filter":     {c, "GET /v1/customers?status=active", "", 422, "validation_error", "status"},
		"sorted endpoints":   {collect(t, server), "GET " + endpointsPath + "?sort_by=url", "", 422, "validation_error", "sort_by"},
		"limit 0":            {finance, "GET /v1/notes?limit=0", "", 400, "malformed_request", "limit"},
		"limit 101":          {finance, "GET /v1/notes?limit=101", "", 400, "malformed_request", "limit"},
		"limit text":         {finance, "GET /v1/notes?limit=%201", "", 400, "malformed_request", "limit"},
		"cursor":             {finance, "GET /v1/notes?cursor=", "", 400, "invalid_cursor", ""},
		"operator":           {finance, "GET /v1/notes?" + escaped("name[near]"), "", 400, "malformed_request", "name[near]"},
		"operator twice":     {finance, "GET /v1/notes?" + escaped("name[gte][lte]"), "", 400, "malformed_request", "name[gte][lte]"},
		"filter name":        {finance, "GET /v1/notes?" + escaped("9lives"), "", 400, "malformed_request", "9lives"},
		"filter repeated":    {finance, "GET /v1/notes?name=a&n%61me=a", "", 422, "validation_error", "name"},
	} {
		method, path, _ := strings.Cut(test.request, " ")
		r := test.do(method, path, test.body)
		if r.status != test.status || r.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, r.status, r.body, test.status, test.code)
			continue
		}
		if test.field != "" && r.text("error", "details", "fields", test.field) == "" {
			t.Errorf("%s: %s blames no %s", name, r.body, test.field)
		}
	}
	if r := c.do("HEAD", "/v1/customers", ""); r.status != 405 || r.header.Get("Allow") != "GET, POST" {
		t.Errorf("HEAD: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
	for _, key := range []string{"1", "5f0c3a52-9b1e-1d7a-8c46-2e9d1b7f0a83", "5f0c3a52-9b1e-4d7a-cc46-2e9d1b7f0a83",
		"00000000-0000-0000-0000-000000000000", "{5f0c3a52-9b1e-4d7a-8c46-2e9d1b7f0a83}"} {
		if r := finance.keyed("notes", `{"name":"a"}`, key); r.status != 400 ||
			r.text("error", "code") != "invalid_idempotency_key" {
			t.Errorf("key %q: %d %s", key, r.status, r.body)
		}
	}
	if got := finance.walk("/v1/notes", ""); got != "" {
		t.Errorf("rejected requests created notes %s", got)
	}
}
