package subscription_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	address  = "billing_subscription.test"
	planOfA  = `plan_id = "` + planA + `"` + "\n"
	itemsOfA = `items = [{ product_id = "` + productA + `", price_id = "` + priceA + `" }]` + "\n"
	laterB   = `plan_id = "` + planB + `"` + "\nplan_change = { timing = \"end_of_period\" }\n"
)

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

func holds(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, at(name), want)
}

var run, emptyPlan = acctest.Run, acctest.EmptyPlan

// with is the subscription "s-1" of a new customer, with further lines.
func with(lines string) string {
	return `
resource "billing_customer" "owner" { name = "Owner" }
resource "billing_subscription" "test" {
  billing_account_id = billing_customer.owner.billing_account_id
  external_id        = "s-1"
` + lines + "\n}\n"
}

// TestAccSubscription: one life through Terraform, with every argument, and every way to import.
func TestAccSubscription(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	minimal, pending := service.Config(with(planOfA)), service.Config(with(laterB))
	config := service.Config(with(`
  plan_id = "` + planA + `"
  ` + itemsOfA + `
  company_id          = "1b4e28ba-2fa1-4d1b-883f-0016d3cca421"
  product_group_id    = "1b4e28ba-2fa1-4d1b-883f-0016d3cca422"
  discount_code_id    = "1b4e28ba-2fa1-4d1b-883f-0016d3cca423"
  discount_percent    = 12.5
  billing_cycle       = "quarterly"
  collection_method   = "manual_charge"
  trial_period_days   = 14
  proration_behavior  = "none"
  nfe_issuance_policy = "on_full_payment"
  allow_pause         = true
  allow_cancel        = true
  notes               = "negotiated"
  custom_metadata     = { tenant = "a", nested = { n = 1 } }
`))
	imports := func(config string, kind resource.ImportStateKind, id string) resource.TestStep {
		return resource.TestStep{Config: config, ResourceName: address, ImportState: true, ImportStateKind: kind,
			ImportStateId: id}
	}
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			holds("status", knownvalue.StringExact("trialing")), holds("trial_end", knownvalue.NotNull())}},
		emptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"items", "discount_percent"}},
		imports(config, resource.ImportBlockWithID, ""),
		resource.TestStep{Config: minimal, ConfigStateChecks: []statecheck.StateCheck{
			holds("current_plan_id", knownvalue.StringExact(planA)), holds("pending_plan_id", knownvalue.Null())}},
		emptyPlan(minimal),
		resource.TestStep{Config: pending},
		imports(pending, resource.ImportBlockWithID, "external_id=s-1"),
	)
	t.Run("by identity", func(t *testing.T) {
		config := acctest.Start(t).Config(with(laterB))
		acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0), resource.TestStep{Config: config},
			imports(config, resource.ImportBlockWithResourceIdentity, ""))
	})
}

// TestAccSubscription_conditionalItems: items that depend on a variable are validated while it is unknown.
func TestAccSubscription_conditionalItems(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(`variable "many" { default = false }` + with(`
  items = var.many ? [{ product_id = "`+productA+`", price_id = "`+priceA+`", quantity = 3 }] : [{ product_id = "`+
		productA+`", price_id = "`+priceA+`", quantity = 1 }]`))
	nothing := service.Config(`variable "price" { default = null }` + with(`items = [{ product_id = "`+productA+
		`", price_id = var.price }]`))
	run(t,
		resource.TestStep{Config: nothing,
			ExpectError: regexp.MustCompile(`(?s)has\s+an\s+item\s+without\s+a\s+product\s+or\s+a\s+price.*price_id`)},
		resource.TestStep{Config: config},
		emptyPlan(config),
	)
}
