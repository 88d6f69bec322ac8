package finance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const address = "billing_finance_record.test"

var uuidV4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

// record is the resource with a body and further arguments.
func record(body string, extra ...string) string {
	return fmt.Sprintf("resource \"billing_finance_record\" \"test\" {\n  collection = \"payables\"\n  body = %s\n  "+
		"%s\n}\n", body, strings.Join(extra, "\n  "))
}

// second is another record next to that of record.
func second(body string, extra ...string) string {
	return strings.Replace(record(body, extra...), `"test"`, `"other"`, 1)
}

var run = acctest.Run

// plans is a step whose plan has to be of a kind.
func plans(config string, checks ...plancheck.PlanCheck) resource.TestStep {
	return resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks}}
}

func empty(config string) resource.TestStep { return plans(config, plancheck.ExpectEmptyPlan()) }

func does(action plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, action)
}

// stored checks a key of the only payable at the service; JSON text means its value.
func stored(s *service, key string, want any) resource.TestCheckFunc {
	return func(*terraform.State) error {
		s.t.Helper()
		have, there := s.Only("payables")[key]
		if fmt.Sprint(have) != fmt.Sprint(want) || !there && want != nil {
			s.t.Errorf("%s at the service: %v, want %v", key, have, want)
		}
		return nil
	}
}

// output reads a part of the record's response.
func output(expression string) string {
	return "output \"part\" { value = jsondecode(billing_finance_record.test.response)" + expression + " }\n"
}

func TestAccFinanceRecord_minimal(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := s.Config(record(`{ name = "Rent", amount = "1500.00" }`))
	byID := func(state *terraform.State) (string, error) {
		return "payables/" + state.RootModule().Resources[address].Primary.ID, nil
	}
	// An import takes in all keys of the body, and the service never says the key of the creation.
	ignored := []string{"body", "idempotency_key"}
	run(t,
		resource.TestStep{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				does(plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(address, at("idempotency_key"), knownvalue.StringRegexp(uuidV4)),
				plancheck.ExpectUnknownValue(address, at("id")),
				plancheck.ExpectUnknownValue(address, at("response")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("id"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue(address, at("idempotency_key"), knownvalue.StringRegexp(uuidV4)),
				statecheck.ExpectKnownValue(address, at("response"), knownvalue.StringRegexp(regexp.MustCompile(
					`^{"amount":"1500\.00","created_at":"2026-03-14T12:00:00\.000Z","id":"[0-9a-f-]{36}","name":"Rent","updated_at":"2026-03-14T12:00:00\.000Z"}$`))),
			},
		},
		empty(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateIdFunc: byID, ImportStateVerify: true,
			ImportStateVerifyIgnore: ignored},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID, ImportStateIdFunc: byID},
	)
	if n := len(s.FinanceRecords("payables")); n != 0 {
		t.Errorf("%d records are left after the destroy", n)
	}
}

func TestAccFinanceRecord_identity(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := s.Config(record(`{ name = "Rent" }`))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: config,
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(address, map[string]knownvalue.Check{
					"collection": knownvalue.StringExact("payables"), "id": knownvalue.StringRegexp(uuidV4)})}},
			{Config: config, ResourceName: address, ImportState: true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// TestAccFinanceRecord_full: nested values come back as they were, numbers and money exact, and what the service adds
// is not drift.
func TestAccFinanceRecord_full(t *testing.T) {
	t.Parallel()
	s := start(t)
	full := `{
    name   = "Rent <of> \"May\""
    amount = "1500.00"
    exact  = 9007199254740993
    ratio  = 0.1
    paid   = false
    note   = null
    tags   = ["a", "b", 3, null]
    party  = { document = "11.222.333/0001-81", address = { city = "São Paulo" } }
    lines  = [{ name = "Flat", amount = "1000.00" }, { name = "Garage", amount = "500.00" }]
    internal_note = "never returned"
  }`
	config := s.Config(record(full) + output(".exact"))
	// The same in other words, in its own order.
	other := s.Config(record(strings.NewReplacer(`"1500.00"`, `format("%.2f", 1500)`, "0.1", "0.10", `["a", "b", 3, null]`,
		`concat(["a", "b"], [3, null])`).Replace(full)) + output(".exact"))
	run(t,
		resource.TestStep{Config: config, Check: resource.ComposeTestCheckFunc(stored(s, "exact", "9007199254740993"),
			stored(s, "ratio", "0.1"), stored(s, "internal_note", "never returned")),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address,
				at("body").AtMapKey("lines").AtSliceIndex(1), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"name": knownvalue.StringExact("Garage"), "amount": knownvalue.StringExact("500.00")}))}},
		empty(config),
		empty(other),
		resource.TestStep{RefreshState: true},
		empty(config),
	)
}

// TestAccFinanceRecord_update: only what changes is sent, what others have added stays, and what is removed goes.
func TestAccFinanceRecord_update(t *testing.T) {
	t.Parallel()
	s := start(t)
	others := func() {
		s.MustFinance("PATCH", s.path(),
			acctest.JSON{"erp_id": "E-1", "party": acctest.JSON{"name": "Aurora", "city": "Campinas", "score": 7}})
	}
	first :=
		s.Config(record(`{ name = "Rent", note = "x", amount = "10.00", party = { name = "Aurora", city = "Campinas" } }`))
	second := s.Config(record(`{ name = "Rent", amount = "12.50", party = { name = "Aurora Ltda" } }`))
	changed := resource.TestStep{
		PreConfig: others, Config: second,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			does(plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(address, at("id"), knownvalue.StringRegexp(uuidV4)),
			plancheck.ExpectKnownValue(address, at("idempotency_key"), knownvalue.StringRegexp(uuidV4)),
			plancheck.ExpectUnknownValue(address, at("response")),
		}},
		Check: resource.ComposeTestCheckFunc(stored(s, "amount", "12.50"), stored(s, "note", nil), stored(s, "erp_id", "E-1"),
			stored(s, "party", acctest.JSON{"name": "Aurora Ltda", "score": "7"})),
	}
	run(t,
		resource.TestStep{Config: first},
		changed,
		empty(second),
		// Back again, with a null and a list in place of what was text.
		plans(s.Config(record(`{ name = null, amount = "12.50", party = { name = "Aurora Ltda" }, tags = ["a"] }`)),
			does(plancheck.ResourceActionUpdate)),
		empty(s.Config(record(`{ name = null, amount = "12.50", party = { name = "Aurora Ltda" }, tags = ["a"] }`))),
		plans(s.Config(record(`{ amount = "12.50", party = { name = "Aurora Ltda" }, tags = "a" }`)),
			does(plancheck.ResourceActionUpdate)),
		resource.TestStep{Config: s.Config(record(`{ amount = "12.50", party = { name = "Aurora Ltda" }, tags = "a" }`)),
			Check: resource.ComposeTestCheckFunc(stored(s, "tags", "a"), stored(s, "name", nil))},
	)
	if n := s.Count("finance.records.create"); n != 1 {
		t.Errorf("%d creations were sent", n)
	}
}

// TestAccFinanceRecord_drift: what others change in a key that the configuration names is shown and corrected, and
// nothing else.
func TestAccFinanceRecord_drift(t *testing.T) {
	t.Parallel()
	s := start(t)
	config :=
		s.Config(
			record(`{ name = "Rent", amount = "10.00", party = { name = "Aurora" }, internal_note = "ours", lines = [{ name = "Flat" }] }`))
	patch := func(change acctest.JSON) func() {
		return func() { s.MustFinance("PATCH", s.path(), change) }
	}
	mended := func(change acctest.JSON) resource.TestStep {
		return resource.TestStep{PreConfig: patch(change), Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{does(plancheck.ResourceActionUpdate)}},
			Check:            resource.ComposeTestCheckFunc(stored(s, "amount", "10.00"), stored(s, "name", "Rent"))}
	}
	ignored := func(change acctest.JSON) resource.TestStep {
		step := empty(config)
		step.PreConfig = patch(change)
		return step
	}
	run(t,
		resource.TestStep{Config: config},
		mended(acctest.JSON{"amount": "11.00"}),
		mended(acctest.JSON{"name": nil}),
		mended(acctest.JSON{"party": acctest.JSON{"name": "Other", "score": 1}}),
		mended(acctest.JSON{"lines": []any{acctest.JSON{"name": "Flat"}, acctest.JSON{"name": "Garage"}}}),
		mended(acctest.JSON{"lines": []any{acctest.JSON{"name": "House"}}}),
		ignored(acctest.JSON{"status": "approved"}),
		ignored(acctest.JSON{"party": acctest.JSON{"name": "Aurora", "score": 2}}),
		ignored(acctest.JSON{"internal_note": "theirs"}),
	)
}

// TestAccFinanceRecord_ignoreRemoteChanges: nothing of the body is compared, and a change of the configuration is sent
// all the same.
func TestAccFinanceRecord_ignoreRemoteChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := s.Config(record(`{ name = "Rent", amount = "10.00" }`, "ignore_remote_changes = true") + output(".name"))
	theirs := resource.TestStep{
		PreConfig: func() {
			s.MustFinance("PATCH", s.path(), acctest.JSON{"name": "Theirs", "amount": "99.00"})
		},
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			does(plancheck.ResourceActionNoop), plancheck.ExpectKnownOutputValue("part", knownvalue.StringExact("Theirs"))}},
	}
	run(t,
		resource.TestStep{Config: config},
		theirs,
		resource.TestStep{Config: s.Config(record(`{ name = "Rent", amount = "12.00" }`, "ignore_remote_changes = true")),
			Check: resource.ComposeTestCheckFunc(stored(s, "amount", "12.00"), stored(s, "name", "Theirs"))},
		// From the next refresh on the body is compared again.
		resource.TestStep{Config: s.Config(record(`{ name = "Rent", amount = "12.00" }`)), ExpectNonEmptyPlan: true},
		resource.TestStep{Config: s.Config(record(`{ name = "Rent", amount = "12.00" }`)), Check: stored(s, "name", "Rent")},
	)
}

// TestAccFinanceRecord_deletedOutside: the record is planned for re-creation, and created again although its key is
// used up.
func TestAccFinanceRecord_deletedOutside(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := s.Config(record(`{ name = "Rent" }`))
	ids := map[string]bool{}
	seen := func(*terraform.State) error {
		ids[s.path()] = true
		return nil
	}
	again := func() resource.TestStep {
		step := plans(config, does(plancheck.ResourceActionCreate))
		step.PreConfig = func() {
			s.MustFinance("DELETE", s.path(), nil)
			s.Sandbox.Clock().Advance(time.Minute) // so that it is not taken for a record that cannot be read yet
		}
		step.Check = seen
		return step
	}
	run(t, resource.TestStep{Config: config, Check: seen}, again(), empty(config), again(), empty(config))
	if len(ids) != 3 {
		t.Errorf("the records were %v", ids)
	}
}

// TestAccFinanceRecord_collection: a record cannot move.
func TestAccFinanceRecord_collection(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := record(`{ name = "Rent" }`)
	moved := plans(s.Config(strings.Replace(config, "payables", "receivables", 1)),
		does(plancheck.ResourceActionDestroyBeforeCreate))
	moved.Check = func(*terraform.State) error {
		if len(s.FinanceRecords("payables")) != 0 || len(s.FinanceRecords("receivables")) != 1 {
			t.Errorf("payables %v, receivables %v", s.FinanceRecords("payables"), s.FinanceRecords("receivables"))
		}
		return nil
	}
	run(t, resource.TestStep{Config: s.Config(config)}, moved)
}
