package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/listing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// ListResource lists customers for `terraform query`.
type ListResource struct{ conn.Resource }

var _ list.ListResourceWithConfigure = (*ListResource)(nil)

// NewListResource makes the list resource.
func NewListResource() list.ListResource { return &ListResource{} }

// Metadata names the type, which is the resource's.
func (l *ListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

type listModel struct {
	Search         types.String `tfsdk:"search"`
	ExternalID     types.String `tfsdk:"external_id"`
	DocumentNumber types.String `tfsdk:"document_number"`
	UpdatedAtGTE   types.String `tfsdk:"updated_at_gte"`
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the customers of the organization, oldest first, so that `terraform query` can write their configuration and import them." + reading.Filtered +
			listing.Needs("billing_customers"),
		Attributes: map[string]schema.Attribute{
			"search":          listing.Filter(aboutSearch),
			"external_id":     listing.Filter("Only the customer with this `external_id`."),
			"document_number": listing.Filter("Only customers with this tax number, whatever its mask."),
			"updated_at_gte": schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: reading.AboutUpdatedSince("customers")},
		},
	}
}

// List streams customers, each with the whole resource.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listModel
	diags := req.Config.Get(ctx, &config)
	client, ready := l.Conn.Billing.For(typeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	query := billing.CustomerQuery{Search: config.Search.ValueString(), ExternalID: config.ExternalID.ValueString(),
		DocumentNumber: config.DocumentNumber.ValueString(), UpdatedAtGTE: config.UpdatedAtGTE.ValueString()}
	stream.Results = listing.Stream(ctx, req, "customers", scheme, client.ListCustomers(ctx, query), describe)
}

// describe is a customer in a listing. Generated configuration writes every optional argument, and email and phone only repeat an item
// of the lists beside them, so they are left out.
func describe(c *billing.Customer) (listing.Item, bool) {
	m, err := fromAPI(c)
	m.Email, m.Phone = types.StringNull(), types.StringNull()
	name := c.Name
	if c.ExternalID != nil {
		name += " (" + *c.ExternalID + ")"
	}
	return listing.Item{ID: c.ID, Name: name, Resource: m, Err: err}, true
}
