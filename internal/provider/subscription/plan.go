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
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// ModifyPlan decides the value of every computed attribute, rejects what cannot work, and puts the state's value back
// where configuration and state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	p := planning{ctx: ctx}
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		refuseDestroy(p.state, &resp.Diagnostics)
		warnRunningOn(p.state, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.Conn != nil {
		p.defaults = r.Conn.Defaults
		if r.Conn.Billing.Ready {
			p.client = r.Conn.Billing.Client
		}
	}
	if req.State.Raw.IsNull() {
		replaces := r.Run().PlanCreate(ctx, typeName, req.Private, &resp.Diagnostics)
		p.create(&resp.Diagnostics)
		p.checkAccount(r.Run(), replaces, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
		return
	}
	p.own = private.Get[owned](ctx, req.Private, keyOwned, &resp.Diagnostics)
	forces := p.change(func(id string) bool { return r.Run().Replaces(accountTypeName, id) }, &resp.Diagnostics)
	applying := r.Run().Applying(typeName, p.state.ID.ValueString(), req.ClientCapabilities.DeferralAllowed)
	next := decided{Owned: p.next, Steps: p.asked}
	if r.Run().PlanUpdate(ctx, typeName, p.state.ID.ValueString(), len(forces) > 0, req.ClientCapabilities.DeferralAllowed, resp.Private, &resp.Diagnostics) {
		p.replace(r.Run(), &resp.Diagnostics)
		for _, name := range forces {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
		}
	} else {
		next.Forces = forces
	}
	if p.state.Status.ValueString() == statusCanceled && applying {
		p.planned.Status = p.state.Status // nothing is replaced any more, see refuseForced
	}
	private.Plan(ctx, resp.Private, next, &resp.Diagnostics)
	if !applying {
		kept := p.planned
		kept.PlanChange = p.state.PlanChange
		resp.Diagnostics.Append(resp.Plan.Set(ctx, kept)...)
		if resp.Plan.Raw.Equal(req.State.Raw) {
			return // plan_change alone is no change, see planning.planChange
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
}

// decided is what a plan hands to its apply.
type decided struct {
	// Owned is what the configuration owns once all steps are done.
	Owned owned `json:"owned"`
	// Steps are the transitions that the plan shows; work.steps has their order.
	Steps []transition `json:"steps"`
	// Forces are the arguments that only a new subscription can have, in a plan that may not ask for one any more: they
	// were not known before, and have turned out different.
	Forces []string `json:"forces"`
}

// planning is a plan in the making.
type planning struct {
	ctx                    context.Context //nolint:containedctx // a planning lives as long as one call
	config, state, planned model
	// own is what the configuration owns before the apply, next what it owns after it.
	own, next owned
	// asked are the transitions that the plan needs.
	asked []transition
	// adoptsItems says that the items are there already, as far as this plan knows: the one in the apply may see others.
	adoptsItems bool
	defaults    conn.Defaults
	// client is nil where the connection to the service is not known yet.
	client *billing.Service
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

// create leaves to apply what only the service can say.
func (p *planning) create(diags *diag.Diagnostics) {
	m, config := &p.planned, p.config
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
	p.refuseNew(diags)
}

// takeConfigured plans as configured what a configuration may name or leave out, although these attributes are
// computed: they are computed only so that a canceled subscription can stay as it is.
func (p *planning) takeConfigured() {
	m, config := &p.planned, p.config
	for _, text := range []struct {
		planned *types.String
		config  types.String
	}{{&m.ExternalID, config.ExternalID}, {&m.PlanID, config.PlanID}, {&m.Notes, config.Notes}, {&m.DiscountCodeID, config.DiscountCodeID}} {
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
func (p *planning) change(replaced func(accountID string) bool, diags *diag.Diagnostics) (forces []string) {
	if p.state.Status.ValueString() != statusCanceled {
		p.update(diags)
		return p.forces(replaced)
	}
	var unheard diag.Diagnostics // a canceled subscription is not changed, so nothing can be wrong with a change
	p.client = nil
	p.update(&unheard)
	p.asked, p.next = nil, p.own
	if argument := p.canceled(diags); argument != "" {
		return []string{argument}
	}
	return nil
}

// update makes unknown only what the transitions can touch; the schema keeps the other computed values.
func (p *planning) update(diags *diag.Diagnostics) {
	m, state := &p.planned, p.state
	p.takeConfigured()
	p.keepUnconfigured()
	p.keepTrial(diags)
	m.DiscountPercent = m.DiscountPercent.Or(state.DiscountPercent)
	if samePause(m.Pause, state.Pause) {
		m.Pause = state.Pause
	}
	p.next = ownedBy(p.config)
	m.CustomMetadata, m.EffectiveCustomMetadata, p.next.Metadata = p.own.Metadata.Under(m.CustomMetadataMode, p.defaults.Object).PlanAttribute(
		p.config.CustomMetadata, state.CustomMetadata, state.EffectiveCustomMetadata, p.defaults.Unknown, state.displayName(), diags)
	otherItems := p.planItems(diags)
	m.PlanChange = p.planChange()
	p.asked = m.transitions(state)
	if otherItems {
		p.asked = append(p.asked, changeItems)
	}
	if hasten := p.hastens(); hasten != "" {
		p.asked = append(p.asked, hasten)
	}
	p.fulfil(diags)
	p.refuse(diags)
	p.forget()
	p.refuseNothingBilled(diags)
	p.next.Pending = p.own.Pending
	if !m.Pause.IsNull() {
		p.next.PausedUntil = p.own.PausedUntil
	}
	p.next.ItemsAsListed = p.own.itemsAsListed() && !otherItems
}

// forget makes unknown what the transitions can touch.
func (p *planning) forget() {
	if p.adoptsItems {
		p.forgetTouchedBy(changeItems)
	}
	for _, t := range p.asked {
		p.forgetTouchedBy(t)
		p.planned.plannedBy(t)
	}
}

func (p *planning) forgetTouchedBy(t transition) {
	configured := map[string]attr.Value{"billing_cycle": p.config.BillingCycle, "cancellation_reason": p.config.CancellationReason}
	for _, name := range touches[t] {
		if given, ok := configured[name]; !ok || given.IsNull() {
			forget[name](&p.planned)
		}
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
	p.keepReason()
}

// keepReason leaves the reason of a cancellation as the service has it: once the end is scheduled, another reason
// changes nothing.
func (p *planning) keepReason() {
	m, config, state := &p.planned, p.config, p.state
	scheduled := m.CancelAtPeriodEnd.Equal(types.BoolValue(true)) && state.CancelAtPeriodEnd.ValueBool()
	switch {
	case scheduled && !state.CancellationReason.IsNull():
		m.CancellationReason = state.CancellationReason
	case config.CancellationReason.IsNull():
		m.CancellationReason = unless(p.own.had(argCancellationReason), state.CancellationReason, types.StringNull())
	}
}

// planChange is plan_change, which only describes a change of plan. Alone it is no change: ModifyPlan keeps it as it was
// where nothing else changes. It must not depend on whether plan_id changes, which may be known only in the apply: there
// the second plan has to be what the first one has shown.
func (p *planning) planChange() types.Object {
	usual := planChangeOf(timingImmediate)
	switch {
	case !p.config.PlanChange.IsNull():
		return p.config.PlanChange
	case p.state.PlanChange.IsNull():
		return usual
	case p.planned.PlanID.IsUnknown() && !p.state.PlanChange.Equal(usual):
		return types.ObjectUnknown(planType.AttrTypes)
	case p.planned.PlanID.Equal(p.state.PlanID):
		return p.state.PlanChange
	default:
		return usual
	}
}

// hastens returns the transition that lets the pending plan begin now, "" where the configuration does not ask for that.
func (p *planning) hastens() transition {
	if p.state.PendingPlanID.IsNull() || !p.planned.PlanID.Equal(p.state.PlanID) ||
		!sameID(p.state.PendingPlanID, p.planned.PlanID) || sameID(p.state.CurrentPlanID, p.planned.PlanID) {
		return ""
	}
	config := model{PlanChange: p.config.PlanChange}
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
func (p *planning) fulfil(diags *diag.Diagnostics) {
	at := slices.Index(p.asked, pauseIt)
	if at < 0 {
		return
	}
	_, resumesAt := pauseFields(p.planned.Pause)
	switch {
	case !p.past(resumesAt):
	case !p.own.pausedUntil(resumesAt):
		refusePast(resumesAt, diags)
	case p.state.pauseRuns():
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
			fmt.Sprintf("%s exists already, and the service offers no way to change its trial, so %s has no effect. Take the argument back to what it was.", apidiag.Capitalize(state.displayName()), differs))
	}
}

// displayName names the subscription inside a sentence.
func (m model) displayName() string {
	text := "subscription"
	if external := m.ExternalID.ValueString(); external != "" {
		text += fmt.Sprintf(" %q", external)
	}
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}

const keyOwned = "owned"

// owned is what the private state remembers of a subscription; the zero value is that of one that no configuration was applied to yet.
type owned struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Arguments are those of clearable that the configuration named when it was last applied. Taken out, they are cleared; what was
	// never named is left as it is.
	Arguments []string `json:"arguments,omitempty"`
	// ItemsAsListed says that the items in the state are worded by the service, as an import found them, and no configuration has changed
	// them since: an amount that the configuration does not name may then be the price's own.
	ItemsAsListed bool `json:"items_as_listed,omitempty"`
	// Items are those that the configuration named when it was last applied, so that a plan can tell which ones others
	// have added.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is
	// fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Pending is a change of plan that waits for the end of the period at a service that does not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of the arguments that the service may have set by itself, and that are cleared when the configuration gives them up.
const (
	argItems              = "items"
	argCollectionMethod   = "collection_method"
	argNfeIssuancePolicy  = "nfe_issuance_policy"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

// ownedBy is what applying config establishes, without its custom_metadata.
func ownedBy(config model) owned {
	o := owned{Items: itemKeys(config.Items)}
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

// namedBy leaves out what o would own anew and raw does not name. raw is the configuration without ignore_changes: an
// argument that is ignored looks configured to a plan, and must not become owned by that.
func (o owned) namedBy(raw owned, before owned) owned {
	o.Arguments = slices.DeleteFunc(slices.Clone(o.Arguments), func(name string) bool { return !raw.had(name) && !before.had(name) })
	o.Items = slices.DeleteFunc(slices.Clone(o.Items), func(key string) bool {
		return !slices.Contains(raw.Items, key) && !slices.Contains(before.Items, key)
	})
	return o
}

// itemKeys names the items of a configuration; none while a part of it is unknown.
func itemKeys(set types.Set) (keys []string) {
	if !knownItems(set) {
		return nil
	}
	for _, i := range itemsOf(set) {
		keys = append(keys, i.key())
	}
	return keys
}

// addedItem reports whether the service has the item as the configuration has named it, with or without the amount.
func (o owned) addedItem(i item) bool {
	atPrice := i
	atPrice.unit = types.Int64Null()
	return slices.Contains(o.Items, i.key()) || slices.Contains(o.Items, atPrice.key())
}

// pausedUntil reports whether a pause until this date was carried out.
func (o owned) pausedUntil(resumesAt fwtype.DateTime) bool {
	return o.PausedUntil != "" && resumesAt.Means(fwtype.DateTimePointer(&o.PausedUntil))
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

// itemsAsListed reports whether the state words the items as the service lists them.
func (o owned) itemsAsListed() bool { return !o.applied() || o.ItemsAsListed }

// reaching is what is owned after a step of the way from o to next: what the step carries is owned from then on.
func (o owned) reaching(next owned, verb string) owned {
	switch verb {
	case verbUpdate:
		o.Metadata = next.Metadata
		o.Arguments = union(o.Arguments, slices.DeleteFunc(slices.Clone(next.Arguments), func(name string) bool { return name == argItems }))
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
func (o owned) readsItems(state types.Set) bool {
	return len(state.Elements()) > 0 || !state.IsNull() && o.had(argItems)
}

// firstItems reports whether the configuration has named no items so far and the state has none: what the service has was not read.
func (o owned) firstItems(state types.Set) bool {
	return len(state.Elements()) == 0 && !o.had(argItems)
}

// had reports whether the configuration named the argument when it was last applied.
func (o owned) had(argument string) bool { return slices.Contains(o.Arguments, argument) }

// pending is a change of plan that was asked for the end of a period, and accepted by an answer that does not mention it. It is
// believed until the period has moved or the plan has changed.
type pending struct {
	// From is the plan that runs, "" for none.
	From      string `json:"from"`
	To        string `json:"to"`
	PeriodEnd string `json:"period_end"`
}

func (p pending) holds(s *billing.Subscription) bool {
	return p.To != "" && s.PendingPlanID() == "" && same.ID(p.From, runs(s)) && s.CurrentPeriodEnd == p.PeriodEnd
}

// noted is the pending change to remember after s has answered a change to the plan to.
func noted(s *billing.Subscription, to, timing string) pending {
	if timing != timingEndOfPeriod || same.ID(to, runs(s)) || s.PendingPlanID() != "" {
		return pending{}
	}
	return pending{From: runs(s), To: to, PeriodEnd: s.CurrentPeriodEnd}
}

// runs is the plan that runs now, "" for none.
func runs(s *billing.Subscription) string {
	if s.PlanID == nil {
		return ""
	}
	return *s.PlanID
}
