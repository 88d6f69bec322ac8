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
	// createGrace is how long a creation and its lookup may continue after an interrupt. CI systems kill a job 10 s after
	// the interrupt, and lose everything that is not in the state yet.
	createGrace = 8 * time.Second
	// codeTaken is the code for a second object with the same external_id (wire contract: behaviour).
	codeTaken = "external_id_taken"
)

var errInterrupted = fmt.Errorf("interrupted, and the outcome was not determined within the next %s", createGrace)

// Creation is a POST that creates an object, and the way to find the object if its response is lost.
type Creation[T any] struct {
	Describe string // `customer with external_id "x"`
	Send     func(context.Context) (T, error)
	// Find returns the objects with the external_id; without an external_id, at least the newest ones that look like the
	// one sent. nil: the object cannot be found.
	Find func(context.Context) ([]T, error)
	ID   func(T) string
	// Created returns the time of creation in an object.
	Created func(T) string
	// Unique is set if the creation has an external_id, because the service rejects a second one.
	Unique bool
	// Holds reports whether an object has exactly the external_id. Another one may be the service's wording of it, but
	// only if this creation can have created it; nil: all have it.
	Holds func(T) bool
	// Equal reports whether an object has the values sent. It is only called if Unique is set.
	Equal func(context.Context, T) (bool, error)
	// Again is a sentence about the effect of another creation, or "".
	Again string
}

// TakenError ends a creation whose response was lost, because another object has its external_id.
type TakenError struct {
	ID  string // of that object
	Err *AmbiguousError
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%v. A lookup found the object %s, which this request did not create", e.Err, e.ID)
}

func (e *TakenError) Unwrap() error { return e.Err }

// Create sends a creation and, if the response is lost, determines its outcome:
//
//   - With an external_id, it looks the object up, for as long as reads may lag. It adopts an object that equals the
//     one sent and that the service has created since the request was sent (see [Client.age]), unless another creation
//     of this process returned it. For an object that differs, or is proven older, it returns a *TakenError. If there
//     is none, it sends the creation again, with a lookup before each attempt, until the retry timeout ends.
//   - Without one, ownership cannot be proven. It is sent once, and the *AmbiguousError contains the candidates.
//
// If nothing is proven, as when objects are dated by another clock than Date, it returns an *AmbiguousError with the
// object. A response with another object ([OtherObjectError]) counts as lost, and nothing is adopted or sent after it.
//
// Create obeys ctx until the creation is sent. Then it continues for at most 8 s after ctx has ended, so that an
// interrupt does not orphan a created object.
func Create[T any](ctx context.Context, c *Client, m Creation[T]) (object T, adopted bool, err error) {
	var none T
	if err := ended(ctx); err != nil {
		return none, false, &NotSentError{fmt.Errorf("create the %s: nothing was sent: %w", m.Describe, err)}
	}
	detached, cancel := detach(ctx)
	defer cancel()
	s := creating[T]{Creation: m, client: c, began: time.Now()}
	object, err = s.send(detached, ctx)
	lost, isLost := AsAmbiguous(err)
	if !isLost {
		return object, false, err
	}
	if !lost.SentAt.IsZero() {
		s.began = lost.SentAt
	}
	if m.Find == nil {
		return none, false, s.unclear(lost, nil, "Nothing finds it.", nil)
	}
	for {
		found, err := s.find(detached, ctx)
		switch {
		case err != nil:
			return none, false, s.unclear(lost, s.ids(s.likely(found)), "The lookup failed.", err)
		case len(found) > 0 || !m.Unique || showsOther(lost):
			return s.decide(detached, lost, found)
		case isDuplicate(s.last):
			return none, false, s.unclear(lost, existing(s.last), "The service rejects a duplicate, but no lookup finds the "+
				"first.", s.last)
		case s.resent > 0 && !s.client.mayRepeat(s.began, s.resent):
			return none, false, s.unclear(lost, nil, "It was sent again and looked up, but not found.", s.last)
		}
		object, open, err := s.resend(detached, ctx, lost)
		if !open {
			return object, false, err
		}
	}
}

// resend sends the creation again, after a lookup without a result. open means that the error leaves the existence of
// the object open, so that it is looked up again.
func (s *creating[T]) resend(detached, ctx context.Context, lost *AmbiguousError) (object T, open bool, err error) {
	object, err = s.send(detached, ctx)
	s.resent++
	s.last = err
	_, isLost := AsAmbiguous(err)
	switch {
	case isLost, isDuplicate(err): // the first one was carried out, or another system was faster
		return object, true, err
	case err != nil && !isRejection(err): // a rejection of the body now proves that the first was rejected too
		err = s.unclear(lost, nil, "It was looked up and not found, and sending it again failed.", err)
	}
	return object, false, err
}

type creating[T any] struct {
	Creation[T]
	client *Client
	began  time.Time // local time at which the first request was sent
	resent int
	last   error // the last error of sending it again
	cut    bool  // an interrupt has ended the lookup early
}

// send sends the creation. An object that it returns is not a candidate of other creations.
func (s *creating[T]) send(detached, ctx context.Context) (T, error) {
	object, err := s.Send(withWaiting(detached, ctx))
	if err == nil && s.ID != nil {
		s.client.createdIDs.Store(s.ID(object), true)
	}
	return object, err
}

// mayRepeat reports whether there is time, and an attempt left, to send again what was sent first at that time.
func (c *Client) mayRepeat(began time.Time, repeated int) bool {
	limit := c.cfg.MaxRetries
	return time.Since(began) < c.retryTimeout() && (limit < 0 || repeated < limit)
}

// find looks for the object, for as long as reads may lag. With an external_id, it ends with the first object found,
// unless the response was too slow to decide; without one, other objects may be listed first. An interrupt of the
// caller ends it.
func (s *creating[T]) find(ctx, caller context.Context) (found []T, err error) {
	for _, d := range LagPauses {
		if pauseErr := pause(ctx, d, nil); pauseErr != nil {
			if len(found) == 0 {
				err = pauseErr
			}
			return found, err
		}
		var listed []T
		if listed, err = s.Find(ctx); err != nil {
			continue
		}
		for _, item := range listed {
			i := slices.IndexFunc(found, func(other T) bool { return s.ID(other) == s.ID(item) })
			if i >= 0 {
				found[i] = item
			} else if s.candidate(item) {
				found = append(found, item)
			}
		}
		s.cut = isOver(caller)
		if len(found) > 0 && (s.Unique && s.age(found[0]) != ageClose || s.cut) {
			break
		}
	}
	return found, err
}

func isOver(ctx context.Context) bool { return ctx.Err() != nil }

func (s *creating[T]) age(item T) age { return s.client.age(s.Created(item), s.began) }

// candidate reports whether this creation may have created an object.
func (s *creating[T]) candidate(item T) bool {
	if s.Unique && (s.Holds == nil || s.Holds(item)) {
		return true
	}
	_, answered := s.client.createdIDs.Load(s.ID(item))
	return !answered && (s.age(item) != older || !s.client.clocksAgree())
}

func (s *creating[T]) lookedUp(found []T) string {
	known := fmt.Sprintf("It was looked up %d times.", len(LagPauses))
	if s.allOlder(found) {
		known += " The objects found are older than the request according to the Date headers of the responses, which may " +
			"be from another clock."
	}
	return known
}

func (s *creating[T]) allOlder(found []T) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(item T) bool { return s.age(item) != older })
}

// likely returns the candidates that are not older by the dates, or all if there are none: the dates may be from two
// clocks.
func (s *creating[T]) likely(found []T) []T {
	younger := slices.DeleteFunc(slices.Clone(found), func(item T) bool { return s.age(item) == older })
	if len(younger) > 0 {
		return younger
	}
	return found
}

// decide adopts an object that the creation is proven to have created. Otherwise, its error contains the candidates.
func (s *creating[T]) decide(ctx context.Context, lost *AmbiguousError, found []T) (T, bool, error) {
	var none T
	if !s.Unique || len(found) != 1 || showsOther(lost) {
		ids := s.ids(s.likely(found))
		if id := shownByDate(lost); id != "" && len(ids) == 0 && !s.client.clocksAgree() {
			ids = []string{id}
		}
		unclear := *lost
		unclear.Older, unclear.LookedUp = s.allOlder(found), !s.cut
		return none, false, s.unclear(&unclear, ids, s.lookedUp(found), nil)
	}
	object, ids := found[0], s.ids(found)
	equal, err := s.Equal(ctx, object)
	switch made := s.age(object); {
	case err != nil:
		return none, false, s.unclear(lost, ids, "Comparing it with what was sent failed.", err)
	case !equal, made == older && s.client.clocksAgree():
		return none, false, &TakenError{ID: ids[0], Err: lost}
	case made != newer:
		return none, false, s.unclear(lost, ids, s.undated(object), nil)
	}
	if _, others := s.client.createdIDs.LoadOrStore(ids[0], true); others {
		return none, false, &TakenError{ID: ids[0], Err: lost}
	}
	return object, true, nil
}

func (s *creating[T]) ids(found []T) []string {
	ids := make([]string, len(found))
	for i, item := range found {
		ids[i] = s.ID(item)
	}
	return ids
}

func (s *creating[T]) undated(object T) string {
	created := s.Created(object)
	if created == "" {
		return "An equal object exists, but its time of creation is unknown."
	}
	known := fmt.Sprintf("An equal object exists, created at %s.", created)
	if sent := s.client.dateAt(s.began); sent != "" {
		known += fmt.Sprintf(" The request was sent at about %s according to the Date headers of the responses.", sent)
	}
	return known + " This does not prove whether this request created it."
}

// unclear adds what is known, and how to find out the rest.
func (s *creating[T]) unclear(lost *AmbiguousError, candidates []string, known string, cause error) error {
	e := lost.followedBy(cause) // the outcome is still the one that the first request left open
	e.Candidates = candidates
	e.Advice = fmt.Sprintf("The %s may or may not exist. %s", s.Describe, known)
	switch {
	case len(candidates) == 0 && s.Find == nil && s.Again != "":
		e.Advice = fmt.Sprintf("The %s may or may not exist", s.Describe)
	case len(candidates) == 0:
		e.Advice += fmt.Sprintf(" Look for it at the service%s: if it exists, import it; if not, create it again",
			e.inRequestLog())
	case len(candidates) == 1:
		e.Advice += " It may be " + candidates[0]
	default:
		e.Advice += " It may be one of " + strings.Join(candidates, ", ")
	}
	if s.Again != "" {
		e.Advice += ". " + s.Again
	}
	return e
}

// existing is the object in the way of a rejected creation, if the service returns its id.
func existing(rejection error) []string {
	if e, ok := AsError(rejection); ok && e.ExistingID != "" {
		return []string{e.ExistingID}
	}
	return nil
}

func showsOther(err error) bool {
	var other *OtherObjectError
	return errors.As(err, &other)
}

// shownByDate is the object in a response to a creation that is another one only by its date.
func shownByDate(err error) string {
	var other *OtherObjectError
	if errors.As(err, &other) && other.byDate {
		return other.Shown
	}
	return ""
}

func isDuplicate(err error) bool {
	e, ok := AsError(err)
	return ok && (e.Code == codeTaken || e.ExistingID != "")
}

// isRejection reports whether the service rejected the body itself, which it would do again, rather than the caller or
// the rate.
func isRejection(err error) bool {
	e, ok := AsError(err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// detach returns a context with ctx's values that outlives ctx by the grace period.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(createGrace)
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

// withWaiting makes a call on ctx obey another context while it waits to be sent.
func withWaiting(ctx, waiting context.Context) context.Context {
	return context.WithValue(ctx, waitingKey{}, waiting)
}

func waitingContext(ctx context.Context) context.Context {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting
	}
	return ctx
}
