package subscription_test

import (
	"regexp"
	"testing"

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
