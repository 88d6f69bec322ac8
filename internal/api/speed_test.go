package api

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

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

// TestRateFollowsTheService: with a service that lets 50 requests a second through, 1,000 reads take at most 1.3 times
// as long as they must, also right after a storm of 429, and however many wait at the same time.
func TestRateFollowsTheService(t *testing.T) {
	t.Parallel()
	const perSecond, reads = 50, 1000
	for _, test := range []struct {
		burst, workers int
		retryAfter     string
		storm          time.Duration
	}{
		{50, 10, "", 0}, {50, 10, "1", 0}, {10, 10, "", 0}, {10, 10, "1", 0}, {50, 40, "1", 0}, {50, reads, "", 0},
		{50, 10, "", 10 * time.Minute}, {50, 10, "", 30 * time.Second}, {50, 10, "1", 30 * time.Second},
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
				most := reads * time.Second / perSecond * 13 / 10
				if test.storm > 0 {
					most += test.storm + gateBackoffCap
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

// TestHangingHostAfterA429: reads that hang are not made one after the other because a 429 came before them.
func TestHangingHostAfterA429(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(status(429), step{hang: true}),
			func(cfg *Config) { cfg.RequestTimeout, cfg.MaxRetries = time.Second, 4 })
		start := time.Now()
		var group sync.WaitGroup
		for range 40 {
			group.Go(func() {
				if _, err := c.Do(t.Context(), getCustomer); err == nil {
					t.Error("a read succeeded")
				}
			})
		}
		group.Wait()
		if took := time.Since(start); took > time.Minute {
			t.Errorf("40 reads took %s", took)
		}
	})
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
