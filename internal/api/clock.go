package api

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// clock is the service's time, according to the Date headers of its responses. Dates that the service compares with its
// clock are checked against this clock, because the local one may be wrong by days.
type clock struct {
	mu   sync.Mutex
	date time.Time // Date of the newest response; zero before the first one
	at   time.Time // local time at which that response arrived
	own  bool      // it was a success, not an error that a proxy may have created
	// earliest and latest are the bounds of the service's time at that moment. Each response narrows them: its Date has
	// whole seconds, and was written between its request and its arrival.
	earliest, latest time.Time
	// agrees and differs record whether responses to creations show that objects are dated by the clock of Date, which may
	// be a gateway's. A Date that jumps is from another clock too, or the clock was set.
	agrees, differs bool
	// slowest is the slowest Date before a jump, relative to the local clock: negative, or 0 if none was behind it.
	slowest time.Duration
}

// drift is more than clocks drift apart during a run.
const drift = 5 * time.Second

// note records the Date of a response that has just arrived. It ignores a response without a readable Date, and an
// error after a success, because a proxy dates its errors by its own clock.
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
		switch {
		case after.Before(before):
			earliest, latest = after, before
		case date.After(c.latest.Add(passed + drift)), latest.Add(drift).Before(c.date): // otherwise it stands
			c.differs, c.slowest = true, min(c.slowest, c.earliest.Sub(c.at))
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

// now returns the service's time; false before the first response with a Date.
func (c *clock) now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.date.IsZero() {
		return time.Time{}, false
	}
	return c.date.Add(time.Since(c.at)), true
}

// bounds returns the earliest and the latest time of the service at a local time, after a response with a Date. The
// caller holds mu.
func (c *clock) bounds(local time.Time) (earliest, latest time.Time) {
	ago := local.Sub(c.at)
	return c.earliest.Add(ago), c.latest.Add(ago)
}

// Date returns the Date of the service's newest response. Unlike Now, it does not depend on the speed of the service's
// clock, which is at this time or later.
func (c *Client) Date() (time.Time, bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.date, !c.clock.date.IsZero()
}

// age is the age of an object relative to a request, as far as dates prove it.
type age int

const (
	ageUnknown age = iota // the clocks of Date and of objects differ, or a date is missing
	ageClose              // a faster response may decide
	older                 // than the request, if the two clocks agree
	newer                 // than the request, if the two clocks agree
)

// age compares the time of creation in an object with the time at which a request was sent.
//
// The service's time of the request is a range, derived from the local monotonic clock and from earlier and later
// responses. An object is newer if it was created after the end of the range minus one second, because a Date has whole
// seconds. So a slow response widens the range, but makes no object newer, and an object of another system can be older
// by at most the fraction of a second that the newest Date omits. From one second before the range up to that point,
// the age is not decided.
//
// An object dated in the future proves that another clock has dated it, as may the response to a creation.
func (c *Client) age(created string, sent time.Time) age {
	at, ok := ParseTime(created)
	k := &c.clock
	k.mu.Lock()
	defer k.mu.Unlock()
	if !ok || IsDate(created) || k.date.IsZero() || k.differs || at.After(k.latest.Add(time.Since(k.at))) {
		return ageUnknown
	}
	earliest, latest := k.bounds(sent)
	// If the service's clock does not run, the newest Date is its time, even of an old request.
	from := earliestOf(k.date, latestOf(earliest, latest.Add(-time.Second)))
	switch {
	case at.Before(earliest.Add(-time.Second)):
		return older
	case at.Before(from):
		return ageClose
	}
	return newer
}

// Older reports whether the dates of the service prove that an object was created before a request.
func (c *Client) Older(created string, sent time.Time) bool { return c.age(created, sent) == older }

// dates records what the response to a creation shows about the two clocks, and returns the age of its object.
func (c *Client) dates(created string, response *Response) age {
	at, shown := ParseTime(created)
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

// dateAt converts a local time to the service's time, to the second; "" if no response had a Date.
func (c *Client) dateAt(moment time.Time) string {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	if c.clock.date.IsZero() {
		return ""
	}
	return c.clock.date.Add(moment.Sub(c.clock.at)).Round(time.Second).UTC().Format(time.RFC3339)
}

// DateJumped reports whether two responses, or a response and its object, show that Date is from several clocks.
func (c *Client) DateJumped() bool {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.differs
}

// clocksAgree reports whether the response to a creation of this run has proven that objects are dated by the clock of
// Date.
func (c *Client) clocksAgree() bool {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.agrees && !c.clock.differs
}

// Now returns the service's time, to the second, in UTC. Before the first response, it calls ask, which sends one read
// request. Its error is that of Now only if the time is still unknown, because a rejection has a Date too. Now returns
// zero if the service does not report its time: then only the service can check a date.
func (c *Client) Now(ctx context.Context, ask func(context.Context) error) (time.Time, error) {
	if now, ok := c.clock.now(); ok {
		return now.UTC(), nil
	}
	err := ask(ctx)
	if now, ok := c.clock.now(); ok {
		return now.UTC(), nil
	}
	return time.Time{}, err
}
