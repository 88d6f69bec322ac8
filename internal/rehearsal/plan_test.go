package rehearsal_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const required = `
terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

// tenants refers to objects in the ways that configurations do: chained for_each, computed keys, pairs, locals over
// resources, modules with and without keys, functions and templates.
const tenants = required + `
variable "tenants" {
  type    = list(string)
  default = ["a", "b", "c"]
}
variable "unset" { default = null }
provider "billing" {
  default_custom_metadata = { managed_by = "terraform-${length(var.tenants)}" }
}
locals {
  pairs    = { for p in setproduct(var.tenants, ["br", "pt"]) : "${p[0]}-${p[1]}" => { tenant = p[0], region = p[1] } }
  accounts = { for key, account in billing_account.each : key => account.id }
}
resource "billing_customer" "each" {
  for_each               = toset(var.tenants)
  name                   = "Tenant ${each.key}"
  external_id            = "t-${each.key}"
  notes                  = var.unset
  create_billing_account = false
}
resource "billing_account" "each" {
  for_each      = billing_customer.each
  customer_id   = each.value.id
  external_id   = "acc-${each.value.external_id}"
  billing_email = var.unset
}
resource "billing_account" "pair" {
  for_each    = local.pairs
  customer_id = billing_customer.each[each.value.tenant].id
  external_id = "pair-${each.key}"
}
resource "billing_subscription" "each" {
  for_each           = local.accounts
  billing_account_id = coalesce(var.unset, each.value)
  external_id        = "s-${each.key}"
  plan_id            = "11111111-1111-4111-8111-111111111111"
  custom_metadata    = { account = each.value, label = "acc ${each.value}", customer = upper(each.key) }
}
module "team" {
  for_each = toset(var.tenants)
  source   = "../modules/team"
  name     = "team-${each.key}"
  plan     = "22222222-2222-4222-8222-222222222222"
  payer    = billing_account.each[each.key].id
}
resource "billing_subscription" "of_module" {
  billing_account_id = module.team[var.tenants[0]].account
  external_id        = "of-module"
  plan_id            = "11111111-1111-4111-8111-111111111111"
}
`

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

// Every reference of a configuration is evaluated, and the order of an apply is kept: the rehearsal sends what the
// apply sends, for a new organization and for changes of all kinds.
func TestRehearsalOfReferences(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", tenants)
	i.run("init", "-input=false")
	for _, step := range []struct {
		name, more string
		arguments  []string
	}{
		{"created", "", nil},
		{"tenants come and go", "", []string{"-var=tenants=[\"b\",\"d\",\"e\"]"}},
		{"replaced by request", "", []string{"-var=tenants=[\"b\",\"d\",\"e\"]", "-replace=billing_account.each[\"d\"]"}},
		{"forgotten and moved", `
removed {
  from = billing_subscription.of_module
  lifecycle { destroy = false }
}
moved {
  from = billing_account.pair["d-br"]
  to   = billing_account.moved
}
resource "billing_account" "moved" {
  customer_id = billing_customer.each["d"].id
  external_id = "moved"
}
`, []string{"-var=tenants=[\"b\",\"d\",\"e\"]"}},
	} {
		text := tenants
		if step.more != "" {
			before, _, _ := strings.Cut(tenants, `resource "billing_subscription" "of_module"`)
			text = before + step.more
			text = strings.Replace(text, `"${p[0]}-${p[1]}" => { tenant = p[0], region = p[1] } }`,
				`"${p[0]}-${p[1]}" => { tenant = p[0], region = p[1] } if "${p[0]}-${p[1]}" != "d-br" }`, 1)
		}
		i.Write("infra/main.tf", text)
		file := i.plan(step.arguments...)
		report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, File: file, Plan: i.read(file)})
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		i.t.Log(step.name, report.Plan)
		i.like(report, file)
	}
}

// The JSON of a plan has only the references: an id of one object is found.
func TestRehearsalOfJSON(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", teams(2, nil))
	i.run("init", "-input=false")
	file := i.plan()
	command := i.Command("show", "-json", file)
	command.Dir = i.folder
	document, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Plan: document})
	if err != nil {
		t.Fatal(err)
	}
	// coalesce(…) is not the whole argument.
	if report.NotRehearsed != 2 || len(report.Sent) != 4 || report.Result != rehearsal.Applied {
		t.Errorf("%d %q %+v", report.NotRehearsed, report.LeftOut, report.Sent)
	}
	for name, c := range map[string]struct {
		document, want string
	}{
		"something follows": {string(document) + "{}", "something follows the JSON of the plan"},
		"errored":           {strings.Replace(string(document), `"errored":false`, `"errored":true`, 1), "the plan has failed"},
		"not complete":      {strings.Replace(string(document), `"complete":true`, `"complete":false`, 1), "not complete"},
		"deferred":          {strings.Replace(string(document), `"complete":true`, `"complete":true,"deferred_changes":[{}]`, 1), "defers changes"},
		"a state":           {`{"format_version":"1.0","values":{}}`, "this is the JSON of a state"},
		"newer":             {strings.Replace(string(document), `"format_version":"1.2"`, `"format_version":"2.0"`, 1), "not the JSON of a plan"},
		"no plan":           {"terraform", "neither a saved plan nor the JSON of one"},
		"another provider": {strings.ReplaceAll(string(document), "recurring-billing/billing", "acme/billing"),
			"name it with --provider-source"},
	} {
		if _, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Plan: []byte(c.document)}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	acme := []byte(strings.ReplaceAll(string(document), "registry.terraform.io/recurring-billing/billing",
		"registry.example.com/acme/pay"))
	mirrored, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Plan: acme,
		Source: "registry.example.com/acme/pay"})
	if err != nil || len(mirrored.Sent) != 4 {
		t.Errorf("%+v, %v", mirrored, err)
	}
}

// What a plan knows only after the apply is a placeholder where it is a text, and leaves out what it decides.
func TestRehearsalOfUnknown(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", required+`
resource "terraform_data" "x" { input = "plan" }
resource "billing_customer" "named" {
  name            = terraform_data.x.output
  custom_metadata = { x = terraform_data.x.output, y = 1 }
  emails          = [{ value = terraform_data.x.output }]
}
resource "billing_subscription" "decides" {
  billing_account_id = billing_customer.named.billing_account_id
  plan_id            = terraform_data.x.output
}
resource "billing_webhook_endpoint" "hook" {
  url            = "https://${terraform_data.x.output}.example.com/${upper(billing_customer.named.id)}"
  authentication = { type = "basic", username = "u", password_wo = "secret-password" }
}
resource "billing_finance_record" "refers" {
  collection = "payables"
  body       = { name = "x", amount = "1.00", subscription = billing_subscription.decides.id }
}
`)
	i.run("init", "-input=false")
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1})
	if err != nil {
		t.Fatal(err)
	}
	left := strings.Join(report.LeftOut, "\n")
	for _, want := range []string{
		"Not rehearsed: billing_subscription.decides, because plan_id is known only after apply.",
		"Not rehearsed: billing_finance_record.refers, because it refers to billing_subscription.decides.",
		"Known only after apply: billing_customer.named.name.", "Known only after apply: billing_customer.named.custom_metadata.",
		"Known only after apply: billing_customer.named.emails.", "Known only after apply: billing_webhook_endpoint.hook.url."} {
		if !strings.Contains(left, want) {
			t.Errorf("%q is not in\n%s", want, left)
		}
	}
	if report.NotRehearsed != 2 || len(report.Sent) != 2 || report.Result != rehearsal.Applied {
		t.Errorf("%s %d %+v %+v", report.Result, report.NotRehearsed, report.Sent, report.Refused)
	}
	if text := written(t, report); strings.Contains(text, "not-known-") || strings.Contains(text, "billing_customer.r") ||
		!strings.HasPrefix(text, "2 of 4 billing changes are not rehearsed") {
		t.Error(text)
	}
}

func written(t *testing.T, report *rehearsal.Report) string {
	t.Helper()
	var out bytes.Buffer
	for _, write := range []error{report.Page().Text(&out), report.Page().Markdown(&out), report.Page().JSON(&out)} {
		if write != nil {
			t.Fatal(write)
		}
	}
	return out.String()
}

// Nothing sensitive is in a report, in any format, also where the service or the provider repeats it.
func TestRehearsalOfSecrets(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", required+`
variable "s" {
  default   = "QUITE-SECRET"
  sensitive = true
}
resource "billing_customer" "c" {
  name        = "C ${var.s}"
  external_id = var.s
}
resource "billing_webhook_endpoint" "w" {
  url = "https://hooks.example.com/${var.s}"
}
resource "billing_api_key" "k" { name = var.s }
resource "billing_subscription" "s" {
  billing_account_id = billing_customer.c.billing_account_id
  external_id        = "s-${var.s}"
  plan_id            = "11111111-1111-4111-8111-111111111111"
}
`)
	i.run("init", "-input=false")
	w := &world{t: t, server: i.service, client: clientOf(i.service)}
	w.send("", "POST", "/v1/customers", fields{"name": "Other", "external_id": "QUITE-SECRET"})
	for _, taken := range []bool{true, false} {
		report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 40})
		if err != nil || (report.Result == rehearsal.Refused) != taken {
			t.Fatalf("%+v, %v", report, err)
		}
		if text := written(t, report); strings.Contains(text, "SECRET") || !strings.Contains(text, "(sensitive)") {
			t.Error(text)
		}
		i.Write("infra/terraform.tfvars", "s = \"OTHER-SECRET\"\n")
	}
}

// Nothing of the user is touched or run: no other provider, provisioner, backend or file, whatever it is called, and
// no variable reaches the runs.
func TestRehearsalTouchesNothing(t *testing.T) {
	i := newInfrastructure(t)
	trap := filepath.Join(t.TempDir(), "trap")
	i.Write("infra/main.tf", required+`
resource "billing_customer" "c" {
  name = "C"
  provisioner "local-exec" { command = "touch `+trap+`" }
}
resource "terraform_data" "t" {
  input = billing_customer.c.id
  provisioner "local-exec" { command = "touch `+trap+`" }
}
data "billing_customers" "all" { depends_on = [billing_customer.c] }
output "count" { value = length(data.billing_customers.all.customers) }
`)
	for _, name := range []string{"rehearsal.tfplan", "first.tfplan", "second.tfplan", "billing-rehearsal-x.auto.tfvars",
		"main.tf.json.bak", "given.tfplan"} {
		i.Write("infra/"+name, "")
	}
	i.run("init", "-input=false")
	logs := filepath.Join(t.TempDir(), "log")
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Environ: []string{"TF_LOG=TRACE",
		"TF_LOG_PATH=" + logs, "TF_LOG_SDK_PROTO_DATA_DIR=" + logs, "TF_CLI_ARGS_apply=-destroy", "TF_CLI_ARGS=-help", "TF_WORKSPACE=nope",
		"TF_VAR_x=y", "BILLING_ENVIRONMENT=production"}})
	if err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, name := range []string{trap, logs, filepath.Join(i.folder, "terraform.tfstate.d")} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s exists", name)
		}
	}
	target := i.read(i.plan("-target=billing_customer.c"))
	if _, err := i.rehearse(t.Context(), rehearsal.Options{Plan: target}); err == nil ||
		!strings.Contains(err.Error(), "made with -target") {
		t.Error(err)
	}
	i.Write("infra/main.tf", required)
	if report, err := i.rehearse(t.Context(), rehearsal.Options{}); err != nil || report.Result != rehearsal.Nothing ||
		!strings.HasPrefix(written(t, report), "Nothing to rehearse\n") {
		t.Errorf("%+v, %v", report, err)
	}
	for program, want := range map[string]string{"no-terraform": "there is no program no-terraform",
		"/no/terraform": "there is no program /no/terraform"} {
		if _, err := i.rehearse(t.Context(), rehearsal.Options{Program: program}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	other, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 99, CAFile: filepath.Join(t.TempDir(), "ca.pem")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	i.Write("infra/main.tf", required+"resource \"billing_customer\" \"c\" { name = \"C\" }\n")
	i.run("apply", "-auto-approve", "-input=false")
	i.Write("infra/main.tf", required)
	file := i.plan()
	i.Env = other.Env()
	if _, err := i.rehearse(t.Context(), rehearsal.Options{File: file, Plan: i.read(file)}); err == nil ||
		!strings.Contains(err.Error(), "the plan is of organization") {
		t.Error(err)
	}
}

// The order of an apply is kept where the values that refer to an object are known: suspended accounts that become
// active accept a new subscription each. A tainted object and one that is imported are as in the plan.
func TestRehearsalKeepsOrder(t *testing.T) {
	i := newInfrastructure(t)
	main := func(status, more string) {
		i.Write("infra/main.tf", required+`
locals { keys = toset(["a", "b", "c", "d", "e", "f"]) }
resource "billing_customer" "c" {
  for_each               = local.keys
  name                   = each.key
  create_billing_account = false
}
resource "billing_customer" "t" { name = "Tainted" }
resource "billing_account" "a" {
  for_each    = local.keys
  customer_id = billing_customer.c[each.key].id
  status      = "`+status+`"
}
`+more)
	}
	main("suspended", "")
	i.run("init", "-input=false")
	i.run("apply", "-auto-approve", "-input=false")
	w := &world{t: t, server: i.service, client: clientOf(i.service)}
	w.send("", "POST", "/v1/customers", fields{"name": "Imported", "external_id": "imported"})
	i.run("taint", "billing_customer.t")
	main("active", `
resource "billing_subscription" "s" {
  for_each           = local.keys
  billing_account_id = billing_account.a[each.key].id
  plan_id            = "11111111-1111-4111-8111-111111111111"
}
import {
  to = billing_customer.imported
  id = "external_id=imported"
}
resource "billing_customer" "imported" {
  name        = "Imported"
  external_id = "imported"
  notes       = "ours"
}
`)
	file := i.plan()
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, File: file, Plan: i.read(file)})
	if err != nil {
		t.Fatal(err)
	}
	i.like(report, file)
}
