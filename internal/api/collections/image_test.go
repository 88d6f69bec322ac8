package collections

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Requests that wait share one listing, and none uses one that has begun before it.
func TestImagesAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		empty := respond(200, listOf())
		w := newWire(routes{
			"GET " + keysPath: func(w http.ResponseWriter, r *http.Request) { time.Sleep(time.Second); empty(w, r) },
			createKey: func(w http.ResponseWriter, r *http.Request) {
				id := string('a' + n.Add(1))
				respond(201, data(keyJSON(t, map[string]any{"id": id, "token": "t"})))(w, r)
			},
		})
		s := newService(t, w)
		done := make(chan error)
		start := func() {
			go func() {
				_, err := s.CreateAPIKey(t.Context(), askedKey)
				done <- err
			}()
			synctest.Wait()
		}
		for range 10 {
			start()
		}
		for range 10 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		// The first one lists alone; the others came while it did.
		if lists := strings.Count(strings.Join(w.Seen, " "), "GET "+keysPath); lists != 2 {
			t.Errorf("%d listings", lists)
		}
		start()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if lists := strings.Count(strings.Join(w.Seen, " "), "GET "+keysPath); lists != 3 {
			t.Errorf("%d listings: an old one was used", lists)
		}
	})
}

// A list that cannot be read keeps nothing from being created, unless the token is
// rejected. Without it a lost creation is not settled: what is found is named.
func TestCreationWithoutAnImage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before http.HandlerFunc
		writes string
		err    string
	}{
		"rejected token": {refused(401, "unauthorized"), "", "list what exists before the request is sent"},
		"not allowed":    {refused(403, "insufficient_scope"), createKey, "what existed before could not be listed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWire(routes{createKey: lost, "GET " + keysPath: listings(test.before,
					respond(200, listOf(keyJSON(t, nil)))),
					revokeKey: respond(204, "")})
				_, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
				says(t, err, test.err)
				if w.Writes() != test.writes {
					t.Errorf("sent %s", w.Writes())
				}
			})
		})
	}
}

// A list that lags by 10 s still shows the key in time, and the own one after the one
// of another system.
func TestLostCreationBehindALag(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]bool{"alone": false, "another system's is listed first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, first := time.Now(), keyJSON(t, nil)
				w := newWire(routes{
					createKey: turns(lost, respond(201, second(t))), revokeKey: respond(204, ""),
					"GET " + keysPath: func(w http.ResponseWriter, r *http.Request) {
						var items []string
						if other && time.Since(start) > 0 {
							items = append(items, keyJSON(t, map[string]any{"id": "k9", "createdAt": stamp(start)}))
						}
						if time.Since(start) >= 10*time.Second {
							items = append(items, first)
						}
						respond(200, listOf(items...))(w, r)
					},
				})
				created, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
				var conflict *api.ConflictError
				switch {
				case other && (!errors.As(err, &conflict) || len(conflict.IDs) != 2 || w.Writes() != createKey):
					t.Errorf("%v after %s", err, w.Writes())
				case !other && (err != nil || created.DiscardedID != "k1"):
					t.Errorf("got %+v, %v", created, err)
				}
			})
		})
	}
}

// What another system creates right before the request is still hidden from the
// listing by a lag, and is not revoked: the service's clock distinguishes both, also
// within a second. A clock that does not move shows nothing.
func TestLostCreationAfterAnothers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ clock func(time.Time) time.Time }{
		"running":     {func(now time.Time) time.Time { return now }},
		"days behind": {func(now time.Time) time.Time { return now.Add(-77 * time.Hour) }},
		"standing":    {func(time.Time) time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				dated := func(h http.HandlerFunc) http.HandlerFunc {
					return func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Date", test.clock(time.Now()).UTC().Format(http.TimeFormat))
						h(w, r)
					}
				}
				others := keyJSON(t, map[string]any{"createdAt": stamp(test.clock(start.Add(100 * time.Millisecond)))})
				w := newWire(routes{
					createKey: dated(turns(refused(503, "unavailable"), respond(201, second(t)))), revokeKey: dated(respond(204, "")),
					"GET " + keysPath: dated(func(w http.ResponseWriter, r *http.Request) {
						if time.Since(start) < 1100*time.Millisecond {
							respond(200, listOf())(w, r)
							return
						}
						respond(200, listOf(others))(w, r)
					}),
				})
				s := newService(t, w)
				for key, err := range s.ListAPIKeys(t.Context()) {
					t.Fatalf("the list shows %v, %v too early", key, err)
				}
				time.Sleep(700 * time.Millisecond)
				created, err := s.CreateAPIKey(t.Context(), askedKey)
				if name == "standing" {
					if err != nil || created.DiscardedID != "k1" {
						t.Errorf("got %+v, %v", created, err)
					}
					return
				}
				says(t, err, "k1", "before the request")
				if w.Writes() != createKey {
					t.Errorf("sent %s", w.Writes())
				}
			})
		})
	}
}
