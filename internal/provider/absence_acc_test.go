package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccForeignNotFound: a 404 that is not the service's own drops nothing from the state, neither in a refresh nor in
// a destroy, and nothing is created again because of it.
func TestAccForeignNotFound(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("a gateway is made up")
	config := s.Config(`
resource "billing_customer" "this" { name = "Livraria" }
resource "billing_api_key" "this" { name = "ci" }
resource "billing_finance_record" "this" {
  collection = "notes"
  body       = { text = "x" }
}
`)
	gateway := func(f sandbox.Fault) func() {
		return func() {
			s.Sandbox.ClearFaults()
			s.Sandbox.AddFault(f)
		}
	}
	unchanged := resource.TestStep{PreConfig: s.Sandbox.ClearFaults, Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
	steps := []resource.TestStep{{Config: config}}
	for _, f := range []sandbox.Fault{
		{Status: 404, Code: "not_found"}, // the service's own shape, on every path
		{Foreign: "error"},
		{Foreign: "flat", PathPrefix: "/v1/customers/"},
		{Foreign: "empty"},
	} {
		steps = append(steps, resource.TestStep{PreConfig: gateway(f), Config: config,
			ExpectError: saying("Nothing was removed")})
	}
	steps = append(steps, unchanged,
		// A first attempt that was throttled was not processed, and the second one proves nothing.
		resource.TestStep{PreConfig: func() {
			s.Sandbox.AddFault(sandbox.Fault{Method: "DELETE", Times: 3, Status: 429, RetryAfter: "0"})
			s.Sandbox.AddFault(sandbox.Fault{Method: "DELETE", Foreign: "html"})
		}, Config: config, Destroy: true, ExpectError: saying("Nothing was removed")},
		// The first attempt may have been processed, and the read shows that it was not.
		resource.TestStep{PreConfig: func() {
			s.Sandbox.ClearFaults()
			s.Sandbox.AddFault(sandbox.Fault{Method: "DELETE", Times: 3, Status: 503})
			s.Sandbox.AddFault(sandbox.Fault{Method: "DELETE", Foreign: "html"})
		}, Config: config, Destroy: true, ExpectError: saying("Nothing was removed")},
		unchanged)
	run(t, steps...)
	creations := map[string]int{}
	for _, r := range s.Sandbox.Requests() {
		if r.Method == "POST" {
			creations[r.Path]++
		}
	}
	for path, n := range creations {
		if n != 1 {
			t.Errorf("POST %s was sent %d times", path, n)
		}
	}
}

// TestDeletionIsLookedAt: an object whose deletion is carried out, while the response is lost or is a conflict, is
// deleted.
func TestDeletionIsLookedAt(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]acctest.JSON{
		"billing_customer":       {"name": "Livraria"},
		"billing_api_key":        {"name": "ci"},
		"billing_finance_record": {"collection": "notes", "body": acctest.JSON{"text": "x"}},
	} {
		for fault, faults := range map[string][]sandbox.Fault{
			"conflict": {{Method: "DELETE", Times: 1, After: true, Status: 409}},
			"lost, bare": {{Method: "DELETE", Times: 1, DropAfter: true},
				{Method: "DELETE", Times: 1, Status: 404, Empty: true}},
		} {
			t.Run(fmt.Sprintf("%s %s", name, fault), func(t *testing.T) {
				t.Parallel()
				s := acctest.Start(t)
				s.NeedsSandbox("responses are made up")
				object := s.Direct(name)
				object.Set(config)
				for _, f := range faults {
					s.Sandbox.AddFault(f)
				}
				if text := acctest.Errors(object.Apply(object.Plan(nil))); text != "" {
					t.Error(text)
				}
			})
		}
	}
}
