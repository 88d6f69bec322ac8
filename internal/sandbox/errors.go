package sandbox

import (
	"fmt"
	"net/http"
)

// apiError is an answer of 4xx or 5xx: `{error: {code, message, details?}}`
// (service description, Recurring billing §7). The message never repeats what
// the user sent.
type apiError struct {
	status  int
	code    string
	message string
	details any
	allow   string // methods for a 405
	flat    bool   // the variant {error: "text", error_code: "…"}
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%d %s: %s", e.status, e.code, e.message)
}

// with answers the same error with another message.
func (e *apiError) with(message string) *apiError {
	changed := *e
	changed.message = message
	return &changed
}

// about answers the same error with details.
func (e *apiError) about(details any) *apiError {
	changed := *e
	changed.details = details
	return &changed
}

// body is what goes over the wire.
func (e *apiError) body(flat bool) any {
	if flat || e.flat {
		return map[string]any{"error": e.message, "error_code": e.code}
	}
	inner := map[string]any{"code": e.code, "message": e.message}
	if e.details != nil {
		inner["details"] = e.details
	}
	return map[string]any{"error": inner}
}

// Every error the sandbox answers of its own accord. An unknown route has a
// code apart from that of an unknown object, so that a client with a wrong
// base path does not take its objects for deleted.
var (
	errMalformed = &apiError{status: http.StatusBadRequest, code: "malformed_request",
		message: "The request is malformed."}
	errContentType = &apiError{status: http.StatusBadRequest, code: "unsupported_content_type",
		message: "Every request must carry the header Content-Type: application/json."}
	errBodyTooLarge = &apiError{status: http.StatusRequestEntityTooLarge, code: "body_too_large",
		message: "The request body is larger than 1 MiB."}
	errInvalidToken = &apiError{status: http.StatusUnauthorized, code: "invalid_token",
		message: "The access token is missing or invalid."}
	errUnauthorized = &apiError{status: http.StatusUnauthorized, code: "unauthorized", flat: true,
		message: "Invalid access token."}
	errAccessBlocked = &apiError{status: http.StatusForbidden, code: "access_blocked",
		message: "API access is blocked for this organization."}
	errInsufficientScope = &apiError{status: http.StatusForbidden, code: "insufficient_scope",
		message: "The access token does not carry the scope this operation requires."}
	errNotFound = &apiError{status: http.StatusNotFound, code: "not_found",
		message: "The resource does not exist."}
	errNoRoute = &apiError{status: http.StatusNotFound, code: "route_not_found",
		message: "There is no such route."}
	errMethod = &apiError{status: http.StatusMethodNotAllowed, code: "method_not_allowed",
		message: "The route does not serve this method."}
	errValidation = &apiError{status: http.StatusUnprocessableEntity, code: "validation_error",
		message: "Some fields are not valid."}
	errExternalIDTaken = &apiError{status: http.StatusUnprocessableEntity, code: "external_id_taken",
		message: "Another object of this organization has this external_id."}
	errActiveSubscriptions = &apiError{status: http.StatusUnprocessableEntity, code: "customer_has_active_subscriptions",
		message: "The customer has subscriptions that are not canceled."}
	errAccountSubscribed = &apiError{status: http.StatusUnprocessableEntity, code: "billing_account_has_active_subscriptions",
		message: "The billing account has subscriptions that are not canceled."}
	errTransition = &apiError{status: http.StatusUnprocessableEntity, code: "invalid_transition",
		message: "The state of the resource does not allow this."}
	errInvalidURL = &apiError{status: http.StatusUnprocessableEntity, code: "INVALID_WEBHOOK_URL",
		message: "The address cannot receive webhooks."}
	errEndpointInactive = &apiError{status: http.StatusConflict, code: "ENDPOINT_INACTIVE",
		message: "The endpoint is inactive."}
	errDeliveryNotFailed = &apiError{status: http.StatusConflict, code: "DELIVERY_NOT_FAILED",
		message: "Only a failed or exhausted delivery can be sent again."}
	errKeyNotActive = &apiError{status: http.StatusConflict, code: "key_not_active",
		message: "The key has been rotated or revoked, or has expired."}
	errCursor = &apiError{status: http.StatusBadRequest, code: "invalid_cursor",
		message: "The cursor was not made by this listing with these filters, or has been changed."}
	errIdempotencyKey = &apiError{status: http.StatusBadRequest, code: "invalid_idempotency_key",
		message: "The header X-Idempotency-Key must be one UUID of version 4."}
	errInternal = &apiError{status: http.StatusInternalServerError, code: "internal_error",
		message: "The request could not be processed."}
)

// invalid is the 422 that blames fields
// (wire contract: validation failure).
func invalid(fields map[string]string) *apiError {
	return errValidation.about(map[string]any{"fields": fields})
}

// faultCodes name the errors that only a fault brings about.
var faultCodes = map[int]string{
	http.StatusBadRequest:          errMalformed.code,
	http.StatusUnauthorized:        errInvalidToken.code,
	http.StatusForbidden:           errAccessBlocked.code,
	http.StatusNotFound:            errNotFound.code,
	http.StatusUnprocessableEntity: errValidation.code,
	http.StatusTooManyRequests:     "rate_limited",
	http.StatusInternalServerError: errInternal.code,
	http.StatusBadGateway:          "bad_gateway",
	http.StatusServiceUnavailable:  "service_unavailable",
	http.StatusGatewayTimeout:      "gateway_timeout",
}
