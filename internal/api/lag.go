package api

import (
	"context"
	"sync"
	"time"
)

// ReadLag is how far reads may lag behind a write (wire contract: tolerance).
const ReadLag = 10 * time.Second

// LagPauses come before each read after a write: the first read is immediate, and the last one comes after more than
// the lag. Tests of services without lag clear them.
var LagPauses = []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}

// longestCompletion limits the time of Completing: slightly longer than reads may lag.
const longestCompletion = 15 * time.Second

// Completing returns the context for reads that complete the response to a write. They get less time than other reads,
// because the caller cannot use the response before they end.
func Completing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, longestCompletion)
}

// Await reads the result of a write until done, for slightly longer than reads may lag. Then it returns the last read.
func Await[T any](ctx context.Context, read func(context.Context) (T, error), done func(T) bool) (value T, err error) {
	return Again(ctx, read, func(value T, err error) bool { return err != nil || !done(value) })
}

// Writes records when objects were last written, from the responses to writes and from the state of an earlier run.
type Writes struct {
	mu    sync.Mutex
	known map[string]times
}

type times struct{ created, updated string }

// Note records the times of an object; "" is unknown.
func (w *Writes) Note(id, created, updated string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]times{}
	}
	t := w.known[id]
	if created != "" {
		t.created = created
	}
	if at, ok := ParseTime(updated); ok {
		if before, known := ParseTime(t.updated); !known || at.After(before) {
			t.updated = updated
		}
	}
	w.known[id] = t
}

// Forget removes a deleted object.
func (w *Writes) Forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, id)
}

func (w *Writes) times(id string) times {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[id]
}

// Newest reads an object that this or an earlier run may have written shortly before. A read that lags behind the write
// returns the old object or none. It is repeated until it returns the write, or until the write is older than the lag,
// by the clock of the service.
func Newest[T any](ctx context.Context, c *Client, w *Writes, id string, read func(context.Context) (T, error),
	updated func(T) string) (T, error) {
	var sent time.Time
	return Again(ctx, func(ctx context.Context) (T, error) {
		sent = time.Now()
		return read(ctx)
	}, func(value T, err error) bool {
		known := w.times(id)
		if err != nil {
			return IsNotFound(err) && c.mayLag(known.created, sent)
		}
		return w.after(id, updated(value)) && c.mayLag(known.updated, sent)
	})
}

// MayLag reports whether an object was written so shortly before a read was sent that the read may lag.
func (w *Writes) MayLag(c *Client, id string, sent time.Time) bool {
	return c.mayLag(w.times(id).updated, sent)
}

// within reports whether an object was written so shortly before now that reads may lag.
func (w *Writes) within(id string, now time.Time) bool {
	known := w.times(id)
	return justBefore(known.created, now) || justBefore(known.updated, now)
}

// at reports whether the last known write of an object was at the time in a read.
func (w *Writes) at(id, shown string) bool {
	written, ok := ParseTime(w.times(id).updated)
	at, shownOK := ParseTime(shown)
	return ok && shownOK && at.Equal(written)
}

// after reports whether the last known write of an object was after the time in a read.
func (w *Writes) after(id, shown string) bool {
	written, ok := ParseTime(w.times(id).updated)
	at, shownOK := ParseTime(shown)
	return ok && shownOK && at.Before(written)
}

// DateText is the time of the service's newest response in the service's format, or "" before the first one.
func (c *Client) DateText() string {
	now, ok := c.Date()
	if !ok {
		return ""
	}
	return now.UTC().Format(time.RFC3339)
}

// mayLag reports whether a read that was sent at a local time may lag behind a write, by the clock of the service, by
// the local one, or by the Date before it jumped: a wrong Date must not make a new object an old one. A write after all
// of them was just now. The response may be much younger than the read: its proof, or another attempt, took the time.
func (c *Client) mayLag(written string, sent time.Time) bool {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	earliest, _ := c.clock.bounds(sent)
	at, ok := ParseTime(written)
	return ok && !IsDate(written) && !c.clock.date.IsZero() &&
		earliestOf(earliest, sent.Add(c.clock.slowest)).Sub(at) <= ReadLag
}

// justBefore reports whether a time may be within ReadLag before another one.
func justBefore(text string, now time.Time) bool {
	at, ok := ParseTime(text)
	return ok && !IsDate(text) && now.Sub(at) <= ReadLag && at.Sub(now) <= time.Second
}

// Again repeats a read that returns the state before a write, with growing pauses, for slightly longer than reads may
// lag. It returns the last read.
func Again[T any](ctx context.Context, read func(context.Context) (T, error),
	before func(T, error) bool) (value T, err error) {
	for _, d := range LagPauses {
		if ended := pause(ctx, d, nil); ended != nil {
			return value, ended
		}
		if value, err = read(ctx); !before(value, err) {
			break
		}
	}
	return value, err
}
