package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const latency = 300 * time.Millisecond

// service returns 429 until reopens, then 200, and records when it was asked.
type service struct {
	mu         sync.Mutex
	reopens    time.Time
	retryAfter string
	asked      []time.Time
	busy, most atomic.Int32
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.most.Store(max(s.most.Load(), s.busy.Add(1)))
	defer s.busy.Add(-1)
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	closed := time.Now().Before(s.reopens)
	s.mu.Unlock()
	time.Sleep(latency)
	if closed {
		return step{status: 429, header: map[string]string{"Retry-After": s.retryAfter}}.roundTrip(r)
	}
	return ok(`{}`).roundTrip(r)
}

func (s *service) since(from time.Time) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	var times []time.Time
	for _, at := range s.asked {
		if !at.Before(from) {
			times = append(times, at)
		}
	}
	return times
}

func together(t *testing.T, n int, clients ...*Client) {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if _, err := clients[i%len(clients)].Do(t.Context(), getCustomer); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestGateClosesForAllAndProbesWithOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &service{reopens: start.Add(30 * time.Second), retryAfter: "30"}
		gate := NewGate(0)
		share := func(cfg *Config) { cfg.Gate = gate }
		together(t, 20, newClient(t, s, share), newClient(t, s, share))

		first := s.since(start)
		if len(first) != 40 {
			t.Fatalf("asked %d times, want each of 20 refused once and returned once", len(first))
		}
		reopened := s.since(start.Add(time.Second))
		if len(reopened) != 20 || reopened[0].Before(start.Add(30*time.Second)) {
			t.Fatalf("%d requests after the 429, the first at +%s", len(reopened), reopened[0].Sub(start))
		}
		// The probe is alone until its response has come.
		if gap := reopened[1].Sub(reopened[0]); gap < latency {
			t.Errorf("the second request came %s after the probe, before its response", gap)
		}
		// 20 requests in a first second were too many: now fewer, and more step by step.
		for i := 3; i < len(reopened); i++ {
			if gap := reopened[i].Sub(reopened[i-1]); gap < 30*time.Millisecond {
				t.Errorf("request %d came %s after the one before, want a lower rate", i, gap)
			}
		}
	})
}

func TestGateReopensWithoutABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &service{reopens: start.Add(time.Second), retryAfter: "10"}
		together(t, 30, newClient(t, s, func(cfg *Config) { cfg.Gate = NewGate(10) }))
		reopened := s.since(start.Add(2 * time.Second))
		for i := 2; i < len(reopened); i++ {
			if gap := reopened[i].Sub(reopened[i-1]); gap < 100*time.Millisecond {
				t.Errorf("request %d came %s after the one before: places from before the closing came due together", i, gap)
			}
		}
		if len(reopened) < 25 {
			t.Errorf("only %d requests after the closing", len(reopened))
		}
	})
}

func TestGateSlowsDownOncePerEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(8)
		var passes []*pass
		for range 4 {
			p, err := gate.enter(t.Context(), time.Now().Add(time.Hour), func(time.Duration) {})
			if err != nil {
				t.Fatal(err)
			}
			passes = append(passes, p)
		}
		for _, p := range passes {
			p.throttled(&Error{Status: 429})
		}
		// 4 requests in a second were too many.
		if want := 4 * allowed * slowing; math.Abs(gate.speed.current-want) > 1e-9 || gate.strikes != 1 {
			t.Errorf("rate %v after %d strikes, want %v after 1", gate.speed.current, gate.strikes, want)
		}
	})
}

func TestGateRecoversWithinSeconds(t *testing.T) {
	for name, test := range map[string]struct {
		limit float64
		want  map[int]float64 // seconds after the 429 → rate in force
	}{
		"to the configured limit": {20, map[int]float64{0: 16.5, 2: 18.4, 4: 20, 6: 20}},
		"to no limit":             {0, map[int]float64{0: 16.5, 2: 18.4, 4: 20, 10: 185, 20: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := NewGate(test.limit)
				enter := func() *pass {
					p, err := gate.enter(t.Context(), time.Now().Add(time.Hour), func(time.Duration) {})
					if err != nil {
						t.Fatal(err)
					}
					return p
				}
				for range 40 {
					enter().done(200)
					time.Sleep(50 * time.Millisecond)
				}
				gate.speed.current = 20
				enter().throttled(&Error{Status: 429, RetryAfter: time.Second})
				enter().done(200)
				for second := range 21 {
					enter().done(200)
					got := gate.speed.current
					if want, ok := test.want[second]; ok && (got < 0.9*want || got > 1.1*want+0.2) {
						t.Errorf("%d s after the 429: rate %v, want about %v", second, got, want)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

func TestMeasuredRate(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newSpeed(0)
	for i := range 60 {
		s.started(start.Add(time.Duration(i) * 100 * time.Millisecond))
	}
	if got := s.measured(start.Add(6 * time.Second)); got != 10 {
		t.Errorf("60 requests in 6 s measure as %v a second", got)
	}
	if got := s.measured(start.Add(time.Minute)); got != 0 {
		t.Errorf("what is long ago measures as %v", got)
	}
	s.slow(start.Add(time.Minute))
	if s.current != slowest {
		t.Errorf("rate %v, want the floor %v", s.current, slowest)
	}
}

func TestGateLimitsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &service{}
		together(t, 11, newClient(t, s, func(cfg *Config) { cfg.Gate = NewGate(5) }))
		asked := s.since(start)
		if took := asked[10].Sub(asked[0]); took != 2*time.Second {
			t.Errorf("11 requests at 5 a second took %s, want 2s", took)
		}
	})
}

func TestGateLimitObeysTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(ok(`{}`)), func(cfg *Config) { cfg.Gate = NewGate(0.1) })
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Do(ctx, getCustomer)
		if !errors.Is(err, errLimitTooLow) || time.Since(start) != 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		// The place it gave up is free again.
		if _, err := c.Do(t.Context(), getCustomer); err != nil || time.Since(start) != 10*time.Second {
			t.Errorf("%v, the next one went through after %s, want 10s", err, time.Since(start))
		}
	})
}
