package collections

import (
	"cmp"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// DeliveryState is a delivery with every attempt that was made of it.
type DeliveryState struct {
	ID         string            `json:"id"`
	EndpointID string            `json:"endpoint_id"`
	URL        string            `json:"url,omitempty"` // empty: the endpoint has been removed
	Event      string            `json:"event"`
	EventID    string            `json:"event_id"`
	CreatedAt  time.Time         `json:"created_at"`
	State      delivery.Delivery `json:"state"`
}

// KeyState is an API key as it is listed.
type KeyState struct {
	ID        string    `json:"id"`
	Prefix    string    `json:"prefix"`
	Name      string    `json:"name"`
	Scopes    []string  `json:"scopes"`
	Status    string    `json:"status"` // active, rotated, expired or revoked
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used,omitzero"`
	Ends      time.Time `json:"ends,omitzero"` // its expiry, or the end of its grace period
}

// DeliveryStates returns every delivery there is, in the order they were made,
// those of endpoints that have been removed among them.
func (s *Service) DeliveryStates() []DeliveryState {
	var rows []DeliveryRow
	states := []DeliveryState{}
	// The function given to View returns no error, so View returns none.
	_ = s.DB.View(func(tx *store.Tx) error {
		for _, row := range s.deliveries.All(tx) {
			rows = append(rows, row)
		}
		slices.SortFunc(rows, func(a, b DeliveryRow) int { return cmp.Compare(a.Number, b.Number) })
		for _, row := range rows {
			endpoint, _ := s.Endpoints.Get(tx, row.EndpointID)
			states = append(states, DeliveryState{
				ID: row.ID, EndpointID: row.EndpointID, URL: endpoint.Endpoint.URL,
				Event: row.Event, EventID: row.EventID, CreatedAt: row.CreatedAt, State: row.State,
			})
		}
		return nil
	})
	return states
}

// keysInOrder returns the keys of all organizations as they were made.
func (s *Service) keysInOrder() []KeyRow {
	var rows []KeyRow
	_ = s.DB.View(func(tx *store.Tx) error { // no error: see deliveryStates
		for _, row := range s.Keys.All(tx) {
			rows = append(rows, row)
		}
		return nil
	})
	slices.SortFunc(rows, func(a, b KeyRow) int { return cmp.Compare(a.Number, b.Number) })
	return rows
}

// KeyStates returns the keys of all organizations, in the order they were made.
func (s *Service) KeyStates() []KeyState {
	now := s.Clock.Now()
	states := []KeyState{}
	for _, row := range s.keysInOrder() {
		state := KeyState{
			ID: row.Key.ID, Prefix: row.Key.KeyPrefix, Name: row.Key.Name, Scopes: row.Key.Scopes,
			Status: row.Status(now), CreatedAt: row.Key.CreatedAt.Time,
		}
		if row.Key.LastUsedAt != nil {
			state.LastUsed = row.Key.LastUsedAt.Time
		}
		if row.Key.ExpiresAt != nil {
			state.Ends = row.Key.ExpiresAt.Time
		}
		states = append(states, state)
	}
	return states
}

// Status is active, rotated, expired or revoked.
func (r KeyRow) Status(now time.Time) string {
	switch {
	case r.Key.RevokedAt != nil:
		return "revoked"
	case r.expired(now):
		return "expired"
	case r.SuccessorID != "":
		return "rotated"
	default:
		return "active"
	}
}
