package api

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func TestParseError(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html; charset=utf-8"}
	tests := map[string]struct {
		status int
		header map[string]string
		body   string
		want   Error // Message is compared as a part
	}{
		"documented": {422, nil,
			`{"error":{"code":"validation_error","message":"no good","details":{"fields":{"name":"is empty","emails":["a","b"]}}}}`, Error{Structured: true, Code: "validation_error", Message: "no good", Fields: map[string]string{"name": "is empty", "emails": "a; b"}}},
		"no details": {404, nil, `{"error":{"code":"not_found","message":"gone","details":null}}`,
			Error{Structured: true, Code: "not_found", Message: "gone"}},
		"duplicate": {422, nil,
			`{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"c7"}}}`,
			Error{Structured: true, Code: "external_id_taken", Message: "taken", Field: "external_id", ExistingID: "c7"}},
		"scopes as lists": {403, nil,
			`{"error":{"code":"insufficient_scope","message":"no","details":{"required":["a","b"],"granted":[]}}}`,
			Error{Structured: true, Code: "insufficient_scope", Message: "no", Required: []string{"a", "b"}}},
		"scopes as strings": {403, nil,
			`{"error":{"code":"insufficient_scope","message":"no","details":{"required":"a","granted":"b"}}}`,
			Error{Structured: true, Code: "insufficient_scope", Message: "no", Required: []string{"a"}, Granted: []string{"b"}}},
		"details of another shape": {422, nil, `{"error":{"code":"x","message":"m","details":[1,2]}}`,
			Error{Structured: true, Code: "x", Message: "m"}},
		"fields of another shape": {422, nil,
			`{"error":{"code":"x","message":"m","details":{"fields":["name"],"field":{"a":1},"id":7}}}`,
			Error{Structured: true, Code: "x", Message: "m", Field: `{"a":1}`, ExistingID: "7"}},
		"message of another shape": {422, nil, `{"error":{"code":"x","message":{"en":"m"}}}`,
			Error{Structured: true, Code: "x", Message: `{"en":"m"}`}},
		"flat": {401, nil, `{"error":"token expired","error_code":"unauthorized"}`,
			Error{Structured: true, Code: "unauthorized", Message: "token expired"}},
		"flat without code": {404, nil, `{"error":"Not Found"}`, Error{Message: `"Not Found"`}},
		"a gateway's object": {404, nil, `{"error":{"code":404,"message":"Not found.","status":"NOT_FOUND"}}`,
			Error{Message: "not the service's error object"}},
		"without a code": {404, nil, `{"error":{"message":"Not found."}}`,
			Error{Message: "not the service's error object"}},
		"a gateway's text": {404, nil, `{"message":"no Route matched"}`, Error{Message: `"no Route matched"`}},
		"JSON string":      {500, nil, `"oops"`, Error{Message: "oops"}},
		"empty object":     {500, nil, `{}`, Error{Message: "not the service's error object"}},
		"null":             {500, nil, `null`, Error{Message: "not the service's error object"}},
		"empty body":       {502, nil, ``, Error{Message: "no body"}},
		"HTML with a title": {502, html, "<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body>",
			Error{Message: `HTML page instead of JSON ("502 Bad Gateway")`}},
		"HTML without": {502, nil, `<script>x()</script><h1>Sorry &amp; bye</h1>`, Error{Message: `"Sorry & bye"`}},
		"plain text":   {503, nil, "try\x1b[31m later", Error{Message: `"try [31m later"`}},
		"deep nesting": {500, nil, strings.Repeat(`{"error":`, 5000), Error{Message: "no JSON"}},
		"a secret in it": {400, nil, `{"error":{"code":"x","message":"got whsec_abcdef"}}`,
			Error{Structured: true, Code: "x", Message: "got (masked)"}},
		"redirect": {301, map[string]string{"Location": "https://evil.example/login?token=hush"}, ``,
			Error{Message: "the host evil.example,"}},
		"odd redirect": {302, map[string]string{"Location": "%zz?token=hush"}, ``, Error{Message: "another address"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{"Request-Id": {"r1"}}
			for key, value := range test.header {
				header.Set(key, value)
			}
			got := parseError(test.status, header, []byte(test.body))
			if !strings.Contains(got.Message, test.want.Message) || strings.Contains(got.Message, "hush") {
				t.Errorf("message %q, want %q", got.Message, test.want.Message)
			}
			want := test.want
			want.Message, want.Details, want.Status, want.RequestID = got.Message, got.Details, test.status, "r1"
			want.ContentType = header.Get("Content-Type")
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("got  %+v\nwant %+v", *got, want)
			}
		})
	}
}

// TestDocumentedErrors reads the written-down exchanges that end in an error.
func TestDocumentedErrors(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range evidence.All("billing/") {
		if exchange.Response.Status < 400 {
			continue
		}
		count++
		header := http.Header{}
		for name, value := range exchange.Response.Headers {
			header.Set(name, value)
		}
		e := parseError(exchange.Response.Status, header, exchange.Response.Bytes())
		if e.RequestID != header.Get("Request-Id") || e.Message == "" {
			t.Errorf("%s: %+v", exchange.Name, e)
		}
		if own := exchange.Response.Body != nil; e.Structured != own || (e.Code != "") != own {
			t.Errorf("%s: structured %v, code %q", exchange.Name, e.Structured, e.Code)
		}
		if header.Get("Retry-After") != "" && e.RetryAfter <= 0 {
			t.Errorf("%s: Retry-After %q reads as %s", exchange.Name, header.Get("Retry-After"), e.RetryAfter)
		}
	}
	if count < 5 {
		t.Errorf("only %d exchanges end in an error", count)
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := &Error{
		Service: "billing", Operation: "customers.get", Status: 503, Code: "busy", Message: "later",
		ResourcePath: "/v1/customers/secret-id", RequestID: "r1", Attempts: 5, RetryAt: time.Unix(0, 0),
	}
	want := "billing customers.get: status 503 (Service Unavailable), code busy: later; " +
		"the service asked to wait until 1970-01-01T00:00:00Z, which is longer than this operation may wait (after 5 " +
		"attempts) [Request-Id r1]"
	if got := e.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (&Error{Service: "s", Operation: "o", Status: 299, Attempts: 1}).Error(); got != "s o: status 299" {
		t.Error(got)
	}
}

func TestErrorQuestions(t *testing.T) {
	t.Parallel()
	own := fmt.Errorf("read: %w", &Error{Status: 404, Structured: true, Code: "not_found"})
	bare := &Error{Status: 404}
	route := &Error{Status: 404, Structured: true, Code: "route_not_found"}
	if !IsNotFound(own) || IsNotFound(bare) || IsNotFound(route) || IsNotFound(nil) || IsNotFound(errors.New("404")) {
		t.Error("IsNotFound")
	}
	if !HasCode(own, "not_found") || HasCode(own, "other") || HasCode(errors.New("not_found"), "not_found") {
		t.Error("HasCode")
	}
	if !IsUnauthorized(&Error{Status: 401}) || IsUnauthorized(own) {
		t.Error("IsUnauthorized")
	}
	if _, ok := AsAmbiguous(own); ok {
		t.Error("AsAmbiguous")
	}
}

func FuzzParseError(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `null`, `[]`, `{"error":null}`, `{"error":"x","error_code":"y"}`, `<title>x`, `<<<>>>&#x0;`,
		`{"error":{"code":"c","message":"m","details":{"fields":{"a":null},"field":1,"id":[],"required":"a","granted":{}}}}`,
		"\xff\xfe\x00", strings.Repeat("[", 10000), `{"error":{"code":"\u0000\n","message":"\u2028"}}`,
	} {
		f.Add(404, "application/json", []byte(seed))
		f.Add(302, seed, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		header := http.Header{"Content-Type": {contentType}, "Location": {contentType}, "Request-Id": {contentType},
			"Retry-After": {contentType}}
		e := parseError(status, header, body)
		text := e.Error()
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q is not one clean line", text)
		}
		if len(e.Message) > 5*maxMessageRunes {
			t.Errorf("the message has %d bytes", len(e.Message))
		}
		if e.Structured && e.Code == "" && strings.TrimSpace(text) == "" {
			t.Error("structured without a code")
		}
	})
}

// TestTokenIsMaskedEverywhere: wherever the service repeats our own token, and however it writes it, no error shows it,
// nor a part of it.
func TestTokenIsMaskedEverywhere(t *testing.T) {
	t.Parallel()
	escaped := strings.ReplaceAll(testToken, "_", `\u005f`)
	long := strings.Repeat("x", maxMessageRunes-5) + testToken
	for name, s := range map[string]step{
		"message": refusal(422, `{"error":{"code":"c","message":"`+testToken+`"}}`),
		"escaped": refusal(422, `{"error":{"code":"c","message":"`+escaped+`","details":{"fields":{"`+escaped+`":"`+
			escaped+`"}}}}`),
		"code":     refusal(422, `{"error":{"code":"`+testToken+`","message":"m"}}`),
		"cut":      refusal(422, `{"error":{"code":"c","message":"`+long+`"}}`),
		"cut code": refusal(422, `{"error":{"code":"`+long[maxMessageRunes-maxHintRunes:]+`","message":"m"}}`),
		"details": refusal(422, `{"error":{"code":"c","message":"m","details":{"field":"`+testToken+`","id":"`+
			testToken+`","fields":{"`+testToken+`":["`+testToken+`"]}}}}`),
		"scopes": refusal(403, `{"error":{"code":"c","message":"m","details":{"required":["`+testToken+
			`"],"granted":"`+testToken+`"}}}`),
		"flat": refusal(403, `{"error":"`+testToken+`","error_code":"`+testToken+`"}`),
		"HTML": {status: 403, body: "<title>" + long[maxMessageRunes-maxHintRunes:] + "</title>",
			header: map[string]string{"Content-Type": "text/html"}},
		"HTML with 200": {status: 200, body: "<title>" + long[maxMessageRunes-maxHintRunes:] + "</title>",
			header: map[string]string{"Content-Type": "text/html"}},
		"headers":  {status: 422, header: map[string]string{"Request-Id": testToken, "Content-Type": "text/" + testToken}},
		"redirect": {status: 302, header: map[string]string{"Location": "https://" + testToken + ".example/"}},
	} {
		for _, request := range []Request{getCustomer, createCustomer} {
			watcher := &events{}
			c := newClient(t, play(s), func(cfg *Config) { cfg.Observer = watcher })
			_, err := One[thing](t.Context(), c, request)
			e, ok := AsError(err)
			if !ok {
				t.Fatalf("%s: %v", name, err)
			}
			shown := fmt.Sprintf("%v %+v %s %+v", err, *e, e.Details, watcher.responses[0].RequestID)
			if watcher.responses[0].ResponseBody != nil {
				shown += watcher.responses[0].ResponseBody()
			}
			if strings.Contains(strings.ToLower(shown), strings.ToLower(testToken[:8])) {
				t.Errorf("%s %s: %s", name, request.Operation, shown)
			}
		}
	}
}

// TestNotModified: a 304 to a request without a condition comes from a cache, which is asked to pass the request on.
func TestNotModified(t *testing.T) {
	t.Parallel()
	transport := play(status(304), ok(`{"data":{"id":"c1"}}`))
	if _, err := newClient(t, transport).Do(t.Context(), getCustomer); err != nil {
		t.Error(err)
	}
	if got := transport.seen[1].Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("asked again with Cache-Control %q", got)
	}
	transport = play(status(304))
	_, err := newClient(t, transport).Do(t.Context(), getCustomer)
	if e, ok := AsError(err); !ok || e.Status != 304 || transport.count() != 2 ||
		strings.Contains(err.Error(), "redirect") || !strings.Contains(err.Error(), "a cache") {
		t.Errorf("304 for ever: %v after %d requests", err, transport.count())
	}
}
