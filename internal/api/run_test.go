package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
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
		"own 409": rejection(409, `{"error":{"code":"conflict","message":"no"}}`), "499": status(499),
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
		"400": plainError, "403": plainError, "404": plainError, "own 409": plainError, "422": plainError,
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
			err := <-results
			if e, ok := AsError(err); !ok || e.Status != http.StatusUnauthorized {
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

// TestBackoffIsFullJitterOnDoublingSpans: a Retry-After is the shortest of them.
func TestBackoffIsFullJitterOnDoublingSpans(t *testing.T) {
	for _, random := range []float64{0, 0.5, 0.999} {
		synctest.Test(t, func(t *testing.T) {
			c := newClient(t, play(step{status: 503, header: map[string]string{"Retry-After": "5"}}),
				func(cfg *Config) { cfg.MaxRetries = 7 })
			c.random = func() float64 { return random }
			watcher := &events{}
			c.observer = watcher
			_, err := c.Do(t.Context(), getCustomer)
			if outcomeOf(err) != plainError {
				t.Fatal(err)
			}
			for i, span := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
				want := max(time.Duration(random*float64(span*time.Second)), 5*time.Second)
				if got := watcher.waiting[i].Delay; got != want {
					t.Errorf("wait %d is %s, want %s", i, got, want)
				}
			}
		})
	}
}

// TestWaitBeyondTheDeadlineFailsNow: neither the caller's time nor that of repetitions covers the wait.
func TestWaitBeyondTheDeadlineFailsNow(t *testing.T) {
	for name, test := range map[string]struct {
		code, seconds int
		deadline      time.Duration
	}{"429": {429, 90, time.Minute}, "503": {503, 90, time.Minute},
		"503 without a deadline": {503, 7200, 24 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
				defer cancel()
				c := newClient(t, play(step{status: test.code,
					header: map[string]string{"Retry-After": strconv.Itoa(test.seconds)}}))
				_, err := c.Do(ctx, getCustomer)
				wait := time.Duration(test.seconds) * time.Second
				e, ok := AsError(err)
				if !ok || e.Status != test.code || e.RetryAfter != wait || time.Since(start) != 0 {
					t.Fatalf("got %v after %s", err, time.Since(start))
				}
				if e.RetryAt.Before(start.Add(wait)) ||
					!strings.Contains(err.Error(), "wait until "+e.RetryAt.UTC().Format(time.RFC3339)) {
					t.Errorf("does not name the time: %v", err)
				}
			})
		})
	}
}

// TestWaitForARateLimit: a call that only got 429 ends after RetryTimeout, or after its first Retry-After if that is
// longer. A wait beyond MaxWait is not begun.
func TestWaitForARateLimit(t *testing.T) {
	type row struct {
		set         time.Duration
		retryAfter  []string
		least, most time.Duration
		requests    int
	}
	const minute = time.Minute
	apitest.Each(t, map[string]row{
		"the default":             {0, []string{"60"}, 4 * minute, 5 * minute, 5},
		"no Retry-After":          {0, []string{""}, 4*minute + 30*time.Second, 5 * minute, 0},
		"set":                     {20 * time.Second, []string{"1"}, 18 * time.Second, 20 * time.Second, 0},
		"longer than an outage":   {0, []string{"600", "1"}, 10 * minute, 11 * minute, 0},
		"the first one counts":    {0, []string{"1", "600"}, 0, 2 * time.Second, 2},
		"too long":                {time.Hour, []string{"1201"}, 0, 0, 1},
		"later too long":          {time.Hour, []string{"1", "1201"}, 0, 2 * time.Second, 2},
		"more than 20 min in all": {time.Hour, []string{"300"}, 50 * minute, 60 * minute, 0},
	}, func(t *testing.T, test row) {
		var steps []step
		for _, after := range test.retryAfter {
			steps = append(steps, step{status: 429, header: map[string]string{"Retry-After": after}})
		}
		start := time.Now()
		transport := play(steps...)
		c := newClient(t, transport, func(cfg *Config) { cfg.RetryTimeout = test.set })
		_, err := c.Do(t.Context(), getCustomer)
		e, ok := AsError(err)
		if !ok || e.Status != 429 {
			t.Fatal(err)
		}
		waited := time.Since(start)
		if waited > test.most || waited < test.least || test.requests > 0 && transport.count() != test.requests {
			t.Errorf("gave up after %s and %d requests", waited, transport.count())
		}
		text := "waited " + waited.Round(time.Second).String()
		if strings.Contains(err.Error(), text) != (transport.count() > 1) {
			t.Errorf("does not name the wait of %s: %v", waited, err)
		}
	})
}

func TestCancelledAtOnce(t *testing.T) {
	waits := map[string]step{
		"backoff":        {status: 503, header: map[string]string{"Retry-After": "200"}},
		"closed limiter": {status: 429, header: map[string]string{"Retry-After": "600"}},
		"under way":      {hang: true},
	}
	for name, s := range waits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				c := newClient(t, play(s))
				done := make(chan error, 1)
				start := time.Now()
				go func() {
					_, err := c.Do(ctx, getCustomer)
					done <- err
				}()
				time.Sleep(5 * time.Second)
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				if took := time.Since(start); took != 5*time.Second {
					t.Errorf("returned after %s, want 5s", took)
				}
			})
		})
	}
}

func TestCancelledPostIsAmbiguous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := newClient(t, play(step{hang: true})).Do(ctx, createCustomer)
		if outcomeOf(err) != isAmbiguous || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestUncertainAttemptIsRemembered: a lost request may have been carried out, however later attempts end.
func TestUncertainAttemptIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost, refused := step{err: errReset}, step{err: errReset, unsent: true}
		gone := rejection(http.StatusNotFound, `{"error":{"code":"customer_not_found","message":"gone"}}`)
		for name, c := range map[string]struct {
			steps []step
			want  bool
		}{"lost, refused": {[]step{lost, refused, gone}, true}, "lost": {[]step{lost, gone}, true},
			"refused": {[]step{refused, gone}, false}} {
			_, err := newClient(t, play(c.steps...)).Do(t.Context(), Request{Operation: "customers.delete",
				Path: map[string]string{"id": "c1"}})
			if e, ok := AsError(err); !ok || e.Uncertain != c.want || e.Attempts != len(c.steps) {
				t.Errorf("%s: %+v", name, err)
			}
		}
	})
}

func TestAttemptTimeoutIsNotTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(step{hang: true}), func(cfg *Config) { cfg.MaxRetries, cfg.RequestTimeout = 1, 7*time.Second })
		_, err := c.Do(t.Context(), getCustomer)
		if outcomeOf(err) != noResponse || errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "within 7s") {
			t.Error(err)
		}
	})
}
