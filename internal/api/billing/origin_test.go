package billing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// store is a service with one kind of object, whose reads may lag and whose clock is
// not this machine's.
type store struct {
	t       *testing.T
	mu      sync.Mutex
	path    string // of the collection
	objects []map[string]any
	posts   []string      // what becomes of each creation, see post
	lag     time.Duration // of reads behind creations
	stands  bool          // the clock
	ignores bool          // filters
	posted  int
}

const (
	kept       = "kept"        // created, with a response
	lostAfter  = "lost after"  // created, without one
	lostBefore = "lost before" // not created
)

func (s *store) now() time.Time {
	if s.stands {
		return time.Date(2001, time.May, 4, 12, 0, 0, 0, time.UTC)
	}
	return time.Now().UTC().Add(-25 * time.Hour)
}

// add creates an object as another system does.
func (s *store) add(body map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(body)
}

// put creates an object from the body of a creation.
func (s *store) put(body map[string]any) map[string]any {
	object := map[string]any{"id": string(rune('a'+len(s.objects))) + "1", "status": "active", "at": time.Now(),
		"created_at": s.now().Format("2006-01-02T15:04:05.000Z")}
	maps.Copy(object, body)
	s.objects = append(s.objects, object)
	return object
}

func (s *store) wire() *wire {
	return newWire(map[string]http.HandlerFunc{
		"POST " + s.path: s.dated(s.post), "GET " + s.path: s.dated(s.list), "GET " + s.path + "/{id}": s.dated(s.get),
		"GET " + s.path + "/{id}/items": respond(405, ""),
	})
}

func (s *store) dated(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		w.Header().Set("Date", s.now().Format(http.TimeFormat))
		s.mu.Lock()
		defer s.mu.Unlock()
		handler(w, r)
	}
}

func (s *store) post(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &body); err != nil {
		s.t.Error(err)
	}
	fate := s.posts[min(s.posted, len(s.posts)-1)]
	s.posted++
	if fate == lostBefore {
		lost(w, r)
	}
	for _, object := range s.objects {
		if object["external_id"] == body["external_id"] && body["external_id"] != nil {
			respond(422, `{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"`+
				object["id"].(string)+`"}}}`)(w, r)
			return
		}
	}
	object := s.put(body)
	if fate == lostAfter {
		lost(w, r)
	}
	respond(201, data(s.text(object)))(w, r)
}

// text is the object as the service shows it: customers come with their account.
func (s *store) text(object map[string]any) string {
	text, err := json.Marshal(object)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *store) list(w http.ResponseWriter, r *http.Request) {
	var items []string
	for i := len(s.objects) - 1; i >= 0; i-- {
		object := s.objects[i]
		hidden := time.Since(object["at"].(time.Time)) < s.lag
		for _, filter := range []string{"external_id", "document_number", "billing_account_id"} {
			want := r.URL.Query().Get(filter)
			hidden = hidden || !s.ignores && want != "" && object[filter] != want
		}
		if !hidden {
			items = append(items, s.text(object))
		}
	}
	respond(200, listOf(items...))(w, r)
}

func (s *store) get(w http.ResponseWriter, r *http.Request) {
	for _, object := range s.objects {
		if object["id"] == r.PathValue("id") && time.Since(object["at"].(time.Time)) >= s.lag {
			respond(200, data(s.text(object)))(w, r)
			return
		}
	}
	respond(404, `{"error":{"code":"not_found","message":"none"}}`)(w, r)
}

// TestLostCreations: a lost creation is adopted, and an object of another system is not, whatever the service's clock
// and filters do.
func TestLostCreations(t *testing.T) {
	t.Parallel()
	coded := SubscriptionCreate{BillingAccountID: "a1", ExternalID: new("x1"), PlanID: new("plan1")}
	plain := SubscriptionCreate{BillingAccountID: "a1", PlanID: new("plan1")}
	same := map[string]any{"billing_account_id": "a1", "external_id": "x1", "plan_id": "plan1"}
	alike := map[string]any{"billing_account_id": "a1", "plan_id": "plan1"}
	tests := map[string]struct {
		store     *store
		before    map[string]any // another system's, an hour old
		during    map[string]any // another system's,
		after     time.Duration  // so long after the first request
		create    SubscriptionCreate
		adopted   bool
		conflict  bool // with another system's object
		ambiguous bool
		posts     int
	}{
		"taken": {store: &store{posts: []string{kept}}, before: same, create: coded, posts: 1},
		"not processed, taken": {store: &store{posts: []string{lostBefore, kept}}, before: same, create: coded,
			conflict: true, posts: 1},
		"clock stands": {store: &store{posts: []string{lostBefore, kept}, stands: true}, before: same,
			create: coded, conflict: true, posts: 1},
		"filters are ignored": {store: &store{posts: []string{lostBefore, kept}, ignores: true}, before: same,
			create: coded, conflict: true, posts: 1},
		"lost": {store: &store{posts: []string{lostAfter}}, create: coded, adopted: true, posts: 1},
		"lost, clock stands": {store: &store{posts: []string{lostAfter}, stands: true}, create: coded,
			adopted: true, posts: 1},
		"lost, reads lag": {store: &store{posts: []string{lostAfter}, lag: 10 * time.Second}, create: coded,
			adopted: true, posts: 1},
		"not processed": {store: &store{posts: []string{lostBefore, kept}}, create: coded, posts: 2},
		"not processed, lost": {store: &store{posts: []string{lostBefore, lostAfter}}, create: coded,
			adopted: true, posts: 2},
		"somebody else was faster": {store: &store{posts: []string{lostBefore, kept}}, during: same, after: 5 * time.Second,
			create: coded, conflict: true, posts: 1},
		"somebody else was faster, seen late": {store: &store{posts: []string{lostBefore, kept}, lag: 10 * time.Second},
			during: same, after: 5 * time.Second, create: coded, conflict: true, posts: 2},
		"somebody else was faster, clock stands": {store: &store{posts: []string{lostBefore, kept}, lag: 10 * time.Second,
			stands: true}, during: same, after: 5 * time.Second,
			create: coded, conflict: true, posts: 2},
		"no code, lost": {store: &store{posts: []string{lostAfter}}, create: plain, adopted: true, posts: 1},
		"no code, lost, another one": {store: &store{posts: []string{lostAfter}}, before: alike, create: plain,
			adopted: true, posts: 1},
		"no code, lost, clock stands": {store: &store{posts: []string{lostAfter}, stands: true}, before: alike,
			create: plain, adopted: true, posts: 1},
		"no code, lost, reads lag": {store: &store{posts: []string{lostAfter}, lag: 10 * time.Second}, before: alike,
			create: plain, adopted: true, posts: 1},
		"no code, lost, filters ignored": {store: &store{posts: []string{lostAfter}, ignores: true}, before: alike,
			create: plain, adopted: true, posts: 1},
		"no code, lost, next to a code": {store: &store{posts: []string{lostAfter}}, during: same, create: plain,
			adopted: true, posts: 1},
		"no code, not processed": {store: &store{posts: []string{lostBefore}}, before: alike, create: plain,
			ambiguous: true, posts: 1},
		"no code, two new ones": {store: &store{posts: []string{lostAfter}}, during: alike, create: plain,
			ambiguous: true, posts: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := test.store
				s.t, s.path = t, subscriptionsPath[len("GET "):]
				if test.before != nil {
					s.add(test.before)
					time.Sleep(time.Hour)
				}
				if test.during != nil {
					time.AfterFunc(test.after+30*time.Millisecond, func() { s.add(test.during) })
				}
				got, err := newService(t, s.wire()).CreateSubscription(t.Context(), test.create)
				var conflict *api.ConflictError
				errors.As(err, &conflict)
				_, ambiguous := api.AsAmbiguous(err)
				if (conflict != nil && conflict.Theirs) != test.conflict || ambiguous != (test.ambiguous || test.conflict) ||
					got != nil && got.Adopted != test.adopted || got == nil && err == nil {
					t.Errorf("%+v, %v", got, err)
				}
				if test.posts != s.posted {
					t.Errorf("posted %d times, want %d", s.posted, test.posts)
				}
				if got != nil && got.ID != s.objects[len(s.objects)-1]["id"] {
					t.Errorf("%s is another one: %v", got.ID, s.objects)
				}
			})
		})
	}
}

// TestLostCreationsOfEachKind: customers are found by document number or name, accounts by their customer.
func TestLostCreationsOfEachKind(t *testing.T) {
	t.Parallel()
	const document = "52998224725"
	kinds := map[string]struct {
		path   string
		create func(context.Context, *Service) (id string, adopted bool, err error)
		other  map[string]any // must not be taken for it
	}{
		"customer by document": {"/v1/customers", func(ctx context.Context, s *Service) (string, bool, error) {
			created, err := s.CreateCustomer(ctx, CustomerCreate{Name: "Ana", DocumentNumber: new(document),
				CreateBillingAccount: new(false)})
			if err != nil {
				return "", false, err
			}
			return created.Customer.ID, created.Adopted, nil
		}, map[string]any{"name": "Ana", "document_number": document}},
		"customer by name": {"/v1/customers", func(ctx context.Context, s *Service) (string, bool, error) {
			created, err := s.CreateCustomer(ctx, CustomerCreate{Name: "Ana", CreateBillingAccount: new(false)})
			if err != nil {
				return "", false, err
			}
			return created.Customer.ID, created.Adopted, nil
		}, map[string]any{"name": "Ana"}},
		"account": {"/v1/billing-accounts", func(ctx context.Context, s *Service) (string, bool, error) {
			created, err := s.CreateBillingAccount(ctx, BillingAccountCreate{Customer: CustomerRef{ID: "c1"}})
			if err != nil {
				return "", false, err
			}
			return created.ID, created.Adopted, nil
		}, map[string]any{"customer": map[string]any{"id": "c1"}}},
	}
	for name, kind := range kinds {
		for _, lag := range []time.Duration{0, 10 * time.Second} {
			t.Run(name+" "+lag.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &store{t: t, path: kind.path, posts: []string{lostAfter}, lag: lag}
					s.add(kind.other)
					time.Sleep(time.Minute)
					id, adopted, err := kind.create(t.Context(), newService(t, s.wire()))
					if err != nil || !adopted || id != "b1" || s.posted != 1 {
						t.Errorf("%q, %v, %v after %d creations", id, adopted, err, s.posted)
					}
				})
			})
		}
	}
}

// TestEqualCreationsOfOneProcess: two that look the same, and whose responses are lost, are two objects.
func TestEqualCreationsOfOneProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{t: t, path: subscriptionsPath[len("GET "):], posts: []string{lostAfter, lostAfter, kept, lostAfter},
			lag: 5 * time.Second}
		service := newService(t, s.wire())
		ids := make(chan string, 4)
		for range 4 {
			go func() {
				created, err := service.CreateSubscription(t.Context(), SubscriptionCreate{BillingAccountID: "a1",
					PlanID: new("plan1")})
				if err != nil {
					t.Error(err)
					ids <- ""
					return
				}
				ids <- created.ID
			}()
		}
		var all []string
		for range 4 {
			all = append(all, <-ids)
		}
		for _, want := range []string{"a1", "b1", "c1", "d1"} {
			if strings.Count(strings.Join(all, " "), want) != 1 {
				t.Errorf("got %v", all)
				break
			}
		}
	})
}

// TestLostCreations_rightBefore: what another system creates within the same second, right before the request, is
// hidden by a lag from the list before the request, and is not taken for the created object.
func TestLostCreations_rightBefore(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]SubscriptionCreate{
		"code":    {BillingAccountID: "a1", ExternalID: new("x1"), PlanID: new("plan1")},
		"no code": {BillingAccountID: "a1", PlanID: new("plan1")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{t: t, path: subscriptionsPath[len("GET "):], posts: []string{lostBefore}, lag: time.Second}
				service := newService(t, s.wire())
				if _, err := service.FindSubscriptions(t.Context(), SubscriptionQuery{ExternalID: "x9"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(500 * time.Millisecond)
				theirs := map[string]any{"billing_account_id": "a1", "plan_id": "plan1"}
				if create.ExternalID != nil {
					theirs["external_id"] = *create.ExternalID
				}
				s.add(theirs)
				time.Sleep(300 * time.Millisecond)
				got, err := service.CreateSubscription(t.Context(), create)
				if _, ambiguous := api.AsAmbiguous(err); !ambiguous {
					t.Errorf("%+v, %v", got, err)
				}
			})
		})
	}
}
