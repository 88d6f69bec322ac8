package billing

import (
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// wire is a service of handlers, without a network, so that it runs in virtual
// time. A handler that panics with http.ErrAbortHandler loses its response.
type wire struct {
	mu     sync.Mutex
	mux    *http.ServeMux
	seen   []string // method and path
	bodies []string
}

func newWire(routes map[string]http.HandlerFunc) *wire {
	w := &wire{mux: http.NewServeMux()}
	for pattern, handler := range routes {
		w.mux.HandleFunc(pattern, handler)
	}
	return w
}

func (w *wire) RoundTrip(r *http.Request) (response *http.Response, err error) {
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
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	w.mu.Lock()
	w.seen, w.bodies = append(w.seen, r.Method+" "+r.URL.Path), append(w.bodies, body)
	w.mu.Unlock()
	defer func() {
		if recover() != nil {
			response, err = nil, errors.New("connection reset by peer")
		}
	}()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json")
	w.mux.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

func (w *wire) count(request string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, seen := range w.seen {
		if seen == request {
			n++
		}
	}
	return n
}

func newService(t *testing.T, transport http.RoundTripper) *Service {
	t.Helper()
	client, err := api.New(api.Config{
		Service: "billing", BaseURL: "https://api.example.test", Token: "tok_1234567890", MaxRetries: 1, Transport: transport,
	})
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

func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func listOf(items ...string) string { return `{"data":[` + strings.Join(items, ",") + `]}` }

// idsOf reads a list completely.
func idsOf[T any](list iter.Seq2[T, error], id func(T) string) (ids []string, err error) {
	for item, err := range list {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id(item))
	}
	return ids, nil
}
