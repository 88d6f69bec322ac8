package finance_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccFinanceRecord_ignoreChanges: the apply leaves alone what the plan left alone, and owns what the plan showed.
func TestAccFinanceRecord_ignoreChanges(t *testing.T) {
	t.Parallel()
	const (
		key = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c1"
	)
	foreign := acctest.JSON{"total": "999.00", "party": acctest.JSON{"name": "a", "city": "Theirs"}, "erp": "x"}
	for name, c := range map[string]struct {
		ignore  string
		foreign acctest.JSON
		want    map[string]any // at the service, after the configuration has changed from a to b
		none    bool           // nothing is left to change
	}{
		"a key": {"[body.total]", acctest.JSON{"total": "999.00", "erp": "x"},
			map[string]any{"total": "999.00", "name": "b", "party": acctest.JSON{"name": "b", "city": "b"}, "erp": "x"}, false},
		"a key inside": {"[body.party.city]", acctest.JSON{"party": foreign["party"], "erp": "x"},
			map[string]any{"total": "b", "name": "b", "party": acctest.JSON{"name": "b", "city": "Theirs"}, "erp": "x"}, false},
		"the body": {"[body]", foreign, map[string]any{"total": "999.00", "name": "a", "party": foreign["party"], "erp": "x"},
			false},
		"all": {"all", foreign, map[string]any{"total": "999.00", "name": "a", "party": foreign["party"], "erp": "x"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			config := func(value string, extra ...string) string {
				return s.Config(record(strings.ReplaceAll(`{ name = "%", total = "%", party = { name = "%", city = "%" } }`, "%",
					value),
					append(extra, `idempotency_key = "`+key+map[string]string{"a": "1", "b": "2"}[value]+`"`)...))
			}
			ignoring := "lifecycle { ignore_changes = " + c.ignore + " }"
			var checks []resource.TestCheckFunc
			for key, want := range c.want {
				checks = append(checks, stored(s, key, want))
			}
			action := plancheck.ResourceActionUpdate
			if c.none {
				action = plancheck.ResourceActionNoop
			}
			changed := plans(config("b", ignoring), does(action))
			changed.PreConfig = func() { s.MustFinance("PATCH", s.path(), c.foreign) }
			changed.Check = resource.ComposeTestCheckFunc(checks...)
			run(t,
				resource.TestStep{Config: config("a", ignoring)},
				changed,
				empty(config("b", ignoring)),
				resource.TestStep{Config: config("b"), Check: resource.ComposeTestCheckFunc(
					stored(s, "total", "b"), stored(s, "name", "b"), stored(s, "party", acctest.JSON{"name": "b", "city": "b"}),
					stored(s, "erp", "x"))},
				// What was owned all the time is owned still, and what never was stays.
				resource.TestStep{Config: s.Config(record(`{ name = "b" }`)), Check: resource.ComposeTestCheckFunc(
					stored(s, "total", nil), stored(s, "party", nil), stored(s, "erp", "x"))},
				empty(s.Config(record(`{ name = "b" }`))),
			)
		})
	}
}

// TestAccFinanceRecord_unknownCollection: a collection that is not known in the plan replaces nothing. Where it is the
// same one nothing happens, where it is another one the apply fails before it sends anything.
func TestAccFinanceRecord_unknownCollection(t *testing.T) {
	t.Parallel()
	s := start(t)
	// The output is not known while the input changes.
	config := func(value, collection, key string) string {
		return s.Config(`
resource "terraform_data" "marker" {
  input            = "` + value + `"
  triggers_replace = "` + value + `"
}
resource "billing_finance_record" "test" {
  collection      = terraform_data.marker.id == "" ? "" : "` + collection + `"
  idempotency_key = terraform_data.marker.id == "" ? "" : "` + key + `"
  body            = { name = "Rent" }
}
`)
	}
	const first, second = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11", "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c12"
	var before string
	same := func(*terraform.State) error { // the record of the first step, and no other one
		if now := s.path(); now != before {
			t.Errorf("the record was %s, now %s", before, now)
		}
		return nil
	}
	updates := plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)
	known := func(value, collection, key string) string {
		return strings.NewReplacer(`terraform_data.marker.id == "" ? "" : `, "").Replace(config(value, collection, key))
	}
	moved := plans(known("3", "receivables", second),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate))
	moved.Check = func(*terraform.State) error {
		if n := len(s.FinanceRecords("payables")); n != 0 {
			t.Errorf("%d records are left in payables", n)
		}
		s.Only("receivables")
		return nil
	}
	run(t,
		resource.TestStep{Config: config("1", "payables", first), Check: func(*terraform.State) error {
			before = s.path()
			return nil
		}},
		resource.TestStep{Config: config("2", "payables", strings.ToUpper(first)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{updates}}, Check: same},
		empty(config("2", "payables", first)),
		resource.TestStep{Config: config("3", "receivables", second),
			ExpectError: words(`The plan has not shown this replacement`)},
		moved,
	)
	if n := s.Count("finance.records.delete"); n != 2 { // the move, and the end of the test
		t.Errorf("%d deletions were sent", n)
	}
}

// TestCollectionThatIsNot: a replacement in a collection that the service does not have is rejected in the plan, as it
// would delete first.
func TestCollectionThatIsNot(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := s.Direct("billing_finance_record")
	body := acctest.JSON{"name": "Rent"}
	d.Set(acctest.JSON{"collection": "payables", "body": body})
	d.Refresh()
	s.Sandbox.AddFault(notFound("/v1/paiables"))
	p := d.Plan(acctest.JSON{"collection": "paiables", "body": body})
	if text := acctest.Errors(p.Diagnostics); !strings.Contains(text, `No collection "`) ||
		!strings.Contains(text, `"paiables"`) {
		t.Error(text)
	}
}
