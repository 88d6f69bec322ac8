package api

import (
	"context"
	"errors"
	"fmt"
)

// Transition is a change of an object's state. It moves money, so it is sent once: if the response is lost, the service
// may still carry the request out later. Reading the object shows the result.
type Transition[T any] struct {
	Send     func(context.Context) (T, error)
	Look     func(context.Context) (T, error) // reads the object
	Done     func(T) bool                     // whether it is in the requested state
	Describe string                           // `pause of the subscription "x"`
}

// Change carries out a transition. If the outcome is unknown, it reads the object until reads no longer lag; an object
// in the requested state is the result. Otherwise it returns an *AmbiguousError that contains what is known.
//
// Like Settle, it obeys ctx until the request is sent, and then continues for at most 8 s after ctx has ended.
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
	return none, t.undecided(first, "The object was read and is not in the requested state. The service may still "+
		"carry the request out, so it was not sent again.", nil)
}

// look reads the object until it is in the requested state.
func (t Transition[T]) look(ctx context.Context) (T, error) { return Await(ctx, t.Look, t.Done) }

// undecided adds what is known, and how to find out the rest.
func (t Transition[T]) undecided(first *AmbiguousError, known string, cause error) error {
	e := *first
	if cause != nil {
		e = *first.followedBy(cause)
	}
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. %s Check the object at the service%s, and "+
		"apply again: the next apply sends what is still missing", t.Describe, known, e.inRequestLog())
	return &e
}

// inRequestLog mentions the Request-Id to look for (service description, Recurring billing §1: the request log can be
// consulted for 30 days).
func (e *AmbiguousError) inRequestLog() string {
	if e.RequestID == "" {
		return ""
	}
	return fmt.Sprintf(" (its request log contains the Request-Id %s for 30 days)", e.RequestID)
}

// Repetition is a POST that may be carried out twice without harm.
type Repetition[T any] struct {
	Send     func(context.Context) (T, error)
	Describe string // `test of the webhook endpoint "x"`
	Advice   string // ends the error if the outcome stays unknown
}

// Repeat sends such a request, and sends it once more if the outcome is unknown. If it stays unknown, it returns an
// *AmbiguousError that contains what is known. If the second request is rejected for its content, it returns the
// rejection, because the first was rejected too.
//
// Like Settle, it obeys ctx until the request is sent, and then continues for at most 8 s after ctx has ended.
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
	case !ambiguous && isRejection(err):
		return none, err
	}
	e := first.followedBy(err)
	e.Outlook = fmt.Sprintf("The %s may or may not have been carried out. It was sent again without success. %s",
		r.Describe, r.Advice)
	return none, e
}

// followedBy returns a copy of the error with the error after it. A response is added only as text: wrapped, it would
// be taken for the response to the request itself, and a 404 for a missing object.
func (e *AmbiguousError) followedBy(cause error) *AmbiguousError {
	later := *e
	if _, ok := AsError(cause); ok {
		cause = errors.New(cause.Error())
	}
	later.Err = fmt.Errorf("%w; after that: %w", e.Err, cause)
	return &later
}
