package api

import (
	"context"
	"errors"
	"fmt"
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
		limiter := NewLimiter(0)
		share := func(cfg *Config) { cfg.Limiter = limiter }
		together(t, 20, newClient(t, s, share), newClient(t, s, share))

		first := s.since(start)
		if len(first) != 40 {
			t.Fatalf("asked %d times, want each of 20 rejected once and returned once", len(first))
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
			if gap := reopened[i].Sub(reopened[i-1]); gap < 25*time.Millisecond {
				t.Errorf("request %d came %s after the one before, want a lower rate", i, gap)
			}
		}
	})
}

func TestGateReopensWithoutABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &service{reopens: start.Add(time.Second), retryAfter: "10"}
		together(t, 30, newClient(t, s, func(cfg *Config) { cfg.Limiter = NewLimiter(10) }))
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

// enter goes through a limiter, however long that takes.
func enter(t *testing.T, g *Limiter) *permit {
	t.Helper()
	p, err := g.enter(t.Context(), time.Now().Add(time.Hour), func(time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGateSlowsDownOncePerEvent: requests that are throttled together are one event.
func TestGateSlowsDownOncePerEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewLimiter(20)
		var permits []*permit
		for range 4 {
			permits = append(permits, enter(t, limiter))
		}
		for _, p := range permits {
			p.throttled(&Error{Status: 429})
		}
		// 4 requests in a second were too many.
		if got := limiter.pace.Limit(); got != 2 || limiter.strikes != 1 {
			t.Errorf("rate %v after %d strikes, want 2 after 1", got, limiter.strikes)
		}
	})
}

// TestGateRecovers: the rate is half of what the last second sent, and doubles every ten seconds.
func TestGateRecovers(t *testing.T) {
	for limit, want := range map[float64]map[int]float64{ // limit → seconds after the 429 → rate in force
		20:  {0: 10, 9: 10, 10: 20, 40: 20},
		0:   {0: 10, 10: 20, 25: 40, 60: 640, 70: math.MaxFloat64},
		0.4: {0: 0.4, 60: 0.4}, // below the slowest rate
	} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := NewLimiter(limit)
				for range 40 {
					enter(t, limiter).done()
					if limit != 20 {
						time.Sleep(50 * time.Millisecond)
					}
				}
				enter(t, limiter).throttled(&Error{Status: 429, RetryAfter: time.Second})
				enter(t, limiter).done()
				reopened := time.Now()
				for second := range 71 {
					time.Sleep(time.Until(reopened.Add(time.Duration(second) * time.Second)))
					limiter.speedUp(time.Now())
					if want, ok := want[second]; ok && float64(limiter.pace.Limit()) != want {
						t.Errorf("%d s after the 429: rate %v, want %v", second, limiter.pace.Limit(), want)
					}
				}
			})
		})
	}
}

func TestGateLimitsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &service{}
		together(t, 11, newClient(t, s, func(cfg *Config) { cfg.Limiter = NewLimiter(5) }))
		asked := s.since(start)
		if took := asked[10].Sub(asked[0]); took != 2*time.Second {
			t.Errorf("11 requests at 5 a second took %s, want 2s", took)
		}
	})
}

func TestGateLimitObeysTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(ok(`{}`)), func(cfg *Config) { cfg.Limiter = NewLimiter(0.1) })
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

// TestWhatOpensTheGate: any end of a probe but another 429, which makes the next wait longer.
func TestWhatOpensTheGate(t *testing.T) {
	for _, opens := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			limiter := NewLimiter(0)
			enter(t, limiter).throttled(&Error{Status: 429})
			if opens {
				enter(t, limiter).done()
			} else {
				enter(t, limiter).throttled(&Error{Status: 429})
			}
			if p := enter(t, limiter); p.probe == opens || limiter.strikes != map[bool]int{false: 2}[opens] {
				t.Errorf("opens %t: the next request is a probe: %t, after %d strikes", opens, p.probe, limiter.strikes)
			}
		})
	}
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

// TestGateKeepsToRetryAfter: however often the service asks to wait a second, that is how long each wait is, and a
// little longer. Without Retry-After the waits grow.
func TestGateKeepsToRetryAfter(t *testing.T) {
	for retryAfter, want := range map[string][]time.Duration{
		"10": {10 * time.Second, 10 * time.Second, 10 * time.Second, 10 * time.Second, 10 * time.Second, 10 * time.Second},
		"":   {time.Second / 2, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second},
	} {
		for _, random := range []float64{0, 0.5} {
			synctest.Test(t, func(t *testing.T) {
				watcher := &events{}
				throttled := step{status: 429, header: map[string]string{"Retry-After": retryAfter}}
				c := newClient(t, play(throttled, throttled, throttled, throttled, throttled, throttled, ok(`{}`)),
					func(cfg *Config) { cfg.Observer = watcher })
				c.limiter.random = func() float64 { return random }
				if _, err := c.Do(t.Context(), getCustomer); err != nil {
					t.Fatal(err)
				}
				for i, wait := range watcher.waiting {
					jitter := time.Duration(random * float64(max(want[i]/10, limiterJitterMin)))
					if wait.Delay != want[i]+jitter || wait.Reason == "" {
						t.Errorf("Retry-After %q, wait %d: %s, want %s and %s", retryAfter, i, wait.Delay, want[i], jitter)
					}
				}
				if len(watcher.waiting) != len(want) {
					t.Errorf("announced %+v", watcher.waiting)
				}
			})
		}
	}
}

// bucket lets perSecond requests through, and size of them together.
type bucket struct {
	mu              sync.Mutex
	perSecond, size float64
	tokens          float64
	at              time.Time
}

func (b *bucket) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tokens, b.at = min(b.size, b.tokens+b.perSecond*now.Sub(b.at).Seconds()), now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// TestRateFollowsTheService: with a service that lets 50 requests a second through, 1,000 reads take at most twice as
// long as they must, however many wait at the same time. After a storm of 429, the rate is back within 40 seconds.
func TestRateFollowsTheService(t *testing.T) {
	t.Parallel()
	const perSecond, reads = 50, 1000
	for _, test := range []struct {
		burst, workers int
		retryAfter     string
		storm          time.Duration
	}{
		{50, 10, "", 0}, {50, 10, "1", 0}, {10, 10, "", 0}, {10, 10, "1", 0}, {50, 40, "1", 0}, {50, reads, "", 0},
		{50, 10, "", 4 * time.Minute}, {50, 10, "", 30 * time.Second}, {50, 10, "1", 30 * time.Second},
		{50, 10, "0", 30 * time.Second},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				limit := &bucket{perSecond: perSecond, size: float64(test.burst)}
				transport := play(step{respond: func(*http.Request) step {
					time.Sleep(40 * time.Millisecond)
					if time.Since(start) < test.storm || !limit.allow() {
						throttled := status(429)
						if test.retryAfter != "" {
							throttled.header = map[string]string{"Retry-After": test.retryAfter}
						}
						return throttled
					}
					return ok(`{"data":{"id":"c1"}}`)
				}})
				c := newClient(t, transport)
				left := make(chan bool, reads)
				for range reads {
					left <- true
				}
				close(left)
				var group sync.WaitGroup
				for range test.workers {
					group.Go(func() {
						for range left {
							if _, err := c.Do(t.Context(), getCustomer); err != nil {
								t.Error(err)
							}
						}
					})
				}
				group.Wait()
				most := reads * time.Second / perSecond * 2
				if test.storm > 0 {
					most = reads*time.Second/perSecond + test.storm + limiterBackoffCap + 4*doubledEach
				}
				took := time.Since(start)
				t.Logf("%s, %d requests", took, transport.count())
				if took > most {
					t.Errorf("1,000 reads took %s, want at most %s", took, most)
				}
				if extra := transport.count() - reads; extra > reads/5+test.workers {
					t.Errorf("%d requests were throttled", extra)
				}
			})
		})
	}
}

// TestWaitersBehindAProbeObeyTheirDeadline: a probe that hangs keeps nobody longer than they may wait.
func TestWaitersBehindAProbeObeyTheirDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(status(429), step{hang: true}),
			func(cfg *Config) { cfg.RequestTimeout, cfg.MaxWait = time.Hour, time.Minute })
		start := time.Now()
		done := make(chan time.Duration, 2)
		for range 2 {
			go func() {
				_, err := c.Do(t.Context(), getCustomer)
				if err == nil {
					t.Error("a read succeeded")
				}
				done <- time.Since(start)
			}()
			synctest.Wait()
			time.Sleep(3 * time.Second)
		}
		if first := <-done; first > time.Minute+4*time.Second {
			t.Errorf("the one behind the probe ended after %s", first)
		}
		<-done
	})
}
