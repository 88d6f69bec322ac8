package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Reply is what a handler returns: a status and a value to be encoded.
type Reply struct {
	Status   int
	Body     any       // nil: none
	Kind     string    // media type of a body that is a text and not to be encoded
	Modified time.Time // zero: no Last-Modified
	records  bool      // the objects in it are free-form
}

// Single returns one object in its envelope
// (service description, Recurring billing §2 Envelopes).
func (c *Call) Single(status int, object any, modified time.Time) Reply {
	if c.Tolerance.BareObjects {
		return Reply{Status: status, Body: object, Modified: modified}
	}
	return Reply{Status: status, Body: map[string]any{"data": object}, Modified: modified}
}

// Deleted returns a deletion.
func (c *Call) Deleted() Reply {
	if c.Tolerance.DeleteNoContent {
		return Reply{Status: http.StatusNoContent}
	}
	return Reply{
		Status: http.StatusOK,
		Body:   map[string]any{"data": map[string]any{"deleted": true}},
	}
}

// response is a response before it is written.
type response struct {
	status int
	header http.Header
	body   []byte
}

// success encodes a reply, and turns it into a 304 when the request's
// conditions show that the client already has it.
func (s *Server) success(r *http.Request, result Reply) response {
	a := response{status: result.Status, header: http.Header{}}
	if result.Body == nil {
		return a
	}
	body, kind, err := s.options.Tolerance.written(result)
	if err != nil {
		return s.failure(err)
	}
	a.body = body
	a.header.Set("Content-Type", kind)
	if r.Method != http.MethodGet || s.options.Tolerance.NoValidators {
		return a
	}
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	a.header.Set("ETag", etag)
	if !result.Modified.IsZero() {
		a.header.Set("Last-Modified", result.Modified.UTC().Format(http.TimeFormat))
	}
	if unchanged(r.Header, etag, result.Modified) {
		a.status, a.body = http.StatusNotModified, nil
		a.header.Del("Content-Type")
	}
	return a
}

// written is the body of a reply as it goes over the wire, and its media type.
func (t Tolerance) written(result Reply) (body []byte, kind string, err error) {
	if text, ok := result.Body.([]byte); ok && result.Kind != "" {
		return text, result.Kind, nil
	}
	body, err = t.encode(result.Body, result.records)
	return body, "application/json", err
}

// unchanged evaluates If-None-Match, and only without one If-Modified-Since:
// a date has seconds, the hash does not miss a change within one.
func unchanged(header http.Header, etag string, modified time.Time) bool {
	if conditions := header.Values("If-None-Match"); len(conditions) > 0 {
		for candidate := range strings.SplitSeq(strings.Join(conditions, ","), ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(header.Get("If-Modified-Since"))
	return err == nil && !modified.IsZero() && !modified.Truncate(time.Second).After(since)
}

// failure encodes an error. One that is not meant for the client is logged
// and returns 500.
func (s *Server) failure(err error) response {
	var e *Error
	if !errors.As(err, &e) {
		s.options.Logger.Error("request failed inside the sandbox", "error", err)
		e = errInternal
	}
	a := response{status: e.Status, header: http.Header{"Content-Type": {"application/json"}}}
	if e.Allow != "" {
		a.header.Set("Allow", e.Allow)
	}
	body, err := Encode(e.body(s.options.Tolerance.FlatErrors))
	if err != nil {
		s.options.Logger.Error("encode error", "error", err)
		return response{status: http.StatusInternalServerError, header: http.Header{}}
	}
	a.body = body
	return a
}

// Respond writes a value as JSON, or the error. The control listener uses it.
func (s *Server) Respond(w http.ResponseWriter, body any, err error) {
	a := response{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}}
	if err == nil {
		a.body, err = Encode(body)
	}
	if err != nil {
		a = s.failure(err)
	}
	a.header.Set("Request-Id", s.Source.UUID())
	a.write(w, false)
}

// write sends the response; a truncated one promises more than it sends and
// then drops the connection.
func (a response) write(w http.ResponseWriter, truncate bool) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	body := a.body
	if truncate {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		body = body[:len(body)/2]
	}
	w.WriteHeader(a.status)
	// A client that has gone away is not a concern of the sandbox.
	_, _ = w.Write(body)
	if truncate {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Encode is JSON as the service writes it: one line, with only the necessary escapes.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
