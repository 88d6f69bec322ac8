package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/accounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/listing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// ListResource lists billing accounts for `terraform query`.
type ListResource struct{ conn.Resource }

var _ list.ListResourceWithConfigure = (*ListResource)(nil)

// NewListResource makes the list resource.
func NewListResource() list.ListResource { return &ListResource{} }

// Metadata names the type, which is the resource's.
func (l *ListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

type listModel struct {
	ExternalID   types.String `tfsdk:"external_id"`
	CustomerID   types.String `tfsdk:"customer_id"`
	Status       types.String `tfsdk:"status"`
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the billing accounts of the organization that are not closed, oldest first, so that `terraform query` can write their configuration and import them." + reading.Filtered +
			listing.Needs("billing_accounts"),
		Attributes: map[string]schema.Attribute{
			"external_id": listing.Filter("Only the account with this `external_id`."),
			"customer_id": listing.FilterByID("Only accounts of the customer with this id."),
			"status": listing.Filter("Only accounts with this status: `active` or `suspended`.",
				validate.KnownStatus(statusActive, statusSuspended, statusClosed)),
			"updated_at_gte": schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: reading.AboutUpdatedSince("accounts")},
		},
	}
}

// List streams accounts, each with the whole resource. Closed ones cannot be managed, so they are left out.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listModel
	diags := req.Config.Get(ctx, &config)
	client, ready := l.Conn.Billing.For(typeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	query := billing.BillingAccountQuery{ExternalID: config.ExternalID.ValueString(), CustomerID: config.CustomerID.ValueString(),
		Status: config.Status.ValueString(), UpdatedAtGTE: config.UpdatedAtGTE.ValueString()}
	stream.Results = listing.Stream(ctx, req, "billing accounts", scheme, accounts.Whole(ctx, client, query), describe)
}

// describe is an account in a listing.
func describe(a *billing.BillingAccount) (listing.Item, bool) {
	if a.Status == statusClosed {
		return listing.Item{}, false
	}
	m, err := fromAPI(a)
	name := m.Name.ValueString()
	if a.ExternalID != nil {
		name += " (" + *a.ExternalID + ")"
	}
	m = m.unnamed()
	m.Status = types.StringNull()
	return listing.Item{ID: a.ID, Name: name, Resource: m, Err: err}, true
}
