package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Reply is the result of a handler: a status and a value to encode.
type Reply struct {
	Status   int
	Body     any       // nil: none
	Kind     string    // media type of a text body, which is not encoded
	Modified time.Time // zero: no Last-Modified
}

// Single returns one object in its envelope
// (service description, Recurring billing §2 Envelopes).
func (c *Call) Single(status int, object any, modified time.Time) Reply {
	return Reply{Status: status, Body: map[string]any{"data": object}, Modified: modified}
}

// Deleted returns the response to a deletion.
func (c *Call) Deleted() Reply {
	return Reply{
		Status: http.StatusOK,
		Body:   map[string]any{"data": map[string]any{"deleted": true}},
	}
}

type response struct {
	status int
	header http.Header
	body   []byte
	text   bool // of an operation that returns a text
}

// success encodes a reply, or returns 304 if the request's conditions show that the client already has it.
func (s *Server) success(r *http.Request, result Reply) response {
	a := response{status: result.Status, header: http.Header{}}
	if result.Body == nil {
		return a
	}
	body, kind, err := result.written()
	if err == nil {
		body, err = s.asCopied(body)
	}
	if err != nil {
		return s.failure(err)
	}
	a.body, a.text = body, result.Kind != ""
	a.header.Set("Content-Type", kind)
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	a.header.Set("ETag", etag)
	if !result.Modified.IsZero() {
		a.header.Set("Last-Modified", result.Modified.UTC().Format(http.TimeFormat))
	}
	if r.Method == http.MethodGet && unchanged(r.Header, etag, result.Modified) {
		a.status, a.body = http.StatusNotModified, nil
		a.header.Del("Content-Type")
	}
	return a
}

// written returns the body of a reply as sent, and its media type.
func (r Reply) written() (body []byte, kind string, err error) {
	if text, ok := r.Body.([]byte); ok && r.Kind != "" {
		return text, r.Kind, nil
	}
	body, err = Encode(r.Body)
	return body, "application/json", err
}

// unchanged evaluates If-None-Match, or If-Modified-Since without it: unlike the hash, a date misses changes within a
// second.
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

// failure encodes an error. Internal errors are logged and return 500.
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
	body, err := Encode(e.body())
	if err != nil {
		s.options.Logger.Error("encode error", "error", err)
		return response{status: http.StatusInternalServerError, header: http.Header{}}
	}
	a.body = body
	return a
}

// Respond writes a value as JSON, or the error. The control listener uses it and shows the cause of every failure,
// because its user runs the sandbox.
func (s *Server) Respond(w http.ResponseWriter, body any, err error) {
	a := response{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}}
	if err == nil {
		a.body, err = Encode(body)
	}
	if refusal := new(Error); err != nil && !errors.As(err, &refusal) {
		err = errInternal.With(err.Error())
	}
	if err != nil {
		a = s.failure(err)
	}
	a.header.Set("Request-Id", s.Source.UUID())
	a.write(w, false)
}

// write sends the response. A truncated one declares more bytes than it sends, then drops the connection.
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
	// The client may have disconnected.
	_, _ = w.Write(body)
	if truncate {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Encode formats JSON as the service does: on one line, with only the necessary escapes.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// Error is a 4xx or 5xx response: `{error: {code, message, details?}}` (service description, Recurring billing §7). The
// message never repeats user input.
type Error struct {
	Status  int
	Code    string
	Message string
	Details any
	Allow   string // methods for a 405
	flat    bool   // the variant {error: "text", error_code: "…"}
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
}

// With returns the same error with another message.
func (e *Error) With(message string) *Error {
	changed := *e
	changed.Message = message
	return &changed
}

// About returns the same error with details.
func (e *Error) About(details any) *Error {
	changed := *e
	changed.Details = details
	return &changed
}

func (e *Error) body() any {
	if e.flat {
		return map[string]any{"error": e.Message, "error_code": e.Code}
	}
	inner := map[string]any{"code": e.Code, "message": e.Message}
	if e.Details != nil {
		inner["details"] = e.Details
	}
	return map[string]any{"error": inner}
}

// Errors common to all services. An unknown route has a different code from an unknown object, so that a client with a
// wrong base path does not treat its objects as deleted.
var (
	ErrMalformed = &Error{Status: http.StatusBadRequest, Code: "malformed_request",
		Message: "The request is malformed."}
	errContentType = &Error{Status: http.StatusBadRequest, Code: "unsupported_content_type",
		Message: "Every request must carry the header Content-Type: application/json."}
	errBodyTooLarge = &Error{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
		Message: "The request body is larger than 1 MiB."}
	ErrInvalidToken = &Error{Status: http.StatusUnauthorized, Code: "invalid_token",
		Message: "The access token is missing or invalid."}
	ErrUnauthorized = &Error{Status: http.StatusUnauthorized, Code: "unauthorized", flat: true,
		Message: "Invalid access token."}
	errAccessBlocked = &Error{Status: http.StatusForbidden, Code: "access_blocked",
		Message: "API access is blocked for this organization."}
	errInsufficientScope = &Error{Status: http.StatusForbidden, Code: "insufficient_scope",
		Message: "The access token does not carry the scope this operation requires."}
	ErrNotFound = &Error{Status: http.StatusNotFound, Code: "not_found",
		Message: "The resource does not exist."}
	ErrNoRoute = &Error{Status: http.StatusNotFound, Code: "route_not_found",
		Message: "There is no such route."}
	ErrMethod = &Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Message: "The route does not serve this method."}
	ErrValidation = &Error{Status: http.StatusUnprocessableEntity, Code: "validation_error",
		Message: "Some fields are not valid."}
	errInternal = &Error{Status: http.StatusInternalServerError, Code: "internal_error",
		Message: "The request could not be processed."}
)

// Invalid returns the 422 for invalid fields (wire contract: validation failure).
func Invalid(fields map[string]string) *Error {
	return ErrValidation.About(map[string]any{"fields": fields})
}

// faultCodes are the codes of errors that only faults cause.
var faultCodes = map[int]string{
	http.StatusBadRequest:          ErrMalformed.Code,
	http.StatusUnauthorized:        ErrInvalidToken.Code,
	http.StatusForbidden:           errAccessBlocked.Code,
	http.StatusNotFound:            ErrNotFound.Code,
	http.StatusUnprocessableEntity: ErrValidation.Code,
	http.StatusTooManyRequests:     "rate_limited",
	http.StatusInternalServerError: errInternal.Code,
	http.StatusBadGateway:          "bad_gateway",
	http.StatusServiceUnavailable:  "service_unavailable",
	http.StatusGatewayTimeout:      "gateway_timeout",
}
