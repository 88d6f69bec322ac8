package finance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestClaimKey(t *testing.T) {
	t.Parallel()
	s := New(nil)
	created, kept, removed := Claim{}, Claim{ID: "b1"}, Claim{ID: "b1", Destroyed: true}
	for i, c := range []struct {
		collection, key string
		claim           Claim
		others          []Claim
	}{
		{"bills", "k", created, nil},
		{"bills", "K", kept, []Claim{created}},
		{"bills", "k", removed, []Claim{created, kept}},
		{"payables", "k", created, nil},
		{"bills", "other", created, nil},
	} {
		if others := s.ClaimKey(c.collection, c.key, c.claim); !reflect.DeepEqual(others, c.others) {
			t.Errorf("claim %d: %+v", i, others)
		}
	}
}

// slow delays the requests of a method.
type slow struct {
	http.RoundTripper
	method string
	by     time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == s.method {
		time.Sleep(s.by)
	}
	return s.RoundTripper.RoundTrip(r)
}

// TestRenamed: a record that one resource deletes while another one creates it with the same key is there once in the
// end, and it is the one that the creation returned, whatever the order of the requests.
func TestRenamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		create, remove time.Duration // when the calls begin
		slow           string        // the method whose requests take 5 s to arrive
		refused        bool          // the deletion fails
		id             string        // of the record that is left
	}{
		"deleted first":                     {create: time.Minute, id: "b2"},
		"created first":                     {remove: time.Minute, id: "b1"},
		"created while the deletion runs":   {create: time.Second, slow: "DELETE", id: "b2"},
		"deleted while the creation runs":   {remove: time.Second, slow: "POST", id: "b2"},
		"deleted while the new one is read": {remove: 6 * time.Second, slow: "GET", id: "b1"},
		"the deletion fails":                {create: time.Second, slow: "DELETE", refused: true, id: "b1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.replies[key1], d.records["b1"] = `{"id":"b1"}`, `{"id":"b1"}`
				if c.refused {
					d.over["DELETE"] = respond(403, `{"error":{"code":"insufficient_scope","message":"no"}}`)
				}
				s := newService(t, slow{d, c.slow, 5 * time.Second})
				ended := make(chan string)
				go func() {
					time.Sleep(c.remove)
					deleted, err := s.DeleteRecord(t.Context(), "bills", "b1")
					ended <- fmt.Sprintf("%t, %v", deleted, err != nil)
				}()
				time.Sleep(c.create)
				made, err := s.CreateRecord(t.Context(), "bills", rent, strings.ToUpper(key1))
				var undeleted *UndeletedError
				switch {
				case c.refused && errors.As(err, &undeleted) && !Unsettled(err):
					made = &RecordCreated{Record: Record{ID: undeleted.ID}}
				case c.refused || err != nil:
					t.Errorf("created %+v, %v", made, err)
				}
				want := fmt.Sprintf("%t, %t", c.id == "b2", c.refused)
				if have := <-ended; have != want {
					t.Errorf("deleted: %s, want %s", have, want)
				}
				if made.ID != c.id || len(d.records) != 1 || d.records[c.id] == "" {
					t.Errorf("the creation returned %s, and the service has %v", made.ID, d.records)
				}
			})
		})
	}
}

// TestRemove: of several entries of the state that show one record, the last one that is removed deletes it, and none
// while one is kept, in whatever order they are planned and removed.
func TestRemove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan, remove string // entries in order; a capital one is planned to be removed
		last         string // the entries whose removal deletes the record
		unaware      string // the kept entries that a removal does not know of
	}{
		"one":                     {plan: "A", remove: "a", last: "a"},
		"kept, planned first":     {plan: "bA", remove: "a"},
		"kept, planned last":      {plan: "Ab", remove: "a", last: "a", unaware: "b"},
		"both removed":            {plan: "AB", remove: "ab", last: "ab"},
		"both removed, last one":  {plan: "AB", remove: "ba", last: "a"},
		"both known":              {plan: "abAB", remove: "ab", last: "b"},
		"both known, last first":  {plan: "abAB", remove: "ba", last: "a"},
		"two removed, one kept":   {plan: "abcABc", remove: "ab"},
		"two removed, one late":   {plan: "abABc", remove: "ab", last: "b", unaware: "c"},
		"planned again":           {plan: "aAa", remove: "a", last: "a"},
		"late, and planned twice": {plan: "Abb", remove: "", unaware: "bb"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, others := New(nil), map[string][]string{}
			var unaware, last string
			for _, entry := range strings.Split(c.plan, "") {
				if lower := strings.ToLower(entry); lower != entry {
					others[lower] = s.PlanRemoval(t.Context(), "bills", "b1", lower)
					continue
				}
				if _, missed := s.Shown("bills", "B1", entry); missed {
					unaware += entry
				}
			}
			for entry := range strings.SplitSeq(c.remove, "") {
				if s.Remove("bills", "b1", entry, others[entry]) {
					last += entry
				}
			}
			if unaware != c.unaware || last != c.last {
				t.Errorf("%s: unaware %q, deleted by %q", name, unaware, last)
			}
		})
	}
}

// TestPlanRemovalWaits: an entry that is read just after the removal of another one was planned is known to that
// removal, and only the beginning of a plan waits.
func TestPlanRemovalWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, start := New(nil), time.Now()
		go func() {
			time.Sleep(entriesTime / 2)
			s.Shown("bills", "b1", "b")
		}()
		if others := s.PlanRemoval(t.Context(), "bills", "b1", "a"); !reflect.DeepEqual(others, []string{"b"}) ||
			time.Since(start) != entriesTime {
			t.Errorf("%v after %s", others, time.Since(start))
		}
		if s.PlanRemoval(t.Context(), "bills", "b2", "c"); time.Since(start) != entriesTime {
			t.Errorf("the second one came after %s", time.Since(start))
		}
	})
}

// TestCreationThatIsInterruptedWhileItWaits: it ends, and holds no record.
func TestCreationThatIsInterruptedWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.replies[key1], d.records["b1"] = `{"id":"b1"}`, `{"id":"b1"}`
		s := newService(t, slow{d, "DELETE", time.Minute})
		go func() { _, _ = s.DeleteRecord(t.Context(), "bills", "b1") }()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if made, err := s.CreateRecord(ctx, "bills", rent, key1); err == nil ||
			!strings.Contains(err.Error(), "wait for the deletion") {
			t.Errorf("%+v, %v", made, err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// TestExisted: a record that is older than its creation is distinguished from a new one, by the service's clock.
func TestExisted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		createdAt string
		takes     time.Duration
		want      bool
	}{
		"new":                            {createdAt: "2000-01-01T00:00:00.400Z"},
		"new, to the second":             {createdAt: "1999-12-31T23:59:59Z"},
		"new, and the response was late": {createdAt: "2000-01-01T00:00:05.000Z", takes: 26 * time.Second},
		"older":                          {createdAt: "1999-12-31T23:59:57.000Z", want: true},
		"older, and the response late":   {createdAt: "1999-12-31T23:59:58.000Z", takes: 26 * time.Second, want: true},
		"no time":                        {},
		"a date alone":                   {createdAt: "1999-05-04"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.records["b1"] = `{"id":"b1","created_at":"` + c.createdAt + `"}`
				d.replies[key1] = d.records["b1"]
				made, err := newService(t, slow{d, "POST", c.takes}).CreateRecord(t.Context(), "bills", rent, key1)
				if err != nil || made.Existed != c.want {
					t.Errorf("%+v, %v", made, err)
				}
			})
		})
	}
}
