package rehearsal

import (
	"cmp"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
)

// Later is something that is scheduled for after the last day in one of the two copies and not in the other.
type Later struct {
	At     time.Time    `json:"at"`
	Object string       `json:"object"`
	What   string       `json:"what"`
	With   bool         `json:"with"`            // it is scheduled with the apply, and not without
	Price  *money.Price `json:"price,omitempty"` // of a subscription that ends
}

// scheduled are what is scheduled for an object after the last day, by what it is.
func scheduled(kind string, of fields, o outcome) map[string]time.Time {
	all := map[string]time.Time{}
	add := func(what string, at any) {
		if when := plain.Time(at); !when.IsZero() {
			all[what] = when
		}
	}
	switch kind {
	case evidence.Subscription:
		if !money.Live(of) && of["status"] != "paused" {
			return all
		}
		if of["cancel_at_period_end"] == true {
			add("ends", of["current_period_end"])
		}
		metadata, _ := of["metadata"].(fields)
		if id := plain.Text(metadata["pending_plan_id"]); id != "" {
			add("changes to plan "+cmp.Or(o.names[id], id), of["current_period_end"])
		}
		if of["status"] == "paused" {
			add("continues after its pause", cmp.Or(plain.Text(of["resumes_at"]), "none"))
		}
	case evidence.Key:
		if plain.Text(of["revokedAt"]) == "" {
			add("ends", of["expiresAt"])
		}
	}
	return all
}

// laterOnes are what is scheduled after a time in one copy and not, or for another time, in the other.
func laterOnes(without, with outcome, until time.Time) (all []Later) {
	for _, one := range []struct {
		of, other outcome
		with      bool
	}{{with, without, true}, {without, with, false}} {
		for _, kind := range []string{evidence.Subscription, evidence.Key} {
			for id, of := range one.of.end[kind] {
				elsewhere := scheduled(kind, one.other.end[kind][id], one.other)
				for what, at := range scheduled(kind, of, one.of) {
					if !at.After(until) || elsewhere[what].Equal(at) {
						continue
					}
					l := Later{At: at, Object: nameOf(kind, id, of), What: what, With: one.with}
					if kind == evidence.Subscription && what == "ends" {
						l.Price = one.of.price(of)
					}
					all = append(all, l)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Later) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Object, b.Object), cmp.Compare(a.What, b.What))
	})
	return all
}

// laterRows are the lines of the report.
func laterRows(all []Later) (rows [][]string) {
	for _, l := range all {
		text := l.At.Format(time.DateOnly) + "  "
		if !l.With {
			text += "no longer: "
		}
		text += l.Object + " " + l.What
		if l.Price != nil {
			text += " (" + l.Price.Text() + ")"
		}
		rows = append(rows, []string{text})
	}
	return rows
}
