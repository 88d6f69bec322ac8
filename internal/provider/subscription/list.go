package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/listing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// ListResource lists subscriptions for `terraform query`.
type ListResource struct{ conn.Resource }

var _ list.ListResourceWithConfigure = (*ListResource)(nil)

// NewListResource makes the list resource.
func NewListResource() list.ListResource { return &ListResource{} }

// Metadata names the type, which is the resource's.
func (l *ListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

type listModel struct {
	ExternalID       types.String `tfsdk:"external_id"`
	BillingAccountID types.String `tfsdk:"billing_account_id"`
	PlanID           types.String `tfsdk:"plan_id"`
	Status           types.String `tfsdk:"status"`
	UpdatedAtGTE     types.String `tfsdk:"updated_at_gte"`
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the subscriptions of the organization that are not canceled, oldest first, so that `terraform query` can write their configuration and import them." + reading.Filtered +
			" Items are listed only for a subscription without a plan, with one more request each." + listing.Needs("billing_subscriptions"),
		Attributes: map[string]schema.Attribute{
			"external_id":        listing.Filter("Only the subscription with this `external_id`."),
			"billing_account_id": listing.FilterByID("Only subscriptions of the billing account with this id."),
			"plan_id":            listing.FilterByID("Only subscriptions that run on the plan with this id."),
			"status":             listing.Filter("Only subscriptions with this status, such as `active`.", validate.KnownStatus(statuses...)),
			"updated_at_gte": schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: reading.AboutUpdatedSince("subscriptions")},
		},
	}
}

// List streams subscriptions, each with the whole resource. Canceled ones cannot be managed, so they are left out.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listModel
	diags := req.Config.Get(ctx, &config)
	client, ready := l.Conn.Billing.For(typeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	query := billing.SubscriptionQuery{ExternalID: config.ExternalID.ValueString(), BillingAccountID: config.BillingAccountID.ValueString(),
		PlanID: config.PlanID.ValueString(), Status: config.Status.ValueString(), UpdatedAtGTE: config.UpdatedAtGTE.ValueString()}
	items := func(s *billing.Subscription) (types.Set, error) {
		if !req.IncludeResource || s.PlanID != nil {
			return types.SetNull(itemType), nil
		}
		return readItems(ctx, client, s.ID, types.SetNull(itemType))
	}
	stream.Results = listing.Stream(ctx, req, "subscriptions", scheme, client.ListSubscriptions(ctx, query),
		func(s *billing.Subscription) (listing.Item, bool) { return describe(s, items) })
}

// describe is a subscription in a listing. Items need a request, so they are only part of what cannot be configured without them: a
// subscription without a plan. Generated configuration needs neither trial_end nor
// trial_period_days: both only matter to a creation. Nor does it need plan_change.
func describe(s *billing.Subscription, items func(*billing.Subscription) (types.Set, error)) (listing.Item, bool) {
	if s.Status == statusCanceled {
		return listing.Item{}, false
	}
	m, err := fromAPI(s)
	if err == nil {
		m.Items, err = items(s)
	}
	m.TrialEnd, m.TrialPeriodDays = fwtype.DateTimePointer(nil), types.Int64Null()
	m.PlanChange = types.ObjectNull(planType.AttrTypes)
	name := s.Status + " on " + s.BillingAccountID
	if s.ExternalID != nil {
		name = *s.ExternalID + " (" + s.Status + ")"
	}
	return listing.Item{ID: s.ID, Name: name, Resource: m, Err: err}, true
}
