package api

import (
	"context"
	"errors"
	"fmt"
)

// Transition describes a change of one object's state. Such a request moves
// money, so it is sent once: a response that was lost may belong to a request
// that the service carries out later. Reading the object shows its result.
type Transition[T any] struct {
	Send     func(context.Context) (T, error)
	Look     func(context.Context) (T, error) // reads the object
	Done     func(T) bool                     // it is as asked
	Describe string                           // `pause of the subscription "x"`
}

// Change carries out a transition and, when it may or may not have happened,
// finds out: an object that is as asked, by the time that reads do not lag any
// more, is the result. What stays undecided is an *AmbiguousError that says what
// is known.
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
	}
	return none, t.undecided(first, "The object was read, and it is not as asked. The service may still carry the "+
		"request out, so it was not sent again.", nil)
}

// look reads the object until it is as asked.
func (t Transition[T]) look(ctx context.Context) (T, error) { return Await(ctx, t.Look, t.Done) }

// undecided says what is known and how to find out the rest.
func (t Transition[T]) undecided(first *AmbiguousError, known string, cause error) error {
	e := *first
	if cause != nil {
		e = *first.followedBy(cause)
	}
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. %s Look at the object at the service%s, and "+
		"apply again: the next apply sends what is still missing", t.Describe, known, e.inRequestLog())
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

// Repetition describes a POST that may be carried out twice, because the second
// time does no harm next to the first.
type Repetition[T any] struct {
	Send     func(context.Context) (T, error)
	Describe string // `test of the webhook endpoint "x"`
	Advice   string // ends the error when the outcome stays unknown
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
	result, err = r.Send(withWaiting(detached, ctx))
	_, ambiguous := AsAmbiguous(err)
	switch {
	case err == nil:
		return result, nil
	case !ambiguous && isRefusal(err):
		return none, err
	}
	e := first.followedBy(err)
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. It was sent again without success. %s",
		r.Describe, r.Advice)
	return none, e
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
