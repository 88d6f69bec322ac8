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

// NewListDataSource returns the data source of several endpoints.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

type dataModel struct {
	shared
	Authentication types.Object `tfsdk:"authentication"`
}

// shownAuth is the type of an authentication in a data source, without credentials.
var shownAuth = map[string]attr.Type{"type": types.StringType, "username": types.StringType, "name": types.StringType}

func dataFromAPI(e *collections.WebhookEndpoint) (dataModel, error) {
	shown := authentication{kind: types.StringValue(authNone)}
	if e.Authentication != nil && e.Authentication.Type != "" {
		shown = authOf(authFromAPI(e.Authentication)).orNone()
	}
	return dataModel{shared: fromAPI(e).shared, Authentication: types.ObjectValueMust(shownAuth,
		map[string]attr.Value{"type": shown.kind, "username": shown.username, "name": shown.name.StringValue})}, nil
}

func dataAttributes() object.Attributes {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"events": "Names of the events to send. An empty set means all events.",
	}, object.Attributes{
		"authentication": schema.SingleNestedAttribute{Computed: true,
			MarkdownDescription: "Authentication of the service to the consumer, without " +
				"credentials.", Attributes: map[string]schema.Attribute{
				"type":     text("`none`, `basic`, `bearer` or `header`."),
				"username": text("User name of `basic`; null otherwise."),
				"name":     text("Name of the header of `header`; null otherwise."),
			}},
	})
}

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One webhook endpoint, without its secret, found by `id` or `url`. No match and several " +
			"matches are errors. It takes one request by `id`; by `url` it reads the whole list.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

type listDataModel struct {
	Limit     types.Int64 `tfsdk:"limit"`
	Endpoints []dataModel `tfsdk:"endpoints"`
}

func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The webhook endpoints of the organization, oldest first, without secrets. The service " +
			"offers no filters.",
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("endpoints"),
			"endpoints": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The endpoints, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

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

func describe(_ context.Context, _ *collections.Service, e *collections.WebhookEndpoint) (object.ListItem, bool) {
	return object.ListItem{Name: e.URL, Resource: fromAPI(e)}, true
}
