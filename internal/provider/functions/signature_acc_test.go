package functions_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// required names the provider, without which a module cannot call its functions.
const required = `
terraform {
  required_providers {
    billing = { source = "hashicorp/billing" }
  }
}
`

// TestAccSignature: through Terraform a body is signed as a tool outside of this project signs it, and verified;
// neither needs a service.
func TestAccSignature(t *testing.T) {
	t.Parallel()
	vector := evidence.Signatures()[1]
	locals := required + fmt.Sprintf("locals {\n  secret = %q\n  body = %q\n  at = %d\n}\n", vector.Secret, vector.Body,
		vector.Timestamp)
	run(t,
		resource.TestStep{
			Config: locals + `
output "header" {
  value = provider::billing::webhook_signature(local.secret, local.at, local.body)
}
output "valid" {
  value = provider::billing::verify_webhook_signature(local.secret,
    provider::billing::webhook_signature(local.secret, local.at, local.body), local.body, local.at + 300, 300)
}
output "late" {
  value = provider::billing::verify_webhook_signature(local.secret,
    provider::billing::webhook_signature(local.secret, local.at, local.body), local.body, local.at + 301, 300)
}
output "malformed" {
  value = provider::billing::verify_webhook_signature(local.secret, "nothing", local.body, local.at, 300)
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("header", knownvalue.StringExact(vector.Header)),
				statecheck.ExpectKnownOutputValue("valid", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("late", knownvalue.Bool(false)),
				statecheck.ExpectKnownOutputValue("malformed", knownvalue.Bool(false)),
			},
		},
		resource.TestStep{
			Config:      locals + `output "x" { value = provider::billing::webhook_signature("", local.at, local.body) }`,
			ExpectError: regexp.MustCompile(`The\s+secret\s+is\s+empty`),
		},
		resource.TestStep{
			Config: locals +
				`output "x" { value = provider::billing::verify_webhook_signature(local.secret, "", local.body, local.at, -1) }`,
			ExpectError: regexp.MustCompile(`The\s+tolerance\s+is\s+negative`),
		},
	)
}

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		ProtoV6ProviderFactories: acctest.Factories,
		Steps:                    steps,
	})
}
