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

// TestAccFinanceRecord_renamed: a record that gets another name in the configuration, without a moved block, is there
// once afterwards, and the state has it, whatever the order in which the service gets the requests.
func TestAccFinanceRecord_renamed(t *testing.T) {
	t.Parallel()
	const key = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c1A"
	named := func(name, body string, extra ...string) string {
		return strings.Replace(record(body, extra...), `"test"`, `"`+name+`"`, 1)
	}
	const body = `{ name = "Rent", amount = "10.00" }`
	for order, faults := range map[string][]sandbox.Fault{
		"as it comes":      nil,
		"late deletion":    {{Operation: "finance.records.delete", Latency: 700 * time.Millisecond}},
		"late creation":    {{Operation: "finance.records.create", Latency: 700 * time.Millisecond}},
		"late read":        {{Operation: "finance.records.get", Latency: 300 * time.Millisecond}},
		"deletion refused": {{Operation: "finance.records.delete", Status: 503, Latency: 300 * time.Millisecond, Times: 1}},
	} {
		for what, c := range map[string]struct {
			before, after string
			records       int
		}{
			"the resource": {named("a", body), named("b", body), 1},
			"one of two": {named("a", body) + named("c", `{ name = "Power" }`), named("b", body) +
				named("c", `{ name = "Power" }`), 2},
			"with a key given": {named("a", body, `idempotency_key = "`+key+`"`),
				named("b", body, `idempotency_key = "`+strings.ToLower(key)+`"`), 1},
		} {
			if what != "the resource" && order != "late deletion" {
				continue
			}
			t.Run(what+", "+order, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				slow := func() {
					for _, fault := range faults {
						s.Sandbox.AddFault(fault)
					}
				}
				run(t,
					resource.TestStep{Config: s.Config(c.before), Check: s.managed(c.records)},
					resource.TestStep{PreConfig: slow, Config: s.Config(c.after), Check: s.managed(c.records)},
					empty(s.Config(c.after)),
				)
				if n := len(s.FinanceRecords("payables")); n != 0 {
					t.Errorf("%d records are left after the destroy", n)
				}
			})
		}
	}
}

// TestAccFinanceRecord_renamedUndeleted: where the deletion of a renamed record fails, the record stays with the old
// resource, and the next apply renames it.
func TestAccFinanceRecord_renamedUndeleted(t *testing.T) {
	t.Parallel()
	s := start(t)
	const body = `{ name = "Rent", amount = "10.00" }`
	before, after := s.Config(record(body)), s.Config(strings.Replace(record(body), `"test"`, `"other"`, 1))
	refuse := func() {
		s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.delete", Status: 422, Times: 1})
		// The creation comes later.
		s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.create", Latency: time.Second, Times: 1})
	}
	run(t,
		resource.TestStep{Config: before},
		resource.TestStep{PreConfig: refuse, Config: after,
			ExpectError: words(`a resource that this run removes manages it, and its deletion failed`)},
		resource.TestStep{Config: after, Check: s.managed(1)},
		empty(after),
	)
}

// TestAccFinanceRecord_twice: a record that two resources manage is deleted with the last one of them.
func TestAccFinanceRecord_twice(t *testing.T) {
	t.Parallel()
	s := start(t)
	const key = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c1a"
	one := record(`{ name = "Rent" }`, `idempotency_key = "`+key+`"`)
	other := strings.Replace(one, `"test"`, `"other"`, 1)
	sent := func(n int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if have := s.Count("finance.records.delete"); have != n {
				return fmt.Errorf("%d deletions were sent, want %d", have, n)
			}
			return nil
		}
	}
	adopt := func(name string) resource.TestStep {
		return resource.TestStep{Config: s.Config(one + other), ResourceName: "billing_finance_record." + name,
			ImportState: true, ImportStatePersist: true,
			ImportStateIdFunc: func(*terraform.State) (string, error) { return strings.TrimPrefix(s.path(), "/v1/"), nil }}
	}
	run(t,
		resource.TestStep{Config: s.Config(one)},
		adopt("other"),
		resource.TestStep{Config: s.Config(one + other)},
		resource.TestStep{Config: s.Config(other), Check: resource.ComposeTestCheckFunc(sent(0), s.managed(1))},
		empty(s.Config(other)),
		adopt("test"),
	)
	if n := len(s.FinanceRecords("payables")); n != 0 {
		t.Errorf("%d records are left after the destroy", n)
	}
}

// TestRenamedInThePlan: the plan says that one record is deleted and created, and how to keep it.
func TestRenamedInThePlan(t *testing.T) {
	t.Parallel()
	s := start(t)
	core := s.Core()
	named := func(name string) acctest.Configuration {
		return acctest.Configuration{Blocks: []acctest.Block{{Address: "billing_finance_record." + name,
			Values: acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "Rent"}}}}}
	}
	core.Apply(core.Plan(named("before")), false)
	text := strings.Join(core.Plan(named("after")).Warnings, "\n")
	if !strings.Contains(text, "A record is deleted and created with the same key") ||
		!strings.Contains(text, "moved block") {
		t.Error(text)
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
			ExpectError: words(`its idempotency_key is the same; keys compare without case`)},
		resource.TestStep{Config: s.Config(one), Check: s.managed(1)},
		empty(s.Config(strings.Replace(one, lower, upper, 1))),
	)
}

// TestAdopted: a creation that is given a record of another workspace says so, and one of its own does not.
func TestAdopted(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "Rent"}}
	const says = "The record existed already"
	if text := s.Direct("billing_finance_record").Set(config); strings.Contains(text, says) {
		t.Errorf("of a new record: %s", text)
	}
	s.Sandbox.Clock().Advance(time.Minute)
	if text := s.Direct("billing_finance_record").Set(config); !strings.Contains(text, says) {
		t.Errorf("of an older record: %s", text)
	}
	s.MustFinance("PATCH", s.path(), acctest.JSON{"name": "House"})
	if text := s.Direct("billing_finance_record").Set(config); !strings.Contains(text, says) ||
		!strings.Contains(text, "The service stored something else") {
		t.Errorf("of a record that was changed: %s", text)
	}
	if n := len(s.FinanceRecords("payables")); n != 1 {
		t.Errorf("there are %d records", n)
	}
}
