package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/accounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// ListDataSource is the data source of many billing accounts.
type ListDataSource struct{ conn.DataSource }

var _ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)

// NewListDataSource makes the data source.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

type listDataModel struct {
	ExternalID   types.String `tfsdk:"external_id"`
	CustomerID   types.String `tfsdk:"customer_id"`
	Status       types.String `tfsdk:"status"`
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
	Limit        types.Int64  `tfsdk:"limit"`
	Accounts     []dataModel  `tfsdk:"accounts"`
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The billing accounts of the organization, oldest first, closed ones included." + reading.Filtered + reading.Paged,
		Attributes: map[string]schema.Attribute{
			"external_id": reading.Filter("Only accounts with this `external_id`, closed ones too."),
			"customer_id": reading.FilterByID("Only accounts of the customer with this id."),
			"status": reading.Filter("Only accounts with this status: `active`, `suspended` or `closed`.",
				validate.KnownStatus(statusActive, statusSuspended, statusClosed)),
			"updated_at_gte": reading.UpdatedSince("accounts"),
			"limit":          reading.Limit("accounts"),
			"accounts": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The billing accounts.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// Read lists the accounts.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Billing.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	query := billing.BillingAccountQuery{ExternalID: state.ExternalID.ValueString(), CustomerID: state.CustomerID.ValueString(),
		Status: state.Status.ValueString(), UpdatedAtGTE: state.UpdatedAtGTE.ValueString()}
	items, err := conn.Collect(accounts.Whole(ctx, client, query), state.Limit, dataFromAPI)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Doing{Verb: "list", Object: "billing accounts"})
		return
	}
	state.Accounts = items
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
