package customer

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
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
		MarkdownDescription: "Lists the customers of the organization, oldest first, for import with `terraform query`. Without filters: all of them.",
		Attributes: map[string]schema.Attribute{
			"search":          schema.StringAttribute{Optional: true, MarkdownDescription: "Free text that the service looks for in customers."},
			"external_id":     schema.StringAttribute{Optional: true, MarkdownDescription: "Only the customer with this external_id."},
			"document_number": schema.StringAttribute{Optional: true, MarkdownDescription: "Only customers with this tax number, whatever its mask."},
			"updated_at_gte": schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: "Only customers changed at or after this ISO 8601 date or time."},
		},
	}
}

// List streams customers, each with the whole resource: a page of the listing holds all of it, so no request is made per customer.
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
	stream.Results = func(push func(list.ListResult) bool) {
		for customer, err := range client.ListCustomers(ctx, query) {
			if err != nil {
				var diags diag.Diagnostics
				apidiag.Add(&diags, err, apidiag.Doing{Verb: "list", Object: "customers"})
				push(list.ListResult{Diagnostics: diags})
				return
			}
			if !push(listResult(ctx, req, &customer)) {
				return
			}
		}
	}
}

func listResult(ctx context.Context, req list.ListRequest, c *billing.Customer) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = c.Name
	if c.ExternalID != nil {
		result.DisplayName += " (" + *c.ExternalID + ")"
	}
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{ID: types.StringValue(c.ID), ExternalID: types.StringNull()})...)
	if !req.IncludeResource {
		return result
	}
	state, err := fromAPI(c)
	if err != nil {
		result.Diagnostics.AddWarning("Unreadable customer", fmt.Sprintf("Customer %s is listed without its attributes: %s.", c.ID, err))
		return result
	}
	// Generated configuration writes every optional argument, and these two only repeat an item of the lists beside them.
	state.Email, state.Phone = types.StringNull(), types.StringNull()
	result.Diagnostics.Append(result.Resource.Set(ctx, state)...)
	return result
}
