package webhookendpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

type testModel struct {
	EndpointID types.String `tfsdk:"endpoint_id"`
	Wait       types.Bool   `tfsdk:"wait"`
}

type redeliveryModel struct {
	EndpointID types.String `tfsdk:"endpoint_id"`
	DeliveryID types.String `tfsdk:"delivery_id"`
}

func endpointID() schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
		MarkdownDescription: "Id of the webhook endpoint (the `id` of a `billing_webhook_endpoint`)."}
}

// NewTestAction returns the action that sends a test event.
func NewTestAction() action.Action {
	return object.NewAction("billing_webhook_test", conn.Collections, schema.Schema{
		MarkdownDescription: "Sends a test event (`webhook.test`) to the endpoint, like any other event: signed, and " +
			"retried if it fails. Every invocation sends another event. It does not change the endpoint.\n\nRequires " +
			"Terraform 1.14. With older versions and OpenTofu, monitor deliveries with the data source " +
			"`billing_webhook_deliveries` in a `check` block.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": endpointID(),
			"wait": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to wait up to 20 seconds for the " +
				"first attempt, and fail if it fails or is not made in time. Defaults to `false`."},
		},
	}, test)
}

// NewRedeliveryAction returns the action that sends deliveries again.
func NewRedeliveryAction() action.Action {
	return object.NewAction("billing_webhook_redelivery", conn.Collections, schema.Schema{
		MarkdownDescription: "Redelivers one failed or exhausted delivery of an endpoint, or all, each with up to 8 new " +
			"attempts. Consumers receive the same `X-Webhook-Event-Id` and must deduplicate by it. The API rejects it for an " +
			"inactive endpoint. Every delivery takes one request; if `delivery_id` is unset, the list is read " +
			"first.\n\nRequires Terraform 1.14. With older versions and OpenTofu, send `POST " +
			"/api/v1/webhook-endpoints/ENDPOINT_ID/deliveries/DELIVERY_ID/retry` with an API key that has the scope " +
			"`webhook_deliveries:write`; to the sandbox, with `billing-sandbox call POST PATH`. The data source " +
			"`billing_webhook_deliveries` has the ids.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": endpointID(),
			"delivery_id": schema.StringAttribute{Optional: true, Validators: []validator.String{check.UUID()},
				MarkdownDescription: "Id of the delivery (see the data source `billing_webhook_deliveries`). If unset, all " +
					"failed and exhausted deliveries are sent again."},
		},
	}, redeliver)
}

func test(ctx context.Context, client *collections.Service, config testModel, resp *action.InvokeResponse) {
	id := config.EndpointID.ValueString()
	say := progress(resp)
	event, err := client.TestWebhookEndpoint(ctx, id)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "test", Object: "webhook endpoint " + id,
			Model: config})
		return
	}
	if endpoint, err := client.GetWebhookEndpoint(ctx, id); err == nil && !endpoint.Active {
		notDelivered(id, config.Wait.ValueBool(), &resp.Diagnostics)
		return
	}
	say("Sent a test event to webhook endpoint %s%s.", id, eventIDs(event))
	if !config.Wait.ValueBool() {
		return
	}
	say("Waiting up to %s for the outcome of the first attempt.", followFor)
	delivery, err := follow(ctx, client, id, event)
	switch {
	case err != nil:
		apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "track", Object: "the test event of webhook " +
			"endpoint " + id})
	case delivery.Status != deliverySuccess:
		resp.Diagnostics.AddError("Webhook endpoint "+id+" did not accept the test event", outcome(delivery)+
			"\n\nCheck that the endpoint is active, and that the consumer runs, verifies with the current secret, "+
			"and responds with 2xx within 10 seconds.")
	default:
		say("%s", outcome(delivery))
	}
}

// notDelivered reports a test event to an inactive endpoint: an error if the action waits for the outcome, else a
// warning.
func notDelivered(id string, waits bool, diags *diag.Diagnostics) {
	summary := "Webhook endpoint " + id + " is inactive"
	const text = "The service does not deliver test events to it. Set active = true on the endpoint, apply, and run the " +
		"action again."
	if waits {
		diags.AddError(summary, text)
	} else {
		diags.AddWarning(summary, text)
	}
}

// progress returns a function that writes a line to Terraform's output while the action runs.
func progress(resp *action.InvokeResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
}

func eventIDs(event collections.TestEvent) string {
	text := ""
	if event.EventID != "" {
		text += ", event " + event.EventID
	}
	if event.DeliveryID != "" {
		text += ", delivery " + event.DeliveryID
	}
	return text
}

func redeliver(ctx context.Context, client *collections.Service, config redeliveryModel,
	resp *action.InvokeResponse) {
	endpoint := config.EndpointID.ValueString()
	say := progress(resp)
	wanted := []string{config.DeliveryID.ValueString()}
	if config.DeliveryID.IsNull() {
		var err error
		if wanted, err = allUndelivered(ctx, client, endpoint); err != nil {
			apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "list", Object: "the deliveries of webhook " +
				"endpoint " + endpoint})
			return
		}
		say("Failed or exhausted deliveries of webhook endpoint %s: %d.", endpoint, len(wanted))
	}
	for i, id := range wanted {
		if _, err := client.RetryDelivery(ctx, endpoint, id); err != nil {
			explainRejection(err, endpoint, id, i, len(wanted), resp)
			return
		}
		say("Sent delivery %s again (%d of %d).", id, i+1, len(wanted))
	}
}

// allUndelivered lists the deliveries that can be sent again. It collects all before the first is sent, because sending
// one changes the list.
func allUndelivered(ctx context.Context, client *collections.Service, endpoint string) ([]string, error) {
	var ids []string
	for delivery, err := range client.ListDeliveries(ctx, collections.DeliveryQuery{EndpointID: endpoint}) {
		if err != nil {
			return nil, err
		}
		if undelivered(delivery) {
			ids = append(ids, delivery.ID)
		}
	}
	return ids, nil
}

func explainRejection(err error, endpoint, id string, sent, of int, resp *action.InvokeResponse) {
	if api.HasCode(err, "ENDPOINT_INACTIVE") {
		resp.Diagnostics.AddError("Webhook endpoint "+endpoint+" is inactive",
			fmt.Sprintf("The service does not redeliver to an inactive endpoint (ENDPOINT_INACTIVE). Of %d deliveries of "+
				"endpoint %s, %d were sent again. Set active = true on the endpoint, apply, and run "+
				"the action again.", of, endpoint, sent))
		return
	}
	apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "resend", Object: fmt.Sprintf("delivery %s (%d "+
		"of %d were sent before "+
		"it)", id, sent, of), Model: redeliveryModel{types.StringValue(endpoint), types.StringValue(id)}})
}

// Polling of a delivery: an attempt has a timeout of 10 seconds (Collections §8), so its outcome is available soon
// after.
const (
	followFor   = 20 * time.Second
	followEvery = 500 * time.Millisecond
)

// testEvent is the name of a test event (service description, Collections §6).
const testEvent = "webhook.test"

var (
	errNotNamed = errors.New("the response identifies neither the event nor its delivery, so the outcome cannot be " +
		"determined; the data source billing_webhook_deliveries lists the delivery")
	errNoOutcome = fmt.Errorf("the delivery was not attempted within %s; the data source "+
		"billing_webhook_deliveries shows its outcome", followFor)
)

// follow polls the delivery of a test event until its first attempt has an outcome. It returns errNoOutcome after
// followFor.
func follow(ctx context.Context, client *collections.Service, endpointID string,
	event collections.TestEvent) (*collections.Delivery, error) {
	if event.DeliveryID == "" && event.EventID == "" {
		return nil, errNotNamed
	}
	return await(ctx, func(ctx context.Context) (*collections.Delivery, error) {
		return attempted(ctx, client, endpointID, event)
	})
}

// await calls look until it returns a delivery, or the time is over.
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

// attempted returns the delivery of a test event after its first attempt, else nil.
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
