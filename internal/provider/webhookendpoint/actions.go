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
)

// TestAction fires a test event.
type TestAction struct{ conn.ConnectedAction }

// RedeliveryAction sends deliveries again.
type RedeliveryAction struct{ conn.ConnectedAction }

var (
	_ action.ActionWithConfigure = (*TestAction)(nil)
	_ action.ActionWithConfigure = (*RedeliveryAction)(nil)
)

// NewTestAction returns the action.
func NewTestAction() action.Action { return &TestAction{} }

// NewRedeliveryAction returns the action.
func NewRedeliveryAction() action.Action { return &RedeliveryAction{} }

// Metadata names the type.
func (a *TestAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "billing_webhook_test"
}

// Metadata names the type.
func (a *RedeliveryAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "billing_webhook_redelivery"
}

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

// Schema describes the action.
func (a *TestAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends a test event (`webhook.test`), which the service delivers to the endpoint " +
			"like any other event: signed, and repeated if it fails. Every invocation sends another event. It " +
			"does not change the endpoint.\n\nRequires Terraform 1.14. With older versions and OpenTofu, use the data " +
			"source `billing_webhook_deliveries` in a `check` block, which shows the outcome of every delivery.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": endpointID(),
			"wait": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to follow the delivery to " +
				"the outcome of its first attempt, for up to 20 seconds, and fail if it fails or is not " +
				"attempted in time. Defaults to `false`."},
		},
	}
}

// Schema describes the action.
func (a *RedeliveryAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Redelivers one failed or exhausted delivery, or all of an endpoint, each with a new cycle of " +
			"up to 8 attempts. Consumers receive the same `X-Webhook-Event-Id` and must deduplicate by it. For an endpoint " +
			"that is not active, the API rejects it. If `delivery_id` is unset, the list of deliveries is read first, and " +
			"every delivery takes one request.\n\nRequires Terraform 1.14. Older versions and OpenTofu have no actions, and " +
			"nothing else in this provider redelivers: the service attempts a failed delivery again automatically; redeliver " +
			"an exhausted one in the service's own interface.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": endpointID(),
			"delivery_id": schema.StringAttribute{Optional: true, Validators: []validator.String{check.UUID()},
				MarkdownDescription: "Id of the delivery (see the data source `billing_webhook_deliveries`). If " +
					"unset, all failed and exhausted deliveries of the endpoint are sent again."},
		},
	}
}

// Invoke fires the event.
func (a *TestAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config testModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := a.Conn.Collections.For("billing_webhook_test", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
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
	say("A test event is on its way to webhook endpoint %s%s.", id, named(event))
	if !config.Wait.ValueBool() {
		return
	}
	say("Waiting for the outcome of its first attempt, for at most %s.", followFor)
	delivery, err := follow(ctx, client, id, event)
	switch {
	case err != nil:
		apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "follow", Object: "the test event of webhook " +
			"endpoint " + id})
	case delivery.Status != deliverySuccess:
		resp.Diagnostics.AddError("Webhook endpoint "+id+" did not accept the test event", outcome(delivery)+
			"\n\nCheck that the endpoint is active, and that the consumer runs, verifies with the current secret, "+
			"and responds with 2xx within 10 seconds.")
	default:
		say("%s", outcome(delivery))
	}
}

// notDelivered reports a test event of an endpoint that is not active. Only who waits for the outcome asked for one.
func notDelivered(id string, waits bool, diags *diag.Diagnostics) {
	summary := "Webhook endpoint " + id + " is inactive"
	const text = "The service delivers no test event to it. Set active = true on the endpoint, apply, and run the " +
		"action again."
	if waits {
		diags.AddError(summary, text)
	} else {
		diags.AddWarning(summary, text)
	}
}

// progress writes a line that Terraform shows while the action runs.
func progress(resp *action.InvokeResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
}

// named lists the ids of a test event, as far as the service shows them.
func named(event collections.TestEvent) string {
	text := ""
	if event.EventID != "" {
		text += ", event " + event.EventID
	}
	if event.DeliveryID != "" {
		text += ", delivery " + event.DeliveryID
	}
	return text
}

// Invoke sends the deliveries again.
func (a *RedeliveryAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config redeliveryModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := a.Conn.Collections.For("billing_webhook_redelivery", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
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
		say("Deliveries of webhook endpoint %s that have failed or are exhausted: %d.", endpoint, len(wanted))
	}
	for i, id := range wanted {
		if _, err := client.RetryDelivery(ctx, endpoint, id); err != nil {
			explainRefusal(err, endpoint, id, i, len(wanted), resp)
			return
		}
		say("Delivery %s is sent again (%d of %d).", id, i+1, len(wanted))
	}
}

// allUndelivered lists the deliveries that can be sent again. They are gathered before the first is, because sending
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

func explainRefusal(err error, endpoint, id string, sent, of int, resp *action.InvokeResponse) {
	if api.HasCode(err, "ENDPOINT_INACTIVE") {
		resp.Diagnostics.AddError("Webhook endpoint "+endpoint+" is inactive",
			fmt.Sprintf("The service sends nothing again to an inactive endpoint (ENDPOINT_INACTIVE). Of %d "+
				"deliveries of endpoint %s, %d were sent again. Set active = true on the endpoint, apply, and run "+
				"the action again.", of, endpoint, sent))
		return
	}
	apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "resend", Object: fmt.Sprintf("delivery %s (%d "+
		"of %d were sent before it)", id, sent, of), Model: redeliveryModel{types.StringValue(endpoint), types.StringValue(id)}})
}

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
	errNoOutcome = fmt.Errorf("the delivery was not attempted within %s; the data source "+
		"billing_webhook_deliveries shows what becomes of it", followFor)
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
