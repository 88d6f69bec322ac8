package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// DataSource is the data source of one subscription.
type DataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
)

// NewDataSource makes the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the type.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// dataModel is a subscription that is only read.
type dataModel struct {
	ID                      types.String `tfsdk:"id"`
	PublicID                types.String `tfsdk:"public_id"`
	BillingAccountID        types.String `tfsdk:"billing_account_id"`
	ExternalID              types.String `tfsdk:"external_id"`
	PlanID                  types.String `tfsdk:"plan_id"`
	CurrentPlanID           types.String `tfsdk:"current_plan_id"`
	PendingPlanID           types.String `tfsdk:"pending_plan_id"`
	CompanyID               types.String `tfsdk:"company_id"`
	ProductGroupID          types.String `tfsdk:"product_group_id"`
	DiscountCodeID          types.String `tfsdk:"discount_code_id"`
	DiscountPercent         types.String `tfsdk:"discount_percent"`
	BillingCycle            types.String `tfsdk:"billing_cycle"`
	CollectionMethod        types.String `tfsdk:"collection_method"`
	TrialStart              types.String `tfsdk:"trial_start"`
	TrialEnd                types.String `tfsdk:"trial_end"`
	ProrationBehavior       types.String `tfsdk:"proration_behavior"`
	NfeIssuancePolicy       types.String `tfsdk:"nfe_issuance_policy"`
	AllowPause              types.Bool   `tfsdk:"allow_pause"`
	AllowCancel             types.Bool   `tfsdk:"allow_cancel"`
	Notes                   types.String `tfsdk:"notes"`
	CancelAtPeriodEnd       types.Bool   `tfsdk:"cancel_at_period_end"`
	CancellationReason      types.String `tfsdk:"cancellation_reason"`
	Pause                   types.Object `tfsdk:"pause"`
	Status                  types.String `tfsdk:"status"`
	CurrentPeriodStart      types.String `tfsdk:"current_period_start"`
	CurrentPeriodEnd        types.String `tfsdk:"current_period_end"`
	CycleBillingDate        types.String `tfsdk:"cycle_billing_date"`
	ActivatedAt             types.String `tfsdk:"activated_at"`
	ConfirmedAt             types.String `tfsdk:"confirmed_at"`
	CanceledAt              types.String `tfsdk:"canceled_at"`
	ProposalID              types.String `tfsdk:"proposal_id"`
	PausedAt                types.String `tfsdk:"paused_at"`
	ResumesAt               types.String `tfsdk:"resumes_at"`
	ResumedAt               types.String `tfsdk:"resumed_at"`
	RecurringAmountCents    types.Int64  `tfsdk:"recurring_amount_cents"`
	RenewalSettings         types.String `tfsdk:"renewal_settings"`
	Commitment              types.String `tfsdk:"commitment"`
	Metadata                types.String `tfsdk:"metadata"`
	CustomMetadata          types.String `tfsdk:"custom_metadata"`
	EffectiveCustomMetadata types.String `tfsdk:"effective_custom_metadata"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

// dataFromAPI is the subscription as a data source shows it. plan_id means the same as in the resource: what was asked for.
func dataFromAPI(s *billing.Subscription) (dataModel, error) {
	m, err := fromAPI(s)
	return dataModel{
		ID: m.ID, PublicID: m.PublicID, BillingAccountID: m.BillingAccountID, ExternalID: m.ExternalID, PlanID: m.PlanID,
		CurrentPlanID: m.CurrentPlanID, PendingPlanID: m.PendingPlanID, CompanyID: m.CompanyID, ProductGroupID: m.ProductGroupID,
		DiscountCodeID: m.DiscountCodeID, DiscountPercent: m.DiscountPercent.StringValue, BillingCycle: m.BillingCycle,
		CollectionMethod: m.CollectionMethod, TrialStart: m.TrialStart, TrialEnd: m.TrialEnd.StringValue, ProrationBehavior: m.ProrationBehavior,
		NfeIssuancePolicy: m.NfeIssuancePolicy, AllowPause: m.AllowPause, AllowCancel: m.AllowCancel, Notes: m.Notes,
		CancelAtPeriodEnd: m.CancelAtPeriodEnd, CancellationReason: m.CancellationReason, Pause: pauseData(m),
		Status: m.Status, CurrentPeriodStart: m.CurrentPeriodStart, CurrentPeriodEnd: m.CurrentPeriodEnd, CycleBillingDate: m.CycleBillingDate,
		ActivatedAt: m.ActivatedAt, ConfirmedAt: m.ConfirmedAt, CanceledAt: m.CanceledAt, ProposalID: m.ProposalID, PausedAt: m.PausedAt, ResumesAt: m.ResumesAt,
		ResumedAt: m.ResumedAt, RecurringAmountCents: m.RecurringAmountCents, RenewalSettings: m.RenewalSettings, Commitment: m.Commitment,
		Metadata: m.Metadata, CustomMetadata: m.EffectiveCustomMetadata, EffectiveCustomMetadata: m.EffectiveCustomMetadata,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}, err
}

var pauseDataType = types.ObjectType{AttrTypes: map[string]attr.Type{"behavior": types.StringType, "resumes_at": types.StringType}}

func pauseData(m model) types.Object {
	if m.Pause.IsNull() {
		return types.ObjectNull(pauseDataType.AttrTypes)
	}
	behavior, resumesAt := pauseFields(m.Pause)
	return types.ObjectValueMust(pauseDataType.AttrTypes, map[string]attr.Value{"behavior": behavior, "resumes_at": resumesAt.StringValue})
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys("subscription", "id", "external_id")
	attributes.KeyIsUUID()
	resp.Schema = schema.Schema{
		MarkdownDescription: "One subscription, found by its `id` or its `external_id`. One that is not canceled is preferred to a canceled one with the same `external_id`; " +
			"no match, or more than one, is an error. By `id` this takes one request; otherwise it reads the list of subscriptions, which the service filters. " +
			"Items are not part of it.",
		Attributes: attributes,
	}
}

// ConfigValidators asks for exactly one way to find the subscription.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("external_id"))}
}

// Read finds the subscription.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := d.Conn.Billing.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	selector := scheme.Selector(config.ID.ValueString(), config.ExternalID.ValueString())
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	state, err := dataFromAPI(found)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable answer of the service", err.Error())
		return
	}
	if !config.ID.IsNull() {
		state.ID = config.ID // as it is written: the case of a UUID has no meaning
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// dataAttributes are the attributes of a subscription that is only read.
func dataAttributes() reading.Attributes {
	attributes := reading.Attributes{
		"plan_id":                schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the plan that was asked for: the pending one, or else the one that runs."},
		"recurring_amount_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: about["recurring_amount_cents"]},
		"pause": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The pause that runs; null while the subscription is not paused.",
			Attributes: map[string]schema.Attribute{
				"behavior":   schema.StringAttribute{Computed: true, MarkdownDescription: "What happens to invoices made during the pause."},
				"resumes_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the pause ends by itself, ISO 8601; null when it ends by hand."},
			}},
	}
	for _, name := range []string{"allow_pause", "allow_cancel", "cancel_at_period_end"} {
		attributes[name] = schema.BoolAttribute{Computed: true, MarkdownDescription: about[name]}
	}
	attributes.Texts(about, "billing_account_id", "external_id", "company_id", "product_group_id", "discount_code_id", "discount_percent",
		"billing_cycle", "collection_method", "trial_end", "proration_behavior", "nfe_issuance_policy", "notes", "cancellation_reason")
	attributes.Texts(about, computedTexts...)
	attributes.CustomMetadata()
	return attributes
}
