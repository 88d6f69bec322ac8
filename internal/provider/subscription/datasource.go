package subscription

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// NewDataSource returns the data source of one subscription.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI, completeItems)
}

// NewListDataSource returns the data source of several subscriptions.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

type dataModel struct {
	shared
	Items          types.Set    `tfsdk:"items"`
	CustomMetadata types.String `tfsdk:"custom_metadata"`
}

// dataFromAPI converts a subscription for a data source, without its items. As in the resource, plan_id is the
// requested plan.
func dataFromAPI(s *billing.Subscription) (dataModel, error) {
	m, err := fromAPI(s)
	return dataModel{shared: m.shared, Items: types.SetNull(dataItemType), CustomMetadata: m.EffectiveCustomMetadata},
		err
}

// complete adds the items to a subscription, with one more request.
func (r *itemReader) complete(ctx context.Context, s *billing.Subscription, m *dataModel) error {
	listed, known, err := r.read(ctx, s)
	m.Items = dataItems(listed, known)
	return err
}

// completeItems adds the items in the data source of one subscription.
func completeItems(ctx context.Context, client *billing.Service, s *billing.Subscription, _ tfsdk.Config, m *dataModel,
	diags *diag.Diagnostics) {
	if err := (&itemReader{client: client, diags: diags}).complete(ctx, s, m); err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: "subscription (id " + s.ID + ")"})
	}
}

// dataAttributes are the attributes of a subscription in a data source. items describes when items are read.
func dataAttributes(items string) object.Attributes {
	own := object.Attributes{"items": dataItemsAttribute(items)}
	own.CustomMetadata()
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"plan_id":             "Id of the requested plan: the pending plan if there is one, otherwise the active plan.",
		"cancellation_reason": "Recorded reason for the cancellation; null if none.",
		"proration_behavior": "How the service bills changes within a period: `create_prorations`, `none` or " +
			"`always_invoice`.",
		"pause":            "The current pause; null if not paused.",
		"pause.behavior":   "How invoices created during the pause are handled.",
		"pause.resumes_at": "When the pause ends automatically; null otherwise.",
	}, own)
}

// dataItemType is an item in a data source: that of the resource, with its id.
var dataItemType = func() types.ObjectType {
	fields := map[string]attr.Type{"id": types.StringType}
	for name, kind := range itemType.AttrTypes {
		fields[name] = kind
	}
	return types.ObjectType{AttrTypes: fields}
}()

// dataItems converts all listed items; null if the service does not list items.
func dataItems(listed []billing.SubscriptionItem, known bool) types.Set {
	if !known {
		return types.SetNull(dataItemType)
	}
	elements := make([]attr.Value, len(listed))
	for n, i := range listed {
		elements[n] = types.ObjectValueMust(dataItemType.AttrTypes, map[string]attr.Value{
			"id": types.StringValue(i.ID), "product_id": types.StringValue(i.ProductID),
			"price_id": types.StringValue(i.PriceID), "quantity": types.Int64Value(i.Quantity),
			"unit_amount_subcents": types.Int64PointerValue(i.UnitAmountSubcents)})
	}
	return types.SetValueMust(dataItemType, elements)
}

// dataItemsAttribute describes dataItems; when describes when they are read.
func dataItemsAttribute(when string) schema.SetNestedAttribute {
	return schema.SetNestedAttribute{Computed: true,
		MarkdownDescription: "Billed products, with or without a plan, in any order. " + when +
			" Null if the service does not list items, or the token may not read them.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the item."},
			"product_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the product."},
			"price_id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the price of the product."},
			"quantity": schema.Int64Attribute{Computed: true, CustomType: value.Whole,
				MarkdownDescription: "Quantity, 1 or more."},
			"unit_amount_subcents": schema.Int64Attribute{Computed: true, CustomType: value.Subcents,
				MarkdownDescription: "Amount per unit in subcents: `105012` is 10.5012 (see the function `format_subcents`); " +
					"null if the price's amount applies."},
		}}}
}

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One subscription, found by `id` or `external_id`. An uncanceled subscription takes " +
			"precedence over canceled ones with the same `external_id`; no match and several matches are errors. It takes " +
			"one request, or the filtered list, and one more request for the items.",
		Attributes: dataAttributes("They take one more request.").KeyIsUUID(),
	}
}

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

type listDataModel struct {
	filters
	object.Ordering
	IncludeItems  types.Bool  `tfsdk:"include_items"`
	Subscriptions []dataModel `tfsdk:"subscriptions"`
}

func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The subscriptions of the organization, canceled ones included, oldest first unless " +
			"`sort_by` and `sort_order` are set.",
		Attributes: object.Ordered("subscriptions", "current_period_end", object.Attributes{
			"external_id":        object.Filter("Only subscriptions with this `external_id`, canceled ones too."),
			"billing_account_id": object.FilterByID("Only subscriptions of the billing account with this id."),
			"plan_id": schema.StringAttribute{Optional: true, Validators: isIDOf("plan_id"),
				MarkdownDescription: "Only subscriptions with this active plan."},
			"status": object.Filter("Only subscriptions with this status, such as "+
				"`active`.", check.KnownStatus(statuses...)),
			"updated_at_gte": object.UpdatedSince("subscriptions"),
			"include_items": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to read `items`, with one " +
				"more request per subscription. Defaults to `false`."},
			"subscriptions": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The subscriptions, in the " +
				"requested order.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes("Null unless `include_items` is `true`.")}},
		}),
	}
}

func readMany(ctx context.Context, client *billing.Service, m *listDataModel, diags *diag.Diagnostics) {
	query := m.query()
	query.ListOptions = m.ListOptions()
	items := itemReader{client: client, diags: diags}
	show := func(s *billing.Subscription) (dataModel, error) {
		shown, err := dataFromAPI(s)
		if err == nil && m.IncludeItems.ValueBool() {
			err = items.complete(ctx, s, &shown)
		}
		return shown, err
	}
	m.Subscriptions = object.Many(client.ListSubscriptions(ctx, query), m.Ordering, "subscriptions", show, diags)
}

type lists = object.ListResource[*billing.Service, billing.Subscription, filters]

// ListResource lists subscriptions for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme,
		About: "Lists the subscriptions of the organization that are not canceled, oldest first, for `terraform query`. " +
			"`include_resource` includes the items, with one more request per subscription." +
			object.ListNeeds("billing_subscriptions"),
		Filters: object.Attributes{
			"external_id":        object.Filter("Only the subscription with this `external_id`."),
			"billing_account_id": object.FilterByID("Only subscriptions of the billing account with this id."),
			"plan_id":            object.Filter("Only subscriptions with this active plan.", isIDOf("plan_id")...),
			"status": object.Filter("Only subscriptions with this status, such as "+
				"`active`.", check.KnownStatus(statuses...)),
			"updated_at_gte": object.UpdatedSince("subscriptions"),
		},
		Query: func(ctx context.Context, client *billing.Service, m filters) iter.Seq2[billing.Subscription, error] {
			return client.ListSubscriptions(ctx, m.query())
		}}}
}

// List streams subscriptions, each with the whole resource. Canceled ones cannot be managed, so they are omitted.
// Generated configuration omits trial_end and trial_period_days, which only matter to a creation, and plan_change.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var items itemReader
	lister := l.lists
	lister.Describe = func(ctx context.Context, client *billing.Service, s *billing.Subscription) (object.ListItem, bool) {
		if s.Status == statusCanceled {
			return object.ListItem{}, false
		}
		var notes diag.Diagnostics
		items.client, items.diags = client, &notes
		m, err := fromAPI(s)
		if err == nil && req.IncludeResource { // otherwise the items, which require a request, are not used
			var listed []billing.SubscriptionItem
			listed, _, err = items.read(ctx, s)
			m.Items = seenItems(m.Items, listed)
		}
		m.TrialEnd, m.TrialPeriodDays = value.DateTimePointer(nil), types.Int64Null()
		m.PlanChange = types.ObjectNull(planType.AttrTypes)
		name := s.Status + " on " + s.BillingAccountID
		if s.ExternalID != nil {
			name = *s.ExternalID + " (" + s.Status + ")"
		}
		return object.ListItem{Name: name, Resource: m, Err: err, Notes: notes}, true
	}
	lister.List(ctx, req, stream)
}
