package api

import (
	"context"
	"sync"
	"time"
)

// ReadLag is how far reads may lag behind a write (wire contract: tolerance).
const ReadLag = 10 * time.Second

// LagPauses come before each read after a write: the first one is sent immediately, and
// the last one after more than the lag. A test whose service does not lag clears them.
var LagPauses = []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}

// longestCompletion bounds what Completing is about: a little longer than reads may lag.
const longestCompletion = 15 * time.Second

// Completing is the context of reads that complete what the response to a write leaves out. The caller learns of the
// write when they end, so they do not last as long as other reads.
func Completing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, longestCompletion)
}

// Await reads what a write has changed until it is done, for a little longer than
// reads may lag. Then it returns what was read last.
func Await[T any](ctx context.Context, read func(context.Context) (T, error), done func(T) bool) (value T, err error) {
	return Again(ctx, read, func(value T, err error) bool { return err != nil || !done(value) })
}

// Writes remembers when objects were written last, as the responses to the writes and the
// state of an earlier run show it.
type Writes struct {
	mu    sync.Mutex
	known map[string]times
}

type times struct{ created, updated string }

// Note remembers the times of an object. An empty one is not known.
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
	if at, ok := Moment(updated); ok {
		if before, known := Moment(t.updated); !known || at.After(before) {
			t.updated = updated
		}
	}
	w.known[id] = t
}

// Forget drops an object that was deleted.
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

// Newest reads an object that may have been written shortly before, also by an earlier run.
// A read that lags behind that shows the object as it was, or not at all. It is repeated
// until it has caught up, and at most until the write is older than reads may lag. The
// clock of the service decides.
func Newest[T any](ctx context.Context, c *Client, w *Writes, id string, read func(context.Context) (T, error),
	updated func(T) string) (T, error) {
	return Again(ctx, read, func(value T, err error) bool {
		known := w.times(id)
		if err != nil {
			return IsNotFound(err) && c.justNow(known.created)
		}
		return w.after(id, updated(value)) && c.justNow(known.updated)
	})
}

// within reports whether an object was written so short a time before now that reads may lag behind that.
func (w *Writes) within(id string, now time.Time) bool {
	known := w.times(id)
	return justBefore(known.created, now) || justBefore(known.updated, now)
}

// at reports whether an object is known to be written last at the time that a read shows.
func (w *Writes) at(id, shown string) bool {
	written, ok := Moment(w.times(id).updated)
	at, shownOK := Moment(shown)
	return ok && shownOK && at.Equal(written)
}

// after reports whether an object is known to be written after the time that a read shows.
func (w *Writes) after(id, shown string) bool {
	written, ok := Moment(w.times(id).updated)
	at, shownOK := Moment(shown)
	return ok && shownOK && at.Before(written)
}

// DateText is the time of the service's newest response as the service writes times; ""
// while there was none.
func (c *Client) DateText() string {
	now, ok := c.Date()
	if !ok {
		return ""
	}
	return now.UTC().Format(time.RFC3339)
}

// justNow reports whether reads may still lag behind a write at this time. Date has
// whole seconds, so the service's clock may be up to a second further.
func (c *Client) justNow(text string) bool {
	now, known := c.Date()
	return known && justBefore(text, now)
}

func justBefore(text string, now time.Time) bool {
	at, ok := Moment(text)
	return ok && !IsDate(text) && now.Sub(at) <= ReadLag && at.Sub(now) <= time.Second
}

// Again reads while a read shows what was before a write, with growing pauses, for a little
// longer than reads may lag. It returns what was read last.
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
