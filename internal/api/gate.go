package api

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	gateBackoffBase = time.Second
	gateBackoffCap  = time.Minute
	gateJitterMin   = 250 * time.Millisecond
	gateJitterMax   = 5 * time.Second
)

// Gate is the one door in front of the services. All clients of a provider
// share it: a 429 to one request closes it for all. When it opens, one probe
// goes through, and only its success lets the others follow, at half the rate,
// which then recovers step by step. It also holds the client-side limit.
type Gate struct {
	mu          sync.Mutex
	speed       speed
	closedUntil time.Time
	cause       *Error        // the last 429
	recovering  bool          // a 429 came, and no probe has succeeded since
	probing     bool          // the probe is under way
	strikes     int           // 429s in a row
	generation  int           // counts closings; a pass of an earlier one has nothing new to say
	changed     chan struct{} // closed and replaced when waiters should look again
	random      func() float64
}

// NewGate makes a gate with a client-side limit in requests per second; 0, or
// less, is none.
func NewGate(requestsPerSecond float64) *Gate {
	return &Gate{speed: newSpeed(requestsPerSecond), changed: make(chan struct{}), random: rand.Float64}
}

// pass is the leave to send one request. Its holder ends it with done or
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

// turn is what a waiter should do now: go (pass), or wait and look again.
type turn struct {
	pass    *pass
	slot    *rate.Reservation // a place in the queue of the client-side limit
	delay   time.Duration     // negative: until something changes
	closed  bool              // it is the 429 that makes it wait
	opens   time.Time
	cause   *Error
	changed <-chan struct{}
}

// enter waits until the gate lets a request through. It fails with ctx's cause
// when ctx ends, and at once with *closedError when the gate will not open
// before latest or ctx's deadline. Closings are announced to waiting.
func (g *Gate) enter(ctx context.Context, latest time.Time, waiting func(time.Duration)) (*pass, error) {
	deadline, bounded := ctx.Deadline()
	if bounded && deadline.Before(latest) {
		latest = deadline
	}
	var queued turn
	var announced time.Time
	for {
		if err := ended(ctx); err != nil {
			queued.giveUp()
			return nil, err
		}
		t := g.next(time.Now(), queued)
		if t.pass != nil {
			return t.pass, nil
		}
		queued = t
		switch wake := time.Now().Add(t.delay); {
		case t.closed && t.opens.After(latest):
			return nil, &closedError{until: t.opens, cause: t.cause}
		case t.closed && !t.opens.Equal(announced):
			announced = t.opens
			waiting(t.delay)
		case !t.closed && bounded && t.delay > 0 && wake.After(deadline):
			t.giveUp()
			return nil, errLimitTooLow
		}
		if err := pause(ctx, t.delay, t.changed); err != nil {
			queued.giveUp()
			return nil, err
		}
	}
}

func (t turn) giveUp() {
	if t.slot != nil {
		t.slot.Cancel()
	}
}

// next decides one waiter's turn. queued is its turn before: a place in the
// queue is kept until the gate closes. That wakes every waiter and takes the
// place away, because the places of all would come due together.
func (g *Gate) next(now time.Time, queued turn) turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := turn{changed: g.changed, delay: -1}
	switch {
	case now.Before(g.closedUntil):
		t.closed, t.opens, t.cause, t.delay = true, g.closedUntil, g.cause, g.closedUntil.Sub(now)
		return t
	case g.recovering && g.probing:
		return t
	case g.recovering:
		g.probing = true
		t.pass = g.newPass(now, true)
		return t
	}
	if t.slot = queued.slot; t.slot == nil {
		t.slot = g.speed.reserve(now)
	}
	if t.delay = t.slot.DelayFrom(now); t.delay > 0 {
		return t
	}
	t.pass = g.newPass(now, false)
	return t
}

func (g *Gate) newPass(now time.Time, probe bool) *pass {
	g.speed.started(now)
	return &pass{gate: g, generation: g.generation, probe: probe}
}

// throttled ends a pass whose request was answered with 429: the gate closes
// for what the service asked, or longer. The requests that were under way
// together are one event, so only the first of them slows down further.
func (p *pass) throttled(cause *Error) {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if p.generation == g.generation {
		g.generation++
		g.strikes++
		g.speed.halve(now)
	}
	wait := max(cause.RetryAfter, doubled(gateBackoffBase, gateBackoffCap, g.strikes))
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

// done ends a pass. An answer below 500 shows that the service lets requests
// through again; after anything else (status 0: no answer) another probe tries.
func (p *pass) done(status int) {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	answered := status > 0 && status < http.StatusInternalServerError
	switch {
	case p.probe:
		g.probing = false
		if answered && p.generation == g.generation {
			g.recovering, g.strikes = false, 0
			g.speed.reopened(now)
		}
		g.wake()
	case answered && !g.recovering && p.generation == g.generation:
		g.speed.recover(now)
	}
}

func (g *Gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}
