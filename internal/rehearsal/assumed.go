package rehearsal

import (
	"fmt"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// rule is a rule of the copy that no description of the service gives.
type rule struct {
	applies func(a assumption) bool
	says    func(a assumption) string
}

// assumption is a subscription of the difference, about which a rule assumes something.
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

// lastSafeDay is the last day that every month has.
const lastSafeDay = 28

var rules = []rule{
	{func(a assumption) bool { return a.at("trial_end").After(a.since) }, func(a assumption) string {
		return fmt.Sprintf("%s is first invoiced when its trial ends, on %s", a.name,
			a.at("trial_end").UTC().Format(time.DateOnly))
	}},
	{func(a assumption) bool {
		return amounts.OtherDay(a.at("cycle_billing_date"), a.at("current_period_end"), a.at("trial_end"))
	}, func(a assumption) string {
		return fmt.Sprintf("%s is invoiced on its cycle_billing_date, %s, and on that day of later cycles", a.name,
			a.at("cycle_billing_date").UTC().Format(time.DateOnly))
	}},
	{func(a assumption) bool { return a.keeps }, func(a assumption) string {
		return a.name + " keeps its billing cycle with its new plan"
	}},
	{func(a assumption) bool { return a.chosen }, func(a assumption) string {
		return a.name + " is billed monthly, because its billing_cycle is not set"
	}},
	{func(a assumption) bool { return a.of["status"] == "past_due" }, func(a assumption) string {
		return a.name + " is past due, and is invoiced as before"
	}},
	{func(a assumption) bool { return a.of["collection_method"] == "manual_invoice" }, func(a assumption) string {
		return a.name + " is invoiced by hand, so no invoice of it is counted"
	}},
	{func(a assumption) bool {
		settings, _ := a.of["renewal_settings"].(fields)
		return settings["type"] == "cancel"
	}, func(a assumption) string {
		return a.name + ` is renewed, although its renewal_settings are "cancel"`
	}},
	{func(a assumption) bool {
		commitment, _ := a.of["commitment"].(fields)
		return len(commitment) > 0
	}, func(a assumption) string {
		return "the commitment of " + a.name + " changes neither what it costs nor when it can end"
	}},
	{func(a assumption) bool { return a.isNew && a.since.UTC().Day() > lastSafeDay }, func(a assumption) string {
		return fmt.Sprintf("%s begins on day %d, so its periods begin on that day, or on the last one of a shorter month",
			a.name,
			a.since.UTC().Day())
	}},
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

// assumed returns a sentence for each rule of the copy that was used for a subscription of the difference, with the
// price that is at stake. The configuration leaves the billing cycles of open subscriptions to the service; priced are
// the prices that differ.
func assumed(without, with outcome, since time.Time, open map[string]bool,
	priced []money.Amounts) (sentences []string) {
	for _, id := range ids(without.end[evidence.Subscription], with.end[evidence.Subscription]) {
		if sameTerms(without, with, id) {
			continue
		}
		before, now := without.before[evidence.Subscription][id], with.before[evidence.Subscription][id]
		of := plain.Either(now, before)
		if of == nil {
			continue
		}
		a := assumption{of: of, name: nameOf(evidence.Subscription, id, of), isNew: before == nil, since: since}
		start, end := without.end[evidence.Subscription][id], with.end[evidence.Subscription][id]
		a.keeps = open[id] && start != nil && end != nil && !plain.Equal(start["plan_id"], end["plan_id"])
		a.chosen = open[id] && a.isNew
		price := with.price(with.end[evidence.Subscription][id])
		if price == nil {
			price = without.price(without.end[evidence.Subscription][id])
		}
		for _, r := range rules {
			if r.applies(a) {
				sentences = append(sentences, capitalized(r.says(a))+" ("+price.Text()+").")
			}
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

func capitalized(text string) string {
	if text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
