package rehearsal

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// A rule of the copy that no description gives is named once, with how many subscriptions of the sums rest on it, and
// the first three: those that differ come first.
func TestAssumed(t *testing.T) {
	t.Parallel()
	subscription := func(id, plan string, more fields) fields {
		of := fields{"id": id, "external_id": id, "billing_account_id": "a", "status": "active", "billing_cycle": "monthly",
			"plan_id": plan}
		for name, value := range more {
			of[name] = value
		}
		return of
	}
	state := func(plan string, more ...fields) objects {
		return objects{evidence.Account: of(fields{"id": "a", "currency": "BRL"}), evidence.Subscription: of(append([]fields{
			subscription("same", "1", fields{"status": "past_due"}), subscription("plain", plan, nil),
			subscription("other 1", "1", fields{"status": "past_due"}),
			subscription("other 2", "1", fields{"status": "past_due"}),
			subscription("other 3", "1", fields{"status": "past_due"}),
			subscription("trial", plan, fields{"status": "trialing", "trial_end": "2026-03-02T00:00:00Z"}),
			subscription("tried", plan, fields{"trial_end": "2026-01-02T00:00:00Z", "commitment": fields{}}),
			subscription("day", plan, fields{"cycle_billing_date": "2026-02-20T00:00:00Z",
				"current_period_end": "2026-03-03T00:00:00Z"}),
			subscription("late", plan, fields{"status": "past_due"}),
			subscription("hand", plan, fields{"collection_method": "manual_invoice"}),
			subscription("once", plan, fields{"renewal_settings": fields{"type": "cancel"}}),
			subscription("bound", plan, fields{"commitment": fields{"months": json.Number("12")}}),
		}, more...)...)}
	}
	all := map[string]amounts.Amount{}
	for _, id := range []string{"plain", "trial", "tried", "late", "hand", "once", "bound", "new", "day"} {
		all[id] = amounts.Amount{Cents: new(int64(9990)), Source: amounts.Invoiced}
	}
	all["plain"] = amounts.Amount{Cents: new(int64(9991)), Source: amounts.Derived, Estimated: true}
	before := map[string]amounts.Amount{}
	for id := range all {
		before[id] = amounts.Amount{Cents: new(int64(9990)), Source: amounts.Shown}
	}
	without := outcome{before: state("1"), end: state("1"), amounts: before}
	with := outcome{before: state("2", subscription("new", "1", nil)), end: state("2", subscription("new", "1", nil)),
		amounts: all}
	got := assumed(without, with, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		map[string]bool{"plain": true, "same": true, "new": true}, prices(without, with))
	want := []string{
		"Begins on a day that not every month has, so its periods begin on the last day of a shorter one: new.",
		"Billed monthly, because billing_cycle is not set: new.",
		"First invoiced when the trial ends: trial (2026-03-02).",
		"Has a commitment, which changes neither what it costs nor when it can end: bound.",
		"Invoiced by hand, so no invoice of it is counted: hand.",
		"Invoiced on the cycle_billing_date, and on that day of later cycles: day (2026-02-20).",
		"Keeps its billing cycle with its new plan: plain.",
		"Past due, and invoiced as before: late, other 1, other 2 and 2 more.",
		`Renewed, although its renewal_settings are "cancel": once.`,
		"The fields subscription_id, status, amount_cents, currency, period_start and created_at of invoices are what " +
			"their names say. No description lists them.",
		"What is marked ≈: plan and items are added exactly, the discount is taken off the sum, and the result is rounded " +
			"once, half up.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A billing cycle is open where the plan does not know it, also that of a subscription that the apply has created.
func TestOpenCycles(t *testing.T) {
	t.Parallel()
	planned := func(address, kind, id string, unknown fields) *change {
		c := &change{ResourceChange: &tf.ResourceChange{Address: address, Type: kind}, unknown: unknown}
		if id != "" {
			c.before = fields{"id": id}
		}
		return c
	}
	open := fields{"billing_cycle": true}
	changes := []*change{planned("s.a", "billing_subscription", "a", open),
		planned("s.b", "billing_subscription", "b", fields{}), planned("s.new", "billing_subscription", "", open),
		planned("o.c", "other_subscription", "c", open)}
	got := openCycles(changes, []Sent{{Operation: "subscriptions.create", Address: "s.new", ID: "new"},
		{Operation: "subscriptions.create", Address: "s.b", ID: "other"}})
	if !got["a"] || !got["new"] || got["b"] || got["c"] || got["other"] {
		t.Error(got)
	}
}
