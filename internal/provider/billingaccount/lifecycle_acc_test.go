package billingaccount_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// anas is a customer without an account.
const anas = `
resource "billing_customer" "ana" {
  name                   = "Ana"
  email                  = "ana@example.com"
  create_billing_account = false
}
`

// account is Ana's account a-1 with further lines, and what is next to it.
func account(lines string, beside ...string) string {
	if !strings.Contains(lines, "customer_id") {
		lines += "\n  customer_id = billing_customer.ana.id"
	}
	config := anas + "resource \"billing_account\" \"test\" {\n  external_id = \"a-1\"\n" + lines + "\n}\n"
	for _, more := range beside {
		config += more + "\n"
	}
	return config
}

// live is the open account a-1, as another system finds it.
func live(t *testing.T, service *acctest.Service) string {
	t.Helper()
	_, response := service.Call("GET", "/v1/billing-accounts?external_id=a-1&status=active", nil)
	items, _ := response["data"].([]any)
	if len(items) != 1 {
		t.Fatalf("open accounts a-1: %v", items)
	}
	return items[0].(acctest.JSON)["id"].(string)
}

// TestAccAccount_customer: replaced when it is another customer, also where its customer is replaced in the same run. A
// customer that is only known after apply replaces nothing: where it turns out to be another one, the apply fails
// before it sends anything, and the next plan shows the replacement.
func TestAccAccount_customer(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	const bea = `
resource "billing_customer" "bea" {
  name                   = "Bea"
  create_billing_account = false
}
`
	deferred := func(which, marker string) string {
		return service.Config(account(`customer_id = terraform_data.which.output == "ana" ? billing_customer.ana.id : `+
			`billing_customer.bea.id`, bea, `
resource "terraform_data" "which" {
  input            = "`+which+`"
  triggers_replace = "`+marker+`"
}`))
	}
	run(t,
		resource.TestStep{Config: deferred("ana", "1")},
		resource.TestStep{Config: deferred("ana", "2"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		emptyPlan(deferred("ana", "2")),
		resource.TestStep{Config: deferred("bea", "3"), ExpectError: regexp.MustCompile(`is another one than planned`)},
		resource.TestStep{Config: deferred("bea", "3"), ConfigPlanChecks: action(plancheck.ResourceActionReplace)},
		emptyPlan(deferred("bea", "3")),
		resource.TestStep{Taint: []string{"billing_customer.bea"}, Config: deferred("bea", "3"),
			ConfigPlanChecks: action(plancheck.ResourceActionReplace)},
		emptyPlan(deferred("bea", "3")),
	)
}

// TestAccAccount_identity: an import by identity plans nothing.
func TestAccAccount_identity(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(account("status = \"suspended\"\ncustom_metadata = { a = { b = [1, null] } " +
		"}\npayment_terms_days = 5"))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, ResourceName: address, ImportState: true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: config, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
				ImportStateId: "external_id=a-1"},
		},
	})
}

// TestAccAccount_many: many at the same time, each once.
func TestAccAccount_many(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(anas + `resource "billing_account" "many" {
  count       = 25
  external_id = "many-${count.index}"
  customer_id = billing_customer.ana.id
}`)
	run(t, resource.TestStep{Config: config}, emptyPlan(config))
}

// TestAccAccount_tolerance: the provider works unchanged against servers that differ as the wire contract allows.
func TestAccAccount_tolerance(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{
		"filters are ignored":         {IgnoreFilters: true},
		"nulls change nothing":        {NullsChangeNothing: true},
		"accounts without a customer": {LeanAccounts: true},
		"empty lists are null":        {NullLists: true},
		"errors are flat":             {FlatErrors: true},
		"everything at once": {IgnoreFilters: true, BareObjects: true, DeleteNoContent: true, NoValidators: true,
			NullsChangeNothing: true, OmitNullFields: true, UnknownFields: true, NullLists: true, LeanAccounts: true,
			RepeatAcrossPages: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, acctest.Tolerating(tolerance))
			for n := range 3 {
				service.Call("POST", "/v1/billing-accounts",
					acctest.JSON{"customer": acctest.JSON{"name": fmt.Sprintf("Other %d", n)}})
			}
			config := service.Config(account("custom_metadata = { a = 1, b = null }"))
			changed := service.Config(account("custom_metadata = { b = { c = null } }\npayment_terms_days = 7\n" +
				"status = \"suspended\"\ndeletion_policy = \"delete\""))
			run(t,
				resource.TestStep{Config: config},
				emptyPlan(config),
				resource.TestStep{Config: config, ResourceName: address, ImportState: true,
					ImportStateKind: resource.ImportBlockWithID, ImportStateId: "external_id=a-1"},
				resource.TestStep{Config: changed, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
				emptyPlan(changed),
			)
		})
	}
}
