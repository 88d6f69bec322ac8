package subscription_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccSubscription_ids: what is not a UUID is rejected in the plan, with the argument and the value; an id in
// capitals is the same id: it causes no diff, and above all no replacement.
func TestAccSubscription_ids(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the plans are made up")
	account := accountOf(service)
	subscription := func(account, plan, product, further string) string {
		return service.Config(`resource "billing_subscription" "test" {
  external_id        = "s-1"
  billing_account_id = "` + account + `"
  plan_id            = "` + plan + `"
  items              = [{ product_id = "` + product + `", price_id = "` + priceA + `" }]
  ` + further + `
}`)
	}
	small, capitals := subscription(account, planA, productA, ""),
		subscription(strings.ToUpper(account), strings.ToUpper(planA), strings.ToUpper(productA), "")
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	wrong := func(config, text string) resource.TestStep {
		return resource.TestStep{Config: config, ExpectError: acctest.Saying(text), PlanOnly: true}
	}
	run(t,
		wrong(service.Config(`data "billing_subscriptions" "x" { plan_id = "pro" }`), `plan_id: "pro" is not a UUID`),
		wrong(service.Config(`data "billing_subscription" "x" { id = "s-1" }`), `id: "s-1" is not a UUID`),
		resource.TestStep{Config: small},
		resource.TestStep{Config: capitals, ConfigPlanChecks: empty},
		resource.TestStep{Config: small, Destroy: true},
		// Created in capitals: they stay as written, whatever the service returns, and only another plan changes anything.
		resource.TestStep{Config: capitals,
			ConfigStateChecks: []statecheck.StateCheck{holds("plan_id", knownvalue.StringExact(strings.ToUpper(planA))),
				holds("billing_account_id", knownvalue.StringExact(strings.ToUpper(account)))}},
		resource.TestStep{Config: small, ConfigPlanChecks: empty},
		resource.TestStep{Config: subscription(strings.ToUpper(account), strings.ToUpper(planB), productA, ""),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{holds("current_plan_id",
				knownvalue.StringExact(strings.ToUpper(planB)))}},
		emptyPlan(subscription(account, planB, strings.ToUpper(productA), "")),
	)
}

// TestAccSubscription_held: what the service has is accepted as it is; only a change to such a value is rejected.
func TestAccSubscription_held(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a value is changed past the provider")
	blank := service.Config(with(planOfA + `notes = " "` + "\n"))
	held := emptyPlan(blank)
	held.PreConfig = func() { service.Must("PATCH", "/v1/subscriptions/"+found(t, service), acctest.JSON{"notes": " "}) }
	run(t,
		resource.TestStep{Config: blank, PlanOnly: true,
			ExpectError: acctest.Saying(`notes is empty or has only spaces (got " ").`)},
		resource.TestStep{Config: service.Config(with(planOfA + `notes = "n"` + "\n"))},
		held,
		resource.TestStep{Config: service.Config(with(planOfA + `notes = "\t"` + "\n")), PlanOnly: true,
			ExpectError: acctest.Saying(`notes is empty or has only spaces (got "\t").`)},
		resource.TestStep{Config: service.Config(with(planOfA))},
	)
}
