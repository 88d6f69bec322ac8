package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// rule is a rule of the copy that no description of the service gives: for which subscriptions it holds, what it says
// of them, and what differs among them.
type rule struct {
	applies func(a assumption) bool
	says    string
	detail  func(a assumption) string // nil: nothing
}

// assumption is a subscription that is billed in a copy, about which a rule assumes something.
type assumption struct {
	of    fields // right after the apply, or without it
	name  string
	isNew bool
	// keeps and chosen are true if the configuration leaves the billing cycle to the service: that of a subscription whose
	// plan changes, and that of a new one.
	keeps, chosen bool
	since         time.Time // of the copy
}

// at is the time in a field.
func (a assumption) at(field string) time.Time { return plain.Time(a.of[field]) }

// day is the day in a field.
func day(field string) func(assumption) string {
	return func(a assumption) string { return a.at(field).UTC().Format(time.DateOnly) }
}

// lastSafeDay is the last day that every month has.
const lastSafeDay = 28

var rules = []rule{
	{func(a assumption) bool { return a.at("trial_end").After(a.since) }, "First invoiced when the trial ends",
		day("trial_end")},
	{func(a assumption) bool {
		return amounts.OtherDay(a.at("cycle_billing_date"), a.at("current_period_end"), a.at("trial_end"))
	}, "Invoiced on the cycle_billing_date, and on that day of later cycles", day("cycle_billing_date")},
	{func(a assumption) bool { return a.keeps }, "Keeps its billing cycle with its new plan", nil},
	{func(a assumption) bool { return a.chosen }, "Billed monthly, because billing_cycle is not set", nil},
	{func(a assumption) bool { return a.of["status"] == "past_due" }, "Past due, and invoiced as before", nil},
	{func(a assumption) bool { return a.of["collection_method"] == manual },
		"Invoiced by hand, so no invoice of it is counted", nil},
	{func(a assumption) bool {
		settings, _ := a.of["renewal_settings"].(fields)
		return settings["type"] == "cancel"
	}, `Renewed, although its renewal_settings are "cancel"`, nil},
	{func(a assumption) bool {
		commitment, _ := a.of["commitment"].(fields)
		return len(commitment) > 0
	}, "Has a commitment, which changes neither what it costs nor when it can end", nil},
	{func(a assumption) bool {
		trial := a.at("trial_end")
		return a.isNew && a.since.UTC().Day() > lastSafeDay || trial.After(a.since) && trial.UTC().Day() > lastSafeDay
	}, "Begins on a day that not every month has, so its periods begin on the last day of a shorter one", nil},
}

// openCycles are the ids of the subscriptions whose billing cycle the configuration leaves to the service.
func openCycles(changes []*change, sent []Sent) map[string]bool {
	open := map[string]bool{}
	for _, c := range changes {
		if c.Type != "billing_subscription" || !plain.HasUnknown(c.unknown["billing_cycle"]) {
			continue
		}
		open[plain.Text(c.before["id"])] = true
		for _, s := range sent {
			if s.Operation == "subscriptions.create" && s.Address == c.Address {
				open[s.ID] = true
			}
		}
	}
	return open
}

// assumed returns a sentence for each rule of the copy that the sums rest on, with how many subscriptions, and the
// first of them: those that differ before the others. The configuration leaves the billing cycles of open ones to the
// service; priced are the prices that differ.
func assumed(without, with outcome, since time.Time, open map[string]bool,
	priced []money.Amounts) (sentences []string) {
	about := assumptions(without, with, since, open)
	for _, r := range rules {
		var names []string
		for _, a := range about {
			switch {
			case !r.applies(a):
			case r.detail != nil:
				names = append(names, a.name+" ("+r.detail(a)+")")
			default:
				names = append(names, a.name)
			}
		}
		if len(names) > 0 {
			sentences = append(sentences, r.says+": "+firstOf(names)+".")
		}
	}
	for sentence, holds := range map[string]func(*money.Price) bool{
		"The fields subscription_id, status, amount_cents, currency, period_start and created_at of invoices are what their " +
			"names say. No description lists them.": func(p *money.Price) bool { return p.From() == string(amounts.Invoiced) },
		"What is marked ≈: plan and items are added exactly, the discount is taken off the sum, and the result is rounded " +
			"once, half up.": func(p *money.Price) bool { return p != nil && p.Estimated > 0 },
	} {
		if slices.ContainsFunc(priced, func(one money.Amounts) bool { return holds(one.Without) || holds(one.With) }) {
			sentences = append(sentences, sentence)
		}
	}
	slices.Sort(sentences)
	return sentences
}

// assumptions are the subscriptions that are billed in either copy: those that differ come first.
func assumptions(without, with outcome, since time.Time, open map[string]bool) []assumption {
	var differ, others []assumption
	for _, id := range ids(without.end[evidence.Subscription], with.end[evidence.Subscription]) {
		before, now := without.before[evidence.Subscription][id], with.before[evidence.Subscription][id]
		start, end := without.end[evidence.Subscription][id], with.end[evidence.Subscription][id]
		of := plain.Either(now, before)
		if of == nil || !money.Live(of) && !money.Live(before) && !money.Live(end) {
			continue
		}
		a := assumption{of: of, name: cmp.Or(labelOf(of), id), isNew: before == nil, since: since}
		a.keeps = open[id] && start != nil && end != nil && !plain.Equal(start["plan_id"], end["plan_id"])
		a.chosen = open[id] && a.isNew
		if sameTerms(without, with, id) {
			others = append(others, a)
		} else {
			differ = append(differ, a)
		}
	}
	for _, some := range [][]assumption{differ, others} {
		slices.SortStableFunc(some, func(a, b assumption) int { return cmp.Compare(a.name, b.name) })
	}
	return slices.Concat(differ, others)
}

// mostNames is how many names a sentence has.
const mostNames = 3

// firstOf are the first names, and how many there are.
func firstOf(names []string) string {
	if len(names) > mostNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
	}
	return strings.Join(names, ", ")
}
