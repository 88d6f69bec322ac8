package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// unchanged holds that a plan without a change follows, and that the service has so many payables.
func (c *command) unchanged(s *acctest.Service, records int) {
	c.t.Helper()
	if out, err := c.run("plan", "-detailed-exitcode"); err != nil {
		c.t.Errorf("the next plan is not empty: %v\n%s", err, out)
	}
	if n := len(s.FinanceRecords("payables")); n != records {
		c.t.Errorf("there are %d records, want %d", n, records)
	}
}

// TestAccRecordsOfForEach: keys of for_each that are renamed without moved blocks are errors of the plan, one for each
// record; with the blocks nothing is created or deleted.
func TestAccRecordsOfForEach(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	keyed := func(keys string) string {
		return required + `resource "billing_finance_record" "each" {
  for_each   = ` + keys + `
  collection = "payables"
  body       = { name = each.value }
}
`
	}
	terraform := newCommand(t, "").at(s)
	terraform.write("main.tf", keyed(`{ a = "Rent", b = "Power", c = "Water" }`))
	terraform.must("apply", "-auto-approve")
	renamed := keyed(`{ x = "Rent", y = "Power", c = "Water" }`)
	terraform.write("main.tf", renamed)
	if out, err := terraform.run("plan"); err == nil ||
		strings.Count(strings.Join(strings.Fields(out), " "), "created again with the same key") != 2 {
		t.Errorf("the plan does not speak of it: %v\n%s", err, out)
	}
	for from, to := range map[string]string{"a": "x", "b": "y"} {
		renamed += fmt.Sprintf("moved {\n  from = billing_finance_record.each[%q]\n  to   = "+
			"billing_finance_record.each[%q]\n}\n", from, to)
	}
	terraform.write("main.tf", renamed)
	terraform.must("apply", "-auto-approve")
	if n := s.Count("finance.records.create"); n != 3 {
		t.Errorf("%d creations were sent, want 3", n)
	}
	terraform.unchanged(s, 3)
	terraform.must("destroy", "-auto-approve")
	if n := len(s.FinanceRecords("payables")); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

// TestAccRecordOfAnotherWorkspace: a creation that is given the record of another workspace says so.
func TestAccRecordOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	const config = `resource "billing_finance_record" "one" {
  collection = "payables"
  body       = { name = "Rent" }
}
`
	const says = "existed already"
	first, second := newCommand(t, config).at(s), newCommand(t, config).at(s)
	if out := first.must("apply", "-auto-approve"); strings.Contains(out, says) {
		t.Errorf("of a new record:\n%s", out)
	}
	s.Sandbox.Clock().Advance(time.Minute)
	if out := second.must("apply", "-auto-approve"); !strings.Contains(out, says) {
		t.Errorf("of the other workspace's record:\n%s", out)
	}
	second.unchanged(s, 1)
}

// TestAccRecordGenerated: the configuration that Terraform generates for an imported record plans nothing on the first
// try, whatever the record holds, and converges after a change.
func TestAccRecordGenerated(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	made := s.MustFinance("POST", "/v1/payables", acctest.JSON{
		"name": "Rent <of> \"May\" ${x} %{y}", "amount": "1500.00", "number": json.Number("9007199254740993"),
		"ratio": json.Number("0.1"), "paid": false, "note": nil, "empty": "", "tags": []any{"a", 3, nil, []any{}},
		"none": []any{}, "nothing": acctest.JSON{},
		"party": acctest.JSON{"name": nil, "address": acctest.JSON{"city": "São Paulo", "odd key": 1}},
		"lines": []any{acctest.JSON{"name": "Flat"}, acctest.JSON{"total": "1.00"}},
	})
	block := "import {\n  to = billing_finance_record.one\n  id = \"payables/" + made["id"].(string) + "\"\n}\n"
	terraform := newCommand(t, block).at(s)
	if out := terraform.must("plan", "-generate-config-out=generated.tf"); !strings.Contains(out,
		"1 to import, 0 to add, 0 to change, 0 to destroy") {
		t.Errorf("the generated configuration plans more than the import:\n%s\n%s", out, terraform.read("generated.tf"))
	}
	terraform.must("apply", "-auto-approve")
	terraform.unchanged(s, 1)
	terraform.replace("generated.tf", `"1500.00"`, `"1600.00"`)
	terraform.must("apply", "-auto-approve")
	terraform.unchanged(s, 1)
	for _, r := range s.Sandbox.Requests() {
		if r.Operation == "finance.records.update" && r.Status != 200 {
			t.Errorf("an update returned %d", r.Status)
		}
	}
	if n := s.Count("finance.records.update"); n != 1 {
		t.Errorf("%d updates were sent, want 1", n)
	}
}
