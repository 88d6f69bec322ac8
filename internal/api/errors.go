package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a response that is not the one asked for: a status of 300 and up, or
// a 2xx whose body cannot be what the operation promises.
type Error struct {
	Service   string // Config.Service
	Origin    any    // Config.Origin
	Operation string // name in the operations table
	Method    string
	Path      string // the template, without ids
	// ResourcePath is the path that was asked, with ids. Error leaves it out.
	ResourcePath string

	Status  int
	Code    string // the service's stable code; "" when the body had none
	Message string // for humans; one line, cleaned; never to be parsed
	Details json.RawMessage

	// What Details is known to hold (service description, Recurring billing
	// §7; wire contract: behaviour).
	Field             string            // details.field
	Fields            map[string]string // details.fields: field → what is wrong
	ExistingID        string            // details.id: the object in the way
	Required, Granted []string          // details of insufficient_scope

	RequestID   string        // header Request-Id
	Structured  bool          // it is the service's own error object; a 404 only when the service was proven to respond
	Attempts    int           // requests sent until this response
	Capped      bool          // Config.MaxRetries allowed no further one
	Uncertain   bool          // an earlier attempt of the same request may have been carried out
	RetryAfter  time.Duration // what the response asked to wait; 0: nothing
	RetryAt     time.Time     // when the service asked to be asked again; only set when that is too late to wait for
	ContentType string        // of the response, as sent
	unshown     bool          // the request succeeded, and the response does not show the object
	noList      bool          // the request succeeded, and the response contains no list
}

// Error gives one line with service, operation, status, code, message and
// Request-Id. It holds no secret and no id from the path.
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
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [Request-Id %s]", e.RequestID)
	}
	return b.String()
}

// AsError finds the *Error in err's chain. An ambiguous POST that ended in a
// status carries one too.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// IsNotFound reports whether the service itself responded that the object does
// not exist. A 404 of a wrong base path, a proxy or another host is not that: it
// says nothing about the object. Neither does a service that does not know the
// route. After a read or a deletion of an object the service has just been proven
// to respond; see [Client.Do].
func IsNotFound(err error) bool {
	e, ok := AsError(err)
	return ok && e.Status == http.StatusNotFound && e.Structured && !e.lacksRoute()
}

// lacksRoute reports whether the service responded that it does not know the path.
func (e *Error) lacksRoute() bool {
	return e.Status == http.StatusNotFound && strings.Contains(strings.ToLower(e.Code), "route")
}

// IsUnauthorized says whether the token was rejected.
func IsUnauthorized(err error) bool {
	e, ok := AsError(err)
	return ok && e.Status == http.StatusUnauthorized
}

// HasCode says whether the service rejected with this code.
func HasCode(err error, code string) bool {
	e, ok := AsError(err)
	return ok && e.Code == code
}

// TransportError is an exchange that ended without a response: no connection,
// a broken one, a timeout, a body cut short. It never holds the token.
type TransportError struct {
	Service, Operation string
	Origin             any // Config.Origin
	Attempts           int
	Capped             bool // Config.MaxRetries allowed no further one
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

func (e *TransportError) Unwrap() error { return e.Err }

// AmbiguousError is a request that must not be repeated and whose outcome is
// unknown: it was sent, and no response shows whether it was carried out.
type AmbiguousError struct {
	Service, Operation string
	RequestID          string    // of the response, if one came
	SentAt             time.Time // start of the attempt
	Err                error     // why the outcome is unknown
	// Outlook is filled by Settle and Change when they could not decide: what
	// was looked for, what was found, and how to find out.
	Outlook string
	// Candidates are the ids of the objects that a creation may have made.
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: sent at %s, and it is not known whether it was carried out: %v",
		e.Service, e.Operation, e.SentAt.UTC().Format(time.RFC3339), e.Err)
	if e.RequestID != "" && !strings.Contains(b.String(), e.RequestID) {
		fmt.Fprintf(&b, " [Request-Id %s]", e.RequestID)
	}
	if e.Outlook != "" {
		b.WriteString(". ")
		b.WriteString(e.Outlook)
	}
	return b.String()
}

func (e *AmbiguousError) Unwrap() error { return e.Err }

// AsAmbiguous finds the *AmbiguousError in err's chain.
func AsAmbiguous(err error) (*AmbiguousError, bool) {
	var e *AmbiguousError
	ok := errors.As(err, &e)
	return e, ok
}
