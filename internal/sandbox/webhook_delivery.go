package sandbox

import (
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// inactiveEndpoint is the last error of a delivery that has nowhere to go.
const inactiveEndpoint = "the endpoint is inactive or has been removed"

// deliveryRow is a delivery as the tables keep it.
type deliveryRow struct {
	Organization string            `json:"organization"`
	ID           string            `json:"id"`
	Number       int64             `json:"number"`
	EndpointID   string            `json:"endpoint_id"`
	EventID      string            `json:"event_id"`
	Event        string            `json:"event"`
	CreatedAt    time.Time         `json:"created_at"`
	State        delivery.Delivery `json:"state"`
}

func (r deliveryRow) openKey() string {
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
	CreatedAt       instant           `json:"createdAt"`
	LastError       *string           `json:"lastError"`
	RequestHeaders  map[string]string `json:"requestHeaders"`
	RequestBody     *string           `json:"requestBody"`
	ResponseHeaders map[string]string `json:"responseHeaders"`
	ResponseBody    *string           `json:"responseBody"`
	DeliveredAt     *instant          `json:"deliveredAt"`
	NextRetryAt     *instant          `json:"nextRetryAt"`
}

// wire is the delivery as it is answered. A redelivery has forgotten the
// outcome of the attempts before it, and still knows what it sends.
func (r deliveryRow) wire() webhookDelivery {
	out := webhookDelivery{
		ID: r.ID, Event: r.Event, EventID: r.EventID, Status: r.State.Status, Attempts: r.State.Attempts,
		CreatedAt: instant{r.CreatedAt}, DeliveredAt: instantOf(r.State.DeliveredAt), NextRetryAt: instantOf(r.State.NextRetryAt()),
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

func instantOf(t *time.Time) *instant {
	if t == nil {
		return nil
	}
	return &instant{*t}
}

// listDeliveries serves webhook_deliveries.list.
func listDeliveries(c *call, tx *store.Tx) (reply, error) {
	endpoint, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	found := []placed[webhookDelivery]{}
	for _, row := range c.server.collections.deliveriesOf.All(tx, endpoint.Endpoint.ID) {
		if c.filter("status", func(want string) bool { return string(row.State.Status) == want }) &&
			c.filter("event", func(want string) bool { return row.Event == want }) {
			found = append(found, placed[webhookDelivery]{row.CreatedAt, row.Number, row.wire()})
		}
	}
	return inOrder(c, found)
}

// retryDelivery serves webhook_deliveries.retry: the attempts of a delivery
// start anew. It is refused on an inactive endpoint, and while the service
// itself has not given up the first attempt.
func retryDelivery(c *call, tx *store.Tx) (reply, error) {
	endpoint, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	row, ok := c.server.collections.deliveries.Get(tx, c.path["deliveryId"])
	if !ok || row.EndpointID != endpoint.Endpoint.ID {
		return reply{}, errNotFound
	}
	if err := c.readOptional(shape{}, &struct{}{}); err != nil {
		return reply{}, err
	}
	switch {
	case !endpoint.Endpoint.Active:
		return reply{}, errEndpointInactive
	case !row.State.Redeliverable():
		return reply{}, errDeliveryNotFailed
	}
	row.State = row.State.Restarted(c.now)
	c.server.collections.deliveries.Put(tx, row.ID, row)
	c.audit(tx, "webhook_deliveries.retry", row.ID)
	c.server.collections.pipeline.wake()
	return c.single(http.StatusAccepted, row.wire(), c.now), nil
}
