package functions_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccDecrypt: through Terraform, a file of the age library is decrypted; it needs no service.
func TestAccDecrypt(t *testing.T) {
	t.Parallel()
	ana := acctest.NewIdentity(t)
	run(t, resource.TestStep{
		Config: required + fmt.Sprintf("output \"text\" { value = provider::billing::age_decrypt(%q, %q) }",
			ana.Encrypt("sk_1"), ana.PrivateKey()),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("text", knownvalue.StringExact("sk_1"))},
	})
}
