package collections

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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

// eventRow is an immutable event; every attempt sends Body unchanged.
type eventRow struct {
	Organization string    `json:"organization"`
	Name         string    `json:"name"`
	At           time.Time `json:"at"`
	Body         []byte    `json:"body"`
	Cause        string    `json:"cause,omitempty"`      // as in the audit trail
	RequestID    string    `json:"request_id,omitempty"` // of a request
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
	cause        string
	requestID    string
}

func (s *Service) storeEvent(tx *store.Tx, h happening) (string, error) {
	body, err := server.Encode(envelope{
		Event: h.name, Timestamp: server.Timestamp{Time: h.at}, OrganizationID: h.organization, Data: h.data,
	})
	if err != nil {
		return "", fmt.Errorf("encode event %s: %w", h.name, err)
	}
	id := s.Source.UUID()
	s.events.Put(tx, id, eventRow{Organization: h.organization, Name: h.name, At: h.at, Body: body,
		Cause: h.cause, RequestID: h.requestID})
	return id, nil
}

// Payload returns the body of an event's deliveries.
func (s *Service) Payload(tx *store.Tx, eventID string) []byte {
	event, _ := s.events.Get(tx, eventID)
	return event.Body
}

// publish stores an event and schedules a delivery to every active endpoint subscribed to it.
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

// schedule creates the delivery of an event to an endpoint. For an inactive endpoint, it is exhausted immediately.
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
	s.Deliveries.Put(tx, row.ID, row)
	// The pipeline waits for the tables' lock until this transaction ends.
	s.pipeline.wake()
	return row
}

// Emit publishes a business event of an organization and returns its id.
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
			cause: server.ByCommand,
		})
		return err
	})
	return id, err
}

// KnownEvents returns the names of documented and subscribed events, sorted. The documented list is incomplete.
func (s *Service) KnownEvents(tx *store.Tx) []string {
	names := []string{eventTest, eventKeyRotated, eventKeyStatusChanged, eventKeyRevoked, eventChargePaid}
	for _, row := range s.Endpoints.All(tx) {
		names = append(names, row.Endpoint.Events...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EmitTo sends a known event to one active endpoint, regardless of its subscriptions.
func (s *Service) EmitTo(endpoint, event string) error {
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Endpoints.Get(tx, endpoint)
		switch {
		case !ok:
			return server.ErrNotFound.With("There is no such endpoint.")
		case !row.Endpoint.Active:
			return errEndpointInactive
		case !slices.Contains(s.KnownEvents(tx), event):
			return server.ErrValidation.With("There is no such event.")
		}
		emitted := happening{organization: row.Organization, at: s.Clock.Now(), name: event, data: s.sample(event),
			cause: server.ByCommand}
		id, err := s.storeEvent(tx, emitted)
		if err == nil {
			s.schedule(tx, row, id, emitted)
		}
		return err
	})
}

// sample returns the data of an event emitted without any: of a documented one, about an object that does not exist.
// For a charge, only id and status are documented (service description, Collections §6).
func (s *Service) sample(event string) any {
	now := s.Clock.Now()
	at := func(days int) server.Timestamp { return server.Timestamp{Time: now.AddDate(0, 0, days)} }
	key := apiKey{ID: s.Source.UUID(), Name: "sample", KeyPrefix: "ck_sandbox_sample", Source: sourceAPI,
		Scopes: []string{"charges:read"}, CreatedAt: at(-90)} //nolint:mnd // days
	switch event {
	case eventChargePaid:
		return map[string]string{"id": key.ID, "status": "paid"}
	case eventKeyRotated:
		key.ExpiresAt = new(at(defaultGraceDays))
		return keyRotated{key, s.Source.UUID(), *key.ExpiresAt}
	case eventKeyRevoked, eventKeyStatusChanged:
		key.RevokedAt = new(at(0))
		if event == eventKeyStatusChanged {
			return keyChanged{key, "active", "revoked"}
		}
		return key
	}
	return struct{}{}
}

// subscribes reports whether the endpoint receives events of that name: an empty list means all, including future ones.
func (e webhookEndpoint) subscribes(event string) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, event)
}

// shownOnce are the response fields that contain credentials.
var shownOnce = []string{"secret", "token"}

// Loggable returns a request or response body for the log without credentials. In authentication, only the fields that
// responses return are kept, so that a misspelled field does not reveal one. Credentials that responses return once are
// masked. An invalid body is omitted.
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

// mask masks the credentials of an object and of the objects in data, and reports whether there were any.
func mask(object map[string]any) (found bool) {
	if given, ok := object["authentication"]; ok {
		object["authentication"], found = maskedAuthentication(given), true
	}
	for _, name := range shownOnce {
		if _, ok := object[name]; ok {
			object[name], found = server.Masked, true
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
		return server.Masked
	}
	for name := range fields {
		if name != "type" && name != "username" && name != "name" {
			fields[name] = server.Masked
		}
	}
	return fields
}

// inactiveEndpoint is the last error of a delivery without an active endpoint.
const inactiveEndpoint = "the endpoint is inactive or has been removed"

// DeliveryRow is a stored delivery.
type DeliveryRow struct {
	server.Owned
	ID         string            `json:"id"`
	Number     int64             `json:"number"`
	EndpointID string            `json:"endpoint_id"`
	EventID    string            `json:"event_id"`
	Event      string            `json:"event"`
	CreatedAt  time.Time         `json:"created_at"`
	State      delivery.Delivery `json:"state"`
}

func (r DeliveryRow) openKey() string {
	if r.State.Open() {
		return openKey
	}
	return ""
}

// webhookDelivery is a delivery as returned (wire contract: webhook_deliveries.list). The format of the two headers
// objects is the sandbox's own; as documented, sensitive headers are returned redacted.
type webhookDelivery struct {
	ID              string            `json:"id"`
	Event           string            `json:"event"`
	EventID         string            `json:"eventId"`
	Status          delivery.Status   `json:"status"`
	HTTPCode        *int              `json:"httpCode"`
	Attempts        int               `json:"attempts"`
	CreatedAt       server.Timestamp  `json:"createdAt"`
	LastError       *string           `json:"lastError"`
	RequestHeaders  map[string]string `json:"requestHeaders"`
	RequestBody     *string           `json:"requestBody"`
	ResponseHeaders map[string]string `json:"responseHeaders"`
	ResponseBody    *string           `json:"responseBody"`
	DeliveredAt     *server.Timestamp `json:"deliveredAt"`
	NextRetryAt     *server.Timestamp `json:"nextRetryAt"`
}

// Shown returns a delivery as in lists, without headers and without its error, which may contain the query of an
// address.
func (r DeliveryRow) Shown() any {
	shown := r.wire()
	shown.LastError, shown.RequestHeaders, shown.ResponseHeaders = nil, nil, nil
	return shown
}

// wire returns the delivery in wire format, without the signature. A redelivery omits the results of earlier attempts,
// but keeps the request.
func (r DeliveryRow) wire() webhookDelivery {
	out := webhookDelivery{
		ID: r.ID, Event: r.Event, EventID: r.EventID, Status: r.State.Status, Attempts: r.State.Attempts,
		CreatedAt: server.Timestamp{Time: r.CreatedAt}, DeliveredAt: timestampOf(r.State.DeliveredAt),
		NextRetryAt: timestampOf(r.State.NextRetryAt()),
	}
	if r.State.LastError != "" {
		out.LastError = &r.State.LastError
	}
	if sent := len(r.State.Trail); sent > 0 {
		out.RequestBody = &r.State.Trail[sent-1].RequestBody
	}
	if last, ok := r.State.Last(); ok {
		out.RequestHeaders, out.ResponseHeaders = maps.Clone(last.RequestHeaders), last.ResponseHeaders
		out.RequestHeaders[delivery.SignatureHeader] = delivery.Redacted
		if last.HTTPCode != 0 {
			out.HTTPCode, out.ResponseBody = &last.HTTPCode, &last.ResponseBody
		}
	}
	return out
}

func timestampOf(t *time.Time) *server.Timestamp {
	if t == nil {
		return nil
	}
	return &server.Timestamp{Time: *t}
}

var deliveryFilters = []string{"status", "event"}

// listDeliveries serves webhook_deliveries.list in order of creation.
func (s *Service) listDeliveries(c *server.Call, tx *store.Tx, endpoint EndpointRow) (server.Reply, error) {
	return server.Kind[DeliveryRow, webhookDelivery]{
		Show:   func(_ *server.Call, _ *store.Tx, r DeliveryRow) webhookDelivery { return r.wire() },
		Order:  func(a, b DeliveryRow) int { return inOrder(a.CreatedAt, b.CreatedAt, a.Number, b.Number) },
		Fields: deliveryFilters,
	}.ListOf(c, tx, s.DeliveriesOf.All(tx, endpoint.Endpoint.ID))
}

func (s *Service) findDelivery(c *server.Call, tx *store.Tx) (DeliveryRow, error) {
	endpoint, err := s.endpoints().Find(c, tx)
	if err != nil {
		return DeliveryRow{}, err
	}
	row, ok := s.Deliveries.Get(tx, c.Path["deliveryId"])
	if !ok || row.EndpointID != endpoint.Endpoint.ID {
		return DeliveryRow{}, server.ErrNotFound
	}
	return row, nil
}

// retryDelivery serves webhook_deliveries.retry.
func (s *Service) retryDelivery(c *server.Call, tx *store.Tx, row DeliveryRow) (server.Reply, error) {
	if err := s.restart(tx, &row, c.Audited("delivery", row.ID, row.Event)); err != nil {
		return server.Reply{}, err
	}
	return c.Single(http.StatusAccepted, row.wire(), c.Now), nil
}

// restart begins a new cycle of attempts, at the time of the audit entry.
func (s *Service) restart(tx *store.Tx, row *DeliveryRow, e server.AuditEntry) error {
	endpoint, _ := s.Endpoints.Get(tx, row.EndpointID)
	switch {
	case !endpoint.Endpoint.Active:
		return errEndpointInactive
	case !row.State.Redeliverable():
		return errDeliveryNotFailed
	}
	before := row.State.Status
	row.State = row.State.Restarted(e.Time)
	s.Deliveries.Put(tx, row.ID, *row)
	s.Audit(tx, e.Moved(string(before), string(row.State.Status)))
	s.pipeline.wake()
	return nil
}

// Resend does what webhook_deliveries.retry does, and says what to do where that is not possible.
func (s *Service) Resend(id string) error {
	return s.DB.Update(func(tx *store.Tx) error {
		row, err := s.deliveryOf(tx, id)
		if err != nil {
			return err
		}
		if _, there := s.Endpoints.Get(tx, row.EndpointID); !there {
			return errEndpointInactive.With("The endpoint of this delivery has been removed, so nothing can be sent to it. " +
				"Create an endpoint, and emit the event again.")
		}
		err = s.restart(tx, &row, server.AuditEntry{Time: s.Clock.Now(), Organization: row.Organization,
			Cause: server.ByCommand, Action: "deliveries resend", Type: "delivery", ID: row.ID, Name: row.Event})
		switch {
		case errors.Is(err, errEndpointInactive):
			return errEndpointInactive.With("The endpoint of this delivery is inactive. Activate it first.")
		case errors.Is(err, errDeliveryNotFailed):
			return errDeliveryNotFailed.With("The status of this delivery is " + string(row.State.Status) + ": only a failed " +
				"or exhausted one can be sent again. Emit the event again for a new delivery.")
		}
		return err
	})
}

// DeliveryState is a delivery with all its attempts.
type DeliveryState struct {
	ID         string            `json:"id"`
	EndpointID string            `json:"endpoint_id"`
	URL        string            `json:"url,omitempty"` // of a removed endpoint, its last one
	Removed    bool              `json:"removed,omitempty"`
	Event      string            `json:"event"`
	EventID    string            `json:"event_id"`
	ObjectID   string            `json:"object_id,omitempty"` // that the event is about
	CreatedAt  time.Time         `json:"created_at"`
	Cause      string            `json:"cause,omitempty"`      // of the event: request, clock or command
	RequestID  string            `json:"request_id,omitempty"` // of a request that caused it
	State      delivery.Delivery `json:"state"`
	// Lists leave out the following. Payload is the body as it is sent.
	Payload string `json:"payload,omitempty"`
	// SecretHint is enough of the secret that signs to recognize it, SecretRotated whether it is another one than that of
	// the last attempt.
	SecretHint    string `json:"secret_hint,omitempty"`
	SecretRotated bool   `json:"secret_rotated,omitempty"`
}

// objectID returns the id of the object that an event is about.
func (s *Service) objectID(tx *store.Tx, eventID string) string {
	var event struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	_ = json.Unmarshal(s.Payload(tx, eventID), &event) // the data of an emitted event can be anything
	return event.Data.ID
}

// DeliveryStates returns all deliveries in order of creation.
func (s *Service) DeliveryStates() []DeliveryState {
	return store.Read(s.DB, func(tx *store.Tx) []DeliveryState {
		states := []DeliveryState{}
		inOrder := func(a, b DeliveryRow) int { return cmp.Compare(a.Number, b.Number) }
		for _, row := range store.Sorted(s.Deliveries.All(tx), inOrder) {
			states = append(states, s.StateOf(tx, row))
		}
		return states
	})
}

// StateOf returns a delivery without its payload.
func (s *Service) StateOf(tx *store.Tx, row DeliveryRow) DeliveryState {
	endpoint, removed := s.EndpointOf(tx, row.EndpointID)
	event, _ := s.events.Get(tx, row.EventID)
	return DeliveryState{
		ID: row.ID, EndpointID: row.EndpointID, URL: endpoint.Endpoint.URL, Removed: removed,
		Event: row.Event, EventID: row.EventID, ObjectID: s.objectID(tx, row.EventID), CreatedAt: row.CreatedAt,
		Cause: event.Cause, RequestID: event.RequestID, State: row.State,
	}
}

// deliveryOf returns a delivery by its id, or by that of its event if this has only one.
func (s *Service) deliveryOf(tx *store.Tx, id string) (DeliveryRow, error) {
	if row, ok := s.Deliveries.Get(tx, id); ok {
		return row, nil
	}
	var ids []string
	var found DeliveryRow
	for _, row := range s.Deliveries.All(tx) {
		if row.EventID == id {
			ids, found = append(ids, row.ID), row
		}
	}
	switch len(ids) {
	case 0:
		return found, errNoDelivery
	case 1:
		return found, nil
	}
	slices.Sort(ids)
	return found, server.ErrValidation.With("This event has several deliveries: give the id of one, " +
		strings.Join(ids, " or ") + ".")
}

// DeliveryState returns a delivery, named by its id or that of its event, with its payload.
func (s *Service) DeliveryState(id string) (found DeliveryState, err error) {
	err = s.DB.View(func(tx *store.Tx) error {
		row, err := s.deliveryOf(tx, id)
		if err != nil {
			return err
		}
		found = s.StateOf(tx, row)
		payload := s.Payload(tx, row.EventID)
		found.Payload = string(payload)
		endpoint, _ := s.EndpointOf(tx, row.EndpointID)
		found.SecretHint = hint(endpoint.Secret)
		if last := len(row.State.Trail) - 1; last >= 0 {
			attempt := row.State.Trail[last]
			found.SecretRotated = delivery.Signature(endpoint.Secret, attempt.At, payload) !=
				attempt.RequestHeaders[delivery.SignatureHeader]
		}
		return nil
	})
	return found, err
}

// hint is enough of a secret to recognize it; empty for a short one.
func hint(secret string) string {
	const head, tail, least = 10, 4, 32
	if len(secret) < least {
		return ""
	}
	return secret[:head] + "…" + secret[len(secret)-tail:]
}
