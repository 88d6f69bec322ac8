package customer_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const address = "billing_customer.test"

const full = `
resource "billing_customer" "test" {
  external_id     = "erp-1001"
  name            = "Comércio de Livros Horizonte Ltda"
  nickname        = "Livraria Horizonte"
  legal_name      = "Comércio de Livros Horizonte Ltda"
  document_number = "11.222.333/0001-81"
  kind            = "juridical"
  birthday        = "2009-05-04"
  notes           = "Prefers one invoice a month."
  addresses = [
    { kind = "billing", street = "Rua Augusta", number = "1500", complement = "Sala 12", neighborhood = "Consolação",
      city = "São Paulo", state = "SP", postal_code = "01304-001", country = "BR" },
    { kind = "shipping", street = "Avenida Brasil", number = "20" },
  ]
  phones   = [{ kind = "mobile", value = "+55 11 99000-1000" }, { value = "+55 11 4000-1000" }]
  emails   = [{ kind = "billing", value = "notas@horizonte.example" }, { value = "financeiro@horizonte.example" }]
  websites = [{ kind = "shop", value = "https://horizonte.example" }]
  tags     = ["wholesale", "books"]
  custom_metadata = {
    team   = "growth"
    limits = { seats = 5, ratio = 0.25, exact = 9007199254740993 }
    flags  = ["beta", true, null]
    region = null
  }
  billing_email      = "contas@horizonte.example"
  payment_terms_days = 21
  auto_collection    = false
}
`

// TestAccCustomer is the life of a customer with every attribute through Terraform: created, imported in every way, and
// destroyed. The plan of the same configuration is empty after an import.
func TestAccCustomer(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(full)
	imports := func(kind resource.ImportStateKind, id string) resource.TestStep {
		return resource.TestStep{Config: config, ResourceName: address, ImportState: true, ImportStateKind: kind,
			ImportStateId: id}
	}
	acctest.Run(t,
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue(address, tfjsonpath.New("billing_account_id"))}},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address,
				tfjsonpath.New("effective_custom_metadata"), knownvalue.StringExact(`{"flags":["beta",true,null],`+
					`"limits":{"exact":9007199254740993,"ratio":0.25,"seats":5},"region":null,"team":"growth"}`))}},
		acctest.EmptyPlan(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "external_id=erp-1001",
			ImportStateVerify: true},
		imports(resource.ImportBlockWithID, "external_id=erp-1001"),
	)
	t.Run("by identity", func(t *testing.T) {
		acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0), resource.TestStep{Config: config},
			imports(resource.ImportBlockWithResourceIdentity, ""))
	})
}

// TestAccCustomer_refusedField: what the service blames is marked in the configuration.
func TestAccCustomer_refusedField(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a refusal is made up")
	service.Sandbox.AddFault(sandbox.Fault{Method: "POST", Times: 1, Status: 422,
		Body: `{"error":{"code":"validation_error","message":"Invalid.","details":{"fields":{` +
			`"emails[0].value":["is on a blocklist"],"nickname":["is too long"],"colour":["is unknown"]}}}}`})
	said := ""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		ErrorCheck:               func(err error) error { said = err.Error(); return nil },
		Steps: []resource.TestStep{{Config: service.Config(`resource "billing_customer" "test" {
  name     = "A"
  nickname = "N"
  emails   = [{ value = "a@example.com" }]
}`)}},
	})
	acctest.Says(t, strings.ReplaceAll(said, "│", ""),
		`nickname = "N" Invalid value for nickname: is too long.`, `emails = [{ value = "a@example.com" }] `+
			`Invalid value for emails[0].value: is on a blocklist.`,
		`Invalid value for colour: is unknown.`, `code: validation_error`)
}
