package functions_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// call calls a function as Terraform does, over the protocol, and returns its result or the text of its error.
func call(t *testing.T, name string, result tftypes.Type, argument tftypes.Value) (tftypes.Value, string) {
	t.Helper()
	server, err := acctest.Factories["billing"]()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := tfprotov6.NewDynamicValue(argument.Type(), argument)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name,
		Arguments: []*tfprotov6.DynamicValue{&encoded}})
	if err != nil {
		t.Fatal(err)
	}
	if failure := response.Error; failure != nil {
		if failure.FunctionArgument == nil || *failure.FunctionArgument != 0 {
			t.Errorf("%s: the error %q blames no argument", name, failure.Text)
		}
		return tftypes.Value{}, failure.Text
	}
	value, err := response.Result.Unmarshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return value, ""
}

func text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func number(t *testing.T, s string) tftypes.Value {
	t.Helper()
	f, _, err := big.ParseFloat(s, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return tftypes.NewValue(tftypes.Number, f)
}

// checkText holds a function that returns text to an expected result, or to a part of its error.
func checkText(t *testing.T, name string, argument tftypes.Value, want, wrong string) {
	t.Helper()
	value, failure := call(t, name, tftypes.String, argument)
	var have string
	if failure == "" {
		if err := value.As(&have); err != nil {
			t.Fatal(err)
		}
	}
	if have != want || (failure == "") != (wrong == "") || !strings.Contains(failure, wrong) {
		t.Errorf("%s(%s) = %q, error %q, want %q, error %q", name, argument, have, failure, want, wrong)
	}
}

func TestParseAmounts(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", 58)
	for _, c := range []struct{ name, amount, want, wrong string }{
		{"cents", "10.50", "1050", ""},
		{"cents", "10.5", "1050", ""},
		{"cents", "10", "1000", ""},
		{"cents", "0", "0", ""},
		{"cents", "-0.00", "0", ""},
		{"cents", "0.07", "7", ""},
		{"cents", "-0.07", "-7", ""},
		{"cents", "-1234.56", "-123456", ""},
		{"cents", "007.10", "710", ""},
		{"cents", "1.15", "115", ""}, // 114.99999999999999 in binary floating point
		{"cents", "92233720368547758.07", "9223372036854775807", ""},
		{"cents", "92233720368547758.08", "9223372036854775808", ""},
		{"cents", "-92233720368547758.09", "-9223372036854775809", ""},
		{"cents", "90071992547409.93", "9007199254740993", ""},
		{"cents", nines + ".99", nines + "99", ""},
		{"cents", "9" + nines, "", "more than 60 digits"},
		{"subcents", nines, "", "more than 60 digits"},
		{"cents", "10.505", "", "3 decimals, but cents have at most 2"},
		{"cents", "1.500", "", "3 decimals, but cents have at most 2"},
		{"cents", "", "", "is empty"},
		{"cents", " ", "", "is empty"},
		{"cents", "10,50", "", "contains a comma"},
		{"cents", "1,000.50", "", "contains a comma"},
		{"cents", "1.000.50", "", "more than one dot"},
		{"cents", "R$ 10.50", "", "other than digits"},
		{"cents", "10.50 ", "", "other than digits"},
		{"cents", "1e3", "", "other than digits"},
		{"cents", "+1", "", "other than digits"},
		{"cents", "--1", "", "other than digits"},
		{"cents", "1.-5", "", "other than digits"},
		{"cents", "١٢", "", "other than digits"},
		{"cents", ".50", "", "digits are missing"},
		{"cents", "10.", "", "digits are missing"},
		{"cents", "-", "", "digits are missing"},
		{"cents", "-.5", "", "digits are missing"},
		{"subcents", "10.5012", "105012", ""},
		{"subcents", "10.50", "105000", ""},
		{"subcents", "-0.0001", "-1", ""},
		{"subcents", "10.50125", "", "5 decimals, but subcents have at most 4"},
	} {
		value, failure := call(t, c.name, tftypes.Number, text(c.amount))
		have := ""
		if failure == "" {
			f := new(big.Float)
			if err := value.As(&f); err != nil {
				t.Fatal(err)
			}
			have = f.Text('f', -1)
		}
		if have != c.want || (failure == "") != (c.wrong == "") || !strings.Contains(failure, c.wrong) {
			t.Errorf("%s(%q) = %s, error %q, want %s, error %q", c.name, c.amount, have, failure, c.want, c.wrong)
		}
	}
}

func TestFormatAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, number, want, wrong string }{
		{"format_cents", "1050", "10.50", ""},
		{"format_cents", "0", "0.00", ""},
		{"format_cents", "7", "0.07", ""},
		{"format_cents", "-7", "-0.07", ""},
		{"format_cents", "100", "1.00", ""},
		{"format_cents", "-123456", "-1234.56", ""},
		{"format_cents", "9007199254740993", "90071992547409.93", ""},
		{"format_cents", "-9223372036854775809", "-92233720368547758.09", ""},
		{"format_cents", "10.5", "", `10.5 is not a whole number of cents`},
		{"format_cents", "1e61", "", "more than 60 digits"},
		{"format_cents", "1e4000", "", "more than 60 digits"},
		{"format_subcents", "105012", "10.5012", ""},
		{"format_subcents", "1", "0.0001", ""},
		{"format_subcents", "-105000", "-10.5000", ""},
		{"format_subcents", "0.1", "", "not a whole number of subcents"},
	} {
		checkText(t, c.name, number(t, c.number), c.want, c.wrong)
	}
}

// functionsExist holds a test back from a Terraform without provider functions.
var functionsExist = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}

// TestAccFunctions_amountsAndDocuments: results that are right in Terraform's own arithmetic too.
func TestAccFunctions_amountsAndDocuments(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   functionsExist,
		Steps: []resource.TestStep{{
			Config: `
output "cents" { value = provider::billing::cents("10.50") }
output "from_number" { value = provider::billing::cents(10.5) }
output "subcents" { value = provider::billing::subcents("10.5012") }
output "text" { value = provider::billing::format_cents(1050) }
output "subtext" { value = provider::billing::format_subcents(105012) }
output "sum" {
  value = provider::billing::format_cents(
    provider::billing::cents("92233720368547758.07") + provider::billing::cents("0.02"))
}
output "kind" { value = provider::billing::document_type("11.222.333/0001-81") }
output "digits" { value = provider::billing::normalize_document("529.982.247-25") }
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("cents", knownvalue.Int64Exact(1050)),
				statecheck.ExpectKnownOutputValue("from_number", knownvalue.Int64Exact(1050)),
				statecheck.ExpectKnownOutputValue("subcents", knownvalue.Int64Exact(105012)),
				statecheck.ExpectKnownOutputValue("text", knownvalue.StringExact("10.50")),
				statecheck.ExpectKnownOutputValue("subtext", knownvalue.StringExact("10.5012")),
				statecheck.ExpectKnownOutputValue("sum", knownvalue.StringExact("92233720368547758.09")),
				statecheck.ExpectKnownOutputValue("kind", knownvalue.StringExact("cnpj")),
				statecheck.ExpectKnownOutputValue("digits", knownvalue.StringExact("52998224725")),
			},
		}},
	})
}

// TestAccFunctions_refused: an error is on the argument and says what to write.
func TestAccFunctions_refused(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for call, message := range map[string]string{
		`cents("10.505")`:                      `The amount has 3 decimals, but cents have at most 2`,
		`normalize_document("529.982.247-26")`: `The check digits are wrong`,
		`format_cents(10.5)`:                   `10\.5 is not a whole number of cents`,
	} {
		message = regexp.MustCompile(` `).ReplaceAllString(message, `\s+`)
		steps = append(steps, resource.TestStep{
			Config:      `output "result" { value = provider::billing::` + call + ` }`,
			ExpectError: regexp.MustCompile(message),
		})
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, TerraformVersionChecks: functionsExist,
		Steps: steps})
}
