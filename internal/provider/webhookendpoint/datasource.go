package webhookendpoint

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	attributes := object.Attributes{
		"events": schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: about["events"]},
		"active": schema.BoolAttribute{Computed: true, MarkdownDescription: about["active"]},
		"authentication": schema.SingleNestedAttribute{Computed: true,
			MarkdownDescription: "How the service authenticates itself to the consumer, in addition to the signature. " +
				"Passwords, tokens and header values are never shown.",
			Attributes: map[string]schema.Attribute{
				"type":     schema.StringAttribute{Computed: true, MarkdownDescription: "`none`, `basic`, `bearer` or `header`."},
				"username": schema.StringAttribute{Computed: true, MarkdownDescription: "User name of `basic`; null otherwise."},
				"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the header of " +
					"`header`; null otherwise."},
			}},
	}
	attributes.Texts(about, "id", "url", "description", "created_at", "updated_at")
	return attributes
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
