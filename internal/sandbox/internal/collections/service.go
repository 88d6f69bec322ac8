// Package collections is the collections service in the sandbox: webhook
// endpoints, deliveries and API keys.
//
// Webhooks are really sent: an event is stored, a delivery made for each
// endpoint that wants it, and a worker makes each attempt at its time by the
// clock, concurrently with the requests; WaitDeliveries waits for it. One that the clock
// has jumped over is made, and signed, at the time at which it was due.
// pipeline.go has the worker; package delivery the states, the schedule, the
// signature and one attempt over the network; package netguard what may not be
// reached. Names that are reserved for documentation are accepted at
// registration and lead nowhere.
package collections

import (
	"cmp"
	"crypto/x509"
	"errors"
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
	deliveries store.Table[DeliveryRow]
	Keys       store.Table[KeyRow]

	DeliveriesOf store.Index[DeliveryRow] // by endpoint
	openOnes     store.Index[DeliveryRow] // those with an attempt to come, by openKey
	keysByDigest store.Index[KeyRow]

	guard    netguard.Guard
	pipeline *pipeline
	logger   *slog.Logger
}

const openKey = "open"

// Open attaches the tables of collections. Deliveries go through the
// guard, to receivers that have their certificates from the authorities.
func Open(c *server.Core, guard netguard.Guard, receiverCAs *x509.CertPool, logger *slog.Logger) (*Service, error) {
	s := &Service{Core: c, guard: guard, logger: logger,
		pipeline: newPipeline(delivery.Sender{Guard: guard, CAs: receiverCAs})}
	var errs [4]error
	s.Endpoints, errs[0] = store.NewTable[EndpointRow](c.DB, "webhook_endpoints")
	s.events, errs[1] = store.NewTable[eventRow](c.DB, "webhook_events")
	s.deliveries, errs[2] = store.NewTable[DeliveryRow](c.DB, "webhook_deliveries")
	s.Keys, errs[3] = store.NewTable[KeyRow](c.DB, "api_keys")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	s.DeliveriesOf = store.NewIndex(c.DB, s.deliveries, func(r DeliveryRow) string { return r.EndpointID })
	s.openOnes = store.NewIndex(c.DB, s.deliveries, DeliveryRow.openKey)
	s.keysByDigest = store.NewIndex(c.DB, s.Keys, func(r KeyRow) string { return r.Digest })
	return s, nil
}

// Clear deletes everything that the service has, except the keys that were created from outside the service: clients
// hold them.
func (s *Service) Clear(tx *store.Tx) {
	s.Endpoints.Clear(tx)
	s.events.Clear(tx)
	s.deliveries.Clear(tx)
	for id, row := range s.Keys.All(tx) {
		if row.Key.Source != sourceSandbox {
			s.Keys.Delete(tx, id)
		}
	}
}

// pages are the query parameters of a listing of collections, which has no
// sort parameters (wire contract: order of collections lists).
var pages = []string{"page", "per_page"}

// Routes are the operations of collections. Managing keys is
// administration (wire contract: a key with empty scopes).
func (s *Service) Routes() []server.Route {
	return []server.Route{
		{Name: "webhook_endpoints.create", Method: http.MethodPost, Pattern: "/api/v1/webhook-endpoints",
			Scope: "webhook_endpoints:write", Serve: s.createEndpoint, Prepare: s.resolveURL},
		{Name: "webhook_endpoints.list", Method: http.MethodGet, Pattern: "/api/v1/webhook-endpoints",
			Scope: "webhook_endpoints:read", Query: pages, Serve: s.listEndpoints},
		{Name: "webhook_endpoints.get", Method: http.MethodGet, Pattern: "/api/v1/webhook-endpoints/{id}",
			Scope: "webhook_endpoints:read", Serve: s.getEndpoint},
		{Name: "webhook_endpoints.update", Method: http.MethodPatch, Pattern: "/api/v1/webhook-endpoints/{id}",
			Scope: "webhook_endpoints:write", Serve: s.updateEndpoint, Prepare: s.resolveURL},
		{Name: "webhook_endpoints.delete", Method: http.MethodDelete, Pattern: "/api/v1/webhook-endpoints/{id}",
			Scope: "webhook_endpoints:write", Serve: s.deleteEndpoint},
		{Name: "webhook_endpoints.test", Method: http.MethodPost, Pattern: "/api/v1/webhook-endpoints/{id}/test",
			Scope: "webhook_endpoints:write", Serve: s.testEndpoint},
		{Name: "webhook_endpoints.rotate_secret", Method: http.MethodPost,
			Pattern: "/api/v1/webhook-endpoints/{id}/rotate-secret",
			Scope:   "webhook_endpoints:write", Serve: s.rotateSecret},

		{Name: "webhook_deliveries.list", Method: http.MethodGet, Pattern: "/api/v1/webhook-endpoints/{id}/deliveries",
			Scope: "webhook_deliveries:read", Query: slices.Concat(pages, []string{"status", "event"}), Serve: s.listDeliveries},
		{Name: "webhook_deliveries.retry", Method: http.MethodPost,
			Pattern: "/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
			Scope:   "webhook_deliveries:write", Serve: s.retryDelivery},

		{Name: "api_keys.create", Method: http.MethodPost, Pattern: "/api/v1/api-keys",
			Scope: server.Administration, Serve: s.createKey},
		{Name: "api_keys.list", Method: http.MethodGet, Pattern: "/api/v1/api-keys",
			Scope: server.Administration, Query: pages, Serve: s.listKeys},
		{Name: "api_keys.get", Method: http.MethodGet, Pattern: "/api/v1/api-keys/{id}",
			Scope: server.Administration, Serve: s.getKey},
		{Name: "api_keys.rotate", Method: http.MethodPost, Pattern: "/api/v1/api-keys/{id}/rotate",
			Scope: server.Administration, Serve: s.rotateKey},
		{Name: "api_keys.revoke", Method: http.MethodDelete, Pattern: "/api/v1/api-keys/{id}",
			Scope: server.Administration, Serve: s.revokeKey},
	}
}

// placed is an object of a list with what orders it: the time it was created,
// and for equal times the number it was given.
type placed[T any] struct {
	at     time.Time
	number int64
	object T
}

// inOrder returns a page of the objects, sorted by createdAt
// (wire contract: order of collections lists).
func inOrder[T any](c *server.Call, found []placed[T]) (server.Reply, error) {
	slices.SortFunc(found, func(a, b placed[T]) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.number, b.number))
	})
	objects := make([]T, len(found))
	for i, p := range found {
		objects[i] = p.object
	}
	p := server.Problems{}
	page, perPage := c.PageSize(p)
	if err := p.Err(); err != nil {
		return server.Reply{}, err
	}
	return server.PageOf(c, objects, page, perPage), nil
}
