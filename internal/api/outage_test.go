package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

func byTime(cfg *Config) { cfg.MaxRetries = NoRetryLimit }

// tally is how the calls of a run ended.
type tally struct {
	ok, full, short int
	took            time.Duration
}

// plan reads n objects, ten at a time, as Terraform does.
func plan(t *testing.T, c *Client, n int) (result tally) {
	t.Helper()
	start := time.Now()
	var mu sync.Mutex
	var group sync.WaitGroup
	ids := make(chan string, n)
	for i := range n {
		ids <- fmt.Sprintf("c%d", i)
	}
	close(ids)
	for range 10 {
		group.Go(func() {
			for id := range ids {
				_, err := c.Do(t.Context(), Request{Operation: "customers.get", Path: map[string]string{"id": id}})
				var earlier *EarlierError
				mu.Lock()
				switch {
				case err == nil:
					result.ok++
				case errors.As(err, &earlier):
					result.short++
				default:
					result.full++
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	result.took = time.Since(start)
	return result
}

// TestOneRejectedToken: of many calls that are rejected at the same time one ends with the error itself, and the others
// with an EarlierError that has it, so that a run shows it once.
func TestOneRejectedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := apitest.New(map[string]http.HandlerFunc{"GET /": apitest.Rejected(401, "unauthorized")})
		s.Latency = func(*http.Request) time.Duration { return time.Second }
		c := newClient(t, s, byTime)
		if got := plan(t, c, 30); got.full != 1 || got.short != 29 {
			t.Errorf("%+v", got)
		}
		if s.Total() != 10 {
			t.Errorf("%d requests", s.Total())
		}
	})
}

// TestOneMissingRoute: that the service does not have one path is no reason why another operation fails.
func TestOneMissingRoute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := apitest.New(map[string]http.HandlerFunc{"GET /v1/plans": apitest.Rejected(404, "route_not_found"),
			"GET /": apitest.Rejected(503, "down")})
		c := newClient(t, s, byTime)
		_, first := c.Do(t.Context(), Request{Operation: "records.list", Path: map[string]string{"collection": "plans"}})
		_, err := c.Do(t.Context(), Request{Operation: "customers.list"})
		var earlier *EarlierError
		if e, ok := AsError(err); !ok || e.Status != 503 || errors.As(err, &earlier) {
			t.Errorf("%v, after %v", err, first)
		}
	})
}

// TestOutagesAreSurvived: a service that is away for minutes in the middle of a run goes unnoticed, and the run
// continues as soon as it is back.
func TestOutagesAreSurvived(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]step{
		"rejected": {err: errReset, unsent: true}, "reset": {err: errReset}, "unavailable": status(503),
		"unavailable, with a Retry-After": {status: 503, header: map[string]string{"Retry-After": "5"}},
		"silent":                          {hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const away, back = 5 * time.Second, 4*time.Minute + 30*time.Second
				start := time.Now()
				c := newClient(t, play(step{respond: func(*http.Request) step {
					if since := time.Since(start); since >= away && since < back {
						return failure
					}
					time.Sleep(100 * time.Millisecond)
					return ok(`{"data":{"id":"c1"}}`)
				}}), byTime, func(cfg *Config) { cfg.RetryTimeout = 0 })
				got := plan(t, c, 1000)
				if got.ok != 1000 {
					t.Errorf("%+v", got)
				}
				if late := got.took - (back - away) - 10*time.Second; late > defaultRequestTimeout+backoffCap+5*time.Second {
					t.Errorf("the run took %s longer than the outage", late)
				}
			})
		})
	}
}

// TestAllContinueTogether: as soon as one call gets a response again, those that pause continue.
func TestAllContinueTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := newClient(t, play(step{respond: func(*http.Request) step {
			if time.Since(start) < 2*time.Minute {
				return status(503)
			}
			return ok(`{"data":{"id":"c1"}}`)
		}}), byTime)
		done := make(chan time.Time, 20)
		for range cap(done) {
			go func() {
				if _, err := c.Do(t.Context(), getCustomer); err != nil {
					t.Error(err)
				}
				done <- time.Now()
			}()
		}
		first := <-done
		for range cap(done) - 1 {
			if late := (<-done).Sub(first); late > time.Second {
				t.Errorf("a call got its response %s after the first one", late)
			}
		}
	})
}

// TestDownIsFoundOutOnce: when the service does not come back, one call waits for it and reports it, and the others end
// with one line. A service that has never responded is waited for less, unless the time is set.
func TestDownIsFoundOutOnce(t *testing.T) {
	t.Parallel()
	failures := map[string]step{"rejected": {err: errReset, unsent: true}, "unavailable": status(503),
		"silent": {hang: true}}
	for name, failure := range failures {
		for _, test := range []struct {
			responses int
			set, want time.Duration
		}{{1, 0, defaultRetryTimeout}, {0, 0, unservedTimeout}, {0, time.Minute, time.Minute}} {
			t.Run(fmt.Sprintf("%s after %d responses, %s set", name, test.responses, test.set), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					transport := play(append(slices.Repeat([]step{ok(`{}`)}, test.responses), failure)...)
					c := newClient(t, transport, byTime, func(cfg *Config) { cfg.RetryTimeout = test.set })
					got := plan(t, c, 1000)
					if got.full != 1 || got.short != 999-test.responses {
						t.Errorf("%+v", got)
					}
					// The first attempt, the last one, and those that are under way then.
					if most := test.want + 3*defaultRequestTimeout + time.Second; got.took < test.want || got.took > most ||
						!failure.hang && got.took > test.want+time.Second {
						t.Errorf("the run took %s, want between %s and %s", got.took, test.want, most)
					}
					if transport.count() > 500 {
						t.Errorf("%d requests were sent", transport.count())
					}
				})
			})
		}
	}
}

// TestWhatShowsThatTheServiceIsThere: after one response of the service itself, whatever its status, a failure is
// waited for as long as an outage, and not as for a wrong address.
func TestWhatShowsThatTheServiceIsThere(t *testing.T) {
	t.Parallel()
	const own = `{"error":{"code":"internal_error","message":"no"}}`
	type row struct {
		first step
		want  time.Duration
	}
	apitest.Each(t, map[string]row{
		"its own 500":     {rejection(500, own), defaultRetryTimeout},
		"its own 404":     {rejection(404, own), defaultRetryTimeout},
		"its own 422":     {rejection(422, own), defaultRetryTimeout},
		"its own 408":     {rejection(408, own), defaultRetryTimeout},
		"any 429":         {status(429), defaultRetryTimeout},
		"a proxy's 503":   {status(503), unservedTimeout},
		"a proxy's 404":   {status(404), unservedTimeout},
		"a broken answer": {step{status: 200, cut: true}, unservedTimeout},
	}, func(t *testing.T, test row) {
		c := newClient(t, play(test.first, status(503)), byTime, func(cfg *Config) { cfg.RetryTimeout = 0 })
		// Of a POST, each failure ends the call.
		_, _ = c.Do(t.Context(), Request{Operation: "customers.create", Body: 1})
		start := time.Now()
		_, err := c.Do(t.Context(), getCustomer)
		if err == nil || time.Since(start).Truncate(time.Second) != test.want {
			t.Errorf("%v after %s, want %s", err, time.Since(start), test.want)
		}
	})
}

// TestAnEndlessRateLimitEndsTheRunOnce: one call waits for it as long as for an outage, and names the time.
func TestAnEndlessRateLimitEndsTheRunOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(step{status: 429, header: map[string]string{"Retry-After": "1"}}), byTime)
		got := plan(t, c, 1000)
		if got.full != 1 || got.short != 999 || got.took > defaultRetryTimeout+time.Minute {
			t.Errorf("%+v", got)
		}
	})
}

// TestOneOperationIsDown: where one operation fails for good and others work, its calls wait once, and not each.
func TestOneOperationIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(step{respond: func(r *http.Request) step {
			if strings.Contains(r.URL.Path, "/customers/") {
				return status(503)
			}
			return ok(`{"data":{"id":"a1"}}`)
		}}), byTime)
		over := make(chan struct{})
		go func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Second):
					_, _ = c.Do(t.Context(), Request{Operation: "billing_accounts.get", Path: map[string]string{"id": "a1"}})
				}
			}
		}()
		result := plan(t, c, 100)
		close(over)
		if result.ok > 0 || result.full+result.short != 100 || result.full > 10 || result.took > 2*defaultRetryTimeout {
			t.Errorf("%+v", result)
		}
		_, err := c.Do(t.Context(), Request{Operation: "billing_accounts.get", Path: map[string]string{"id": "a1"}})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestSomeFailForGood: objects that the service cannot show keep no others from being read.
func TestSomeFailForGood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(step{respond: func(r *http.Request) step {
			time.Sleep(100 * time.Millisecond)
			if strings.HasSuffix(r.URL.Path, "77") {
				return status(500)
			}
			return ok(`{"data":{"id":"c1"}}`)
		}}), byTime)
		got := plan(t, c, 1000)
		if got.ok != 990 || got.full+got.short != 10 {
			t.Errorf("%+v", got)
		}
		if got.took > defaultRetryTimeout+time.Minute {
			t.Errorf("the run took %s", got.took)
		}
	})
}

// TestAFailureOfOneCallIsNoOutage: with few attempts a short failure ends only the calls that met it.
func TestAFailureOfOneCallIsNoOutage(t *testing.T) {
	t.Parallel()
	transport := play(status(503), ok(`{}`), status(503), status(503), ok(`{}`), status(503))
	c := newClient(t, transport, func(cfg *Config) { cfg.MaxRetries = 0 })
	var got []outcome
	for range 6 {
		_, err := c.Do(t.Context(), getCustomer)
		got = append(got, outcomeOf(err))
	}
	if transport.count() != 6 || got[1] != succeeds || got[4] != succeeds || got[5] != plainError {
		t.Errorf("%v after %d requests", got, transport.count())
	}
}

// TestRetryTimeout: it counts from the first failure, and the last attempt is made at its end.
func TestRetryTimeout(t *testing.T) {
	t.Parallel()
	type row struct {
		back    time.Duration
		retries int
		want    outcome
	}
	apitest.Each(t, map[string]row{
		"just in time": {60 * time.Second, NoRetryLimit, succeeds},
		"too late":     {61 * time.Second, NoRetryLimit, plainError},
		"too often":    {60 * time.Second, 2, plainError},
	}, func(t *testing.T, test row) {
		start := time.Now()
		c := newClient(t, play(step{respond: func(*http.Request) step {
			if time.Since(start) < test.back {
				return status(503)
			}
			return ok(`{}`)
		}}), func(cfg *Config) { cfg.MaxRetries, cfg.RetryTimeout = test.retries, time.Minute })
		_, err := c.Do(t.Context(), getCustomer)
		if outcomeOf(err) != test.want || time.Since(start) > time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// TestWrongServiceIsFoundOutOnce: an address that leads elsewhere, and a token that is rejected.
func TestWrongServiceIsFoundOutOnce(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]step{
		"HTML 404":   {status: 404, body: "<html>", header: map[string]string{"Content-Type": "text/html"}},
		"its 404":    rejection(404, `{"error":{"code":"not_found","message":"no"}}`),
		"a redirect": {status: 302, header: map[string]string{"Location": "https://login.example/"}},
		"a token":    status(401),
		"a scope": rejection(403, `{"error":{"code":"insufficient_scope","message":"no","details":`+
			`{"required":["customers:read"],"granted":[]}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := plan(t, newClient(t, play(response), byTime), 40); got.full != 1 || got.short != 39 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
	var full, short atomic.Int32
	c := newClient(t, play(step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}}),
		byTime)
	for range 5 {
		var earlier *EarlierError
		if _, err := One[thing](t.Context(), c, getCustomer); errors.As(err, &earlier) {
			short.Add(1)
		} else if err != nil {
			full.Add(1)
		}
	}
	if full.Load() != 1 || short.Load() != 4 {
		t.Errorf("HTML with 200: %d in full, %d in short", full.Load(), short.Load())
	}
}

// TestEachMissingScopeIsReported: a scope is in full once, also when the service responds in between, and another one
// is another error. What may be about one object is always in full.
func TestEachMissingScopeIsReported(t *testing.T) {
	t.Parallel()
	lacks := func(required string) step {
		return rejection(403, `{"error":{"code":"insufficient_scope","message":"no","details":{"required":[`+required+`]}}}`)
	}
	c := newClient(t, play(lacks(`"a","b"`), ok(`{}`), lacks(`"a"`), lacks(`"a","b"`), lacks(``), lacks(``), lacks(`"a"`)))
	var got string
	for range 7 {
		_, err := c.Do(t.Context(), getCustomer)
		var earlier *EarlierError
		switch short := errors.As(err, &earlier); {
		case short && HasCode(err, "insufficient_scope"):
			got += "short "
		case err == nil:
			got += "ok "
		default:
			got += "full "
		}
	}
	if want := "full ok full short full full short "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
