package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// shelved is an object of a shelf.
type shelved struct {
	ID      string `json:"id"`
	Title   string `json:"name"`
	Updated string `json:"updated_at"`
}

const shelfPath = "/v1/customers"

// shelf is a service with customers. Each response takes a tenth of a second, or up to twice as long.
type shelf struct {
	*apitest.Service
	ids    []string // in the order of the list
	mu     sync.Mutex
	random *rand.Rand
}

func newShelf(total int, seed uint64) *shelf {
	s := &shelf{Service: apitest.New(nil, shelfPath), random: rand.New(rand.NewPCG(seed, 1))}
	for range total {
		a, b := s.random.Uint64(), s.random.Uint64()
		s.ids = append(s.ids, fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52,
			b&0xffffffffffff))
	}
	slices.Sort(s.ids)
	for _, id := range s.ids {
		s.Place(shelfPath, thingText(id, "x"))
	}
	s.Clock = func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }
	s.Latency = func(*http.Request) time.Duration {
		s.mu.Lock()
		defer s.mu.Unlock()
		return time.Duration(100+s.random.IntN(100)) * time.Millisecond
	}
	return s
}

func thingText(id, name string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"updated_at":"2026-01-01T00:00:00Z"}`, id, name)
}

// some are n ids in random order.
func (s *shelf) some(n int) []string {
	ids := make([]string, n)
	for i, j := range s.random.Perm(len(s.ids))[:n] {
		ids[i] = s.ids[j]
	}
	return ids
}

// lists responds to pages with a status and a body of a test's own, or as usual with status 0.
func (s *shelf) lists(list func(number int, items []string) (int, string)) {
	s.HandleFunc("GET "+shelfPath, func(w http.ResponseWriter, r *http.Request) {
		number, _ := strconv.Atoi(cmp.Or(r.URL.Query().Get("page"), "1"))
		items, _ := s.Page(shelfPath, number)
		if status, body := list(number, items); status != 0 {
			apitest.Respond(status, body)(w, r)
			return
		}
		s.Handle(w, r)
	})
}

// counts is how often single objects and pages were read.
func (s *shelf) counts() (singles, pages int) {
	all, pages := strings.Count(s.Requests(), "GET "), s.Count("GET "+shelfPath)
	return all - pages, pages
}

// pageText is a page with these items, as its meta says.
func pageText(total, perPage int, items ...string) string {
	return fmt.Sprintf(`{"data":[%s],"meta":{"total":%d,"per_page":%d}}`, strings.Join(items, ","), total, perPage)
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
	value, _, err := r.readListed(ctx, id)
	return value, err
}

func (r *refresher) readListed(ctx context.Context, id string) (*shelved, bool, error) {
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

// TestRefreshed_requests: N managed of T objects never take more than N + 3 requests, and ceil(T/100) + 15 where most
// of them are managed, regardless of how many are read at a time. Above 1,000 objects that depends on their ids and on
// which are asked for first, so the median counts.
func TestRefreshed_requests(t *testing.T) {
	for _, total := range []int{1, 5, 30, 100, 101, 250, 1200} {
		managed := []int{1, 5, 12, 51, total / 2, total * 9 / 10, total}
		slices.Sort(managed)
		for _, managed := range slices.Compact(managed) {
			if managed > total || managed == 0 {
				continue
			}
			for _, parallelism := range []int{1, 10, 40} {
				if total > 250 && parallelism != 10 {
					continue // it takes long, and shows the same
				}
				runs := 1
				if total > 1000 && managed >= total/2 {
					runs = 3
				}
				var counts []int
				for seed := range runs {
					synctest.Test(t, func(t *testing.T) {
						s := newShelf(total, uint64(total*managed+parallelism+seed))
						r := newRefresher(t, s)
						ids := s.some(managed)
						for _, id := range ids { // as the state of an earlier run shows it
							r.writes.Note(id, "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
						}
						r.all(t, ids, parallelism)
						counts = append(counts, s.Total())
					})
				}
				slices.Sort(counts)
				if most := managed + pageAllowance; counts[runs-1] > most {
					t.Errorf("%d of %d, %d at a time: %d requests, at most %d wanted", managed, total, parallelism,
						counts[runs-1], most)
				}
				if most := (total+99)/100 + 15; managed >= total/2 && counts[runs/2] > most {
					t.Errorf("%d of %d, %d at a time: %d requests, at most %d wanted", managed, total, parallelism, counts, most)
				}
			}
		}
	}
}

// TestRefreshed_trips: the pages of a list take a few round trips, although each of them has to be paid for.
func TestRefreshed_trips(t *testing.T) {
	for total, most := range map[int]int{100: 1, 300: 2, 1000: 2} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(total, 12)
			s.Latency = func(*http.Request) time.Duration { return time.Second }
			start := time.Now()
			newRefresher(t, s).all(t, s.some(total), 10)
			if took := time.Since(start) - time.Minute; took > time.Duration(most)*time.Second {
				t.Errorf("%d objects take %s, at most %d round trips of a second wanted", total, took, most)
			}
		})
	}
}

// TestRefreshed_fresh: no page is read for objects that were written just now, also before the service has shown its
// time. Where the clock of this machine is wrong, that costs one page.
func TestRefreshed_fresh(t *testing.T) {
	for _, parallelism := range []int{1, 10} {
		for behind, most := range map[time.Duration]int{0: 0, -30 * time.Second: 1, 24 * time.Hour: 1, -24 * time.Hour: 1} {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(50, 13)
				service := time.Now().Add(behind)
				s.Clock = func() time.Time { return service }
				r := newRefresher(t, s)
				ids := s.some(50)
				for _, id := range ids {
					r.writes.Note(id, service.Add(-5*time.Second).Format(time.RFC3339), "")
				}
				r.all(t, ids, parallelism)
				if singles, pages := s.counts(); singles != 50 || pages > most {
					t.Errorf("%d at a time, the clock is %s behind: %d single reads and %d pages", parallelism, behind, singles,
						pages)
				}
			})
		}
	}
}

// TestRefreshed_unchanged: a refresh says whether a list shows no later change than is known.
func TestRefreshed_unchanged(t *testing.T) {
	type row struct {
		known             string
		unchanged, listed bool
	}
	apitest.Each(t, map[string]row{
		"as known":            {"2026-01-01T01:00:00+01:00", true, true},
		"changed since":       {"2025-12-31T23:59:59Z", false, true},
		"not known":           {"", false, true},
		"older than is known": {"2026-01-01T00:00:01Z", false, false},
	}, func(t *testing.T, c row) {
		s := newShelf(20, 14)
		r := newRefresher(t, s)
		ids := s.some(20)
		r.all(t, ids[:10], 1)
		r.writes.Note(ids[15], "", c.known)
		before, _ := s.counts()
		if _, unchanged, err := r.readListed(t.Context(), ids[15]); err != nil || unchanged != c.unchanged {
			t.Errorf("unchanged is %t, %v", unchanged, err)
		}
		after, _ := s.counts()
		if listed := after == before; listed != c.listed {
			t.Errorf("it came from the list: %t", listed)
		}
	})
}

// reject rejects every page.
func reject(status int, body string) func(int, []string) (int, string) {
	return func(int, []string) (int, string) { return status, body }
}

// say lists the items, as a meta of the test says.
func say(total, perPage int) func(int, []string) (int, string) {
	return func(_ int, items []string) (int, string) { return 200, pageText(total, perPage, items...) }
}

// odd are lists that a refresh must not use, where 250 objects have three pages.
var odd = map[string]func(number int, items []string) (int, string){
	"forbidden":     reject(403, `{"error": {"code": "insufficient_scope", "message": "no"}}`),
	"no such route": reject(404, `{"error": {"code": "not_found", "message": "no"}}`),
	"the token":     reject(401, `{"error": {"code": "invalid_token", "message": "no"}}`),
	"down":          reject(503, ``),
	"a web page":    reject(200, `<html></html>`),
	"no list":       reject(200, `{"data": {"id": "x"}}`),
	"no data":       reject(200, `{}`),
	"null":          reject(200, `null`),
	"items of text": of(`""`),
	"null items":    of(`null`),
	"no ids":        of(`{"id":"","name":"","updated_at":""}`),
	"no meta": func(_ int, items []string) (int, string) {
		return 200, apitest.ListOf(items...)
	},
	"pages of none": say(250, 0),
	"endless":       say(1<<40, 100),
	"negative":      say(-1, 100),
	"short pages":   func(_ int, items []string) (int, string) { return 200, pageText(250, 100, items[1:]...) },
	"no items":      reject(200, pageText(250, 100)),
	"another total": func(number int, items []string) (int, string) { return 200, pageText(250+number-1, 100, items...) },
	"a repeated item": func(_ int, items []string) (int, string) {
		return 200, pageText(250, 100, append(items[1:], items[1])...)
	},
	"a repeated page": repeated(),
	"other values": func(_ int, items []string) (int, string) {
		return 200, strings.ReplaceAll(pageText(250, 100, items...), `"x"`, `"***"`)
	},
}

// of lists other items instead.
func of(other string) func(int, []string) (int, string) {
	return func(_ int, items []string) (int, string) {
		return 200, pageText(250, 100, slices.Repeat([]string{other}, len(items))...)
	}
}

// repeated responds to each page with what it was asked for first.
func repeated() func(int, []string) (int, string) {
	var first string
	return func(_ int, items []string) (int, string) {
		first = cmp.Or(first, pageText(250, 100, items...))
		return 200, first
	}
}

// TestRefreshed_odd: a list that fails or lies leaves everything to single reads, and one line in the log.
func TestRefreshed_odd(t *testing.T) {
	for name, list := range odd {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(250, 1)
				s.lists(list)
				log := &events{}
				r := newRefresher(t, s, func(c *Config) { c.Observer = log })
				if missing := r.all(t, s.some(250), 10); missing > 0 {
					t.Errorf("%d objects are missing", missing)
				}
				if singles, pages := s.counts(); singles < 200 || pages > 9 || len(log.fallbacks) != 1 {
					t.Errorf("%d single reads, %d pages, %d fallbacks", singles, pages, len(log.fallbacks))
				}
			})
		})
	}
}

// TestRefreshed_presence: what the list lacks is asked for by its id, and only that says that it is gone.
func TestRefreshed_presence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(250, 2)
		ids := s.some(250)
		for _, id := range ids[100:110] {
			s.Unlisted[id] = true
		}
		for _, id := range ids[200:203] {
			s.Remove(shelfPath, id)
		}
		if missing := newRefresher(t, s).all(t, ids, 10); missing != 3 {
			t.Errorf("%d objects are missing, want 3", missing)
		}
		// Four first reads, those that are not listed, and the list that proves the three absences.
		if singles, pages := s.counts(); singles != 4+10+3 || pages > 4 {
			t.Errorf("%d single reads and %d pages", singles, pages)
		}
	})
}

// TestRefreshed_case: ids are found in letters of any case.
func TestRefreshed_case(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(100, 3)
		ids := s.some(100)
		for i := range ids {
			ids[i] = strings.ToUpper(ids[i])
		}
		newRefresher(t, s).all(t, ids, 1)
		if n := len(s.Seen); n != 5 {
			t.Errorf("%d requests, want 5", n)
		}
	})
}

// TestRefreshed_unsorted: a list that has another order than the ids is read from its beginning.
func TestRefreshed_unsorted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(1000, 5)
		for _, id := range s.some(1000) {
			s.Remove(shelfPath, id)
			s.Place(shelfPath, thingText(id, "x"))
		}
		newRefresher(t, s).all(t, s.some(1000), 1)
		if n := len(s.Seen); n > 20 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestRefreshed_lean: an item that shows less than the single objects do is asked for by its id.
func TestRefreshed_lean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(100, 5)
		ids := s.some(100)
		for _, id := range ids[:firstReads] {
			s.Unlisted[id] = true // else a list that shows other values is noticed
		}
		s.lists(func(_ int, items []string) (int, string) {
			return 200, strings.ReplaceAll(pageText(96, 100, items...), `"name":"x",`, ``)
		})
		r := newRefresher(t, s)
		for i, id := range ids {
			if found, err := r.read(t.Context(), id); err != nil || found.Title != "x" {
				t.Fatalf("read %d: %+v, %v", i, found, err)
			}
		}
	})
}

// TestSnapshot_shows: an item has to show what every single object did, and what is inside the object that it holds.
func TestSnapshot_shows(t *testing.T) {
	c := newClient(t, play(), func(c *Config) { c.BulkRefresh = true })
	s := c.snapshot(t.Context(), Listing{Family: "billing_accounts", Loaded: "customer"})
	c.recordRead("billing_accounts.get",
		json.RawMessage(
			`{"id": "a", "status": "active", "suspended_at": "x", "customer": {"id": "c", "name": "n", "notes": null}}`))
	c.recordRead("billing_accounts.get",
		json.RawMessage(`{"id": "b", "status": "active", "extra": 1, "customer": {"id": "d", "name": null}}`))
	c.recordRead("billing_accounts.update", json.RawMessage(`{"id": "c"}`))
	for item, want := range map[string]bool{
		`{"id": "e", "status": null, "customer": {"id": "c", "name": null}}`: true,
		`{"id": "e", "status": null, "customer": {"id": "c"}}`:               false,
		`{"id": "e", "status": null, "customer": null}`:                      false,
		`{"id": "e", "status": null}`:                                        false,
		`{"id": "e", "customer": {"id": "c", "name": null}}`:                 false,
		`[]`: false,
	} {
		if s.shows(json.RawMessage(item)) != want {
			t.Errorf("%s: want %v", item, want)
		}
	}
}

// TestSnapshot_faster: a page that comes before the reads of its objects is compared with these all the same.
func TestSnapshot_faster(t *testing.T) {
	for listed, off := range map[string]bool{`{"name": "C", "id": "A"}`: false, `{"id": "A", "name": "***"}`: true} {
		c := newClient(t, play(), func(c *Config) { c.BulkRefresh = true })
		s := c.snapshot(t.Context(), Listing{Family: "customers"})
		s.items["A"] = &listedItem{raw: json.RawMessage(listed)}
		c.recordRead("customers.get", json.RawMessage(`{"id": "A", "name": "C"}`))
		if s.off != off {
			t.Errorf("%s ends the snapshot: %t, want %t", listed, s.off, off)
		}
	}
}

// TestRefreshed_off: without the option, and after any write, every object is read by its id.
func TestRefreshed_off(t *testing.T) {
	for name, off := range map[string]func(*testing.T, *refresher){
		"by configuration": func(_ *testing.T, r *refresher) { r.client.cfg.BulkRefresh = false },
		"by a write": func(t *testing.T, r *refresher) {
			_, _ = r.client.Do(t.Context(), Request{Operation: "billing_accounts.update", Path: map[string]string{"id": "a"},
				Body: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(100, 6)
				r := newRefresher(t, s)
				ids := s.some(100)
				if name == "by a write" {
					r.all(t, ids[:50], 1)
				}
				before := len(s.Seen)
				off(t, r)
				s.Seen = nil
				r.all(t, ids[50:], 10)
				if singles, pages := s.counts(); singles != 50 || pages != 0 || name == "by a write" && before != 5 {
					t.Errorf("%d requests before, then %d single reads and %d pages", before, singles, pages)
				}
			})
		})
	}
}

// TestRefreshed_lag: an object that was written within the lag of reads, or that the list shows older than it is
// known to be, is asked for by its id.
func TestRefreshed_lag(t *testing.T) {
	for name, c := range map[string]struct {
		created, updated string
		singles          int
	}{
		"long ago":               {"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z", 4},
		"not known":              {"", "", 4},
		"created a moment ago":   {"2026-01-01T23:59:50Z", "", 50},
		"updated a moment ago":   {"2025-01-01T00:00:00Z", "2026-01-01T23:59:55Z", 50},
		"newer than it is shown": {"2025-01-01T00:00:00Z", "2026-01-01T00:00:01Z", 50},
	} {
		t.Run(name, func(t *testing.T) {
			for _, parallelism := range []int{1, 10} { // with 10, a page is asked for before the time of the service is known
				synctest.Test(t, func(t *testing.T) {
					s := newShelf(50, 7)
					r := newRefresher(t, s)
					ids := s.some(50)
					for _, id := range ids {
						r.writes.Note(id, c.created, c.updated)
					}
					r.all(t, ids, parallelism)
					if singles, _ := s.counts(); singles != c.singles {
						t.Errorf("%d at a time: %d single reads, want %d", parallelism, singles, c.singles)
					}
				})
			}
		})
	}
}

// TestRefreshed_canceled: the end of the read that asked for a page ends that read immediately, and the page for no
// other one.
func TestRefreshed_canceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(60, 8)
		r := newRefresher(t, s)
		ids := s.some(60)
		r.all(t, ids[:4], 4)
		ctx, cancel := context.WithCancel(t.Context())
		var first, second error
		go func() { _, first = r.read(ctx, ids[5]) }()
		synctest.Wait()
		go func() { _, second = r.read(t.Context(), ids[6]) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if _, pages := s.counts(); first == nil || pages != 0 {
			t.Errorf("%v, %d pages", first, pages)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if singles, pages := s.counts(); second != nil || singles != 4 || pages != 1 {
			t.Errorf("%v, %d single reads, %d pages", second, singles, pages)
		}
	})
}

// TestRefreshed_faults: pages that fail for a moment are asked for again, and a hanging one holds up nobody for long.
func TestRefreshed_faults(t *testing.T) {
	for _, status := range []int{503, 429} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(300, 10)
			s.lists(func(int, []string) (int, string) {
				if _, pages := s.counts(); pages == 2 {
					return status, ""
				}
				return 0, ""
			})
			newRefresher(t, s).all(t, s.some(300), 10)
			if singles, pages := s.counts(); singles > 20 || pages > 9 {
				t.Errorf("%d: %d single reads, %d pages", status, singles, pages)
			}
		})
	}
	t.Run("hanging", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(300, 11)
			start := time.Now()
			newRefresher(t, hanging{s}).all(t, s.some(300), 10)
			singles, _ := s.counts()
			if took := time.Since(start) - time.Minute; singles != 300 || took > 40*time.Second {
				t.Errorf("%d single reads in %s", singles, took)
			}
		})
	})
}

// hanging is a shelf whose list never responds.
type hanging struct{ *shelf }

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == shelfPath {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return h.shelf.RoundTrip(r)
}
