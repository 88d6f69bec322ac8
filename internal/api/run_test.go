package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// outcome is what a caller sees.
type outcome string

const (
	succeeds    outcome = "success"
	plainError  outcome = "*Error"
	noResponse  outcome = "*TransportError"
	isAmbiguous outcome = "*AmbiguousError"
)

func outcomeOf(err error) outcome {
	var transport *TransportError
	switch _, ambiguous := AsAmbiguous(err); {
	case err == nil:
		return succeeds
	case ambiguous:
		return isAmbiguous
	case errors.As(err, &transport):
		return noResponse
	}
	if _, ok := AsError(err); ok {
		return plainError
	}
	return outcome(err.Error())
}

func TestRepeatTable(t *testing.T) {
	failures := map[string]step{
		"400": status(400), "403": status(403), "404": status(404), "408": status(408), "409": status(409),
		"422": status(422), "429": status(429), "500": status(500), "502": status(502), "503": status(503),
		"504":           status(504),
		"302":           {status: 302, header: map[string]string{"Location": "https://elsewhere.example/"}},
		"reset":         {err: errReset},
		"no conn":       {err: errReset, unsent: true},
		"cut body":      {status: 200, body: `{"data":{"id":"c1"`, cut: true},
		"cut JSON":      ok(`{"data":{"id":"c1"`),
		"cut number":    ok(`{"data":{"id":"c1","n":1`),
		"broken JSON":   ok(`{"data":]`),
		"hanging":       {hang: true},
		"huge response": ok(strings.Repeat(" ", maxBodyBytes+1)),
		"deep nesting":  ok(strings.Repeat("[", maxNesting+1)),
	}
	repeated := []string{"408", "429", "500", "502", "503", "504", "reset", "no conn", "cut body", "cut JSON",
		"cut number", "hanging"}
	always := map[string]outcome{}
	for name := range failures {
		always[name] = plainError
	}
	for _, name := range repeated {
		always[name] = succeeds
	}
	post := map[string]outcome{
		"400": plainError, "403": plainError, "404": plainError, "409": plainError, "422": plainError, "302": plainError,
		"429": succeeds, "no conn": succeeds,
	}
	for name := range failures {
		if post[name] == "" {
			post[name] = isAmbiguous
		}
	}
	requests := map[string]struct {
		request Request
		want    map[string]outcome
	}{
		"GET": {getCustomer, always}, "PATCH": {updateCustomer, always}, "DELETE": {deleteCustomer, always},
		"PUT": {syncItems, always}, "POST": {createCustomer, post},
	}
	for method, r := range requests {
		for name, failure := range failures {
			t.Run(method+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					transport := play(failure, ok(`{"data":{"id":"c1"}}`))
					_, err := newClient(t, transport).Do(t.Context(), r.request)
					if got := outcomeOf(err); got != r.want[name] {
						t.Errorf("got %s (%v), want %s", got, err, r.want[name])
					}
					want := 1
					if r.want[name] == succeeds {
						want = 2
					}
					if transport.count() != want {
						t.Errorf("sent %d times, want %d", transport.count(), want)
					}
				})
			})
		}
	}
}

func TestMovedOperationsStayUnrepeatable(t *testing.T) {
	operations, err := ParseOperations(map[string]string{
		"customers.create": "PUT /v1/customers",
		"customers.update": "POST /v1/customers/{id}",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Request{createCustomer, updateCustomer} {
		transport := play(status(500), ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.Operations = operations })
		if _, err := c.Do(t.Context(), r); outcomeOf(err) != isAmbiguous || transport.count() != 1 {
			t.Errorf("%s: %v after %d requests, want ambiguous after 1", r.Operation, err, transport.count())
		}
	}
}

func TestBudgetCountsFailuresOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle := status(429)
		transport := play(throttle, status(500), throttle, throttle, status(502), throttle, ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.MaxRetries = 2 })
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Error(err)
		}
		if transport.count() != 7 {
			t.Errorf("sent %d times, want 7", transport.count())
		}
	})
}

func TestBudgetEndsWithTheLastResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := play(step{status: 503, body: `{"error":{"code":"maintenance","message":"later"}}`,
			header: map[string]string{"Request-Id": "r-9"}})
		c := newClient(t, transport, func(cfg *Config) { cfg.MaxRetries = 2 })
		_, err := c.Do(t.Context(), getCustomer)
		e, ok := AsError(err)
		if !ok || e.Status != 503 || e.Code != "maintenance" || e.RequestID != "r-9" || e.Attempts != 3 {
			t.Errorf("got %+v", e)
		}
		if transport.count() != 3 {
			t.Errorf("sent %d times, want 3", transport.count())
		}
	})
}

func TestUnauthorizedEndsEverything(t *testing.T) {
	transport := play(step{status: 401, body: `{"error":"expired","error_code":"unauthorized"}`,
		header: map[string]string{"Request-Id": "r1"}})
	c := newClient(t, transport)
	_, first := c.Do(t.Context(), getCustomer)
	_, second := c.Do(t.Context(), updateCustomer)
	if !IsUnauthorized(first) || !IsUnauthorized(second) ||
		!strings.HasSuffix(second.Error(), "explains: "+first.Error()) {
		t.Errorf("first %v, second %v", first, second)
	}
	if transport.count() != 1 {
		t.Errorf("sent %d requests, want 1", transport.count())
	}
}

func TestUnauthorizedEndsThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := play(status(429), status(401))
		c := newClient(t, transport)
		results := make(chan error, 10)
		for range 10 {
			go func() {
				_, err := c.Do(t.Context(), getCustomer)
				results <- err
			}()
			synctest.Wait()
		}
		for range 10 {
			if err := <-results; !IsUnauthorized(err) {
				t.Error(err)
			}
		}
		if transport.count() != 2 {
			t.Errorf("sent %d requests, want 2", transport.count())
		}
	})
}

func TestAmbiguousErrorSaysWhatIsKnown(t *testing.T) {
	transport := play(step{status: 502, header: map[string]string{"Request-Id": "r-77"}})
	_, err := newClient(t, transport).Do(t.Context(), createCustomer)
	ambiguous, ok := AsAmbiguous(err)
	if !ok || ambiguous.RequestID != "r-77" || ambiguous.Operation != "customers.create" {
		t.Fatalf("got %+v", ambiguous)
	}
	if e, ok := AsError(err); !ok || e.Status != http.StatusBadGateway {
		t.Errorf("the response is lost: %v", err)
	}
	if text := err.Error(); strings.Count(text, "r-77") != 1 || !strings.Contains(text, "customers.create") {
		t.Error(text)
	}
}
