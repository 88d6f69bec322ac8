package functions

import (
	"math/big"
	"strings"
	"testing"
)

// FuzzAmounts: whatever parse accepts, format writes as the same amount with all decimals, and parse reads that as the
// same number.
func FuzzAmounts(f *testing.F) {
	for _, seed := range []string{"10.50", "-0.01", "0", "-0", "007", "10.5012", "1,5", "1.2.3", "", "-", ".5", "5.",
		"92233720368547758.08", "1e3", strings.Repeat("9", 56)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, amount string) {
		for _, u := range []unit{cents, subcents} {
			number, wrong := u.parse(amount)
			if wrong != nil {
				continue
			}
			if exact, ok := new(big.Rat).SetString(amount); !ok ||
				exact.Mul(exact, scale(u)).Cmp(new(big.Rat).SetInt(number)) != 0 {
				t.Errorf("%s(%q) = %s, which is another amount", u.name, amount, number)
			}
			text, wrong := u.format(new(big.Float).SetPrec(precision).SetInt(number))
			if wrong != nil {
				t.Fatalf("format_%s(%s): %v", u.name, number, wrong)
			}
			if _, decimals, _ := strings.Cut(text, "."); len(decimals) != u.decimals {
				t.Errorf("format_%s(%s) = %q", u.name, number, text)
			}
			if again, wrong := u.parse(text); wrong != nil || again.Cmp(number) != 0 {
				t.Errorf("%s(%q) = %s, %v, want %s", u.name, text, again, wrong, number)
			}
		}
	})
}

func scale(u unit) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(u.decimals)), nil))
}
