package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestProbeThatFailsIsFollowedByAnother(t *testing.T) {
	for name, failure := range map[string]step{"no response": {err: errReset}, "5xx": status(500)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := play(status(429), failure, ok(`{}`))
				c := newClient(t, transport)
				together(t, 3, c)
				if c.gate.recovering || c.gate.probing {
					t.Error("the gate did not open")
				}
			})
		})
	}
}

func TestWhatOpensTheGate(t *testing.T) {
	for status, opens := range map[int]bool{429: false, 0: true, 500: true, 503: true, 200: true, 404: true, 422: true} {
		synctest.Test(t, func(t *testing.T) {
			gate := NewGate(0)
			enter := func() *pass {
				p, err := gate.enter(t.Context(), time.Now().Add(time.Hour), func(time.Duration) {})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			enter().throttled(&Error{Status: 429})
			if status == http.StatusTooManyRequests {
				enter().throttled(&Error{Status: 429})
			} else {
				enter().done(status)
			}
			if p := enter(); p.probe == opens {
				t.Errorf("after a probe that ended in %d the next request is a probe: %v", status, p.probe)
			}
		})
	}
}

func TestProbeThatIsCancelledFreesTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := play(status(429), step{hang: true}, ok(`{}`))
		c := newClient(t, transport)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		probe := make(chan error, 1)
		go func() {
			_, err := c.Do(ctx, getCustomer)
			probe <- err
		}()
		time.Sleep(4 * time.Second)
		_, err := c.Do(t.Context(), getCustomer)
		if err != nil {
			t.Error(err)
		}
		if err := <-probe; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestWaiterThatNeverSentNamesThe429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := play(step{
			status: 429, body: `{"error":{"code":"rate_limited","message":"slow"}}`,
			header: map[string]string{"Retry-After": "3600", "Request-Id": "r-429"},
		})
		watcher := &events{}
		c := newClient(t, transport, func(cfg *Config) { cfg.Observer = watcher })
		if _, err := c.Do(t.Context(), getCustomer); !HasCode(err, "rate_limited") {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), updateCustomer)
		e, ok := AsError(err)
		if !ok || e.RequestID != "r-429" || e.RetryAt.Before(time.Now().Add(time.Hour)) {
			t.Errorf("got %v", err)
		}
		if transport.count() != 1 {
			t.Errorf("sent %d requests", transport.count())
		}
		if len(watcher.waiting) != 0 {
			t.Error("announced a wait that was not made")
		}
	})
}

func TestWaitAtTheGateIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watcher := &events{}
		c := newClient(t, play(step{status: 429, header: map[string]string{"Retry-After": "10"}}, ok(`{}`)),
			func(cfg *Config) { cfg.Observer = watcher })
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		if len(watcher.waiting) != 1 || watcher.waiting[0].Delay < 10*time.Second || watcher.waiting[0].Reason == "" {
			t.Errorf("announced %+v", watcher.waiting)
		}
	})
}
