package api

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
