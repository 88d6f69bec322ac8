package finance_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccFinanceRecord_imported: a configuration that names fewer keys than the record has is faithful, and removes
// nothing.
func TestAccFinanceRecord_imported(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.MustFinance("POST", "/v1/payables", acctest.JSON{"name": "Rent", "note": "old",
		"lines": []any{acctest.JSON{"name": "Flat"}}})
	block := "import {\n  to = " + address + "\n  id = \"payables/" + made["id"].(string) + "\"\n}\n"
	config := func(amount string) string {
		return s.Config(block + record(`{ name = "Rent", lines = [{ name = "Flat" }]`+amount+` }`))
	}
	run(t,
		resource.TestStep{Config: config(""),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{does(plancheck.ResourceActionNoop)}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("idempotency_key"), knownvalue.Null()),
				// All of it but what the service itself fills in.
				statecheck.ExpectKnownValue(address, at("body"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"name": knownvalue.StringExact("Rent"), "note": knownvalue.StringExact("old"), "lines": knownvalue.NotNull()}))}},
		empty(config("")),
		resource.TestStep{Config: config(`, amount = "1.00"`), Check: resource.ComposeTestCheckFunc(stored(s, "note", "old"),
			stored(s, "amount", "1.00"))},
		empty(config(`, amount = "1.00"`)),
		resource.TestStep{Config: config(""), Check: resource.ComposeTestCheckFunc(stored(s, "amount", nil),
			stored(s, "note", "old"))},
		empty(config("")),
	)
	if n := s.Count("finance.records.create"); n != 1 {
		t.Errorf("%d creations were sent", n)
	}
}

func TestAccFinanceRecord_badImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	var steps []resource.TestStep
	for id, message := range map[string]string{
		"payables":                  `Write <collection>/<id>`,
		"payables/":                 `Write <collection>/<id>`,
		"/x":                        `Write <collection>/<id>`,
		"a/b/c":                     `Write <collection>/<id>`,
		"../x":                      `Write <collection>/<id>`,
		"payables/00000000-no-such": `has no record 00000000-no-such in the collection payables`,
	} {
		steps = append(steps, resource.TestStep{Config: s.Config(record(`{}`)), ResourceName: address, ImportState: true,
			ImportStateId: id, ExpectError: words(message)})
	}
	run(t, steps...)
}

// words matches a text however Terraform breaks its lines.
func words(text string) *regexp.Regexp {
	fields := strings.Fields(text)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `\s+`))
}

// TestAccFinanceRecord_badInput: what can be known at plan time is rejected before anything is sent.
func TestAccFinanceRecord_badInput(t *testing.T) {
	t.Parallel()
	s := start(t)
	var steps []resource.TestStep
	for config, message := range map[string]string{
		record(`"{}"`):                    `body takes an object`,
		record(`["a"]`):                   `body takes an object`,
		record(`null`):                    `Must set a configuration value for the body attribute`,
		record(`true ? null : { a = 1 }`): `body is null. Write the record as an object`,
		record(`{}`):                      `body is {}, so there is nothing to create`,
		record(`{ n = 1e5000 }`):          `The body cannot be sent: at n, the number 1e+5000 is too large`,
		record(`{ a = { b = [0, { c = -2.5e6000 }] } }`):                         `at a.b[1].c, the number -2.5e+6000 is too large`,
		record(`{}`, `idempotency_key = ""`):                                     `"" is not a UUID of version 4`,
		record(`{}`, `idempotency_key = "6f1c0a52-6f2a-1b7e-9f56-0d4f0b9a7c11"`): `"6f1c0a52-6f2a-1b7e-9f56-0d4f0b9a7c11" is not a UUID of version 4, such as the result of a random_uuid resource`,
		strings.Replace(record(`{}`), "payables", "pay/ables",
			1): `"pay/ables" is not the name of a collection`,
		strings.Replace(record(`{}`), "payables", "..", 1): `".." is not the name of a collection`,
		strings.Replace(record(`{}`), "payables", "", 1):   `"" is not the name of a collection`,
	} {
		steps = append(steps, resource.TestStep{Config: s.Config(config), PlanOnly: true, ExpectError: words(message)})
	}
	run(t, steps...)
	if asked := s.Operations(); len(asked) > 0 {
		t.Errorf("asked for %v", asked)
	}
}

// TestAccFinanceRecord_refused: what the service rejects is on the body, with code and Request-Id.
func TestAccFinanceRecord_refused(t *testing.T) {
	t.Parallel()
	s := start(t)
	run(t,
		resource.TestStep{Config: s.Config(record(`{ amount = 10.5 }`)),
			ExpectError: words(`Invalid value for body.amount: must be a string (got 10.5). If it is an amount, write a string with two decimals: "10.50", or format_cents(1050).`)},
		resource.TestStep{Config: s.Config(record(`{ amount = "10.50" }`))},
		resource.TestStep{Config: s.Config(record(`{ amount = "10,50" }`)),
			ExpectError: words(
				`Invalid value for body.amount: must be money: a positive decimal string with two places, such as "10.50" (got "10,50"). Operation: finance.records.update (PATCH /v1/{collection}/{id}) Status: 422, code: validation_error Request-Id: `)},
		empty(s.Config(record(`{ amount = "10.50" }`))),
	)
}

func TestAccFinanceRecord_notConfigured(t *testing.T) {
	t.Parallel()
	run(t, resource.TestStep{Config: `provider "billing" {}` + "\n" + record(`{ name = "Rent" }`),
		ExpectError: words(
			`billing_finance_record needs them. Set finance_base_url and finance_token in the provider "billing" block, or the environment variables BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN.`)})
}

// TestFurtherKey: a configuration that names one more key, as the service has it, changes nothing, and drift in it is
// corrected.
func TestFurtherKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.MustFinance("POST", "/v1/payables",
		acctest.JSON{"name": "Rent", "party": acctest.JSON{"name": "Aurora", "city": "Campinas"}})
	d := s.Direct("billing_finance_record")
	d.Import("payables/" + made["id"].(string))
	config := acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "Rent", "created_at": made["created_at"],
		"party": acctest.JSON{"city": "Campinas"}}}
	if p := d.Plan(config); len(p.Changes(t)) != 0 {
		t.Errorf("the plan changes %v", p.Changes(t))
	}
	d.Set(acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "House"}})
	d.Refresh()
	config["body"] = acctest.JSON{"name": "House", "party": acctest.JSON{"city": "Campinas"}}
	if p := d.Plan(config); len(p.Changes(t)) != 0 {
		t.Errorf("the plan changes %v", p.Changes(t))
	}
	s.MustFinance("PATCH", s.path(), acctest.JSON{"party": acctest.JSON{"name": "Aurora", "city": "Santos"}})
	d.Refresh()
	d.Set(config)
	if have := s.Only("payables")["party"].(acctest.JSON); have["city"] != "Campinas" || have["name"] != "Aurora" {
		t.Errorf("the service has %v", have)
	}
}
