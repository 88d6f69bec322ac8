package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// ListDataSource is the data source of many subscriptions.
type ListDataSource struct{ conn.DataSource }

var _ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)

// NewListDataSource makes the data source.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

type listDataModel struct {
	ExternalID       types.String `tfsdk:"external_id"`
	BillingAccountID types.String `tfsdk:"billing_account_id"`
	PlanID           types.String `tfsdk:"plan_id"`
	Status           types.String `tfsdk:"status"`
	UpdatedAtGTE     types.String `tfsdk:"updated_at_gte"`
	Limit            types.Int64  `tfsdk:"limit"`
	Subscriptions    []dataModel  `tfsdk:"subscriptions"`
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The subscriptions of the organization, oldest first, canceled ones included, without their items." + reading.Filtered + reading.Paged,
		Attributes: map[string]schema.Attribute{
			"external_id":        reading.Filter("Only subscriptions with this `external_id`, canceled ones too."),
			"billing_account_id": reading.FilterByID("Only subscriptions of the billing account with this id."),
			"plan_id":            reading.FilterByID("Only subscriptions that run on the plan with this id."),
			"status":             reading.Filter("Only subscriptions with this status, such as `active`.", validate.KnownStatus(statuses...)),
			"updated_at_gte":     reading.UpdatedSince("subscriptions"),
			"limit":              reading.Limit("subscriptions"),
			"subscriptions": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The subscriptions.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// Read lists the subscriptions.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Billing.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	query := billing.SubscriptionQuery{ExternalID: state.ExternalID.ValueString(), BillingAccountID: state.BillingAccountID.ValueString(),
		PlanID: state.PlanID.ValueString(), Status: state.Status.ValueString(), UpdatedAtGTE: state.UpdatedAtGTE.ValueString()}
	items, err := conn.Collect(client.ListSubscriptions(ctx, query), state.Limit, dataFromAPI)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Doing{Verb: "list", Object: "subscriptions"})
		return
	}
	state.Subscriptions = items
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
