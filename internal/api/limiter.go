package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	// How long the limiter closes after a 429 without Retry-After: doubled up to a maximum at which a probe costs the
	// service little.
	limiterBackoffBase = 500 * time.Millisecond
	limiterBackoffCap  = 10 * time.Second
	limiterJitterMin   = 100 * time.Millisecond
	limiterJitterMax   = 5 * time.Second

	lateness     = 10 * time.Millisecond  // of a timer: a request delayed by less does not delay the next one
	measuredSpan = 2 * time.Second        // what "recent" means for the measured rate
	shortestSpan = 500 * time.Millisecond // prevents an absurd rate after a first burst
	slowing      = 0.85                   // factor applied to the rate that caused a 429
	steepness    = 0.3                    // of the recovery, in requests per second³
	slowest      = 0.5                    // requests per second; below this is a standstill
	unlimited    = 1000                   // requests per second; a higher rate is not limited
)

var errLimitTooLow = errors.New("the client-side limit of requests per second does not let the request through " +
	"before its deadline")

// Limiter limits the requests to the services. All clients of a provider share it: a 429 to one request closes it for
// all. When it opens, it lets one probe through. Unless the probe gets a 429 too, the other requests follow at a lower
// rate, which recovers within seconds. The limiter also enforces the client-side limit. First come, first served.
type Limiter struct {
	mu          sync.Mutex
	speed       speed
	closedUntil time.Time
	cause       *Error        // the last 429
	recovering  bool          // a 429 came, and no later probe has succeeded
	probing     bool          // the probe is under way
	strikes     int           // 429s in a row
	generation  int           // counts closings; a pass of an earlier generation has no new information
	tickets     int           // given to waiters so far
	queue       []int         // the tickets of those that wait, in order
	changed     chan struct{} // closed and replaced when waiters should check again
	random      func() float64
}

// NewLimiter returns a limiter with a client-side limit in requests per second; 0 or less means no limit.
func NewLimiter(requestsPerSecond float64) *Limiter {
	return &Limiter{speed: newSpeed(requestsPerSecond), changed: make(chan struct{}), random: rand.Float64}
}

// pass is the permit to send one request. Its holder ends it with done or throttled.
type pass struct {
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

// wait describes what a waiter waits for.
type wait struct {
	until   time.Time       // zero: until something changes
	cause   *Error          // the 429 that closed the limiter; nil: the rate limit
	changed <-chan struct{} // closed when the waiter should check again
}

// lasts returns how long the waiter waits at most; negative: without limit. A probe may never end.
func (w wait) lasts(now, latest time.Time) time.Duration {
	switch {
	case !w.until.IsZero():
		return w.until.Sub(now)
	case w.cause != nil:
		return latest.Sub(now)
	}
	return -1
}

// tooLate returns the error of a wait that would last too long. A closed limiter must open before latest, and the limit
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

// enter waits until the limiter lets a request through. It returns ctx's cause when ctx ends, and immediately
// *closedError if the limiter will not open before latest or ctx's deadline. It calls waiting before it waits for a
// closed limiter.
func (g *Limiter) enter(ctx context.Context, latest time.Time, waiting func(time.Duration)) (*pass, error) {
	deadline, bounded := ctx.Deadline()
	if bounded && deadline.Before(latest) {
		latest = deadline
	}
	var announced time.Time
	ticket := g.join()
	defer g.leave(ticket)
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		now := time.Now()
		p, w := g.next(now, ticket)
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
		if err := pause(ctx, w.lasts(now, latest), w.changed); err != nil {
			return nil, err
		}
	}
}

// join returns a ticket for the end of the queue.
func (g *Limiter) join() (ticket int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tickets++
	g.queue = append(g.queue, g.tickets)
	return g.tickets
}

func (g *Limiter) leave(ticket int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = slices.DeleteFunc(g.queue, func(other int) bool { return other == ticket })
	if len(g.queue) > 0 {
		g.wake()
	}
}

// next returns the next step of a waiter. Only the first one waits for the time set by the limit, so that each of the
// others uses the rate that applies when it is the first.
func (g *Limiter) next(now time.Time, ticket int) (*pass, wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case now.Before(g.closedUntil):
		return nil, wait{until: g.closedUntil, cause: g.cause, changed: g.changed}
	case g.recovering && (g.probing || g.queue[0] != ticket):
		return nil, wait{cause: g.cause, changed: g.changed}
	case g.recovering:
		g.probing = true
		return g.newPass(now, true), wait{}
	case g.queue[0] != ticket:
		return nil, wait{changed: g.changed}
	case g.speed.current > 0 && g.speed.due.After(now):
		return nil, wait{until: g.speed.due, changed: g.changed}
	}
	return g.newPass(now, false), wait{}
}

func (g *Limiter) newPass(now time.Time, probe bool) *pass {
	g.speed.started(now)
	return &pass{limiter: g, generation: g.generation, probe: probe}
}

// throttled ends a pass whose request got a 429. The limiter closes for the requested time plus a random delay, so that
// the clients of a service do not return together. Requests that were in flight together count as one event: only the
// first slows the rate down further. A probe says nothing about the rate.
func (p *pass) throttled(cause *Error) {
	g := p.limiter
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
		wait = doubled(limiterBackoffBase, limiterBackoffCap, g.strikes)
	}
	jitter := min(max(wait/10, limiterJitterMin), limiterJitterMax)
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

// done ends a pass whose request got another response than a 429, or none. After a probe, the other requests follow:
// the limiter does not handle services that fail or hang.
func (p *pass) done() {
	g := p.limiter
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

func (g *Limiter) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// speed is the rate at which a limiter lets requests through. The limiter locks it.
//
// After a 429, the rate is slightly below the one that was too fast. It grows with the square of the time: slowly near
// the rate that the service allows, and fast when it is far below.
type speed struct {
	limit    float64         // configured, in requests per second; 0: none
	current  float64         // in force; 0: none
	base     float64         // after the last 429
	openedAt time.Time       // after the last 429
	due      time.Time       // of the next request
	starts   [1024]time.Time // ring of the start times of the latest requests
	next     int
}

func newSpeed(limit float64) speed {
	limit = max(limit, 0)
	return speed{limit: limit, current: limit}
}

// interval is the time between two requests. Bursts are not allowed: a limit of n never lets more than n requests
// through in any second.
func (s *speed) interval() time.Duration {
	if s.current == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / s.current)
}

func (s *speed) started(now time.Time) {
	if late := now.Sub(s.due); late < 0 || late > lateness {
		s.due = now
	}
	s.due = s.due.Add(s.interval())
	s.starts[s.next] = now
	s.next = (s.next + 1) % len(s.starts)
}

// measured is the recent rate in requests per second, since the limiter last opened: nothing was sent while it was
// closed.
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

func (s *speed) slow(now time.Time) {
	reached := s.current
	if reached == 0 {
		reached = unlimited / 2
	}
	// A rate cannot be measured within its first second.
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
