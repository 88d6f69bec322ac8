package webhookendpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Statuses of a delivery (service description, Collections §3). After a failure the service retries for hours; the
// provider does not wait for that.
const (
	deliverySuccess   = "success"
	deliveryFailed    = "failed"
	deliveryExhausted = "exhausted"
)

// NewDeliveriesDataSource returns the data source of an endpoint's deliveries.
func NewDeliveriesDataSource() datasource.DataSource {
	return object.NewDataSource("billing_webhook_deliveries", conn.Collections, deliveriesSchema, readDeliveries)
}

type deliveriesModel struct {
	EndpointID types.String    `tfsdk:"endpoint_id"`
	Status     types.String    `tfsdk:"status"`
	Event      types.String    `tfsdk:"event"`
	Newest     types.Bool      `tfsdk:"newest_first"`
	Limit      types.Int64     `tfsdk:"limit"`
	Deliveries []deliveryModel `tfsdk:"deliveries"`
}

type deliveryModel struct {
	ID           types.String `tfsdk:"id"`
	Event        types.String `tfsdk:"event"`
	EventID      types.String `tfsdk:"event_id"`
	Status       types.String `tfsdk:"status"`
	HTTPCode     types.Int64  `tfsdk:"http_code"`
	Attempts     types.Int64  `tfsdk:"attempts"`
	LastError    types.String `tfsdk:"last_error"`
	RequestBody  types.String `tfsdk:"request_body"`
	ResponseBody types.String `tfsdk:"response_body"`
	CreatedAt    types.String `tfsdk:"created_at"`
	DeliveredAt  types.String `tfsdk:"delivered_at"`
	NextRetryAt  types.String `tfsdk:"next_retry_at"`
}

func deliveryFromAPI(d *collections.Delivery) (deliveryModel, error) {
	return deliveryModel{ID: types.StringValue(d.ID), Event: value.TextOrNull(d.Event),
		EventID: value.TextOrNull(d.EventID), Status: value.TextOrNull(d.Status),
		HTTPCode: types.Int64PointerValue(d.HTTPCode),
		Attempts: types.Int64Value(d.Attempts), LastError: types.StringPointerValue(d.LastError),
		RequestBody: types.StringPointerValue(d.RequestBody), ResponseBody: types.StringPointerValue(d.ResponseBody),
		CreatedAt: value.TextOrNull(d.CreatedAt), DeliveredAt: types.StringPointerValue(d.DeliveredAt),
		NextRetryAt: types.StringPointerValue(d.NextRetryAt)}, nil
}

func deliveriesSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "The deliveries of a webhook endpoint and their outcomes. Use it in a `check` block to " +
			"monitor an endpoint in every plan. Set `status` or `event`, because the list grows with every event and " +
			"includes all bodies.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": schema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
				MarkdownDescription: "Id of the endpoint (the `id` of a `billing_webhook_endpoint`)."},
			"status": object.Filter("Only deliveries with this status: `pending` (not attempted yet), `success`, " +
				"`failed` (another attempt follows) or `exhausted` (none does)."),
			"event": object.Filter("Only deliveries of events with this name, such as `charge.paid`."),
			"newest_first": schema.BoolAttribute{Optional: true, MarkdownDescription: "Order of `deliveries`, to which " +
				"`limit` applies. Defaults to `true`. The service lists the oldest first, so with `true` and a `limit`, the " +
				"first page and the last ones are read."},
			"limit": object.Limit("deliveries"),
			"deliveries": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The deliveries, newest " +
				"first unless `newest_first` is `false`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":       text("Id of the delivery."),
					"event":    text("Name of the event."),
					"event_id": text("Id of the event (`X-Webhook-Event-Id`); the same in all its deliveries and attempts."),
					"status": text("`pending` (not attempted yet), `success`, `failed` (another attempt " +
						"follows) or `exhausted` (none does)."),
					"http_code": schema.Int64Attribute{Computed: true, MarkdownDescription: "HTTP status of the last response; " +
						"null if none."},
					"attempts": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of attempts so far, at most 8; " +
						"a redelivery restarts at 1."},
					"last_error":    text("Error of the last attempt; null if none."),
					"request_body":  text("Body of the request, as text."),
					"response_body": text("Body of the last response, as text; null if none."),
					"created_at":    text("When the delivery was scheduled."),
					"delivered_at":  text("When it succeeded; null before."),
					"next_retry_at": text("Approximate time of the next attempt; null if none."),
				}}},
		},
	}
}

func readDeliveries(ctx context.Context, client *collections.Service, m *deliveriesModel, diags *diag.Diagnostics) {
	id, status := m.EndpointID.ValueString(), m.Status.ValueString()
	if known := []string{"pending", deliverySuccess, deliveryFailed, deliveryExhausted}; !m.Status.IsNull() &&
		!slices.Contains(known, status) {
		diags.AddAttributeWarning(path.Root("status"), "Unknown status of deliveries of webhook endpoint "+id,
			fmt.Sprintf("It is not among the statuses in the service's description (%s). If it is a typo, no delivery matches.",
				strings.Join(known, ", ")))
	}
	newest := m.Newest.IsNull() || m.Newest.ValueBool()
	query := collections.DeliveryQuery{EndpointID: id, NewestFirst: newest, Status: status, Event: m.Event.ValueString()}
	order := object.Ordering{Limit: m.Limit}
	if newest {
		order.SortOrder = types.StringValue("desc")
	}
	m.Deliveries = object.Many(client.ListDeliveries(ctx, query), order,
		"the deliveries of webhook endpoint "+id, deliveryFromAPI, diags)
}

func undelivered(d collections.Delivery) bool {
	return d.Status == deliveryFailed || d.Status == deliveryExhausted
}

// outcome describes the result of a delivery.
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

// consumerResponse quotes the consumer's response; the service masks secrets in it.
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
