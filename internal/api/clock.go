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

// since is the service's time of a moment of this machine, or up to a few seconds earlier: the Date of the newest
// response has whole seconds, and was written before that response arrived. It is zero while no response had a Date.
func (c *Client) since(moment time.Time) time.Time {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	if c.clock.date.IsZero() {
		return time.Time{}
	}
	return c.clock.date.Add(moment.Sub(c.clock.at) - time.Second)
}

// Precedes reports whether what the service has created is older than a moment of this machine. What does not show its
// time is not.
func (c *Client) Precedes(created string, moment time.Time) bool {
	at, ok := Moment(created)
	since := c.since(moment)
	return ok && !IsDate(created) && !since.IsZero() && at.Before(since)
}

// within reports whether the service has created an object between a moment of this machine and its newest response.
// known is false where the service does not show the time of either.
func (c *Client) within(created string, moment time.Time) (within, known bool) {
	at, ok := Moment(created)
	now, shown := c.clock.now()
	if !ok || IsDate(created) || !shown {
		return false, false
	}
	return !c.Precedes(created, moment) && !at.After(now.Add(time.Second)), true
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
