package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"
)

// origin distinguishes an object that one of our requests has created from an equal one of
// another system. Ours did not exist before the first request, and was
// created between one of the requests and the first look at the service after it.
// The service's own clock decides that: the Date of a response against the time of
// creation of the object, which that service shows too.
//
// What another system creates at the same time as a request of ours fails cannot be
// distinguished, and neither can what it creates up to a second after that, as a Date has
// whole seconds.
type origin struct {
	image   map[string]bool // existed before; nil: not known
	err     error           // why not
	clock   *Client
	windows []window
	stands  bool // the clock of the service does not run, and one of our requests was rejected as a duplicate
}

// window is when a request can have been carried out. A zero limit is not known.
type window struct {
	from, to time.Time
	mark     Mark // from, to the fraction of a second
	open     bool // the service may have carried it out after the client has given up
}

// before asks which objects there are before the create. An address that does not list
// them, or not for this token, leaves the decision to the clock; any other error ends
// the create before it is sent.
func (s Settlement[T]) before(ctx context.Context) (*origin, error) {
	if s.Before == nil {
		return nil, nil
	}
	o := &origin{clock: s.Clock}
	ids, err := s.Before(ctx)
	e, rejected := AsError(err)
	switch {
	case err == nil:
		o.image = make(map[string]bool, len(ids))
		for _, id := range ids {
			o.image[id] = true
		}
	case rejected && e.Status < http.StatusInternalServerError && e.Status != http.StatusUnauthorized &&
		e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooManyRequests:
		o.err = err
	default:
		return nil, err
	}
	o.begin()
	return o, nil
}

// explains returns why the list could not be read, where the create failed for the same
// reason: that error was not reported yet.
func (o *origin) explains(err error) error {
	var earlier *EarlierError
	if o != nil && o.err != nil && errors.As(err, &earlier) && errors.Is(o.err, earlier.First) {
		return o.err
	}
	return err
}

// begin opens the window of the next request: the service's time is not before that
// of its newest response.
func (o *origin) begin() {
	from, _ := o.clock.Date()
	o.windows = append(o.windows, window{from: from, mark: o.clock.Mark()})
}

// lost notes that the outcome of the request is not known.
func (o *origin) lost(e *AmbiguousError) {
	if o == nil {
		return
	}
	o.last().open = late(e)
}

// looked notes a lookup that worked after a lost request. What is not created by then
// was not created by that request, unless the service was still at it.
func (o *origin) looked() {
	if o == nil {
		return
	}
	w := o.last()
	if now, ok := o.clock.Date(); ok && (w.to.IsZero() || w.open) {
		w.to = now.Add(time.Second)
	}
}

// refused notes that the request in the last window was rejected because the object
// is there, although no lookup for longer than the read lag has found it. Only a
// clock that runs shows whether it is ours in spite of that.
func (o *origin) refused() {
	if o == nil {
		return
	}
	before, again := o.windows[0].from, o.last().from
	o.stands = before.IsZero() || again.Sub(before) < ReadLag/2
	o.windows = o.windows[:len(o.windows)-1]
}

func (o *origin) last() *window { return &o.windows[len(o.windows)-1] }

// ours reports whether the object was created by one of the requests.
func (o *origin) ours(id, created string) bool {
	at, ok := Moment(created)
	switch known := !o.windows[0].from.IsZero(); {
	case o.stands, o.image[id]:
		return false
	case !ok || !known || IsDate(created):
		return o.image != nil
	}
	return slices.ContainsFunc(o.windows, func(w window) bool {
		before, _ := o.clock.Precedes(at, w.mark)
		return !before && !at.Before(w.from) && (w.to.IsZero() || !at.After(w.to))
	})
}

// unsure reports whether a longer look at the clock of the service decides about an object
// that was created at a time: right before a request, if that clock runs.
func (o *origin) unsure(created string) bool {
	at, ok := Moment(created)
	return ok && !IsDate(created) && slices.ContainsFunc(o.windows, func(w window) bool {
		_, certain := o.clock.Precedes(at, w.mark)
		return !certain && !at.Before(w.from)
	})
}
