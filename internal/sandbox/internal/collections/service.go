// Package collections implements the collections service in the sandbox: webhook endpoints, deliveries and API keys.
//
// Webhooks are really sent: an event is stored, each subscribed endpoint gets a delivery, and a worker makes each
// attempt at its time by the clock, concurrently with requests; WaitDeliveries waits for it. If the clock has jumped
// past an attempt, it is made, and signed, with the time at which it was due. pipeline.go implements the worker;
// package delivery the states, the schedule, the signature and an attempt over the network; package netguard the
// forbidden addresses. Names reserved for documentation are accepted at registration but not contacted.
package collections

import (
	"cmp"
	"crypto/x509"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is collections: webhook endpoints, deliveries and API keys.
type Service struct {
	*server.Core

	Endpoints  store.Table[EndpointRow]
	events     store.Table[eventRow]
	Deliveries store.Table[DeliveryRow]
	Keys       store.Table[KeyRow]
	// Removed are the removed endpoints, without their credentials. Their deliveries remain.
	Removed store.Table[EndpointRow]

	DeliveriesOf store.Index[DeliveryRow] // by endpoint
	openOnes     store.Index[DeliveryRow] // those with a pending attempt, by openKey
	keysByDigest store.Index[KeyRow]

	guard    netguard.Guard
	pipeline *pipeline
	logger   *slog.Logger
}

const openKey = "open"

// Open attaches the tables of collections. Deliveries pass through the guard; receivers' certificates are verified
// against the authorities.
func Open(c *server.Core, guard netguard.Guard, receiverCAs *x509.CertPool, logger *slog.Logger) *Service {
	s := &Service{
		Core:       c,
		Endpoints:  store.NewTable[EndpointRow](c.DB, "webhook_endpoints"),
		events:     store.NewTable[eventRow](c.DB, "webhook_events"),
		Deliveries: store.NewTable[DeliveryRow](c.DB, "webhook_deliveries"),
		Keys:       store.NewTable[KeyRow](c.DB, KeysTable),
		Removed:    store.NewTable[EndpointRow](c.DB, "removed_endpoints"),
		guard:      guard, logger: logger,
		pipeline: newPipeline(delivery.Sender{Guard: guard, CAs: receiverCAs}),
	}
	s.DeliveriesOf = store.NewIndex(c.DB, s.Deliveries, func(r DeliveryRow) string { return r.EndpointID })
	s.openOnes = store.NewIndex(c.DB, s.Deliveries, DeliveryRow.openKey)
	s.keysByDigest = store.NewIndex(c.DB, s.Keys, func(r KeyRow) string { return r.Digest })
	return s
}

// KeysTable is the name of the table that ClearKeys clears.
const KeysTable = "api_keys"

// ClearKeys deletes the keys created by the service. Those created outside it are kept until revoked, because clients
// use them.
func (s *Service) ClearKeys(tx *store.Tx) {
	for id, row := range s.Keys.All(tx) {
		if row.Key.Source != sourceSandbox || row.Key.RevokedAt != nil {
			s.Keys.Delete(tx, id)
		}
	}
}

// Routes returns the operations of collections. Managing keys requires administration (wire contract: a key with empty
// scopes).
func (s *Service) Routes() []server.Route {
	endpoint, key := s.endpoints().Find, s.keys().Find
	none, route := server.Form{}, server.NewRoute
	routes := []server.Route{
		route("webhook_endpoints.create", "POST /api/v1/webhook-endpoints", server.With(endpointCreate, s.createEndpoint)),
		s.endpoints().ListRoute("webhook_endpoints.list", "GET /api/v1/webhook-endpoints"),
		route("webhook_endpoints.get", "GET /api/v1/webhook-endpoints/{id}", server.On(endpoint, none, s.showEndpoint)),
		route("webhook_endpoints.update", "PATCH /api/v1/webhook-endpoints/{id}",
			server.On(endpoint, endpointUpdate, s.updateEndpoint)),
		route("webhook_endpoints.delete", "DELETE /api/v1/webhook-endpoints/{id}",
			server.On(endpoint, none, s.deleteEndpoint)),
		route("webhook_endpoints.test", "POST /api/v1/webhook-endpoints/{id}/test",
			server.On(endpoint, server.NoFields, s.testEndpoint)),
		route("webhook_endpoints.rotate_secret", "POST /api/v1/webhook-endpoints/{id}/rotate-secret",
			server.On(endpoint, server.NoFields, s.rotateSecret)),

		route("webhook_deliveries.list", "GET /api/v1/webhook-endpoints/{id}/deliveries",
			server.On(endpoint, none, s.listDeliveries), slices.Concat(server.Paging, deliveryFilters)...),
		route("webhook_deliveries.retry", "POST /api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
			server.On(s.findDelivery, server.NoFields, s.retryDelivery)),

		route("api_keys.create", "POST /api/v1/api-keys", server.With(keyForm, s.createKey)).Needing(server.Administration),
		s.keys().ListRoute("api_keys.list", "GET /api/v1/api-keys").Needing(server.Administration),
		route("api_keys.get", "GET /api/v1/api-keys/{id}", server.On(key, none, s.showKey)).Needing(server.Administration),
		route("api_keys.rotate", "POST /api/v1/api-keys/{id}/rotate",
			server.On(key, rotation, s.rotateKey)).Needing(server.Administration),
		route("api_keys.revoke", "DELETE /api/v1/api-keys/{id}",
			server.On(key, none, s.revokeKey)).Needing(server.Administration),
	}
	for i, r := range routes {
		if r.Name == "webhook_endpoints.create" || r.Name == "webhook_endpoints.update" {
			routes[i].Prepare = s.resolveURL
		}
	}
	return routes
}

// inOrder is the order of listings: by createdAt, then by the object's number (wire contract: order of collections
// lists).
func inOrder(at, other time.Time, number, otherNumber int64) int {
	return cmp.Or(at.Compare(other), cmp.Compare(number, otherNumber))
}

// Errors specific to collections.
var (
	errInvalidURL = &server.Error{Status: http.StatusUnprocessableEntity, Code: "INVALID_WEBHOOK_URL",
		Message: "The address cannot receive webhooks."}
	errEndpointInactive = &server.Error{Status: http.StatusConflict, Code: "ENDPOINT_INACTIVE",
		Message: "The endpoint is inactive."}
	errDeliveryNotFailed = &server.Error{Status: http.StatusConflict, Code: "DELIVERY_NOT_FAILED",
		Message: "Only a failed or exhausted delivery can be sent again."}
	errNoDelivery   = server.ErrNotFound.With("There is no delivery with this id.")
	errKeyNotActive = &server.Error{Status: http.StatusConflict, Code: "key_not_active",
		Message: "The key has been rotated or revoked, or has expired."}

	// ErrUnknownKey is returned for a key that was never issued. Collections uses only the structured shape of a 401.
	ErrUnknownKey = server.ErrInvalidToken.With("There is no such key.")
)
