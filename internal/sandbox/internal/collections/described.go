package collections

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

type (
	// scheduled is the response of webhook_endpoints.test.
	scheduled struct {
		EventID    string `json:"eventId"`
		DeliveryID string `json:"deliveryId"`
	}
	// rotatedKey is the response of api_keys.rotate.
	rotatedKey struct {
		keyWithToken
		PredecessorID string           `json:"predecessorId"`
		GraceUntil    server.Timestamp `json:"graceUntil"`
	}
)

// Returned describes the responses of the operations by name.
func (s *Service) Returned() map[string]server.Returns {
	return map[string]server.Returns{
		"webhook_endpoints.create":        server.ReturnsOne[withSecret](http.StatusCreated),
		"webhook_endpoints.list":          server.ReturnsPage[webhookEndpoint](),
		"webhook_endpoints.get":           server.ReturnsOne[webhookEndpoint](http.StatusOK),
		"webhook_endpoints.update":        server.ReturnsOne[webhookEndpoint](http.StatusOK),
		"webhook_endpoints.delete":        server.ReturnsNothing,
		"webhook_endpoints.test":          server.ReturnsOne[scheduled](http.StatusAccepted),
		"webhook_endpoints.rotate_secret": server.ReturnsOne[withSecret](http.StatusOK),
		"webhook_deliveries.list":         server.ReturnsPage[webhookDelivery](),
		"webhook_deliveries.retry":        server.ReturnsOne[webhookDelivery](http.StatusAccepted).OrConflict(),
		"api_keys.create":                 server.ReturnsOne[keyWithToken](http.StatusCreated),
		"api_keys.list":                   server.ReturnsPage[apiKey](),
		"api_keys.get":                    server.ReturnsOne[apiKey](http.StatusOK),
		"api_keys.rotate":                 server.ReturnsOne[rotatedKey](http.StatusOK).OrConflict(),
		"api_keys.revoke":                 server.ReturnsNothing,
	}
}

// Webhook describes the body of every delivery.
func Webhook(s server.Schemas) server.Schema {
	return server.ReturnsBare[envelope](http.StatusOK).Body(s)
}
