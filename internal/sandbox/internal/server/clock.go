package server

import (
	"sync"
	"time"
)

// Clock is the time that the sandbox uses: for created_at and
// updated_at, and for the comparison with an expiry. It either runs with the
// real clock, at a distance, or stands still until it is moved.
// It does not outlive the process.
type Clock struct {
	mu     sync.Mutex
	fixed  bool
	start  time.Time // where a fixed clock was first
	moved  moved
	OnMove func() // called after every move; nil: no call
}

// moved is what changes while the clock is in use.
type moved struct {
	at     time.Time     // where a fixed clock is
	offset time.Duration // how far a running clock is from the real one
	fault  time.Duration // how far the clock is from the real one because of a fault; 0: there is none
}

// NewClock is a clock that stands still at start, or the real one when start is
// zero.
func NewClock(start time.Time) *Clock {
	return &Clock{fixed: !start.IsZero(), start: start, moved: moved{at: start}}
}

// Now returns the sandbox's time in UTC, cut to the milliseconds that the
// service returns.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().UTC().Truncate(time.Millisecond)
}

func (c *Clock) now() time.Time {
	if c.moved.fault != 0 {
		return time.Now().Add(c.moved.fault)
	}
	if c.fixed {
		return c.moved.at
	}
	return time.Now().Add(c.moved.offset)
}

// Advance moves the clock forward by d, or back when d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	if c.fixed {
		c.moved.at = c.moved.at.Add(d)
	} else {
		c.moved.offset += d
	}
	c.mu.Unlock()
	c.tell()
}

// Set moves the clock to t. A running clock runs on from there.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	if c.fixed {
		c.moved.at = t
	} else {
		c.moved.offset += t.Sub(c.now())
	}
	c.mu.Unlock()
	c.tell()
}

// Reset reverts every move, and what a fault does to the clock. The clock then shows the time at which it started, or
// the real time. undo makes it what it was.
func (c *Clock) Reset() (undo func()) {
	before := c.become(moved{at: c.start})
	return func() { c.become(before) }
}

func (c *Clock) become(m moved) (before moved) {
	c.mu.Lock()
	before, c.moved = c.moved, m
	c.mu.Unlock()
	c.tell()
	return before
}

// differ lets the clock be so far from the real one, until it is 0 again.
func (c *Clock) differ(d time.Duration) {
	c.mu.Lock()
	changed := d != c.moved.fault
	c.moved.fault = d
	c.mu.Unlock()
	if changed {
		c.tell()
	}
}

func (c *Clock) tell() {
	if c.OnMove != nil {
		c.OnMove()
	}
}

// Fixed reports whether the clock stands still until it is moved.
func (c *Clock) Fixed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fixed
}

// Timestamp is a time as the service returns it: UTC, milliseconds, Z
// (wire contract: datetimes returned).
type Timestamp struct{ time.Time }

// TimestampLayout is that of time.Time.Format.
const TimestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON implements json.Marshaler.
func (i Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + i.UTC().Format(TimestampLayout) + `"`), nil
}

// Next returns now, or one millisecond past the timestamp when the clock has
// not moved since: updated_at moves with every change, even while a fixed
// clock stands.
func (i Timestamp) Next(now time.Time) Timestamp {
	if now.After(i.Time) {
		return Timestamp{now}
	}
	return Timestamp{i.Add(time.Millisecond)}
}

// ParseTime reads a date or a date-time with a zone
// (service description, Recurring billing §1 Data types).
func ParseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
