package collections

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The errors of collections alone.
var (
	errInvalidURL = &server.Error{Status: http.StatusUnprocessableEntity, Code: "INVALID_WEBHOOK_URL",
		Message: "The address cannot receive webhooks."}
	errEndpointInactive = &server.Error{Status: http.StatusConflict, Code: "ENDPOINT_INACTIVE",
		Message: "The endpoint is inactive."}
	errDeliveryNotFailed = &server.Error{Status: http.StatusConflict, Code: "DELIVERY_NOT_FAILED",
		Message: "Only a failed or exhausted delivery can be sent again."}
	errKeyNotActive = &server.Error{Status: http.StatusConflict, Code: "key_not_active",
		Message: "The key has been rotated or revoked, or has expired."}

	// ErrUnknownKey is for a key that was never issued. Collections has the
	// structured shape of a 401 only.
	ErrUnknownKey = server.ErrInvalidToken.With("There is no such key.")
)
