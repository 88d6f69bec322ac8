// Package money has amounts of subscriptions, and what of them is not known.
package money

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

type (
	// Money is an amount, or the sum of several of which some may not be known.
	Money struct {
		Cents     int64 `json:"cents"`     // the sum of what is known
		Known     bool  `json:"known"`     // nothing is missing in it
		Unknown   int   `json:"unknown"`   // how many amounts are missing
		Estimated int   `json:"estimated"` // how many amounts are derived, and not confirmed by an amount of the service
	}
	// Price is what a subscription costs a billing cycle.
	Price struct {
		Money
		Cycle    string `json:"cycle"`
		Currency string `json:"currency"`
		// Source says where the amount comes from: invoice, shown, catalogue, derived or price list. Empty: it is not known.
		Source amounts.Source `json:"source,omitempty"`
		// Arithmetic names what a derived amount is computed from, such as "plan + items − 10 %".
		Arithmetic string `json:"arithmetic,omitempty"`
		// Why says, in half a sentence, why the amount is not known.
		Why string `json:"why,omitempty"`
	}
	// Amounts are the prices of a subscription at the end, without the apply and with it. Nil: there is no such
	// subscription then, or it does not bill.
	Amounts struct {
		ID      string `json:"id"`
		Name    string `json:"name"` // external_id, or the id
		Without *Price `json:"without"`
		With    *Price `json:"with"`
		// Difference is nil if the two are of different cycles or currencies.
		Difference *Price `json:"difference"`
	}
)

// Exactly is a known amount.
func Exactly(cents int64) Money { return Money{Cents: cents, Known: true} }

// missing is one amount that is not known.
func missing() Money { return Money{Unknown: 1} }

// Of is an amount as a sum of one.
func Of(a amounts.Amount) Money {
	if a.Cents == nil {
		return missing()
	}
	m := Exactly(*a.Cents)
	if a.Estimated {
		m.Estimated = 1
	}
	return m
}

// PriceOf is an amount for a cycle.
func PriceOf(a amounts.Amount, cycle, currency string) *Price {
	return &Price{Money: Of(a), Cycle: cycle, Currency: currency, Source: a.Source, Arithmetic: a.Arithmetic,
		Why: a.Why}
}

// Plus is the sum of two amounts.
func (m Money) Plus(other Money) Money {
	m.Cents, m.Unknown, m.Estimated = m.Cents+other.Cents, m.Unknown+other.Unknown, m.Estimated+other.Estimated
	m.Known = m.Unknown == 0
	return m
}

// Minus is the difference of two amounts of one object: not known where one of them is not.
func (m Money) Minus(other Money) Money {
	if !m.Known || !other.Known {
		return missing()
	}
	return Money{Cents: m.Cents - other.Cents, Known: true, Estimated: min(m.Estimated+other.Estimated, 1)}
}

// None reports whether an amount is known to be nothing.
func (m Money) None() bool { return m.Known && m.Cents == 0 }

// NotKnown is what is shown for an amount that is not known.
const NotKnown = "not known"

// In is an amount with its currency, such as BRL 792.00, ≈ BRL 792.00, or BRL 792.00 + 3 not known.
func (m Money) In(currency string) string { return m.text(currency, "") }

// Signed is a difference with its sign, such as +BRL 10.00.
func (m Money) Signed(currency string) string {
	if m.Cents > 0 {
		return m.text(currency, "+")
	}
	return m.text(currency, "")
}

func (m Money) text(currency, sign string) string {
	if m.Cents == 0 && m.Unknown == 1 {
		return NotKnown
	}
	cents := m.Cents
	if cents < 0 {
		sign, cents = "-", -cents
	}
	text := sign + strings.TrimSpace(currency+" "+amounts.Decimal(cents))
	if m.Estimated > 0 {
		text = "≈ " + text
	}
	switch {
	case m.Cents == 0 && m.Unknown > 0:
		return fmt.Sprintf("%d %s", m.Unknown, NotKnown)
	case m.Unknown > 0:
		text += fmt.Sprintf(" + %d %s", m.Unknown, NotKnown)
	}
	return text
}

// Text is a price with its cycle; nil is nothing.
func (p *Price) Text() string {
	if p == nil {
		return "–"
	}
	if amount := p.In(p.Currency); amount == NotKnown && p.Cycle != "" {
		return amount + " (" + p.Cycle + ")"
	}
	return strings.TrimSpace(p.In(p.Currency) + " " + p.Cycle)
}

// From is where the amount comes from, for people.
func (p *Price) From() string {
	if p == nil {
		return ""
	}
	return amounts.Amount{Source: p.Source, Arithmetic: p.Arithmetic}.String()
}

// Differs returns the difference of two prices of a subscription, of which one may not be there. It is nil where they
// are of different cycles or currencies.
func Differs(without, with *Price) *Price {
	switch {
	case without == nil && with == nil:
		return nil
	case without == nil:
		return &Price{Money: with.Money, Cycle: with.Cycle, Currency: with.Currency}
	case with == nil:
		return &Price{Money: Exactly(0).Minus(without.Money), Cycle: without.Cycle, Currency: without.Currency}
	case without.Cycle != with.Cycle || without.Currency != with.Currency:
		return nil
	}
	return &Price{Money: with.Minus(without.Money), Cycle: with.Cycle, Currency: with.Currency}
}

// Live reports whether a subscription exists and bills. The invoices of a pause are not payable.
func Live(of plain.Fields) bool {
	return of != nil && of["status"] != "canceled" && of["status"] != "draft" && of["status"] != "paused"
}

// Reasons returns a sentence for each reason why prices are not known.
func Reasons(of []Amounts) (all []string) {
	unknown := map[string][]string{} // names, by reason
	for _, one := range of {
		for _, price := range []*Price{one.With, one.Without} {
			if price != nil && !price.Known {
				unknown[price.Why] = append(unknown[price.Why], one.Name)
				break
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		all = append(all, "The price of "+render.Some(unknown[why])+": "+why+".")
	}
	return all
}

// Rows are the rows of a table.
func Rows(all []Amounts) (rows [][]string) {
	for _, a := range all {
		difference := "another cycle or currency"
		if a.Difference != nil {
			difference = a.Difference.Signed(a.Difference.Currency)
		}
		source := a.With
		if source == nil {
			source = a.Without
		}
		rows = append(rows, []string{a.Name, a.Without.Text(), a.With.Text(), difference, source.From()})
	}
	return rows
}

// Cycles are the billing cycles, from short to long.
var Cycles = []string{"monthly", "quarterly", "semiannual", "annual"}
