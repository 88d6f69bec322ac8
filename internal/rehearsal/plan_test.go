package rehearsal_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The JSON of a plan has only the references: an id of one object is found, and the default keys of custom_metadata in
// what is planned.
func TestRehearsalOfJSON(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", teams(2, nil)+`
variable "who" { default = "$${terraform}" }
provider "billing" {
  default_custom_metadata = { managed_by = var.who }
}
variable "named" { default = { one = null } }
locals { owned = { one = module.team_0.account } }
resource "billing_customer" "named" {
  for_each      = var.named
  name          = "named"
  billing_email = each.value
}
resource "billing_subscription" "owned" {
  for_each           = local.owned
  billing_account_id = each.value
  plan_id            = "`+gold+`"
}
`)
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
	// coalesce(…) is not the whole argument, and what a local is nobody says. A variable is known: it is null.
	if report.NotRehearsed != 3 || len(report.Sent) != 5 ||
		strings.Contains(fmt.Sprint(report.LeftOut), "billing_email") || report.Result != rehearsal.Applied {
		t.Errorf("%d %q %+v", report.NotRehearsed, report.LeftOut, report.Sent)
	}
	for _, s := range report.Sent {
		if !slices.Contains(s.Arguments, "custom_metadata") ||
			strings.Contains(strings.Join(report.LeftOut, ""), "carried over") {
			t.Errorf("%+v %q", s, report.LeftOut)
		}
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
	if err != nil || len(mirrored.Sent) != 5 {
		t.Errorf("%+v, %v", mirrored, err)
	}
}

// What a plan knows only after the apply is a placeholder where it is a text, and leaves out what it decides.
func TestRehearsalOfUnknown(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", acctest.Versions+`
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
		"Known only after apply: billing_customer.named.name.", "Known only after apply: billing_customer.named.custom_metadata.x.",
		"Known only after apply: billing_customer.named.emails[0].value.", "Known only after apply: billing_webhook_endpoint.hook.url."} {
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
	i.Write("infra/main.tf", acctest.Versions+`
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

// Nothing of the user is touched or run: no other provider, provisioner, data source, backend or file, whatever it is
// called, and no variable reaches the runs.
func TestRehearsalTouchesNothing(t *testing.T) {
	i := newInfrastructure(t)
	other, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 99, CAFile: filepath.Join(t.TempDir(), "ca.pem")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	requests, state := 0, []byte(nil)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; r.Method == http.MethodPost {
			state, _ = io.ReadAll(r.Body)
		} else if _, err := w.Write(state); err != nil {
			t.Error(err)
		}
	}))
	defer backend.Close()
	trap := filepath.Join(t.TempDir(), "trap")
	env := other.Env()
	main := func(n int) {
		i.Write("infra/main.tf", fmt.Sprintf(`
terraform {
  backend "http" { address = %q }
  required_providers {
    billing = { source = "recurring-billing/billing" }
    acme    = { source = "acme/billing" }
  }
}
provider "acme" {
  base_url     = %q
  token        = %q
  ca_certificate_file = %q
}
resource "billing_customer" "acme" {
  provider = acme
  name     = "n-%[5]d"
}
data "billing_customer" "acme" {
  provider = acme
  id       = billing_customer.acme.id
}
resource "billing_customer" "c" {
  name = "C %[5]d"
  provisioner "local-exec" { command = "touch %[6]s" }
}
resource "terraform_data" "t" {
  input = "%[5]d ${billing_customer.c.id}"
  provisioner "local-exec" { command = "true || touch %[6]s" }
}
data "billing_customers" "all" { depends_on = [billing_customer.c] }
output "count" { value = length(data.billing_customers.all.customers) }
`, backend.URL, env["BILLING_BASE_URL"], env["BILLING_TOKEN"], env["BILLING_CA_CERTIFICATE_FILE"], n, trap))
	}
	main(1)
	for _, name := range []string{"rehearsal.tfplan", "first.tfplan", "second.tfplan", "billing-rehearsal-x.auto.tfvars",
		"main.tf.json.bak", "given.tfplan"} {
		i.Write("infra/"+name, "")
	}
	i.run("init", "-input=false")
	i.run("apply", "-auto-approve", "-input=false", "-target=billing_customer.acme")
	main(2)
	file := i.plan()
	before, asked := len(other.Requests()), requests
	logs := filepath.Join(t.TempDir(), "log")
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, File: file, Plan: i.read(file), Environ: []string{
		"TF_LOG=TRACE",
		"TF_LOG_PATH=" + logs, "TF_LOG_SDK_PROTO_DATA_DIR=" + logs, "TF_CLI_ARGS_apply=-destroy", "TF_CLI_ARGS=-help", "TF_WORKSPACE=nope",
		"TF_VAR_x=y", "BILLING_ENVIRONMENT=production"}})
	if err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	if n := len(other.Requests()); n != before || requests != asked {
		t.Errorf("the other provider sent %d requests, and the backend got %d", n-before, requests-asked)
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
	i.Write("infra/main.tf", acctest.Versions)
	if err := os.RemoveAll(filepath.Join(i.folder, ".terraform")); err != nil {
		t.Fatal(err)
	}
	i.run("init", "-input=false")
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
	i.Write("infra/main.tf", acctest.Versions+"resource \"billing_customer\" \"c\" { name = \"C\" }\n")
	i.run("apply", "-auto-approve", "-input=false")
	i.Write("infra/main.tf", acctest.Versions)
	file = i.plan()
	i.Env = other.Env()
	if _, err := i.rehearse(t.Context(), rehearsal.Options{File: file, Plan: i.read(file)}); err == nil ||
		!strings.Contains(err.Error(), "the plan is of organization") {
		t.Error(err)
	}
}
