package rehearsal

import (
	"fmt"
	"strings"

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
)

// exactly is a known amount.
func exactly(cents int64) Money { return Money{Cents: cents, Known: true} }

// missing is one amount that is not known.
func missing() Money { return Money{Unknown: 1} }

// moneyOf is an amount as a sum of one.
func moneyOf(a amounts.Amount) Money {
	if a.Cents == nil {
		return missing()
	}
	m := exactly(*a.Cents)
	if a.Estimated {
		m.Estimated = 1
	}
	return m
}

// priceOf is an amount for a cycle.
func priceOf(a amounts.Amount, cycle, currency string) *Price {
	return &Price{Money: moneyOf(a), Cycle: cycle, Currency: currency, Source: a.Source, Arithmetic: a.Arithmetic,
		Why: a.Why}
}

// plus is the sum of two amounts.
func (m Money) plus(other Money) Money {
	m.Cents, m.Unknown, m.Estimated = m.Cents+other.Cents, m.Unknown+other.Unknown, m.Estimated+other.Estimated
	m.Known = m.Unknown == 0
	return m
}

// minus is the difference of two amounts of one object: not known where one of them is not.
func (m Money) minus(other Money) Money {
	if !m.Known || !other.Known {
		return missing()
	}
	return Money{Cents: m.Cents - other.Cents, Known: true, Estimated: min(m.Estimated+other.Estimated, 1)}
}

// none reports whether an amount is known to be nothing.
func (m Money) none() bool { return m.Known && m.Cents == 0 }

const notKnownText = "not known"

// in is an amount with its currency, such as BRL 792.00, ≈ BRL 792.00, or BRL 792.00 + 3 not known.
func (m Money) in(currency string) string { return m.text(currency, "") }

// signed is a difference with its sign, such as +BRL 10.00.
func (m Money) signed(currency string) string {
	if m.Cents > 0 {
		return m.text(currency, "+")
	}
	return m.text(currency, "")
}

func (m Money) text(currency, sign string) string {
	if m.Cents == 0 && m.Unknown == 1 {
		return notKnownText
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
		return fmt.Sprintf("%d %s", m.Unknown, notKnownText)
	case m.Unknown > 0:
		text += fmt.Sprintf(" + %d %s", m.Unknown, notKnownText)
	}
	return text
}

// text is a price with its cycle; nil is nothing.
func (p *Price) text() string {
	if p == nil {
		return "–"
	}
	return strings.TrimSpace(p.in(p.Currency) + " " + p.Cycle)
}

// from is where the amount comes from, for people.
func (p *Price) from() string {
	if p == nil {
		return ""
	}
	return amounts.Amount{Source: p.Source, Arithmetic: p.Arithmetic}.String()
}

// differs returns the difference of two prices of a subscription, of which one may not be there. It is nil where they
// are of different cycles or currencies.
func differs(without, with *Price) *Price {
	switch {
	case without == nil && with == nil:
		return nil
	case without == nil:
		return &Price{Money: with.Money, Cycle: with.Cycle, Currency: with.Currency}
	case with == nil:
		return &Price{Money: exactly(0).minus(without.Money), Cycle: without.Cycle, Currency: without.Currency}
	case without.Cycle != with.Cycle || without.Currency != with.Currency:
		return nil
	}
	return &Price{Money: with.minus(without.Money), Cycle: with.Cycle, Currency: with.Currency}
}
