package functions

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

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
