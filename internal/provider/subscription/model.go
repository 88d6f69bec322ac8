package subscription

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID                   types.String    `tfsdk:"id"`
	PublicID             types.String    `tfsdk:"public_id"`
	BillingAccountID     types.String    `tfsdk:"billing_account_id"`
	ExternalID           types.String    `tfsdk:"external_id"`
	PlanID               types.String    `tfsdk:"plan_id"`
	CurrentPlanID        types.String    `tfsdk:"current_plan_id"`
	PendingPlanID        types.String    `tfsdk:"pending_plan_id"`
	CompanyID            types.String    `tfsdk:"company_id"`
	ProductGroupID       types.String    `tfsdk:"product_group_id"`
	DiscountCodeID       types.String    `tfsdk:"discount_code_id"`
	DiscountPercent      fwtype.Decimal  `tfsdk:"discount_percent"`
	BillingCycle         types.String    `tfsdk:"billing_cycle"`
	CollectionMethod     types.String    `tfsdk:"collection_method"`
	TrialStart           types.String    `tfsdk:"trial_start"`
	TrialEnd             fwtype.DateTime `tfsdk:"trial_end"`
	ProrationBehavior    types.String    `tfsdk:"proration_behavior"`
	NfeIssuancePolicy    types.String    `tfsdk:"nfe_issuance_policy"`
	AllowPause           types.Bool      `tfsdk:"allow_pause"`
	AllowCancel          types.Bool      `tfsdk:"allow_cancel"`
	Notes                types.String    `tfsdk:"notes"`
	CancelAtPeriodEnd    types.Bool      `tfsdk:"cancel_at_period_end"`
	CancellationReason   types.String    `tfsdk:"cancellation_reason"`
	Pause                types.Object    `tfsdk:"pause"`
	Status               types.String    `tfsdk:"status"`
	CurrentPeriodStart   types.String    `tfsdk:"current_period_start"`
	CurrentPeriodEnd     types.String    `tfsdk:"current_period_end"`
	CycleBillingDate     types.String    `tfsdk:"cycle_billing_date"`
	ActivatedAt          types.String    `tfsdk:"activated_at"`
	ConfirmedAt          types.String    `tfsdk:"confirmed_at"`
	CanceledAt           types.String    `tfsdk:"canceled_at"`
	ProposalID           types.String    `tfsdk:"proposal_id"`
	PausedAt             types.String    `tfsdk:"paused_at"`
	ResumesAt            types.String    `tfsdk:"resumes_at"`
	ResumedAt            types.String    `tfsdk:"resumed_at"`
	RecurringAmountCents types.Int64     `tfsdk:"recurring_amount_cents"`
	RenewalSettings      types.String    `tfsdk:"renewal_settings"`
	Commitment           types.String    `tfsdk:"commitment"`
	Metadata             types.String    `tfsdk:"metadata"`
	CreatedAt            types.String    `tfsdk:"created_at"`
	UpdatedAt            types.String    `tfsdk:"updated_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	shared
	PlanChange              types.Object   `tfsdk:"plan_change"`
	Items                   types.Set      `tfsdk:"items"`
	TrialPeriodDays         types.Int64    `tfsdk:"trial_period_days"`
	CustomMetadata          metadata.Value `tfsdk:"custom_metadata"`
	EffectiveCustomMetadata types.String   `tfsdk:"effective_custom_metadata"`
	CustomMetadataMode      types.String   `tfsdk:"custom_metadata_mode"`
	DeletionPolicy          types.String   `tfsdk:"deletion_policy"`
	OnExternalCancel        types.String   `tfsdk:"on_external_cancel"`
}

// fromAPI builds the whole model of a subscription, as an import sees it: the whole custom_metadata, and the defaults
// for what only this provider knows. Items are read apart, see withItems.
func fromAPI(s *billing.Subscription) (model, error) {
	custom, effective, err := metadata.Import(s.CustomMetadata)
	if err != nil {
		return model{}, fmt.Errorf("custom_metadata of subscription %s: %w", s.ID, err)
	}
	m := model{
		shared: shared{
			ID:                   types.StringValue(s.ID),
			PublicID:             wire.TextOrNull(s.PublicID),
			BillingAccountID:     wire.TextOrNull(s.BillingAccountID),
			ExternalID:           wire.FilledOrNull(s.ExternalID),
			PlanID:               types.StringPointerValue(s.PlanID),
			CurrentPlanID:        types.StringPointerValue(s.PlanID),
			PendingPlanID:        wire.TextOrNull(s.PendingPlanID()),
			CompanyID:            types.StringPointerValue(s.CompanyID),
			ProductGroupID:       types.StringPointerValue(s.ProductGroupID),
			DiscountCodeID:       types.StringPointerValue(s.DiscountCodeID),
			DiscountPercent:      fwtype.DecimalPointer(s.DiscountPercent),
			BillingCycle:         wire.TextOrNull(s.BillingCycle),
			CollectionMethod:     types.StringPointerValue(s.CollectionMethod),
			TrialStart:           types.StringPointerValue(s.TrialStart),
			TrialEnd:             fwtype.DateTimePointer(s.TrialEnd),
			ProrationBehavior:    wire.TextOrNull(s.ProrationBehavior),
			NfeIssuancePolicy:    types.StringPointerValue(s.NfeIssuancePolicy),
			AllowPause:           types.BoolPointerValue(s.AllowPause),
			AllowCancel:          types.BoolPointerValue(s.AllowCancel),
			Notes:                wire.FilledOrNull(s.Notes),
			CancelAtPeriodEnd:    types.BoolValue(s.CancelAtPeriodEnd),
			CancellationReason:   wire.FilledOrNull(s.CancellationReason),
			Pause:                pauseOf(s),
			Status:               wire.TextOrNull(s.Status),
			CurrentPeriodStart:   wire.TextOrNull(s.CurrentPeriodStart),
			CurrentPeriodEnd:     wire.TextOrNull(s.CurrentPeriodEnd),
			CycleBillingDate:     wire.TextOrNull(s.CycleBillingDate),
			ActivatedAt:          types.StringPointerValue(s.ActivatedAt),
			ConfirmedAt:          types.StringPointerValue(s.ConfirmedAt),
			CanceledAt:           types.StringPointerValue(s.CanceledAt),
			ProposalID:           types.StringPointerValue(s.ProposalID),
			PausedAt:             types.StringPointerValue(s.PausedAt),
			ResumesAt:            types.StringPointerValue(s.ResumesAt),
			ResumedAt:            types.StringPointerValue(s.ResumedAt),
			RecurringAmountCents: types.Int64PointerValue(s.RecurringAmountCents),
			RenewalSettings:      wire.JSONText(s.RenewalSettings),
			Commitment:           wire.AnyJSONText(s.Commitment),
			Metadata:             wire.JSONText(s.Metadata),
			CreatedAt:            wire.TextOrNull(s.CreatedAt),
			UpdatedAt:            wire.TextOrNull(s.UpdatedAt),
		},
		PlanChange:              planChangeOf(timingImmediate),
		Items:                   types.SetNull(itemType),
		TrialPeriodDays:         trialDays(s),
		CustomMetadata:          custom,
		EffectiveCustomMetadata: effective,
		CustomMetadataMode:      types.StringValue(metadata.ModeMerge),
		DeletionPolicy:          types.StringValue(policyCancel),
		OnExternalCancel:        types.StringValue(externalCancelKeep),
	}
	if !m.PendingPlanID.IsNull() {
		m.PlanID, m.PlanChange = m.PendingPlanID, planChangeOf(timingEndOfPeriod)
	}
	return m, nil
}

// preserve carries over from prior (a state, or the plan that was just carried out) what the service never returns, and
// the way prior writes what can be written in more than one way. remote is the subscription that m was built from.
func (m model) preserve(prior model, remote *billing.Subscription, own ownership) model {
	m.PlanChange, m.TrialPeriodDays = prior.PlanChange, prior.TrialPeriodDays
	m.CustomMetadataMode, m.DeletionPolicy, m.OnExternalCancel = prior.CustomMetadataMode, prior.DeletionPolicy,
		prior.OnExternalCancel
	m.Items = prior.Items
	m.BillingAccountID, m.PlanID = fwtype.KeepID(prior.BillingAccountID,
		m.BillingAccountID), fwtype.KeepID(prior.PlanID, m.PlanID)
	m.CompanyID, m.ProductGroupID = fwtype.KeepID(prior.CompanyID, m.CompanyID), fwtype.KeepID(prior.ProductGroupID,
		m.ProductGroupID)
	m.DiscountCodeID = fwtype.KeepID(prior.DiscountCodeID, m.DiscountCodeID)
	m.CurrentPlanID, m.PendingPlanID = fwtype.KeepID(prior.CurrentPlanID,
		m.CurrentPlanID), fwtype.KeepID(prior.PendingPlanID, m.PendingPlanID)
	if m.CancellationReason.IsNull() && own.had(argCancellationReason) {
		// The service records a reason only with a cancellation. Until then the state has the configured one.
		m.CancellationReason = wire.Known(prior.CancellationReason)
	}
	m.DiscountPercent = m.DiscountPercent.Or(prior.DiscountPercent)
	m.TrialEnd = m.TrialEnd.Or(prior.TrialEnd)
	if m.TrialEnd.IsNull() && !prior.TrialEnd.IsUnknown() {
		// Asked for when it was too late.
		m.TrialEnd = prior.TrialEnd
	}
	m.Pause = pauseLike(prior.Pause, m.Pause, remote)
	if own.Pending.holds(remote) {
		m.PlanID, m.PendingPlanID = types.StringValue(own.Pending.To), types.StringValue(own.Pending.To)
	}
	if remote.Status == statusCanceled {
		return m.withArgumentsOf(prior)
	}
	m.CustomMetadata, m.EffectiveCustomMetadata = own.Metadata.Under(prior.CustomMetadataMode).
		Read(prior.CustomMetadata, prior.EffectiveCustomMetadata, m.CustomMetadata)
	return m
}

// after is the state after a response that shows s, where m is what was planned or known before; false means that the
// response is unreadable, which it has reported.
func (m model) after(s *billing.Subscription, own ownership, diags *diag.Diagnostics) (model, bool) {
	state, err := fromAPI(s)
	if err != nil {
		apidiag.Unreadable(diags, err)
		return m, false
	}
	return state.preserve(m, s, own), true
}

// emptyCollections writes what an imported subscription has none of as empty: a configuration that leaves it out and
// one that writes it empty both plan nothing then.
func (m *model) emptyCollections() {
	if m.Items.IsNull() {
		m.Items = types.SetValueMust(itemType, nil)
	}
	m.CustomMetadata = m.CustomMetadata.OrEmpty()
}

// sameID reports whether both name the same object, or none.
func sameID(a, b types.String) bool { return fwtype.KeepID(a, b).Equal(a) }

// trialDays is the length of a trial that lasts whole days, as trial_period_days would have made it.
func trialDays(s *billing.Subscription) types.Int64 {
	const day = 24 * time.Hour
	if s.TrialStart == nil || s.TrialEnd == nil {
		return types.Int64Null()
	}
	start, okStart := api.Moment(*s.TrialStart)
	end, okEnd := api.Moment(*s.TrialEnd)
	length := end.Sub(start)
	if !okStart || !okEnd || length < 0 || length%day != 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(length / day))
}

// withoutUnknown is a planned model that leaves out what only the service can say.
func (m model) withoutUnknown() model {
	for _, text := range []*types.String{&m.BillingCycle, &m.CollectionMethod, &m.ProrationBehavior,
		&m.NfeIssuancePolicy} {
		*text = wire.Known(*text)
	}
	if m.TrialEnd.IsUnknown() {
		m.TrialEnd = fwtype.DateTimePointer(nil)
	}
	for _, allowed := range []*types.Bool{&m.AllowPause, &m.AllowCancel} {
		if allowed.IsUnknown() {
			*allowed = types.BoolNull()
		}
	}
	return m
}

// toCreate is the body that creates the subscription as planned, with desired as its custom_metadata. What is not
// configured is left out, so that the service's own defaults hold.
func (m model) toCreate(desired metadata.Owned) billing.SubscriptionCreate {
	return billing.SubscriptionCreate{
		BillingAccountID:  m.BillingAccountID.ValueString(),
		ExternalID:        m.ExternalID.ValueStringPointer(),
		CompanyID:         m.CompanyID.ValueStringPointer(),
		ProductGroupID:    m.ProductGroupID.ValueStringPointer(),
		DiscountCodeID:    m.DiscountCodeID.ValueStringPointer(),
		PlanID:            m.PlanID.ValueStringPointer(),
		BillingCycle:      m.BillingCycle.ValueStringPointer(),
		CollectionMethod:  m.CollectionMethod.ValueStringPointer(),
		TrialEnd:          m.TrialEnd.ValueStringPointer(),
		TrialPeriodDays:   m.TrialPeriodDays.ValueInt64Pointer(),
		ProrationBehavior: m.ProrationBehavior.ValueStringPointer(),
		NfeIssuancePolicy: m.NfeIssuancePolicy.ValueStringPointer(),
		Notes:             m.Notes.ValueStringPointer(),
		Items:             itemsTo(m.Items),
		CustomMetadata:    desired.Payload(),
	}
}

// afterCreate is the update with what is configured and a creation cannot carry.
func (m model) afterCreate(state model) billing.SubscriptionUpdate {
	var update billing.SubscriptionUpdate
	if !m.DiscountPercent.IsNull() {
		update.DiscountPercent = wireDiscount(m, state)
	}
	if !m.AllowPause.IsNull() {
		update.AllowPause = wire.Changed(m.AllowPause, state.AllowPause, types.Bool.ValueBool)
	}
	if !m.AllowCancel.IsNull() {
		update.AllowCancel = wire.Changed(m.AllowCancel, state.AllowCancel, types.Bool.ValueBool)
	}
	return update
}

// toUpdate is the body of an update that takes the subscription from state to m. A plan goes through change-plan,
// unless it is cleared; a scheduled cancellation goes through cancel, unless it is taken back.
func (m model) toUpdate(state model) billing.SubscriptionUpdate {
	update := m.plainUpdate(state)
	update.DiscountPercent = wireDiscount(m, state)
	update.DiscountCodeID = wire.Text(m.DiscountCodeID, state.DiscountCodeID)
	update.BillingCycle = wire.Text(m.BillingCycle, state.BillingCycle)
	if m.BillingCycle.IsUnknown() {
		update.BillingCycle = api.Field[string]{}
	}
	if m.PlanID.IsNull() {
		update.PlanID = wire.Text(m.PlanID, state.PlanID)
	}
	if !m.CancelAtPeriodEnd.ValueBool() && state.CancelAtPeriodEnd.ValueBool() {
		update.CancelAtPeriodEnd = api.Set(false)
	}
	return update
}

// plainUpdate holds the fields whose change touches nothing else; see touches.
func (m model) plainUpdate(state model) billing.SubscriptionUpdate {
	return billing.SubscriptionUpdate{
		ExternalID:        wire.Text(m.ExternalID, state.ExternalID),
		CollectionMethod:  wire.Text(m.CollectionMethod, state.CollectionMethod),
		ProrationBehavior: wire.Text(m.ProrationBehavior, state.ProrationBehavior),
		NfeIssuancePolicy: wire.Text(m.NfeIssuancePolicy, state.NfeIssuancePolicy),
		AllowPause:        wire.Changed(m.AllowPause, state.AllowPause, types.Bool.ValueBool),
		AllowCancel:       wire.Changed(m.AllowCancel, state.AllowCancel, types.Bool.ValueBool),
		Notes:             wire.Text(m.Notes, state.Notes),
	}
}

func wireDiscount(m, state model) api.Field[json.Number] {
	if m.DiscountPercent.Means(state.DiscountPercent) {
		return api.Field[json.Number]{}
	}
	return wire.Changed(m.DiscountPercent, state.DiscountPercent,
		func(d fwtype.Decimal) json.Number { return json.Number(d.ValueString()) })
}

// displayName names the subscription inside a sentence. One without a name and an id is known by its account.
func (m model) displayName() string {
	name := "subscription"
	external, id, account := m.ExternalID.ValueString(), m.ID.ValueString(), m.BillingAccountID.ValueString()
	if external != "" {
		name += fmt.Sprintf(" %q", external)
	}
	switch {
	case id != "":
		name += " (id " + id + ")"
	case external == "" && account != "":
		name += fmt.Sprintf(" of billing account %q", account)
	}
	return name
}

// title is displayName at the beginning of a sentence.
func (m model) title() string { return apidiag.Capitalize(m.displayName()) }

// Policy implements object.HasPolicy.
func (m model) Policy() object.Policy {
	of := object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: policyCancel}
	if m.Status.ValueString() != statusCanceled {
		of.Stays = "Each period is charged" + m.charge() + " until it is canceled at the service."
	}
	return of
}
