package webhookendpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// Statuses of a delivery (service description, Collections §3). After the first failure the service tries again for hours, which nobody
// waits for here.
const (
	deliverySuccess   = "success"
	deliveryFailed    = "failed"
	deliveryExhausted = "exhausted"
)

// How a delivery is followed: the service gives an attempt 10 seconds (Collections §8), so the first outcome is there soon after.
const (
	followFor   = 20 * time.Second
	followEvery = 500 * time.Millisecond
)

// follow reads a delivery until its first attempt has an outcome, and answers nil when it has none in time.
func follow(ctx context.Context, client *collections.Service, endpointID, deliveryID string) (*collections.Delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, followFor)
	defer cancel()
	for {
		for delivery, err := range client.ListDeliveries(ctx, collections.DeliveryQuery{EndpointID: endpointID}) {
			if err != nil {
				if ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded {
					return nil, nil
				}
				return nil, err
			}
			if delivery.ID != deliveryID {
				continue
			}
			if delivery.Status == deliverySuccess || delivery.Status == deliveryFailed || delivery.Status == deliveryExhausted {
				return &delivery, nil
			}
			break
		}
		timer := time.NewTimer(followEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if context.Cause(ctx) == context.DeadlineExceeded {
				return nil, nil
			}
			return nil, ctx.Err()
		}
	}
}

// outcome words how a delivery went.
func outcome(d *collections.Delivery) string {
	text := fmt.Sprintf("delivery %s is %s after %d attempt(s)", d.ID, d.Status, d.Attempts)
	if d.HTTPCode != nil {
		text += fmt.Sprintf(", last answer %d", *d.HTTPCode)
	}
	if d.LastError != nil && *d.LastError != "" {
		text += ", last error: " + *d.LastError
	}
	if d.NextRetryAt != nil {
		text += ", next attempt about " + *d.NextRetryAt
	}
	return text
}

// testIfAsked fires a test event and warns when it does not arrive. What it tests exists already, so nothing here is an error.
func testIfAsked(ctx context.Context, client *collections.Service, m model, diags *diag.Diagnostics) {
	if !m.TestOnApply.ValueBool() {
		return
	}
	warn := func(text string) {
		diags.AddAttributeWarning(path.Root("test_on_apply"), "The test event did not arrive",
			fmt.Sprintf("After applying, a test event was sent to %s: %s. The endpoint itself is applied.", m.URL.ValueString(), text))
	}
	event, err := client.TestWebhookEndpoint(ctx, m.ID.ValueString())
	if err != nil {
		warn(apidiag.Text(err))
		return
	}
	delivery, err := follow(ctx, client, m.ID.ValueString(), event.DeliveryID)
	switch {
	case err != nil:
		warn(apidiag.Text(err))
	case delivery == nil:
		warn(fmt.Sprintf("it has no outcome after %s (delivery %s)", followFor, event.DeliveryID))
	case delivery.Status != deliverySuccess:
		warn(outcome(delivery))
	}
}
