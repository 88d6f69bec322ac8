// Package apitest has services of handlers, without a network, for tests of the client that run in virtual time.
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

// Refused is a handler that rejects in the services' own shape.
func Refused(status int, code string) http.HandlerFunc {
	return Respond(status, fmt.Sprintf(`{"error":{"code":%q,"message":"no"}}`, code))
}

// Lost is a handler whose response is lost.
func Lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Data is the envelope of an object.
func Data(object string) string { return `{"data":` + object + `}` }

// ListOf is a page with these objects.
func ListOf(items ...string) string { return Data("[" + strings.Join(items, ",") + "]") }

// Page is a page of a list with so many objects in all.
func Page(total, number int, items ...string) string {
	return fmt.Sprintf(`{"data":[%s],"meta":{"total":%d,"page":%d,"per_page":%d,"total_pages":%d,"next_cursor":null}}`,
		strings.Join(items, ","), total, number, perPage, (total+perPage-1)/perPage)
}

// Stamp is a time as the services write it.
func Stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

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

// Each runs a test for each row of a table, in virtual time.
func Each[T any](t *testing.T, rows map[string]T, run func(t *testing.T, row T)) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { run(t, row) }) })
	}
}

// Says holds an error to its texts. None means that there is no error.
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

// All reads a list completely or its error.
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

// Raws reads a list as All does, each item as it was returned.
func Raws[T any](list iter.Seq2[T, error], raw func(T) json.RawMessage) ([]json.RawMessage, error) {
	items, err := All(list)
	raws := []json.RawMessage{}
	for _, item := range items {
		raws = append(raws, raw(item))
	}
	return raws, err
}

// IDs reads a list completely or its error, and returns what identifies its items.
func IDs[T any](list iter.Seq2[T, error], id func(T) string) (string, error) {
	items, err := All(list)
	return Join(items, id), err
}

// Join is what identifies items.
func Join[T any](items []T, id func(T) string) string {
	var ids []string
	for _, item := range items {
		ids = append(ids, id(item))
	}
	return strings.Join(ids, " ")
}
