package customer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const address = "billing_customer.test"

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

var emptyPlan = acctest.EmptyPlan

// byExternalID imports the customer by its external_id.
func byExternalID(externalID string, ignore ...string) resource.TestStep {
	return resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "external_id=" + externalID,
		ImportStateVerify: true, ImportStateVerifyIgnore: ignore}
}

func TestAccCustomer_minimal(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(`resource "billing_customer" "test" { name = "Padaria Aurora" }`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(address, at("email"), knownvalue.Null()),
					plancheck.ExpectKnownValue(address, at("document_type"), knownvalue.Null()),
					plancheck.ExpectKnownValue(address, at("create_billing_account"), knownvalue.Bool(true)),
					plancheck.ExpectUnknownValue(address, at("billing_account_id")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, at("id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, at("public_id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, at("billing_account_id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Int64Exact(10)),
					statecheck.ExpectKnownValue(address, at("auto_collection"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, at("deletion_policy"), knownvalue.StringExact("delete")),
					statecheck.ExpectKnownValue(address, at("custom_metadata_mode"), knownvalue.StringExact("merge")),
					statecheck.ExpectKnownValue(address, at("effective_custom_metadata"), knownvalue.StringExact("{}")),
					statecheck.ExpectKnownValue(address, at("emails"), knownvalue.Null()),
				},
			},
			emptyPlan(config),
			{ResourceName: address, ImportState: true, ImportStateVerify: true},
			{Config: config, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID},
		},
	})
}

const full = `
resource "billing_customer" "test" {
  external_id     = "erp-1001"
  name            = "Comércio de Livros Horizonte Ltda"
  nickname        = "Livraria Horizonte"
  legal_name      = "Comércio de Livros Horizonte Ltda"
  document_number = "11.222.333/0001-81"
  kind            = "juridical"
  birthday        = "2009-05-04"
  email           = "financeiro@horizonte.example"
  phone           = "+55 11 4000-1000"
  notes           = "Prefers one invoice a month."
  addresses = [
    { kind = "billing", street = "Rua Augusta", number = "1500", complement = "Sala 12", neighborhood = "Consolação",
      city = "São Paulo", state = "SP", postal_code = "01304-001", country = "BR" },
    { kind = "shipping", street = "Avenida Brasil", number = "20", neighborhood = "Centro",
      city = "Campinas", state = "SP", postal_code = "13010-000", country = "BR" },
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

func TestAccCustomer_full(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(full)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, at("document_type"), knownvalue.StringExact("cnpj")),
					statecheck.ExpectKnownValue(address, at("document_number"), knownvalue.StringExact("11.222.333/0001-81")),
					statecheck.ExpectKnownValue(address, at("emails"), knownvalue.ListSizeExact(2)),
					statecheck.ExpectKnownValue(address, at("email"), knownvalue.StringExact("financeiro@horizonte.example")),
					statecheck.ExpectKnownValue(address, at("billing_email"), knownvalue.StringExact("contas@horizonte.example")),
					statecheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Int64Exact(21)),
					statecheck.ExpectKnownValue(address, at("effective_custom_metadata"), knownvalue.StringExact(
						`{"flags":["beta",true,null],"limits":{"exact":9007199254740993,"ratio":0.25,"seats":5},"region":null,"team":"growth"}`)),
				},
			},
			emptyPlan(config),
			// An import shows the first entries as email and phone; the plan of the same configuration is empty all the same.
			{ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"email", "phone"}},
			byExternalID("erp-1001", "email", "phone"),
			{Config: config, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID},
			{Config: config, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
				ImportStateId: "external_id=erp-1001"},
		},
	})
}

// change is one argument that changes in place.
type change struct{ name, before, after string }

// stays reports that what the argument has set stays at the service once the argument is removed.
func (c change) stays() bool {
	return slices.Contains([]string{"email", "phone", "emails", "phones"}, c.name)
}

var changes = []change{
	{"name", `"A"`, `"B"`},
	{"external_id", `"a-1"`, `"b-1"`},
	{"nickname", `"A"`, `"B"`},
	{"legal_name", `"A Ltda"`, `"B Ltda"`},
	{"document_number", `"529.982.247-25"`, `"11222333000181"`},
	{"kind", `"natural"`, `"juridical"`},
	{"birthday", `"1990-01-31"`, `"1991-01-31"`},
	{"email", `"a@example.com"`, `"b@example.com"`},
	{"phone", `"+55 11 1000"`, `"+55 11 2000"`},
	{"notes", `"first"`, `"second"`},
	{"addresses", `[{ street = "Rua A", country = "BR" }]`, `[{ street = "Rua B", country = "BR" }]`},
	{"phones", `[{ value = "1" }]`, `[{ value = "2" }, { value = "3", kind = "fax" }]`},
	{"emails", `[{ value = "a@example.com" }]`, `[{ value = "b@example.com", kind = "billing" }]`},
	{"websites", `[{ value = "https://a.example" }]`, `[{ value = "https://b.example" }]`},
	{"tags", `["a"]`, `["b", "c"]`},
	{"custom_metadata", `{ a = 1 }`, `{ a = 2, b = { c = true } }`},
}

func (c change) config(value string) string {
	name := ""
	if c.name != "name" {
		name = `name = "A"`
	}
	if value != "" {
		value = c.name + " = " + value
	}
	return fmt.Sprintf("resource \"billing_customer\" \"test\" {\n  %s\n  %s\n}\n", name, value)
}

// TestAccCustomer_updateAndClear changes every argument in place, then clears it, and holds each result to an empty
// plan.
func TestAccCustomer_updateAndClear(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			inPlace := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, at("id"), knownvalue.NotNull()),
				plancheck.ExpectKnownValue(address, at("created_at"), knownvalue.NotNull()),
				plancheck.ExpectKnownValue(address, at("billing_account_id"), knownvalue.NotNull()),
				plancheck.ExpectUnknownValue(address, at("updated_at")),
			}}
			steps := []resource.TestStep{
				{Config: service.Config(c.config(c.before))},
				{Config: service.Config(c.config(c.after)), ConfigPlanChecks: inPlace},
				emptyPlan(service.Config(c.config(c.after))),
			}
			if c.stays() {
				steps = append(steps, resource.TestStep{Config: service.Config(c.config("")),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(address, at(c.name), knownvalue.NotNull())}},
					emptyPlan(service.Config(c.config(""))))
			} else if c.name != "name" {
				steps = append(steps,
					resource.TestStep{Config: service.Config(c.config("")), ConfigPlanChecks: inPlace,
						ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, at(c.name), knownvalue.Null())}},
					emptyPlan(service.Config(c.config(""))))
			}
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: steps})
		})
	}
}
