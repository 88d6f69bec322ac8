package webhookendpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
)

// Statuses of a delivery (service description, Collections §3). After the first failure the service tries again for
// hours, which nobody waits for here.
const (
	deliverySuccess   = "success"
	deliveryFailed    = "failed"
	deliveryExhausted = "exhausted"
)

// How a delivery is followed: the service gives an attempt 10 seconds (Collections §8), so the first outcome is there
// soon after.
const (
	followFor   = 20 * time.Second
	followEvery = 500 * time.Millisecond
)

// testEvent is the name of a test event (service description, Collections §6).
const testEvent = "webhook.test"

var (
	errNotNamed = errors.New("the service named neither the event nor its delivery, so it cannot be followed; the " +
		"data source billing_webhook_deliveries lists it")
	errNoOutcome = fmt.Errorf("the delivery was not attempted within %s", followFor)
)

// follow reads the delivery of a test event until its first attempt has an outcome. It ends in errNoOutcome when there
// is none in time.
func follow(ctx context.Context, client *collections.Service, endpointID string,
	event collections.TestEvent) (*collections.Delivery, error) {
	if event.DeliveryID == "" && event.EventID == "" {
		return nil, errNotNamed
	}
	return await(ctx, func(ctx context.Context) (*collections.Delivery, error) {
		return attempted(ctx, client, endpointID, event)
	})
}

// await looks until there is a delivery, or the time is over.
func await(ctx context.Context, look func(context.Context) (*collections.Delivery, error)) (*collections.Delivery,
	error) {
	ctx, cancel := context.WithTimeoutCause(ctx, followFor, errNoOutcome)
	defer cancel()
	for {
		delivery, err := look(ctx)
		if delivery != nil {
			return delivery, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		timer := time.NewTimer(followEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// attempted returns the delivery of a test event once its first attempt is over, else nil.
func attempted(ctx context.Context, client *collections.Service, endpointID string,
	event collections.TestEvent) (*collections.Delivery, error) {
	for delivery, err := range client.ListDeliveries(ctx, collections.DeliveryQuery{EndpointID: endpointID,
		Event: testEvent}) {
		if err != nil {
			return nil, err
		}
		meant := delivery.ID == event.DeliveryID || event.DeliveryID == "" && delivery.EventID == event.EventID
		if meant && (delivery.Status == deliverySuccess || undelivered(delivery)) {
			return &delivery, nil
		}
	}
	return nil, nil
}

// undelivered reports whether a delivery can be sent again.
func undelivered(d collections.Delivery) bool {
	return d.Status == deliveryFailed || d.Status == deliveryExhausted
}

// outcome describes how a delivery went.
func outcome(d *collections.Delivery) string {
	text := fmt.Sprintf("Delivery %s is %s. Attempts: %d.", d.ID, d.Status, d.Attempts)
	if d.HTTPCode != nil {
		text += fmt.Sprintf(" Last HTTP status: %d.", *d.HTTPCode)
	}
	if d.LastError != nil && *d.LastError != "" {
		text += " Last error: " + *d.LastError + "."
	}
	if d.NextRetryAt != nil {
		text += " Next attempt: about " + *d.NextRetryAt + "."
	}
	return text + consumerResponse(d)
}

// consumerResponse quotes the response of the consumer; the service has hidden secrets in it.
func consumerResponse(d *collections.Delivery) string {
	const longest = 300
	if d.ResponseBody == nil || *d.ResponseBody == "" {
		return ""
	}
	text := []rune(*d.ResponseBody)
	if len(text) > longest {
		text = append(text[:longest:longest], '…')
	}
	return " Response: " + string(text)
}
