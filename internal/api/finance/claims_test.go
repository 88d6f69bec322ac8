package finance

import (
	"context"
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

// TestRenamed: a record that one resource deletes while another one creates it with the same key is there once in the end, and it is the
// one that the creation returned, whatever the order of the requests.
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
		"deleted while the new one is read": {remove: time.Second, slow: "GET", id: "b1"},
		"the deletion fails":                {create: time.Second, slow: "DELETE", refused: true, id: "b1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.replies[key1], d.records["b1"] = `{"id":"b1"}`, `{"id":"b1"}`
				if c.refused {
					d.over["DELETE"] = answer(403, `{"error":{"code":"insufficient_scope","message":"no"}}`)
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
				if err != nil {
					t.Fatal(err)
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
		if made, err := s.CreateRecord(ctx, "bills", rent, key1); err == nil || !strings.Contains(err.Error(), "wait for the deletion") {
			t.Errorf("%+v, %v", made, err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// TestExisted: a record that is older than its creation is told apart from a new one, by the service's clock.
func TestExisted(t *testing.T) {
	t.Parallel()
	date := time.Date(2031, time.May, 4, 12, 0, 30, 0, time.UTC)
	for name, c := range map[string]struct {
		createdAt string
		current   string // as it is read; "": as it was created
		takes     time.Duration
		want      bool
	}{
		"new":                          {createdAt: "2031-05-04T12:00:30.400Z"},
		"new, to the second":           {createdAt: "2031-05-04T12:00:29Z"},
		"new, and the answer was late": {createdAt: "2031-05-04T12:00:05.000Z", takes: 26 * time.Second},
		"older":                        {createdAt: "2031-05-04T12:00:27.000Z", want: true},
		"older, and the answer late":   {createdAt: "2031-05-04T12:00:02.000Z", takes: 26 * time.Second, want: true},
		"no time":                      {},
		"a date alone":                 {createdAt: "2031-05-04"},
		"changed since":                {current: `{"id":"b1","name":"House","number":9007199254740993,"amount":"1500.00"}`, want: true},
		"written in another way":       {current: `{ "number":9007199254740993, "name":"Rent", "id":"b1", "amount":"1500.00","status":"open"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				object := `{"id":"b1","name":"Rent","number":9007199254740993,"amount":"1500.00","created_at":"` + c.createdAt + `"}`
				if c.current == "" {
					c.current = object
				}
				dated := func(next http.HandlerFunc) http.HandlerFunc {
					return func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Date", date.Format(http.TimeFormat))
						next(w, r)
					}
				}
				d.over["POST"], d.over["GET"] = dated(answer(201, `{"data":`+object+`}`)), dated(answer(200, `{"data":`+c.current+`}`))
				made, err := newService(t, slow{d, "POST", c.takes}).CreateRecord(t.Context(), "bills", rent, key1)
				if err != nil || made.Existed != c.want {
					t.Errorf("%+v, %v", made, err)
				}
			})
		})
	}
}
