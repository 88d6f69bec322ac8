package subscription

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
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
	m.CustomMetadata, m.EffectiveCustomMetadata, _ = p.own.of(m.CustomMetadataMode, p.defaults.Object).PlanAttribute(p.config.CustomMetadata,
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
