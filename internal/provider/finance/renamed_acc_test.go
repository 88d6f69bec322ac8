package finance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// managed checks that the state has the records of the service: n of them, each once.
func (s *service) managed(n int) resource.TestCheckFunc {
	return func(state *terraform.State) error {
		left := map[string]bool{}
		for _, object := range s.FinanceRecords("payables") {
			left[object["id"].(string)] = true
		}
		if len(left) != n {
			return fmt.Errorf("there are %d records, want %d", len(left), n)
		}
		for name, object := range state.RootModule().Resources {
			id := object.Primary.ID
			if !strings.HasPrefix(name, "billing_finance_record.") {
				continue
			}
			if !left[id] {
				return fmt.Errorf("%s has %s, which is not at the service, or another one has it too", name, id)
			}
			delete(left, id)
		}
		if len(left) > 0 {
			return fmt.Errorf("the state does not have %v", left)
		}
		return nil
	}
}

// TestAccFinanceRecord_renamed: a record that gets another name in the configuration without a moved block is an error
// of the plan, whatever Terraform plans first, and nothing is sent; with the block it stays.
func TestAccFinanceRecord_renamed(t *testing.T) {
	t.Parallel()
	const body = `{ name = "Rent", amount = "10.00" }`
	const says = `in payables is deleted and created again with the same key`
	const slow = "data \"billing_finance_accounts\" \"slow\" {}\n"
	for name, c := range map[string]struct{ operation, other string }{
		"as it comes":         {},
		"the old one is last": {operation: "finance.records.get"},
		"the new one is last": {operation: "finance.accounts.list",
			other: slow + second(body, "depends_on = [data.billing_finance_accounts.slow]")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			if c.other == "" {
				c.other = second(body)
			}
			var requests int
			later := func() {
				requests = s.Count("finance.records.create") + s.Count("finance.records.delete")
				if c.operation != "" {
					s.Sandbox.AddFault(sandbox.Fault{Operation: c.operation, Latency: time.Second, Times: 1})
				}
			}
			moved := s.Config(second(body) + "moved {\n  from = " + address + "\n  to = billing_finance_record.other\n}\n")
			run(t,
				resource.TestStep{Config: s.Config(record(body)), Check: s.managed(1)},
				resource.TestStep{PreConfig: later, Config: s.Config(c.other), ExpectError: words(says)},
				resource.TestStep{PreConfig: func() {
					if n := s.Count("finance.records.create") + s.Count("finance.records.delete"); n != requests {
						t.Errorf("%d creations and deletions were sent, want %d", n, requests)
					}
				}, Config: moved, Check: s.managed(1)},
				empty(moved),
			)
		})
	}
}

// TestAccFinanceRecord_policy: prevent holds a record in every plan that would end it, and abandon leaves it at the
// service, also for a new resource with the same key.
func TestAccFinanceRecord_policy(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := func(policy string) string {
		return s.Config(record(`{ name = "Rent" }`, `deletion_policy = "`+policy+`"`))
	}
	run(t,
		resource.TestStep{Config: config("prevent")},
		resource.TestStep{Config: config("prevent"), Destroy: true,
			ExpectError: words(`deletion_policy prevents that this plan destroys the record`)},
		resource.TestStep{Config: strings.Replace(config("prevent"), `"payables"`, `"receivables"`, 1),
			ExpectError: words(`deletion_policy prevents that this plan replaces the record`)},
		resource.TestStep{Config: config("abandon")},
		resource.TestStep{PreConfig: func() { s.Sandbox.Clock().Advance(time.Minute) },
			Config: s.Config(second(`{ name = "Rent" }`)), Check: s.managed(1)},
	)
	if n := s.Count("finance.records.create"); n != 2 {
		t.Errorf("%d creations were sent, want 2", n)
	}
}

// TestAccFinanceRecord_keyCase: keys are the same in either case, and two records of one plan cannot have one.
func TestAccFinanceRecord_keyCase(t *testing.T) {
	t.Parallel()
	s := start(t)
	const lower, upper = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c1a", "6F1C0A52-6F2A-4B7E-9F56-0D4F0B9A7C1A"
	one := record(`{ name = "Rent" }`, `idempotency_key = "`+lower+`"`)
	other := strings.Replace(record(`{ name = "Power" }`, `idempotency_key = "`+upper+`"`), `"test"`, `"other"`, 1)
	run(t,
		resource.TestStep{Config: s.Config(one + other),
			ExpectError: words(`their idempotency_key is the same; keys compare without case`)},
		resource.TestStep{Config: s.Config(one), Check: s.managed(1)},
		empty(s.Config(strings.Replace(one, lower, upper, 1))),
	)
}

// TestAdopted: a creation that is given a record of another workspace says so, and one of its own does not.
func TestAdopted(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "Rent"}}
	const says = "existed already"
	if text := s.Direct("billing_finance_record").Set(config); strings.Contains(text, says) {
		t.Errorf("of a new record: %s", text)
	}
	s.Sandbox.Clock().Advance(time.Minute)
	if text := s.Direct("billing_finance_record").Set(config); !strings.Contains(text, says) {
		t.Errorf("of an older record: %s", text)
	}
	s.MustFinance("PATCH", s.path(), acctest.JSON{"name": "House"})
	if text := s.Direct("billing_finance_record").Set(config); !strings.Contains(text, says) ||
		!strings.Contains(text, "The service stored other values") {
		t.Errorf("of a record that was changed: %s", text)
	}
	if n := len(s.FinanceRecords("payables")); n != 1 {
		t.Errorf("there are %d records", n)
	}
}
