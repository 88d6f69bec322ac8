package webhookendpoint

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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
				"Passwords, tokens and header values are never shown.", Attributes: map[string]schema.Attribute{
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
			"shown, and the service offers no filters.",
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("endpoints"),
			"endpoints": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The endpoints, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// readMany lists the endpoints.
func readMany(ctx context.Context, client *collections.Service, m *listDataModel, diags *diag.Diagnostics) {
	m.Endpoints = object.Many(client.ListWebhookEndpoints(ctx), object.Ordering{Limit: m.Limit}, "webhook endpoints",
		dataFromAPI, diags)
}

type lists = object.ListResource[*collections.Service, collections.WebhookEndpoint, struct{}]

// ListResource lists endpoints for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource. The service offers no filters.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme,
		About: "Lists the webhook endpoints of the organization, oldest first, for `terraform query`, without " +
			"secrets and credentials. The service offers no filters." + object.ListNeeds("billing_webhook_endpoints"),
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
