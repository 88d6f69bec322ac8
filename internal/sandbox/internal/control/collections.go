package control

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// controlPatience bounds how long a move of the clock waits for the deliveries
// that have come due; a longer one continues without it.
const controlPatience = 8 * time.Second

// EventEmission is the body of POST /events, and with ID its response.
type EventEmission struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"` // an object; nothing: an example
	ID    string          `json:"id,omitempty"`
	// Unlisted lets an event happen that is not documented and that no endpoint is subscribed to by name.
	Unlisted bool `json:"unlisted,omitempty"`
}

// collectionsControl are the control listener's routes about collections.
func (s *Control) collectionsControl() map[string]func(r *http.Request) (any, error) {
	return map[string]func(r *http.Request) (any, error){
		"POST /events":    s.controlEmit,
		"GET /deliveries": s.controlDeliveries,
		"GET /keys":       func(*http.Request) (any, error) { return s.collections.KeyStates(), nil },
	}
}

func (s *Control) controlEmit(r *http.Request) (any, error) {
	var wanted EventEmission
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if known := s.collections.KnownEvents(); !wanted.Unlisted && !slices.Contains(known, wanted.Event) {
		return nil, server.ErrValidation.With("There is no event " + quote(wanted.Event) + meant(wanted.Event, known) +
			" Known are " + strings.Join(known, ", ") + ". Use --unlisted to emit it anyway.")
	}
	var data any
	if len(wanted.Data) > 0 {
		data = wanted.Data
	}
	id, err := s.collections.Emit(s.Bootstrap.Organization, wanted.Event, data)
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	wanted.ID = id
	return wanted, s.settleDeliveries(r.Context())
}

// settleDeliveries waits for what is due, at most as long as the caller waits.
func (s *Control) settleDeliveries(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, controlPatience)
	defer cancel()
	if err := s.collections.WaitDeliveries(limited); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

func (s *Control) controlDeliveries(r *http.Request) (any, error) {
	query := r.URL.Query()
	is := func(name, value string) bool { return !query.Has(name) || query.Get(name) == value }
	found := []collections.DeliveryState{}
	for _, d := range s.collections.DeliveryStates() {
		if is("endpoint", d.EndpointID) && is("status", string(d.State.Status)) && is("event", d.Event) {
			found = append(found, d)
		}
	}
	return found, nil
}
