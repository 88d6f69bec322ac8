package api

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// change is a scripted transition: what each sending and each look brings. The
// last of each is repeated.
type change struct {
	sends, looks []any // thing or error
	sent, looked int
	counts       bool
}

func next(script []any, n *int) (thing, error) {
	now := script[min(*n, len(script)-1)]
	*n++
	if err, ok := now.(error); ok {
		return thing{}, err
	}
	return now.(thing), nil
}

// transition asks for the count 1, from the count 0.
func (s *change) transition() Transition[thing] {
	return Transition[thing]{
		Send:     func(context.Context) (thing, error) { return next(s.sends, &s.sent) },
		Look:     func(context.Context) (thing, error) { return next(s.looks, &s.looked) },
		Done:     func(v thing) bool { return v.Count == 1 },
		Describe: `pause of the thing "t1"`,
		Counts:   s.counts,
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	lost := &AmbiguousError{Service: "billing", Operation: "things.pause", RequestID: "r1", Err: errReset}
	after := func(status int, structured bool) error {
		return &AmbiguousError{Service: "billing", RequestID: "r1", Err: &Error{Status: status, Structured: structured}}
	}
	invalid := &Error{Status: 422, Code: "invalid_transition", Structured: true}
	before, done, other := thing{ID: "t1"}, thing{ID: "t1", Count: 1}, thing{ID: "t1", Count: 2}
	const round = 11 * time.Second // of looks without what is wanted
	type row struct {
		change       change
		err          []string // parts of the error
		kind         outcome
		sent, looked int
		waited       time.Duration
	}
	tests := map[string]row{
		"clear success": {change: change{sends: []any{done}}, sent: 1},
		"clear rejection": {change: change{sends: []any{invalid}}, err: []string{"invalid_transition"},
			kind: plainError, sent: 1},
		"not sent": {change: change{sends: []any{&TransportError{Err: errReset}}}, err: []string{"reset"},
			kind: noResponse, sent: 1},
		"lost, done": {change: change{sends: []any{lost}, looks: []any{done}}, sent: 1, looked: 1},
		"lost, done after read lag": {change: change{sends: []any{lost}, looks: []any{before, other, before, done}}, sent: 1,
			looked: 4, waited: round},
		"lost, done after bad look": {change: change{sends: []any{lost}, looks: []any{errReset, done}}, sent: 1, looked: 2,
			waited: time.Second},
		"lost, sent again": {change: change{sends: []any{lost, done}, looks: []any{before}}, sent: 2, looked: 4,
			waited: round},
		"lost twice, done late": {change: change{sends: []any{lost}, looks: []any{before, before, before, before, before, done}},
			sent: 2, looked: 6, waited: round + time.Second},
		"lost, carried out after the looks": {change: change{sends: []any{lost, invalid},
			looks: []any{before, before, before, before, done}}, sent: 2, looked: 5, waited: round},
		"lost, then rejected": {change: change{sends: []any{lost, invalid}, looks: []any{before}},
			err: []string{"invalid_transition"}, kind: plainError, sent: 2, looked: 8, waited: 2 * round},
		"lost, then not sent": {change: change{sends: []any{lost, &TransportError{Err: errors.New("refused")}},
			looks: []any{before}}, err: []string{"may or may not have been carried out. It was sent 2 times", "refused"},
			kind: isAmbiguous, sent: 2, looked: 4, waited: round},
		"never answered": {change: change{sends: []any{lost}, looks: []any{before}},
			err:  []string{`The pause of the thing "t1" may or may not have been carried out`, "sent 5 times", "Request-Id r1"},
			kind: isAmbiguous, sent: 5, looked: 20, waited: 5 * round},
		"lost, something else": {change: change{sends: []any{lost}, looks: []any{other}}, err: []string{"not in the requested state"},
			kind: isAmbiguous, sent: 5, looked: 20, waited: 5 * round},
		"redirected": {change: change{sends: []any{after(302, false)}, looks: []any{before}},
			err: []string{"not in the requested state"}, kind: isAmbiguous, sent: 1, looked: 4, waited: round},
		"billed, lost": {change: change{counts: true, sends: []any{lost, done}, looks: []any{before}},
			err: []string{"not sent again"}, kind: isAmbiguous, sent: 1, looked: 4, waited: round},
		"billed, a proxy's 502": {change: change{counts: true, sends: []any{after(502, false), done}, looks: []any{before}},
			err: []string{"not sent again"}, kind: isAmbiguous, sent: 1, looked: 4, waited: round},
		"billed, 504 in the service's own form": {change: change{counts: true, sends: []any{after(504, true), done},
			looks: []any{before}}, err: []string{"not sent again"}, kind: isAmbiguous, sent: 1, looked: 4, waited: round},
		"billed, the service's own 503": {change: change{counts: true, sends: []any{after(503, true), done},
			looks: []any{before}}, sent: 2, looked: 4, waited: round},
		"look fails": {change: change{sends: []any{lost},
			looks: []any{&Error{Status: 404, Code: "not_found", Structured: true}}},
			err: []string{"Reading the object failed", "not_found"}, kind: isAmbiguous, sent: 1, looked: 4, waited: round},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		start := time.Now()
		got, err := Change(t.Context(), newClient(t, play()), test.change.transition())
		if want := map[bool]thing{true: done}[err == nil]; got.ID != want.ID || got.Count != want.Count {
			t.Errorf("got %+v", got)
		}
		apitest.Says(t, err, test.err...)
		// A look that finds nothing must not read as if the change had been answered with that.
		if err != nil && (outcomeOf(err) != test.kind || IsNotFound(err) ||
			test.kind == isAmbiguous && !shares(err, test.change.sends[0])) {
			t.Errorf("error is %s, want %s: %v", outcomeOf(err), test.kind, err)
		}
		if test.change.sent != test.sent || test.change.looked != test.looked || time.Since(start) != test.waited {
			t.Errorf("%d sendings and %d looks in %s, want %d, %d, %s",
				test.change.sent, test.change.looked, time.Since(start), test.sent, test.looked, test.waited)
		}
	})
}

// shares reports whether an ambiguous error contains the cause of another one.
func shares(err error, other any) bool {
	first, ok := other.(*AmbiguousError)
	return ok && errors.Is(err, first.Err)
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	lost := &AmbiguousError{Service: "collections", Operation: "things.rotate", RequestID: "r1", Err: errReset}
	gone := &Error{Status: 404, Code: "not_found", Structured: true}
	invalid := &Error{Status: 422, Code: "invalid", Structured: true}
	thing1, thing2 := thing{ID: "t1", Count: 1}, thing{ID: "t1", Count: 2}
	type row struct {
		sends []any // thing or error
		want  thing
		err   []string
		kind  outcome
		sent  int
	}
	tests := map[string]row{
		"clear success":   {sends: []any{thing1}, want: thing1, sent: 1},
		"clear rejection": {sends: []any{invalid}, err: []string{"invalid"}, kind: plainError, sent: 1},
		"not sent": {sends: []any{&TransportError{Err: errReset}}, err: []string{"reset"},
			kind: noResponse, sent: 1},
		"lost, returned": {sends: []any{lost, thing2}, want: thing2, sent: 2},
		"lost, rejected": {sends: []any{lost, invalid}, err: []string{"invalid"}, kind: plainError, sent: 2},
		"lost, gone": {sends: []any{lost, gone}, err: []string{"sent again without success", "not_found"},
			kind: isAmbiguous, sent: 2},
		"lost, lost": {sends: []any{lost, lost},
			err: []string{`The rotation of "t1" may or may not have been carried out`, "Do it by hand", "r1"}, kind: isAmbiguous,
			sent: 2},
		"lost, without a response": {sends: []any{lost, &TransportError{Err: errReset}},
			err: []string{"sent again without success"}, kind: isAmbiguous, sent: 2},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		sent := 0
		got, err := Repeat(t.Context(), Repetition[thing]{
			Send:     func(context.Context) (thing, error) { return next(test.sends, &sent) },
			Describe: `rotation of "t1"`, Advice: "Do it by hand",
		})
		if (err != nil) != (test.err != nil) || got.ID != test.want.ID || got.Count != test.want.Count {
			t.Fatalf("got %+v, %v", got, err)
		}
		apitest.Says(t, err, test.err...)
		if err != nil && (outcomeOf(err) != test.kind || IsNotFound(err)) {
			t.Errorf("error is %s, want %s: %v", outcomeOf(err), test.kind, err)
		}
		if sent != test.sent {
			t.Errorf("%d sendings, want %d", sent, test.sent)
		}
	})
}

// TestRepeat_interrupted: nothing is sent after an interrupt, and the error says so.
func TestRepeat_interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Repeat(ctx, Repetition[thing]{Describe: `rotation of "t1"`, Send: func(context.Context) (thing, error) {
		t.Error("it was sent")
		return thing{}, nil
	}})
	apitest.Says(t, err, `rotation of "t1": nothing was sent`)
}
