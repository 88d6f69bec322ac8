// Package apitest implements services as HTTP handlers without a network, for client tests in virtual time.
package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Serve handles a request without a network. If the handler panics, its response is lost.
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

// Respond returns a handler with a fixed response.
func Respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Turns returns a handler that calls one handler after the other, and then always the last.
func Turns(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1))-1, len(handlers)-1)](w, r)
	}
}

// Rejected returns a handler that responds with the services' error object.
func Rejected(status int, code string) http.HandlerFunc {
	return Respond(status, fmt.Sprintf(`{"error":{"code":%q,"message":"no"}}`, code))
}

// Lost is a handler whose response is lost.
func Lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Data wraps an object in its envelope.
func Data(object string) string { return `{"data":` + object + `}` }

// ListOf returns a page with these objects.
func ListOf(items ...string) string { return Data("[" + strings.Join(items, ",") + "]") }

// Page returns a page of a list with the given total.
func Page(total, number int, items ...string) string {
	return fmt.Sprintf(`{"data":[%s],"meta":{"total":%d,"page":%d,"per_page":%d,"total_pages":%d,"next_cursor":null}}`,
		strings.Join(items, ","), total, number, perPage, (total+perPage-1)/perPage)
}

// Stamp formats a time as the services do.
func Stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Changed returns a JSON object with changed fields; nil removes a field.
func Changed(t *testing.T, object string, change map[string]any) string {
	t.Helper()
	fields := map[string]json.RawMessage{} // keeps numbers unchanged
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

// BodyOf decodes a body into the type that a caller fills. Unknown fields are an error.
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

// Each runs a test for each row of a table, in virtual time.
func Each[T any](t *testing.T, rows map[string]T, run func(t *testing.T, row T)) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { run(t, row) }) })
	}
}

// Says checks that an error contains texts; without texts, that there is no error.
func Says(t *testing.T, err error, texts ...string) {
	t.Helper()
	if (err != nil) != (len(texts) > 0 && texts[0] != "") {
		t.Errorf("error %v, want %q", err, texts)
	}
	for _, text := range texts {
		if err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("error %q, want %q", err, text)
		}
	}
}

// All reads a list to its end.
func All[T any](list iter.Seq2[T, error]) ([]T, error) {
	items := []T{}
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// Raws reads a list to its end and returns each item as received.
func Raws[T any](list iter.Seq2[T, error], raw func(T) json.RawMessage) ([]json.RawMessage, error) {
	items, err := All(list)
	raws := []json.RawMessage{}
	for _, item := range items {
		raws = append(raws, raw(item))
	}
	return raws, err
}

// IDs reads a list to its end and returns the ids of its items.
func IDs[T any](list iter.Seq2[T, error], id func(T) string) (string, error) {
	items, err := All(list)
	return Join(items, id), err
}

// Join joins the ids of items.
func Join[T any](items []T, id func(T) string) string {
	var ids []string
	for _, item := range items {
		ids = append(ids, id(item))
	}
	return strings.Join(ids, " ")
}
