package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/sealed"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// collections is what the collections service keeps.
type collections struct {
	endpoints  store.Table[endpointRow]
	events     store.Table[eventRow]
	deliveries store.Table[deliveryRow]
	keys       store.Table[keyRow]
	audit      store.Table[AuditEntry]
	// sequence holds the last number given out, under one name: what is made in
	// one moment still has an order.
	sequence store.Table[int64]

	deliveriesOf store.Index[deliveryRow] // by endpoint
	openOnes     store.Index[deliveryRow] // those with an attempt to come, by openKey
	keysByDigest store.Index[keyRow]

	box      *sealed.Box
	pipeline *pipeline
}

const (
	openKey      = "open"
	sequenceName = "collections"
)

// collectionsRoutes are the operations of collections. Managing keys is
// administration (wire contract: a key with empty scopes).
var collectionsRoutes = []route{
	{"webhook_endpoints.create", http.MethodPost, "/api/v1/webhook-endpoints", "webhook_endpoints:write", nil, createEndpoint},
	{"webhook_endpoints.list", http.MethodGet, "/api/v1/webhook-endpoints", "webhook_endpoints:read", pages, listEndpoints},
	{"webhook_endpoints.get", http.MethodGet, "/api/v1/webhook-endpoints/{id}", "webhook_endpoints:read", nil, getEndpoint},
	{"webhook_endpoints.update", http.MethodPatch, "/api/v1/webhook-endpoints/{id}", "webhook_endpoints:write", nil, updateEndpoint},
	{"webhook_endpoints.delete", http.MethodDelete, "/api/v1/webhook-endpoints/{id}", "webhook_endpoints:write", nil, deleteEndpoint},
	{"webhook_endpoints.test", http.MethodPost, "/api/v1/webhook-endpoints/{id}/test", "webhook_endpoints:write", nil, testEndpoint},
	{"webhook_endpoints.rotate_secret", http.MethodPost, "/api/v1/webhook-endpoints/{id}/rotate-secret", "webhook_endpoints:write", nil, rotateSecret},

	{"webhook_deliveries.list", http.MethodGet, "/api/v1/webhook-endpoints/{id}/deliveries", "webhook_deliveries:read",
		slices.Concat(pages, []string{"status", "event"}), listDeliveries},
	{"webhook_deliveries.retry", http.MethodPost, "/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry", "webhook_deliveries:write", nil, retryDelivery},

	{"api_keys.create", http.MethodPost, "/api/v1/api-keys", administration, nil, createKey},
	{"api_keys.list", http.MethodGet, "/api/v1/api-keys", administration, pages, listKeys},
	{"api_keys.get", http.MethodGet, "/api/v1/api-keys/{id}", administration, nil, getKey},
	{"api_keys.rotate", http.MethodPost, "/api/v1/api-keys/{id}/rotate", administration, nil, rotateKey},
	{"api_keys.revoke", http.MethodDelete, "/api/v1/api-keys/{id}", administration, nil, revokeKey},
}

// pages are the query parameters of a listing of collections, which has no
// sort parameters (wire contract: order of collections lists).
var pages = []string{"page", "per_page"}

// openCollections attaches the tables of collections and finds the key of what
// is sealed in them.
func (s *Server) openCollections() error {
	c := &s.collections
	var errs [6]error
	c.endpoints, errs[0] = store.NewTable[endpointRow](s.db, "webhook_endpoints")
	c.events, errs[1] = store.NewTable[eventRow](s.db, "webhook_events")
	c.deliveries, errs[2] = store.NewTable[deliveryRow](s.db, "webhook_deliveries")
	c.keys, errs[3] = store.NewTable[keyRow](s.db, "api_keys")
	c.audit, errs[4] = store.NewTable[AuditEntry](s.db, "audit_trail")
	c.sequence, errs[5] = store.NewTable[int64](s.db, "sequence")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	c.deliveriesOf = store.NewIndex(s.db, c.deliveries, func(r deliveryRow) string { return r.EndpointID })
	c.openOnes = store.NewIndex(s.db, c.deliveries, deliveryRow.openKey)
	c.keysByDigest = store.NewIndex(s.db, c.keys, func(r keyRow) string { return r.Digest })
	c.pipeline = newPipeline(delivery.Sender{Guard: s.guard(), CAs: s.options.ReceiverCAs})
	return s.openBox()
}

// openBox reads the key that the state's secrets are sealed with. It stands
// beside the state file, so that the file alone gives nothing away; without a
// state file it lives as long as the process. A key that opens nothing in this
// state is refused here and not at the first delivery.
func (s *Server) openBox() error {
	return s.db.View(func(tx *store.Tx) error {
		rows := maps.Collect(s.collections.endpoints.All(tx))
		key, err := sealed.NewKey(), error(nil)
		if s.options.StateFile != "" {
			key, err = sealed.KeyFile(s.options.StateFile+".key", len(rows) == 0)
		}
		if err != nil {
			return fmt.Errorf("what the state's secrets are sealed with: %w", err)
		}
		if s.collections.box, err = sealed.New(key); err != nil {
			return err
		}
		for _, row := range rows {
			if _, err := s.secretOf(row); err != nil {
				return fmt.Errorf("%s.key does not belong to the state file: %w", s.options.StateFile, err)
			}
		}
		return nil
	})
}

// next answers a number larger than all before it.
func (s *Server) next(tx *store.Tx) int64 {
	last, _ := s.collections.sequence.Get(tx, sequenceName)
	s.collections.sequence.Put(tx, sequenceName, last+1)
	return last + 1
}

// placed is an object of a list with what orders it: the moment it was made,
// and within one moment the number it was given.
type placed[T any] struct {
	at     time.Time
	number int64
	object T
}

// inOrder answers a page of the objects, sorted by createdAt
// (wire contract: order of collections lists).
func inOrder[T any](c *call, found []placed[T]) (reply, error) {
	slices.SortFunc(found, func(a, b placed[T]) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.number, b.number))
	})
	objects := make([]T, len(found))
	for i, p := range found {
		objects[i] = p.object
	}
	p := problems{}
	page, perPage := c.pageSize(p)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	return pageOf(c, objects, page, perPage), nil
}
