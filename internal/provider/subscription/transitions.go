package subscription

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// transition is one kind of change to a subscription at the service: a row of the table shared by plan and apply.
type transition struct {
	key transitionKey
	// when reports whether a change requires it; if nil, changes decides. The planning decides about rows without both.
	when func(change) bool
	// changes are the arguments whose change requires it.
	changes []string
	// check reports in the plan changes that the service would reject, and effects on billing. It is optional.
	check func(*planning)
	// touches are the computed attributes that it may change. A plan shows exactly these as known after apply, except
	// those that outcome, which is optional, sets.
	touches []string
	outcome func(*model)
	// request carries it out; nil if nothing is sent. Adjacent rows with the same request share one.
	request *request
	// afterCreation is set if a creation cannot include it, so that it comes after one.
	afterCreation bool
}

// transitionKey identifies a transition in the data that a plan passes to its apply.
type transitionKey string

const (
	resume            transitionKey = "resume"
	changePlanNow     transitionKey = "change_plan_now"
	changePlanLater   transitionKey = "change_plan_later"
	changeUnknownPlan transitionKey = "change_unknown_plan"
	takePlanBack      transitionKey = "take_plan_back"
	takePlanBackNull  transitionKey = "take_plan_back_null" // the subscription has had items alone
	removePlan        transitionKey = "remove_plan"
	adoptItems        transitionKey = "adopt_items" // which the service has already
	changeItems       transitionKey = "change_items"
	changeFields      transitionKey = "change_fields"
	changeDiscount    transitionKey = "change_discount"
	changeCycle       transitionKey = "change_cycle"
	changeMetadata    transitionKey = "change_metadata"
	takeEndBack       transitionKey = "take_end_back"
	keepEndedPause    transitionKey = "keep_ended_pause"
	pauseIt           transitionKey = "pause"
	pauseEnds         transitionKey = "pause_ends" // one that was carried out before, if the apply comes after its end
	endLater          transitionKey = "end_later"
)

var (
	ofPeriod = []string{"updated_at", "recurring_amount_cents", "current_period_start", "current_period_end",
		"cycle_billing_date"}
	ofPlan   = append(slices.Clone(ofPeriod), "billing_cycle", "metadata")
	ofEnding = []string{"updated_at", "cancellation_reason"}
)

// transitions is in the order of the requests: resume first, pause and cancellation last. Items are changed after a new
// plan and before the removal of one, because the service requires at least one of the two.
var transitions = []transition{
	{key: resume, when: change.resumes, check: (*planning).warnResumed, request: &resumeRequest,
		touches: []string{"updated_at", "status", "paused_at", "resumes_at", "resumed_at", "activated_at"}},

	{key: changePlanNow, touches: ofPlan, outcome: runsNow, request: &planRequest},
	{key: changePlanLater, touches: []string{"updated_at", "metadata"},
		outcome: func(m *model) { m.PendingPlanID = m.PlanID }, request: &planRequest},
	{key: takePlanBack, touches: []string{"updated_at", "metadata"}, outcome: runsNow, request: &planRequest},
	{key: changeUnknownPlan, touches: append(slices.Clone(ofPlan), "current_plan_id", "pending_plan_id")},

	{key: adoptItems, touches: []string{"updated_at", "recurring_amount_cents"}},
	{key: changeItems, check: (*planning).checkStillBilled, touches: []string{"updated_at", "recurring_amount_cents"},
		request: &itemsRequest},

	{key: takePlanBackNull, touches: []string{"updated_at", "metadata"}, outcome: runsNow, request: &updateRequest},
	{key: removePlan, check: (*planning).checkRemovalTiming, touches: ofPlan, outcome: runsNow, request: &updateRequest},
	{key: changeFields, changes: []string{"external_id", "collection_method", "proration_behavior",
		"nfe_issuance_policy", "allow_pause", "allow_cancel", "notes"}, touches: []string{"updated_at"},
		request: &updateRequest, afterCreation: true},
	{key: changeDiscount, changes: []string{"discount_percent", "discount_code_id"},
		touches: []string{"updated_at", "recurring_amount_cents"}, request: &updateRequest, afterCreation: true},
	{key: changeCycle, changes: []string{"billing_cycle"}, touches: ofPeriod, request: &updateRequest},
	{key: changeMetadata, changes: []string{"effective_custom_metadata"}, touches: []string{"updated_at"},
		request: &updateRequest},
	{key: takeEndBack, when: func(c change) bool {
		return !c.to.CancelAtPeriodEnd.ValueBool() && c.from.CancelAtPeriodEnd.ValueBool()
	}, touches: ofEnding, request: &updateRequest},

	{key: keepEndedPause, when: func(c change) bool { return c.pauseDiffers() && c.pauseOver() },
		check: (*planning).checkPauseEnd, afterCreation: true},
	{key: pauseIt, when: func(c change) bool { return c.pauseDiffers() && !c.pauseOver() },
		check: (*planning).checkAllowPause, touches: []string{"updated_at", "status", "paused_at", "resumes_at"},
		request: &pauseRequest, afterCreation: true},
	{key: pauseEnds, touches: []string{"resumed_at", "activated_at"}},
	{key: endLater, when: func(c change) bool {
		return (c.to.CancelAtPeriodEnd.ValueBool() || c.to.CancelAtPeriodEnd.IsUnknown()) &&
			!c.from.CancelAtPeriodEnd.ValueBool()
	}, check: (*planning).checkAllowCancel, touches: ofEnding, request: &endRequest, afterCreation: true},
}

// request is a request to the service, as a step of an apply.
type request struct {
	verb       string
	attributes object.ErrorAttributes
	send       func(*work, context.Context) (*billing.Subscription, error)
	// owns copies the ownership of the values that the request has sent from next to o; nil if there is none.
	owns func(o *ownership, next ownership)
}

var (
	resumeRequest = request{verb: "resume", attributes: pauseErrors, send: (*work).resume}
	planRequest   = request{verb: "change the plan of", attributes: object.ErrorAttributes{Argument: "plan_id",
		Fields: map[string]string{"timing": "plan_change.timing", "reason": "plan_change.reason"}}, send: (*work).changePlan}
	itemsRequest = request{verb: "change the items of", attributes: object.ErrorAttributes{Argument: argItems},
		send: (*work).syncItems, owns: func(o *ownership, next ownership) { o.Items = next.Items }}
	updateRequest = request{verb: "update", send: (*work).update, owns: func(o *ownership, next ownership) {
		o.Metadata, o.Pending = next.Metadata, next.Pending
	}}
	pauseRequest = request{verb: "pause", attributes: pauseErrors, send: (*work).pause,
		owns: func(o *ownership, next ownership) { o.PausedUntil = next.PausedUntil }}
	endRequest = request{verb: "schedule the cancellation of", attributes: endErrors, send: (*work).scheduleEnd}

	// Arguments for errors of the requests.
	pauseErrors = object.ErrorAttributes{Argument: "pause", Fields: map[string]string{"behavior": "pause.behavior",
		"resumes_at": "pause.resumes_at"}}
	endErrors = object.ErrorAttributes{Argument: argCancelAtPeriodEnd,
		Fields: map[string]string{"reason": argCancellationReason}}
)

// change is the change of a subscription from one model to another, as the transitions see it.
type change struct {
	from, to model
	// past reports whether a date has passed by the service's clock; false if either is unknown.
	past func(value.DateTime) bool
}

// rows lists the transitions that the change requires, in order, with those that the planning has decided on.
func (c change) rows(decided ...transitionKey) (rows []transition) {
	for _, t := range transitions {
		if slices.Contains(decided, t.key) || t.when != nil && t.when(c) ||
			slices.ContainsFunc(t.changes, func(name string) bool { return !c.to.get(name).Equal(c.from.get(name)) }) {
			rows = append(rows, t)
		}
	}
	return rows
}

// afterCreation lists those transitions that a creation cannot include.
func (c change) afterCreation() []transition {
	return slices.DeleteFunc(c.rows(), func(t transition) bool { return !t.afterCreation })
}

func keysOf(rows []transition) (keys []transitionKey) {
	for _, t := range rows {
		keys = append(keys, t.key)
	}
	return keys
}

// planTransitions determines the transitions of the plan, and marks unknown the attributes that they may change.
func (p *planning) planTransitions(decided ...transitionKey) {
	c := p.change()
	_, until := pauseFields(p.Planned.Pause)
	if p.State.Status.ValueString() == statusPaused && c.pauseDiffers() && p.own.pausedUntil(until) {
		decided = append(decided, pauseEnds)
	}
	p.rows = c.rows(append(decided, p.planTransition())...)
	for _, t := range p.rows {
		p.markUnknown(t.touches)
		if t.outcome != nil {
			t.outcome(&p.Planned)
		}
	}
}

// has reports whether the plan has one of the transitions.
func (p *planning) has(keys ...transitionKey) bool {
	return slices.ContainsFunc(p.rows, func(t transition) bool { return slices.Contains(keys, t.key) })
}

// checkAll reports transitions that the service would reject, and their effects on billing.
func (p *planning) checkAll(rows []transition) {
	for _, t := range rows {
		if t.check != nil {
			t.check(p)
		}
	}
}

// markUnknown marks unconfigured attributes unknown. A known time of activation does not change, except after a trial
// that ended during a pause: the subscription becomes active for the first time.
func (p *planning) markUnknown(names []string) {
	for _, name := range names {
		switch field := p.Planned.at(name).Addr().Interface().(type) {
		case *types.String:
			if p.Config.get(name).IsNull() && (name != "activated_at" || field.IsNull()) {
				*field = types.StringUnknown()
			}
		case *types.Int64:
			*field = types.Int64Unknown()
		}
	}
}

// runsNow is the outcome of a change of plan that takes effect immediately.
func runsNow(m *model) { m.CurrentPlanID, m.PendingPlanID = m.PlanID, types.StringNull() }

// planTransition returns the transition to a plan that differs from the last requested one; "" if there is none.
func (p *planning) planTransition() transitionKey {
	m, state := p.Planned, p.State
	timing, _ := m.planChange()
	switch {
	case m.PlanID.Equal(state.PlanID):
		return p.beginPendingPlan()
	case m.PlanID.IsUnknown() || m.timingUnknown():
		return changeUnknownPlan
	case sameID(m.PlanID, state.CurrentPlanID) && m.PlanID.IsNull():
		return takePlanBackNull
	case sameID(m.PlanID, state.CurrentPlanID):
		return takePlanBack
	case m.PlanID.IsNull():
		return removePlan
	case timing == timingEndOfPeriod:
		return changePlanLater
	default:
		return changePlanNow
	}
}

// beginPendingPlan returns the transition that starts the pending plan now, if plan_change.timing, which scheduled it
// for the end of the period, becomes immediate; otherwise "".
func (p *planning) beginPendingPlan() transitionKey {
	config := model{PlanChange: p.Config.PlanChange}
	timing, _ := p.State.planChange()
	switch {
	case p.State.PendingPlanID.IsNull() || timing != timingEndOfPeriod:
		return ""
	case config.timingUnknown():
		return changeUnknownPlan
	case config.planChangeField("timing").Equal(types.StringValue(timingImmediate)):
		return changePlanNow
	default:
		return ""
	}
}

func (p *planning) checkRemovalTiming() {
	if timing, _ := p.Planned.planChange(); timing == timingEndOfPeriod {
		p.reject("plan_change", "the plan cannot be removed at the end of the period", "With the next period, the service "+
			"can only switch to another plan, not end the current one. Set plan_change.timing = \"immediate\" to bill only "+
			"the items from now on, or keep plan_id.")
	}
}

// checkStillBilled rejects a plan that leaves a subscription without items and an active plan.
func (p *planning) checkStillBilled() {
	if m := p.Planned; !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 && m.CurrentPlanID.IsNull() &&
		!m.PlanID.IsNull() {
		p.reject(argItems, "nothing would be billed until the plan starts", "No plan is active, and the plan %q starts "+
			"with the next period (after %s). Until then only its items are billed. Keep items until current_plan_id shows "+
			"the plan, or set plan_change.timing = \"immediate\".", m.PendingPlanID.ValueString(), p.State.periodEnd())
	}
}

func (p *planning) checkAllowPause() {
	if !p.Planned.Pause.IsUnknown() && p.Planned.AllowPause.Equal(types.BoolValue(false)) {
		p.reject("pause", "it cannot be paused", "It has allow_pause = false, so the API would reject the pause. Remove "+
			"pause, or set allow_pause = true.")
		return
	}
	p.warnPaused()
}

func (p *planning) checkAllowCancel() {
	if !p.Planned.CancelAtPeriodEnd.IsUnknown() && p.Planned.AllowCancel.Equal(types.BoolValue(false)) {
		p.reject(argCancelAtPeriodEnd, "it cannot be canceled", "It has allow_cancel = false, so the API would reject the "+
			"cancellation. Remove cancel_at_period_end, or set allow_cancel = true.")
	}
}

// checkPauseEnd rejects adding a pause that is already over, which is a mistake. For a new or imported subscription it
// only warns, because the configuration may be older than the subscription. A pause that was carried out is fulfilled.
func (p *planning) checkPauseEnd() {
	_, resumesAt := pauseFields(p.Planned.Pause)
	creates := p.State.ID.IsNull()
	switch {
	case p.own.pausedUntil(resumesAt) && !creates:
	case p.own.applied() && !creates:
		p.reject("pause", "its pause would already have ended", "pause.resumes_at is %q, which is in the past. Write a "+
			"later date, or remove pause.", resumesAt.ValueString())
	default:
		p.Diags.AddAttributeWarning(path.Root("pause"), p.Planned.title()+" is not paused, because the pause is over",
			fmt.Sprintf("pause.resumes_at is %q, which is in the past, so there is nothing to pause. The block has no "+
				"further effect and can be removed.", resumesAt.ValueString()))
	}
}

// reject reports an error of the plan on an argument; the summary names the subscription.
func (p *planning) reject(argument, summary, detail string, values ...any) {
	p.Diags.AddAttributeError(path.Root(argument), p.Planned.title()+": "+summary, fmt.Sprintf(detail, values...))
}

// pauseDiffers reports whether the wanted pause differs from the present one.
func (c change) pauseDiffers() bool {
	return !c.to.Pause.IsNull() && !samePause(c.to.Pause, c.from.Pause)
}

// pauseOver reports whether the wanted pause is already over.
func (c change) pauseOver() bool {
	_, resumesAt := pauseFields(c.to.Pause)
	return c.past(resumesAt)
}

// resumes reports whether a present pause must end. An unknown pause may become null. The pause in the state may be
// fulfilled: the service no longer shows its end, or, if it returns a pause without the status, the end has passed.
func (c change) resumes() bool {
	_, until := pauseFields(c.from.Pause)
	ended := !until.IsNull() && (c.from.ResumesAt.IsNull() || c.past(until))
	if c.from.Pause.IsNull() || c.from.Status.ValueString() != statusPaused && ended {
		return false
	}
	pause := c.to.Pause
	_, resumesAt := pauseFields(pause)
	return pause.IsNull() || pause.IsUnknown() || resumesAt.IsUnknown() || c.pauseDiffers() && c.pauseOver()
}

// requests returns the requests of the transitions in the plan.
func (w *work) requests() (all []*request) {
	for _, t := range transitions {
		if t.request != nil && w.has(t.key) && !slices.Contains(all, t.request) {
			all = append(all, t.request)
		}
	}
	return all
}

func (w *work) create(ctx context.Context) (*billing.Subscription, error) {
	created, err := w.Client.CreateSubscription(ctx, w.body)
	if err != nil {
		return nil, err
	}
	if created.Adopted {
		w.Diags.AddWarning(w.Plan.title()+" was found instead of being created twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the subscription that it created "+
				"(id %s).", created.ID))
	}
	return &created.Subscription, nil
}

func (w *work) resume(ctx context.Context) (*billing.Subscription, error) {
	resumed, err := w.Client.ResumeSubscription(ctx, w.id())
	return w.unlessDone(ctx, resumed, err, func(now *billing.Subscription) bool { return pauseOf(now).IsNull() })
}

// planStands rejects a change of plan if the current or pending plan differs from the one in the plan, and a change at
// the end of the period if the period differs: the effect on billing would differ from the one shown.
func (w *work) planStands(ctx context.Context) bool {
	later := w.has(endLater, changePlanLater)
	if w.Plan.samePlans(w.State) && !later {
		return true
	}
	remote, err := w.Client.GetSubscription(ctx, w.id())
	if w.Failed(ctx, "read", err) {
		return false
	}
	switch {
	case remote.Status == statusCanceled:
		w.checkNotEnded(remote)
		return false
	case later && w.otherPeriod(remote):
		w.checkPeriod(remote)
		return false
	case w.seen(remote).samePlans(w.State):
		return true
	}
	w.Diags.AddAttributeError(path.Root("plan_id"), w.State.title()+" has a different plan than when this change was "+
		"planned",
		fmt.Sprintf("It had %s, and now has %s: its period has ended since then, another system has changed it, or the "+
			"change was planned without a refresh. Nothing was sent. Run terraform plan again, with a refresh.",
			w.State.runs(), w.seen(remote).runs()))
	return false
}

// seen returns the state as a refresh would write it.
func (w *work) seen(remote *billing.Subscription) model {
	return w.State.keep(remote, w.own, &diag.Diagnostics{})
}

// samePlans reports whether the current and pending plans are the same.
func (m model) samePlans(other model) bool {
	return sameID(m.CurrentPlanID, other.CurrentPlanID) && sameID(m.PendingPlanID, other.PendingPlanID)
}

// runs describes the current and the pending plan.
func (m model) runs() string {
	text := "no plan"
	if !m.CurrentPlanID.IsNull() {
		text = "the plan " + m.CurrentPlanID.ValueString()
	}
	if !m.PendingPlanID.IsNull() {
		text += ", followed by " + m.PendingPlanID.ValueString()
	}
	return text
}

// endedSince reports a request that was rejected because the subscription was canceled since the plan.
func (w *work) endedSince(ctx context.Context, err error) bool {
	if !rejects(err) || w.Plan.ID.IsUnknown() { // after a creation, the remaining steps are postponed
		return false
	}
	now, lookErr := w.Client.GetSubscription(ctx, w.id())
	if lookErr != nil || now.Status != statusCanceled {
		return false
	}
	w.checkNotEnded(now)
	return true
}

// checkNotEnded reports a subscription that was canceled or deleted since the plan.
func (w *work) checkNotEnded(now *billing.Subscription) {
	what, detail := "deleted", "It no longer exists."
	if now != nil {
		what, detail = "canceled", fmt.Sprintf("It was canceled at %s.", api.OrEmpty(now.CanceledAt))
	}
	w.Diags.AddError(fmt.Sprintf("%s was %s since the plan", w.State.title(), what), detail+
		" Run terraform plan again, with a refresh: on_external_cancel then determines what happens to it.")
}

// otherPeriod reports whether the period differs from the one in the state.
func (w *work) otherPeriod(now *billing.Subscription) bool {
	planned, known := api.ParseTime(w.State.CurrentPeriodEnd.ValueString())
	end, shown := api.ParseTime(now.CurrentPeriodEnd)
	return known && shown && !end.Equal(planned)
}

func (w *work) checkPeriod(now *billing.Subscription) {
	w.Diags.AddError(w.State.title()+" is in a different period than when this change was planned", fmt.Sprintf("Its "+
		"period was to end at %s, and now ends at %s: it has ended since then, another system has moved it, or the change "+
		"was planned without a refresh. Nothing was sent. Run terraform plan again, with a refresh.",
		w.State.periodEnd(), now.CurrentPeriodEnd))
}

func (w *work) changePlan(ctx context.Context) (*billing.Subscription, error) {
	timing, reason := w.Plan.planChange()
	response, err := w.Client.ChangePlan(ctx, w.id(), billing.ChangePlan{PlanID: w.Plan.PlanID.ValueString(),
		Timing: timing, Reason: reason})
	if response != nil {
		w.next.Pending = noted(response, w.Plan.PlanID.ValueString(), timing)
		w.own.Pending = w.next.Pending
	}
	return response, err
}

func (w *work) syncItems(ctx context.Context) (*billing.Subscription, error) {
	_, err := w.Client.SyncSubscriptionItems(ctx, w.id(), itemsTo(w.Plan.Items))
	if err == nil {
		w.State.Items = w.Plan.Items
	}
	return nil, err
}

var customMetadata = object.CustomMetadataOf[*billing.Service, billing.Subscription, billing.SubscriptionBody]{
	Get: (*billing.Service).GetSubscription, Update: (*billing.Service).UpdateSubscription,
	Of: func(s *billing.Subscription) json.RawMessage { return s.CustomMetadata },
	Put: func(body *billing.SubscriptionBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

func (w *work) update(ctx context.Context) (*billing.Subscription, error) {
	remote := customMetadata
	if w.has(takePlanBackNull, removePlan) {
		remote.Update = func(client *billing.Service, ctx context.Context, id string, body billing.SubscriptionBody) (
			*billing.Subscription, error) {
			return client.RemovePlan(ctx, id, body)
		}
	}
	if !w.has(changeMetadata) {
		return remote.Update(w.Client, ctx, w.id(), w.body)
	}
	return remote.Change(ctx, w.Client, w.id(), w.body, w.metadata)
}

func (w *work) pause(ctx context.Context) (*billing.Subscription, error) {
	behavior, resumesAt := pauseFields(w.Plan.Pause)
	paused, err := w.Client.PauseSubscription(ctx, w.id(), behavior.ValueString(), resumesAt.ValueString())
	return w.unlessDone(ctx, paused, err,
		func(now *billing.Subscription) bool { return samePause(w.Plan.Pause, pauseOf(now)) })
}

func (w *work) scheduleEnd(ctx context.Context) (*billing.Subscription, error) {
	w.AlsoSent = append(w.AlsoSent, argCancellationReason)
	scheduled, err := w.Client.CancelSubscription(ctx, w.id(), billing.Cancel{AtPeriodEnd: true,
		Reason: w.Plan.CancellationReason.ValueString()})
	return w.unlessDone(ctx, scheduled, err,
		func(now *billing.Subscription) bool { return now.CancelAtPeriodEnd || now.Status == statusCanceled })
}

func (w *work) id() string { return w.State.ID.ValueString() }

// unlessDone replaces the rejection of a transition by a success if another user has made the same change since the
// plan.
func (w *work) unlessDone(ctx context.Context, response *billing.Subscription, err error,
	done func(*billing.Subscription) bool) (*billing.Subscription, error) {
	if !rejects(err) {
		return response, err
	}
	if now, lookErr := w.Client.GetSubscription(ctx, w.id()); lookErr == nil && done(now) {
		return now, nil
	}
	return response, err
}

// rejects reports whether the service rejected the request because of the subscription's state.
func rejects(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Status == http.StatusUnprocessableEntity || e.Status == http.StatusConflict)
}

var planType = types.ObjectType{AttrTypes: map[string]attr.Type{"timing": types.StringType, "reason": types.StringType}}

// planChangeOf returns a plan_change with only a timing.
func planChangeOf(timing string) types.Object {
	return types.ObjectValueMust(planType.AttrTypes, map[string]attr.Value{"timing": types.StringValue(timing),
		"reason": types.StringNull()})
}

// planChange returns how to carry out a change of plan.
func (m model) planChange() (timing, reason string) {
	if timing = m.planChangeField("timing").ValueString(); timing == "" {
		timing = timingImmediate
	}
	return timing, m.planChangeField("reason").ValueString()
}

// timingUnknown reports whether the timing of a change of plan is known only after apply.
func (m model) timingUnknown() bool {
	return m.PlanChange.IsUnknown() || m.planChangeField("timing").IsUnknown()
}

func (m model) planChangeField(name string) types.String {
	text, _ := m.PlanChange.Attributes()[name].(types.String)
	return text
}

// pending is a change of plan that this configuration has requested for the end of a period.
type pending struct {
	// From is the current plan, or "".
	From      string `json:"from"`
	To        string `json:"to"`
	PeriodEnd string `json:"period_end"`
	// Shown means that the service has returned it. If the service does not return pending changes, it counts until the
	// period or the plan changes.
	Shown bool `json:"shown,omitzero"`
}

// holds reports whether the change is pending at a service that does not return it.
func (p pending) holds(s *billing.Subscription) bool {
	return p.To != "" && !p.Shown && s.PendingPlanID() == "" && same.ID(p.From, api.OrEmpty(s.PlanID)) &&
		s.CurrentPeriodEnd == p.PeriodEnd
}

// scheduled reports whether m has this pending change.
func (p pending) scheduled(m model) bool {
	return p.To != "" && same.ID(p.To, m.PendingPlanID.ValueString()) &&
		same.ID(p.From, m.CurrentPlanID.ValueString()) && m.CurrentPeriodEnd.ValueString() == p.PeriodEnd
}

// noted returns the pending change to store after s, the response to a change to the plan to.
func noted(s *billing.Subscription, to, timing string) pending {
	if timing != timingEndOfPeriod || same.ID(to, api.OrEmpty(s.PlanID)) {
		return pending{}
	}
	return pending{From: api.OrEmpty(s.PlanID), To: to, PeriodEnd: s.CurrentPeriodEnd, Shown: s.PendingPlanID() != ""}
}
