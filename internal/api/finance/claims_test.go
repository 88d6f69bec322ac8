package finance

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// TestReplaced: a record that is replaced by one with the same key is there once in the end, and it is the one that the
// creation returned, whatever the order of the requests.
func TestReplaced(t *testing.T) {
	t.Parallel()
	type row struct {
		create, remove time.Duration // when the calls begin
		slow           string        // the method whose requests take 5 s to arrive
		rejected       bool          // the deletion fails
		id             string        // of the record that is left
		err            string        // of the creation
	}
	apitest.Each(t, map[string]row{
		"deleted first":                     {create: time.Minute, id: "o2"},
		"created first":                     {remove: time.Minute, id: "o1"},
		"created while the deletion runs":   {create: time.Second, slow: "DELETE", err: "is deleting; apply again"},
		"deleted while the creation runs":   {remove: time.Second, slow: "POST", id: "o2"},
		"deleted while the old one is read": {remove: 6 * time.Second, slow: "GET", id: "o1"},
		"the deletion fails":                {create: 6 * time.Second, slow: "DELETE", rejected: true, id: "o1"},
	}, func(t *testing.T, c row) {
		d := newWire(nil, bills)
		d.Reply(key1, old("o1", time.Hour))
		d.Place(bills, old("o1", time.Hour))
		if c.rejected {
			d.HandleFunc("DELETE /", apitest.Rejected(403, "insufficient_scope"))
		}
		d.Latency = func(r *http.Request) time.Duration {
			if r.Method != c.slow {
				return 0
			}
			return 5 * time.Second
		}
		s := newService(t, d)
		ended := make(chan string)
		go func() {
			time.Sleep(c.remove)
			deleted, err := s.DeleteRecord(t.Context(), "bills", "o1")
			ended <- fmt.Sprintf("%t, %v", deleted, err != nil)
		}()
		time.Sleep(c.create)
		made, err := s.CreateRecord(t.Context(), "bills", rent, strings.ToUpper(key1))
		want := fmt.Sprintf("%t, %t", c.id != "o1", c.rejected)
		if have := <-ended; have != want {
			t.Errorf("deleted: %s, want %s", have, want)
		}
		if apitest.Says(t, err, c.err); err != nil {
			return
		}
		if made.ID != c.id || d.IDs(bills) != c.id {
			t.Errorf("the creation returned %s, and the service has %s", made.ID, d.IDs(bills))
		}
	})
}

// TestTaken: of two creations with one key in one run, one fails and creates nothing.
func TestTaken(t *testing.T) {
	t.Parallel()
	d := newWire(nil, bills)
	s := newService(t, d)
	if _, err := s.CreateRecord(t.Context(), "bills", rent, key1); err != nil {
		t.Fatal(err)
	}
	made, err := s.CreateRecord(t.Context(), "bills", rent, key1)
	var taken *TakenError
	if !errors.As(err, &taken) || taken.ID != "o1" || MayHaveCreated(err) || d.IDs(bills) != "o1" {
		t.Errorf("%+v, %v, %v", made, err, d.IDs(bills))
	}
}

// TestExisted: a record that is older than its creation is distinguished from a new one, by the service's clock.
func TestExisted(t *testing.T) {
	t.Parallel()
	type row struct {
		createdAt string
		takes     time.Duration
		want      bool
	}
	apitest.Each(t, map[string]row{
		"new":                            {createdAt: "2000-01-01T00:00:00.400Z"},
		"new, to the second":             {createdAt: "1999-12-31T23:59:59Z"},
		"new, and the response was late": {createdAt: "2000-01-01T00:00:05.000Z", takes: 26 * time.Second},
		"older":                          {createdAt: "1999-12-31T23:59:57.000Z", want: true},
		"older, and the response late":   {createdAt: "1999-12-31T23:59:58.000Z", takes: 26 * time.Second, want: true},
		"no time":                        {},
		"a date alone":                   {createdAt: "1999-05-04"},
	}, func(t *testing.T, c row) {
		d := newWire(nil, bills)
		d.Latency = func(*http.Request) time.Duration { return c.takes }
		d.Place(bills, `{"id":"o1","created_at":"`+c.createdAt+`"}`)
		d.Reply(key1, `{"id":"o1",`+shownRent+`,"created_at":"`+c.createdAt+`"}`)
		made, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
		if err != nil || made.Existed != c.want {
			t.Errorf("%+v, %v", made, err)
		}
	})
}
