package value

import (
	"math/big"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
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
			if text := check.NumberText(number); len(text) > 60 {
				t.Errorf("%q is written as %s", s, text)
			}
		}
	})
}

// FuzzTaxNumber: a number that is accepted has 11 digits or 14 characters with two check digits, is accepted in its
// plain form and in lower case too, and is the same number then.
func FuzzTaxNumber(f *testing.F) {
	for _, seed := range []string{
		"529.982.247-25", "11.222.333/0001-81", "12.ABC.345/01DE-35", "12abc34501de35", "CPF 52998224725", "12ABC34501DE3A",
		"٣", "", "-", "00000000000", "1 2 . A B C 345/01DE-35", "ſ2ABC34501DE35",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		plain, wrong := TaxNumber(number)
		if wrong != "" {
			return
		}
		if again, wrong := TaxNumber(plain); again != plain || wrong != "" {
			t.Errorf("%q is %q, and that is %q, %s", number, plain, again, wrong)
		}
		if lower, wrong := TaxNumber(strings.ToLower(number)); lower != plain || wrong != "" ||
			!same.Document(lower, number) {
			t.Errorf("%q in lower case is %q, %s", number, lower, wrong)
		}
		switch digits := strings.Trim(plain, decimalDigits) == ""; {
		case len(plain) == cpfLength && digits, len(plain) == cnpjLength && strings.Trim(plain[12:], decimalDigits) == "":
		default:
			t.Errorf("%q is accepted as %q", number, plain)
		}
		if !CheckDigits(plain) {
			return
		}
		// One wrong digit is always found.
		last := plain[len(plain)-1]
		if CheckDigits(plain[:len(plain)-1] + string('0'+(last-'0'+1)%10)) {
			t.Errorf("%q is right with another last digit", plain)
		}
	})
}
