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
	// earliest and latest are the bounds of the service's time at that moment. Each response narrows them: its Date has
	// whole seconds, and was written after its request was sent and before it arrived.
	earliest, latest time.Time
	// agrees and differs are what the responses to creations have shown of the clock that dates objects: it can be
	// another one than that of Date, which a gateway may write.
	agrees, differs bool
}

// note takes the Date of a response that has just arrived. A response without a
// readable Date changes nothing, and neither does an error after a success: a proxy
// gives its errors the time of its own machine.
func (c *clock) note(status int, header http.Header, sent time.Time) {
	date, err := http.ParseTime(header.Get("Date"))
	c.mu.Lock()
	defer c.mu.Unlock()
	own := isSuccess(status) && isJSON(header) || status == http.StatusNotModified
	if err != nil || c.own && !own {
		return
	}
	now := time.Now()
	earliest, latest := date, date.Add(now.Sub(sent)+time.Second)
	if passed := now.Sub(c.at); c.own {
		after, before := latestOf(earliest, c.earliest.Add(passed)), earliestOf(latest, c.latest.Add(passed))
		if after.Before(before) { // otherwise the clock was set, or stands still
			earliest, latest = after, before
		}
	}
	c.date, c.at, c.own, c.earliest, c.latest = date, now, own, earliest, latest
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliestOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
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

// age is what the dates of a service prove of an object that it shows.
type age int

const (
	ageUnknown age = iota // the clock of Date and the one that dates objects differ, or a date is missing
	ageClose              // a response that takes less time may decide
	older                 // than the request, if the two clocks agree
	newer                 // the same
)

// age compares the time of creation that an object shows with the time at which a request was sent.
//
// The service's time of the request follows from the monotonic clock of this process and from responses, before and
// after it. Where these leave a range, an object counts as newer from its end on, less the second that a Date leaves
// out: a response that takes long widens the range, and makes no object newer. So an object of another system is at
// most as much older as the Date of the newest response leaves out of its second. Between one second before the range
// and there nothing is decided.
//
// An object of a time to come shows that another clock has dated it, and so does the response to a creation.
func (c *Client) age(created string, sent time.Time) age {
	at, ok := Moment(created)
	k := &c.clock
	k.mu.Lock()
	defer k.mu.Unlock()
	if !ok || IsDate(created) || k.date.IsZero() || k.differs || at.After(k.latest.Add(time.Since(k.at))) {
		return ageUnknown
	}
	ago := sent.Sub(k.at)
	earliest, latest := k.earliest.Add(ago), k.latest.Add(ago)
	// A clock that stands still is at the newest Date, however long ago the request was.
	from := earliestOf(k.date, latestOf(earliest, latest.Add(-time.Second)))
	switch {
	case at.Before(earliest.Add(-time.Second)):
		return older
	case at.Before(from):
		return ageClose
	}
	return newer
}

// Older reports whether an object was created before a request by the dates of the service.
func (c *Client) Older(created string, sent time.Time) bool { return c.age(created, sent) == older }

// dates notes what the response to a creation shows of the two clocks, and returns the age of its object.
func (c *Client) dates(created string, response *Response) age {
	at, shown := Moment(created)
	date, err := http.ParseTime(response.Header.Get("Date"))
	if shown && err == nil && at.After(date.Add(time.Second)) {
		c.clock.mu.Lock()
		c.clock.differs = true
		c.clock.mu.Unlock()
	}
	result := c.age(created, response.sentAt)
	if result == newer {
		c.clock.mu.Lock()
		c.clock.agrees = true
		c.clock.mu.Unlock()
	}
	return result
}

// dateAt is the service's time of a moment of this machine, to the second; "" where no response had a Date.
func (c *Client) dateAt(moment time.Time) string {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	if c.clock.date.IsZero() {
		return ""
	}
	return c.clock.date.Add(moment.Sub(c.clock.at)).Round(time.Second).UTC().Format(time.RFC3339)
}

// clocksAgree reports whether the response to a creation of this run has shown that the clock of Date dates objects.
func (c *Client) clocksAgree() bool {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.agrees && !c.clock.differs
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
