package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const runningPlan = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"

// TestAccTogether_customerReplaced: a customer that is replaced takes along the subscription on the account that was
// opened with it, in one plan and one apply.
func TestAccTogether_customerReplaced(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	config := s.Config(fmt.Sprintf(`
resource "billing_customer" "c" {
  name = "c"
}

resource "billing_subscription" "s" {
  billing_account_id = billing_customer.c.billing_account_id
  plan_id            = %q
}
`, runningPlan))
	replaced := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("billing_customer.c", plancheck.ResourceActionReplace),
		plancheck.ExpectResourceAction("billing_subscription.s", plancheck.ResourceActionReplace),
	}}
	run(t,
		resource.TestStep{Config: config},
		resource.TestStep{Taint: []string{"billing_customer.c"}, Config: config, ConfigPlanChecks: replaced,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("billing_subscription.s", tfjsonpath.New("status"), knownvalue.StringExact("active"))}},
		resource.TestStep{Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestAccTogether_keyNamedWithItsValue: a key of another system that the configuration names with the value it has
// becomes the configuration's with the next apply, which sends nothing, and is removed with its line.
func TestAccTogether_keyNamedWithItsValue(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	config := func(keys string) string {
		return fmt.Sprintf(`
resource "billing_customer" "x" {
  name            = "Aurora"
  custom_metadata = %[1]s
}

resource "billing_account" "x" {
  customer_id     = billing_customer.x.id
  custom_metadata = %[1]s
}

resource "billing_subscription" "x" {
  billing_account_id = billing_account.x.id
  plan_id            = %[2]q
  custom_metadata    = %[1]s
}
`, keys, runningPlan)
	}
	terraform := newCommand(t, config("{ a = 1 }")).at(s)
	terraform.must("apply", "-auto-approve")
	paths := map[string]string{"billing_customer.x": "customers", "billing_account.x": "billing-accounts",
		"billing_subscription.x": "subscriptions"}
	for address, path := range paths {
		paths[address] = "/v1/" + path + "/" + terraform.idOf(address)
		s.Must("PATCH", paths[address], acctest.JSON{"custom_metadata": acctest.JSON{"b": acctest.JSON{"c": 2, "d": 3}},
			"custom_metadata_mode": "merge"})
	}
	all := []string{"billing_account.x", "billing_customer.x", "billing_subscription.x"}
	s.Sandbox.ResetRequests()
	terraform.write("main.tf", required+config("{ a = 1, b = { c = 2 } }"))
	terraform.applies("update", all)
	terraform.settled()
	if names := wrote(s); len(names) > 0 {
		t.Errorf("sent %v", names)
	}
	terraform.write("main.tf", required+config("{ a = 1 }"))
	terraform.applies("update", all)
	terraform.settled()
	for address, path := range paths {
		stored := fmt.Sprint(s.Must("GET", path, nil)["custom_metadata"])
		if stored != "map[a:1 b:map[d:3]]" {
			t.Errorf("%s has %s", address, stored)
		}
	}
}
