package billingaccount_test

import (
	"regexp"
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

func TestAccAccount_validation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	run(t,
		resource.TestStep{Config: service.Config(`resource "billing_account" "test" { customer_id = "bea" }`),
			ExpectError: regexp.MustCompile(`"bea"\s+is\s+not\s+a\s+UUID`)},
		resource.TestStep{Config: service.Config(account("payment_terms_days = 91")),
			ExpectError: regexp.MustCompile(`from\s+1\s+to\s+90`)},
	)
}

func TestAccAccount_status(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(lines string) string { return service.Config(account(lines)) }
	run(t,
		resource.TestStep{Config: config("status = \"suspended\"\nstatus_reason = \"unpaid\""),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("suspension_reason"), knownvalue.StringExact("unpaid")),
				statecheck.ExpectKnownValue(address, at("suspended_at"), knownvalue.NotNull()),
			}},
		emptyPlan(config("status = \"suspended\"\nstatus_reason = \"unpaid\"")),
		resource.TestStep{Config: config("status = \"active\"\npayment_terms_days = 7"),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		emptyPlan(config("status = \"active\"\npayment_terms_days = 7")),
	)
}
