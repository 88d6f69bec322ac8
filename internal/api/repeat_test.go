package api

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRepeat(t *testing.T) {
	t.Parallel()
	lost := &AmbiguousError{Service: "collections", Operation: "things.rotate", RequestID: "r1", Err: errReset}
	gone := &Error{Status: 404, Code: "not_found", Structured: true}
	invalid := &Error{Status: 422, Code: "invalid", Structured: true}
	thing1, thing2 := thing{ID: "t1", Count: 1}, thing{ID: "t1", Count: 2}
	tests := map[string]struct {
		sends  []any // thing or error
		look   error
		want   thing
		err    []string
		kind   outcome
		sent   int
		looked int
		waited time.Duration
	}{
		"clear success": {sends: []any{thing1}, want: thing1, sent: 1},
		"clear refusal": {sends: []any{invalid}, err: []string{"invalid"}, kind: plainError, sent: 1},
		"not sent": {sends: []any{&TransportError{Err: errReset}}, err: []string{"reset"},
			kind: noResponse, sent: 1},
		"lost, returned": {sends: []any{lost, thing2}, want: thing2, sent: 2, looked: 1, waited: repeatPause},
		"lost, look fails": {sends: []any{lost, thing2}, look: gone,
			err: []string{"not sent again, as reading the object failed", "not_found", "Do it by hand"}, kind: isAmbiguous,
			sent: 1, looked: 1, waited: repeatPause},
		"lost, refused": {sends: []any{lost, invalid}, err: []string{"invalid"}, kind: plainError, sent: 2,
			looked: 1, waited: repeatPause},
		"lost, gone": {sends: []any{lost, gone}, err: []string{"sent again without success", "not_found"},
			kind: isAmbiguous, sent: 2, looked: 1, waited: repeatPause},
		"lost, lost": {sends: []any{lost, lost},
			err: []string{`The rotation of "t1" may or may not have been carried out`, "Do it by hand", "r1"}, kind: isAmbiguous,
			sent: 2, looked: 1, waited: repeatPause},
		"lost, without a response": {sends: []any{lost, &TransportError{Err: errReset}},
			err: []string{"sent again without success"}, kind: isAmbiguous, sent: 2, looked: 1, waited: repeatPause},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, sent, looked := time.Now(), 0, 0
				got, err := Repeat(t.Context(), Repetition[thing]{
					Send:     func(context.Context) (thing, error) { return next(test.sends, &sent) },
					Look:     func(context.Context) error { looked++; return test.look },
					Describe: `rotation of "t1"`, Advice: "Do it by hand",
				})
				if (err != nil) != (test.err != nil) || got.ID != test.want.ID || got.Count != test.want.Count {
					t.Fatalf("got %+v, %v", got, err)
				}
				for _, part := range test.err {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("error %v, want %q", err, part)
					}
				}
				if err != nil && (outcomeOf(err) != test.kind || IsNotFound(err)) {
					t.Errorf("error is %s, want %s: %v", outcomeOf(err), test.kind, err)
				}
				if sent != test.sent || looked != test.looked || time.Since(start) != test.waited {
					t.Errorf("%d sendings and %d looks in %s, want %d, %d, %s", sent, looked, time.Since(start), test.sent,
						test.looked, test.waited)
				}
			})
		})
	}
}

func TestRepeatSendsNothingWhenCancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sent := 0
	_, err := Repeat(ctx,
		Repetition[thing]{Send: func(context.Context) (thing, error) { return next([]any{thing{}}, &sent) }})
	if !errors.Is(err, context.Canceled) || sent != 0 {
		t.Errorf("%v after %d sendings", err, sent)
	}
}

// An interrupt does not keep a lost request from being sent again, but its grace period
// ends.
func TestGraceOfARepetitionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c := newClient(t, play(step{hang: true}), func(cfg *Config) { cfg.RequestTimeout = 10 * time.Second })
		sent := 0
		_, err := Repeat(ctx, Repetition[thing]{Send: func(ctx context.Context) (thing, error) {
			sent++
			return One[thing](ctx, c, createCustomer)
		}})
		if outcomeOf(err) != isAmbiguous || sent != 2 || time.Since(start) > 5*time.Second+settleGrace {
			t.Errorf("%v after %d sendings in %s", err, sent, time.Since(start))
		}
	})
}
