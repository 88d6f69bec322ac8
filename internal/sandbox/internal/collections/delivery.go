package collections

import (
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
	Organization string            `json:"organization"`
	ID           string            `json:"id"`
	Number       int64             `json:"number"`
	EndpointID   string            `json:"endpoint_id"`
	EventID      string            `json:"event_id"`
	Event        string            `json:"event"`
	CreatedAt    time.Time         `json:"created_at"`
	State        delivery.Delivery `json:"state"`
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

// listDeliveries serves webhook_deliveries.list.
func (s *Service) listDeliveries(c *server.Call, tx *store.Tx) (server.Reply, error) {
	endpoint, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	found := []placed[webhookDelivery]{}
	for _, row := range s.DeliveriesOf.All(tx, endpoint.Endpoint.ID) {
		if c.Filter("status", func(want string) bool { return string(row.State.Status) == want }) &&
			c.Filter("event", func(want string) bool { return row.Event == want }) {
			found = append(found, placed[webhookDelivery]{row.CreatedAt, row.Number, row.wire()})
		}
	}
	return inOrder(c, found)
}

// retryDelivery serves webhook_deliveries.retry: the attempts of a delivery
// start again. It is rejected on an inactive endpoint, and while the service
// itself has not given up the first attempt.
func (s *Service) retryDelivery(c *server.Call, tx *store.Tx) (server.Reply, error) {
	endpoint, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	row, ok := s.deliveries.Get(tx, c.Path["deliveryId"])
	if !ok || row.EndpointID != endpoint.Endpoint.ID {
		return server.Reply{}, server.ErrNotFound
	}
	if err := c.ReadOptional(server.Shape{}, &struct{}{}); err != nil {
		return server.Reply{}, err
	}
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
