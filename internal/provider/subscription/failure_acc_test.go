package subscription_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccSubscription_halfCreation: a step after the creation fails. Nothing is tainted, and the next apply does the
// rest.
func TestAccSubscription_halfCreation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("failures are made on purpose")
	config := service.Config(with(planOfA + "discount_percent = 10\npause = {}\n"))
	run(t,
		resource.TestStep{
			PreConfig: func() {
				service.Sandbox.AddFault(sandbox.Fault{Operation: "subscriptions.pause", Times: 1, Status: 422})
			},
			Config:             config,
			ExpectNonEmptyPlan: true,
		},
		resource.TestStep{Config: config, ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{holds("status", knownvalue.StringExact("paused"))}},
		emptyPlan(config),
	)
}

// TestAccSubscription_halfUpdate: the third of four steps fails; the state keeps the first two, and the next plan holds
// the rest.
func TestAccSubscription_halfUpdate(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("failures are made on purpose")
	items := func(product, price string) string {
		return fmt.Sprintf("items = [{ product_id = %q, price_id = %q }]\n", product, price)
	}
	after := service.Config(with("plan_id = \"" + planB + "\"\nnotes = \"b\"\npause = {}\n" + items(productB, priceB)))
	run(t,
		resource.TestStep{Config: service.Config(with(planOfA + "notes = \"a\"\n" + items(productA, priceA)))},
		resource.TestStep{
			PreConfig: func() {
				service.Sandbox.AddFault(sandbox.Fault{Operation: "subscriptions.items.sync", Times: 1, Status: 422})
			},
			Config: after, ExpectError: regexp.MustCompile(`(?s)Could not change the items of subscription.*Request-Id`),
		},
		resource.TestStep{Config: after, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(address, at("current_plan_id"), knownvalue.StringExact(planB)),
			plancheck.ExpectKnownValue(address, at("current_period_end"), knownvalue.NotNull()),
			plancheck.ExpectUnknownValue(address, at("status")),
		}}},
		emptyPlan(after),
	)
}

// TestAccSubscription_lostResponses: lost responses cause no second subscription, and no second change.
func TestAccSubscription_lostResponses(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("responses are lost on purpose")
	lose := func(operation string) func() {
		return func() {
			service.Sandbox.AddFault(sandbox.Fault{Operation: "subscriptions." + operation, Times: 1, DropAfter: true})
		}
	}
	run(t,
		resource.TestStep{PreConfig: lose("create"), Config: service.Config(with(planOfA))},
		resource.TestStep{PreConfig: lose("change_plan"), Config: service.Config(with(`plan_id = "` + planB + `"`))},
		resource.TestStep{PreConfig: lose("pause"), Config: service.Config(with("plan_id = \"" + planB + "\"\npause = {}"))},
		resource.TestStep{PreConfig: lose("cancel"), Config: service.Config(with("plan_id = \"" + planB + "\"\npause = {}")),
			Destroy: true,
			Check: func(*terraform.State) error {
				for _, operation := range []string{"create", "change_plan", "pause", "cancel"} {
					if n := service.Count("subscriptions." + operation); n != 1 {
						t.Errorf("%s: sent %d times", operation, n)
					}
				}
				return nil
			}},
	)
}

// TestAccSubscription_taken: an external_id that another one has leads to the block that takes that one over.
func TestAccSubscription_taken(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": accountOf(service), "plan_id": planA,
		"external_id": "s-1"})
	run(t, resource.TestStep{Config: service.Config(with(planOfA)),
		ExpectError: regexp.MustCompile(`(?s)external_id is taken.*import \{.*to = billing_subscription.this`)})
}

// TestAccSubscription_many: many at the same time, each once.
func TestAccSubscription_many(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(`
resource "billing_customer" "owner" { name = "Owner" }
resource "billing_subscription" "many" {
  count              = 25
  billing_account_id = billing_customer.owner.billing_account_id
  external_id        = "many-${count.index}"
  plan_id            = "` + planA + `"
  notes              = "n ${count.index}"
}`)
	run(t, resource.TestStep{Config: config}, emptyPlan(config))
}

// TestAccSubscription_identity: an import by identity, in the middle of a later change of plan.
func TestAccSubscription_identity(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(with("plan_id = \"" + planB + "\"\nplan_change = { timing = \"end_of_period\" }\n"))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: service.Config(with(planOfA))},
			{Config: config},
			{Config: config, ResourceName: address, ImportState: true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: config, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
				ImportStateId: "external_id=s-1"},
		},
	})
}
