package collections

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Events that the sandbox creates automatically
// (service description, Collections §6).
const (
	eventTest             = "webhook.test"
	eventKeyRotated       = "api_key.rotated"
	eventKeyStatusChanged = "api_key.status_changed"
	eventKeyRevoked       = "api_key.revoked"
	eventChargePaid       = "charge.paid"
)

// eventRow is an event as it happened. It is written once and never changed;
// every attempt sends Body unchanged.
type eventRow struct {
	Organization string    `json:"organization"`
	Name         string    `json:"name"`
	At           time.Time `json:"at"`
	Body         []byte    `json:"body"`
}

// envelope is the body of every delivery
// (service description, Collections §2 Event envelope).
type envelope struct {
	Event          string           `json:"event"`
	Timestamp      server.Timestamp `json:"timestamp"`
	OrganizationID string           `json:"organizationId"`
	Data           any              `json:"data"`
}

type happening struct {
	organization string
	at           time.Time
	name         string
	data         any
}

func (s *Service) storeEvent(tx *store.Tx, h happening) (string, error) {
	body, err := server.Encode(envelope{
		Event: h.name, Timestamp: server.Timestamp{Time: h.at}, OrganizationID: h.organization, Data: h.data,
	})
	if err != nil {
		return "", fmt.Errorf("encode event %s: %w", h.name, err)
	}
	id := s.Source.UUID()
	s.events.Put(tx, id, eventRow{Organization: h.organization, Name: h.name, At: h.at, Body: body})
	return id, nil
}

// publish stores an event and schedules a delivery to every active endpoint
// that is subscribed to it.
func (s *Service) publish(tx *store.Tx, h happening) (id string, err error) {
	if id, err = s.storeEvent(tx, h); err != nil {
		return "", err
	}
	inOrder := func(a, b EndpointRow) int { return cmp.Compare(a.Number, b.Number) }
	for _, row := range store.Sorted(s.Endpoints.All(tx), inOrder) {
		if row.Organization == h.organization && row.Endpoint.Active && row.Endpoint.subscribes(h.name) {
			s.schedule(tx, row, id, h)
		}
	}
	return id, nil
}

// schedule makes the delivery of an event to an endpoint. One to an inactive
// endpoint is exhausted from the start.
func (s *Service) schedule(tx *store.Tx, to EndpointRow, eventID string, h happening) DeliveryRow {
	row := DeliveryRow{
		Owned:      server.Owned{Organization: h.organization},
		ID:         s.Source.UUID(),
		Number:     s.Next(tx),
		EndpointID: to.Endpoint.ID,
		EventID:    eventID,
		Event:      h.name,
		CreatedAt:  h.at,
		State:      delivery.New(h.at),
	}
	if !to.Endpoint.Active {
		row.State = row.State.GivenUp(inactiveEndpoint)
	}
	s.deliveries.Put(tx, row.ID, row)
	// The pipeline looks once this transaction has ended: until then it waits
	// for the tables.
	s.pipeline.wake()
	return row
}

// Emit makes a business event of an organization happen, such as
// charge.paid, and returns its id. Data is the resource, which must encode as a
// JSON object; nil means an empty one, and for charge.paid for a charge
// with an id and a status. The deliveries are on their way when emit
// returns; waitDeliveries waits for them.
func (s *Service) Emit(organization, event string, data any) (id string, err error) {
	if event == "" {
		return "", errors.New("emit an event: it has no name")
	}
	if data == nil {
		data = s.sample(event)
	}
	document, err := server.Encode(data)
	if err != nil {
		return "", fmt.Errorf("emit %s: %w", event, err)
	}
	if _, err := server.ReadObject(document); err != nil {
		return "", fmt.Errorf("emit %s: data must be a JSON object", event)
	}
	err = s.DB.Update(func(tx *store.Tx) error {
		id, err = s.publish(tx, happening{
			organization: organization, at: s.Clock.Now(), name: event, data: json.RawMessage(document),
		})
		return err
	})
	return id, err
}

// KnownEvents are the names of the documented events and of those that an endpoint is subscribed to, sorted. The
// documentation's list is not complete.
func (s *Service) KnownEvents() []string {
	names := []string{eventTest, eventKeyRotated, eventKeyStatusChanged, eventKeyRevoked, eventChargePaid}
	return store.Read(s.DB, func(tx *store.Tx) []string {
		for _, row := range s.Endpoints.All(tx) {
			names = append(names, row.Endpoint.Events...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	})
}

// sample is the data of an event that was emitted without any. Of a charge, id
// and status are documented (service description, Collections §6).
func (s *Service) sample(event string) any {
	if event == eventChargePaid {
		return map[string]string{"id": s.Source.UUID(), "status": "paid"}
	}
	return struct{}{}
}

// subscribes reports whether events of that name are wanted: an empty list wants
// all, future ones too.
func (e webhookEndpoint) subscribes(event string) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, event)
}

// maskedField is in the request log where a credential was.
const maskedField = "[REDACTED]"

// shownOnce are the fields of a response that hold a credential.
var shownOnce = []string{"secret", "token"}

// Loggable is the body of a request or a response as the log may keep it. Bodies carry credentials in authentication:
// of that object only what comes back in responses is kept, so that a misspelt field does not reveal one. Responses
// carry the credentials that are shown once. A body that cannot be read is not kept at all.
func Loggable(body []byte) []byte {
	if len(body) == 0 {
		return body
	}
	value, err := server.Decode(body)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	if !mask(object) {
		return body
	}
	masked, err := server.Encode(object)
	if err != nil {
		return nil
	}
	return masked
}

// mask hides the credentials of an object, and of the objects in data, and reports whether there were any.
func mask(object map[string]any) (found bool) {
	if given, ok := object["authentication"]; ok {
		object["authentication"], found = maskedAuthentication(given), true
	}
	for _, name := range shownOnce {
		if _, ok := object[name]; ok {
			object[name], found = maskedField, true
		}
	}
	switch data := object["data"].(type) {
	case map[string]any:
		return mask(data) || found
	case []any:
		for _, element := range data {
			if inner, ok := element.(map[string]any); ok && mask(inner) {
				found = true
			}
		}
	}
	return found
}

func maskedAuthentication(given any) any {
	fields, ok := given.(map[string]any)
	if !ok {
		return maskedField
	}
	for name := range fields {
		if name != "type" && name != "username" && name != "name" {
			fields[name] = maskedField
		}
	}
	return fields
}
