package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestEveryRequestCarriesItsHeaders(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{getCustomer, updateCustomer, deleteCustomer, createCustomer, syncItems} {
		transport := play(ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.UserAgent = "provider/1.2" })
		if _, err := c.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		header := transport.seen[0].Header
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json",
			"Authorization": "Bearer " + testToken, "User-Agent": "provider/1.2",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", r.Operation, name, got, want)
			}
		}
	}
}

func TestAuthHeader(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]string{
		"":              {"Authorization": "Bearer " + testToken},
		"authorization": {"Authorization": "Bearer " + testToken},
		"X-Api-Key":     {"X-Api-Key": testToken, "Authorization": ""},
	} {
		transport := play(ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.AuthHeader = name })
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		for header, value := range want {
			if got := transport.seen[0].Header.Get(header); got != value {
				t.Errorf("%q: %s is %q, want %q", name, header, got, value)
			}
		}
	}
}

func TestIdempotencyKeyGoesOnlyWhereItIsHonoured(t *testing.T) {
	t.Parallel()
	post := Request{Operation: "finance.records.create", Path: map[string]string{"collection": "payables"}, Body: 1,
		IdempotencyKey: "4f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11"}
	read := Request{Operation: "finance.records.get", Path: map[string]string{"collection": "payables", "id": "1"},
		IdempotencyKey: post.IdempotencyKey}
	tests := []struct {
		request Request
		want    string
		repeats bool
	}{
		{post, post.IdempotencyKey, true},
		{Request{Operation: "customers.create", Body: map[string]any{}, IdempotencyKey: post.IdempotencyKey}, "", false},
		{read, "", true},
	}
	for _, test := range tests {
		transport := play(ok(`{"data":{"id":"1"}}`))
		c := newClient(t, transport)
		if _, err := c.Do(t.Context(), test.request); err != nil {
			t.Fatal(err)
		}
		if got := transport.seen[0].Header.Get("X-Idempotency-Key"); got != test.want {
			t.Errorf("%s: sent the key %q, want %q", test.request.Operation, got, test.want)
		}
		replayable := transport.seen[0].GetBody != nil || transport.seen[0].Body == nil
		if replayable != test.repeats {
			t.Errorf("%s: net/http can replay: %v, want %v", test.request.Operation, replayable, test.repeats)
		}
	}
}

func TestHonouredIdempotencyKeyMakesAPostRepeatable(t *testing.T) {
	t.Parallel()
	transport := play(status(500), ok(`{"data":{"id":"1"}}`))
	c := newClient(t, transport)
	c.random = func() float64 { return 0 }
	_, err := c.Do(t.Context(), Request{
		Operation: "finance.records.create", Path: map[string]string{"collection": "payables"},
		Body: map[string]int{"n": 1}, IdempotencyKey: "4f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11",
	})
	if err != nil || transport.count() != 2 {
		t.Fatalf("%v after %d requests", err, transport.count())
	}
	if transport.body[0] != transport.body[1] || transport.body[0] != `{"n":1}` {
		t.Errorf("bodies %q", transport.body)
	}
}

func TestPathsAreEscaped(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"c1":        "/v1/customers/c1",
		"a/b":       "/v1/customers/a%2Fb",
		"a?b#c":     "/v1/customers/a%3Fb%23c",
		"../x":      "/v1/customers/..%2Fx",
		"%2e%2e":    "/v1/customers/%252e%252e",
		"ü b":       "/v1/customers/%C3%BC%20b",
		"...":       "/v1/customers/...",
		"line\nend": "/v1/customers/line%0Aend",
	} {
		transport := play(ok(`{}`))
		c := newClient(t, transport)
		if _, err := c.Do(t.Context(), Request{Operation: "customers.get", Path: map[string]string{"id": id}}); err != nil {
			t.Fatal(err)
		}
		if got := transport.seen[0].URL.EscapedPath(); got != want {
			t.Errorf("id %q: path %s, want %s", id, got, want)
		}
	}
}

func TestDangerousPathValuesAreRefused(t *testing.T) {
	t.Parallel()
	transport := play(ok(`{}`))
	c := newClient(t, transport)
	for _, path := range []map[string]string{{"id": ""}, {"id": "."}, {"id": ".."}, {}, nil} {
		if _, err := c.Do(t.Context(), Request{Operation: "customers.get", Path: path}); err == nil ||
			!strings.Contains(err.Error(), "{id}") {
			t.Errorf("path %v: %v", path, err)
		}
	}
	if _, err := c.Do(t.Context(), Request{Operation: "customers.fly"}); err == nil {
		t.Error("an unknown operation was accepted")
	}
	if _, err := c.Do(t.Context(), Request{Operation: "customers.create", Body: func() {}}); err == nil {
		t.Error("a body that is no JSON was accepted")
	}
	if transport.count() != 0 {
		t.Errorf("%d requests were sent", transport.count())
	}
}

func TestBaseURLPrefixAndOverrides(t *testing.T) {
	t.Parallel()
	operations, err := ParseOperations(map[string]string{"customers.update": "PUT /v2/clientes/{id}/"})
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"https://api.example.test":              "https://api.example.test/v2/clientes/c1/?a=b+c",
		"https://api.example.test/":             "https://api.example.test/v2/clientes/c1/?a=b+c",
		"https://api.example.test:8443/billing": "https://api.example.test:8443/billing/v2/clientes/c1/?a=b+c",
		"https://[::1]:8443/billing%20x/":       "https://[::1]:8443/billing%20x/v2/clientes/c1/?a=b+c",
	} {
		transport := play(ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.BaseURL, cfg.Operations = base, operations })
		r := updateCustomer
		r.Query = url.Values{"a": {"b c"}}
		if _, err := c.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := transport.seen[0]; got.URL.String() != want || got.Method != http.MethodPut {
			t.Errorf("%s: %s %s, want PUT %s", base, got.Method, got.URL, want)
		}
	}
}

func TestObserverHearsMaskedExchanges(t *testing.T) {
	t.Parallel()
	watcher := &events{}
	c := newClient(t, play(step{status: 201, body: `{"data":{"id":"c1","secret":"whsec_abc","note":"` + testToken + `"}}`,
		header: map[string]string{"Request-Id": "r1"}}),
		func(cfg *Config) { cfg.Observer = watcher })
	if _, err := c.Do(t.Context(),
		Request{Operation: "customers.create", Body: map[string]string{"name": "n", "token": "hidden"}}); err != nil {
		t.Fatal(err)
	}
	request, response := watcher.requests[0], watcher.responses[0]
	if request.Service != "billing" || request.Method != "POST" || request.Path != "/v1/customers" ||
		request.Attempt != 1 {
		t.Errorf("request %+v", request)
	}
	if got := request.RequestBody(); got != `{"name":"n","token":"(masked)"}` {
		t.Errorf("request body %s", got)
	}
	if response.Status != 201 || response.RequestID != "r1" || response.Err != nil {
		t.Errorf("response %+v", response)
	}
	if got := response.ResponseBody(); got != `{"data":{"id":"c1","note":"(masked)","secret":"(masked)"}}` {
		t.Errorf("response body %s", got)
	}
}

// TestSecretsShownOnce: no text of a response that shows a secret once is in an error or a log, whatever its form. What
// the service rejects has made no secret, so its message is shown.
func TestSecretsShownOnce(t *testing.T) {
	t.Parallel()
	const secret = "ck_live_41f4d0c2"
	html, text := map[string]string{"Content-Type": "text/html"}, map[string]string{"Content-Type": "text/plain"}
	for name, response := range map[string]step{
		"text":             {status: 201, body: "id,token 1," + secret, header: text},
		"title":            {status: 201, body: "<title>" + secret + "</title>", header: html},
		"text of an error": {status: 502, body: secret, header: text},
		"page of an error": {status: 404, body: "<h1>" + secret + "</h1>", header: html},
		"other JSON":       {status: 500, body: `{"message":"created ` + secret + `"}`},
		"own error":        {status: 500, body: `{"error":{"code":"x","message":"created ` + secret + `"}}`},
		"error as success": {status: 201, body: `{"error":{"code":"x","message":"created ` + secret + `"}}`},
		"no object":        {status: 201, body: `{"data":["` + secret + `"]}`},
		"other field":      {status: 201, body: `{"data":{"note":"` + secret + `"}}`},
		"broken JSON":      {status: 201, body: `{"data":"` + secret},
	} {
		for operation, row := range operations {
			if !row.once {
				continue
			}
			watcher := &events{}
			c := newClient(t, play(response), func(cfg *Config) { cfg.Observer, cfg.Service = watcher, "collections" })
			path := map[string]string{"id": "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"}
			if !strings.Contains(row.template, "{id}") {
				path = nil
			}
			_, err := One[struct{ ID string }](t.Context(), c, Request{Operation: operation, Path: path})
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s, %s: %v", operation, name, err)
			}
			for _, e := range watcher.responses {
				if e.ResponseBody != nil && strings.Contains(e.ResponseBody(), secret) {
					t.Errorf("%s, %s: the log has %s", operation, name, e.ResponseBody())
				}
			}
		}
	}
	c := newClient(t, play(step{status: 422, body: `{"error":{"code":"x","message":"too many keys"}}`}))
	if _, err := c.Do(t.Context(), Request{Operation: "api_keys.create"}); err == nil ||
		!strings.Contains(err.Error(), "too many keys") {
		t.Errorf("a rejection says %v", err)
	}
}

func TestObserverHearsFailedAttempts(t *testing.T) {
	t.Parallel()
	watcher := &events{}
	c := newClient(t, play(step{err: errReset}, ok(`{}`)), func(cfg *Config) { cfg.Observer = watcher })
	c.random = func() float64 { return 0 }
	if _, err := c.Do(t.Context(), getCustomer); err != nil {
		t.Fatal(err)
	}
	if len(watcher.requests) != 2 || len(watcher.responses) != 2 || len(watcher.waiting) != 1 {
		t.Fatalf("heard %d, %d, %d", len(watcher.requests), len(watcher.responses), len(watcher.waiting))
	}
	if first := watcher.responses[0]; !errors.Is(first.Err, errReset) || first.Status != 0 ||
		first.Path != "/v1/customers/{id}" {
		t.Errorf("heard %+v", first)
	}
	if watcher.requests[1].Attempt != 2 {
		t.Errorf("attempt %d", watcher.requests[1].Attempt)
	}
}

func TestCancelledBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("stopped by the user")
	cancel(reason)
	transport := play(ok(`{}`))
	_, err := newClient(t, transport).Do(ctx, createCustomer)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || transport.count() != 0 {
		t.Errorf("%v after %d requests", err, transport.count())
	}
}
