package subscription_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	address = "billing_subscription.test"
	planA   = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
	planB   = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
)

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

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

func TestAccSubscription_minimal(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(with(`plan_id = "` + planA + `"`))
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, at("status"), knownvalue.StringExact("active")),
			statecheck.ExpectKnownValue(address, at("current_plan_id"), knownvalue.StringExact(planA)),
			statecheck.ExpectKnownValue(address, at("pending_plan_id"), knownvalue.Null()),
		}},
		emptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID, ImportStateId: "external_id=s-1"},
	)
}

func TestAccSubscription_full(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(with(`
  plan_id = "` + planA + `"
  items = [{ product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11", price_id = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61" },
    { product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12", price_id = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62", quantity = 3, unit_amount_subcents = 499000 }]
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
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, at("status"), knownvalue.StringExact("trialing")),
			statecheck.ExpectKnownValue(address, at("trial_end"), knownvalue.NotNull()),
		}},
		emptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"items", "discount_percent"}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
	)
}
