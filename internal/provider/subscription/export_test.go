package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Next is next, for the test that plays it.
type Next struct {
	None, Invoice, NotBefore, Plan, End, Resumes string
	Ends, Paused                                 bool
	Cents                                        *int64
}

// Comes is comes for objects as JSON. unknown marks a value that is known only after apply.
func Comes(before, after map[string]any, unknown any, past func(string) bool) Next {
	n := nextBilling(modelOf(before, unknown), modelOf(after, unknown),
		func(at value.DateTime) bool { return past(at.ValueString()) })
	return Next{None: n.none, Invoice: n.invoice, NotBefore: n.notBefore, Plan: n.plan, End: n.end, Resumes: n.resumes,
		Ends: n.ends, Paused: n.paused, Cents: n.cents}
}

func modelOf(from map[string]any, unknown any) (m model) {
	m.Pause = types.ObjectNull(pauseType.AttrTypes)
	if pause, ok := from["pause"].(map[string]any); ok {
		m.Pause = pauseObject(textOf(pause["behavior"], unknown), value.DateTime{
			StringValue: textOf(pause["resumes_at"], unknown)})
	}
	for name, field := range map[string]*types.String{"status": &m.Status, "trial_start": &m.TrialStart,
		"trial_end": &m.TrialEnd.StringValue, "current_period_end": &m.CurrentPeriodEnd, "cycle_billing_date": &m.CycleBillingDate,
		"pending_plan_id": &m.PendingPlanID, "collection_method": &m.CollectionMethod, "billing_cycle": &m.BillingCycle} {
		*field = textOf(from[name], unknown)
	}
	ends, known := from["cancel_at_period_end"].(bool)
	if m.CancelAtPeriodEnd = types.BoolValue(ends); !known {
		m.CancelAtPeriodEnd = types.BoolUnknown()
	}
	switch cents := from["recurring_amount_cents"].(type) {
	case interface{ Int64() (int64, error) }:
		number, _ := cents.Int64()
		m.RecurringAmountCents = types.Int64Value(number)
	case nil:
	default:
		m.RecurringAmountCents = types.Int64Unknown()
	}
	return m
}

func textOf(v, unknown any) types.String {
	if v == unknown {
		return types.StringUnknown()
	}
	if text, ok := v.(string); ok {
		return types.StringValue(text)
	}
	return types.StringNull()
}
