package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// shelved is an object of a shelf.
type shelved struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Updated string `json:"updated_at"`
}

// shelf is a service with customers. Each response takes a tenth of a second, or up to twice as long.
type shelf struct {
	mu       sync.Mutex
	random   *rand.Rand
	things   []shelved // in the order of the list
	perPage  int
	singles  int // requests
	pages    int
	missing  map[string]bool                                 // does not exist, and is not listed
	unlisted map[string]bool                                 // exists, and is not listed
	list     func(number int, items []shelved) (int, string) // instead of the page: status and body; 0: the page
}

func newShelf(total int, seed uint64) *shelf {
	s := &shelf{random: rand.New(rand.NewPCG(seed, 1)), perPage: 100, missing: map[string]bool{}, unlisted: map[string]bool{}}
	for range total {
		s.things = append(s.things, shelved{ID: s.uuid(), Name: "x", Updated: "2026-01-01T00:00:00Z"})
	}
	slices.SortFunc(s.things, func(a, b shelved) int { return strings.Compare(a.ID, b.ID) })
	return s
}

func (s *shelf) uuid() string {
	a, b := s.random.Uint64(), s.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// some are n ids in random order.
func (s *shelf) some(n int) []string {
	ids := make([]string, n)
	for i, j := range s.random.Perm(len(s.things))[:n] {
		ids[i] = s.things[j].ID
	}
	return ids
}

func (s *shelf) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.singles + s.pages
}

func (s *shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	latency := time.Duration(100+s.random.IntN(100)) * time.Millisecond
	s.mu.Unlock()
	if err := pause(r.Context(), latency, nil); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := s.respond(r)
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: r, Header: http.Header{
		"Content-Type": {"application/json"}, "Request-Id": {"r"}, "Date": {"Fri, 02 Jan 2026 00:00:00 GMT"}}}, nil
}

func (s *shelf) respond(r *http.Request) (int, string) {
	id, single := strings.CutPrefix(r.URL.Path, "/v1/customers/")
	if single {
		s.singles++
		i := slices.IndexFunc(s.things, func(t shelved) bool { return strings.EqualFold(t.ID, id) })
		if i < 0 || s.missing[id] {
			return http.StatusNotFound, `{"error": {"code": "not_found", "message": "no"}}`
		}
		return http.StatusOK, `{"data": ` + encoded(s.things[i]) + `}`
	}
	s.pages++
	all := slices.DeleteFunc(slices.Clone(s.things), func(t shelved) bool { return s.missing[t.ID] || s.unlisted[t.ID] })
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	items := all[min((number-1)*s.perPage, len(all)):min(number*s.perPage, len(all))]
	if s.list != nil {
		if status, body := s.list(number, items); status != 0 {
			return status, body
		}
	}
	return http.StatusOK, pageText(items, len(all), s.perPage)
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func pageText(items any, total, perPage int) string {
	return fmt.Sprintf(`{"data": %s, "meta": {"total": %d, "per_page": %d}}`, encoded(items), total, perPage)
}

var things = Listing{Family: "customers", ByID: true}

// refresher reads objects as refreshes do.
type refresher struct {
	client *Client
	writes Writes
	list   Listing
}

func newRefresher(t testing.TB, s http.RoundTripper, change ...func(*Config)) *refresher {
	change = append(change, func(c *Config) { c.BulkRefresh = true })
	return &refresher{client: newClient(t, s, change...), list: things}
}

func (r *refresher) get(ctx context.Context, id string) (*shelved, error) {
	value, err := One[shelved](ctx, r.client, Request{Operation: "customers.get", Path: map[string]string{"id": id}})
	return &value, err
}

func (r *refresher) read(ctx context.Context, id string) (*shelved, error) {
	return Refreshed(ctx, r.client, &r.writes, r.list, id, r.get, func(t *shelved) string { return t.Updated })
}

// all reads the objects, so many at a time, and returns how many were not found.
func (r *refresher) all(t testing.TB, ids []string, parallelism int) (missing int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	slots := make(chan struct{}, parallelism)
	for _, id := range ids {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			found, err := r.read(t.Context(), id)
			switch {
			case IsNotFound(err):
				mu.Lock()
				defer mu.Unlock()
				missing++
			case err != nil:
				t.Error(err)
			case !strings.EqualFold(found.ID, id):
				t.Errorf("asked for %s, got %s", id, found.ID)
			}
		})
	}
	group.Wait()
	time.Sleep(time.Minute) // pages that nobody waits for
	return missing
}

// TestRefreshed_requests: N managed of T objects never take more than N + 3 requests, and ceil(T/100) + 15 where most of
// them are managed, regardless of how many are read at a time. Above 1,000 objects that depends on their ids and on
// which are asked for first, so the median counts.
func TestRefreshed_requests(t *testing.T) {
	for _, total := range []int{1, 4, 5, 30, 99, 100, 101, 250, 400, 1000, 2000, 5000} {
		for _, managed := range []int{1, 4, 5, 8, 12, 30, 50, 51, 100, 300, total / 2, total * 9 / 10, total} {
			if managed > total || managed == 0 {
				continue
			}
			for _, parallelism := range []int{1, 10, 40} {
				runs := 1
				if total > 1000 && managed >= total/2 {
					runs = 5
				}
				var counts []int
				for seed := range runs {
					synctest.Test(t, func(t *testing.T) {
						s := newShelf(total, uint64(total*managed+parallelism+seed))
						newRefresher(t, s).all(t, s.some(managed), parallelism)
						counts = append(counts, s.requests())
					})
				}
				slices.Sort(counts)
				if most := managed + pageAllowance; counts[runs-1] > most {
					t.Errorf("%d of %d, %d at a time: %d requests, at most %d wanted", managed, total, parallelism, counts[runs-1], most)
				}
				if most := (total+99)/100 + 15; managed >= total/2 && counts[runs/2] > most {
					t.Errorf("%d of %d, %d at a time: %d requests, at most %d wanted", managed, total, parallelism, counts, most)
				}
			}
		}
	}
}
