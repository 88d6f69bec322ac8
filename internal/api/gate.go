package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// How long the gate closes after a 429 without Retry-After: doubled up to a
	// cap, at which a probe costs the service little.
	gateBackoffBase = 500 * time.Millisecond
	gateBackoffCap  = 10 * time.Second
	gateJitterMin   = 100 * time.Millisecond
	gateJitterMax   = 5 * time.Second

	lateness     = 10 * time.Millisecond  // of a timer: a request that comes so late does not delay the next one
	measuredSpan = 2 * time.Second        // what "recent" means for the measured rate
	shortestSpan = 500 * time.Millisecond // so that a first burst is not an absurd rate
	slowing      = 0.85                   // what a 429 leaves of the rate that was too fast
	steepness    = 0.3                    // of the recovery, in requests per second³
	slowest      = 0.5                    // requests per second: slower is a standstill
	unlimited    = 1000                   // requests per second: a higher rate is not limited
)

var errLimitTooLow = errors.New("the client-side limit of requests per second does not let it through before its " +
	"deadline")

// Gate limits the requests to the services. All clients of a provider share it:
// a 429 to one request closes it for all. When it opens, one probe goes through,
// and unless that gets a 429 too the others follow, at a lower rate, which
// recovers within seconds. It also holds the client-side limit.
type Gate struct {
	mu          sync.Mutex
	speed       speed
	closedUntil time.Time
	cause       *Error        // the last 429
	recovering  bool          // a 429 came, and no probe has ended without one since
	probing     bool          // the probe is under way
	strikes     int           // 429s in a row
	generation  int           // counts closings; a pass of an earlier one has nothing new to say
	changed     chan struct{} // closed and replaced when waiters should look again
	head        chan struct{} // of one: who holds it is the next at the limiter
	random      func() float64
}

// NewGate makes a gate with a client-side limit in requests per second; 0, or
// less, is none.
func NewGate(requestsPerSecond float64) *Gate {
	return &Gate{speed: newSpeed(requestsPerSecond), changed: make(chan struct{}), head: make(chan struct{}, 1),
		random: rand.Float64}
}

// pass is the permit to send one request. Its holder ends it with done or
// throttled.
type pass struct {
	gate       *Gate
	generation int
	probe      bool
}

// closedError says that the gate opens too late.
type closedError struct {
	until time.Time
	cause *Error
}

func (e *closedError) Error() string { return "rate limit: closed until " + e.until.String() }

// wait is what a waiter waits for. Without anything it has to become the head first.
type wait struct {
	until   time.Time       // zero: until something changes
	cause   *Error          // the 429 that it waits for; nil: it waits for the limit
	changed <-chan struct{} // closed when it should look again
}

// forHead reports whether the waiter has to become the head first.
func (w wait) forHead() bool { return w.cause == nil && w.until.IsZero() }

// tooLate is the error of a wait that would last too long: a closed gate has to open before latest, and the limit has
// to let the request through before the deadline of the context, which is zero without one.
func (w wait) tooLate(now, latest, deadline time.Time) error {
	switch {
	case w.cause != nil && (w.until.After(latest) || !now.Before(latest)):
		return &closedError{until: w.until, cause: w.cause}
	case w.cause == nil && !deadline.IsZero() && w.until.After(deadline):
		return errLimitTooLow
	}
	return nil
}

// enter waits until the gate lets a request through. It fails with ctx's cause
// when ctx ends, and immediately with *closedError when the gate will not open
// before latest or ctx's deadline. Closings are announced to waiting.
func (g *Gate) enter(ctx context.Context, latest time.Time, waiting func(time.Duration)) (*pass, error) {
	deadline, bounded := ctx.Deadline()
	if bounded && deadline.Before(latest) {
		latest = deadline
	}
	var announced time.Time
	head := false
	defer func() {
		if head {
			<-g.head
		}
	}()
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		now := time.Now()
		p, w := g.next(now, head)
		if p != nil {
			return p, nil
		}
		if w.forHead() {
			head = g.becomeHead(ctx, w)
			continue
		}
		if err := w.tooLate(now, latest, deadline); err != nil {
			return nil, err
		}
		if w.until.IsZero() {
			w.until = latest // a probe is under way, and may hang
		} else if w.cause != nil && !w.until.Equal(announced) {
			announced = w.until
			waiting(w.until.Sub(now))
		}
		if err := pause(ctx, w.until.Sub(now), w.changed); err != nil {
			return nil, err
		}
	}
}

// becomeHead waits to be the next at the limiter; false means that the waiter looks again first.
func (g *Gate) becomeHead(ctx context.Context, w wait) bool {
	select {
	case g.head <- struct{}{}:
		return true
	case <-w.changed:
	case <-ctx.Done():
	}
	return false
}

// next decides what one waiter does now. Only the head waits for the time that the
// limit sets, so that the others go at the rate that is in force when they become
// the head.
func (g *Gate) next(now time.Time, head bool) (*pass, wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case now.Before(g.closedUntil):
		return nil, wait{until: g.closedUntil, cause: g.cause, changed: g.changed}
	case g.recovering && g.probing:
		return nil, wait{cause: g.cause, changed: g.changed}
	case g.recovering:
		g.probing = true
		return g.newPass(now, true), wait{}
	case !head:
		return nil, wait{changed: g.changed}
	case g.speed.current > 0 && g.speed.due.After(now):
		return nil, wait{until: g.speed.due, changed: g.changed}
	}
	return g.newPass(now, false), wait{}
}

func (g *Gate) newPass(now time.Time, probe bool) *pass {
	g.speed.started(now)
	return &pass{gate: g, generation: g.generation, probe: probe}
}

// throttled ends a pass whose request got a 429: the gate closes for as long as
// the service asked, and a little longer at random, so that the clients of one
// service do not return together. The requests that were under way together are one
// event, so only the first of them slows down further. A probe says nothing about
// the rate.
func (p *pass) throttled(cause *Error) {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if p.generation == g.generation {
		g.generation++
		g.strikes++
		if !p.probe {
			g.speed.slow(now)
		}
	}
	wait := cause.RetryAfter
	if wait == 0 {
		wait = doubled(gateBackoffBase, gateBackoffCap, g.strikes)
	}
	jitter := min(max(wait/10, gateJitterMin), gateJitterMax)
	until := now.Add(wait + time.Duration(g.random()*float64(jitter)))
	if until.After(g.closedUntil) {
		g.closedUntil, g.cause = until, cause
	}
	g.recovering = true
	if p.probe {
		g.probing = false
	}
	g.wake()
}

// done ends a pass whose request got something else than a 429, or no response.
// After a probe the others follow: a service that fails or hangs is not what the
// gate is for.
func (p *pass) done() {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	switch {
	case p.probe:
		g.probing = false
		if p.generation == g.generation {
			g.recovering, g.strikes, g.speed.openedAt = false, 0, now
		}
		g.wake()
	case !g.recovering && p.generation == g.generation:
		g.speed.recover(now)
	}
}

func (g *Gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// speed is the rate at which a gate lets requests through. Its owner locks.
//
// After a 429 it is somewhat below the rate that was too fast, and grows with the
// square of the time: slowly at first, as it is near the rate that the service
// allows, and fast when it is far below.
type speed struct {
	limit    float64         // configured, in requests per second; 0: none
	current  float64         // in force; 0: none
	base     float64         // after the last 429
	openedAt time.Time       // after the last 429
	due      time.Time       // of the next request
	starts   [1024]time.Time // ring: when the latest requests went through
	next     int
}

func newSpeed(limit float64) speed {
	limit = max(limit, 0)
	return speed{limit: limit, current: limit}
}

// interval is the time between two requests. Bursts are not allowed: a limit of n
// is never more than n in any second.
func (s *speed) interval() time.Duration {
	if s.current == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / s.current)
}

// started notes a request that goes through.
func (s *speed) started(now time.Time) {
	if late := now.Sub(s.due); late < 0 || late > lateness {
		s.due = now
	}
	s.due = s.due.Add(s.interval())
	s.starts[s.next] = now
	s.next = (s.next + 1) % len(s.starts)
}

// measured is the recent rate in requests per second. What was before the gate
// opened last does not count, as nothing was sent in between.
func (s *speed) measured(now time.Time) float64 {
	count, oldest := 0, now
	for _, start := range s.starts {
		if start.IsZero() || now.Sub(start) > measuredSpan || start.Before(s.openedAt) {
			continue
		}
		count++
		if start.Before(oldest) {
			oldest = start
		}
	}
	return float64(count) / max(now.Sub(oldest), shortestSpan).Seconds()
}

// slow slows down after a 429.
func (s *speed) slow(now time.Time) {
	reached := s.current
	if reached == 0 {
		reached = unlimited / 2
	}
	// A rate in force for less than a second cannot be measured.
	if s.current == 0 || now.Sub(s.openedAt) >= time.Second {
		reached = min(reached, s.measured(now))
	}
	floor := slowest
	if s.limit > 0 {
		floor = min(floor, s.limit)
	}
	s.base = max(slowing*reached, floor)
	s.current, s.openedAt = s.base, now
}

// recover speeds up with the time that has passed without a 429.
func (s *speed) recover(now time.Time) {
	if s.current == s.limit {
		return
	}
	elapsed := now.Sub(s.openedAt).Seconds()
	s.current = s.base + steepness*elapsed*elapsed
	if s.limit > 0 && s.current >= s.limit || s.limit == 0 && s.current >= unlimited {
		s.current = s.limit
	}
}
