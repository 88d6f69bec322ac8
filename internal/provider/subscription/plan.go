package subscription

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
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
	p.plannedCreate()
	p.refuseNew()
	p.checkAccount()
}

func (r *Resource) planUpdate(ctx context.Context, plan *object.Plan[model]) {
	p := r.planning(ctx, plan)
	p.own = private.Owned[ownership](ctx, p.Private, p.Diags)
	forces := p.change()
	if p.State.Status.ValueString() != statusCanceled {
	}
	applying := p.Run.Applying(typeName, p.State.ID.ValueString(), p.DeferralAllowed)
	next := forApply{Owned: p.next, Steps: p.asked}
	var at path.Paths
	for _, name := range forces {
		at = append(at, path.Root(name))
	}
	if p.Update(ctx, p.State.ID.ValueString(), at...) {
		p.replace()
	} else {
		next.Forces = forces
	}
	if p.State.Status.ValueString() == statusCanceled && applying {
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
	// Steps are the transitions that the plan shows; work.steps has their order.
	Steps []transition `json:"steps"`
	// Forces are the arguments that only a new subscription can have, in a plan that may not ask for one any more: they
	// were not known before, and have turned out different.
	Forces []string `json:"forces"`
}

// planning is a plan in the making.
type planning struct {
	*object.Plan[model]
	ctx context.Context //nolint:containedctx // a planning lives as long as one call
	// own is what the configuration owns before the apply, next what it owns after it.
	own, next ownership
	// asked are the transitions that the plan needs.
	asked []transition
	// adoptsItems says that the items are there already, as far as this plan knows: the one in the apply may see
	// others.
	adoptsItems bool
	defaults    metadata.Defaults
	// client is nil where the connection to the service is not known yet.
	client *billing.Service
}

func (r *Resource) planning(ctx context.Context, plan *object.Plan[model]) *planning {
	p := &planning{Plan: plan, ctx: ctx, defaults: r.Defaults()}
	if client, ready := r.Client(); ready {
		p.client = client
	}
	return p
}

// past reports whether the service's clock has passed a date. A date or a clock that is not known has not passed.
func (p *planning) past(date fwtype.DateTime) bool {
	at, ok := fwtype.ParseMoment(date.ValueString())
	if !ok || p.client == nil {
		return false
	}
	now, known := p.client.Now(p.ctx)
	return known && !at.After(now)
}

// plannedCreate leaves to the apply what only the service can say.
func (p *planning) plannedCreate() {
	m, config := &p.Planned, p.Config
	p.takeConfigured()
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
	if config.Pause.IsNull() {
		m.PausedAt, m.ResumesAt = types.StringNull(), types.StringNull()
	}
}

// takeConfigured plans as configured what a configuration may name or leave out, although these attributes are
// computed: they are computed only so that a canceled subscription can stay as it is.
func (p *planning) takeConfigured() {
	m, config := &p.Planned, p.Config
	for _, text := range []struct {
		planned *types.String
		config  types.String
	}{{&m.ExternalID, config.ExternalID}, {&m.PlanID, config.PlanID}, {&m.Notes, config.Notes}, {&m.DiscountCodeID,
		config.DiscountCodeID}} {
		if text.config.IsNull() {
			*text.planned = types.StringNull()
		}
	}
	m.DiscountPercent = config.DiscountPercent
	if config.Pause.IsNull() {
		m.Pause = types.ObjectNull(pauseType.AttrTypes)
	}
}

// change plans a subscription that exists, and returns the arguments that force its replacement.
func (p *planning) change() (forces []string) {
	if p.State.Status.ValueString() != statusCanceled {
		p.plannedUpdate()
		return p.forces()
	}
	diags := p.Diags
	// A canceled subscription is not changed, so nothing can be wrong with a change.
	p.client, p.Diags = nil, &diag.Diagnostics{}
	p.plannedUpdate()
	p.asked, p.next, p.Diags = nil, p.own, diags
	if argument := p.canceled(); argument != "" {
		return []string{argument}
	}
	return nil
}

// plannedUpdate makes unknown only what the transitions can touch, see touches; the schema keeps the other computed
// values.
func (p *planning) plannedUpdate() {
	m, state := &p.Planned, p.State
	p.takeConfigured()
	p.clearGivenUp()
	p.keepTrial()
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	p.next = ownedBy(p.Config)
	m.CustomMetadata, m.EffectiveCustomMetadata, p.next.Metadata = p.own.Metadata.Plan(metadata.Planning{
		Config: p.Config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: p.defaults, Object: state.displayName()}, p.Diags)
	otherItems := p.planItems()
	m.PlanChange = p.planChange()
	p.asked = m.transitions(state)
	if otherItems {
		p.asked = append(p.asked, changeItems)
	}
	if hasten := p.hastens(); hasten != "" {
		p.asked = append(p.asked, hasten)
	}
	p.fulfil()
	p.refuse()
	p.markTouched()
	p.refuseNothingBilled()
	p.next.Pending = p.own.Pending
	if !m.Pause.IsNull() {
		p.next.PausedUntil = p.own.PausedUntil
	}
	p.next.ItemsAsListed = p.own.itemsAsListed() && !otherItems
}

// markTouched makes unknown what the transitions can touch.
func (p *planning) markTouched() {
	if p.adoptsItems {
		p.markUnknown(changeItems)
	}
	for _, t := range p.asked {
		p.markUnknown(t)
		p.Planned.plannedBy(t)
	}
}

func (p *planning) markUnknown(t transition) {
	configured := map[string]attr.Value{"billing_cycle": p.Config.BillingCycle,
		"cancellation_reason": p.Config.CancellationReason}
	for _, name := range touches[t] {
		if given, ok := configured[name]; !ok || given.IsNull() {
			unknown[name](&p.Planned)
		}
	}
}

// clearGivenUp clears what the configuration has given up. What it never named stays.
func (p *planning) clearGivenUp() {
	m, config, state := &p.Planned, p.Config, p.State
	if config.CollectionMethod.IsNull() {
		m.CollectionMethod = unless(p.own.had(argCollectionMethod), state.CollectionMethod, types.StringNull())
	}
	if config.NfeIssuancePolicy.IsNull() {
		m.NfeIssuancePolicy = unless(p.own.had(argNfeIssuancePolicy), state.NfeIssuancePolicy, types.StringNull())
	}
	if config.CancelAtPeriodEnd.IsNull() {
		m.CancelAtPeriodEnd = unless(p.own.had(argCancelAtPeriodEnd), state.CancelAtPeriodEnd, types.BoolValue(false))
	}
	p.keepReason()
}

// keepReason leaves the reason of a cancellation as the service has it: once the end is scheduled, another reason
// changes nothing.
func (p *planning) keepReason() {
	m, config, state := &p.Planned, p.Config, p.State
	scheduled := m.CancelAtPeriodEnd.Equal(types.BoolValue(true)) && state.CancelAtPeriodEnd.ValueBool()
	switch {
	case scheduled && !state.CancellationReason.IsNull():
		m.CancellationReason = state.CancellationReason
	case config.CancellationReason.IsNull():
		m.CancellationReason = unless(p.own.had(argCancellationReason), state.CancellationReason, types.StringNull())
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

// hastens returns the transition that lets the pending plan begin now, "" where the configuration does not ask for
// that.
func (p *planning) hastens() transition {
	if p.State.PendingPlanID.IsNull() || !p.Planned.PlanID.Equal(p.State.PlanID) ||
		!sameID(p.State.PendingPlanID, p.Planned.PlanID) || sameID(p.State.CurrentPlanID, p.Planned.PlanID) {
		return ""
	}
	config := model{PlanChange: p.Config.PlanChange}
	switch {
	case config.timingUnknown():
		return changeUnknownPlan
	case config.planChangeField("timing").Equal(types.StringValue(timingImmediate)):
		return changePlanNow
	default:
		return ""
	}
}

// fulfil takes a pause whose resumes_at has passed for what it asks for: a subscription that is not paused.
func (p *planning) fulfil() {
	at := slices.Index(p.asked, pauseIt)
	if at < 0 {
		return
	}
	_, resumesAt := pauseFields(p.Planned.Pause)
	switch {
	case !p.past(resumesAt):
	case !p.own.pausedUntil(resumesAt):
		refusePast(resumesAt, p.Diags)
	case p.State.pauseRuns():
		p.asked[at] = resumeIt
	default:
		p.asked = slices.Delete(p.asked, at, at+1)
	}
}

func unless[T any](given bool, kept, cleared T) T {
	if given {
		return cleared
	}
	return kept
}

// keepTrial holds the arguments of the trial, which only a creation uses, to what they were.
func (p *planning) keepTrial() {
	m, config, state := &p.Planned, p.Config, p.State
	differs := ""
	if object.CreateOnly(&m.TrialEnd, config.TrialEnd, state.TrialEnd) && !config.TrialEnd.Means(state.TrialEnd) {
		differs = "trial_end"
	}
	if object.CreateOnly(&m.TrialPeriodDays, config.TrialPeriodDays, state.TrialPeriodDays) {
		differs = "trial_period_days"
	}
	if differs != "" {
		p.Diags.AddAttributeWarning(path.Root(differs), differs+" is only used when the subscription is created",
			fmt.Sprintf("%s exists already, and the service offers no way to change its trial, so %s has no effect. "+
				"Take the argument back to what it was.", apidiag.Capitalize(state.displayName()), differs))
	}
}

// ownership is what the configuration owned of the subscription when it was last applied, see private.Owned, and what
// was carried out.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Arguments are those of clearable that the configuration named when it was last applied. If removed, they are
	// cleared; what was never named is left as it is.
	Arguments []string `json:"arguments,omitempty"`
	// ItemsAsListed says that the items in the state are worded by the service, as an import found them, and no
	// configuration has changed them since: an amount that the configuration does not name may then be the price's own.
	ItemsAsListed bool `json:"items_as_listed,omitempty"`
	// Items are those that the configuration named when it was last applied, so that a plan can name which ones others
	// have added.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is
	// fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Reason is the cancellation_reason that the configuration named when it was last applied: the state has that of the
	// service, which another system may have given.
	Reason string `json:"reason,omitempty"`
	// Pending is a change of plan that waits for the end of the period at a service that does not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of the arguments that the service may have set by itself, and that are cleared when the configuration gives
// them up.
const (
	argItems              = "items"
	argCollectionMethod   = "collection_method"
	argNfeIssuancePolicy  = "nfe_issuance_policy"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

// ownedBy is what applying config establishes, without its custom_metadata.
func ownedBy(config model) ownership {
	o := ownership{Items: itemKeys(config.Items), Reason: config.CancellationReason.ValueString()}
	for name, given := range map[string]bool{
		argItems:              !config.Items.IsNull(),
		argCollectionMethod:   !config.CollectionMethod.IsNull(),
		argNfeIssuancePolicy:  !config.NfeIssuancePolicy.IsNull(),
		argCancelAtPeriodEnd:  !config.CancelAtPeriodEnd.IsNull(),
		argCancellationReason: !config.CancellationReason.IsNull(),
	} {
		if given {
			o.Arguments = append(o.Arguments, name)
		}
	}
	slices.Sort(o.Arguments)
	return o
}

// namedBy leaves out what o would newly own and raw does not name. raw is the configuration without ignore_changes: an
// argument that is ignored looks configured to a plan, and must not become owned by that.
func (o ownership) namedBy(raw, before ownership) ownership {
	o.Arguments = slices.DeleteFunc(slices.Clone(o.Arguments), func(name string) bool {
		return !raw.had(name) &&
			!before.had(name)
	})
	if !o.had(argCancellationReason) {
		o.Reason = ""
	}
	o.Items = slices.DeleteFunc(slices.Clone(o.Items), func(key string) bool {
		return !slices.Contains(raw.Items, key) && !slices.Contains(before.Items, key)
	})
	return o
}

// addedItem reports whether the service has the item as the configuration has named it, with or without the amount.
func (o ownership) addedItem(i item) bool {
	atPrice := i
	atPrice.unit = types.Int64Null()
	return slices.Contains(o.Items, i.key()) || slices.Contains(o.Items, atPrice.key())
}

// pausedUntil reports whether a pause until this date was carried out.
func (o ownership) pausedUntil(resumesAt fwtype.DateTime) bool {
	return o.PausedUntil != "" && resumesAt.Means(fwtype.DateTimePointer(&o.PausedUntil))
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o ownership) applied() bool { return o.Metadata.Object != nil }

// itemsAsListed reports whether the state writes the items as the service lists them.
func (o ownership) itemsAsListed() bool { return !o.applied() || o.ItemsAsListed }

// reaching is what is owned after a step of the way from o to next: what the step carries is owned from then on.
func (o ownership) reaching(next ownership, verb string) ownership {
	switch verb {
	case verbUpdate:
		o.Metadata, o.Reason = next.Metadata, next.Reason
		o.Arguments = union(o.Arguments, slices.DeleteFunc(slices.Clone(next.Arguments),
			func(name string) bool { return name == argItems }))
	case verbItems:
		o.ItemsAsListed = next.ItemsAsListed
		if next.had(argItems) {
			o.Arguments = union(o.Arguments, []string{argItems})
		}
		o.Items = next.Items
	case verbPause:
		o.PausedUntil = next.PausedUntil
	}
	return o
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// readsItems reports whether a refresh reads the items of a subscription that has these in the state. Where there are
// none and the configuration has not said so, nobody is interested in them; a plan that is reads them, see
// planning.planItems.
func (o ownership) readsItems(state types.Set) bool {
	return len(state.Elements()) > 0 || !state.IsNull() && o.had(argItems)
}

// firstItems reports whether the configuration has named no items so far and the state has none: what the service has
// was not read.
func (o ownership) firstItems(state types.Set) bool {
	return len(state.Elements()) == 0 && !o.had(argItems)
}

// had reports whether the configuration named the argument when it was last applied.
func (o ownership) had(argument string) bool { return slices.Contains(o.Arguments, argument) }
