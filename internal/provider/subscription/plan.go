package subscription

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// ModifyPlan decides the value of every computed attribute, rejects what cannot work, and puts the state's value back
// where configuration and state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	state, _ := r.current(ctx, p.State)
	refuseDestroy(state, p.Diags)
	if !p.Diags.HasError() {
		warnCharges(state, p.Diags)
	}
}

// current is the subscription as the service has it. Terraform plans the removal of an object that is not in the
// configuration any more before it refreshes it, so its period may have ended long ago. Without a response it is the
// state, and exists is false where the service has none.
func (r *Resource) current(ctx context.Context, state model) (now model, exists bool) {
	client, ready := r.Client()
	if !ready {
		return state, true
	}
	remote, _, err := scheme.Listed(client, ctx, state.ID.ValueString())
	if err != nil {
		return state, !api.IsNotFound(err)
	}
	now, err = fromAPI(remote)
	if err != nil {
		return state, true
	}
	now.DeletionPolicy = state.DeletionPolicy
	return now, true
}

func (r *Resource) planCreate(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	p.own = private.Owned[ownership](ctx, p.Private, p.Diags)
	before := private.Planned[forApply](ctx, p.Private, p.Diags)
	p.plannedCreate()
	p.refuseNew()
	if id := run.Replaced(ctx, p.Private, p.Diags); id != "" && !before.Replaces {
		// terraform plan -replace: the plan of the change did not know about it.
		present, exists := r.current(ctx, model{shared: shared{ID: types.StringValue(id)},
			DeletionPolicy: types.StringValue(before.Policy)})
		if exists { // the note may be of an object that was deleted since
			p.replaces(present)
		}
	}
	p.refuseBarred()
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
	next := forApply{Metadata: p.metadata, Steps: p.asked, Policy: p.State.DeletionPolicy.ValueString()}
	var at path.Paths
	for _, name := range forces {
		at = append(at, path.Root(name))
	}
	if next.Replaces = p.Update(ctx, p.State.ID.ValueString(), at...); next.Replaces {
		p.replaces(p.State)
	} else {
		next.Forces = forces
		p.warnUnknownAccount()
		p.warnUnanswered()
	}
	if canceled && applying {
		p.Planned.Status = p.State.Status // nothing is replaced any more, see refuseForced
	}
	private.SetPlanned(ctx, p.Private, next, p.Diags)
	kept := p.Planned
	kept.PlanChange = p.State.PlanChange
	if !applying && !p.Changes(ctx, kept) {
		p.Planned = kept // plan_change alone is no change, see planning.planChange
	}
}

// forApply is what a plan leaves for its apply.
type forApply struct {
	// Metadata is what the configuration owns of custom_metadata once all steps are done.
	Metadata metadata.Owned `json:"custom_metadata"`
	// Steps are the transitions that the plan shows.
	Steps []string `json:"steps"`
	// Forces are the arguments that only a new subscription can have, in a plan that may not ask for one any more: they
	// were not known before, and have turned out different.
	Forces []string `json:"forces"`
	// Replaces says that the plan of the change asks for a new subscription, and Policy is the deletion_policy of the
	// present one: for the plan of the new one, which has no state.
	Replaces bool   `json:"replaces,omitempty"`
	Policy   string `json:"policy,omitempty"`
}

// planning is a plan in the making.
type planning struct {
	*object.Plan[model]
	ctx context.Context //nolint:containedctx // a planning lives as long as one call
	r   *Resource
	// own is what the configuration owns before the apply, and metadata what it owns of custom_metadata after it.
	own      ownership
	metadata metadata.Owned
	// asked are the transitions that the plan needs.
	asked []string
	// otherItems says that items have to be sent.
	otherItems bool
	// adoptsItems says that the items are there already, as far as this plan knows: the one in the apply may see
	// others.
	adoptsItems bool
	// client is nil where the connection to the service is not known yet, or leads to another organization.
	client *billing.Service
}

func (r *Resource) planning(ctx context.Context, plan *object.Plan[model]) *planning {
	p := &planning{Plan: plan, ctx: ctx, r: r}
	if client, ready := r.Client(); ready && !r.Conn.Foreign() {
		p.client = client
	}
	return p
}

// past reports whether the service's clock has passed a date. A date or a clock that is not known has not passed.
func (p *planning) past(date value.DateTime) bool {
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
	for _, name := range []string{"custom_metadata", "company_id", "product_group_id", argCancellationReason,
		"trial_period_days"} {
		m.at(name).Set(config.at(name))
	}
	m.EffectiveCustomMetadata = p.r.Defaults().Effective(config.CustomMetadata)
	if config.ProrationBehavior.IsNull() {
		m.ProrationBehavior = types.StringValue(defaultProration)
	}
	m.Items = withQuantities(config.Items)
	m.CurrentPlanID, m.PendingPlanID = m.PlanID, types.StringNull()
	m.CanceledAt, m.ResumedAt = types.StringNull(), types.StringNull()
	if config.PlanChange.IsNull() {
		m.PlanChange = planChangeOf(timingImmediate)
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = types.BoolValue(false)
	}
	if config.Pause.IsNull() || p.pauseOver() {
		m.PausedAt, m.ResumesAt = types.StringNull(), types.StringNull()
	}
}

// plannedUpdate makes unknown only what the transitions can touch; the schema keeps the other computed values.
func (p *planning) plannedUpdate() {
	m, config, state := &p.Planned, p.Config, p.State
	p.keepUnset()
	object.CreateOnly(&m.TrialEnd, config.TrialEnd, state.TrialEnd)
	object.CreateOnly(&m.TrialPeriodDays, config.TrialPeriodDays, state.TrialPeriodDays)
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	m.CustomMetadata, m.EffectiveCustomMetadata, p.metadata = p.own.Metadata.Plan(metadata.Planning{
		Config: config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: p.r.Defaults(), Object: state.displayName()}, p.Diags)
	p.otherItems = p.planItems()
	m.PlanChange = p.planChange()
	p.refuseNeither()
	p.planTransitions()
}

// keepUnset keeps what the subscription has, whoever set it, where the configuration does not say otherwise. Once the
// end is scheduled, or has come, another reason changes nothing.
func (p *planning) keepUnset() {
	m, config, state := &p.Planned, p.Config, p.State
	for _, name := range []string{"collection_method", "nfe_issuance_policy", argCancelAtPeriodEnd,
		argCancellationReason} {
		if config.get(name).IsNull() {
			m.at(name).Set(state.at(name))
		}
	}
	ends := m.CancelAtPeriodEnd.Equal(types.BoolValue(true)) && state.CancelAtPeriodEnd.ValueBool() ||
		state.Status.ValueString() == statusCanceled
	if ends && !state.CancellationReason.IsNull() {
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

// ownership is what the configuration owned of the subscription when it was last applied, see private.Owned, and what
// was carried out.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Items are those that the configuration named when it was last applied, so that a warning can name those that others
	// have added.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is
	// fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Pending is the change of plan that the configuration has asked for last, where it was one for the end of a period:
	// a service may not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of arguments that several files know.
const (
	argItems              = "items"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

// addedItem reports whether the service has the item as the configuration has named it, with or without the amount.
func (o ownership) addedItem(i item) bool {
	atPrice := i
	atPrice.unit = types.Int64Null()
	return slices.Contains(o.Items, i.key()) || slices.Contains(o.Items, atPrice.key())
}

// pausedUntil reports whether a pause until this date was carried out.
func (o ownership) pausedUntil(resumesAt value.DateTime) bool {
	return o.PausedUntil != "" && resumesAt.Means(value.DateTimePointer(&o.PausedUntil))
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o ownership) applied() bool { return o.Metadata.Object != nil }
