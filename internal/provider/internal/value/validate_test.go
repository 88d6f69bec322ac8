package value

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// outcome of a validator: fine, a warning or an error.
type outcome string

const (
	fine     outcome = "fine"
	warning  outcome = "warning"
	rejected outcome = "error"
)

func validated(t *testing.T, v validator.String, value types.String) (outcome, string) {
	t.Helper()
	resp := &validator.StringResponse{}
	v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("argument"), ConfigValue: value}, resp)
	switch {
	case resp.Diagnostics.HasError():
		return rejected, resp.Diagnostics[0].Detail()
	case len(resp.Diagnostics) > 0:
		return warning, resp.Diagnostics[0].Detail()
	}
	return fine, ""
}

func TestCPFOrCNPJ(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]outcome{
		"529.982.247-25":     fine,
		"52998224725":        fine,
		"111.444.777-35":     fine,
		"012.345.678-90":     fine,
		"11.222.333/0001-81": fine,
		"11222333000181":     fine,
		"33.000.167/0001-01": fine,
		"529 982 247 25":     fine,
		"12.ABC.345/01DE-35": fine,
		"12abc34501de35":     fine,

		"529.982.247-26":     warning,
		"529.982.247-15":     warning,
		"11.222.333/0001-82": warning,
		"11.222.333/0001-91": warning,
		"111.111.111-11":     warning,
		"00000000000":        warning,
		"11111111111111":     warning,
		"12.ABC.345/01DE-36": warning,
		"12.ABD.345/01DE-35": warning,

		"":                         rejected,
		"..-/":                     rejected,
		"5299822472":               rejected,
		"529982247250":             rejected,
		"1122233300018":            rejected,
		"112223330001811":          rejected,
		"529.982.247-2X":           rejected,
		"529a982b24725":            rejected,
		"52998224725\n":            rejected,
		"٥٢٩٩٨٢٢٤٧٢٥":              rejected,
		"５２９９８２２４７２５":              rejected,
		"529.982.247‑25":           rejected,
		"BR 529.982.247-25":        rejected,
		"12.ABC.345/01DE-3A":       rejected,
		"12.ABC.345/01DE-3":        rejected,
		"12.ABC.345/01DÉ-35":       rejected,
		"CPF 529.982.247-25":       rejected,
		"52A98224725":              rejected,
		"12.ABC.345/01DE-35\u200b": rejected,
		"529.982.247-25;drop":      rejected,
	} {
		have, text := validated(t, CPFOrCNPJ(), types.StringValue(number))
		if have != want {
			t.Errorf("%q: %s (%s), want %s", number, have, text, want)
		}
	}
}

// TestCheckDigits: any other last digit, and any two neighbours swapped, are noticed, as modulo 11 promises.
func TestCheckDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"52998224725", "11144477735", "01234567890", "11222333000181", "33000167000101",
		"12ABC34501DE35"} {
		if !CheckDigits(number) {
			t.Errorf("%s is rejected", number)
		}
		for place := len(number) - 2; place < len(number); place++ {
			for digit := byte('0'); digit <= '9'; digit++ {
				wrong := number[:place] + string(digit) + number[place+1:]
				if wrong != number && CheckDigits(wrong) {
					t.Errorf("%s is accepted, although only %s is right", wrong, number)
				}
			}
		}
	}
	for _, number := range []string{"", "1", "1234567890", "123456789012", "5299822472512", "112223330001811"} {
		if CheckDigits(number) {
			t.Errorf("%q of %d digits is accepted", number, len(number))
		}
	}
	for digit := '0'; digit <= '9'; digit++ {
		if CheckDigits(strings.Repeat(string(digit), cpfLength)) || CheckDigits(strings.Repeat(string(digit), cnpjLength)) {
			t.Errorf("a number of %c alone is accepted", digit)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		validator validator.String
		good, bad []string
	}{
		"Email": {check.Email(),
			[]string{"a@example.com", "first.last+tag@sub.example.com", "ação@example.com"},
			[]string{"", " ", "a", "a@", "@example.com", "a@b@c", "a b@example.com", "Ana <a@example.com>", "<a@example.com>",
				" a@example.com", "a@example.com ", "a@example.com,b@example.com", "a@example.com\n"}},
		"Date": {check.Date(),
			[]string{"1990-12-31", "2024-02-29", "0001-01-01"},
			[]string{"", "1990-13-01", "2023-02-29", "1990-1-1", "31/12/1990", "1990-12-31T00:00:00Z", "1990-12-31 ",
				"19901231", "90-12-31"}},
		"DateOrDateTime": {check.DateOrDateTime(),
			[]string{"2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123-03:00"},
			[]string{"", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-02-30", "2026-01-31T25:00:00Z",
				"yesterday", "1767225600"}},
		"Phone": {check.Phone(),
			[]string{"+55 11 91234-5678", "911", "(11) 2345 ramal 6", "\u0661\u0662"},
			[]string{"", " ", "abc", "+", "ramal"}},
		"UUID": {check.UUID(),
			[]string{"8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c", "8F14E45F-CEEA-1E7A-9C5D-3F2B1A0D9E8C"},
			[]string{"", "x", "null", "not-a-uuid", "pro", "8f14e45fceea4e7a9c5d3f2b1a0d9e8c",
				"{8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c}"}},
		"NotBlank": {check.NotBlank(),
			[]string{"a", " a ", "0", "é", "名", "a\u200b"},
			[]string{"", " ", "\t\r\n", "\u00a0", "\u2003\u3000", "\u200b", "\x00", "\ufeff "}},
		"Trimmed": {check.Trimmed(),
			[]string{"crm-42", "Loja 12", ""}, // NotBlank rejects blank text
			[]string{" crm-42", "crm-42 ", "\tcrm-42", "crm-42\n"}},
		"Name": {check.Name("charges:*"),
			[]string{"charges:*", "*", "charge.paid", ""},
			[]string{"charges: *", "charges:*,customers:*", " charge.paid", "charge.paid\n"}},
		"Percent": {check.Percent(),
			[]string{"0", "100", "12.5", "12.50", "100.000", "0.1"},
			[]string{"", "100.01", "-1", "1e1", "ten", "1,5", ".5", "5."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range c.good {
				if have, why := validated(t, c.validator, types.StringValue(text)); have != fine {
					t.Errorf("%q: %s (%s)", text, have, why)
				}
			}
			for _, text := range c.bad {
				if have, why := validated(t, c.validator, types.StringValue(text)); have != rejected {
					t.Errorf("%q: %s (%s), want an error", text, have, why)
				}
			}
		})
	}
}

// TestValidators_absentAndUnknown: nothing is said about a value that is not there or not known yet.
func TestValidators_absentAndUnknown(t *testing.T) {
	t.Parallel()
	for _, v := range []validator.String{CPFOrCNPJ(), check.Email(), check.Date(), check.DateOrDateTime(),
		check.Phone(), check.NotBlank(), check.UUID(), check.Trimmed(), check.Name("a"),
		check.Percent()} {
		for _, value := range []types.String{types.StringNull(), types.StringUnknown()} {
			if have, why := validated(t, v, value); have != fine {
				t.Errorf("%s of %s: %s (%s)", v.Description(t.Context()), value, have, why)
			}
		}
		if v.Description(t.Context()) == "" || v.MarkdownDescription(t.Context()) == "" {
			t.Errorf("%T has no description", v)
		}
	}
}

const anID = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"

// TestKeepSpelling: the plan keeps the state's spelling of the same value, and nothing else of the state.
func TestKeepSpelling(t *testing.T) {
	t.Parallel()
	upper, other := types.StringValue(strings.ToUpper(anID)), types.StringValue(anID[:35]+"d")
	for name, c := range map[string]struct{ planned, state, want types.String }{
		"another spelling": {upper, types.StringValue(anID), types.StringValue(anID)},
		"another id":       {other, types.StringValue(anID), other},
		"removed":          {types.StringNull(), types.StringValue(anID), types.StringNull()},
		"new":              {upper, types.StringNull(), upper},
		"unknown":          {types.StringUnknown(), types.StringValue(anID), types.StringUnknown()},
	} {
		resp := &planmodifier.StringResponse{PlanValue: c.planned}
		UUIDType{}.KeepSpelling().PlanModifyString(t.Context(), planmodifier.StringRequest{PlanValue: c.planned,
			StateValue: c.state}, resp)
		if !resp.PlanValue.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, resp.PlanValue, c.want)
		}
	}
}
