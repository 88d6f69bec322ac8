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
	if _, ok := AsAmbiguous(own); ok {
		t.Error("AsAmbiguous")
	}
	if !IsNotList(&Error{Field: "page"}) || !IsNotList(&Error{Fields: map[string]string{"page": "x"}}) ||
		!IsNotList(&Error{noList: true}) || IsNotList(&Error{Field: "name"}) || IsNotList(errors.New("page")) {
		t.Error("IsNotList")
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

// TestSecretsAreMaskedEverywhere: wherever a response repeats the token of this service or of another one, and however
// it writes it, no error shows it, nor a part of it.
func TestSecretsAreMaskedEverywhere(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{testToken, testToken + "_of_another", "key_of_collections"} {
		escaped := strings.ReplaceAll(secret, "_", `\u005f`)
		long := strings.Repeat("x", maxMessageRunes-5) + secret
		html := map[string]string{"Content-Type": "text/html"}
		for name, s := range map[string]step{
			"message": rejection(422, `{"error":{"code":"c","message":"`+secret+`"}}`),
			"escaped": rejection(422, `{"error":{"code":"c","message":"`+escaped+`","details":{"fields":{"`+escaped+`":"`+
				escaped+`"}}}}`),
			"code":     rejection(422, `{"error":{"code":"`+secret+`","message":"m"}}`),
			"cut":      rejection(422, `{"error":{"code":"c","message":"`+long+`"}}`),
			"cut code": rejection(422, `{"error":{"code":"`+long[maxMessageRunes-maxHintRunes:]+`","message":"m"}}`),
			"details": rejection(422, `{"error":{"code":"c","message":"m","details":{"field":"`+secret+`","id":"`+
				secret+`","fields":{"`+secret+`":["`+secret+`"]}}}}`),
			"scopes": rejection(403, `{"error":{"code":"c","message":"m","details":{"required":["`+secret+
				`"],"granted":"`+secret+`"}}}`),
			"flat":          rejection(403, `{"error":"`+secret+`","error_code":"`+secret+`"}`),
			"foreign":       rejection(400, `{"message":"`+secret+`"}`),
			"HTML":          {status: 403, body: "<title>" + long[maxMessageRunes-maxHintRunes:] + "</title>", header: html},
			"HTML with 200": {status: 200, body: "<title>" + long[maxMessageRunes-maxHintRunes:] + "</title>", header: html},
			"headers":       {status: 422, header: map[string]string{"Request-Id": secret, "Content-Type": "text/" + secret}},
			"redirect":      {status: 302, header: map[string]string{"Location": "https://" + secret + ".example/"}},
			"no response":   {err: fmt.Errorf("dial: header was Bearer %s", secret)},
		} {
			for _, request := range []Request{getCustomer, createCustomer} {
				watcher := &events{}
				c := newClient(t, play(s), func(cfg *Config) {
					cfg.Observer, cfg.MaxRetries = watcher, 0
					cfg.Secrets = []string{"", testToken, testToken + "_of_another", "key_of_collections"}
				})
				_, err := One[thing](t.Context(), c, request)
				shown := fmt.Sprintf("%v %+v", err, watcher.responses[0].RequestID)
				if e, ok := AsError(err); ok {
					shown += fmt.Sprintf("%+v %s", *e, e.Details)
				}
				if watcher.responses[0].ResponseBody != nil {
					shown += watcher.responses[0].ResponseBody()
				}
				if err == nil || strings.Contains(strings.ToLower(shown), strings.ToLower(secret[:8])) ||
					strings.Contains(shown, "of_another") {
					t.Errorf("%s %s: %s", name, request.Operation, shown)
				}
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

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	tests := map[string]struct {
		value, date string
		want        time.Duration
	}{
		"absent":                        {"", "", 0},
		"seconds":                       {"120", "", 2 * time.Minute},
		"blanks":                        {" 7 ", "", 7 * time.Second},
		"zero":                          {"0", "", 0},
		"negative":                      {"-5", "", 0},
		"fraction":                      {"1.5", "", 0},
		"garbage":                       {"soon", "", 0},
		"very large":                    {"99999999999", "", maxRetryAfter},
		"beyond 64 bits":                {"99999999999999999999999", "", maxRetryAfter},
		"date without Date":             {"Wed, 04 Mar 2026 05:07:07 GMT", "", time.Minute},
		"date by the service's clock":   {"Wed, 04 Mar 2026 09:00:30 GMT", "Wed, 04 Mar 2026 09:00:00 GMT", 30 * time.Second},
		"date in the past":              {"Wed, 04 Mar 2026 05:00:00 GMT", "", 0},
		"date with a broken Date":       {"Wed, 04 Mar 2026 05:07:07 GMT", "yesterday", time.Minute},
		"far date":                      {"Wed, 04 Mar 2999 05:07:07 GMT", "", maxRetryAfter},
		"date in the format of asctime": {"Wed Mar  4 05:07:07 2026", "", time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Date", test.date)
			if got := retryAfter(header, now); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "1e9", "999999999999999999999", "Wed, 04 Mar 2026 05:07:07 GMT", "\x00"} {
		f.Add(seed, seed)
	}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value, date string) {
		header := http.Header{"Retry-After": {value}, "Date": {date}}
		if got := retryAfter(header, now); got < 0 || got > maxRetryAfter {
			t.Errorf("%q, %q: %s", value, date, got)
		}
	})
}
