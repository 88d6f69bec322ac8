package customer_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// people makes five customers, a minute apart; two of them share a document.
func people(t *testing.T, service *acctest.Service) map[string]string {
	t.Helper()
	service.NeedsSandbox("the organization has just these customers")
	ids := map[string]string{}
	for _, person := range []acctest.JSON{
		{"name": "Ana", "external_id": "p-1", "document_number": "529.982.247-25", "email": "ana@example.com",
			"custom_metadata": acctest.JSON{"team": "a"}},
		{"name": "Bruno", "external_id": "p-2", "document_number": "11144477735", "tags": []string{"vip"}},
		{"name": "Carla", "external_id": "p-3", "document_number": "111.444.777-35"},
		{"name": "Davi", "external_id": "p-4"},
		{"name": "Elisa"},
	} {
		service.Sandbox.Clock().Advance(time.Minute)
		created := service.Must("POST", "/v1/customers", person)
		ids[person["name"].(string)] = created["customer"].(acctest.JSON)["id"].(string)
	}
	return ids
}

// TestAccCustomerDataSource_finds: by id, by external_id, and by a document under any mask, all of which return the
// same customer.
func TestAccCustomerDataSource_finds(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	id := people(t, service)["Ana"]
	for name, selector := range map[string]string{
		"id": `id = "` + id + `"`, "external_id": `external_id = "p-1"`, "document": `document_number = "529.982.247-25"`,
		"other mask": `document_number = "52998224725"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const ana = "data.billing_customer.ana"
			runCustomer(t, resource.TestStep{
				Config: service.Config("data \"billing_customer\" \"ana\" {\n  " + selector + "\n}\n"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(ana, at("id"), knownvalue.StringExact(id)),
					statecheck.ExpectKnownValue(ana, at("name"), knownvalue.StringExact("Ana")),
					statecheck.ExpectKnownValue(ana, at("external_id"), knownvalue.StringExact("p-1")),
					statecheck.ExpectKnownValue(ana, at("document_type"), knownvalue.StringExact("cpf")),
					statecheck.ExpectKnownValue(ana, at("email"), knownvalue.StringExact("ana@example.com")),
					statecheck.ExpectKnownValue(ana, at("custom_metadata"), knownvalue.StringExact(`{"team":"a"}`)),
					statecheck.ExpectKnownValue(ana, at("nickname"), knownvalue.Null()),
				},
			})
		})
	}
}

// TestAccCustomerDataSource_refuses: none, more than one, and no or two ways to find it are errors that say what to do.
func TestAccCustomerDataSource_refuses(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ids := people(t, service)
	for name, c := range map[string]struct{ selector, says string }{
		"no such id": {`id = "af238647-a922-4249-b9fc-e608c4d3f831"`, `(?s)No such customer.*id\s+af238647`},
		"no such external_id": {`external_id = "P-1"`,
			`(?s)No such customer.*external_id\s+"P-1".*upper\s+and\s+lower\s+case`},
		"two of a document": {`document_number = "111 444 777 35"`, `(?s)More than one customer.*2\s+customers.*` +
			ids["Bruno"] + `\s+Bruno.*` + ids["Carla"] + `\s+Carla`},
		"no way": {``, `(?s)Set exactly one of id, external_id and\s+document_number`},
		"two ways": {"external_id = \"p-1\"\n  document_number = \"1\"",
			`(?s)external_id and document_number are set.*Remove\s+all but one`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runCustomer(t, resource.TestStep{PlanOnly: true, ExpectError: regexp.MustCompile(c.says),
				Config: service.Config("data \"billing_customer\" \"x\" {\n  " + c.selector + "\n}\n")})
		})
	}
}

// TestAccCustomersDataSource: all pages are read, in the order asked for, and no more than asked for.
func TestAccCustomersDataSource(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	people(t, service)
	for name, c := range map[string]struct {
		lines string
		want  []string
	}{
		"all":    {``, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}},
		"sorted": {"sort_by = \"name\"\n  sort_order = \"desc\"", []string{"Elisa", "Davi", "Carla", "Bruno", "Ana"}},
		"newest first": {"sort_by = \"created_at\"\n  sort_order = \"desc\"\n  limit = 3",
			[]string{"Elisa", "Davi", "Carla"}},
		"limit":          {`limit = 2`, []string{"Ana", "Bruno"}},
		"limit above":    {`limit = 50`, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}},
		"search":         {`search = "carla"`, []string{"Carla"}},
		"search nothing": {`search = "zzz"`, []string{}},
		"changed since": {`updated_at_gte = "` + acctest.Epoch.Add(4*time.Minute).Format(time.RFC3339) + `"`,
			[]string{"Davi", "Elisa"}},
		"since a day": {`updated_at_gte = "` + acctest.Epoch.AddDate(0, 0, 1).Format(time.DateOnly) + `"`, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names := make([]knownvalue.Check, len(c.want))
			for i, want := range c.want {
				names[i] = knownvalue.StringExact(want)
			}
			runCustomer(t, resource.TestStep{
				Config: service.Config("data \"billing_customers\" \"all\" {\n  " + c.lines + "\n}\noutput \"names\" { value = " +
					"data.billing_customers.all.customers[*].name }\n"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("names", knownvalue.ListExact(names)),
				},
			})
		})
	}
	for name, c := range map[string]struct{ lines, says string }{
		"limit of none": {`limit = 0`, `limit value must be at least 1, got: 0`},
		"no order":      {`sort_order = "up"`, `sort_order value must be one of: \["asc" "desc"\], got: "up"`},
		"no date":       {`updated_at_gte = "yesterday"`, `(?s)neither\s+a\s+date\s+such\s+as`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runCustomer(t, resource.TestStep{PlanOnly: true, ExpectError: regexp.MustCompile(c.says),
				Config: service.Config("data \"billing_customers\" \"all\" {\n  " + c.lines + "\n}\n")})
		})
	}
}

// TestAccCustomer_importSelectors: every way to name the customer leads to the same import, and a wrong one to an error
// that helps.
func TestAccCustomer_importSelectors(t *testing.T) {
	t.Parallel()
	const uuid = "{uuid}" // placeholder of the customer's id
	for name, c := range map[string]struct{ id, says string }{
		"id":                  {uuid, ""},
		"id=":                 {"id=" + uuid, ""},
		"external_id=":        {"external_id=p-4", ""},
		"no such id":          {"af238647-a922-4249-b9fc-e608c4d3f831", `(?s)No such customer to import`},
		"no such external_id": {"external_id=p-9", `(?s)No such customer.*external_id\s+"p-9"`},
		"nothing after =":     {"external_id=", `(?s)Invalid import id.*external_id=<value>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			id := strings.ReplaceAll(c.id, uuid, people(t, service)["Davi"])
			step := resource.TestStep{Config: service.Config("import {\n  to = billing_customer.test\n  id = \"" +
				id + "\"\n}\n" +
				"resource \"billing_customer\" \"test\" {\n  name = \"Davi\"\n  external_id = \"p-4\"\n}\n")}
			if c.says != "" {
				step.ExpectError = regexp.MustCompile(c.says)
			} else {
				step.ConfigPlanChecks = resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop)}}
			}
			runCustomer(t, step)
		})
	}
}

// TestAccCustomer_importByIdentity: the identity selects by id or external_id; the state's identity is the id alone.
func TestAccCustomer_importByIdentity(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ids := people(t, service)
	steps := func(identity string) []resource.TestStep {
		config := service.Config("import {\n  to = billing_customer.test\n  identity = { " + identity + " }\n}\n" +
			"resource \"billing_customer\" \"test\" {\n  name = \"Davi\"\n  external_id = \"p-4\"\n  deletion_policy = " +
			"\"abandon\"\n}\n")
		return []resource.TestStep{{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectIdentity(address, map[string]knownvalue.Check{"id": knownvalue.StringExact(ids["Davi"]),
				"external_id": knownvalue.Null()}),
			statecheck.ExpectKnownValue(address, at("billing_account_id"), knownvalue.NotNull()),
		}}, emptyPlan(config)}
	}
	refused := func(identity string) []resource.TestStep {
		all := steps(identity)[:1]
		all[0].ConfigStateChecks, all[0].ExpectError = nil,
			regexp.MustCompile(`(?s)Give\s+exactly\s+one\s+of\s+id\s+and\s+external_id`)
		return all
	}
	for name, testSteps := range map[string][]resource.TestStep{
		"id":          steps(`id = "` + ids["Davi"] + `"`),
		"external_id": steps(`external_id = "p-4"`),
		"both":        refused(`id = "` + ids["Davi"] + `", external_id = "p-4"`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
				ProtoV6ProviderFactories: acctest.Factories,
				Steps:                    testSteps,
			})
		})
	}
}
