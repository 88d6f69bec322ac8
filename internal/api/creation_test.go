package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// trial is a scripted creation: what each request and each lookup brings. A thing with Count 1 is what was sent.
type trial struct {
	client  *Client
	creates []any   // thing or error
	lookups [][]any // things, or one error
	undated bool    // responses have no Date
	agrees  bool    // the clock of Date dates objects, as an earlier creation has shown
	tried   int
	looked  int
}

// made is a thing that was created so long after the first request.
type made struct {
	thing
	after time.Duration
}

func (s *trial) send(context.Context) (made, error) {
	next := s.creates[min(s.tried, len(s.creates)-1)]
	s.tried++
	if err, ok := next.(error); ok {
		return made{}, err
	}
	return next.(made), nil
}

func (s *trial) find(context.Context) ([]made, error) {
	if !s.undated {
		s.client.clock.note(http.StatusOK, http.Header{"Content-Type": {"application/json"},
			"Date": {time.Now().UTC().Format(http.TimeFormat)}}, time.Now())
	}
	var next []any
	if len(s.lookups) > 0 {
		next = s.lookups[min(s.looked, len(s.lookups)-1)]
	}
	s.looked++
	var found []made
	for _, v := range next {
		if err, ok := v.(error); ok {
			return nil, err
		}
		found = append(found, v.(made))
	}
	return found, nil
}

func (s *trial) creation(t *testing.T) Creation[made] {
	start := time.Now()
	s.client = newClient(t, play(ok("{}")), func(cfg *Config) { cfg.MaxRetries = -1 })
	s.client.clock.agrees = s.agrees
	return Creation[made]{
		Send: s.send, Find: s.find, ID: func(v made) string { return v.ID }, Unique: true,
		Created:  func(v made) string { return start.Add(v.after).UTC().Format(time.RFC3339Nano) },
		Equal:    func(_ context.Context, v made) (bool, error) { return v.Count == 1, nil },
		Describe: `thing with external_id "e1"`,
	}
}

// TestSettle: a lost creation with an external_id is adopted when it is proven to come of this request, and sent again
// when there is none. Without one it is sent once, and named.
func TestSettle(t *testing.T) {
	t.Parallel()
	lost := &AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1", Err: errReset}
	taken := &Error{Status: 422, Code: "external_id_taken", ExistingID: "t1", Structured: true}
	mixed := &AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1",
		Err: &OtherObjectError{Err: &Error{Status: 201}}}
	same, other := made{thing: thing{ID: "t1", Count: 1}}, made{thing: thing{ID: "t2", Count: 2}}
	older := made{same.thing, -3 * time.Second}
	unnamed := func(m *Creation[made]) { m.Unique = false }
	tests := map[string]struct {
		trial         trial
		change        func(*Creation[made])
		id            string
		adopted       bool
		err           string // part of the error
		kind          outcome
		taken         string // id
		candidates    string // ids
		tried, looked int
		waited        time.Duration
	}{
		"clear success":   {trial: trial{creates: []any{same}}, id: "t1", tried: 1},
		"clear rejection": {trial: trial{creates: []any{taken}}, err: "external_id_taken", kind: plainError, tried: 1},
		"found": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}}, id: "t1", adopted: true,
			tried: 1, looked: 1},
		"found after read lag": {trial: trial{creates: []any{lost}, lookups: [][]any{{}, {}, {}, {same}}}, id: "t1",
			adopted: true, tried: 1, looked: 4, waited: 11 * time.Second},
		"found after a bad lookup": {trial: trial{creates: []any{lost}, lookups: [][]any{{errReset}, {same}}}, id: "t1",
			adopted: true, tried: 1, looked: 2, waited: time.Second},
		"found, different": {trial: trial{creates: []any{lost}, lookups: [][]any{{other}}}, err: "did not create", taken: "t2",
			kind: isAmbiguous, tried: 1, looked: 1},
		"found, older": {trial: trial{creates: []any{lost}, lookups: [][]any{{older}}, agrees: true}, err: "did not create",
			taken: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"found, older by one of two clocks": {trial: trial{creates: []any{lost}, lookups: [][]any{{older}}},
			err: "created at 1999-12-31T23:59:57Z. The request was sent at about 2000-01-01T00:00:00Z", candidates: "t1",
			kind: isAmbiguous, tried: 1, looked: 1},
		"found, different and older": {trial: trial{creates: []any{lost}, lookups: [][]any{{made{other.thing, -time.Hour}}}},
			err: "did not create", taken: "t2", kind: isAmbiguous, tried: 1, looked: 1},
		"found, of a time to come": {trial: trial{creates: []any{lost}, lookups: [][]any{{made{same.thing, time.Hour}}}},
			err: "does not prove", candidates: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"found, no Date": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}, undated: true},
			err: "does not prove", candidates: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"found, no time": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}},
			change: func(m *Creation[made]) { m.Created = func(made) string { return "" } },
			err:    "its time of creation is unknown", candidates: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"found, not compared": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}}},
			change: func(m *Creation[made]) {
				m.Equal = func(context.Context, made) (bool, error) { return false, errReset }
			}, err: "Comparing", candidates: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"found twice": {trial: trial{creates: []any{lost}, lookups: [][]any{{same, other}}}, err: "one of t1, t2",
			candidates: "t1 t2", kind: isAmbiguous, tried: 1, looked: 1},
		"another object, found": {trial: trial{creates: []any{mixed}, lookups: [][]any{{same}}}, err: "may be t1",
			candidates: "t1", kind: isAmbiguous, tried: 1, looked: 1},
		"another object, not found": {trial: trial{creates: []any{mixed}}, err: "may or may not exist", kind: isAmbiguous,
			tried: 1, looked: 4, waited: 11 * time.Second},
		"not found, sent again": {trial: trial{creates: []any{lost, same}}, id: "t1", tried: 2, looked: 4,
			waited: 11 * time.Second},
		"lost twice, found": {trial: trial{creates: []any{lost}, lookups: [][]any{{}, {}, {}, {}, {made{same.thing,
			11 * time.Second}}}}, id: "t1", adopted: true, tried: 2, looked: 5, waited: 11 * time.Second},
		"sent again, rejected, ours": {trial: trial{creates: []any{lost, taken}, lookups: [][]any{{}, {}, {}, {}, {same}}},
			id: "t1", adopted: true, tried: 2, looked: 5, waited: 11 * time.Second},
		"sent again, rejected, not ours": {trial: trial{creates: []any{lost, taken}, lookups: [][]any{{}, {}, {}, {}, {other}}},
			err: "did not create", taken: "t2", kind: isAmbiguous, tried: 2, looked: 5, waited: 11 * time.Second},
		"sent again, rejected, not found": {trial: trial{creates: []any{lost, taken}}, err: "rejects a duplicate",
			candidates: "t1", kind: isAmbiguous, tried: 2, looked: 8, waited: 22 * time.Second},
		"lost for ever": {trial: trial{creates: []any{lost}}, err: "may or may not exist", kind: isAmbiguous,
			tried: 3, looked: 12, waited: 33 * time.Second},
		"one attempt": {trial: trial{creates: []any{lost}}, change: nil, err: "may or may not exist", kind: isAmbiguous,
			tried: 2, looked: 8, waited: 22 * time.Second},
		"sent again, invalid": {trial: trial{creates: []any{lost, &Error{Status: 422, Code: "validation_error"}}},
			err: "validation_error", kind: plainError, tried: 2, looked: 4, waited: 11 * time.Second},
		"sent again, forbidden": {trial: trial{creates: []any{lost, &Error{Status: 403}}},
			err: "sending it again failed", kind: isAmbiguous, tried: 2, looked: 4, waited: 11 * time.Second},
		"lookup fails": {trial: trial{creates: []any{lost}, lookups: [][]any{{errors.New("lookup is down")}}},
			err: "lookup is down", kind: isAmbiguous, tried: 1, looked: 4, waited: 11 * time.Second},
		"nothing to look up by": {trial: trial{creates: []any{lost}}, change: func(m *Creation[made]) { m.Find = nil },
			err: "Nothing finds it", kind: isAmbiguous, tried: 1},
		"no external_id": {trial: trial{creates: []any{lost}}, change: unnamed, err: "4 times", kind: isAmbiguous,
			tried: 1, looked: 4, waited: 11 * time.Second},
		"no external_id, candidates": {trial: trial{creates: []any{lost}, lookups: [][]any{{same}, {}, {same}, {other}}},
			change: func(m *Creation[made]) { unnamed(m); m.Again = "It is twice then." },
			err:    "It may be one of t1, t2. It is twice then.", candidates: "t1 t2", kind: isAmbiguous, tried: 1, looked: 4,
			waited: 11 * time.Second},
		"no external_id, no Date": {trial: trial{creates: []any{lost}, lookups: [][]any{{older}}, undated: true},
			change: unnamed, err: "may be t1", candidates: "t1", kind: isAmbiguous, tried: 1, looked: 4,
			waited: 11 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				m := test.trial.creation(t)
				test.trial.client.cfg.RetryTimeout = 30 * time.Second
				if name == "one attempt" {
					test.trial.client.cfg.MaxRetries = 1
				}
				if test.change != nil {
					test.change(&m)
				}
				got, adopted, err := Create(t.Context(), test.trial.client, m)
				if got.ID != test.id || adopted != test.adopted {
					t.Errorf("got %q, adopted %v, want %q, %v", got.ID, adopted, test.id, test.adopted)
				}
				apitest.Says(t, err, test.err)
				if err != nil && outcomeOf(err) != test.kind {
					t.Errorf("error is %s, want %s", outcomeOf(err), test.kind)
				}
				var taken *TakenError
				if errors.As(err, &taken) != (test.taken != "") || taken != nil && taken.ID != test.taken {
					t.Errorf("taken %+v, want %s", taken, test.taken)
				}
				if e, _ := AsAmbiguous(err); e != nil && strings.Join(e.Candidates, " ") != test.candidates {
					t.Errorf("candidates %v, want %v", e.Candidates, test.candidates)
				}
				if test.trial.tried != test.tried || test.trial.looked != test.looked || time.Since(start) != test.waited {
					t.Errorf("%d creates and %d lookups in %s, want %d, %d, %s",
						test.trial.tried, test.trial.looked, time.Since(start), test.tried, test.looked, test.waited)
				}
			})
		})
	}
}

// TestCandidatesOfOthers: what another creation of this process was answered, or has adopted, is no candidate.
func TestCandidatesOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, lost := time.Now(), &AmbiguousError{Service: "billing", Operation: "things.create", Err: errReset}
		first, adopted, second := made{thing: thing{ID: "t1", Count: 1}}, made{thing: thing{ID: "t2", Count: 1}},
			made{thing: thing{ID: "t3", Count: 1}}
		s := trial{creates: []any{first, lost, lost}, lookups: [][]any{{adopted}, {first, adopted, second}}}
		m := s.creation(t)
		for range 2 {
			if _, _, err := Create(t.Context(), s.client, m); err != nil {
				t.Fatal(err)
			}
		}
		m.Unique = false
		_, _, err := Create(t.Context(), s.client, m)
		if e, _ := AsAmbiguous(err); e == nil || strings.Join(e.Candidates, " ") != "t3" {
			t.Error(err)
		}
		var taken *TakenError
		adopted.after = time.Since(start) // it looks as if this one had created it
		s.lookups, m.Unique = [][]any{{adopted}}, true
		if _, _, err := Create(t.Context(), s.client, m); !errors.As(err, &taken) || taken.ID != "t2" {
			t.Error(err)
		}
	})
}

func TestUndecidedErrorSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	trial := trial{creates: []any{&AmbiguousError{Service: "billing", Operation: "things.create", RequestID: "r1",
		SentAt: sent, Err: errReset}}}
	m := trial.creation(t)
	m.Find = nil
	_, _, err := Create(t.Context(), trial.client, m)
	want := `billing things.create: sent at 2026-01-02T03:04:05Z, outcome unknown: connection reset by peer [Request-Id r1]. ` +
		`The thing with external_id "e1" may or may not exist. Nothing finds it. ` +
		`Look for it at the service (its request log contains the Request-Id r1 for 30 days): if it exists, import it; if not, create it again`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
