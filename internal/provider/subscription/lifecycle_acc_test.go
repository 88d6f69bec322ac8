package subscription_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const planOfA = `plan_id = "` + planA + `"` + "\n"

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func holds(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, at(name), want)
}

// found is the one live subscription with the external_id s-1, as another system sees it.
func found(t *testing.T, service *acctest.Service) string {
	t.Helper()
	_, response := service.Call("GET", "/v1/subscriptions?external_id=s-1&sort_by=created_at", nil)
	for _, item := range response["data"].([]any) {
		if s := item.(acctest.JSON); s["status"] != "canceled" {
			return s["id"].(string)
		}
	}
	t.Fatal("no subscription s-1")
	return ""
}

func cancelOutside(t *testing.T, service *acctest.Service) func() {
	return func() { service.Must("POST", "/v1/subscriptions/"+found(t, service)+"/cancel", acctest.JSON{}) }
}

// TestAccSubscription_story: a trial, a plan that comes with the next period, a pause, a discount, the end.
func TestAccSubscription_story(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("its clock is moved")
	pass := func(d time.Duration) func() { return func() { service.Sandbox.Clock().Advance(d) } }
	items := `items = [{ product_id = "` + productA + `", price_id = "` + priceA + `", quantity = 2 }]` + "\n"
	started := service.Config(with(planOfA + items + "trial_period_days = 14\n"))
	changed := service.Config(with("plan_id = \"" + planB + "\"\nplan_change = { timing = \"end_of_period\", reason = " +
		"\"upgrade\" }\n" + items + "trial_period_days = 14\n"))
	arrived := emptyPlan(changed)
	arrived.PreConfig = pass(15 * 24 * time.Hour)
	arrived.ConfigStateChecks = []statecheck.StateCheck{holds("current_plan_id", knownvalue.StringExact(planB)),
		holds("pending_plan_id", knownvalue.Null()), holds("status", knownvalue.StringExact("active"))}
	paused := service.Config(with("plan_id = \"" + planB + "\"\n" + items + "pause = { behavior = \"void\", resumes_at " +
		"= \"2026-04-10\" }\ndiscount_percent = 12.5\n"))
	// It ends automatically, and the configuration that still names it is fulfilled.
	ended := emptyPlan(paused)
	ended.PreConfig = pass(14 * 24 * time.Hour)
	ended.ConfigStateChecks = []statecheck.StateCheck{holds("status", knownvalue.StringExact("active"))}
	run(t,
		resource.TestStep{Config: started,
			ConfigStateChecks: []statecheck.StateCheck{holds("status", knownvalue.StringExact("trialing"))}},
		resource.TestStep{Config: changed, ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				holds("plan_id", knownvalue.StringExact(planB)), holds("current_plan_id", knownvalue.StringExact(planA)),
				holds("pending_plan_id", knownvalue.StringExact(planB))}},
		arrived,
		resource.TestStep{Config: paused, ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				holds("status", knownvalue.StringExact("paused")), holds("discount_percent", knownvalue.StringExact("12.5"))}},
		ended,
		resource.TestStep{Config: service.Config(with("plan_id = \"" + planB + "\"\n" + items +
			"discount_percent = \"12.50\"\ncancel_at_period_end = true\ncancellation_reason = \"closing\"\n")),
			ConfigStateChecks: []statecheck.StateCheck{holds("pause", knownvalue.Null()),
				holds("cancel_at_period_end", knownvalue.Bool(true))}},
	)
}

// TestAccSubscription_notesAlone: a change of notes shows nothing else as known after apply but updated_at.
func TestAccSubscription_notesAlone(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	known := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownValue(address,
		at("updated_at"))}}
	for _, name := range []string{"id", "status", "current_plan_id", "current_period_start", "current_period_end",
		"cycle_billing_date", "activated_at",
		"recurring_amount_cents", "billing_cycle", "created_at"} {
		known.PreApply = append(known.PreApply, plancheck.ExpectKnownValue(address, at(name), knownvalue.NotNull()))
	}
	run(t,
		resource.TestStep{Config: service.Config(with(planOfA + `notes = "a"`))},
		resource.TestStep{Config: service.Config(with(planOfA + `notes = "b"`)), ConfigPlanChecks: known},
	)
}

// TestAccSubscription_wrongDestroyOrder: a customer whose subscription Terraform does not know cannot be destroyed, and
// the error says why.
func TestAccSubscription_wrongDestroyOrder(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	owner := service.Config(`resource "billing_customer" "owner" {
  name        = "Owner"
  external_id = "owner"
}`)
	var theirs string
	run(t,
		resource.TestStep{Config: owner, Check: func(state *terraform.State) error {
			account := state.RootModule().Resources["billing_customer.owner"].Primary.Attributes["billing_account_id"]
			theirs, _ = service.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": account,
				"plan_id": planA})["id"].(string)
			return nil
		}},
		resource.TestStep{Config: owner, Destroy: true,
			ExpectError: regexp.MustCompile(`(?s)Cancel\s+the\s+customer's\s+subscriptions\s+first`)},
		resource.TestStep{PreConfig: func() { service.Must("POST", "/v1/subscriptions/"+theirs+"/cancel", acctest.JSON{}) },
			Config: owner, Destroy: true},
	)
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
