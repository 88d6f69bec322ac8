package collections

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// wire is a service of handlers, without a network, so that it runs in virtual
// time. A handler that panics with http.ErrAbortHandler loses its response.
type wire struct {
	mu      sync.Mutex
	mux     *http.ServeMux
	seen    []string // method and path
	queries []string
	bodies  []string
}

// routes maps patterns such as "GET /path" to handlers.
type routes map[string]http.HandlerFunc

func newWire(handlers routes) *wire {
	w := &wire{mux: http.NewServeMux()}
	for pattern, handler := range handlers {
		w.mux.HandleFunc(pattern, handler)
	}
	return w
}

func (w *wire) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	body := ""
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(data)
	}
	w.mu.Lock()
	w.seen, w.bodies = append(w.seen, r.Method+" "+r.URL.Path), append(w.bodies, body)
	w.queries = append(w.queries, r.URL.RawQuery)
	w.mu.Unlock()
	defer func() {
		if recover() != nil {
			response, err = nil, errors.New("connection reset by peer")
		}
	}()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json")
	recorder.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	w.mux.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// writes are the requests that were not reads, in their order.
func (w *wire) writes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var writes []string
	for _, seen := range w.seen {
		if !strings.HasPrefix(seen, http.MethodGet) {
			writes = append(writes, seen)
		}
	}
	return strings.Join(writes, ", ")
}

func newService(t *testing.T, transport http.RoundTripper, change ...func(*api.Config)) *Service {
	t.Helper()
	cfg := api.Config{
		Service: "collections", BaseURL: "https://api.example.test", Token: "key_1234567890", MaxRetries: 1,
		Transport: transport,
	}
	for _, f := range change {
		f(&cfg)
	}
	client, err := api.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// turns responds with one handler after the other, the last one for good.
func turns(handlers ...http.HandlerFunc) http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		handler := handlers[min(n, len(handlers)-1)]
		n++
		handler(w, r)
	}
}

// appearing lists these objects in every listing but the first one, which is the one
// before the request.
func appearing(items ...string) http.HandlerFunc {
	return listings(respond(200, listOf()), respond(200, listOf(items...)))
}

// listings responds to one listing after the other, the last one for good. Each is
// one page.
func listings(handlers ...http.HandlerFunc) http.HandlerFunc {
	next, empty := turns(handlers...), respond(200, listOf())
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") != "1" {
			empty(w, r)
			return
		}
		next(w, r)
	}
}

func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// refused responds with an error in the service's own shape.
func refused(status int, code string) http.HandlerFunc {
	return respond(status, fmt.Sprintf(`{"error":{"code":%q,"message":"no"}}`, code))
}

func data(object string) string { return `{"data":` + object + `}` }

func listOf(items ...string) string { return data("[" + strings.Join(items, ",") + "]") }

// stamp is a time as the service writes it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// changed is a JSON object with some fields changed; a nil removes one.
func changed(t *testing.T, object string, change map[string]any) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range change {
		if value == nil {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
	encoded, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

const (
	endpointsPath = "/api/v1/webhook-endpoints"
	endpointPath  = endpointsPath + "/e1"
	deliveries    = "GET " + endpointPath + "/deliveries"
	keysPath      = "/api/v1/api-keys"
	hook          = "https://hooks.example.test/in"
)

// endpointJSON is the endpoint e1, created now, with some fields changed.
func endpointJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t, fmt.Sprintf(`{"id":"e1","url":%q,"description":null,"events":[],"active":true,
		"authentication":{"type":"none"},"createdAt":%q,"updatedAt":%[2]q}`, hook, stamp(time.Now())), change)
}

// keyJSON is the key k1 named ci, created now, with some fields changed.
func keyJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t,
		fmt.Sprintf(`{"id":"k1","name":"ci","description":null,"keyPrefix":"key_ab","source":"api","scopes":["charges:read"],
		"lastUsedAt":null,"expiresAt":null,"revokedAt":null,"createdAt":%q}`, stamp(time.Now())), change)
}

// says checks that an error says each of some things.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
