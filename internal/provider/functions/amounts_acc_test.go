package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

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
		`cents("10.505")`:                      `3 decimals, more than the 2 that cents can represent`,
		`normalize_document("529.982.247-26")`: `The check digits of "529\.982\.247-26" are wrong`,
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
