package provider_test

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const twoCustomers = "resource \"billing_customer\" \"test\" {\n  count = 2\n  name  = \"A\"\n}\n"

// TestAccProvider_missingArguments: what is missing is one error that names the arguments, their variables and who
// needs them. A configuration that uses no service needs none.
func TestAccProvider_missingArguments(t *testing.T) {
	t.Parallel()
	terraform := newCommand(t, twoCustomers)
	one := func(parts ...string) {
		t.Helper()
		out, err := terraform.run("plan")
		for _, part := range parts {
			if err == nil || !strings.Contains(out, part) {
				t.Errorf("%q is not in\n%s", part, out)
			}
		}
		if strings.Count(out, "Error: ") != 1 || strings.Contains(out, "similar warning") {
			t.Errorf("the plan has more than one error:\n%s", out)
		}
	}
	one("Missing provider arguments base_url and token", "billing_customer needs them", "BILLING_BASE_URL",
		"BILLING_TOKEN")
	terraform.env["BILLING_ENVIRONMENT"], terraform.env["BILLING_BASE_URL"] = "sandbox", "https://localhost:1"
	one("Missing provider argument token", "The guard (environment or allowed_organization_ids) needs it")
	newCommand(t, "provider \"billing\" {}\nresource \"terraform_data\" \"x\" {}\n").must("apply", "-auto-approve")
}

// TestAccProvider_environmentVariables: everything can come from the environment, where it is checked like the
// arguments.
func TestAccProvider_environmentVariables(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the environment is the sandbox's")
	terraform := newCommand(t, twoCustomers).at(service)
	terraform.env["BILLING_REQUESTS_PER_SECOND"] = "500"
	terraform.env["BILLING_REQUEST_TIMEOUT"] = "20s"
	terraform.env["BILLING_ENVIRONMENT"] = "sandbox"
	terraform.must("apply", "-auto-approve")
	if n := service.Count("customers.create"); n != 2 {
		t.Errorf("%d customers were created", n)
	}
	terraform.env["BILLING_TOKEN"] += "\n"
	out, err := terraform.run("plan")
	for _, part := range []string{"Invalid provider argument token", "line break", "BILLING_TOKEN",
		"with billing_customer.test"} {
		if err == nil || !strings.Contains(out, part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
	// Terraform asks for a provider block when the provider itself fails without one.
	if strings.Contains(out, "requires explicit configuration") || strings.Count(out, "Error: ") != 1 {
		t.Errorf("the plan has more than one error:\n%s", out)
	}
}

// TestAccProvider_unknownConfiguration: an address that is only known after apply creates in one go; what exists
// already cannot be read without it, and the error says what to do.
func TestAccProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := newCommand(t, fmt.Sprintf(`
variable "note" { default = "first" }
resource "terraform_data" "way" { input = { address = %q, token = %q, note = var.note } }
provider "billing" {
  ca_certificate_file = %q
  base_url            = terraform_data.way.output.address
  token               = terraform_data.way.output.token
  environment         = "sandbox"
}
`, service.BaseURL, service.Token, service.CAFile)+twoCustomers)
	terraform.must("apply", "-auto-approve")
	terraform.fails([]string{"The provider configuration is not known yet", "billing_customer needs the service now",
		"-target"}, "plan", "-var=note=second")
	terraform.must("plan", "-detailed-exitcode")
}

// TestAccFunctions_wholeNumbers: a fraction or a number beyond 64 bits is an error that names the parameter and the
// value, and never one of the provider.
func TestAccFunctions_wholeNumbers(t *testing.T) {
	t.Parallel()
	newCommand(t, `
output "n1" { value = provider::billing::verify_webhook_signature("s", "h", "b", 1, 1.5) }
output "n2" { value = provider::billing::webhook_signature("s", 99999999999999999999, "b") }
`).fails([]string{`"tolerance" parameter: 1.5 is not a whole number of seconds. Round it`,
		`"timestamp" parameter: 99999999999999999999 is too large. Write a whole number of seconds with at most 18 digits.`},
		"plan")
}

// TestToken: a token that may not do enough is an error that names what it lacks and what it has, and a service whose
// certificate nobody vouches for gets no token.
func TestToken(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("a token is made")
	narrow, other := *s, *s
	token, err := s.Sandbox.NewToken(sandbox.Token{Scopes: []string{"customers:read"}})
	if err != nil {
		t.Fatal(err)
	}
	narrow.Token = token
	workspace := narrow.Core()
	plan := workspace.Plan(core.Configuration{Blocks: []core.Block{{Address: "billing_customer.c",
		Values: acctest.JSON{"name": "A"}}}})
	acctest.Says(t, strings.Join(workspace.Apply(plan, false).Errors, "\n"),
		"needs the scope customers:write, and has customers:read")

	stranger := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	other.CAFile = filepath.Join(t.TempDir(), "other.pem")
	if err := os.WriteFile(other.CAFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: stranger.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Sandbox.ResetRequests()
	_, said := other.Core().Read("billing_organization", acctest.JSON{})
	acctest.Says(t, core.Errors(said), "Could not read the organization of the token", "certificate")
	if n := len(s.Operations()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// TestAccMessages: Terraform folds warnings with the same summary, so each object is in its summary. Each warning is
// printed once, in the plan or in the apply. That of a removal has the end of the current period, although Terraform
// plans a removal before it refreshes the object.
func TestAccMessages(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("responses are lost on purpose")
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "A", "external_id": "once",
		"custom_metadata": acctest.JSON{"crm": acctest.JSON{"owner": "ana"}, "erp": 1}})
	terraform := newCommand(t, `
variable "subscriptions" {
  type    = list(string)
  default = ["s"]
}
resource "billing_customer" "c" {
  count                  = 3
  name                   = "C"
  external_id            = "c-${count.index}"
  create_billing_account = false
}
resource "billing_account" "a" {
  count       = 3
  external_id = "a-${count.index}"
  customer_id = billing_customer.c[count.index].id
}
resource "billing_subscription" "s" {
  for_each           = toset(var.subscriptions)
  billing_account_id = billing_account.a[0].id
  plan_id            = "`+runningPlan+`"
  deletion_policy    = "cancel_at_period_end"
}
resource "billing_webhook_endpoint" "w" {
  for_each = toset(["a", "b"])
  url      = "https://${each.key}.example.com/"
  events   = ["charge.payed", "dispute.opened"]
}
resource "billing_customer" "imported" {
  name            = "A"
  external_id     = "once"
  custom_metadata = { erp = 2 }
}
import {
  to = billing_customer.imported
  id = "external_id=once"
}
`).at(service)
	for _, operation := range []string{"customers.create", "billing_accounts.create"} {
		service.Sandbox.AddFault(sandbox.Fault{Operation: operation, DropAfter: true, Times: 3})
	}
	out := terraform.must("apply", "-auto-approve")
	texts := []string{"Imported keys that are not configured are kept",
		`events of webhook endpoint "https://a.example.com": did you mean "charge.paid"?`,
		`events of webhook endpoint "https://b.example.com": did you mean "charge.paid"?`}
	for i := range 3 {
		for kind, code := range map[string]string{"customers": "c-", "billing-accounts": "a-"} {
			id := found(t, service, kind, code+strconv.Itoa(i))["id"].(string)
			texts = append(texts, "(id "+id+") instead of creating it twice")
		}
	}
	for _, text := range texts {
		if n := strings.Count(out, text); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	if strings.Contains(out, "similar warning") || t.Failed() {
		t.Errorf("the apply prints\n%s", out)
	}
	service.Sandbox.Clock().Advance(40 * day)
	out = terraform.must("plan", "-var=subscriptions=[]")
	_, after, found := strings.Cut(out, "is removed from the state now, and ends with its period (")
	moment, _, _ := strings.Cut(after, "). Until then")
	until, err := time.Parse(time.RFC3339, moment)
	if now := service.Sandbox.Clock().Now(); !found || err != nil || !until.After(now) {
		t.Errorf("on %s the plan says that the subscription runs until %q:\n%s", now, moment, out)
	}
}

// TestAccOrganization_saved: a plan that was made with the right token and is applied with another organization's
// destroys nothing, and takes nothing out of the state. The first of its errors says why, in one line each the others.
func TestAccOrganization_saved(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("it needs a token of another organization")
	token, other := service.OtherToken()
	terraform := newCommand(t, `
resource "billing_customer" "c" {
  count = 3
  name  = "C${count.index}"
}
resource "billing_subscription" "s" {
  count              = 3
  billing_account_id = billing_customer.c[count.index].billing_account_id
  plan_id            = "`+runningPlan+`"
}
`).at(service)
	terraform.must("apply", "-auto-approve")
	right, before := terraform.env["BILLING_TOKEN"], terraform.ids()
	for _, arguments := range [][]string{{"-destroy"}, {"-replace=billing_subscription.s[0]",
		"-replace=billing_subscription.s[1]", "-replace=billing_subscription.s[2]"}} {
		terraform.env["BILLING_TOKEN"] = right
		terraform.must(append([]string{"plan", "-out=saved"}, arguments...)...)
		terraform.env["BILLING_TOKEN"] = token
		service.Sandbox.ResetRequests()
		out, err := terraform.run("apply", "saved")
		if want := "Error: The token belongs to organization " + other + ", but this state to organization "; err == nil ||
			strings.Count(out, want) != 1 {
			t.Errorf("%v: want one error with %q:\n%s", arguments, want, out)
		}
		short := strings.Count(out, "Another error of this run has the same cause")
		if n := strings.Count(out, "Error: "); n != 3 || n-1 != short {
			t.Errorf("%v: want each other error in one line:\n%s", arguments, out)
		}
		if names := wrote(service); len(names) > 0 || strings.Contains(out, "complete after") {
			t.Errorf("%v has sent %v:\n%s", arguments, names, out)
		}
	}
	if now := terraform.ids(); !maps.Equal(now, before) {
		t.Errorf("the state has %v, and had %v", now, before)
	}
}

// TestAccBulkRefresh: objects of every type come from their lists, and are what they were when each was read.
func TestAccBulkRefresh(t *testing.T) {
	t.Parallel()
	const n = 12
	service := acctest.Start(t, acctest.Receiving(acctest.NewReceiver(t)), func(o *sandbox.Options) { o.MaxPerPage = 100 })
	service.NeedsSandbox("its clock is moved")
	terraform := newCommand(t, `
resource "billing_customer" "c" {
  count                  = 12
  name                   = "C${count.index}"
  document_number        = count.index == 0 ? "52998224725" : null
  emails                 = [{ value = "c${count.index}@example.com" }]
  custom_metadata        = { n = count.index }
  create_billing_account = false
}
resource "billing_account" "a" {
  count       = 12
  customer_id = billing_customer.c[count.index].id
  status      = count.index == 1 ? "suspended" : "active"
}
resource "billing_subscription" "s" {
  count              = 12
  billing_account_id = billing_account.a[count.index == 1 ? 0 : count.index].id
  plan_id            = count.index % 2 == 0 ? "`+runningPlan+`" : null
  items              = count.index % 2 == 0 ? null : [{ product_id = "`+runningPlan+`", price_id = "`+runningPlan+`" }]
  pause              = count.index == 2 ? {} : null
}
resource "billing_webhook_endpoint" "w" {
  count          = 12
  url            = "https://receiver.example.test/${count.index}"
  authentication = count.index != 3 ? null : {
    type = "basic", username = "u", password_wo = "p", credentials_wo_version = 1
  }
}
resource "billing_api_key" "k" {
  count  = 12
  name   = "k${count.index}"
  scopes = ["webhook_endpoints:read"]
}
`).at(service)
	terraform.must("apply", "-auto-approve")
	// Right after the writes reads may lag, so each object is read by its id. A page may be asked for before the first
	// response shows the time of the service.
	families := []string{"customers", "billing_accounts", "subscriptions", "webhook_endpoints", "api_keys"}
	service.Sandbox.ResetRequests()
	terraform.must("plan", "-detailed-exitcode")
	for _, family := range families {
		if lists, singles := service.Count(family+".list"), service.Count(family+".get"); singles < n || lists > 1 {
			t.Errorf("%s: %d pages and %d single reads right after the apply", family, lists, singles)
		}
	}
	service.Sandbox.Clock().Advance(time.Hour)
	refreshed := func(bulk string) []acctest.Instance {
		t.Helper()
		service.Sandbox.ResetRequests()
		terraform.env["BILLING_BULK_REFRESH"] = bulk
		terraform.must("apply", "-refresh-only", "-auto-approve")
		return terraform.State()
	}
	single, listed := refreshed("false"), refreshed("true") // with either default of the suite
	for i, object := range single {
		if !reflect.DeepEqual(object, listed[i]) {
			t.Errorf("%s read by its id:\n%v\nand from the list:\n%v", object.Address, object, listed[i])
		}
	}
	for _, family := range families {
		if lists, singles := service.Count(family+".list"), service.Count(family+".get"); lists != 1 || singles != 4 {
			t.Errorf("%s: %d pages and %d single reads", family, lists, singles)
		}
	}
}

// TestAccKilled_parent: the provider does not outlive the process that has started it.
func TestAccKilled_parent(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1")
	}
	dir, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), "sh", "-c", `"$0" & echo $!; wait`,
		filepath.Join(dir, "terraform-provider-billing"))
	parent.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	// The provider has the pipe too, so that it ends with the last of both.
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	number, _ := lines.ReadString('\n')
	handshake, _ := lines.ReadString('\n')
	if strings.Contains(number, "|") { // the child was first
		number, handshake = handshake, number
	}
	id, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(handshake, "1|6|") {
		t.Errorf("the provider does not serve: %q", handshake)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	outlived := time.AfterFunc(time.Minute, func() { _ = child.Kill() })
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if !outlived.Stop() {
		t.Error("the provider still ran a minute after its parent was killed")
	}
	_ = parent.Wait()
}
