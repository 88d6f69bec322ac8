package value

import (
	"math/big"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// DateTimeType is the type of a date, or of a date with time and zone (ISO 8601). The same time in another zone, or
// with other digits of a second, is equal; a date alone is its midnight in UTC.
type DateTimeType = TextType[moment]

// DateTime is a value of DateTimeType.
type DateTime = Text[moment]

// DateTimePointer wraps what a service returned; nil is null.
func DateTimePointer(s *string) DateTime { return pointer[moment](s) }

type moment struct{}

func (moment) name() string { return "DateTimeType" }

func (moment) same(a, b string) bool {
	x, okX := api.Moment(a)
	y, okY := api.Moment(b)
	if !okX || !okY {
		return a == b
	}
	// The services return milliseconds.
	return x.Truncate(time.Millisecond).Equal(y.Truncate(time.Millisecond))
}

// DecimalType is the type of a decimal number written as text. Numbers that differ only in trailing zeros are equal.
type DecimalType = TextType[decimal]

// Decimal is a value of DecimalType.
type Decimal = Text[decimal]

// DecimalPointer wraps what a service returned; nil is null.
func DecimalPointer(s *string) Decimal { return pointer[decimal](s) }

type decimal struct{}

func (decimal) name() string { return "DecimalType" }

// longestDecimal bounds what is read as a number; longer texts are compared as texts.
const longestDecimal = 64

func (decimal) same(a, b string) bool {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	if !okX || !okY {
		return a == b
	}
	return x.Cmp(y) == 0
}

// parseDecimal reads a decimal number exactly: digits, at most one dot, a sign. Exponents are not accepted.
func parseDecimal(s string) (*big.Rat, bool) {
	if s == "" || len(s) > longestDecimal {
		return nil, false
	}
	for i, r := range s {
		if (r < '0' || r > '9') && r != '.' && (i > 0 || r != '-' && r != '+') {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}
