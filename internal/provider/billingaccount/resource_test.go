package billingaccount_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const address = "billing_account.test"

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

var run, emptyPlan = acctest.Run, acctest.EmptyPlan

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func TestAccAccount_minimal(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(anas + `resource "billing_account" "test" { customer_id = billing_customer.ana.id }`)
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, at("customer_id"), knownvalue.NotNull()),
			statecheck.ExpectKnownValue(address, at("billing_email"), knownvalue.StringExact("ana@example.com")),
			statecheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Int64Exact(10)),
			statecheck.ExpectKnownValue(address, at("auto_collection"), knownvalue.Bool(true)),
			statecheck.ExpectKnownValue(address, at("status"), knownvalue.StringExact("active")),
		}},
		emptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"custom_metadata"}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
	)
}
