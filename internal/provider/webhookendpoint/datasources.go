package webhookendpoint

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// DataSource is the data source of one endpoint.
type DataSource struct{ conn.DataSource }

// ListDataSource is the data source of all endpoints.
type ListDataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure        = (*ListDataSource)(nil)
)

// NewDataSource makes the data source of one endpoint.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// NewListDataSource makes the data source of all endpoints.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

// dataModel is an endpoint that is only read.
type dataModel struct {
	ID                 types.String `tfsdk:"id"`
	URL                types.String `tfsdk:"url"`
	Description        types.String `tfsdk:"description"`
	Events             types.Set    `tfsdk:"events"`
	Active             types.Bool   `tfsdk:"active"`
	AuthenticationType types.String `tfsdk:"authentication_type"`
	CreatedAt          types.String `tfsdk:"created_at"`
	UpdatedAt          types.String `tfsdk:"updated_at"`
}

func dataFromAPI(e *collections.WebhookEndpoint) (dataModel, error) {
	m := fromAPI(e)
	kind := authNone
	if e.Authentication != nil && e.Authentication.Type != "" {
		kind = e.Authentication.Type
	}
	return dataModel{ID: m.ID, URL: m.URL, Description: m.Description, Events: m.Events, Active: m.Active,
		AuthenticationType: types.StringValue(kind), CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}, nil
}

func dataAttributes() reading.Attributes {
	attributes := reading.Attributes{
		"events": schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: about["events"]},
		"active": schema.BoolAttribute{Computed: true, MarkdownDescription: about["active"]},
		"authentication_type": schema.StringAttribute{Computed: true,
			MarkdownDescription: "How the service authenticates itself to the consumer, beside the signature: `none`, `basic`, `bearer` or `header`. Its credentials are never shown."},
	}
	attributes.Texts(about, "id", "url", "description", "created_at", "updated_at")
	return attributes
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys("endpoint", "id", "url")
	resp.Schema = schema.Schema{
		MarkdownDescription: "One webhook endpoint, found by its `id` or its `url`. No match, or more than one, is an error. Its secret is never shown. By `id` this takes one request; " +
			"by `url` it reads the whole list of endpoints, for which the service has no filter.",
		Attributes: attributes,
	}
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The webhook endpoints of the organization, oldest first. Their secrets are never shown, and the service offers no filters." + reading.Paged,
		Attributes: map[string]schema.Attribute{
			"limit": reading.Limit("endpoints"),
			"endpoints": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The endpoints, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// ConfigValidators asks for exactly one way to find the endpoint.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("url"))}
}

// Read finds the endpoint.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := d.Conn.Collections.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	selector := scheme.Selector(config.ID.ValueString(), config.URL.ValueString())
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	state, _ := dataFromAPI(found)
	if !config.ID.IsNull() {
		state.ID = config.ID // as it is written: the case of a UUID has no meaning
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

type listDataModel struct {
	Limit     types.Int64 `tfsdk:"limit"`
	Endpoints []dataModel `tfsdk:"endpoints"`
}

// Read lists the endpoints.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Collections.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	items, err := conn.Collect(client.ListWebhookEndpoints(ctx), state.Limit, dataFromAPI)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Doing{Verb: "list", Object: "webhook endpoints"})
		return
	}
	state.Endpoints = items
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
