package collections

import (
	"cmp"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// inactiveEndpoint is the last error of a delivery that has nowhere to go.
const inactiveEndpoint = "the endpoint is inactive or has been removed"

// DeliveryRow is a delivery as the tables keep it.
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

// webhookDelivery is a delivery on the wire (wire contract:
// webhook_deliveries.list). The two objects of headers are the sandbox's own
// way to show what is documented: sensitive ones stored and shown redacted.
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

// wire is the delivery as it is returned. A redelivery does not show the
// outcome of the attempts before it, and still knows what it sends.
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
		out.RequestHeaders, out.ResponseHeaders = last.RequestHeaders, last.ResponseHeaders
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

// listDeliveries serves webhook_deliveries.list, in the order in which they were made.
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
	row, ok := s.deliveries.Get(tx, c.Path["deliveryId"])
	if !ok || row.EndpointID != endpoint.Endpoint.ID {
		return DeliveryRow{}, server.ErrNotFound
	}
	return row, nil
}

// retryDelivery serves webhook_deliveries.retry: the attempts of a delivery
// start again. It is rejected on an inactive endpoint, and while the service
// itself has not given up the first attempt.
func (s *Service) retryDelivery(c *server.Call, tx *store.Tx, row DeliveryRow) (server.Reply, error) {
	endpoint, _ := s.Endpoints.Get(tx, row.EndpointID)
	switch {
	case !endpoint.Endpoint.Active:
		return server.Reply{}, errEndpointInactive
	case !row.State.Redeliverable():
		return server.Reply{}, errDeliveryNotFailed
	}
	row.State = row.State.Restarted(c.Now)
	s.deliveries.Put(tx, row.ID, row)
	s.pipeline.wake()
	return c.Single(http.StatusAccepted, row.wire(), c.Now), nil
}

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

// DeliveryStates returns every delivery there is, in the order they were made,
// those of endpoints that have been removed among them.
func (s *Service) DeliveryStates() []DeliveryState {
	return store.Read(s.DB, func(tx *store.Tx) []DeliveryState {
		states := []DeliveryState{}
		inOrder := func(a, b DeliveryRow) int { return cmp.Compare(a.Number, b.Number) }
		for _, row := range store.Sorted(s.deliveries.All(tx), inOrder) {
			endpoint, _ := s.Endpoints.Get(tx, row.EndpointID)
			states = append(states, DeliveryState{
				ID: row.ID, EndpointID: row.EndpointID, URL: endpoint.Endpoint.URL,
				Event: row.Event, EventID: row.EventID, CreatedAt: row.CreatedAt, State: row.State,
			})
		}
		return states
	})
}
