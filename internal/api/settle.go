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

// Creation is a POST that makes an object, and how to find the object when its response is lost.
type Creation[T any] struct {
	Describe string // `customer with external_id "x"`
	Send     func(context.Context) (T, error)
	// Find returns the objects with the external_id; where there is none, those that look like what was sent, the newest
	// ones at least. nil: nothing finds the object.
	Find func(context.Context) ([]T, error)
	ID   func(T) string
	// Created is the time of creation as the service shows it.
	Created func(T) string
	// Unique says that the creation has an external_id: the service refuses a second one.
	Unique bool
	// Equal reports whether an object is what was sent. It is asked for Unique only.
	Equal func(context.Context, T) (bool, error)
	// Again says what another creation does, as a sentence; "": nothing worth a word.
	Again string
}

// TakenError ends a creation whose response was lost, because another object has its external_id.
type TakenError struct {
	ID  string // of that object
	Err *AmbiguousError
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%v. A lookup found the object %s, which this creation has not made", e.Err, e.ID)
}

func (e *TakenError) Unwrap() error { return e.Err }

// Settle sends a creation, and finds out what became of it where the response is lost:
//
//   - With an external_id the object is looked up by it, for as long as reads may lag. One that equals what was sent,
//     and that the service has created since the request was sent (see [Client.age]), is adopted, unless another
//     creation of this process was answered with it. One that differs, or that is proven older, is a *TakenError. Where
//     there is none, the creation is sent again, after such a lookup each time, for as long as the retry timeout runs.
//   - Without one nothing proves whose an object is: it is sent once, and the *AmbiguousError names the candidates.
//
// What is not proven is an *AmbiguousError that names the object, such as where the clock of Date and the one that
// dates objects differ. A response that shows another object ([OtherObjectError]) is a lost one after which nothing is
// adopted or sent.
//
// While the creation waits to be sent it obeys ctx. Once it is sent, it and its lookups continue for at most 8 s after
// ctx has ended, so that an interrupt does not orphan what the service has made.
func Settle[T any](ctx context.Context, c *Client, m Creation[T]) (object T, adopted bool, err error) {
	var none T
	if err := ended(ctx); err != nil {
		return none, false, fmt.Errorf("create the %s: nothing was sent: %w", m.Describe, err)
	}
	detached, cancel := detach(ctx)
	defer cancel()
	s := settlement[T]{Creation: m, client: c, began: time.Now()}
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
			return none, false, s.unclear(lost, nil, "The lookup failed.", err)
		case len(found) > 0 || !m.Unique || showsOther(lost):
			return s.decide(detached, lost, found)
		case isDuplicate(s.last):
			return none, false, s.unclear(lost, existing(s.last), "The service refuses a second one, and no lookup shows the "+
				"first.", s.last)
		case s.resent > 0 && !s.mayResend():
			return none, false, s.unclear(lost, nil, "It was sent again and looked up, and not found.", s.last)
		}
		object, open, err := s.resend(detached, ctx, lost)
		if !open {
			return object, false, err
		}
	}
}

// resend sends the creation again, after a lookup that has not found the object. open says that the error leaves open
// whether the object exists, so that it is looked up again.
func (s *settlement[T]) resend(detached, ctx context.Context, lost *AmbiguousError) (object T, open bool, err error) {
	object, err = s.send(detached, ctx)
	s.resent++
	s.last = err
	_, isLost := AsAmbiguous(err)
	switch {
	case isLost, isDuplicate(err): // the first one was carried out, or another system was faster
		return object, true, err
	case err != nil && !isRefusal(err): // what is refused now would have been refused before
		err = s.unclear(lost, nil, "It was looked up and not found, and sending it again failed.", err)
	}
	return object, false, err
}

// settlement is a creation under way.
type settlement[T any] struct {
	Creation[T]
	client *Client
	began  time.Time // when the first request was sent, by this machine
	resent int
	last   error // what sending it again has ended with
}

// send sends the creation. What it returns can be no candidate of another one.
func (s *settlement[T]) send(detached, ctx context.Context) (T, error) {
	object, err := s.Send(withWaiting(detached, ctx))
	if err == nil && s.ID != nil {
		s.client.answered.Store(s.ID(object), true)
	}
	return object, err
}

// mayResend reports whether there is time, and an attempt left, to send the creation once more.
func (s *settlement[T]) mayResend() bool {
	limit := s.client.cfg.MaxRetries
	return time.Since(s.began) < s.client.retryTimeout() && (limit < 0 || s.resent < limit)
}

// find looks for the object, for as long as reads may lag. With an external_id it ends with the first that is found,
// unless the response took too long to decide; without one, others may be listed before it. An interrupt of the caller
// ends that.
func (s *settlement[T]) find(ctx, caller context.Context) (found []T, err error) {
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
		if len(found) > 0 && (s.Unique && s.age(found[0]) != ageClose || isOver(caller)) {
			break
		}
	}
	return found, err
}

func isOver(ctx context.Context) bool { return ctx.Err() != nil }

func (s *settlement[T]) age(item T) age { return s.client.age(s.Created(item), s.began) }

// candidate reports whether an object may come of this creation.
func (s *settlement[T]) candidate(item T) bool {
	_, answered := s.client.answered.Load(s.ID(item))
	return s.Unique || !answered && (s.age(item) != older || !s.client.clocksAgree())
}

// lookedUp says what lookups have found.
func (s *settlement[T]) lookedUp(found []T) string {
	known := fmt.Sprintf("It was looked up %d times.", len(LagPauses))
	if len(found) > 0 && !slices.ContainsFunc(found, func(item T) bool { return s.age(item) != older }) {
		known += " What was found is older by the Date of the responses, which may be of another clock."
	}
	return known
}

// likely are the candidates that are not older by the dates, if there are any: the dates may be of two clocks.
func (s *settlement[T]) likely(found []T) []T {
	younger := slices.DeleteFunc(slices.Clone(found), func(item T) bool { return s.age(item) == older })
	if len(younger) > 0 {
		return younger
	}
	return found
}

// decide adopts the object that is proven to come of the creation, and names what was found otherwise.
func (s *settlement[T]) decide(ctx context.Context, lost *AmbiguousError, found []T) (T, bool, error) {
	var none T
	if !s.Unique || len(found) != 1 || showsOther(lost) {
		ids := s.ids(s.likely(found))
		if id := shownByDate(lost); id != "" && len(ids) == 0 && !s.client.clocksAgree() {
			ids = []string{id}
		}
		return none, false, s.unclear(lost, ids, s.lookedUp(found), nil)
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
	if _, others := s.client.answered.LoadOrStore(ids[0], true); others {
		return none, false, &TakenError{ID: ids[0], Err: lost}
	}
	return object, true, nil
}

func (s *settlement[T]) ids(found []T) []string {
	ids := make([]string, len(found))
	for i, item := range found {
		ids[i] = s.ID(item)
	}
	return ids
}

// undated says why the dates do not prove that an object comes of the creation.
func (s *settlement[T]) undated(object T) string {
	created := s.Created(object)
	if created == "" {
		return "An object equal to it exists, and nothing shows when that was created."
	}
	known := fmt.Sprintf("An object equal to it exists, created at %s.", created)
	if sent := s.client.dateAt(s.began); sent != "" {
		known += fmt.Sprintf(" The request was sent at about %s by the Date of the responses.", sent)
	}
	return known + " That does not prove whether this creation made it."
}

// unclear says what is known and how to find out the rest.
func (s *settlement[T]) unclear(lost *AmbiguousError, candidates []string, known string, cause error) error {
	e := *lost
	e.Candidates = candidates
	e.Outlook = fmt.Sprintf("The %s may or may not exist. %s", s.Describe, known)
	switch {
	case len(candidates) == 0 && s.Find == nil && s.Again != "":
		e.Outlook = fmt.Sprintf("The %s may or may not exist", s.Describe)
	case len(candidates) == 0:
		e.Outlook += fmt.Sprintf(" Look for it at the service%s: if it exists, import it; if not, create it again",
			e.inRequestLog())
	case len(candidates) == 1:
		e.Outlook += " It may be " + candidates[0]
	default:
		e.Outlook += " It may be one of " + strings.Join(candidates, ", ")
	}
	if s.Again != "" {
		e.Outlook += ". " + s.Again
	}
	if cause != nil {
		// The outcome stays what the first request left open, so that error comes first.
		e.Err = fmt.Errorf("%w; after that: %w", lost.Err, cause)
	}
	return &e
}

// existing is the object that a refused creation is in the way of, where the service names it.
func existing(refusal error) []string {
	if e, ok := AsError(refusal); ok && e.ExistingID != "" {
		return []string{e.ExistingID}
	}
	return nil
}

// showsOther reports that the response shows another object than the created one.
func showsOther(err error) bool {
	var other *OtherObjectError
	return errors.As(err, &other)
}

// shownByDate is the object that a response to a creation has shown, where nothing but its date says that it is
// another one.
func shownByDate(err error) string {
	var other *OtherObjectError
	if errors.As(err, &other) && other.byDate {
		return other.Shown
	}
	return ""
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
