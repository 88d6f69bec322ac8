package amounts

import (
	"math/big"
	"slices"
)

// Rounding is how a service rounds to cents.
type Rounding int

// Kinds of rounding.
const (
	HalfUp Rounding = iota
	HalfEven
	HalfDown
	Down
	Up
	roundings
)

// Arithmetic is how a service computes an amount from the lines of plan and items. The zero value is that of the
// sandbox.
type Arithmetic struct {
	Rounding Rounding
	PerLine  bool // each line is rounded, and not the sum
	Twice    bool // the amount is rounded before the discount, and again after it
	Gross    bool // recurring_amount_cents is before the discount
}

// SubcentsPerCent are the units of prices.
const SubcentsPerCent = 100

// Cents returns the sum of lines in subcents, less a part of it, in cents. Amounts are not negative.
func (a Arithmetic) Cents(lines []*big.Int, discount *big.Rat) *big.Int {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), discount)
	if !a.PerLine {
		sum := new(big.Int)
		for _, line := range lines {
			sum.Add(sum, line)
		}
		lines = []*big.Int{sum}
	}
	total := new(big.Int)
	for _, line := range lines {
		cents := new(big.Rat).SetFrac(line, big.NewInt(SubcentsPerCent))
		if a.Twice {
			cents.SetInt(a.round(cents))
		}
		total.Add(total, a.round(cents.Mul(cents, rest)))
	}
	return total
}

func (a Arithmetic) round(of *big.Rat) *big.Int {
	quotient, rest := new(big.Int).QuoRem(of.Num(), of.Denom(), new(big.Int))
	half := new(big.Int).Lsh(rest, 1).Cmp(of.Denom())
	up := false
	switch a.Rounding {
	case HalfUp:
		up = half >= 0
	case HalfEven:
		up = half > 0 || half == 0 && quotient.Bit(0) == 1
	case HalfDown:
		up = half > 0
	case Up:
		up = rest.Sign() > 0
	}
	if up {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}

// every is the arithmetic that a service may use.
func every() (all []Arithmetic) {
	for rounding := range roundings {
		for _, perLine := range []bool{false, true} {
			for _, twice := range []bool{false, true} {
				all = append(all, Arithmetic{Rounding: rounding, PerLine: perLine, Twice: twice})
			}
		}
	}
	return all
}

// support counts the amounts that a rule explains, and those that it should and does not.
type support struct{ agrees, differs int }

func (e *support) note(agrees bool) {
	if agrees {
		e.agrees++
	} else {
		e.differs++
	}
}

// confirms reports whether amounts agree with the rule, and none differs.
func (e support) confirms() bool { return e.agrees > 0 && e.differs == 0 }

// refutes reports whether most amounts differ from the rule.
func (e support) refutes() bool { return e.differs > 0 && e.differs >= e.agrees }

// learned is what the amounts of an organization show about the arithmetic of its service.
type learned struct {
	rules     []Arithmetic // that explain every amount, or all: then amounts contradict each other
	fits      []Arithmetic // while it learns
	quantity  support      // an item costs its unit amount times its quantity
	sum       support      // items are added to the plan
	discounts support      // a discount is that part of the sum
	net       support      // recurring_amount_cents is after the discount
}

// explained reports whether any arithmetic gives an amount, and keeps the rules that do.
func (l *learned) explained(cents int64, lines []*big.Int, discount *big.Rat) bool {
	gives := func(a Arithmetic) bool { return isCents(a.Cents(lines, discount), cents) }
	if !slices.ContainsFunc(every(), gives) {
		return false
	}
	l.fits = slices.DeleteFunc(l.fits, func(a Arithmetic) bool { return !gives(a) })
	return true
}

// explains reports whether any arithmetic makes an amount of lines less a part of them; nil is not known.
func explains(cents int64, lines []*big.Int, discount *big.Rat) bool {
	return discount != nil && (&learned{fits: every()}).explained(cents, lines, discount)
}

// conclude keeps the rules that explain every amount.
func (l *learned) conclude() {
	if l.rules = l.fits; len(l.rules) == 0 {
		l.rules = every()
	}
}

func isCents(amount *big.Int, cents int64) bool { return amount.IsInt64() && amount.Int64() == cents }

// line is a single line of whole cents.
func line(cents int64) []*big.Int {
	return []*big.Int{new(big.Int).Mul(big.NewInt(cents), big.NewInt(SubcentsPerCent))}
}

var none = new(big.Rat)
