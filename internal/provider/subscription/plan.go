package subscription

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// ModifyPlan plans every computed attribute, rejects invalid changes, and keeps the value in state if the configuration
// is semantically equal.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	state, _ := r.current(ctx, p.State)
	checkDestroy(state, p.Diags)
	if !p.Diags.HasError() {
		p.warnCharges(state)
		p.planAbandoned(state)
	}
	end := state.CurrentPeriodEnd
	if p.InApply() { // of a replacement: the period that its plan has shown
		end = p.State.CurrentPeriodEnd
	}
	private.SetPlanned(ctx, p.Private, forDestroy{PeriodEnd: end.ValueString(),
		Scheduled: state.CancelAtPeriodEnd.ValueBool()}, p.Diags)
}

// forDestroy is the data that the plan of a destroy passes to its apply: the end of the period in its warning, and
// whether the cancellation was scheduled. The apply cannot take them from the state, see current.
type forDestroy struct {
	PeriodEnd string `json:"period_end"`
	Scheduled bool   `json:"scheduled"`
}

// current reads the subscription. Terraform plans the removal of an object that is no longer configured before it
// refreshes the object, so its period may have ended long ago. Without a response, current returns the state; exists is
// false if the service has no such subscription.
func (r *Resource) current(ctx context.Context, state model) (now model, exists bool) {
	client, ready := r.Client()
	if !ready {
		return state, true
	}
	remote, _, err := scheme.Refresh(client, ctx, state.ID.ValueString())
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
	p.checkNew()
	if id := run.Replaced(ctx, p.Private, p.Diags); id != "" && !before.Replaces {
		// terraform plan -replace: the plan of the change did not know about the replacement.
		present, exists := r.current(ctx, model{shared: shared{ID: types.StringValue(id)},
			DeletionPolicy: types.StringValue(before.Policy)})
		if exists { // the stored id may belong to a deleted object
			p.replaces(present)
		}
	}
	p.checkAccountUsable()
}

func (r *Resource) planUpdate(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	p.own = private.Owned[ownership](ctx, p.Private, p.Diags)
	canceled := p.State.Status.ValueString() == statusCanceled
	p.Ended = canceled
	var forces []string
	if !canceled {
		p.plannedUpdate()
		forces = p.forces()
	} else if argument := p.planCanceled(); argument != "" {
		forces = []string{argument}
	}
	next := forApply{Metadata: p.metadata, Steps: keysOf(p.rows), Policy: p.State.DeletionPolicy.ValueString()}
	var at path.Paths
	for _, name := range forces {
		at = append(at, path.Root(name))
	}
	if len(forces) > 0 {
		p.planAbandoned(p.State)
	}
	if next.Replaces = p.Update(ctx, at...); next.Replaces {
		p.replaces(p.State)
	} else {
		next.Forces = forces
		p.checkAll(p.rows) // of a replaced one, none is carried out
		p.warnUnknownAccount()
		p.warnUnanswered()
		p.warnPending()
	}
	if canceled && p.Applying {
		p.Planned.Status = p.State.Status // nothing is replaced now, see rejectReplacement
	}
	private.SetPlanned(ctx, p.Private, next, p.Diags)
	kept := p.Planned
	kept.PlanChange = p.State.PlanChange
	if !p.Applying && !p.Changes(ctx, kept) {
		p.Planned = kept // a change of plan_change alone has no effect, see planning.planChange
	}
}

// forApply is the data that a plan passes to its apply.
type forApply struct {
	// Metadata is the configuration's part of custom_metadata after all steps.
	Metadata metadata.Owned `json:"custom_metadata"`
	// Steps are the transitions in the plan.
	Steps []transitionKey `json:"steps"`
	// Forces are the arguments that require a new subscription, in a plan that must no longer request one: they were
	// unknown before, and turned out to differ.
	Forces []string `json:"forces"`
	// Replaces is set if the plan requests a new subscription, and Policy is the deletion_policy of the old one. They are
	// for the plan of the new one, which has no state.
	Replaces bool   `json:"replaces,omitempty"`
	Policy   string `json:"policy,omitempty"`
}

// planning is a plan in progress.
type planning struct {
	*object.Plan[model]
	ctx context.Context //nolint:containedctx // a planning lives as long as one call
	r   *Resource
	// own is the ownership before the apply, and metadata the ownership of custom_metadata after it.
	own      ownership
	metadata metadata.Owned
	// rows are the transitions that the plan requires.
	rows []transition
	// client is nil if the connection is unknown, or belongs to another organization.
	client *billing.Service
}

func (r *Resource) planning(ctx context.Context, plan *object.Plan[model]) *planning {
	p := &planning{Plan: plan, ctx: ctx, r: r}
	if client, ready := r.Client(); ready && !r.Conn.Foreign() {
		p.client = client
	}
	return p
}

// past reports whether a date has passed by the service's clock; false if either is unknown. The plan inside an apply
// must decide as the one that was shown, so it reports if the time cannot be read.
func (p *planning) past(date value.DateTime) bool {
	if p.client == nil {
		return false
	}
	passed, err := past(p.ctx, p.client, date.ValueString())
	if err != nil && p.Applying && !p.Diags.HasError() {
		apidiag.Add(p.Diags, err, apidiag.Operation{Verb: "read", Object: "the service's time, which decides about " +
			date.ValueString() + " of " + p.Planned.displayName()})
	}
	return passed
}

func (p *planning) change() change { return change{p.State, p.Planned, p.past} }

// past returns an error if the service's time cannot be read.
func past(ctx context.Context, client *billing.Service, date string) (bool, error) {
	at, ok := api.ParseTime(date)
	if !ok {
		return false, nil
	}
	now, err := client.Now(ctx)
	return !now.IsZero() && !at.After(now), err
}

// fromConfig are the arguments that the plan of a creation takes from the configuration: without a value, they are null
// or the service chooses one.
var fromConfig = []string{"custom_metadata", "company_id", "product_group_id", argCancellationReason,
	"trial_period_days"}

// plannedCreate marks unknown the values that only the service determines.
func (p *planning) plannedCreate() {
	m, config := &p.Planned, p.Config
	for _, name := range fromConfig {
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
	if config.Pause.IsNull() {
		m.PausedAt, m.ResumesAt = types.StringNull(), types.StringNull()
	}
}

// plannedUpdate marks unknown only the values that the transitions may change; the schema keeps the other computed
// values.
func (p *planning) plannedUpdate() {
	p.planArgumentValues(p.Diags)
	items := p.itemTransition()
	p.requirePlanOrItems()
	p.planTransitions(items)
}

// planArgumentValues plans the arguments: those in state if they are unset or mean the same.
func (p *planning) planArgumentValues(diags *diag.Diagnostics) {
	m, config, state := &p.Planned, p.Config, p.State
	p.keepUnset()
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	p.metadata = m.Plan(config.Attributes, state.Attributes, p.own.Metadata, p.r.Defaults(), state.displayName(), diags)
	m.Items, m.PlanChange = p.plannedItems(), p.planChange()
}

// kept are the arguments that an update keeps if they are unset.
var kept = []string{"collection_method", "nfe_issuance_policy", argCancelAtPeriodEnd, argCancellationReason}

// keepUnset keeps the service's values of unset arguments, whoever set them. Once the cancellation is scheduled or
// done, another reason has no effect.
func (p *planning) keepUnset() {
	m, config, state := &p.Planned, p.Config, p.State
	for _, name := range kept {
		if config.get(name).IsNull() {
			m.at(name).Set(state.at(name))
		}
	}
	ends := m.CancelAtPeriodEnd.Equal(types.BoolValue(true)) && state.CancelAtPeriodEnd.ValueBool() ||
		state.Status.ValueString() == statusCanceled
	switch {
	case state.CancellationReason.IsNull():
	case ends:
		m.CancellationReason = state.CancellationReason
	case m.CancelAtPeriodEnd.IsUnknown() && state.CancelAtPeriodEnd.ValueBool() && !m.CancellationReason.IsUnknown() &&
		!m.CancellationReason.Equal(state.CancellationReason):
		// It stays if the cancellation does, and changes if that is taken back.
		p.Diags.AddAttributeError(path.Root(argCancellationReason), "The plan cannot show the cancellation_reason of "+
			state.displayName(), "The cancellation is scheduled, with another reason. Whether the reason changes depends on "+
			"cancel_at_period_end, which is known only after apply. Set cancellation_reason to the one in the state, or apply "+
			"first what cancel_at_period_end depends on.")
	}
}

// planChange plans plan_change, which only describes a change of plan. Alone it has no effect: ModifyPlan keeps its
// value in state if nothing else changes. It must not depend on whether plan_id changes, because that may be known only
// in the plan inside the apply, which must equal the first one.
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

// checkNew reports arguments of a new subscription that the service would reject.
func (p *planning) checkNew() {
	m := p.Planned
	p.requirePlanOrItems()
	if p.past(m.TrialEnd) {
		p.reject("trial_end", "its trial would already have ended", "trial_end is %s, which is in the past. Write a later "+
			"time, or remove the argument for a subscription without a trial.", m.TrialEnd.ValueString())
	}
	if !p.Config.TrialEnd.IsNull() && !p.Config.TrialPeriodDays.IsNull() {
		p.reject("trial_period_days", "two trials are set", "Both trial_end and trial_period_days are set. Remove one of "+
			"them.")
	}
	p.checkAll(p.change().afterCreation())
}

// requirePlanOrItems rejects a configuration without a plan and items. It accepts an existing subscription that has
// neither in the service's responses, because not every service lists items.
func (p *planning) requirePlanOrItems() {
	before := !p.State.PlanID.IsNull() || len(p.State.Items.Elements()) > 0
	if m := p.Planned; m.PlanID.IsNull() && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 &&
		(before || p.State.ID.IsNull()) {
		p.reject("plan_id", "neither a plan nor items are set", "A subscription needs a plan_id, or items, or both. Set "+
			"plan_id to the plan, or list the items that are billed.")
	}
}

// ownership is the part of the subscription that the configuration owned when it was last applied, see private.Owned,
// and the steps that were carried out.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Items are the items configured at the last apply, so that a warning can list those added elsewhere.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Pending is the last change of plan requested for the end of a period: a service may not return it.
	Pending pending `json:"pending,omitzero"`
}

// Names of arguments used in several files.
const (
	argItems              = "items"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

// addedItem reports whether the configuration added the service's item, with or without the amount.
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
