package collections

import (
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Authentication is how the service authenticates to the consumer, in addition to the signature (service description,
// Collections §5). Each type has its own fields; nil fields are omitted. A response lacks Password, Token and Value.
type Authentication struct {
	Type     string  `json:"type"`               // none, basic, bearer, header
	Username *string `json:"username,omitempty"` // basic
	Password *string `json:"password,omitempty"` // basic
	Token    *string `json:"token,omitempty"`    // bearer
	Name     *string `json:"name,omitempty"`     // header: the name of the header
	Value    *string `json:"value,omitempty"`    // header
}

// WebhookEndpoint is a webhook endpoint as the service returns it (service
// description, Collections §2; wire contract: webhook_endpoints.get). A nil
// pointer or slice is null or absent.
type WebhookEndpoint struct {
	ID             string          `json:"id"`
	URL            string          `json:"url"`
	Description    *string         `json:"description"`
	Events         []string        `json:"events"` // a set; empty: every event
	Active         bool            `json:"active"` // true if the response omits it
	Authentication *Authentication `json:"authentication"`
	Secret         *string         `json:"secret,omitempty"` // only when created and when rotated
	CreatedAt      string          `json:"createdAt"`
	UpdatedAt      string          `json:"updatedAt"`
}

// UnmarshalJSON decodes an endpoint. Active defaults to true.
func (e *WebhookEndpoint) UnmarshalJSON(data []byte) error {
	type plain WebhookEndpoint
	read := struct {
		*plain
		Active *bool `json:"active"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	e.Active = read.Active == nil || *read.Active
	return nil
}

// Check rejects a response without required fields, such as the id.
func (e *WebhookEndpoint) Check() error { return api.Present("webhook endpoint with an id", e.ID) }

// WebhookEndpointBody is the body of webhook_endpoints.create, which requires the URL (https only), and of
// webhook_endpoints.update. An absent field is not changed.
type WebhookEndpointBody struct {
	URL            api.Field[string]         `json:"url,omitzero"`
	Description    api.Field[string]         `json:"description,omitzero"`
	Events         api.Field[[]string]       `json:"events,omitzero"`
	Active         api.Field[bool]           `json:"active,omitzero"`
	Authentication api.Field[Authentication] `json:"authentication,omitzero"`
}

// IsEmpty reports whether the body changes nothing.
func (b WebhookEndpointBody) IsEmpty() bool { return reflect.ValueOf(b).IsZero() }

// TestEvent is the response of webhook_endpoints.test. An id is "" if the response omits it.
type TestEvent struct {
	EventID    string `json:"eventId"`
	DeliveryID string `json:"deliveryId"`
}
