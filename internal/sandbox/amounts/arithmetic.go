package amounts

import "math/big"

// Arithmetic is how a service computes an amount from the lines of plan and items. The zero value is that of the copy
// and the sandbox: the lines are added exactly, the discount is taken off the sum, and the result is rounded once, half
// up. Tests use others, to play services that compute otherwise.
type Arithmetic struct {
	Rounding Rounding
	PerLine  bool // each line is rounded, and not the sum
}

// Rounding is how a service rounds to cents.
type Rounding int

// Kinds of rounding.
const (
	HalfUp Rounding = iota
	HalfEven
	Down
	Up
)

// SubcentsPerCent are the units of prices.
const SubcentsPerCent = 100

// Cents returns the sum of lines in subcents, less a part of it, in cents. Amounts are not negative.
func (a Arithmetic) Cents(lines []*big.Int, discount *big.Rat) *big.Int {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), discount)
	if !a.PerLine {
		lines = []*big.Int{sum(lines)}
	}
	total := new(big.Int)
	for _, line := range lines {
		cents := new(big.Rat).SetFrac(line, big.NewInt(SubcentsPerCent))
		total.Add(total, a.round(cents.Mul(cents, rest)))
	}
	return total
}

func sum(lines []*big.Int) *big.Int {
	total := new(big.Int)
	for _, line := range lines {
		total.Add(total, line)
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
	case Up:
		up = rest.Sign() > 0
	}
	if up {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}

// line is a single line of whole cents.
func line(cents int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(cents), big.NewInt(SubcentsPerCent))
}
