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
	config := service.Config(
		`resource "billing_account" "test" { customer = { name = "Padaria Aurora", email = "a@example.com" } }`)
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, at("customer_id"), knownvalue.NotNull()),
			statecheck.ExpectKnownValue(address, at("billing_email"), knownvalue.StringExact("a@example.com")),
			statecheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Int64Exact(10)),
			statecheck.ExpectKnownValue(address, at("auto_collection"), knownvalue.Bool(true)),
			statecheck.ExpectKnownValue(address, at("status"), knownvalue.StringExact("active")),
			statecheck.ExpectKnownValue(address, at("name"), knownvalue.StringExact("Padaria Aurora")),
		}},
		emptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"customer", "custom_metadata",
				"name", "email", "phone", "address"}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
	)
}

func TestAccAccount_validation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	run(t,
		resource.TestStep{Config: service.Config(`resource "billing_account" "test" { customer = {} }`),
			ExpectError: regexp.MustCompile(`cannot be located or created`)},
		resource.TestStep{Config: service.Config(`resource "billing_account" "test" { 
			customer = { name = "A" }
			payment_terms_days = 91
		}`), ExpectError: regexp.MustCompile(`from\s+1\s+to\s+90`)},
	)
}

func TestAccAccount_status(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(lines string) string {
		return service.Config("resource \"billing_account\" \"test\" {\n customer = { name = \"A\" }\n external_id = " +
			"\"x\"\n" + lines + "\n}")
	}
	run(t,
		resource.TestStep{Config: config("status = \"suspended\"\nstatus_reason = \"unpaid\""),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("suspension_reason"), knownvalue.StringExact("unpaid")),
				statecheck.ExpectKnownValue(address, at("suspended_at"), knownvalue.NotNull()),
			}},
		emptyPlan(config("status = \"suspended\"\nstatus_reason = \"unpaid\"")),
		resource.TestStep{Config: config("status = \"active\"\nname = \"B\""),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		emptyPlan(config("status = \"active\"\nname = \"B\"")),
	)
}
