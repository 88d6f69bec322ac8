package finance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	aurora    = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
	horizonte = "0c1d2e3f-4a5b-4c6d-8e7f-8091a2b3c4d5"
)

// seed puts five objects into a collection, of two companies and over five days.
func seed(s *service, collection string) {
	for i := range 5 {
		company := aurora
		if i%2 == 1 {
			company = horizonte
		}
		s.MustFinance("POST", "/v1/"+collection, acctest.JSON{"name": fmt.Sprintf("%s %d", collection, i+1),
			"company_id": company, "occurred_at": fmt.Sprintf("2026-01-%02d", i+1), "amount": fmt.Sprintf("%d.10", i)})
	}
}

// The beginnings of the blocks that read lists.
const (
	accounts    = `data "billing_finance_accounts" "test" `
	payables    = `data "billing_finance_payables" "test" `
	receivables = `data "billing_finance_receivables" "test" `
	records     = `data "billing_finance_records" "test" `
)

// secondWhole is the second of what seed makes, to the last digit.
var secondWhole = regexp.MustCompile(`^{"amount":"1\.10","company_id":"` + horizonte +
	`","created_at":"[^"]+","id":"[^"]+","name":"cost-centers 2","occurred_at":"2026-01-02","updated_at":"[^"]+"}$`)

// names lists the names of the items that a block reads in an output.
func names(block, arguments string) string {
	dataSource := strings.Split(block, `"`)[1]
	return block + "{\n" + arguments + "\n}\noutput \"names\" { value = [for item in data." + dataSource +
		".test.items : item.name] }\n"
}

func outputs(values ...string) statecheck.StateCheck {
	checks := make([]knownvalue.Check, len(values))
	for i, value := range values {
		checks[i] = knownvalue.StringExact(value)
	}
	return statecheck.ExpectKnownOutputValue("names", knownvalue.TupleExact(checks))
}

// TestAccFinanceLists: every list pages to its end, and its filters and limit hold over all pages.
func TestAccFinanceLists(t *testing.T) {
	t.Parallel()
	s := start(t)
	var steps []resource.TestStep
	for noun, block := range map[string]string{"accounts": accounts, "payables": payables, "receivables": receivables} {
		seed(s, noun)
		steps = append(steps,
			resource.TestStep{Config: s.Config(names(block, "")),
				ConfigStateChecks: []statecheck.StateCheck{outputs(noun+" 1", noun+" 2", noun+" 3", noun+" 4", noun+" 5")}},
			resource.TestStep{Config: s.Config(names(block, "filter = { company_id = \""+aurora+"\", status = null }")),
				ConfigStateChecks: []statecheck.StateCheck{outputs(noun+" 1", noun+" 3", noun+" 5")}},
			resource.TestStep{Config: s.Config(names(block, "limit = 3\nfilter = { \"occurred_at[gte]\" = \"2026-01-02\" }")),
				ConfigStateChecks: []statecheck.StateCheck{outputs(noun+" 2", noun+" 3", noun+" 4")}},
		)
	}
	run(t, steps...)
}

// TestAccFinanceRecords: any collection, items whole and exact.
func TestAccFinanceRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	seed(s, "cost-centers")
	run(t,
		resource.TestStep{
			Config: s.Config(`` + records + `{
  collection = "cost-centers"
  filter     = { "occurred_at[gte]" = "2026-01-02", "occurred_at[lt]" = "2026-01-04" }
}
output "amounts" { value = [for item in data.billing_finance_records.test.items : jsondecode(item.json).amount] }
`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("amounts",
					knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("1.10"), knownvalue.StringExact("2.10")})),
				statecheck.ExpectKnownValue("data.billing_finance_records.test", at("items").AtSliceIndex(0),
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringRegexp(uuidV4), "name": knownvalue.StringExact("cost-centers 2"),
						"json": knownvalue.StringRegexp(secondWhole)})),
			},
		},
		resource.TestStep{Config: s.Config(names(records, `collection = "empty-one"`)),
			ConfigStateChecks: []statecheck.StateCheck{outputs()}},
	)
}

// TestAccFinanceLists_badInput: a mistake is an error and no list that seems whole.
func TestAccFinanceLists_badInput(t *testing.T) {
	t.Parallel()
	s := start(t)
	seed(s, "payables")
	var steps []resource.TestStep
	for config, message := range map[string]string{
		names(payables, `filter = { limit = "3" }`):     `limit is a paging parameter of the service`,
		names(payables, `filter = { cursor = "x" }`):    `cursor is a paging parameter of the service`,
		names(payables, `filter = { "" = "x" }`):        `A filter has no name`,
		names(payables, `limit = 0`):                    `limit value must be at least 1`,
		names(records, `collection = "pay/ables"`):      `is not the name of a collection`,
		names(records, `collection = "payables?x=1#y"`): `is not the name of a collection`,
	} {
		steps = append(steps, resource.TestStep{Config: s.Config(config), ExpectError: words(message)})
	}
	circle := resource.TestStep{
		PreConfig: func() {
			s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.payables.list",
				Body: `{"data":[{"id":"1"}],"meta":{"next_cursor":"always the same"}}`})
		},
		Config: s.Config(names(payables, "")), ExpectError: words(`a cursor that it has returned before`)}
	run(t, append(steps, circle)...)
}

// TestNearCollection: a near miss of a documented collection warns, of a resource and of a data source once each.
func TestNearCollection(t *testing.T) {
	t.Parallel()
	s := start(t)
	const says = `Collection "payable": did you mean "payables"?`
	config := acctest.JSON{"collection": "payable", "body": acctest.JSON{"name": "Rent"}}
	if text := s.Direct("billing_finance_record").Set(config); strings.Count(text, says) != 1 {
		t.Errorf("the resource says %s", text)
	}
	if _, said := s.Read("billing_finance_records", acctest.JSON{"collection": "payable"}); strings.Count(
		acctest.Warnings(said), says) != 1 {
		t.Errorf("the data source says %s", acctest.Warnings(said))
	}
}

func TestAccFinanceOpenAPI(t *testing.T) {
	t.Parallel()
	s := start(t)
	run(t, resource.TestStep{
		Config: s.Config(`
data "billing_finance_openapi" "test" {}
output "version" { value = jsondecode(data.billing_finance_openapi.test.json).openapi }
output "same" {
  value = jsondecode(data.billing_finance_openapi.test.json) == yamldecode(data.billing_finance_openapi.test.raw)
}
output "paths" { value = keys(jsondecode(data.billing_finance_openapi.test.json).paths) }
`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("version", knownvalue.StringExact("3.1.0")),
			statecheck.ExpectKnownOutputValue("same", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("paths",
				knownvalue.TuplePartial(map[int]knownvalue.Check{0: knownvalue.StringExact("/api/v1/openapi.json"),
					2: knownvalue.StringExact("/v1/accounts")})),
			statecheck.ExpectKnownValue("data.billing_finance_openapi.test", at("raw"),
				knownvalue.StringRegexp(regexp.MustCompile(`(?m)^openapi: "?3\.1\.0"?$`))),
		},
	})
}
