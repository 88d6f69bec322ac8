package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// settleGrace is how long a create and its lookup may go on when the caller
	// has been interrupted.
	settleGrace = 30 * time.Second
	// codeTaken refuses a second object with the same external_id (wire
	// contract: behaviour).
	codeTaken = "external_id_taken"
)

// lookupPauses come before each lookup: the first at once, the others later,
// for a service whose reads lag behind its writes.
var lookupPauses = []time.Duration{0, time.Second, 3 * time.Second}

var errInterrupted = fmt.Errorf("interrupted, and not settled within %s after that", settleGrace)

// Settlement describes a create whose ambiguous outcome can perhaps be settled.
type Settlement[T any] struct {
	Create            func(context.Context) (T, error)
	Lookup            func(context.Context) ([]T, error) // nil: cannot be looked up
	Same              func(T) bool                       // equal to what was asked
	ID                func(T) string                     // names what was found; nil: not named
	RefusesDuplicates bool                               // a second object would be refused: resend once when none is found
	Describe          string                             // `customer with external_id "x"`
}

// ConflictError ends an ambiguous create whose lookup found something that is
// not, or not alone, what was asked for.
type ConflictError struct {
	Describe string
	IDs      []string // what was found
	Same     bool     // it is what was asked for, but the response to the create showed another object
	Err      error    // the ambiguous outcome
}

func (e *ConflictError) Error() string {
	what := "one that differs from what was asked for"
	switch {
	case len(e.IDs) > 1:
		what = fmt.Sprintf("%d of them", len(e.IDs))
	case e.Same:
		what = "one that is what was asked for"
	}
	return fmt.Sprintf("a lookup of the %s found %s (%s): %v", e.Describe, what, strings.Join(e.IDs, ", "), e.Err)
}

func (e *ConflictError) Unwrap() error { return e.Err }

// Settle carries out a create and, when it may or may not have happened, finds
// out: exactly one object that is the same is adopted; a different one, or
// several, are a *ConflictError; where none is found, the create is sent once
// more, but only where a second object would be refused. What stays undecided
// is an *AmbiguousError that says what is known.
//
// A create whose response shows another object ([OtherObjectError]) is never
// adopted or sent again, as responses are mixed up: what the lookup finds is only
// named.
//
// While the create waits to be sent it obeys ctx. Once it is sent, it and its
// lookup run to their end even when ctx is cancelled, for at most 30 s from
// then, so that an interrupt does not orphan what the service has made.
func Settle[T any](ctx context.Context, s Settlement[T]) (result T, adopted bool, err error) {
	if err := ended(ctx); err != nil {
		return result, false, fmt.Errorf("create the %s: nothing was sent: %w", s.Describe, err)
	}
	detached, cancel := detach(ctx)
	defer cancel()
	result, err = s.Create(withWaiting(detached, ctx))
	ambiguous, ok := AsAmbiguous(err)
	if !ok {
		return result, false, err
	}
	if s.Lookup == nil {
		return result, false, s.undecided(ambiguous, "It cannot be looked up: it has nothing to be found by.", nil)
	}
	found, err := s.find(detached)
	switch {
	case err != nil:
		return result, false, s.undecided(ambiguous, "The lookup failed.", err)
	case len(found) > 0:
		return s.decide(found, ambiguous)
	case !s.RefusesDuplicates || showsOther(ambiguous):
		return result, false, s.undecided(ambiguous, fmt.Sprintf("It was looked up %d times and not found.", len(lookupPauses)), nil)
	}
	return s.resend(detached, ctx, ambiguous)
}

// resend sends the create a second time, after a lookup found nothing.
func (s Settlement[T]) resend(detached, ctx context.Context, first *AmbiguousError) (result T, adopted bool, err error) {
	result, err = s.Create(withWaiting(detached, ctx))
	_, ambiguous := AsAmbiguous(err)
	switch {
	case err == nil:
		return result, false, nil
	case !ambiguous && !isDuplicate(err):
		if isRefusal(err) {
			return result, false, err // it would have refused the first one too
		}
		return result, false, s.undecided(first, "It was looked up and not found, and sending it again failed.", err)
	}
	// Either one of the two arrived, or somebody else was faster: look again.
	found, lookupErr := s.find(detached)
	switch {
	case lookupErr != nil:
		return result, false, s.undecided(first, "It was sent again without a clear answer, and the lookup failed.", fmt.Errorf("%w; %w", err, lookupErr))
	case len(found) > 0:
		return s.decide(found, first)
	}
	return result, false, s.undecided(first, "It was sent again without a clear answer, and a lookup did not find it.", err)
}

// decide adopts the one object that is what was asked for.
func (s Settlement[T]) decide(found []T, ambiguous error) (result T, adopted bool, err error) {
	asked := len(found) == 1 && s.Same(found[0])
	if asked && !showsOther(ambiguous) {
		return found[0], true, nil
	}
	conflict := &ConflictError{Describe: s.Describe, Same: asked, Err: ambiguous}
	for _, item := range found {
		if s.ID != nil {
			conflict.IDs = append(conflict.IDs, s.ID(item))
		}
	}
	return result, false, conflict
}

// find looks the object up, with growing pauses for read lag.
func (s Settlement[T]) find(ctx context.Context) (found []T, err error) {
	for _, d := range lookupPauses {
		if err := pause(ctx, d, nil); err != nil {
			return nil, err
		}
		if found, err = s.Lookup(ctx); len(found) > 0 && err == nil {
			return found, nil
		}
	}
	return nil, err
}

// undecided says what is known and how to find out the rest.
func (s Settlement[T]) undecided(ambiguous *AmbiguousError, known string, cause error) error {
	e := *ambiguous
	e.Outlook = fmt.Sprintf("The %s may or may not exist. %s Look for it at the service%s: if it exists, import it; if not, create it again",
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

// isDuplicate says that the service refused because the object is there.
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
// grace.
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
