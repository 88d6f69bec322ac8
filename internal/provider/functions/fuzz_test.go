package functions

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
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

// FuzzDocuments: a number that is normalized is the same number, has a kind, and is normalized already.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{"529.982.247-25", "11.222.333/0001-81", "12.ABC.345/01DE-35", "12abc34501de35", "",
		"x", "1", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		plain, err := documentOf(t, NewNormalizeDocument(), number)
		kind, kindErr := documentOf(t, NewDocumentType(), number)
		if err != nil {
			return
		}
		if again, err := documentOf(t, NewNormalizeDocument(), plain); err != nil || again != plain ||
			!same.Document(plain, number) {
			t.Errorf("%q is %q, and then %q, %v", number, plain, again, err)
		}
		if want := map[int]string{11: "cpf", 14: "cnpj"}[len(plain)]; kindErr != nil || kind != want {
			t.Errorf("%q is a %s, %v", number, kind, kindErr)
		}
	})
}

func documentOf(t *testing.T, f function.Function, number string) (string, *function.FuncError) {
	resp := function.RunResponse{Result: function.NewResultData(types.StringUnknown())}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.StringValue(number)})},
		&resp)
	text, _ := resp.Result.Value().(types.String)
	return text.ValueString(), resp.Error
}
