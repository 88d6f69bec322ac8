package billingaccount_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccAccount is the life of accounts through Terraform: many at the same time, imported in every way, destroyed
// with their customer.
func TestAccAccount(t *testing.T) {
	t.Parallel()
	const address = "billing_account.test"
	service := acctest.Start(t)
	config := service.Config(`
resource "billing_customer" "ana" {
  name                   = "Ana"
  create_billing_account = false
}
resource "billing_account" "test" {
  customer_id        = billing_customer.ana.id
  external_id        = "a-1"
  status             = "suspended"
  custom_metadata    = { a = { b = [1, null] } }
  payment_terms_days = 5
}
resource "billing_account" "many" {
  count       = 25
  external_id = "many-${count.index}"
  customer_id = billing_customer.ana.id
}
`)
	imports := func(kind resource.ImportStateKind, id string) resource.TestStep {
		return resource.TestStep{Config: config, ResourceName: address, ImportState: true, ImportStateKind: kind,
			ImportStateId: id}
	}
	acctest.Run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("suspended_at"), knownvalue.NotNull())}},
		acctest.EmptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"custom_metadata"}},
		imports(resource.ImportBlockWithID, "external_id=a-1"),
	)
	t.Run("by identity", func(t *testing.T) {
		acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0), resource.TestStep{Config: config},
			imports(resource.ImportBlockWithResourceIdentity, ""))
	})
}
