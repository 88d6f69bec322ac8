package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Service implements a service with handlers and, for other paths, with collections of objects. It records its
// requests.
type Service struct {
	// Clock is the time of its responses and objects. Without it, responses have no Date.
	Clock func() time.Time
	// Ahead is how far the Date is ahead of the time of created objects.
	Ahead time.Duration
	// Latency is the duration of each response.
	Latency func(*http.Request) time.Duration
	// Fates are the outcomes of creations, in order; the last one applies to all later creations.
	Fates []Fate
	// Lag is how long reads do not return a created object.
	Lag time.Duration
	// IgnoresFilters makes lists return every object.
	IgnoresFilters bool
	// Unlisted are the ids of objects missing from lists.
	Unlisted map[string]bool

	// Seen contains the method and path of each request; Queries, Bodies and Sent contain the rest, in the same order.
	Seen, Queries, Bodies []string
	Sent                  []*http.Request

	mu      sync.Mutex
	mux     *http.ServeMux
	objects map[string][]object // by the path of their collection, in list order
	created int                 // requests
	made    int                 // objects, including deleted ones
	replies map[string]string   // by idempotency key: the object as created
}

// Fate is the outcome of a creation.
type Fate int

// A creation is carried out, or its response is lost, or the request is lost.
const (
	Kept Fate = iota
	LostAfter
	LostBefore
)

// object is an object of the service.
type object struct {
	id, text string
	at       time.Time // of the test's clock
}

// New returns a service with routes, which are patterns such as "GET /path", and with empty collections at the given
// paths.
func New(routes map[string]http.HandlerFunc, collections ...string) *Service {
	s := &Service{Clock: time.Now, mux: http.NewServeMux(), objects: map[string][]object{}, replies: map[string]string{},
		Unlisted: map[string]bool{}}
	for pattern, handler := range routes {
		s.mux.HandleFunc(pattern, handler)
	}
	for _, path := range collections {
		s.objects[path] = nil
	}
	return s
}

// HandleFunc adds a route.
func (s *Service) HandleFunc(pattern string, handler http.HandlerFunc) {
	s.mux.HandleFunc(pattern, handler)
}

// RoundTrip implements http.RoundTripper.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.Latency != nil {
		select {
		case <-time.After(s.Latency(r)):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return Serve(r, func(w http.ResponseWriter, body string) {
		s.mu.Lock()
		s.Seen, s.Bodies = append(s.Seen, r.Method+" "+r.URL.Path), append(s.Bodies, body)
		s.Queries, s.Sent = append(s.Queries, r.URL.RawQuery), append(s.Sent, r)
		s.mu.Unlock()
		if s.Clock != nil {
			w.Header().Set("Date", s.Clock().Add(s.Ahead).UTC().Format(http.TimeFormat))
		}
		handler, pattern := s.mux.Handler(r)
		if pattern == "" && s.has(r) {
			handler = http.HandlerFunc(s.Handle)
		}
		handler.ServeHTTP(w, r)
	})
}

// has reports whether a request is for a collection or one of its objects.
func (s *Service) has(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, collection := s.objects[r.URL.Path]
	_, object := s.objects[path.Dir(r.URL.Path)]
	return collection || object
}

// Handle implements collections. A route may call it.
func (s *Service) Handle(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, id := r.URL.Path, ""
	if _, collection := s.objects[at]; !collection {
		at, id = path.Split(at)
		at = strings.TrimSuffix(at, "/")
	}
	i := slices.IndexFunc(s.objects[at], func(o object) bool {
		return strings.EqualFold(o.id, id) && (r.Method != http.MethodGet || time.Since(o.at) >= s.Lag)
	})
	switch {
	case r.Method == http.MethodPost && id == "":
		s.create(w, r, at)
	case id == "":
		s.list(w, r, at)
	case i < 0:
		Rejected(http.StatusNotFound, "not_found")(w, r)
	case r.Method == http.MethodDelete:
		s.objects[at] = slices.Delete(s.objects[at], i, i+1)
		w.WriteHeader(http.StatusNoContent)
	default:
		Respond(http.StatusOK, Data(s.objects[at][i].text))(w, r)
	}
}

func (s *Service) create(w http.ResponseWriter, r *http.Request, at string) {
	body, _ := io.ReadAll(r.Body)
	fate := Kept
	if n := len(s.Fates); n > 0 {
		fate = s.Fates[min(s.created, n-1)]
	}
	s.created++
	if fate == LostBefore {
		Lost(w, r)
	}
	sent, key := fields(string(body)), r.Header.Get("X-Idempotency-Key")
	taken := slices.IndexFunc(s.objects[at], func(o object) bool {
		has := fields(o.text)
		return sent["external_id"] != nil && has["external_id"] == sent["external_id"] && has["status"] == "active"
	})
	if taken >= 0 {
		Respond(http.StatusUnprocessableEntity, `{"error":{"code":"external_id_taken","message":"taken","details":{`+
			`"field":"external_id","id":"`+s.objects[at][taken].id+`"}}}`)(w, r)
		return
	}
	text := s.replies[key]
	if text == "" {
		text = s.put(at, string(body))
	}
	if key != "" {
		s.replies[key] = text
	}
	if fate == LostAfter {
		Lost(w, r)
	}
	if strings.HasSuffix(at, "/customers") {
		text = `{"customer":` + text + `,"billing_account":{"id":"made"}}`
	}
	Respond(http.StatusCreated, Data(text))(w, r)
}

// put creates an object from the body of a creation. The ids are o1, o2 and so on.
func (s *Service) put(at, body string) (text string) {
	s.made++
	id, now, status := fmt.Sprintf("o%d", s.made), time.Now(), ""
	if s.Clock != nil {
		now = s.Clock()
	}
	if fields(body)["status"] == nil {
		status = `"status":"active",`
	}
	text = fmt.Sprintf(`{"id":%q,"created_at":%q,%s%s`, id, Stamp(now), status, strings.TrimPrefix(body, "{"))
	text = strings.Replace(text, ",}", "}", 1)
	s.objects[at] = append(s.objects[at], object{id, text, time.Now()})
	return text
}

// Add creates an object, as another system does.
func (s *Service) Add(at, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(at, body)
}

// Place adds an object that was created long ago.
func (s *Service) Place(at, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, _ := fields(text)["id"].(string)
	s.objects[at] = append(s.objects[at], object{id: id, text: text})
}

// Reply records an earlier creation with an idempotency key. It returns the object, which no longer exists.
func (s *Service) Reply(key, text string) string {
	s.made++
	s.replies[key] = text
	return text
}

// Remove deletes an object, as another system does.
func (s *Service) Remove(at, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[at] = slices.DeleteFunc(s.objects[at], func(o object) bool { return o.id == id })
}

// IDs returns the ids of the objects of a collection.
func (s *Service) IDs(at string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, o := range s.objects[at] {
		ids = append(ids, o.id)
	}
	return strings.Join(ids, " ")
}

func (s *Service) list(w http.ResponseWriter, r *http.Request, at string) {
	page, _ := strconv.Atoi(cmp.Or(r.URL.Query().Get("page"), "1"))
	items, total := s.page(at, page, r.URL.Query())
	Respond(http.StatusOK, Page(total, page, items...))(w, r)
}

// perPage is the number of objects per page.
const perPage = 100

// page returns the objects of a page, and the total.
func (s *Service) page(at string, number int, query url.Values) (items []string, total int) {
	for _, o := range s.objects[at] {
		if time.Since(o.at) < s.Lag || s.Unlisted[o.id] || !s.IgnoresFilters && !matches(o.text, query) {
			continue
		}
		if total++; (total-1)/perPage == number-1 {
			items = append(items, o.text)
		}
	}
	return items, total
}

// Page returns the objects of a page, and the total.
func (s *Service) Page(at string, number int) (items []string, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page(at, number, nil)
}

func matches(text string, query url.Values) bool {
	for _, name := range []string{"external_id", "document_number", "billing_account_id"} {
		if query.Has(name) && fields(text)[name] != query.Get(name) {
			return false
		}
	}
	return true
}

func fields(text string) (all map[string]any) {
	_ = json.Unmarshal([]byte(text), &all) // invalid JSON has no fields
	return all
}

// Requests returns the requests, in order.
func (s *Service) Requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.Seen, ", ")
}

// Total returns the number of requests.
func (s *Service) Total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Seen)
}

// Count returns the number of requests with this method and path.
func (s *Service) Count(request string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seen := range s.Seen {
		if seen == request {
			n++
		}
	}
	return n
}

// Writes returns the requests other than reads, in order.
func (s *Service) Writes() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var writes []string
	for _, seen := range s.Seen {
		if !strings.HasPrefix(seen, http.MethodGet) {
			writes = append(writes, seen)
		}
	}
	return strings.Join(writes, ", ")
}
