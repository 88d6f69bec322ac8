package billingaccount_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// accounts opens five accounts of two customers, one of them suspended, one closed; it returns the second customer.
func accounts(service *acctest.Service) string {
	create := func(externalID, customer string) (id, owner string) {
		made := service.Must("POST", "/v1/billing-accounts",
			acctest.JSON{"external_id": externalID, "customer": acctest.JSON{"external_id": customer,
				"name": "Customer " + customer}})
		return made["id"].(string), made["customer"].(acctest.JSON)["id"].(string)
	}
	create("r-1", "one")
	suspended, _ := create("r-2", "one")
	service.Must("POST", "/v1/billing-accounts/"+suspended+"/suspend", acctest.JSON{"reason": "unpaid"})
	create("r-3", "two")
	create("r-4", "two")
	closed, two := create("r-5", "two")
	service.Must("POST", "/v1/billing-accounts/"+closed+"/close", acctest.JSON{})
	return two
}

// TestAccAccount_dataSources: one by either name, many by filters, also where lists carry no customers and filters do
// nothing.
func TestAccAccount_dataSources(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{"plain": {},
		"lean": {LeanAccounts: true, IgnoreFilters: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, acctest.Tolerating(tolerance))
			two := accounts(service)
			length := func(name string, n int) statecheck.StateCheck {
				return statecheck.ExpectKnownValue("data.billing_accounts."+name, at("accounts"), knownvalue.ListSizeExact(n))
			}
			value := func(name, attribute string, want knownvalue.Check) statecheck.StateCheck {
				return statecheck.ExpectKnownValue("data.billing_account."+name, at(attribute), want)
			}
			run(t,
				resource.TestStep{Config: service.Config(`data "billing_account" "none" { external_id = "r-9" }`),
					ExpectError: regexp.MustCompile(`No such billing account`)},
				resource.TestStep{Config: service.Config(`
data "billing_account" "suspended" { external_id = "r-2" }
data "billing_account" "again" { id = data.billing_account.suspended.id }
data "billing_accounts" "all" {}
data "billing_accounts" "some" { limit = 2 }
data "billing_accounts" "customer" { customer_id = "` + two + `" }
data "billing_accounts" "closed" { status = "closed" }
data "billing_accounts" "code" { external_id = "r-3" }
data "billing_accounts" "new" { updated_at_gte = "2026-03-15" }
`), ConfigStateChecks: []statecheck.StateCheck{
					value("suspended", "status", knownvalue.StringExact("suspended")),
					value("suspended", "suspension_reason", knownvalue.StringExact("unpaid")),
					value("suspended", "customer_id", knownvalue.NotNull()),
					value("again", "external_id", knownvalue.StringExact("r-2")),
					length("all", 5), length("some", 2), length("customer", 3), length("closed", 1), length("code", 1),
					length("new", 0), statecheck.ExpectKnownValue("data.billing_accounts.code",
						at("accounts").AtSliceIndex(0).AtMapKey("customer_id"), knownvalue.StringExact(two)),
				}},
			)
		})
	}
}

// TestAccAccountList: what is not closed is listed with its identity and the whole resource, customer_id included.
func TestAccAccountList(t *testing.T) {
	t.Parallel()
	const listed = "billing_account.all"
	query := func(lines, config string, checks ...querycheck.QueryResultCheck) resource.TestStep {
		return resource.TestStep{Query: true, QueryResultChecks: checks,
			Config: "list \"billing_account\" \"all\" {\n  provider = billing\n  " + lines + "\n  config {\n  " +
				config + "\n  }\n}\n"}
	}
	for name, tolerance := range map[string]sandbox.Tolerance{"plain": {},
		"lean": {LeanAccounts: true, IgnoreFilters: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, acctest.Tolerating(tolerance))
			two := accounts(service)
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
				ProtoV6ProviderFactories: acctest.Factories,
				Steps: []resource.TestStep{
					{Config: service.Config("")},
					query("", "", querycheck.ExpectLength(listed, 4)),
					query("", `customer_id = "`+two+`"`, querycheck.ExpectLength(listed, 2)),
					query("", `status = "suspended"`, querycheck.ExpectLength(listed, 1)),
					query("include_resource = true", `external_id = "r-3"`,
						querycheck.ExpectLength(listed, 1),
						querycheck.ExpectResourceKnownValues(listed,
							queryfilter.ByDisplayName(knownvalue.StringExact("Customer two (r-3)")), []querycheck.KnownValueCheck{
								{Path: at("customer_id"), KnownValue: knownvalue.StringExact(two)},
								{Path: at("status"), KnownValue: knownvalue.StringExact("active")},
								{Path: at("deletion_policy"), KnownValue: knownvalue.StringExact("close")}})),
				},
			})
		})
	}
}
