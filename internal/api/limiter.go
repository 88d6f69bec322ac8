package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// How long the limiter closes after a 429 without Retry-After: doubled up to a maximum at which a probe costs the
	// service little.
	limiterBackoffBase = 500 * time.Millisecond
	limiterBackoffCap  = 10 * time.Second
	limiterJitterMin   = 100 * time.Millisecond
	limiterJitterMax   = 5 * time.Second

	slowest     = 1                // requests per second after a 429
	unlimited   = 1000             // requests per second; a higher rate is not limited
	doubledEach = 10 * time.Second // without a 429
)

var errLimitTooLow = errors.New("the client-side limit of requests per second does not let the request through " +
	"before its deadline")

// Limiter limits the requests to the services. All clients of a provider share it: a 429 to one request closes it for
// all. When it opens, it lets one probe through. Unless the probe gets a 429 too, the other requests follow at half the
// rate, which doubles every ten seconds. The limiter also enforces the client-side limit.
type Limiter struct {
	mu         sync.Mutex
	limit      rate.Limit    // client-side, in requests per second
	pace       *rate.Limiter // in force, without bursts: never more than the limit in any second
	starts     []time.Time   // of the requests of the last second
	openedAt   time.Time     // when the pace began to apply, or was doubled
	notBefore  time.Time     // the limiter is closed until then
	cause      *Error        // the last 429
	recovering bool          // a 429 came, and no later probe has succeeded
	probing    bool          // the probe is under way
	strikes    int           // 429s in a row
	generation int           // counts closings; a permit of an earlier generation has no new information
	changed    chan struct{} // closed and replaced when waiters should check again
	random     func() float64
}

// NewLimiter returns a limiter with a client-side limit in requests per second; 0 or less means no limit.
func NewLimiter(requestsPerSecond float64) *Limiter {
	limit := rate.Limit(requestsPerSecond)
	if limit <= 0 {
		limit = rate.Inf
	}
	return &Limiter{limit: limit, pace: rate.NewLimiter(limit, 1),
		changed: make(chan struct{}), random: rand.Float64}
}

// permit is the permit to send one request. Its holder ends it with done or throttled.
type permit struct {
	limiter    *Limiter
	generation int
	probe      bool
}

// closedError reports that the limiter opens too late.
type closedError struct {
	until time.Time
	cause *Error
}

func (e *closedError) Error() string { return "rate limit: closed until " + e.until.String() }

// enter waits until the limiter lets a request through. It returns ctx's cause when ctx ends, *closedError if a limiter
// closed by a 429 will not open before latest or ctx's deadline, and errLimitTooLow if the rate lets the request
// through only after the deadline. It calls waiting before it waits for a closed limiter.
func (g *Limiter) enter(ctx context.Context, latest time.Time, waiting func(time.Duration)) (*permit, error) {
	deadline, bounded := ctx.Deadline()
	if bounded && deadline.Before(latest) {
		latest = deadline
	}
	var announced time.Time
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		now := time.Now()
		p, w := g.next(now)
		if p != nil {
			return p, nil
		}
		if err := w.tooLate(now, latest, deadline); err != nil {
			return nil, err
		}
		if w.cause != nil && !w.until.IsZero() && !w.until.Equal(announced) {
			announced = w.until
			waiting(w.until.Sub(now))
		}
		if w.until.IsZero() {
			w.until = latest
		}
		if err := pause(ctx, w.until.Sub(now), w.changed); err != nil {
			return nil, err
		}
	}
}

// wait describes what a waiter waits for.
type wait struct {
	until   time.Time       // zero: until something changes
	cause   *Error          // the 429 that closed the limiter; nil: the rate
	changed <-chan struct{} // closed when the waiter should check again
}

// tooLate returns the error of a wait that would last too long. A closed limiter must open before latest, and the rate
// must let the request through before the deadline of the context (zero if none).
func (w wait) tooLate(now, latest, deadline time.Time) error {
	switch {
	case w.cause != nil && (w.until.After(latest) || !now.Before(latest)):
		return &closedError{until: w.until, cause: w.cause}
	case w.cause == nil && !deadline.IsZero() && w.until.After(deadline):
		return errLimitTooLow
	}
	return nil
}

// next returns a permit, or what to wait for. No place is assigned ahead: it would come at the rate before a 429.
func (g *Limiter) next(now time.Time) (*permit, wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case now.Before(g.notBefore):
		return nil, wait{g.notBefore, g.cause, g.changed}
	case g.probing:
		return nil, wait{cause: g.cause, changed: g.changed} // a probe may never end
	}
	if g.probing = g.recovering; !g.probing {
		g.speedUp(now)
		r := g.pace.ReserveN(now, 1)
		if delay := r.DelayFrom(now); delay > 0 {
			r.CancelAt(now)
			return nil, wait{until: now.Add(delay), changed: g.changed}
		}
	}
	g.starts = append(g.lastSecond(now), now)
	return &permit{limiter: g, generation: g.generation, probe: g.probing}, wait{}
}

func (g *Limiter) lastSecond(now time.Time) []time.Time {
	for len(g.starts) > 0 && now.Sub(g.starts[0]) >= time.Second {
		g.starts = g.starts[1:]
	}
	return g.starts
}

func (g *Limiter) speedUp(now time.Time) {
	for pace := g.pace.Limit(); pace < g.limit && now.Sub(g.openedAt) >= doubledEach; pace = g.pace.Limit() {
		g.openedAt = g.openedAt.Add(doubledEach)
		if pace = min(2*pace, g.limit); pace > unlimited {
			pace = g.limit
		}
		g.pace.SetLimitAt(now, pace)
	}
}

// throttled ends a permit whose request got a 429. The limiter closes for the requested time plus a random delay, so
// that the clients of a service do not return together. Requests that were in flight together count as one event: only
// the first slows the rate down further. A probe says nothing about the rate.
func (p *permit) throttled(cause *Error) {
	g := p.limiter
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if p.generation == g.generation {
		g.generation++
		g.strikes++
		if !p.probe {
			sent := rate.Limit(len(g.lastSecond(now)))
			if pace := g.pace.Limit(); pace != rate.Inf && now.Sub(g.openedAt) < time.Second {
				sent = pace // it has not applied for a second
			}
			g.pace.SetLimitAt(now, min(max(sent/2, slowest), g.limit))
		}
	}
	wait := cause.RetryAfter
	if wait == 0 {
		wait = doubled(limiterBackoffBase, limiterBackoffCap, g.strikes)
	}
	jitter := min(max(wait/10, limiterJitterMin), limiterJitterMax)
	if until := now.Add(wait + time.Duration(g.random()*float64(jitter))); until.After(g.notBefore) {
		g.notBefore, g.cause = until, cause
	}
	g.recovering = true
	g.probing = g.probing && !p.probe
	g.wake()
}

// done ends a permit whose request got another response than a 429, or none. After a probe, the other requests follow:
// the limiter does not handle services that fail or hang.
func (p *permit) done() {
	g := p.limiter
	g.mu.Lock()
	defer g.mu.Unlock()
	if !p.probe {
		return
	}
	g.probing = false
	if p.generation == g.generation {
		g.recovering, g.strikes, g.openedAt = false, 0, time.Now()
	}
	g.wake()
}

func (g *Limiter) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}
