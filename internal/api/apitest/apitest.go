// Package apitest has services of handlers, without a network, for tests of the client that run in virtual time.
package apitest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Wire is a service of handlers. It notes what it is asked for.
type Wire struct {
	// Dated adds the time to each response.
	Dated bool
	// Seen has the method and path of each request, and Queries and Bodies the rest, in the same order.
	Seen, Queries, Bodies []string

	mu  sync.Mutex
	mux *http.ServeMux
}

// NewWire returns a service. Its routes are patterns such as "GET /path".
func NewWire(routes map[string]http.HandlerFunc) *Wire {
	w := &Wire{mux: http.NewServeMux()}
	for pattern, handler := range routes {
		w.mux.HandleFunc(pattern, handler)
	}
	return w
}

// HandleFunc adds a route.
func (w *Wire) HandleFunc(pattern string, handler http.HandlerFunc) {
	w.mux.HandleFunc(pattern, handler)
}

// RoundTrip implements http.RoundTripper.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	return Serve(r, func(to http.ResponseWriter, body string) {
		w.mu.Lock()
		w.Seen, w.Bodies = append(w.Seen, r.Method+" "+r.URL.Path), append(w.Bodies, body)
		w.Queries = append(w.Queries, r.URL.RawQuery)
		w.mu.Unlock()
		if w.Dated {
			to.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
		}
		w.mux.ServeHTTP(to, r)
	})
}

// Count is how often a method and path was asked for.
func (w *Wire) Count(request string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, seen := range w.Seen {
		if seen == request {
			n++
		}
	}
	return n
}

// Writes are the requests that were not reads, in their order.
func (w *Wire) Writes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var writes []string
	for _, seen := range w.Seen {
		if !strings.HasPrefix(seen, http.MethodGet) {
			writes = append(writes, seen)
		}
	}
	return strings.Join(writes, ", ")
}

// Serve carries out a request without a network. A handler that panics loses its response.
func Serve(r *http.Request, handle func(w http.ResponseWriter, body string)) (response *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	defer func() {
		if recover() != nil {
			response, err = nil, errors.New("connection reset by peer")
		}
	}()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json")
	handle(recorder, string(body))
	return recorder.Result(), nil
}

// Respond is a handler that returns this response.
func Respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Turns responds with one handler after the other, the last one for good.
func Turns(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1))-1, len(handlers)-1)](w, r)
	}
}

// Lost is a handler whose response is lost.
func Lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Data is the envelope of an object.
func Data(object string) string { return `{"data":` + object + `}` }

// ListOf is a page with these objects.
func ListOf(items ...string) string { return Data("[" + strings.Join(items, ",") + "]") }

// Changed is a JSON object with some fields changed; a nil removes one.
func Changed(t *testing.T, object string, change map[string]any) string {
	t.Helper()
	fields := map[string]json.RawMessage{} // so that numbers stay as they are
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range change {
		if value == nil {
			delete(fields, name)
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fields[name] = raw
	}
	encoded, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// BodyOf reads a body into the type that a caller fills, which must know all of it.
func BodyOf[T any](t *testing.T, raw json.RawMessage) (body T) {
	t.Helper()
	if raw == nil {
		return body
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// FieldOf is a field of an update with this value.
func FieldOf[T any](t *testing.T, raw json.RawMessage) api.Field[T] {
	t.Helper()
	if string(raw) == "null" {
		return api.Null[T]()
	}
	return api.Set(BodyOf[T](t, raw))
}
