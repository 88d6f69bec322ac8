package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// trial is a scripted settlement: what each create and each lookup brings.
type trial struct {
	creates []any   // thing or error
	lookups [][]any // things, or one error
	tried   int
	looked  int
	at      []time.Time
}

func (s *trial) create(context.Context) (thing, error) {
	next := s.creates[min(s.tried, len(s.creates)-1)]
	s.tried++
	if err, ok := next.(error); ok {
		return thing{}, err
	}
	return next.(thing), nil
}

func (s *trial) lookup(context.Context) ([]thing, error) {
	var next []any
	if len(s.lookups) > 0 {
		next = s.lookups[min(s.looked, len(s.lookups)-1)]
	}
	s.looked++
	s.at = append(s.at, time.Now())
	var found []thing
	for _, v := range next {
		if err, ok := v.(error); ok {
			return nil, err
		}
		found = append(found, v.(thing))
	}
	return found, nil
}

func (s *trial) settlement() Settlement[thing] {
	return Settlement[thing]{
		Create: s.create, Lookup: s.lookup, RefusesDuplicates: true,
		Same: func(v thing) bool { return v.Count == 1 }, ID: byID,
		Describe: `thing with external_id "e1"`,
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	lost := &AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1", Err: errReset}
	taken := &Error{Status: 422, Code: "external_id_taken", ExistingID: "t1", Structured: true}
	mixed := &AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1",
		Err: &OtherObjectError{Err: &Error{Status: 201}}}
	same, other := thing{ID: "t1", Count: 1}, thing{ID: "t2", Count: 2}
	tests := map[string]struct {
		trial         trial
		change        func(*Settlement[thing])
		id            string
		adopted       bool
		err           string // part of the error
		kind          outcome
		tried, looked int
		conflicts     []string
		waited        time.Duration
	}{
		"clear success": {trial: trial{creates: []any{same}}, id: "t1", tried: 1},
		"clear refusal": {trial: trial{creates: []any{taken}}, err: "external_id_taken",
			kind: plainError, tried: 1},
		"found and the same": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}}, id: "t1", adopted: true,
			tried: 1, looked: 1},
		"found after read lag": {trial: trial{creates: []any{lost}, lookups: [][]any{{}, {}, {}, {same}}}, id: "t1",
			adopted: true, tried: 1, looked: 4, waited: 11 * time.Second},
		"found after a bad lookup": {trial: trial{creates: []any{lost}, lookups: [][]any{{errReset}, {same}}}, id: "t1",
			adopted: true, tried: 1, looked: 2, waited: time.Second},
		"found but different": {trial: trial{creates: []any{lost}, lookups: [][]any{{other}}}, err: "differs",
			conflicts: []string{"t2"}, kind: isAmbiguous, tried: 1, looked: 1},
		"found twice": {trial: trial{creates: []any{lost}, lookups: [][]any{{same, other}}}, err: "2 of them (t1, t2)",
			conflicts: []string{"t1", "t2"}, kind: isAmbiguous, tried: 1, looked: 1},
		"another object, found": {trial: trial{creates: []any{mixed}, lookups: [][]any{{same}}},
			err: "one that is what was asked for (t1)", conflicts: []string{"t1"}, kind: isAmbiguous, tried: 1, looked: 1},
		"another object, not found": {trial: trial{creates: []any{mixed}}, err: "may or may not exist", kind: isAmbiguous,
			tried: 1, looked: 4, waited: 11 * time.Second},
		"not found, sent again": {trial: trial{creates: []any{lost, same}}, id: "t1", tried: 2, looked: 4,
			waited: 11 * time.Second},
		"sent again, taken, ours": {trial: trial{creates: []any{lost, taken}, lookups: [][]any{{}, {}, {}, {}, {same}}},
			id: "t1", adopted: true, tried: 2, looked: 5, waited: 11 * time.Second},
		"sent again, taken, not ours": {trial: trial{creates: []any{lost, taken}, lookups: [][]any{{}, {}, {}, {}, {other}}},
			err: "differs", conflicts: []string{"t2"}, kind: isAmbiguous, tried: 2, looked: 5, waited: 11 * time.Second},
		"sent again, lost again": {trial: trial{creates: []any{lost}}, err: "may or may not exist", kind: isAmbiguous,
			tried: 2, looked: 8, waited: 22 * time.Second},
		"sent again, invalid": {trial: trial{creates: []any{lost, &Error{Status: 422, Code: "validation_error"}}},
			err: "validation_error", kind: plainError, tried: 2, looked: 4, waited: 11 * time.Second},
		"sent again, forbidden": {trial: trial{creates: []any{lost, &Error{Status: 403}}},
			err: "sending it again failed", kind: isAmbiguous, tried: 2, looked: 4, waited: 11 * time.Second},
		"lookup fails": {trial: trial{creates: []any{lost}, lookups: [][]any{{errors.New("lookup is down")}}},
			err: "lookup is down", kind: isAmbiguous, tried: 1, looked: 4, waited: 11 * time.Second},
		"duplicates are not refused": {trial: trial{creates: []any{lost}}, change: func(s *Settlement[thing]) {
			s.RefusesDuplicates = false
		},
			err: "4 times and not found", kind: isAmbiguous, tried: 1, looked: 4, waited: 11 * time.Second},
		"doubted": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}},
			change: func(s *Settlement[thing]) { s.Doubt = func(context.Context, thing) string { return "it was used" } },
			err:    "may be another system's: it was used (t1)", conflicts: []string{"t1"}, kind: isAmbiguous,
			tried: 1, looked: 1},
		"patient": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}, {}}}, change: func(s *Settlement[thing]) {
			s.Patient = true
		},
			id: "t1", adopted: true, tried: 1, looked: 4, waited: 11 * time.Second},
		"patient, another one later": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}, {}, {}, {other}}},
			change: func(s *Settlement[thing]) { s.Patient = true },
			err:    "2 of them (t1, t2)", conflicts: []string{"t1", "t2"}, kind: isAmbiguous, tried: 1, looked: 4,
			waited: 11 * time.Second},
		"nothing to look up by": {trial: trial{creates: []any{lost}}, change: func(s *Settlement[thing]) { s.Lookup = nil },
			err: "cannot be looked up", kind: isAmbiguous, tried: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				s := test.trial.settlement()
				if test.change != nil {
					test.change(&s)
				}
				got, adopted, err := Settle(t.Context(), s)
				if got.ID != test.id || adopted != test.adopted {
					t.Errorf("got %q, adopted %v, want %q, %v", got.ID, adopted, test.id, test.adopted)
				}
				if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				if err != nil && outcomeOf(err) != test.kind {
					t.Errorf("error is %s, want %s", outcomeOf(err), test.kind)
				}
				var conflict *ConflictError
				if errors.As(err, &conflict) != (test.conflicts != nil) || conflict != nil && !slices.Equal(conflict.IDs,
					test.conflicts) {
					t.Errorf("conflict %+v, want %v", conflict, test.conflicts)
				}
				if test.trial.tried != test.tried || test.trial.looked != test.looked || time.Since(start) != test.waited {
					t.Errorf("%d creates and %d lookups in %s, want %d, %d, %s",
						test.trial.tried, test.trial.looked, time.Since(start), test.tried, test.looked, test.waited)
				}
			})
		})
	}
}

func TestUndecidedErrorSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	trial := trial{creates: []any{&AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1",
		SentAt: sent, Err: errReset}}}
	s := trial.settlement()
	s.Lookup = nil
	_, _, err := Settle(t.Context(), s)
	want := `billing things.create: sent at 2026-01-02T03:04:05Z, and it is not known whether it was carried out: connection reset by peer [Request-Id r1]. ` +
		`The thing with external_id "e1" may or may not exist. It cannot be looked up: it has nothing to be found by. ` +
		`Look for it at the service (its request log contains the Request-Id r1 for 30 days): if it exists, import it; if not, create it again`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestSettleSendsNothingWhenCancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	trial := trial{creates: []any{thing{ID: "t1"}}}
	if _, _, err := Settle(ctx, trial.settlement()); !errors.Is(err, context.Canceled) || trial.tried != 0 {
		t.Errorf("%v after %d creates", err, trial.tried)
	}
}

// createAt is a create through a client, for the tests of interruption.
func createAt(c *Client) func(context.Context) (thing, error) {
	return func(ctx context.Context) (thing, error) { return One[thing](ctx, c, createCustomer) }
}

func TestInterruptLetsTheSentCreateEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := step{respond: func(r *http.Request) step {
			time.Sleep(8 * time.Second)
			return ok(`{"data":{"id":"t1"}}`)
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got, _, err := Settle(ctx, Settlement[thing]{Create: createAt(newClient(t, play(slow))), Describe: "thing"})
		if err != nil || got.ID != "t1" {
			t.Errorf("%+v, %v: the response was thrown away", got, err)
		}
	})
}

func TestInterruptedCreateIsStillLookedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := newClient(t, play(step{hang: true}, ok(`{"data":[{"id":"t1","count":1}]}`)),
			func(cfg *Config) { cfg.RequestTimeout = 5 * time.Second })
		got, adopted, err := Settle(ctx, Settlement[thing]{
			Create: createAt(c), Describe: "thing", Same: func(v thing) bool { return v.Count == 1 },
			Lookup: func(ctx context.Context) (found []thing, err error) {
				for v, err := range List(ctx, c, listCustomers, ListOptions[thing]{ID: byID}) {
					if err != nil {
						return nil, err
					}
					found = append(found, v)
				}
				return found, nil
			},
		})
		if err != nil || !adopted || got.ID != "t1" {
			t.Errorf("%+v, %v, %v", got, adopted, err)
		}
	})
}

func TestGraceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c := newClient(t, play(step{hang: true}), func(cfg *Config) { cfg.RequestTimeout = time.Hour })
		_, _, err := Settle(ctx, Settlement[thing]{Create: createAt(c), Describe: "thing"})
		if outcomeOf(err) != isAmbiguous || !errors.Is(err, errInterrupted) {
			t.Error(err)
		}
		if took := time.Since(start); took != 5*time.Second+settleGrace || settleGrace >= 10*time.Second {
			t.Errorf("ended after %s, want %s after the interrupt, and less than 10 s", took, settleGrace)
		}
	})
}

func TestInterruptGivesUpWhatIsNotSentYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		transport := play(step{status: 429, header: map[string]string{"Retry-After": "60"}})
		_, _, err := Settle(ctx, Settlement[thing]{Create: createAt(newClient(t, transport)), Describe: "thing"})
		if !errors.Is(err, context.Canceled) || outcomeOf(err) == isAmbiguous {
			t.Error(err)
		}
		if time.Since(start) != 5*time.Second || transport.count() != 1 {
			t.Errorf("ended after %s with %d requests", time.Since(start), transport.count())
		}
	})
}

func TestThrottledCreateWaitsLongerThanTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, play(step{status: 429, header: map[string]string{"Retry-After": "300"}},
			ok(`{"data":{"id":"t1"}}`)))
		got, _, err := Settle(t.Context(), Settlement[thing]{Create: createAt(c), Describe: "thing"})
		if err != nil || got.ID != "t1" {
			t.Error(fmt.Sprint(got, err))
		}
	})
}
