package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// transition is one kind of change to a subscription at the service.
type transition string

const (
	// changeNotes represents every field that changes nothing but itself.
	changeNotes       transition = "change a field"
	changeDiscount    transition = "change the discount"
	changeCycle       transition = "change the billing cycle"
	changeMetadata    transition = "change custom_metadata"
	changeItems       transition = "change items"
	changePlanNow     transition = "change the plan now"
	changePlanLater   transition = "change the plan at the end of the period"
	takePlanBack      transition = "take a pending plan back"
	pauseIt           transition = "pause"
	resumeIt          transition = "resume"
	scheduleCancel    transition = "cancel at the end of the period"
	unscheduleCancel  transition = "take the cancellation back"
	changeUnknownPlan transition = "change the plan to one that is not known yet"
)

// touches says which computed attributes each transition can change at the service. A plan shows exactly these as known
// after apply; what is named here and has a value in plannedBy is known already.
var touches = map[transition][]string{
	changeNotes:    {"updated_at"},
	changeDiscount: {"updated_at", "recurring_amount_cents"},
	changeCycle: {"updated_at", "recurring_amount_cents", "current_period_start", "current_period_end",
		"cycle_billing_date"},
	changeMetadata: {"updated_at"},
	changeItems:    {"updated_at", "recurring_amount_cents"},
	changePlanNow: {"updated_at", "recurring_amount_cents", "current_period_start", "current_period_end",
		"cycle_billing_date", "billing_cycle", "metadata"},
	changePlanLater:  {"updated_at", "metadata"},
	takePlanBack:     {"updated_at", "metadata"},
	pauseIt:          {"updated_at", "status", "paused_at", "resumes_at"},
	resumeIt:         {"updated_at", "status", "paused_at", "resumes_at", "resumed_at", "activated_at"},
	scheduleCancel:   {"updated_at", "cancellation_reason"},
	unscheduleCancel: {"updated_at", "cancellation_reason"},
	changeUnknownPlan: {"updated_at", "recurring_amount_cents", "current_period_start", "current_period_end",
		"cycle_billing_date", "billing_cycle", "metadata", "current_plan_id", "pending_plan_id"},
}

// unknown marks an attribute unknown.
var unknown = map[string]func(*model){
	"updated_at":             func(m *model) { m.UpdatedAt = types.StringUnknown() },
	"recurring_amount_cents": func(m *model) { m.RecurringAmountCents = types.Int64Unknown() },
	"current_period_start":   func(m *model) { m.CurrentPeriodStart = types.StringUnknown() },
	"current_period_end":     func(m *model) { m.CurrentPeriodEnd = types.StringUnknown() },
	"cycle_billing_date":     func(m *model) { m.CycleBillingDate = types.StringUnknown() },
	"billing_cycle":          func(m *model) { m.BillingCycle = types.StringUnknown() },
	"metadata":               func(m *model) { m.Metadata = types.StringUnknown() },
	"status":                 func(m *model) { m.Status = types.StringUnknown() },
	"paused_at":              func(m *model) { m.PausedAt = types.StringUnknown() },
	"resumes_at":             func(m *model) { m.ResumesAt = types.StringUnknown() },
	"activated_at": func(m *model) {
		// Once it is known it stays: a trial that ended during the pause makes the subscription active for the first
		// time.
		if m.ActivatedAt.IsNull() {
			m.ActivatedAt = types.StringUnknown()
		}
	},
	"cancellation_reason": func(m *model) { m.CancellationReason = types.StringUnknown() },
	"resumed_at":          func(m *model) { m.ResumedAt = types.StringUnknown() },
	"current_plan_id":     func(m *model) { m.CurrentPlanID = types.StringUnknown() },
	"pending_plan_id":     func(m *model) { m.PendingPlanID = types.StringUnknown() },
}

// transitions lists what takes a subscription from state to m, in no particular order; work.steps has the order. Items
// are planned apart, see planning.planItems.
func (m model) transitions(state model) []transition {
	var all []transition
	add := func(t transition, when bool) {
		if when {
			all = append(all, t)
		}
	}
	add(changeNotes, !m.plainUpdate(state).IsEmpty())
	add(changeDiscount, !m.DiscountPercent.Means(state.DiscountPercent) ||
		!m.DiscountCodeID.Equal(state.DiscountCodeID))
	add(changeCycle, !m.BillingCycle.Equal(state.BillingCycle))
	add(changeMetadata, !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata))
	add(m.planTransition(state), !m.PlanID.Equal(state.PlanID))
	_, resumesAt := pauseFields(m.Pause)
	add(resumeIt, (m.Pause.IsNull() || m.Pause.IsUnknown() || resumesAt.IsUnknown()) && state.pauseRuns())
	add(pauseIt, !m.Pause.IsNull() && !samePause(m.Pause, state.Pause))
	add(scheduleCancel, (m.CancelAtPeriodEnd.ValueBool() || m.CancelAtPeriodEnd.IsUnknown()) &&
		!state.CancelAtPeriodEnd.ValueBool())
	add(unscheduleCancel, !m.CancelAtPeriodEnd.ValueBool() && state.CancelAtPeriodEnd.ValueBool())
	return all
}

// planTransition says how a plan that differs from the one asked for before is reached.
func (m model) planTransition(state model) transition {
	timing, _ := m.planChange()
	switch {
	case m.PlanID.IsUnknown() || m.timingUnknown():
		return changeUnknownPlan
	case sameID(m.PlanID, state.CurrentPlanID):
		return takePlanBack
	case timing == timingEndOfPeriod && !m.PlanID.IsNull():
		return changePlanLater
	default:
		return changePlanNow
	}
}

// plannedBy gives the computed attributes of a transition whose outcome is known before.
func (m *model) plannedBy(t transition) {
	switch t {
	case changePlanNow, takePlanBack:
		m.CurrentPlanID, m.PendingPlanID = m.PlanID, types.StringNull()
	case changePlanLater:
		m.PendingPlanID = m.PlanID
	}
}

var planType = types.ObjectType{AttrTypes: map[string]attr.Type{"timing": types.StringType, "reason": types.StringType}}

// planChangeOf is the argument plan_change that says nothing but when.
func planChangeOf(timing string) types.Object {
	return types.ObjectValueMust(planType.AttrTypes, map[string]attr.Value{"timing": types.StringValue(timing),
		"reason": types.StringNull()})
}

// planChange reads how a change of plan is to be carried out.
func (m model) planChange() (timing, reason string) {
	if timing = m.planChangeField("timing").ValueString(); timing == "" {
		timing = timingImmediate
	}
	return timing, m.planChangeField("reason").ValueString()
}

// timingUnknown reports whether it is only known after apply when a change of plan takes place.
func (m model) timingUnknown() bool {
	return m.PlanChange.IsUnknown() || m.planChangeField("timing").IsUnknown()
}

func (m model) planChangeField(name string) types.String {
	text, _ := m.PlanChange.Attributes()[name].(types.String)
	return text
}

// pending is a change of plan that was asked for the end of a period, and accepted by a response that does not mention
// it. It is believed until the period has moved or the plan has changed.
type pending struct {
	// From is the plan that runs, "" for none.
	From      string `json:"from"`
	To        string `json:"to"`
	PeriodEnd string `json:"period_end"`
}

func (p pending) holds(s *billing.Subscription) bool {
	return p.To != "" && s.PendingPlanID() == "" && same.ID(p.From, runs(s)) && s.CurrentPeriodEnd == p.PeriodEnd
}

// noted is the pending change to remember after s was the response to a change to the plan to.
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
