package value

import (
	"math/big"
	"testing"
)

// FuzzSame: sameness of times, decimals, ids and tax numbers does not depend on the order of the sides, and each value
// is the same as itself.
func FuzzSame(f *testing.F) {
	for _, seed := range [][2]string{
		{"2026-01-31T12:00:00Z", "2026-01-31T09:00:00.000-03:00"}, {"2026-01-31", "2026-01-31T00:00:00Z"}, {"10", "10.00"},
		{"-0", "0"}, {".", "0"}, {"1.", ".1"}, {"", "0"}, {"12.abc.345/01de-35", "12ABC34501DE35"},
		{"0001-01-01T00:00:00Z", "0000-12-31T23:59:59.9999Z"}, {"+1", "1"}, {"1/3", "1"}, {"1e9", "1"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for name, same := range map[string]func(a, b string) bool{"moment": moment{}.same, "decimal": decimal{}.same,
			"uuid": uuid{}.same, "tax number": taxNumber{}.same} {
			if same(a, b) != same(b, a) || !same(a, a) || !same(b, b) {
				t.Errorf("%s: %q and %q", name, a, b)
			}
		}
	})
}

// FuzzParse: a decimal that is read is the same one when it is written and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"10.00", "-.5", "99999999999999999999.99",
		"0x10", "1_000", "+", "1e3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if number, ok := parseDecimal(s); ok {
			if again, ok := new(big.Rat).SetString(number.FloatString(longestDecimal)); !ok || again.Cmp(number) != 0 {
				t.Errorf("%q is %s", s, number)
			}
		}
		if number, ok := new(big.Float).SetString(s); ok && len(s) < 20 {
			if text := NumberText(number); len(text) > 60 {
				t.Errorf("%q is written as %s", s, text)
			}
		}
	})
}
