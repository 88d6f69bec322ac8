package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// controlPatience bounds how long a move of the clock waits for the deliveries
// that have come due; a longer one goes on by itself.
const controlPatience = 8 * time.Second

// The control listener's messages about collections.
type (
	// EventEmission is the body of POST /events, and with ID its answer.
	EventEmission struct {
		Event string          `json:"event"`
		Data  json.RawMessage `json:"data,omitempty"` // an object; nothing: an example
		ID    string          `json:"id,omitempty"`
	}
	// DeliveryState is a delivery with every attempt that was made of it.
	DeliveryState struct {
		ID         string            `json:"id"`
		EndpointID string            `json:"endpoint_id"`
		URL        string            `json:"url,omitempty"` // empty: the endpoint has been removed
		Event      string            `json:"event"`
		EventID    string            `json:"event_id"`
		CreatedAt  time.Time         `json:"created_at"`
		State      delivery.Delivery `json:"state"`
	}
	// KeyState is an API key as it is listed.
	KeyState struct {
		ID        string    `json:"id"`
		Prefix    string    `json:"prefix"`
		Name      string    `json:"name"`
		Scopes    []string  `json:"scopes"`
		Status    string    `json:"status"` // active, rotated, expired or revoked
		CreatedAt time.Time `json:"created_at"`
		LastUsed  time.Time `json:"last_used,omitzero"`
		Ends      time.Time `json:"ends,omitzero"` // its expiry, or the end of its grace
	}
)

// collectionsControl are the control listener's routes about collections.
func (s *Server) collectionsControl() map[string]func(r *http.Request) (any, error) {
	return map[string]func(r *http.Request) (any, error){
		"POST /events":    s.controlEmit,
		"GET /deliveries": s.controlDeliveries,
		"GET /audit":      func(*http.Request) (any, error) { return s.Audit(), nil },
		"GET /keys":       func(*http.Request) (any, error) { return s.keyStates(), nil },
	}
}

func (s *Server) controlEmit(r *http.Request) (any, error) {
	var wanted EventEmission
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	var data any
	if len(wanted.Data) > 0 {
		data = wanted.Data
	}
	id, err := s.Emit(wanted.Event, data)
	if err != nil {
		return nil, errValidation.with(err.Error())
	}
	wanted.ID = id
	return wanted, s.settleDeliveries(r.Context())
}

// settleDeliveries waits for what is due, for as long as whoever asks has
// patience.
func (s *Server) settleDeliveries(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, controlPatience)
	defer cancel()
	if err := s.WaitDeliveries(limited); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

func (s *Server) controlDeliveries(r *http.Request) (any, error) {
	query := r.URL.Query()
	is := func(name, value string) bool { return !query.Has(name) || query.Get(name) == value }
	found := []DeliveryState{}
	for _, d := range s.Deliveries() {
		if is("endpoint", d.EndpointID) && is("status", string(d.State.Status)) && is("event", d.Event) {
			found = append(found, d)
		}
	}
	return found, nil
}

// Deliveries answers every delivery there is, in the order they were made,
// those of endpoints that have been removed among them.
func (s *Server) Deliveries() []DeliveryState {
	var rows []deliveryRow
	states := []DeliveryState{}
	// The function given to View returns no error, so View returns none.
	_ = s.db.View(func(tx *store.Tx) error {
		for _, row := range s.collections.deliveries.All(tx) {
			rows = append(rows, row)
		}
		slices.SortFunc(rows, func(a, b deliveryRow) int { return cmp.Compare(a.Number, b.Number) })
		for _, row := range rows {
			endpoint, _ := s.collections.endpoints.Get(tx, row.EndpointID)
			states = append(states, DeliveryState{
				ID: row.ID, EndpointID: row.EndpointID, URL: endpoint.Endpoint.URL,
				Event: row.Event, EventID: row.EventID, CreatedAt: row.CreatedAt, State: row.State,
			})
		}
		return nil
	})
	return states
}

// keysInOrder answers the keys of all organizations as they were made.
func (s *Server) keysInOrder() []keyRow {
	var rows []keyRow
	_ = s.db.View(func(tx *store.Tx) error { // no error: see Deliveries
		for _, row := range s.collections.keys.All(tx) {
			rows = append(rows, row)
		}
		return nil
	})
	slices.SortFunc(rows, func(a, b keyRow) int { return cmp.Compare(a.Number, b.Number) })
	return rows
}

func (s *Server) keyStates() []KeyState {
	now := s.clock.Now()
	states := []KeyState{}
	for _, row := range s.keysInOrder() {
		state := KeyState{
			ID: row.Key.ID, Prefix: row.Key.KeyPrefix, Name: row.Key.Name, Scopes: row.Key.Scopes,
			Status: row.status(now), CreatedAt: row.Key.CreatedAt.Time,
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

func (r keyRow) status(now time.Time) string {
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
