package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is an unsuccessful response: a status of 300 and up, or a 2xx whose body does not fit the operation.
type Error struct {
	Service   string // Config.Service
	Origin    any    // Config.Origin
	Operation string // name in the operations table
	Method    string
	Path      string // the template, without ids
	// ResourcePath is the requested path, with ids. Error omits it.
	ResourcePath string

	Status  int
	Code    string // the service's stable code; "" when the body had none
	Message string // for humans: one line, cleaned; must not be parsed
	Details json.RawMessage

	// The documented content of Details (service description, Recurring billing §7; wire contract: behaviour).
	Field             string            // details.field
	Fields            map[string]string // details.fields: the problem of each field
	ExistingID        string            // details.id: the conflicting object
	Required, Granted []string          // details of insufficient_scope

	RequestID   string        // header Request-Id
	Structured  bool          // it is the service's own error object; of a 404, only if the service was proven to respond
	Attempts    int           // requests sent up to this response
	Capped      bool          // Config.MaxRetries allowed no further attempt
	Uncertain   bool          // an earlier attempt of the same request may have been carried out
	RetryAfter  time.Duration // the requested wait; 0: none
	RetryAt     time.Time     // when the service allows a retry; set only if that is too late to wait for
	Waited      time.Duration // how long the call waited for the rate limit; set with RetryAt
	ContentType string        // of the response, as sent
	unshown     bool          // the request succeeded, but the response does not contain the object
	noList      bool          // the request succeeded, but the response contains no list
}

// Error returns one line with service, operation, status, code, message and Request-Id. It contains no secret and no id
// from the path.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: status %d", e.Service, e.Operation, e.Status)
	if text := http.StatusText(e.Status); text != "" {
		fmt.Fprintf(&b, " (%s)", text)
	}
	if e.Code != "" {
		fmt.Fprintf(&b, ", code %s", e.Code)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	if !e.RetryAt.IsZero() {
		fmt.Fprintf(&b, "; the service asked to wait until %s, which is longer than this operation may wait",
			e.RetryAt.UTC().Format(time.RFC3339))
	}
	if e.Waited > 0 {
		fmt.Fprintf(&b, "; this operation has waited %s for the rate limit", e.Waited.Round(time.Second))
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [Request-Id %s]", e.RequestID)
	}
	return b.String()
}

// AsError finds the *Error in err's chain. An ambiguous POST that got a status has one too.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// IsNotFound reports whether the service itself responded that the object does not exist. A 404 from a wrong base path,
// a proxy, another host or a service without the route proves nothing about the object. Before a 404 to a read or a
// deletion of an object is accepted, the service is proven to respond; see [Client.Do].
func IsNotFound(err error) bool {
	e, ok := AsError(err)
	return ok && e.Missing() && e.Structured && !e.lacksRoute()
}

// Missing reports whether the status is that of a missing object: 404, or 410 (Gone).
func (e *Error) Missing() bool { return e.Status == http.StatusNotFound || e.Status == http.StatusGone }

// lacksRoute reports whether the service responded that it does not know the path.
func (e *Error) lacksRoute() bool {
	return e.Missing() && strings.Contains(strings.ToLower(e.Code), "route")
}

// HasCode reports whether the service rejected the request with this code.
func HasCode(err error, code string) bool {
	e, ok := AsError(err)
	return ok && e.Code == code
}

// TransportError is an exchange without a complete response: no connection, a broken one, a timeout, or a truncated
// body. It never contains the token.
type TransportError struct {
	Service, Operation string
	Origin             any // Config.Origin
	Attempts           int
	Capped             bool // Config.MaxRetries allowed no further attempt
	Err                error
}

func (e *TransportError) Error() string {
	if e.Attempts > 1 {
		return fmt.Sprintf("%s %s: no response after %d attempts: %v", e.Service, e.Operation, e.Attempts, e.Err)
	}
	return fmt.Sprintf("%s %s: no response: %v", e.Service, e.Operation, e.Err)
}

// Late reports whether no response came within Config.RequestTimeout.
func (e *TransportError) Late() bool { return errors.Is(e.Err, errLate) }

// Rejected reports whether the server rejected the TLS connection: it sent an alert.
func (e *TransportError) Rejected() bool { return isAlert(e.Err) }

func (e *TransportError) Unwrap() error { return e.Err }

// AmbiguousError is the error of a request that must not be repeated and whose outcome is unknown: it was sent, and no
// response shows whether it was carried out.
type AmbiguousError struct {
	Service, Operation string
	RequestID          string    // of the response, if any
	SentAt             time.Time // start of the attempt
	Err                error     // why the outcome is unknown
	// Advice is set by Create and Change if they cannot decide: what they looked for and found, and how to find out.
	Advice string
	// Candidates are the ids of the objects that the request may have created. Older means that all of them are older than
	// the request according to the Date headers of the responses, which may be from another clock.
	Candidates []string
	Older      bool
	// LookedUp is set if lookups, until reads no longer lag, found no other candidates.
	LookedUp bool
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: sent at %s, outcome unknown: %v",
		e.Service, e.Operation, e.SentAt.UTC().Format(time.RFC3339), e.Err)
	if e.RequestID != "" && !strings.Contains(b.String(), e.RequestID) {
		fmt.Fprintf(&b, " [Request-Id %s]", e.RequestID)
	}
	if e.Advice != "" {
		b.WriteString(". ")
		b.WriteString(e.Advice)
	}
	return b.String()
}

func (e *AmbiguousError) Unwrap() error { return e.Err }

// NotSentError ends a call that was not sent, or only in attempts that cannot have been carried out.
type NotSentError struct{ error }

func (e *NotSentError) Unwrap() error { return e.error }

// AsAmbiguous finds the *AmbiguousError in err's chain.
func AsAmbiguous(err error) (*AmbiguousError, bool) {
	var e *AmbiguousError
	ok := errors.As(err, &e)
	return e, ok
}
