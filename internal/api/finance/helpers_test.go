package finance

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	key1   = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11"
	vendor = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
)

// desk is a service without a network, so that it runs in virtual time: a collection of bills, of which every create is
// remembered by its key. Handlers laid over it come first; one that panics with http.ErrAbortHandler loses the response
// to what was done.
type desk struct {
	mu      sync.Mutex
	records map[string]string // id → object
	replies map[string]string // key → the original response
	over    map[string]http.HandlerFunc
	seen    []*http.Request
	bodies  []string
	ahead   time.Duration // of the Date of its responses
}

// old is a record that was created so long ago.
func old(id string, age time.Duration) string {
	return fmt.Sprintf(`{"id":%q,"created_at":%q}`, id, time.Now().Add(-age).UTC().Format("2006-01-02T15:04:05.000Z"))
}

func newDesk() *desk {
	return &desk{records: map[string]string{}, replies: map[string]string{}, over: map[string]http.HandlerFunc{}}
}

func (d *desk) RoundTrip(r *http.Request) (*http.Response, error) {
	return apitest.Serve(r, func(w http.ResponseWriter, body string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.seen, d.bodies = append(d.seen, r), append(d.bodies, body)
		w.Header().Set("Date", time.Now().UTC().Add(d.ahead).Format(http.TimeFormat))
		handler, ok := d.over[r.Method+" "+r.URL.Path]
		if !ok {
			handler, ok = d.over[r.Method]
		}
		if !ok {
			handler = d.handle
		}
		handler(w, r)
	})
}

// handle is what the service does when nothing goes wrong.
func (d *desk) handle(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1/bills"), "/")
	switch {
	case r.Method == http.MethodPost && id == "":
		d.create(w, r)
	case r.Method == http.MethodGet && id == "":
		var all []string
		for n := range len(d.replies) {
			if object, ok := d.records[fmt.Sprintf("b%d", n+1)]; ok {
				all = append(all, object)
			}
		}
		respond(200, `{"data":[`+strings.Join(all, ",")+`],"meta":{"next_cursor":null}}`)(w, r)
	case d.records[id] == "":
		notFound(w, r)
	case r.Method == http.MethodGet:
		respond(200, `{"data":`+d.records[id]+`}`)(w, r)
	case r.Method == http.MethodDelete:
		delete(d.records, id)
		respond(204, "")(w, r)
	}
}

func (d *desk) create(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("X-Idempotency-Key")
	if !KeyPattern.MatchString(key) {
		respond(400, `{"error":{"code":"invalid_key","message":"no UUID v4"}}`)(w, r)
		return
	}
	if d.replies[key] == "" {
		id := fmt.Sprintf("b%d", len(d.replies)+1)
		d.records[id] = strings.TrimSuffix(old(id, 0), "}") + "," + strings.TrimPrefix(d.bodies[len(d.bodies)-1], "{")
		d.replies[key] = d.records[id]
	}
	respond(201, `{"data":`+d.replies[key]+`}`)(w, r)
}

// requests are method and path of what was asked, in order.
func (d *desk) requests() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]string, len(d.seen))
	for i, r := range d.seen {
		all[i] = r.Method + " " + r.URL.Path
	}
	return strings.Join(all, ", ")
}

var respond = apitest.Respond

func notFound(w http.ResponseWriter, r *http.Request) {
	respond(404, `{"error":{"code":"not_found","message":"no such record"}}`)(w, r)
}

// first carries out one handler once, and then another one for good.
func first(once, then http.HandlerFunc) http.HandlerFunc {
	done := false
	return func(w http.ResponseWriter, r *http.Request) {
		if done {
			then(w, r)
			return
		}
		done = true
		once(w, r)
	}
}

func newService(t *testing.T, transport http.RoundTripper) *Service {
	t.Helper()
	client, err := api.New(api.Config{
		Service: "finance", BaseURL: "https://api.example.test", Token: "header.payload.signature", MaxRetries: 1,
		HonoursIdempotencyKey: true, Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

// idsOf reads a list completely or its error.
func idsOf(list iter.Seq2[Record, error]) (ids []string, err error) {
	for record, err := range list {
		if err != nil {
			return ids, err
		}
		ids = append(ids, record.ID)
	}
	return ids, nil
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
