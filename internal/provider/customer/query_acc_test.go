package customer_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const listed = "billing_customer.all"

// query is the text of a query file; the provider block is in the configuration next to it.
func query(lines, config string) string {
	return "list \"billing_customer\" \"all\" {\n  provider = billing\n  " + lines + "\n  config {\n  " +
		config + "\n  }\n}\n"
}

// TestAccCustomerList_filters: every customer is listed, unless a filter or the limit says otherwise.
func TestAccCustomerList_filters(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	people(t, service)
	length := func(lines, config string, want int) resource.TestStep {
		return resource.TestStep{Query: true, Config: query(lines, config), QueryResultChecks: []querycheck.QueryResultCheck{
			querycheck.ExpectLength(listed, want)}}
	}
	runQuery(t, service,
		length("", "", 5),
		length("limit = 3", "", 3),
		length("", `search = "carla"`, 1),
		length("", `external_id = "p-4"`, 1),
		length("", `document_number = "111 444 777 35"`, 2),
		length("", `updated_at_gte = "`+acctest.Epoch.Add(4*time.Minute).Format(time.RFC3339)+`"`, 2),
		resource.TestStep{Query: true, Config: query("", `updated_at_gte = "yesterday"`),
			ExpectError: regexp.MustCompile(`(?s)neither\s+a\s+date`)},
	)
}

// TestAccCustomerList_complete: a listed customer comes with its identity, a name to show, and the whole resource.
func TestAccCustomerList_complete(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ana := map[string]knownvalue.Check{"id": knownvalue.StringExact(people(t, service)["Ana"]),
		"external_id": knownvalue.Null()}
	known := func(attribute string, want knownvalue.Check) querycheck.KnownValueCheck {
		return querycheck.KnownValueCheck{Path: at(attribute), KnownValue: want}
	}
	runQuery(t, service, resource.TestStep{Query: true, Config: query("include_resource = true", ""),
		QueryResultChecks: []querycheck.QueryResultCheck{
			querycheck.ExpectIdentity(listed, ana),
			querycheck.ExpectResourceDisplayName(listed, queryfilter.ByResourceIdentity(ana),
				knownvalue.StringExact("Ana (p-1)")),
			querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(ana), []querycheck.KnownValueCheck{
				known("name", knownvalue.StringExact("Ana")),
				known("external_id", knownvalue.StringExact("p-1")),
				known("document_number", knownvalue.StringExact("529.982.247-25")),
				known("emails", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
					"kind": knownvalue.Null(), "value": knownvalue.StringExact("ana@example.com")})})),
				known("email", knownvalue.Null()),
				known("effective_custom_metadata", knownvalue.StringExact(`{"team":"a"}`)),
				known("deletion_policy", knownvalue.StringExact("delete")),
			}),
		}})
}

// runQuery runs queries, next to a configuration that holds nothing but the provider block.
func runQuery(t *testing.T, service *acctest.Service, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		ProtoV6ProviderFactories: acctest.Factories,
		Steps:                    append([]resource.TestStep{{Config: service.Config("")}}, steps...),
	})
}
