package billing

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The errors of recurring billing alone.
var (
	errExternalIDTaken = &server.Error{Status: http.StatusUnprocessableEntity, Code: "external_id_taken",
		Message: "Another object of this organization has this external_id."}
	errActiveSubscriptions = &server.Error{Status: http.StatusUnprocessableEntity,
		Code:    "customer_has_active_subscriptions",
		Message: "The customer has subscriptions that are not canceled."}
	errAccountSubscribed = &server.Error{Status: http.StatusUnprocessableEntity,
		Code:    "billing_account_has_active_subscriptions",
		Message: "The billing account has subscriptions that are not canceled."}
	errTransition = &server.Error{Status: http.StatusUnprocessableEntity, Code: "invalid_transition",
		Message: "The state of the resource does not allow this."}
)
