package api

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// clock is the service's own time, as the Date headers of its responses show it.
// A date that a service compares with its clock is judged by that clock: this
// machine's may be wrong by days.
type clock struct {
	mu   sync.Mutex
	date time.Time // Date of the newest response; zero: none so far
	at   time.Time // when that response arrived, by this machine
	own  bool      // it was a success, and not an error that a proxy can have made up

	// low is the latest time that the Dates so far prove the service to have reached,
	// and lowAt when it had. A Date has whole seconds, so the newest one alone proves
	// up to a second less.
	low, lowAt time.Time
}

// note takes the Date of a response that has just arrived. A response without a
// readable Date changes nothing, and neither does an error after a success: a proxy
// gives its errors the time of its own machine.
func (c *clock) note(status int, header http.Header) {
	date, err := http.ParseTime(header.Get("Date"))
	c.mu.Lock()
	defer c.mu.Unlock()
	own := isSuccess(status) && isJSON(header) || status == http.StatusNotModified
	if err != nil || c.own && !own {
		return
	}
	c.date, c.at, c.own = date, time.Now(), own
	if reached := c.low.Add(c.at.Sub(c.lowAt)); date.After(reached) || date.Add(time.Second).Before(reached) {
		c.low, c.lowAt = date, c.at
	}
}

// now returns the service's time. It is false while no response had a Date.
func (c *clock) now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.date.IsZero() {
		return time.Time{}, false
	}
	return c.date.Add(time.Since(c.at)), true
}

// Date returns the Date of the service's newest response: its own clock is there, or
// later. Unlike Now it does not rely on how fast that clock runs.
func (c *Client) Date() (time.Time, bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.date, !c.clock.date.IsZero()
}

// Mark is a time that the service had reached when it was taken.
type Mark struct{ reached, taken time.Time }

// Mark takes the time that the service has reached, as its responses so far prove it. It
// is zero while no response has shown its time.
func (c *Client) Mark() Mark {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	if c.clock.low.IsZero() {
		return Mark{}
	}
	now := time.Now()
	return Mark{reached: c.clock.low.Add(now.Sub(c.clock.lowAt)), taken: now}
}

// standing is how long a clock is watched until it counts as one that does not move, which that
// of a sandbox may do: Dates have whole seconds.
const standing = 2 * time.Second

// Precedes reports whether what the service has done at a time was done before the mark.
// It is false for a mark without a time, and where later responses have shown that the
// clock of the service does not run. certain is false until they can have shown that.
func (c *Client) Precedes(at time.Time, m Mark) (before, certain bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	watched := c.clock.at.Sub(m.taken)
	stands := watched >= standing && c.clock.date.Add(time.Second).Before(m.reached.Add(watched))
	before = !m.reached.IsZero() && !stands && at.Before(m.reached)
	return before, !before || watched >= standing
}

// Now returns the service's own time, to the second, in UTC. While no response
// has shown it, ask sends one request that changes nothing; its error does not
// matter, as a rejection has a Date too. It is false when the service does not
// show its time: then nothing can be decided about a date here, and the service
// decides.
func (c *Client) Now(ctx context.Context, ask func(context.Context) error) (time.Time, bool) {
	if now, ok := c.clock.now(); ok {
		return now.UTC(), true
	}
	_ = ask(ctx)
	now, ok := c.clock.now()
	return now.UTC(), ok
}
