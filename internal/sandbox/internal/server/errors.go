package server

import (
	"fmt"
	"net/http"
)

// Error is a response of 4xx or 5xx: `{error: {code, message, details?}}`
// (service description, Recurring billing §7). The message never repeats what
// the user sent.
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

// body is what goes over the wire.
func (e *Error) body(flat bool) any {
	if flat || e.flat {
		return map[string]any{"error": e.Message, "error_code": e.Code}
	}
	inner := map[string]any{"code": e.Code, "message": e.Message}
	if e.Details != nil {
		inner["details"] = e.Details
	}
	return map[string]any{"error": inner}
}

// The errors that every service has. An unknown route has a
// code apart from that of an unknown object, so that a client with a wrong
// base path does not take its objects for deleted.
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

// Invalid is the 422 that blames fields
// (wire contract: validation failure).
func Invalid(fields map[string]string) *Error {
	return ErrValidation.About(map[string]any{"fields": fields})
}

// faultCodes name the errors that only a fault causes.
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
