package api

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackoffIsFullJitterOnDoublingSpans(t *testing.T) {
	for _, random := range []float64{0, 0.5, 0.999} {
		synctest.Test(t, func(t *testing.T) {
			c := newClient(t, play(status(500)), func(cfg *Config) { cfg.MaxRetries = 7 })
			c.random = func() float64 { return random }
			watcher := &events{}
			c.observer = watcher
			_, err := c.Do(t.Context(), getCustomer)
			if outcomeOf(err) != plainError {
				t.Fatal(err)
			}
			for i, span := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
				want := time.Duration(random * float64(span*time.Second))
				if got := watcher.waiting[i].Delay; got != want {
					t.Errorf("wait %d is %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestRetryAfterIsAFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := newClient(t, play(step{status: 503, header: map[string]string{"Retry-After": "40"}}, ok(`{}`)))
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < 40*time.Second {
			t.Errorf("waited %s, want at least 40s", waited)
		}
	})
}

func TestWaitBeyondTheDeadlineFailsNow(t *testing.T) {
	for name, code := range map[string]int{"429": 429, "503": 503} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				c := newClient(t, play(step{status: code, header: map[string]string{"Retry-After": "90"}}))
				_, err := c.Do(ctx, getCustomer)
				e, ok := AsError(err)
				if !ok || e.Status != code || e.RetryAfter != 90*time.Second {
					t.Fatalf("got %v", err)
				}
				if time.Since(start) != 0 {
					t.Errorf("failed after %s, want at once", time.Since(start))
				}
				if e.RetryAt.Before(start.Add(90 * time.Second)) {
					t.Errorf("names %s", e.RetryAt)
				}
				if !strings.Contains(err.Error(), "wait until "+e.RetryAt.UTC().Format(time.RFC3339)) {
					t.Errorf("does not name the time: %v", err)
				}
			})
		})
	}
}

func TestLongRetryAfterIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := newClient(t, play(step{status: 503, header: map[string]string{"Retry-After": "7200"}}))
		_, err := c.Do(t.Context(), getCustomer)
		if e, ok := AsError(err); !ok || time.Since(start) != 0 || !e.RetryAt.Equal(start.Add(2*time.Hour)) {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestThrottledWaitIsBoundedWithoutADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := newClient(t, play(step{status: 429, header: map[string]string{"Retry-After": "60"}}))
		_, err := c.Do(t.Context(), getCustomer)
		e, ok := AsError(err)
		if !ok || e.Status != 429 {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited > defaultMaxWait || waited < defaultMaxWait-2*time.Minute {
			t.Errorf("gave up after %s, want shortly before %s", waited, defaultMaxWait)
		}
	})
}

func TestCancelledAtOnce(t *testing.T) {
	waits := map[string]step{
		"backoff":     {status: 503, header: map[string]string{"Retry-After": "200"}},
		"closed gate": {status: 429, header: map[string]string{"Retry-After": "600"}},
		"under way":   {hang: true},
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
