package sandbox_test

import "time"

// at is a time of 2026 as it is returned.
func at(month time.Month, day, hour int) string {
	return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC).Format(`"2006-01-02T15:04:05.000Z"`)
}

// step is a step to ask for, such as "pause", `{"behavior":"void"}`.
type step struct{ name, body string }

// What time makes of a subscription that was made on 31 January at noon: not
// before its time, at its own time, and with other things that come due on
// the way, in order (Recurring billing §3; wire contract: Behaviour).
var dueTable = []struct {
	name     string
	fields   string
	steps    []step
	until    time.Time
	before   map[string]string // one millisecond earlier; nil: not asked
	want     map[string]string
	invoices []string // when they were made, and their status unless it is open
}{
	{
		name: "trial ends", fields: `,"trial_period_days":14`, until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"status": `"trialing"`, "activated_at": "null", "current_period_end": at(2, 14, 12)},
		want: map[string]string{"status": `"active"`, "activated_at": at(2, 14, 12), "current_period_start": at(2, 14, 12),
			"current_period_end": at(3, 14, 12), "cycle_billing_date": at(3, 14, 12), "trial_end": at(2, 14, 12),
			"updated_at": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "trial ends between two milliseconds", fields: `,"trial_end":"2026-02-14T12:00:00.000900Z"`,
		until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC), before: map[string]string{"status": `"trialing"`},
		want:     map[string]string{"status": `"active"`, "trial_end": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "renewal", until: time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"current_period_start": at(1, 31, 12)},
		want: map[string]string{"status": `"active"`, "current_period_start": at(2, 28, 12),
			"current_period_end": at(3, 31, 12), "cycle_billing_date": at(3, 31, 12)},
		invoices: []string{at(2, 28, 12)},
	},
	{
		name: "renewals over months of all lengths", until: time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC),
		want: map[string]string{"current_period_start": at(5, 31, 12), "current_period_end": at(6, 30, 12),
			"activated_at": at(1, 31, 12), "updated_at": at(5, 31, 12)},
		invoices: []string{at(2, 28, 12), at(3, 31, 12), at(4, 30, 12), at(5, 31, 12)},
	},
	{
		name: "pending plan", steps: []step{{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`}},
		until:    time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before:   map[string]string{"plan_id": `"` + plan + `"`, "metadata": `{"pending_plan_id":"` + otherPlan + `"}`},
		want:     map[string]string{"plan_id": `"` + otherPlan + `"`, "metadata": "{}"},
		invoices: []string{at(2, 28, 12)},
	},
	{
		name: "scheduled cancellation", steps: []step{{"cancel", `{"cancel_at_period_end":true,"reason":"enough"}`}},
		until:  time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"status": `"active"`},
		want: map[string]string{"status": `"canceled"`, "canceled_at": at(2, 28, 12), "cancellation_reason": `"enough"`,
			"cancel_at_period_end": "true", "current_period_end": at(2, 28, 12)},
	},
	{
		name: "cancellation comes before a pending plan", steps: []step{
			{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`},
			{"cancel", `{"cancel_at_period_end":true}`}},
		until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"canceled"`, "plan_id": `"` + plan + `"`, "metadata": "{}",
			"canceled_at": at(2, 28, 12)},
	},
	{
		name: "cancellation at the end of a trial", fields: `,"trial_period_days":14`,
		steps: []step{{"cancel", `{"cancel_at_period_end":true}`}}, until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"canceled"`, "activated_at": "null", "canceled_at": at(2, 14, 12)},
	},
	{
		name: "pause runs out", steps: []step{{"pause", `{"resumes_at":"2026-02-10T00:00:00Z"}`}},
		until: time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC), before: map[string]string{"status": `"paused"`,
			"resumes_at": at(2, 10, 0)},
		want: map[string]string{"status": `"active"`, "resumed_at": at(2, 10, 0), "resumes_at": "null", "paused_at": "null",
			"pause_collection": "null", "updated_at": at(2, 10, 0), "current_period_end": at(2, 28, 12)},
	},
	{
		name: "pause runs out within the trial", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-10T00:00:00Z"}`}}, until: time.Date(2026, 2, 10, 0, 0, 0, 0,
			time.UTC), want: map[string]string{"status": `"trialing"`, "resumed_at": at(2, 10, 0), "activated_at": "null"},
	},
	{
		name: "trial ends during a pause", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-20T00:00:00Z"}`}},
		until: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), before: map[string]string{"status": `"paused"`,
			"activated_at": "null", "current_period_start": at(2, 14, 12)},
		want: map[string]string{"status": `"active"`, "activated_at": at(2, 20, 0), "resumed_at": at(2, 20, 0),
			"current_period_start": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12) + " uncollectible"},
	},
	{
		name: "pause and trial end together", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-14T12:00:00Z"}`}},
		until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC), want: map[string]string{"status": `"active"`,
			"activated_at": at(2, 14, 12), "resumed_at": at(2, 14, 12), "current_period_start": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "pause without an end, invoices void", steps: []step{{"pause", `{"behavior":"void"}`}},
		until: time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC), want: map[string]string{"status": `"paused"`,
			"current_period_start": at(3, 31, 12)},
		invoices: []string{at(2, 28, 12) + " void", at(3, 31, 12) + " void"},
	},
	{
		name: "several at once", fields: `,"trial_period_days":14`, steps: []step{
			{"pause", `{"behavior":"keep_as_draft","resumes_at":"2026-03-01T00:00:00Z"}`},
			{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`}},
		until: time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"active"`, "plan_id": `"` + otherPlan + `"`, "activated_at": at(3, 1, 0),
			"resumed_at": at(3, 1, 0), "current_period_start": at(4, 14, 12), "updated_at": at(4, 14, 12)},
		invoices: []string{at(2, 14, 12) + " draft", at(3, 14, 12), at(4, 14, 12)},
	},
	{
		name: "invoiced by hand", fields: `,"collection_method":"manual_invoice"`,
		until: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), want: map[string]string{"current_period_start": at(5, 31, 12)},
	},
	{
		name: "quarterly", fields: `,"billing_cycle":"quarterly"`, until: time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC),
		before:   map[string]string{"current_period_end": at(4, 30, 12)},
		want:     map[string]string{"current_period_start": at(4, 30, 12), "current_period_end": at(7, 31, 12)},
		invoices: []string{at(4, 30, 12)},
	},
}
