package finance_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccFinanceRecord is a life through Terraform: nested values come back as they were, numbers and money exact, in
// whatever words Terraform evaluates; an import finds the record, and a tainted one is replaced.
func TestAccFinanceRecord(t *testing.T) {
	t.Parallel()
	s := start(t)
	const address = record + ".test"
	config := func(body string) string {
		return s.Config("resource \"billing_finance_record\" \"test\" {\n  collection = \"payables\"\n  body = " + body +
			"\n}\n")
	}
	const full = `{
    name   = "Rent <of> \"May\""
    amount = "1500.00"
    exact  = 9007199254740993
    ratio  = 0.1
    paid   = false
    note   = null
    tags   = ["a", "b", 3, null]
    party  = { document = "11.222.333/0001-81", address = { city = "São Paulo" } }
    lines  = [{ name = "Flat", amount = "1000.00" }, { name = "Garage", amount = "500.00" }]
  }`
	other := strings.NewReplacer(`"1500.00"`, `format("%.2f", 1500)`, "0.1", "0.10", `["a", "b", 3, null]`,
		`concat(["a", "b"], [3, null])`).Replace(full)
	at := func(name string) tfjsonpath.Path { return tfjsonpath.New(name) }
	uuid := knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f-]{36}$`))
	byID := func(state *terraform.State) (string, error) {
		return "payables/" + state.RootModule().Resources[address].Primary.ID, nil
	}
	var id string
	replaced := func(state *terraform.State) error {
		if now := state.RootModule().Resources[address].Primary.ID; now == id || len(s.All("/v1/payables")) != 1 {
			t.Errorf("it was %s and is %s", id, now)
		}
		return nil
	}
	acctest.Run(t,
		resource.TestStep{Config: config(`true ? null : { a = 1 }`), PlanOnly: true,
			ExpectError: regexp.MustCompile(`(?s)body\s+is\s+null`)},
		resource.TestStep{Config: config(full),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(address, at("idempotency_key"), uuid),
				plancheck.ExpectUnknownValue(address, at("response"))}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("response"), knownvalue.StringRegexp(regexp.MustCompile(
					`^{"amount":"1500\.00",.*"exact":9007199254740993,.*"ratio":0\.1,.*}$`))),
				statecheck.ExpectKnownValue(address, at("body").AtMapKey("lines").AtSliceIndex(1),
					knownvalue.ObjectExact(map[string]knownvalue.Check{"name": knownvalue.StringExact("Garage"),
						"amount": knownvalue.StringExact("500.00")}))},
			Check: func(state *terraform.State) error {
				id = state.RootModule().Resources[address].Primary.ID
				return nil
			}},
		acctest.EmptyPlan(config(full)),
		acctest.EmptyPlan(config(other)),
		// An import takes in all keys of the body, and the service never returns the key of the creation.
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateIdFunc: byID, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"body", "idempotency_key"}},
		resource.TestStep{Config: config(full), ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID, ImportStateIdFunc: byID},
		resource.TestStep{Config: config(full), Taint: []string{address}, Check: replaced},
		acctest.EmptyPlan(config(full)),
	)
	if n := len(s.All("/v1/payables")); n != 0 {
		t.Errorf("%d records are left after the destroy", n)
	}
}

// TestAccFinanceRecord_identity: the collection and the id are the identity, also for an import.
func TestAccFinanceRecord_identity(t *testing.T) {
	t.Parallel()
	s := start(t)
	const address = record + ".test"
	config := s.Config("resource \"billing_finance_record\" \"test\" {\n  collection = \"payables\"\n" +
		"  body = { name = \"Rent\" }\n}\n")
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0),
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(address,
			map[string]knownvalue.Check{"collection": knownvalue.StringExact("payables"), "id": knownvalue.NotNull()})}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithResourceIdentity},
	)
}

// TestAccFinanceOpenAPI: the description can be decoded.
func TestAccFinanceOpenAPI(t *testing.T) {
	t.Parallel()
	s := start(t)
	acctest.Run(t, resource.TestStep{
		Config: s.Config(`
data "billing_finance_openapi" "test" {}
output "version" { value = yamldecode(data.billing_finance_openapi.test.raw).openapi }
`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("version", knownvalue.StringExact("3.1.0")),
		},
	})
}
