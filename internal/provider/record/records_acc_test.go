package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const catalogue = `{
  "plans": [
    {"id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01", "name": "Basic", "amount_cents": 4990},
    {"id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02", "name": "Team", "description": "up to ten", "amount_cents": 9007199254740993},
    {"id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03", "name": "Year", "amount_cents": 1, "billing_cycle": "annual"}
  ]
}`

func seeded(o *sandbox.Options) { o.SeedDocument = []byte(catalogue) }

// TestAccRecords: any collection is read completely, in the order and as narrow as asked for, with exact numbers.
func TestAccRecords(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, seeded)
	service.NeedsSandbox("the organization has just these plans")
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "Ana"})
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: []resource.TestStep{{
		Config: service.Config(`
data "billing_records" "plans" {
  collection = "plans"
  filter     = { billing_cycle = "monthly", description = null }
  sort_by    = "name"
  sort_order = "desc"
}
data "billing_records" "customers" { collection = "customers" }
output "names" { value = data.billing_records.plans.items[*].name }
output "exact" { value = strcontains(data.billing_records.plans.items[0].json, "9007199254740993") }
output "customer" { value = jsondecode(data.billing_records.customers.items[0].json).name }
`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("names",
				knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("Team"), knownvalue.StringExact("Basic")})),
			statecheck.ExpectKnownOutputValue("exact", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("customer", knownvalue.StringExact("Ana")),
		},
	}}})
}

// TestRecords: what is asked of the service, and what a mistake says.
func TestRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config acctest.JSON
		fault  sandbox.Fault
		names  string // of the plans, in order
		lists  int    // requests; pages have two records
		says   string
	}{
		"all": {config: acctest.JSON{}, names: "Basic Team Year", lists: 2},
		"the last": {config: acctest.JSON{"sort_by": "amount_cents", "sort_order": "desc", "limit": 1},
			names: "Team", lists: 1},
		"none": {config: acctest.JSON{"filter": acctest.JSON{"name": "Gold"}}, lists: 1},
		"by id": {config: acctest.JSON{"filter": acctest.JSON{"id": "5B0F7D52-8F0A-4A35-9D7E-6F6F1F0C2A03"}},
			names: "Year", lists: 1},
		"without created_at": {config: acctest.JSON{}, fault: sandbox.Fault{Operation: "records.list", Times: 1,
			Status: 422}, names: "Basic Team Year", lists: 3},
		"an order that fails": {config: acctest.JSON{"sort_by": "color"}, lists: 1,
			says: `[AttributeName("sort_by")] Could not list records: Invalid value for sort_by`},
		"unknown": {config: acctest.JSON{"collection": "plan"}, lists: 1,
			says: `[AttributeName("collection")] No such collection: The service has no collection with this name. Write the part of its path after /v1/, such as plans, discount_codes`},
		"an object": {config: acctest.JSON{"collection": "me"}, lists: 1,
			says: `[AttributeName("collection")] No such collection: The service has something other than a collection under this name. Write the part of its path after /v1/, such as plans`},
		"an object in spite of parameters": {config: acctest.JSON{}, lists: 1,
			fault: sandbox.Fault{Operation: "records.list", Body: `{"data": {"id": "x"}}`},
			says:  "The service has something other than a collection under this name."},
		"a bare object": {config: acctest.JSON{}, lists: 1,
			fault: sandbox.Fault{Operation: "records.list", Body: `{"id": "x"}`},
			says:  "The service has something other than a collection under this name."},
		"empty": {config: acctest.JSON{"filter": acctest.JSON{"billing_cycle": "weekly"}}, lists: 1},
		"a page of a proxy": {config: acctest.JSON{}, lists: 1,
			fault: sandbox.Fault{Operation: "records.list", Status: 200, Foreign: "html"},
			says:  "Could not list records: "},
		"not a name": {config: acctest.JSON{"collection": "plans/x"}, says: "It is not the name of a collection"},
		"a page": {config: acctest.JSON{"filter": acctest.JSON{"page": "2"}},
			says: `page is not a filter. The provider reads all pages automatically. Use the argument limit`},
		"a search": {config: acctest.JSON{"filter": acctest.JSON{"search": "x"}},
			says: `search is not a filter. The service documents a search for customers only`},
		"no such filter": {config: acctest.JSON{"filter": acctest.JSON{"color": "red"}}, lists: 1,
			says: `Invalid value for color: is not a query parameter`},
		"not allowed": {config: acctest.JSON{}, fault: sandbox.Fault{Operation: "records.list", Status: 403}, lists: 1,
			says: "Could not list records"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, seeded)
			service.NeedsSandbox("the organization has just these plans")
			if c.fault.Operation != "" {
				service.Sandbox.AddFault(c.fault)
			}
			if c.config["collection"] == nil {
				c.config["collection"] = "plans"
			}
			read, said := service.Core().Read("billing_records", c.config)
			if text := strings.Join(strings.Fields(core.Errors(said)), " "); (text != "") != (c.says != "") ||
				!strings.Contains(text, c.says) || len(said) > 1 {
				t.Errorf("it says: %s\nwant %s", text, c.says)
			}
			var names []string
			items, _ := read["items"].([]any)
			for _, item := range items {
				names = append(names, fmt.Sprint(item.(acctest.JSON)["name"]))
			}
			if have := strings.Join(names, " "); have != c.names || c.says == "" && read["items"] == nil {
				t.Errorf("it has %q, want %q", have, c.names)
			}
			if n := len(service.Sandbox.Requests()); n != c.lists {
				t.Errorf("%d requests, want %d", n, c.lists)
			}
		})
	}
}
