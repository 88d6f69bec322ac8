package subscription

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// ModifyPlan decides the value of every computed attribute, rejects what cannot work, and puts the state's value back
// where configuration and state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	state := r.current(ctx, p.State)
	refuseDestroy(state, p.Diags)
	if !p.Diags.HasError() {
		warnCharges(state, p.Diags)
	}
}

// current is the subscription as the service has it. Terraform plans the removal of an object that is not in the
// configuration any more before it refreshes it, so its period may have ended long ago. Without a response it is the
// state.
func (r *Resource) current(ctx context.Context, state model) model {
	client, ready := r.Client()
	if !ready {
		return state
	}
	remote, err := scheme.Reread(ctx, client, state.ID.ValueString(), false)
	if err != nil {
		return state
	}
	now, err := fromAPI(remote)
	if err != nil {
		return state
	}
	now.DeletionPolicy = state.DeletionPolicy
	return now
}

func (r *Resource) planCreate(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	p.own = private.Owned[ownership](ctx, p.Private, p.Diags)
	before := private.Planned[forApply](ctx, p.Private, p.Diags)
	p.plannedCreate()
	p.refuseNew()
	if id := run.Replaced(ctx, p.Private, p.Diags); id != "" && !before.Replaces {
		// terraform plan -replace: the plan of the change did not know about it.
		p.replaces(r.current(ctx, model{shared: shared{ID: types.StringValue(id)},
			DeletionPolicy: types.StringValue(before.Policy)}))
	}
	next := forApply{Creates: &creation{TrialEnd: p.Planned.TrialEnd.ValueString()}}
	if p.checkAccount() {
		next.Creates.BillingAccountID = p.Planned.BillingAccountID.ValueString()
	}
	private.Plan(ctx, p.Private, next, p.Diags)
}

func (r *Resource) planUpdate(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	p.own = private.Owned[ownership](ctx, p.Private, p.Diags)
	applying := p.Run.Applying(typeName, p.State.ID.ValueString(), p.DeferralAllowed)
	canceled := p.State.Status.ValueString() == statusCanceled
	var forces []string
	if !canceled {
		p.plannedUpdate()
		forces = p.forces()
	} else if argument := p.planCanceled(); argument != "" {
		forces = []string{argument}
	}
	next := forApply{Owned: p.next, Steps: p.asked, Policy: p.State.DeletionPolicy.ValueString()}
	var at path.Paths
	for _, name := range forces {
		at = append(at, path.Root(name))
	}
	if next.Replaces = p.Update(ctx, p.State.ID.ValueString(), at...); next.Replaces {
		p.replaces(p.State)
		p.refuseSuspendedReplacement()
	} else {
		next.Forces = forces
		p.warnUnknownAccount()
	}
	if canceled && applying {
		p.Planned.Status = p.State.Status // nothing is replaced any more, see refuseForced
	}
	private.Plan(ctx, p.Private, next, p.Diags)
	kept := p.Planned
	kept.PlanChange = p.State.PlanChange
	if !applying && !p.Changes(ctx, kept) {
		p.Planned = kept // plan_change alone is no change, see planning.planChange
	}
}

// forApply is what a plan leaves for its apply.
type forApply struct {
	// Owned is what the configuration owns once all steps are done.
	Owned ownership `json:"owned"`
	// Steps are the transitions that the plan shows.
	Steps []string `json:"steps"`
	// Forces are the arguments that only a new subscription can have, in a plan that may not ask for one any more: they
	// were not known before, and have turned out different.
	Forces []string `json:"forces"`
	// Replaces says that the plan of the change asks for a new subscription, and Policy is the deletion_policy of the
	// present one: for the plan of the new one, which has no state.
	Replaces bool   `json:"replaces,omitempty"`
	Policy   string `json:"policy,omitempty"`
	// Creates is set in the plan of a new subscription: for the deletion of the one that it replaces.
	Creates *creation `json:"creates,omitempty"`
}

// creation is what the service may have come to reject by the time of the apply.
type creation struct {
	// BillingAccountID is an account that the plan has found active; "" for one that it could not check.
	BillingAccountID string `json:"billing_account_id,omitempty"`
	TrialEnd         string `json:"trial_end,omitempty"`
}

// planning is a plan in the making.
type planning struct {
	*object.Plan[model]
	ctx context.Context //nolint:containedctx // a planning lives as long as one call
	// own is what the configuration owns before the apply, next what it owns after it.
	own, next ownership
	// asked are the transitions that the plan needs.
	asked []string
	// otherItems says that items have to be sent.
	otherItems bool
	// adoptsItems says that the items are there already, as far as this plan knows: the one in the apply may see
	// others.
	adoptsItems bool
	defaults    metadata.Defaults
	// client is nil where the connection to the service is not known yet, or leads to another organization.
	client *billing.Service
}

func (r *Resource) planning(ctx context.Context, plan *object.Plan[model]) *planning {
	p := &planning{Plan: plan, ctx: ctx, defaults: r.Defaults()}
	if client, ready := r.Client(); ready && !r.Conn.Foreign() {
		p.client = client
	}
	return p
}

// past reports whether the service's clock has passed a date. A date or a clock that is not known has not passed.
func (p *planning) past(date fwtype.DateTime) bool {
	return p.client != nil && past(p.ctx, p.client, date.ValueString())
}

func past(ctx context.Context, client *billing.Service, date string) bool {
	at, ok := api.Moment(date)
	if !ok {
		return false
	}
	now, known := client.Now(ctx)
	return known && !at.After(now)
}

// plannedCreate leaves to the apply what only the service can say.
func (p *planning) plannedCreate() {
	m, config := &p.Planned, p.Config
	m.CustomMetadata = config.CustomMetadata
	m.Items = withQuantities(config.Items)
	m.CurrentPlanID, m.PendingPlanID = m.PlanID, types.StringNull()
	m.CanceledAt, m.ResumedAt = types.StringNull(), types.StringNull()
	m.CompanyID, m.ProductGroupID = config.CompanyID, config.ProductGroupID
	if config.PlanChange.IsNull() {
		m.PlanChange = planChangeOf(timingImmediate)
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = types.BoolValue(false)
	}
	if config.CancellationReason.IsNull() {
		m.CancellationReason = types.StringNull()
	}
	if config.TrialPeriodDays.IsNull() {
		m.TrialPeriodDays = types.Int64Null()
	}
	if config.Pause.IsNull() || p.pauseOver() {
		m.PausedAt, m.ResumesAt = types.StringNull(), types.StringNull()
	}
}

// plannedUpdate makes unknown only what the transitions can touch; the schema keeps the other computed values.
func (p *planning) plannedUpdate() {
	m, config, state := &p.Planned, p.Config, p.State
	p.clearGivenUp()
	object.CreateOnly(&m.TrialEnd, config.TrialEnd, state.TrialEnd)
	object.CreateOnly(&m.TrialPeriodDays, config.TrialPeriodDays, state.TrialPeriodDays)
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	p.next = ownedBy(config)
	m.CustomMetadata, m.EffectiveCustomMetadata, p.next.Metadata = p.own.Metadata.Plan(metadata.Planning{
		Config: config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: p.defaults, Object: state.displayName()}, p.Diags)
	p.otherItems = p.planItems()
	m.PlanChange = p.planChange()
	p.refuseNeither()
	p.planTransitions()
	p.next.Pending, p.next.Recorded = p.own.Pending, p.own.Recorded
	if !m.Pause.IsNull() {
		p.next.PausedUntil = p.own.PausedUntil
		if _, resumesAt := pauseFields(m.Pause); p.pauseDiffers() {
			p.next.PausedUntil = resumesAt.ValueString()
		}
	}
	p.next.ItemsAsListed = p.own.itemsAsListed() && !p.otherItems
}

// clearGivenUp clears what the configuration has given up. What it never named stays.
func (p *planning) clearGivenUp() {
	m, config, state := &p.Planned, p.Config, p.State
	for _, name := range []string{argCollectionMethod, argNfeIssuancePolicy} {
		if config.get(name).IsNull() {
			m.at(name).Set(state.at(name))
			if p.own.had(name) {
				*m.at(name).Addr().Interface().(*types.String) = types.StringNull()
			}
		}
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = state.CancelAtPeriodEnd
		if p.own.had(argCancelAtPeriodEnd) {
			m.CancelAtPeriodEnd = types.BoolValue(false)
		}
	}
	// Once the end is scheduled, or has come, another reason changes nothing.
	ends := m.CancelAtPeriodEnd.Equal(types.BoolValue(true)) && state.CancelAtPeriodEnd.ValueBool() ||
		state.Status.ValueString() == statusCanceled
	switch {
	case config.CancellationReason.IsNull() && p.own.had(argCancellationReason):
		m.CancellationReason = wire.TextOrNull(p.own.Recorded)
	case config.CancellationReason.IsNull(), ends && p.own.Recorded != "" && !state.CancellationReason.IsNull():
		m.CancellationReason = state.CancellationReason
	}
}

// planChange is plan_change, which only describes a change of plan. Alone it is no change: ModifyPlan keeps it as it
// was where nothing else changes. It must not depend on whether plan_id changes, which may be known only in the apply:
// there the second plan has to be what the first one has shown.
func (p *planning) planChange() types.Object {
	usual := planChangeOf(timingImmediate)
	switch {
	case !p.Config.PlanChange.IsNull():
		return p.Config.PlanChange
	case p.State.PlanChange.IsNull():
		return usual
	case p.Planned.PlanID.IsUnknown() && !p.State.PlanChange.Equal(usual):
		return types.ObjectUnknown(planType.AttrTypes)
	case p.Planned.PlanID.Equal(p.State.PlanID):
		return p.State.PlanChange
	default:
		return usual
	}
}

// planCanceled plans a subscription that is canceled, and returns the argument that asks for a new one, "" for none.
//
// Nothing of it can be changed at the service. A changed argument is taken over into the state, without a request, so
// that the next plan is empty.
func (p *planning) planCanceled() string {
	diags := p.Diags
	// Nothing can be wrong with a change that is not made.
	p.client, p.Diags = nil, &diag.Diagnostics{}
	p.plannedUpdate()
	p.asked, p.next, p.Diags = nil, p.own, diags
	changed := p.takeOver()

	at := path.Root("on_external_cancel")
	what := "It is canceled at the service since " + p.State.CanceledAt.ValueString() + "."
	// Where this configuration has asked for the end, it is no news.
	asked := p.State.CancelAtPeriodEnd.ValueBool() && p.own.had(argCancelAtPeriodEnd) && !p.endedEarly()
	switch mode := p.Planned.OnExternalCancel.ValueString(); {
	case mode == externalCancelRecreate && p.own.Imported:
		what += " The run that imports it does not create another one; the next plan does, because on_external_cancel " +
			"is \"recreate\"."
		asked = false
	case mode == externalCancelRecreate:
		p.Planned.Status = types.StringUnknown()
		p.Diags.AddAttributeWarning(at, p.State.title()+" is canceled: a new subscription will be billed",
			what+" Because on_external_cancel is \"recreate\", this plan creates a new subscription, which charges "+
				"from its start, or from the end of its trial. To leave it canceled, set on_external_cancel = "+
				"\"keep\", or remove the block.")
		return "status"
	case mode == externalCancelError && !asked:
		p.Diags.AddAttributeError(at, p.State.title()+" is canceled, and on_external_cancel is \"error\"",
			what+" To continue, set on_external_cancel to \"keep\" (leave it canceled) or \"recreate\" "+
				"(create a new subscription), or remove the block. To destroy everything "+
				"nevertheless, run terraform destroy -refresh=false.")
		return ""
	case asked:
	default:
		what += " It is kept in the state, and nothing is created again, because on_external_cancel is \"keep\". Set it " +
			"to \"recreate\" for a new subscription, or remove the block."
	}
	if len(changed) > 0 {
		what += fmt.Sprintf(" A canceled subscription cannot be changed: the change of %s has no effect at the service, "+
			"and only the state takes it over.", strings.Join(changed, ", "))
	}
	if !asked || len(changed) > 0 {
		p.Diags.AddAttributeWarning(at, p.State.title()+" is canceled", what)
	}
	return ""
}

// endedEarly reports whether the subscription was canceled before the end of its period.
func (p *planning) endedEarly() bool {
	at, canceled := api.Moment(p.State.CanceledAt.ValueString())
	end, known := api.Moment(p.State.CurrentPeriodEnd.ValueString())
	return canceled && known && at.Before(end)
}

// takeOver plans the arguments as they are planned so far, and everything else as it is in the state. It returns the
// arguments of the service that change.
func (p *planning) takeOver() (changed []string) {
	for name := range fieldIndexes {
		planned := p.Planned.get(name)
		switch {
		case planned.Equal(p.State.get(name)), name == policy.Name, name == "on_external_cancel":
		case !slices.Contains(arguments, name), planned.IsUnknown() && p.Config.get(name).IsNull():
			p.Planned.at(name).Set(p.State.at(name))
		case name != "plan_change": // which alone asks for nothing
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// refuseNew reports what the service would reject of a new subscription.
func (p *planning) refuseNew() {
	m := p.Planned
	p.refuseNeither()
	if p.past(m.TrialEnd) {
		p.refused("trial_end", "its trial would have ended already", "trial_end is %s, which is in the past. Write a "+
			"later time, or remove the argument for a subscription without a trial.", m.TrialEnd.ValueString())
	}
	if !p.Config.TrialEnd.IsNull() && !p.Config.TrialPeriodDays.IsNull() {
		p.refused("trial_period_days", "two trials for one subscription", "A new subscription is created with trial_end "+
			"or with trial_period_days. Remove one of them.")
	}
	rows, _ := p.way(true)
	p.refuse(rows)
}

// refuseNeither rejects a configuration that leaves a subscription with nothing to bill. One that the service already
// shows so is left alone: not every service lists items.
func (p *planning) refuseNeither() {
	before := !p.State.PlanID.IsNull() || len(p.State.Items.Elements()) > 0
	if m := p.Planned; m.PlanID.IsNull() && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 &&
		(before || p.State.ID.IsNull()) {
		p.refused("plan_id", "neither a plan nor items", "A subscription needs a plan_id, or items, or both. Set plan_id "+
			"to the plan, or list the items that are billed.")
	}
}
