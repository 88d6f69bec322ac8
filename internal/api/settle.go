package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// settleGrace is how long a create and its lookup may continue when the caller
	// has been interrupted. CI systems kill a job 10 s after the interrupt, and with
	// it everything that is not in the state yet.
	settleGrace = 8 * time.Second
	// codeTaken rejects a second object with the same external_id (wire
	// contract: behaviour).
	codeTaken = "external_id_taken"
)

var errInterrupted = fmt.Errorf("interrupted, and the outcome was not determined within %s after that", settleGrace)

// Settlement describes a create with an ambiguous outcome that may be reconciled.
type Settlement[T any] struct {
	Create func(context.Context) (T, error)
	Lookup func(context.Context) ([]T, error) // nil: cannot be looked up
	Same   func(T) bool                       // equal to what was asked
	ID     func(T) string                     // names what was found; nil: not named
	// a second object would be rejected: resend once when none is found
	RefusesDuplicates bool
	Describe          string // `customer with external_id "x"`

	// Before returns the ids of the objects that could be taken for the created one,
	// before it is created. It is asked once, and makes Settle adopt only what was
	// created by its own requests; then Created and Clock are needed too.
	Before  func(context.Context) ([]string, error)
	Created func(T) string // time of creation as the service shows it
	Clock   *Client        // whose responses show the time of the service

	// Harmless resends the create once as well where a second object would not be rejected, after the
	// lookups have shown for longer than reads lag that there is none. Not after a timeout: the service
	// may still be at it.
	Harmless bool
	// Patient looks until a lag of reads has passed, and decides only then: the
	// object of another system may be listed before the own one.
	Patient bool
	// Doubt says why an object that is the same may still be another system's;
	// "": it is ours. nil: nothing is doubted.
	Doubt func(context.Context, T) string
}

// ConflictError ends an ambiguous create whose lookup found something that is
// not, or not alone, what was asked for.
type ConflictError struct {
	Describe string
	IDs      []string // what was found
	Same     bool     // it is what was asked for, and is still not adopted
	Doubt    string   // why; "": the response to the create showed another object
	Theirs   bool     // another system has created it: nothing of ours exists
	Err      error    // the ambiguous outcome
}

func (e *ConflictError) Error() string {
	what := "one that differs from what was asked for"
	switch {
	case e.Theirs:
		what = "one that another system has created"
	case len(e.IDs) > 1:
		what = fmt.Sprintf("%d of them", len(e.IDs))
	case e.Doubt != "":
		what = "one that is what was asked for, but may be another system's: " + e.Doubt
	case e.Same:
		what = "one that is what was asked for"
	}
	return fmt.Sprintf("a lookup of the %s found %s (%s): %v", e.Describe, what, strings.Join(e.IDs, ", "), e.Err)
}

func (e *ConflictError) Unwrap() error { return e.Err }

// Settle carries out a create and, when it may or may not have happened, finds
// out: exactly one object that is the same is adopted; a different one, or
// several, are a *ConflictError; where none is found, the create is sent once
// more, but only where a second object would be rejected. What stays undecided
// is an *AmbiguousError that says what is known.
//
// With Before, only an object that was created by one of these requests is adopted;
// see [origin].
//
// A create whose response shows another object ([OtherObjectError]) is never
// adopted or sent again, as responses are mixed up: what the lookup finds is only
// named.
//
// While the create waits to be sent it obeys ctx. Once it is sent, it and its
// lookup complete even when ctx is cancelled, for at most 8 s from
// then, so that an interrupt does not orphan what the service has made.
func Settle[T any](ctx context.Context, s Settlement[T]) (result T, adopted bool, err error) {
	if err := ended(ctx); err != nil {
		return result, false, fmt.Errorf("create the %s: nothing was sent: %w", s.Describe, err)
	}
	o, err := s.before(ctx)
	if err != nil {
		return result, false, err
	}
	detached, cancel := detach(ctx)
	defer cancel()
	result, err = s.Create(withWaiting(detached, ctx))
	ambiguous, ok := AsAmbiguous(err)
	if !ok {
		return result, false, o.explains(err)
	}
	if s.Lookup == nil {
		return result, false, s.undecided(ambiguous, "It cannot be looked up: it has nothing to be found by.", nil)
	}
	o.lost(ambiguous)
	found, err := s.find(detached, ctx, o)
	switch {
	case err != nil:
		return result, false, s.undecided(ambiguous, "The lookup failed.", err)
	case len(found) > 0:
		return s.decide(detached, found, o, ambiguous)
	case !s.RefusesDuplicates && (!s.Harmless || late(ambiguous)) || showsOther(ambiguous):
		return result, false, s.undecided(ambiguous, fmt.Sprintf("It was looked up %d times and not found.", len(lagPauses)),
			nil)
	}
	return s.resend(detached, ctx, o, ambiguous)
}

// resend sends the create a second time, after a lookup found nothing.
func (s Settlement[T]) resend(detached, ctx context.Context, o *origin,
	first *AmbiguousError) (result T, adopted bool, err error) {
	if o != nil {
		o.begin()
	}
	result, err = s.Create(withWaiting(detached, ctx))
	second, ambiguous := AsAmbiguous(err)
	switch {
	case err == nil:
		return result, false, nil
	case !ambiguous && !isDuplicate(err):
		if isRefusal(err) {
			return result, false, err // it would have rejected the first one too
		}
		return result, false, s.undecided(first, "It was looked up and not found, and sending it again failed.", err)
	}
	// Either one of the two arrived, or another system was faster: look again.
	if ambiguous {
		o.lost(second)
	} else {
		o.refused()
	}
	found, lookupErr := s.find(detached, ctx, o)
	switch {
	case lookupErr != nil:
		return result, false, s.undecided(first, "It was sent again without a clear response, and the lookup failed.",
			fmt.Errorf("%w; %w", err, lookupErr))
	case len(found) > 0:
		return s.decide(detached, found, o, first)
	}
	return result, false, s.undecided(first, "It was sent again without a clear response, and a lookup did not find it.",
		err)
}

// decide adopts the one object that is what was asked for, and ours.
func (s Settlement[T]) decide(ctx context.Context, found []T, o *origin,
	ambiguous error) (result T, adopted bool, err error) {
	equal := slices.DeleteFunc(slices.Clone(found), func(item T) bool { return !s.Same(item) })
	if len(equal) == 1 && o != nil && !s.RefusesDuplicates {
		found = equal // what differs next to it is not it
	}
	ours := o == nil || slices.ContainsFunc(found, func(item T) bool { return o.ours(s.ID(item), s.Created(item)) })
	asked, doubt := ours && len(found) == 1 && len(equal) == 1, ""
	if asked && s.Doubt != nil && !showsOther(ambiguous) {
		doubt = s.Doubt(ctx, found[0])
	}
	if asked && doubt == "" && !showsOther(ambiguous) {
		return found[0], true, nil
	}
	conflict := &ConflictError{Describe: s.Describe, Same: asked, Doubt: doubt, Theirs: !ours, Err: ambiguous}
	for _, item := range found {
		if s.ID != nil {
			conflict.IDs = append(conflict.IDs, s.ID(item))
		}
	}
	return result, false, conflict
}

// find looks the object up, with growing pauses for read lag. What a patient
// settlement has found once counts, as reads may come from several replicas. Where a
// second object would not be rejected, there may be others that look like it: these are
// left out.
//
// An interrupt of the caller ends the patience: what was found until then counts.
func (s Settlement[T]) find(ctx, caller context.Context, o *origin) (found []T, err error) {
	complete := false
	for _, d := range lagPauses {
		var interrupted <-chan struct{}
		if complete {
			interrupted = caller.Done()
		}
		if err := pause(ctx, d, interrupted); err != nil {
			return nil, err
		}
		if complete && ended(caller) != nil {
			break
		}
		var listed []T
		if listed, err = s.Lookup(ctx); err != nil {
			continue
		}
		o.looked()
		if o != nil && !s.RefusesDuplicates {
			listed = slices.DeleteFunc(listed, func(item T) bool { return !o.ours(s.ID(item), s.Created(item)) })
		}
		found = s.merge(found, listed)
		complete = len(found) > 0 && (o == nil || s.RefusesDuplicates || slices.ContainsFunc(found, s.Same)) &&
			!slices.ContainsFunc(found, func(item T) bool { return o != nil && o.unsure(s.Created(item)) })
		if complete && !s.Patient {
			return found, nil
		}
	}
	return found, err
}

// merge adds what a later lookup has found, in its later state.
func (s Settlement[T]) merge(found, listed []T) []T {
	for _, item := range listed {
		i := -1
		if s.ID != nil {
			i = slices.IndexFunc(found, func(other T) bool { return s.ID(other) == s.ID(item) })
		}
		if i < 0 {
			found = append(found, item)
			continue
		}
		found[i] = item
	}
	return found
}

// undecided says what is known and how to find out the rest.
func (s Settlement[T]) undecided(ambiguous *AmbiguousError, known string, cause error) error {
	e := *ambiguous
	e.Outlook = fmt.Sprintf("The %s may or may not exist. %s Look for it at the service%s: if it exists, import it; if "+
		"not, create it again",
		s.Describe, known, e.inRequestLog())
	if cause != nil {
		// The outcome stays what the first create left open, so that error
		// comes first.
		e.Err = fmt.Errorf("%w; after that: %w", ambiguous.Err, cause)
	}
	return &e
}

// showsOther reports that the response shows another object than the created one.
func showsOther(err error) bool {
	var other *OtherObjectError
	return errors.As(err, &other)
}

// late reports that the service may carry the request out after its outcome was looked for.
func late(e *AmbiguousError) bool {
	responded, ok := AsError(e)
	return errors.Is(e, errLate) || ok && responded.Status == http.StatusGatewayTimeout
}

// isDuplicate says that the service rejected because the object is there.
func isDuplicate(err error) bool {
	e, ok := AsError(err)
	return ok && (e.Code == codeTaken || e.ExistingID != "")
}

// isRefusal says that the service judged the body itself, which it does alike
// each time; who asks, or how often, is another matter.
func isRefusal(err error) bool {
	e, ok := AsError(err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// detach returns a context with ctx's values that outlives ctx's end by the
// grace period.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(settleGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(errInterrupted)
		case <-detached.Done():
		}
	})
	return detached, func() {
		stop()
		cancel(nil)
	}
}

type waitingKey struct{}

// withWaiting lets a call on ctx obey another context while it waits to be
// sent: what has not been sent can be given up.
func withWaiting(ctx, waiting context.Context) context.Context {
	return context.WithValue(ctx, waitingKey{}, waiting)
}

func waitingContext(ctx context.Context) context.Context {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting
	}
	return ctx
}
