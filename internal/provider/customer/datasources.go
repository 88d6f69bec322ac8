package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// ListDataSource is the data source of many customers.
type ListDataSource struct{ conn.DataSource }

var _ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)

// NewListDataSource makes the data source.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

type listDataModel struct {
	Search       types.String `tfsdk:"search"`
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
	SortBy       types.String `tfsdk:"sort_by"`
	SortOrder    types.String `tfsdk:"sort_order"`
	Limit        types.Int64  `tfsdk:"limit"`
	Customers    []dataModel  `tfsdk:"customers"`
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The customers of the organization, oldest first unless `sort_by` and `sort_order` say otherwise." + reading.Filtered + reading.Paged,
		Attributes: map[string]schema.Attribute{
			"search":         reading.Filter(aboutSearch),
			"updated_at_gte": reading.UpdatedSince("customers"),
			"sort_by":        reading.Filter("Field to sort by, as the service names it in its answers, such as `name`. Default `created_at`."),
			"sort_order": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf("asc", "desc")},
				MarkdownDescription: "`asc` (the smallest or oldest first) or `desc`. Defaults to `asc`, unlike in the service itself: what is created meanwhile then comes last, and pages stay stable while they are read."},
			"limit": reading.Limit("customers"),
			"customers": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The customers, in the order asked for.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// Read lists the customers.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Billing.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	query := billing.CustomerQuery{Search: state.Search.ValueString(), UpdatedAtGTE: state.UpdatedAtGTE.ValueString(),
		SortBy: state.SortBy.ValueString(), SortOrder: state.SortOrder.ValueString()}
	items, err := conn.Collect(client.ListCustomers(ctx, query), state.Limit, dataFromAPI)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Doing{Verb: "list", Object: "customers"})
		return
	}
	state.Customers = items
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
