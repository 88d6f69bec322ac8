package finance

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The errors of financial management alone.
var (
	errCursor = &server.Error{Status: http.StatusBadRequest, Code: "invalid_cursor",
		Message: "The cursor was not made by this listing with these filters, or has been changed."}
	errIdempotencyKey = &server.Error{Status: http.StatusBadRequest, Code: "invalid_idempotency_key",
		Message: "The header X-Idempotency-Key must be one UUID of version 4."}

	// ErrUnknownJWT is for a token that was never issued.
	ErrUnknownJWT = server.ErrInvalidToken.With(
		"The access token is not a JWT of this service, or its signature is not valid.")
)
