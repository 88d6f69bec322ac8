package webhookendpoint

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// NewDataSource returns the data source of one endpoint.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI)
}

// NewListDataSource returns the data source of many endpoints.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

// dataModel is an endpoint that is only read.
type dataModel struct {
	shared
	Authentication types.Object `tfsdk:"authentication"`
}

// shownAuth is what the service shows of an authentication: never a credential.
var shownAuth = map[string]attr.Type{"type": types.StringType, "username": types.StringType, "name": types.StringType}

// dataFromAPI is the endpoint as a data source shows it.
func dataFromAPI(e *collections.WebhookEndpoint) (dataModel, error) {
	shown := authentication{kind: types.StringValue(authNone)}
	if e.Authentication != nil && e.Authentication.Type != "" {
		shown = authOf(authFromAPI(e.Authentication)).orNone()
	}
	return dataModel{shared: fromAPI(e).shared, Authentication: types.ObjectValueMust(shownAuth,
		map[string]attr.Value{"type": shown.kind, "username": shown.username, "name": shown.name})}, nil
}

// dataAttributes are the attributes of an endpoint that is only read.
func dataAttributes() object.Attributes {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"events": "Names of the events that are sent. An empty set means all events, including future ones.",
	}, object.Attributes{
		"authentication": schema.SingleNestedAttribute{Computed: true,
			MarkdownDescription: "How the service authenticates itself to the consumer, in addition to the signature. " +
				"Passwords, tokens and header values are never shown.",
			Attributes: map[string]schema.Attribute{
				"type":     text("`none`, `basic`, `bearer` or `header`."),
				"username": text("User name of `basic`; null otherwise."),
				"name":     text("Name of the header of `header`; null otherwise."),
			}},
	})
}

// dataSchema describes the data source of one.
func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One webhook endpoint, found by its `id` or its `url`. No match, or more than one, is an " +
			"error. Its secret is never shown. By `id` this takes one request; by `url` it reads the whole list of " +
			"endpoints, for which the service has no filter.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

// listDataModel is the data source of many endpoints.
type listDataModel struct {
	Limit     types.Int64 `tfsdk:"limit"`
	Endpoints []dataModel `tfsdk:"endpoints"`
}

// listDataSchema describes the data source of many.
func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The webhook endpoints of the organization, oldest first. Their secrets are never " +
			"shown, and the service offers no filters." + object.Paged,
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("endpoints"),
			"endpoints": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The endpoints, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// readMany lists the endpoints.
func readMany(ctx context.Context, client *collections.Service, m *listDataModel, diags *diag.Diagnostics) {
	m.Endpoints = object.Many(client.ListWebhookEndpoints(ctx), m.Limit, "webhook endpoints", dataFromAPI, diags)
}

type lists = object.ListResource[*collections.Service, collections.WebhookEndpoint, struct{}]

// ListResource lists endpoints for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource. The service offers no filters.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme,
		About: "Lists the webhook endpoints of the organization, oldest first, so that `terraform query` " +
			"can write their configuration and import them. Secrets and credentials are not part of it, and the service " +
			"offers no filters." +
			object.ListNeeds("billing_webhook_endpoints"),
		Query: func(ctx context.Context, client *collections.Service,
			_ struct{}) iter.Seq2[collections.WebhookEndpoint, error] {
			return client.ListWebhookEndpoints(ctx)
		},
		Describe: describe}}
}

// describe is an endpoint in a listing.
func describe(_ context.Context, _ *collections.Service, e *collections.WebhookEndpoint) (object.Item, bool) {
	return object.Item{Name: e.URL, Resource: fromAPI(e)}, true
}

// NewDeliveriesDataSource returns the data source of an endpoint's deliveries.
func NewDeliveriesDataSource() datasource.DataSource {
	return object.NewDataSource("billing_webhook_deliveries", object.Collections, deliveriesSchema, readDeliveries)
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
	return deliveryModel{ID: types.StringValue(d.ID), Event: value.TextOrNull(d.Event), EventID: value.TextOrNull(d.EventID),
		Status: value.TextOrNull(d.Status), HTTPCode: types.Int64PointerValue(d.HTTPCode),
		Attempts: types.Int64Value(d.Attempts), LastError: types.StringPointerValue(d.LastError),
		RequestBody: types.StringPointerValue(d.RequestBody), ResponseBody: types.StringPointerValue(d.ResponseBody),
		CreatedAt: value.TextOrNull(d.CreatedAt), DeliveredAt: types.StringPointerValue(d.DeliveredAt),
		NextRetryAt: types.StringPointerValue(d.NextRetryAt)}, nil
}

// deliveriesSchema describes the data source of deliveries.
func deliveriesSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "The deliveries of a webhook endpoint: the events that were sent, and the outcome. " +
			"Use it in a `check` block to monitor an endpoint in every plan, and set `status` or `event`, " +
			"because the list grows with every event." + object.Paged + " That includes the bodies of requests and responses.",
		Attributes: map[string]schema.Attribute{
			"endpoint_id": schema.StringAttribute{Required: true, Validators: []validator.String{value.UUID()},
				MarkdownDescription: "Id of the endpoint " +
					"(the `id` of a `billing_webhook_endpoint`)."},
			"status": object.Filter("Only deliveries with this status: `pending` (not attempted yet), `success`, " +
				"`failed` (another attempt follows) or `exhausted` (none does)."),
			"event": object.Filter("Only deliveries of events with this name, such as `charge.paid`."),
			"newest_first": schema.BoolAttribute{Optional: true, MarkdownDescription: "Order of `deliveries`, and " +
				"of what `limit` keeps. Defaults to `true`. The service lists the oldest first, so with `true` and a " +
				"`limit`, the first page and the last ones are read."},
			"limit": object.Limit("deliveries"),
			"deliveries": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The deliveries, newest " +
				"first unless `newest_first` is `false`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":       text("Id of the delivery."),
					"event":    text("Name of the event."),
					"event_id": text("Id of the event (`X-Webhook-Event-Id`); the same in all of its deliveries and attempts."),
					"status": text("`pending` (not attempted yet), `success`, `failed` (another attempt " +
						"follows) or `exhausted` (none does)."),
					"http_code": schema.Int64Attribute{Computed: true, MarkdownDescription: "HTTP status of the " +
						"last response; null if there was none."},
					"attempts": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of attempts " +
						"so far, at most 8; a redelivery starts at 1 again."},
					"last_error":    text("Error of the last attempt; null if there was none."),
					"request_body":  text("Body that was sent, as text."),
					"response_body": text("Body of the last response, as text; null if there was none."),
					"created_at":    text("When the delivery was scheduled."),
					"delivered_at":  text("When it succeeded; null before."),
					"next_retry_at": text("About when the next attempt follows; null when none does."),
				}}},
		},
	}
}

// readDeliveries lists the deliveries.
func readDeliveries(ctx context.Context, client *collections.Service, m *deliveriesModel, diags *diag.Diagnostics) {
	id, status := m.EndpointID.ValueString(), m.Status.ValueString()
	if known := []string{"pending", deliverySuccess, deliveryFailed, deliveryExhausted}; !m.Status.IsNull() &&
		!slices.Contains(known, status) {
		diags.AddAttributeWarning(path.Root("status"), fmt.Sprintf("Unknown status %q of deliveries of webhook endpoint %s",
			status, id), fmt.Sprintf("It is not among the statuses that the service describes (%s). If it is a typing error, "+
			"nothing ever matches.", strings.Join(known, ", ")))
	}
	newest := m.Newest.IsNull() || m.Newest.ValueBool()
	query := collections.DeliveryQuery{EndpointID: id, NewestFirst: newest, Status: status,
		Event: m.Event.ValueString()}
	m.Deliveries = object.Many(client.ListDeliveries(ctx, query), m.Limit, "the deliveries of webhook endpoint "+id,
		deliveryFromAPI, diags)
}
