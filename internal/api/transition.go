package api

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Transition describes a change of one object's state. Such a request moves
// money, so it is not repeated without a check: reading the object shows its
// result.
type Transition[T any] struct {
	Send     func(context.Context) (T, error)
	Look     func(context.Context) (T, error) // reads the object
	Done     func(T) bool                     // it is as asked
	Before   func(T) bool                     // it is clearly not, and as it was: it may be asked again
	Describe string                           // `pause of the subscription "x"`
}

// Change carries out a transition and, when it may or may not have happened,
// finds out: an object that is as asked is the result. One that is clearly as
// before is asked once more and looked at again, so that a rejection of what has
// happened already is a success. What stays undecided is an *AmbiguousError
// that says what is known.
//
// Like Settle it obeys ctx until the request is sent, and then continues for at
// most 8 s after ctx has ended.
func Change[T any](ctx context.Context, t Transition[T]) (result T, err error) {
	if err := ended(ctx); err != nil {
		return result, fmt.Errorf("%s: nothing was sent: %w", t.Describe, err)
	}
	detached, cancel := detach(ctx)
	defer cancel()
	result, err = t.Send(withWaiting(detached, ctx))
	first, ok := AsAmbiguous(err)
	if !ok {
		return result, err
	}
	var none T
	seen, err := t.look(detached)
	switch {
	case err != nil:
		return none, t.undecided(first, "Reading the object failed.", err)
	case t.Done(seen):
		return seen, nil
	case !t.Before(seen):
		return none, t.undecided(first, "The object was read: it is neither as asked nor as it was before.", nil)
	}
	return t.resend(detached, ctx, first)
}

// resend sends the transition a second time, after a read has shown the object
// unchanged.
func (t Transition[T]) resend(detached, ctx context.Context, first *AmbiguousError) (T, error) {
	result, err := t.Send(withWaiting(detached, ctx))
	if err == nil {
		return result, nil
	}
	var none T
	// The first one may have arrived in the end, and the second one been
	// rejected for that.
	seen, lookErr := t.look(detached)
	switch {
	case lookErr != nil:
		return none, t.undecided(first, "It was sent again without success, and reading the object failed.",
			fmt.Errorf("%w; %w", err, lookErr))
	case t.Done(seen):
		return seen, nil
	case isRefusal(err) && t.Before(seen):
		return none, err // it would have rejected the first one too
	}
	return none, t.undecided(first, "It was sent again without success, and the object is not as asked.", err)
}

// look reads the object until it is as asked.
func (t Transition[T]) look(ctx context.Context) (T, error) { return Await(ctx, t.Look, t.Done) }

// undecided says what is known and how to find out the rest.
func (t Transition[T]) undecided(first *AmbiguousError, known string, cause error) error {
	e := *first
	if cause != nil {
		e = *first.followedBy(cause)
	}
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. %s Look at the object at the service%s, "+
		"before anything is sent again",
		t.Describe, known, e.inRequestLog())
	return &e
}

// inRequestLog names the Request-Id to look for (service description, Recurring
// billing §1: the request log can be consulted for 30 days).
func (e *AmbiguousError) inRequestLog() string {
	if e.RequestID == "" {
		return ""
	}
	return fmt.Sprintf(" (its request log contains the Request-Id %s for 30 days)", e.RequestID)
}

// repeatPause lets a request with a lost response finish before it is
// sent again, so that the second one is the later of the two.
const repeatPause = time.Second

// Repetition describes a POST that may be carried out twice, because the second
// time supersedes the first or does no harm next to it.
type Repetition[T any] struct {
	Send     func(context.Context) (T, error)
	Look     func(context.Context) error // must succeed before it is sent again; nil: it is sent without
	Describe string                      // `rotation of the secret of the endpoint "x"`
	Advice   string                      // ends the error when the outcome stays unknown
}

// Repeat sends such a request, and once more when it may or may not have been
// carried out. What stays undecided is an *AmbiguousError that says what is
// known; a second one that is rejected for its content is that rejection, as the
// first would have been rejected too.
//
// Like Settle it obeys ctx until the request is sent, and then continues for at
// most 8 s after ctx has ended.
func Repeat[T any](ctx context.Context, r Repetition[T]) (result T, err error) {
	if err := ended(ctx); err != nil {
		return result, fmt.Errorf("%s: nothing was sent: %w", r.Describe, err)
	}
	detached, cancel := detach(ctx)
	defer cancel()
	result, err = r.Send(withWaiting(detached, ctx))
	first, ok := AsAmbiguous(err)
	if !ok {
		return result, err
	}
	var none T
	if err := r.look(detached); err != nil {
		return none, r.undecided(first, "It was not sent again, as reading the object failed.", err)
	}
	result, err = r.Send(withWaiting(detached, ctx))
	_, ambiguous := AsAmbiguous(err)
	switch {
	case err == nil:
		return result, nil
	case !ambiguous && isRefusal(err):
		return none, err
	}
	return none, r.undecided(first, "It was sent again without success.", err)
}

func (r Repetition[T]) look(ctx context.Context) error {
	if err := pause(ctx, repeatPause, nil); err != nil || r.Look == nil {
		return err
	}
	return r.Look(ctx)
}

func (r Repetition[T]) undecided(first *AmbiguousError, known string, cause error) error {
	e := first.followedBy(cause)
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. %s %s", r.Describe, known, r.Advice)
	return e
}

// followedBy is a copy of the error with what went wrong after it. Of a response
// it takes only the text: wrapped it would be taken for the response to the request
// itself, and a 404 to a look for an object that is gone.
func (e *AmbiguousError) followedBy(cause error) *AmbiguousError {
	later := *e
	if _, ok := AsError(cause); ok {
		cause = errors.New(cause.Error())
	}
	later.Err = fmt.Errorf("%w; after that: %w", e.Err, cause)
	return &later
}
