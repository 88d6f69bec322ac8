package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Transition is a change of an object's state.
type Transition[T any] struct {
	Send     func(context.Context) (T, error)
	Look     func(context.Context) (T, error) // reads the object
	Done     func(T) bool                     // whether it is in the requested state
	Describe string                           // `pause of the subscription "x"`
	// Counts is set if each request that is carried out has an effect of its own, such as a bill: after a lost response
	// it is not sent again.
	Counts bool
}

// Change carries out a transition. If the outcome is unknown, it reads the object until reads no longer lag; an object
// in the requested state is the result. Otherwise the request is sent again, with such reads before each attempt, until
// the retry timeout ends. If each request counts, that needs an error in the service's own form which shows that the
// service has ended the request: 502 and 504 are the errors of a gateway, which does not know. If the outcome stays
// unknown, the *AmbiguousError contains what is known.
//
// Like Create, it obeys ctx until the request is sent, and then continues for at most 8 s after ctx has ended.
func Change[T any](ctx context.Context, c *Client, t Transition[T]) (result T, err error) {
	if err := ended(ctx); err != nil {
		return result, fmt.Errorf("%s: nothing was sent: %w", t.Describe, err)
	}
	detached, cancel := detach(ctx)
	defer cancel()
	var none T
	var first *AmbiguousError
	for sent, began := 1, time.Now(); ; sent++ {
		result, err = t.Send(withWaiting(detached, ctx))
		latest, unclear := AsAmbiguous(err)
		switch {
		case first == nil && !unclear, err == nil:
			return result, err
		case first == nil:
			first = latest
		case !unclear && !isConflict(err):
			return none, t.undecided(first, sent, "", err)
		}
		seen, lookErr := Await(detached, t.Look, t.Done)
		switch {
		case lookErr != nil:
			return none, t.undecided(first, sent, "Reading the object failed.", lookErr)
		case t.Done(seen):
			return seen, nil
		case !unclear:
			return none, err // the service rejects it, and no earlier request was carried out
		case !c.mayRepeat(began, sent-1) || isOver(ctx) || !t.mayFollow(latest):
			return none, t.undecided(first, sent, "The object was read and is not in the requested state.", nil)
		}
	}
}

// isConflict reports whether the service rejected the request for its content or for the state of the object.
func isConflict(err error) bool {
	e, ok := AsError(err)
	return isRejection(err) || ok && e.Status == http.StatusConflict
}

// mayFollow reports whether the request may be sent again after a request with an unknown outcome.
func (t Transition[T]) mayFollow(lost *AmbiguousError) bool {
	e, responded := AsError(lost)
	failed := responded && (e.Status >= http.StatusInternalServerError || e.Status == http.StatusRequestTimeout)
	if t.Counts {
		return failed && e.Structured && e.Status != http.StatusBadGateway && e.Status != http.StatusGatewayTimeout
	}
	return !responded || failed || isSuccess(e.Status) // a redirect would only be repeated
}

func (t Transition[T]) undecided(first *AmbiguousError, sent int, known string, cause error) error {
	e := first.followedBy(cause)
	e.Advice = fmt.Sprintf("The %s may or may not have been carried out.", t.Describe)
	for _, sentence := range []string{known, t.attempts(sent)} {
		if sentence != "" {
			e.Advice += " " + sentence
		}
	}
	e.Advice += fmt.Sprintf(" Check the object at the service%s, and apply again: the next apply sends what is still "+
		"missing", e.inRequestLog())
	return e
}

func (t Transition[T]) attempts(sent int) string {
	switch {
	case sent > 1:
		return fmt.Sprintf("It was sent %d times.", sent)
	case t.Counts:
		return "The service may still carry the request out, so it was not sent again."
	}
	return ""
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
// Like Create, it obeys ctx until the request is sent, and then continues for at most 8 s after ctx has ended.
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
	e.Advice = fmt.Sprintf("The %s may or may not have been carried out. It was sent again without success. %s",
		r.Describe, r.Advice)
	return none, e
}

// followedBy returns a copy of the error with the error after it, if any. A response is added only as text: wrapped, it
// would be taken for the response to the request itself, and a 404 for a missing object.
func (e *AmbiguousError) followedBy(cause error) *AmbiguousError {
	later := *e
	if cause == nil {
		return &later
	}
	if _, ok := AsError(cause); ok {
		cause = errors.New(cause.Error())
	}
	later.Err = fmt.Errorf("%w; after that: %w", e.Err, cause)
	return &later
}
