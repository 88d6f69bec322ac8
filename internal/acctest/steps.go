package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// Run plays steps of Terraform with the provider.
func Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: Factories, Steps: steps})
}

// RunFrom is Run for what needs a newer Terraform.
func RunFrom(t *testing.T, check tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{TerraformVersionChecks: []tfversion.TerraformVersionCheck{check},
		ProtoV6ProviderFactories: Factories, Steps: steps})
}

// EmptyPlan is a step that holds the configuration to an empty plan.
func EmptyPlan(config string) resource.TestStep {
	return resource.TestStep{Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
}
