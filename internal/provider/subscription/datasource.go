package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// NewDataSource returns the data source of one subscription.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI, completeItems)
}

// NewListDataSource returns the data source of many subscriptions.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

// dataModel is a subscription that is only read.
type dataModel struct {
	shared
	Items          types.Set    `tfsdk:"items"`
	CustomMetadata types.String `tfsdk:"custom_metadata"`
}

// dataFromAPI is the subscription as a data source shows it, without its items. plan_id means the same as in the
// resource: what was asked for.
func dataFromAPI(s *billing.Subscription) (dataModel, error) {
	m, err := fromAPI(s)
	return dataModel{shared: m.shared, Items: types.SetNull(dataItemType), CustomMetadata: m.EffectiveCustomMetadata},
		err
}

// withItems is dataFromAPI with the items, which take one more request.
func (r *itemReader) withItems(ctx context.Context) func(*billing.Subscription) (dataModel, error) {
	return func(s *billing.Subscription) (dataModel, error) {
		m, err := dataFromAPI(s)
		if err != nil {
			return m, err
		}
		listed, known, err := r.read(ctx, s)
		m.Items = dataItems(listed, known)
		return m, err
	}
}

// completeItems adds the items to the data source of one.
func completeItems(ctx context.Context, client *billing.Service, s *billing.Subscription, m *dataModel,
	diags *diag.Diagnostics) {
	reader := itemReader{client: client, diags: diags}
	listed, known, err := reader.read(ctx, s)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: "subscription (id " + s.ID + ")"})
	}
	m.Items = dataItems(listed, known)
}

// dataAttributes are the attributes of a subscription that is only read. items says when they are read.
func dataAttributes(items string) object.Attributes {
	attributes := object.Attributes{
		"items": dataItemsAttribute(items),
		"plan_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the requested " +
			"plan: the pending plan if there is one, otherwise the active plan."},
		"recurring_amount_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: about["recurring_amount_cents"]},
		"discount_percent": schema.StringAttribute{Computed: true, CustomType: fwtype.DecimalType{},
			MarkdownDescription: about["discount_percent"]},
		"trial_end": schema.StringAttribute{Computed: true, CustomType: fwtype.DateTimeType{},
			MarkdownDescription: about["trial_end"]},
		"pause": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The current pause; null if the " +
			"subscription is not paused.",
			Attributes: map[string]schema.Attribute{
				"behavior": schema.StringAttribute{Computed: true, MarkdownDescription: "How invoices that are created during " +
					"the pause are handled."},
				"resumes_at": schema.StringAttribute{Computed: true, CustomType: fwtype.DateTimeType{},
					MarkdownDescription: "When the pause ends automatically, ISO 8601; null if it is ended manually."},
			}},
	}
	for _, name := range []string{"allow_pause", "allow_cancel", "cancel_at_period_end"} {
		attributes[name] = schema.BoolAttribute{Computed: true, MarkdownDescription: about[name]}
	}
	attributes.Texts(about, "billing_account_id", "external_id", "company_id", "product_group_id", "discount_code_id",
		"billing_cycle", "collection_method", "proration_behavior", "nfe_issuance_policy", "notes", "cancellation_reason")
	attributes.Texts(about, computedTexts...)
	attributes.CustomMetadata()
	return attributes
}

// dataSchema describes the data source of one.
func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One subscription, found by its `id` or its `external_id`. One that is not canceled is " +
			"preferred to a canceled one with the same `external_id`; no match, or more than one, is an error. By `id` this " +
			"takes two requests, one of them for the items; otherwise it reads the list of subscriptions, which the service " +
			"filters, instead of the first.",
		Attributes: dataAttributes("They take one more request.").KeyIsUUID(),
	}
}

// filters narrow the listings of subscriptions.
type filters struct {
	ExternalID       types.String `tfsdk:"external_id"`
	BillingAccountID types.String `tfsdk:"billing_account_id"`
	PlanID           types.String `tfsdk:"plan_id"`
	Status           types.String `tfsdk:"status"`
	UpdatedAtGTE     types.String `tfsdk:"updated_at_gte"`
}

func (f filters) query() billing.SubscriptionQuery {
	return billing.SubscriptionQuery{ExternalID: f.ExternalID.ValueString(),
		BillingAccountID: f.BillingAccountID.ValueString(),
		PlanID:           f.PlanID.ValueString(), Status: f.Status.ValueString(), UpdatedAtGTE: f.UpdatedAtGTE.ValueString()}
}

// listDataModel is the data source of many subscriptions.
type listDataModel struct {
	filters
	object.Ordering
	IncludeItems  types.Bool  `tfsdk:"include_items"`
	Subscriptions []dataModel `tfsdk:"subscriptions"`
}

// listDataSchema describes the data source of many.
func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The subscriptions of the organization, canceled ones included, oldest first unless " +
			"`sort_by` and `sort_order` say otherwise." +
			object.Filtered + object.Paged,
		Attributes: object.Ordered("subscriptions", "current_period_end", object.Attributes{
			"external_id":        object.Filter("Only subscriptions with this `external_id`, canceled ones too."),
			"billing_account_id": object.FilterByID("Only subscriptions of the billing account with this id."),
			"plan_id": schema.StringAttribute{Optional: true, Validators: isIDOf("plan_id"),
				MarkdownDescription: "Only subscriptions with this active plan."},
			"status": object.Filter("Only subscriptions with this status, such as "+
				"`active`.", validate.KnownStatus(statuses...)),
			"updated_at_gte": object.UpdatedSince("subscriptions"),
			"include_items": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to read the `items` of each " +
				"subscription, with one more request each. Defaults to `false`."},
			"subscriptions": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The subscriptions, " +
				"in the order asked for.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes("Null unless `include_items` is `true`.")}},
		}),
	}
}

// readMany lists the subscriptions.
func readMany(ctx context.Context, client *billing.Service, m *listDataModel, diags *diag.Diagnostics) {
	query := m.query()
	query.Listing = m.Listing()
	show := dataFromAPI
	if m.IncludeItems.ValueBool() {
		items := itemReader{client: client, diags: diags}
		show = items.withItems(ctx)
	}
	m.Subscriptions = object.Many(client.ListSubscriptions(ctx, query), m.Limit, "subscriptions", show, diags)
}
