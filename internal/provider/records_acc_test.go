package provider_test

import (
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

// TestAccRecordsOfForEach: keys of for_each that are renamed lose no record, although Terraform creates and deletes at one time.
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
	s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.delete", Latency: time.Second})
	terraform.write("main.tf", keyed(`{ x = "Rent", y = "Power", c = "Water" }`))
	if out := terraform.must("apply", "-auto-approve"); !strings.Contains(out, "A record is deleted and created with the same key") {
		t.Errorf("the plan does not speak of it:\n%s", out)
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
	const says = "The record existed already"
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
