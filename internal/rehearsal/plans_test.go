package rehearsal_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
)

var plans = flag.Int("plans", 3, "how many random plans are rehearsed and then applied")

// part is a part of a configuration before and after a pull request. "NAME" in it is unique, and "TENANT" is a customer
// and its account.
type part struct {
	name, before, after string
	// meanwhile is what others do before the pull request.
	meanwhile func(i *infrastructure, w *world, name string)
	flags     []string // of the plan
}

const tenantBlocks = `
resource "billing_customer" "NAME" {
  name                   = "Customer NAME"
  external_id            = "c-NAME"
  create_billing_account = false
}
resource "billing_account" "NAME" {
  customer_id = billing_customer.NAME.id
  external_id = "a-NAME"
}
`

// subscribed is a subscription of TENANT with more arguments.
func subscribed(more string) string {
	if !strings.Contains(more, "plan_id") {
		more = "plan_id = \"" + gold + "\"\n" + more
	}
	return `TENANT
resource "billing_subscription" "NAME" {
  billing_account_id = billing_account.NAME.id
  external_id        = "s-NAME"
  ` + more + `
}
`
}

// chained refers to objects in the ways that configurations do: chained for_each, computed keys, pairs, locals over
// resources, modules with and without keys, functions and templates.
const chained = `
variable "unset_NAME" { default = null }
locals {
  tenants_NAME  = [TENANTS]
  pairs_NAME = { for p in setproduct(local.tenants_NAME, ["br", "pt"]) : "${p[0]}-${p[1]}" => {
    tenant = p[0], region = p[1]
  } if "${p[0]}-${p[1]}" != "LEFT" }
  accounts_NAME = { for key, account in billing_account.NAME : key => account.id }
}
resource "billing_customer" "NAME" {
  for_each               = toset(local.tenants_NAME)
  name                   = "Tenant ${each.key}"
  external_id            = "NAME-${each.key}"
  notes                  = var.unset_NAME
  create_billing_account = false
}
resource "billing_account" "NAME" {
  for_each      = billing_customer.NAME
  customer_id   = each.value.id
  external_id   = "acc-${each.value.external_id}"
  billing_email = var.unset_NAME
}
resource "billing_account" "pair_NAME" {
  for_each    = local.pairs_NAME
  customer_id = billing_customer.NAME[each.value.tenant].id
  external_id = "NAME-pair-${each.key}"
}
resource "billing_subscription" "NAME" {
  for_each           = local.accounts_NAME
  billing_account_id = coalesce(var.unset_NAME, each.value)
  external_id        = "NAME-s-${each.key}"
  plan_id            = "` + gold + `"
  custom_metadata    = { account = each.value, label = "acc ${each.value}", customer = upper(each.key) }
}
module "NAME" {
  for_each = toset(local.tenants_NAME)
  source   = "../modules/team"
  name     = "NAME-team-${each.key}"
  plan     = "` + silver + `"
  payer    = billing_account.NAME[each.key].id
}
`

const ofModule = `
resource "billing_subscription" "of_module_NAME" {
  billing_account_id = module.NAME[local.tenants_NAME[0]].account
  external_id        = "NAME-of-module"
  plan_id            = "` + gold + `"
}
`

func chain(tenants, left, more string) string {
	return strings.NewReplacer("[TENANTS]", tenants, "LEFT", left).Replace(chained + more)
}

const many = `
resource "billing_customer" "NAME" {
  count                  = 6
  name                   = "NAME ${count.index}"
  create_billing_account = false
}
resource "billing_account" "NAME" {
  count       = 6
  customer_id = billing_customer.NAME[count.index].id
  status      = "STATUS"
}
`

var parts = []part{
	{name: "new organization", after: chain(`["a", "b]\"$${c}", "d.é"]`, "", ofModule)},
	{name: "tenants come and go", before: chain(`["a", "b", "c]\"$${c}"]`, "", ""),
		after: chain(`["b", "d.é", "e"]`, "", "")},
	{name: "asked to be replaced", before: chain(`["b", "d"]`, "", ""), after: chain(`["b", "d"]`, "", ""),
		flags: []string{`-replace=billing_account.NAME["d"]`, `-replace=billing_subscription.NAME["b"]`}},
	{name: "forgotten and moved", before: chain(`["b", "d"]`, "", ofModule), after: chain(`["b", "d"]`, "d-br", `
removed {
  from = billing_subscription.of_module_NAME
  lifecycle { destroy = false }
}
moved {
  from = billing_account.pair_NAME["d-br"]
  to   = billing_account.moved_NAME
}
resource "billing_account" "moved_NAME" {
  customer_id = billing_customer.NAME["d"].id
  external_id = "NAME-moved"
}
`)},
	// The values that refer to an object are known; the order of the apply is kept.
	{name: "reactivated", before: strings.Replace(many, "STATUS", "suspended", 1),
		after: strings.Replace(many, "STATUS", "active", 1) + `
resource "billing_subscription" "NAME" {
  count              = 6
  billing_account_id = billing_account.NAME[count.index].id
  plan_id            = "` + gold + `"
}
`},
	{name: "tenant removed", before: subscribed("")},
	{name: "tainted", before: subscribed(""), after: subscribed(""),
		meanwhile: func(i *infrastructure, _ *world, name string) { i.run("taint", "billing_subscription."+name) }},
	{name: "imported", after: `
import {
  to = billing_customer.NAME
  id = "external_id=NAME"
}
resource "billing_customer" "NAME" {
  name        = "Imported"
  external_id = "NAME"
  notes       = "ours"
}
`, meanwhile: func(_ *infrastructure, w *world, name string) {
		w.send("", http.MethodPost, "/v1/customers", fields{"name": "Imported", "external_id": name})
	}},
	{name: "payer replaced", before: subscribed("") + strings.ReplaceAll(tenantBlocks, "NAME", "NAME_b"),
		after: strings.Replace(subscribed(""), "billing_account.NAME.id", "billing_account.NAME_b.id", 1) +
			strings.ReplaceAll(tenantBlocks, "NAME", "NAME_b")},
	{name: "created before destroyed", before: strings.Replace(subscribed(""), `"s-NAME"`, "null", 1),
		after: strings.Replace(subscribed("lifecycle { create_before_destroy = true }"), `"s-NAME"`, "null", 1),
		flags: []string{"-replace=billing_subscription.NAME"}},
	{name: "plan now", before: subscribed(""), after: subscribed(`plan_id = "` + silver + `"`)},
	{name: "plan later", before: subscribed(""),
		after: subscribed(`plan_id = "` + silver + "\"\nplan_change = { timing = \"end_of_period\" }")},
	{name: "discount", before: subscribed(""), after: subscribed("discount_percent = 12.5")},
	{name: "ends later", before: subscribed(""), after: subscribed("cancel_at_period_end = true")},
	{name: "by hand", before: subscribed(""), after: subscribed(`collection_method = "manual_invoice"`)},
	{name: "trial", after: subscribed("trial_period_days = 10")},
	{name: "suspended", before: subscribed(""),
		after: strings.Replace(strings.Replace(subscribed(""), "TENANT", tenantBlocks, 1), `"a-NAME"`,
			"\"a-NAME\"\n  status = \"suspended\"", 1)},
	{name: "of another provider", before: `resource "terraform_data" "NAME" { input = "one" }`, after: `
resource "terraform_data" "NAME" { input = "two" }
resource "billing_customer" "NAME" {
  name            = "N ${terraform_data.NAME.output}"
  external_id     = "NAME"
  custom_metadata = { from = terraform_data.NAME.id, x = terraform_data.NAME.output }
}
resource "billing_subscription" "NAME" {
  billing_account_id = billing_customer.NAME.billing_account_id
  plan_id            = "` + gold + `"
}
`},
	{name: "keys and endpoints", before: strings.ReplaceAll(hooks, `" {`, `_NAME" {`), after: strings.NewReplacer(`" {`,
		`_NAME" {`, `v = "1"`, `v = "2"`, "/billing", "/other").Replace(hooks)},
	{name: "records", before: `
resource "billing_finance_record" "NAME" {
  collection = "payables"
  body       = { name = "NAME", amount = "1.00" }
}
`, after: `TENANT
resource "billing_finance_record" "NAME" {
  collection = "payables"
  body       = { name = "NAME", amount = "2.00", account = billing_account.NAME.id }
}
`},
}

// configuration is the configuration of some parts, before or after.
func configuration(chosen []part, after bool, n uint64) string {
	text := acctest.Versions + fmt.Sprintf(`
provider "billing" {
  default_custom_metadata = { managed_by = "n-${%d}" }
}
`, n)
	for i, p := range chosen {
		of := p.before
		if after {
			of = p.after
		}
		text += strings.NewReplacer("TENANT", strings.ReplaceAll(tenantBlocks, "NAME", fmt.Sprint("p", i)), "NAME",
			fmt.Sprint("p", i)).Replace(of)
	}
	return text
}

// What a rehearsal of a plan says is what happens: the apply of the plan has the same requests, and later the invoices
// are as rehearsed.
func TestRehearsalOfPlans(t *testing.T) {
	acctest.Long(t)
	for n := range uint64(*plans) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			i := newInfrastructure(t)
			r := rand.New(rand.NewPCG(*seed+n, 61))
			chosen := make([]part, 7)
			for k := range chosen {
				chosen[k] = parts[(int(n)*len(chosen)+k)%len(parts)] //nolint:gosec // small
			}
			i.Write("infra/main.tf", configuration(chosen, false, 1))
			i.run("init", "-input=false")
			i.run("apply", "-auto-approve", "-input=false")
			i.service.Clock().Advance(time.Duration(r.IntN(70*24)) * time.Hour)
			w := &world{t: t, server: i.service, client: clientOf(i.service)}
			var flags, names []string
			for k, p := range chosen {
				name := fmt.Sprint("p", k)
				if p.meanwhile != nil {
					p.meanwhile(i, w, name)
				}
				for _, flag := range p.flags {
					flags = append(flags, strings.ReplaceAll(flag, "NAME", name))
				}
				names = append(names, p.name)
			}
			t.Logf("%q", names)
			i.Write("infra/main.tf", configuration(chosen, true, 1+n%2))
			i.run("init", "-input=false")
			file := i.plan(flags...)
			report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 90, File: file, Plan: i.read(file)})
			if err != nil {
				t.Fatal(err)
			}
			i.like(report, file)
			i.comesTrue(report)
		})
	}
}

// like checks that what a rehearsal has sent is what the apply of the plan really sends.
func (i *infrastructure) like(report *rehearsal.Report, file string) {
	i.t.Helper()
	if report.Result != rehearsal.Applied || report.NotRehearsed > 0 || len(report.Differs) > 0 {
		i.t.Fatalf("%s: %q %+v %q %q", report.Result, report.Differs, report.Refused, report.SecondPlan, report.LeftOut)
	}
	var rehearsed, really []string
	for _, s := range report.Sent {
		rehearsed = append(rehearsed, s.Operation)
	}
	before := len(i.service.Requests())
	i.run("apply", "-input=false", file)
	for _, q := range i.service.Requests()[before:] {
		if q.Method != http.MethodGet {
			really = append(really, q.Operation)
		}
	}
	slices.Sort(rehearsed)
	slices.Sort(really)
	if !slices.Equal(rehearsed, really) {
		i.t.Errorf("rehearsed %q, really sent %q", rehearsed, really)
	}
}

// comesTrue moves the clock of the service, and compares what it has invoiced with the report.
func (i *infrastructure) comesTrue(report *rehearsal.Report) {
	i.t.Helper()
	var document, text bytes.Buffer
	if err := report.Page().JSON(&document); err != nil {
		i.t.Fatal(err)
	}
	for range 90 {
		i.service.Clock().Advance(24 * time.Hour)
	}
	state, err := i.inFolder("show", "-json").Output()
	if err != nil {
		i.t.Fatal(err)
	}
	getenv := func(name string) string { return i.Env[name] }
	a, err := rehearsal.Compare(i.t.Context(), document.Bytes(), state, getenv, nil, func(string) {})
	if err != nil {
		i.t.Fatal(err)
	}
	if err := a.Page().Text(&text); err != nil {
		i.t.Fatal(err)
	}
	if strings.Contains(text.String(), "differs") || strings.Contains(text.String(), "changed since") || a.Code() == 3 {
		i.t.Error(text.String())
	}
	headline, _, _ := strings.Cut(text.String(), "\n")
	i.t.Log(headline)
}
