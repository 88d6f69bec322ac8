package subscription

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// ModifyPlan decides the value of every computed attribute, refuses what cannot work, and puts the state's value back where
// configuration and state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var p planning
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		refuseDestroy(p.state, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		p.create(&resp.Diagnostics)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
		return
	}
	p.own = private.Get[owned](ctx, req.Private, keyOwned, &resp.Diagnostics)
	if r.Conn != nil {
		p.defaults = r.Conn.Defaults
	}
	p.update(&resp.Diagnostics)
	switch {
	case p.state.Status.ValueString() != statusCanceled:
		p.refuseReplacement(&resp.Diagnostics)
	case p.canceled(&resp.Diagnostics):
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
}

// planning is a plan in the making.
type planning struct {
	config, state, planned model
	own                    owned
	defaults               conn.Defaults
}

func refuseDestroy(state model, diags *diag.Diagnostics) {
	policy.Refuse(state.DeletionPolicy, state.words(), "\"cancel\" or \"cancel_at_period_end\"", diags)
	cancels := state.DeletionPolicy.ValueString() == policyCancel || state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if cancels && state.AllowCancel.Equal(types.BoolValue(false)) && state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service refuses to cancel it, and nothing was changed. Set allow_cancel = true and apply that first, "+
				"or set deletion_policy = \"abandon\" to only forget it here.", state.words()))
	}
}

// refuseReplacement refuses a plan that makes another subscription where this one could not be canceled before: both would charge.
func (p *planning) refuseReplacement(diags *diag.Diagnostics) {
	m, state := &p.planned, p.state
	if m.BillingAccountID.Equal(state.BillingAccountID) && m.CompanyID.Equal(state.CompanyID) && m.ProductGroupID.Equal(state.ProductGroupID) {
		return
	}
	if !p.own.applied() {
		diags.AddError("An import replaces nothing",
			fmt.Sprintf("%s was imported and has billing_account_id %s, company_id %s and product_group_id %s. The configuration names others, which only a new subscription can have: "+
				"this one would be canceled, and the new one would charge. Write what the subscription has; a replacement can be planned once that is applied.", state.words(), state.BillingAccountID, state.CompanyID, state.ProductGroupID))
		return
	}
	refuseDestroy(state, diags)
	if at := state.DeletionPolicy.ValueString(); at == policy.Abandon || at == policyCancelAtPeriodEnd {
		diags.AddAttributeError(path.Root(policy.Attribute), "Two subscriptions would charge",
			fmt.Sprintf("This plan replaces %s, which was applied with deletion_policy = %q: it would go on beside the new one. To replace it, set deletion_policy = \"cancel\" "+
				"and apply that first. To have both, give the new one a block of its own.", lower(state.words()), at))
	}
}

// create leaves to apply what only the service can say.
func (p *planning) create(diags *diag.Diagnostics) {
	m, config := &p.planned, p.config
	m.CustomMetadata = config.CustomMetadata
	m.Items = withQuantities(config.Items)
	m.CurrentPlanID, m.PendingPlanID = config.PlanID, types.StringNull()
	m.CanceledAt, m.ResumedAt = types.StringNull(), types.StringNull()
	m.CompanyID, m.ProductGroupID = config.CompanyID, config.ProductGroupID
	if config.PlanChange.IsNull() {
		m.PlanChange = planChangeOf(timingImmediate)
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = types.BoolValue(false)
	}
	if config.TrialPeriodDays.IsNull() {
		m.TrialPeriodDays = types.Int64Null()
	}
	if config.Pause.IsNull() {
		m.PausedAt, m.ResumesAt = types.StringNull(), types.StringNull()
	}
	if end, ok := fwtype.ParseMoment(config.TrialEnd.ValueString()); ok && end.Before(time.Now()) {
		diags.AddAttributeError(path.Root("trial_end"), "The trial would have ended already",
			fmt.Sprintf("trial_end is %s, which is in the past. Write a later moment, or leave the argument out for a subscription without a trial.", config.TrialEnd.ValueString()))
	}
}

// update starts from the state's computed values and makes unknown only what the transitions can touch.
func (p *planning) update(diags *diag.Diagnostics) {
	p.keepComputed()
	p.keepUnconfigured()
	p.keepTrial(diags)
	m, state := &p.planned, p.state
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	m.CustomMetadata, m.EffectiveCustomMetadata = p.own.of(m.CustomMetadataMode, p.defaults.Object).PlanAttribute(p.config.CustomMetadata,
		state.CustomMetadata, state.EffectiveCustomMetadata, p.defaults.Unknown, state.words(), diags)
	asked := m.transitions(state)
	p.refuse(asked, diags)
	for _, t := range asked {
		for _, name := range touches[t] {
			if name == "billing_cycle" && !p.config.BillingCycle.IsNull() {
				continue
			}
			forget[name](m)
		}
		m.plannedBy(t)
	}
}

func (p *planning) keepComputed() {
	m, state := &p.planned, p.state
	m.ID, m.PublicID, m.Status, m.CreatedAt, m.UpdatedAt = state.ID, state.PublicID, state.Status, state.CreatedAt, state.UpdatedAt
	m.CurrentPlanID, m.PendingPlanID, m.Metadata = state.CurrentPlanID, state.PendingPlanID, state.Metadata
	m.CurrentPeriodStart, m.CurrentPeriodEnd, m.CycleBillingDate = state.CurrentPeriodStart, state.CurrentPeriodEnd, state.CycleBillingDate
	m.TrialStart, m.ActivatedAt, m.ConfirmedAt, m.CanceledAt = state.TrialStart, state.ActivatedAt, state.ConfirmedAt, state.CanceledAt
	m.PausedAt, m.ResumesAt, m.ResumedAt = state.PausedAt, state.ResumesAt, state.ResumedAt
	m.RecurringAmountCents, m.RenewalSettings, m.Commitment = state.RecurringAmountCents, state.RenewalSettings, state.Commitment
}

// refuse reports what the service would refuse for what it says of the subscription, whether the configuration repeats that or not.
func (p *planning) refuse(asked []transition, diags *diag.Diagnostics) {
	if slices.Contains(asked, pauseIt) && p.planned.AllowPause.Equal(types.BoolValue(false)) && p.config.AllowPause.IsNull() {
		diags.AddAttributeError(path.Root("pause"), "The subscription may not be paused",
			fmt.Sprintf("%s has allow_pause = false, so the service would refuse to pause. Remove pause, or set allow_pause = true.", p.state.words()))
	}
	if slices.Contains(asked, scheduleCancel) && p.planned.AllowCancel.Equal(types.BoolValue(false)) && p.config.AllowCancel.IsNull() {
		diags.AddAttributeError(path.Root("cancel_at_period_end"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service would refuse to cancel. Remove cancel_at_period_end, or set allow_cancel = true.", p.state.words()))
	}
}

// keepUnconfigured leaves as it is what the configuration does not name, and clears what it gave up.
func (p *planning) keepUnconfigured() {
	m, config, state := &p.planned, p.config, p.state
	if config.CompanyID.IsNull() {
		m.CompanyID = state.CompanyID
	}
	if config.ProductGroupID.IsNull() {
		m.ProductGroupID = state.ProductGroupID
	}
	if config.BillingCycle.IsNull() {
		m.BillingCycle = state.BillingCycle
	}
	if config.ProrationBehavior.IsNull() {
		m.ProrationBehavior = state.ProrationBehavior
	}
	if config.AllowPause.IsNull() {
		m.AllowPause = state.AllowPause
	}
	if config.AllowCancel.IsNull() {
		m.AllowCancel = state.AllowCancel
	}
	if config.CollectionMethod.IsNull() {
		m.CollectionMethod = unless(p.own.had(argCollectionMethod), state.CollectionMethod, types.StringNull())
	}
	if config.NfeIssuancePolicy.IsNull() {
		m.NfeIssuancePolicy = unless(p.own.had(argNfeIssuancePolicy), state.NfeIssuancePolicy, types.StringNull())
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = unless(p.own.had(argCancelAtPeriodEnd), state.CancelAtPeriodEnd, types.BoolValue(false))
	}
	m.PlanChange = p.planChange()
	m.Items = withQuantities(config.Items)
	switch {
	case config.Items.IsNull():
		m.Items = unless(p.own.had(argItems), state.Items, types.SetNull(itemType))
	case !state.Items.IsNull() && meansItems(m.Items, state.Items, p.own.itemsAsListed()):
		m.Items = state.Items
	}
}

// planChange is plan_change, which says something of a change of plan alone: without one it stays as it was.
func (p *planning) planChange() types.Object {
	switch {
	case p.planned.PlanID.Equal(p.state.PlanID) && !p.state.PlanChange.IsNull():
		return p.state.PlanChange
	case p.config.PlanChange.IsNull():
		return planChangeOf(timingImmediate)
	default:
		return p.config.PlanChange
	}
}

func unless[T any](given bool, kept, cleared T) T {
	if given {
		return cleared
	}
	return kept
}

// keepTrial holds the arguments of the trial, which only a creation uses, to what they were.
func (p *planning) keepTrial(diags *diag.Diagnostics) {
	m, config, state := &p.planned, p.config, p.state
	differs := ""
	if config.TrialEnd.IsNull() || !state.TrialEnd.IsNull() {
		m.TrialEnd = state.TrialEnd
	}
	if !config.TrialEnd.IsNull() && !config.TrialEnd.IsUnknown() && !config.TrialEnd.Means(state.TrialEnd) {
		differs = "trial_end"
	}
	if config.TrialPeriodDays.IsNull() || !state.TrialPeriodDays.IsNull() {
		m.TrialPeriodDays = state.TrialPeriodDays
	}
	if !config.TrialPeriodDays.IsNull() && !config.TrialPeriodDays.IsUnknown() && !config.TrialPeriodDays.Equal(state.TrialPeriodDays) {
		differs = "trial_period_days"
	}
	if differs != "" {
		diags.AddAttributeWarning(path.Root(differs), differs+" is only used when the subscription is created",
			fmt.Sprintf("%s exists already, and the service offers no way to change its trial, so %s has no effect. Take the argument back to what it was.", state.words(), differs))
	}
}

// words names the subscription at the beginning of a sentence.
func (m model) words() string {
	text := "Subscription"
	if external := m.ExternalID.ValueString(); external != "" {
		text += fmt.Sprintf(" %q", external)
	}
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
