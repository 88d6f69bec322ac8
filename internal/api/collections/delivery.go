package collections

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// The statuses of a delivery that failed (service description, Collections §3).
const (
	deliveryFailed    = "failed"
	deliveryExhausted = "exhausted"
)

// unsorted requests no order, because this service cannot sort lists (wire contract: behaviour).
const unsorted = "-"

// Delivery is the record of one event sent to one endpoint (service description,
// Collections §2; wire contract: webhook_deliveries.list). Sensitive headers in
// it are redacted by the service. A nil pointer is null or absent.
type Delivery struct {
	ID          string  `json:"id"`
	Event       string  `json:"event"`   // the event's name
	EventID     string  `json:"eventId"` // the same for every delivery of the event
	Status      string  `json:"status"`  // pending, success, failed, exhausted
	HTTPCode    *int64  `json:"httpCode"`
	Attempts    int64   `json:"attempts"`
	CreatedAt   string  `json:"createdAt"`
	LastError   *string `json:"lastError"`
	DeliveredAt *string `json:"deliveredAt"`
	NextRetryAt *string `json:"nextRetryAt"` // an estimate

	// The bodies as sent and returned. A body that the service returns as a JSON value instead of a string is its JSON
	// text here.
	RequestBody  *string `json:"requestBody"`
	ResponseBody *string `json:"responseBody"`
}

// UnmarshalJSON decodes a delivery, with bodies of any kind.
func (d *Delivery) UnmarshalJSON(data []byte) error {
	type plain Delivery
	read := struct {
		*plain
		RequestBody  json.RawMessage `json:"requestBody"`
		ResponseBody json.RawMessage `json:"responseBody"`
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	d.RequestBody, d.ResponseBody = bodyText(read.RequestBody), bodyText(read.ResponseBody)
	return nil
}

// bodyText returns the text of a string, nil for null, and otherwise the compact JSON.
func bodyText(raw json.RawMessage) *string {
	var body *string
	if len(raw) == 0 || json.Unmarshal(raw, &body) == nil {
		return body
	}
	var short bytes.Buffer
	if json.Compact(&short, raw) != nil {
		return nil // cannot happen: the decoder has checked it
	}
	return new(short.String())
}

// Check rejects a response without required fields, such as the id.
func (d *Delivery) Check() error { return api.Present("delivery with an id", d.ID) }

func (d *Delivery) failed() bool {
	return d.Status == deliveryFailed || d.Status == deliveryExhausted
}

// DeliveryQuery filters the deliveries of an endpoint. Only EndpointID is required; empty fields are not sent.
type DeliveryQuery struct {
	EndpointID string
	Status     string
	Event      string // the event's name
	// NewestFirst lists from the end: a consumer that stops early reads only the first page and the last ones.
	NewestFirst bool
}

func (q DeliveryQuery) matches(d Delivery) bool {
	return (q.Status == "" || q.Status == d.Status) && (q.Event == "" || q.Event == d.Event)
}

// ListDeliveries lists the matching deliveries of an endpoint (wire contract: webhook_deliveries.list), in the order of
// their creation or newest first. Each filter is applied again to every item, because a service may ignore it.
func (s *Service) ListDeliveries(ctx context.Context, q DeliveryQuery) iter.Seq2[Delivery, error] {
	query := url.Values{}
	if q.Status != "" {
		query.Set("status", q.Status)
	}
	if q.Event != "" {
		query.Set("event", q.Event)
	}
	list := api.List[Delivery]
	if q.NewestFirst {
		list = api.ListBackward[Delivery]
	}
	all := list(ctx, s.client, api.Request{
		Operation: "webhook_deliveries.list", Path: map[string]string{"id": q.EndpointID}, Query: query,
	}, api.ListOptions[Delivery]{
		ID:     func(d Delivery) string { return d.ID },
		SortBy: unsorted,
	})
	return api.Only(all, q.matches)
}

// RetryDelivery resends a failed or exhausted delivery (wire contract: webhook_deliveries.retry). For an inactive
// endpoint, the service responds with status 409 and code ENDPOINT_INACTIVE.
//
// If the response is lost, the delivery is read; one that is not final is the result. If the outcome stays unknown, the
// error is an *api.AmbiguousError.
func (s *Service) RetryDelivery(ctx context.Context, endpointID, deliveryID string) (*Delivery, error) {
	request := api.Request{
		Operation: "webhook_deliveries.retry", Path: map[string]string{"id": endpointID, "deliveryId": deliveryID},
	}
	return api.Change(ctx, s.client, api.Transition[*Delivery]{
		Send:     func(ctx context.Context) (*Delivery, error) { return api.Object[Delivery](ctx, s.client, request) },
		Look:     func(ctx context.Context) (*Delivery, error) { return s.delivery(ctx, endpointID, deliveryID) },
		Done:     func(d *Delivery) bool { return !d.failed() },
		Counts:   true,
		Describe: fmt.Sprintf("redelivery of %q", deliveryID),
	})
}

// delivery finds a delivery in the list, because the service has no operation to read one.
func (s *Service) delivery(ctx context.Context, endpointID, id string) (*Delivery, error) {
	for delivery, err := range s.ListDeliveries(ctx, DeliveryQuery{EndpointID: endpointID}) {
		if err != nil {
			return nil, err
		}
		if same.ID(id, delivery.ID) {
			return &delivery, nil
		}
	}
	return nil, fmt.Errorf("the webhook endpoint %q has no delivery %q", endpointID, id)
}
