package provider_test

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	customer     = `resource "billing_customer" "test" { name = "A" }`
	organization = `data "billing_organization" "me" {}`
)

var run = acctest.Run

// saying is an error with these words, and with anything for "…", however Terraform breaks its lines.
func saying(words string) *regexp.Regexp { return acctest.Saying(words) }

// TestAccProvider_guards: a token of another environment or organization is rejected before anything is read or
// changed.
func TestAccProvider_guards(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the organization is made up")
	id := service.Sandbox.Organization().ID
	for name, c := range map[string]struct {
		guards []string
		refuse *regexp.Regexp
	}{
		"right environment": {[]string{`environment = "sandbox"`}, nil},
		"wrong environment": {[]string{`environment = "production"`},
			saying(`Wrong environment … allows production, but the token belongs to the environment "sandbox" of organization ` +
				id)},
		"right organization": {[]string{fmt.Sprintf(`allowed_organization_ids = ["other", %q]`, id)}, nil},
		"wrong organization": {[]string{`allowed_organization_ids = ["other", "another"]`},
			saying(`Wrong organization … belongs to organization ` + id + ` … only allows another, other`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.NeedsSandbox("the organization is made up")
			run(t, resource.TestStep{Config: service.Config(customer, c.guards...), ExpectError: c.refuse})
			operations := service.Operations()
			if !slices.Contains(operations, "me.get") {
				t.Errorf("the service was not asked whose token this is: %v", operations)
			}
			if c.refuse != nil && len(slices.DeleteFunc(operations, func(name string) bool { return name == "me.get" })) > 0 {
				t.Errorf("more than that was asked: %v", operations)
			}
		})
	}
}

// TestAccProvider_guardAsksOnce: the guards cost one request a run. Without guards only a run that creates something
// asks.
func TestAccProvider_guardAsksOnce(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("its requests are counted")
	id := service.Sandbox.Organization().ID
	both := fmt.Sprintf("  environment = \"sandbox\"\n  allowed_organization_ids = [%q]\n", id)
	for _, c := range []struct {
		guards string
		want   [3]int
	}{{"", [3]int{0, 1, 0}}, {both, [3]int{1, 1, 1}}} {
		terraform := newCommand(t, "provider \"billing\" {\n"+c.guards+"}\n"+customer+"\nresource \"billing_customer\" "+
			"\"two\" { name = \"B\" }\n").at(service)
		for i, args := range [][]string{{"plan", "-out=plan"}, {"apply", "plan"}, {"plan"}} {
			service.Sandbox.ResetRequests()
			terraform.must(args...)
			if n := service.Count("me.get"); n != c.want[i] {
				t.Errorf("terraform %v asked %d times whose token this is, want %d", args, n, c.want[i])
			}
		}
	}
}

// TestAccProvider_missingArguments: what is missing is named with its argument, its variable and who needs it.
func TestAccProvider_missingArguments(t *testing.T) {
	t.Parallel()
	const address, token = "BILLING_BASE_URL", "BILLING_TOKEN"
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		parts  []string
	}{
		"both": {organization, nil, []string{
			"Missing provider arguments base_url and token", "data.billing_organization needs them",
			address, token}},
		"resource": {customer, nil, []string{"Missing provider arguments base_url and token",
			"billing_customer needs them"}},
		"many": {"resource \"billing_customer\" \"test\" {\n  count = 5\n  name  = \"A\"\n}", nil,
			[]string{"Missing provider arguments base_url and token"}},
		"token": {customer, map[string]string{address: "https://localhost:1"},
			[]string{"Missing provider argument token", "billing_customer needs it", token}},
		"guard": {"provider \"billing\" { environment = \"sandbox\" }\n" + customer, nil,
			[]string{"Missing provider arguments base_url and token",
				"The guard (environment or allowed_organization_ids) needs them", address}},
		"guard by the way": {customer, map[string]string{"BILLING_ENVIRONMENT": "sandbox", address: "https://localhost:1"},
			[]string{"Missing provider argument token", "The guard"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := newCommand(t, c.config)
			for variable, value := range c.env {
				terraform.env[variable] = value
			}
			terraform.refused(c.parts, "plan")
			if out, _ := terraform.run("plan"); strings.Count(out, "Error: ") != 1 || strings.Contains(out, "similar warning") {
				t.Errorf("the plan has more than one error:\n%s", out)
			}
		})
	}
}

// TestAccProvider_nothingMissing: a configuration that uses no service needs neither address nor token.
func TestAccProvider_nothingMissing(t *testing.T) {
	t.Parallel()
	newCommand(t, "provider \"billing\" {}\nresource \"terraform_data\" \"x\" {}\n").must("apply", "-auto-approve")
}

// TestAccProvider_environmentVariables: everything can come from the environment, where it is checked like the
// arguments.
func TestAccProvider_environmentVariables(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the environment is the sandbox's")
	terraform := newCommand(t, "resource \"billing_customer\" \"test\" {\n  count = 2\n  name  = \"A\"\n}\n").at(service)
	terraform.env["BILLING_REQUESTS_PER_SECOND"] = "500"
	terraform.env["BILLING_REQUEST_TIMEOUT"] = "20s"
	terraform.env["BILLING_ENVIRONMENT"] = "sandbox"
	terraform.must("apply", "-auto-approve")
	if n := service.Count("customers.create"); n != 2 {
		t.Errorf("%d customers were created", n)
	}
	terraform.env["BILLING_MAX_RETRIES"] = "many"
	terraform.refused([]string{"Invalid provider argument max_retries", `"many" is not a whole number`, "BILLING_MAX_RETRIES"},
		"plan")
	delete(terraform.env, "BILLING_MAX_RETRIES")
	terraform.env["BILLING_TOKEN"] += "\n"
	terraform.refused([]string{"Invalid provider argument token", "line break", "BILLING_TOKEN",
		"with billing_customer.test"}, "plan")
	// Terraform asks for a provider block when the provider itself fails without one.
	if out, _ := terraform.run("plan"); strings.Contains(out, "requires explicit configuration") ||
		strings.Count(out, "Error: ") != 1 {
		t.Errorf("the plan has more than one error:\n%s", out)
	}
}

// TestAccImportWarnsOnce: the warning about keys that stay is in the plan, and the apply does not repeat it.
func TestAccImportWarnsOnce(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(erp string) string {
		return "resource \"billing_customer\" \"a\" {\n  name = \"A\"\n  external_id = \"once\"\n" +
			"  custom_metadata = { " + erp + " }\n}\n"
	}
	newCommand(t, config(`crm = { owner = "ana" }, erp = 1`)).at(service).must("apply", "-auto-approve")
	terraform := newCommand(t, config("erp = 2")+
		"import {\n  to = billing_customer.a\n  id = \"external_id=once\"\n}\n").at(service)
	out := terraform.must("apply", "-auto-approve")
	if n := strings.Count(out, "that the configuration does not name stay"); n != 1 ||
		strings.Contains(out, "similar warning") {
		t.Errorf("the apply warns %d times:\n%s", n, out)
	}
}

// TestAccProvider_revokedToken: one request, an error that says what to check, and no storm of retries.
func TestAccProvider_revokedToken(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the token is revoked")
	if err := service.Sandbox.RevokeToken(service.Token); err != nil {
		t.Fatal(err)
	}
	run(t, resource.TestStep{Config: service.Config(customer),
		ExpectError: saying("Could not create customer … rejected the token from the provider argument token … revoked or " +
			"expired … Status: 401 … Request-Id:")})
	if n := len(service.Operations()); n != 1 {
		t.Errorf("%d requests were sent, want 1: %v", n, service.Operations())
	}
}

// TestAccProvider_narrowScope: the error names what the token lacks and what it has.
func TestAccProvider_narrowScope(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a token is made")
	token, err := service.Sandbox.NewToken(sandbox.Token{Scopes: []string{"customers:read"}})
	if err != nil {
		t.Fatal(err)
	}
	service.Token = token
	run(t, resource.TestStep{Config: service.Config(customer),
		ExpectError: saying("it needs customers:write and has customers:read")})
}

// TestAccProvider_invalidArguments: what is wrong in the provider block is reported before anything is asked.
func TestAccProvider_invalidArguments(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	block := func(lines string) string { return "provider \"billing\" {\n" + lines + "\n}\n" + customer }
	for _, c := range []struct{ config, words string }{
		{block("base_url = \"http://localhost:1\"\ntoken = \"x\""),
			"Invalid provider argument base_url … must start with https://"},
		{service.Config(customer, `requests_per_second = 0`),
			"Invalid provider argument requests_per_second … above 0 and up to 1000"},
		{service.Config(customer, `request_timeout = "30"`), "Invalid provider argument request_timeout … such as 30s"},
		{service.Config(customer, `operations = { "customers.update" = "PUT /v1/customers" }`),
			`Invalid operation … {id} is missing from the path`},
		{service.Config(customer, `operations = { "customer.update" = "PUT /v1/customers/{id}" }`),
			`there is no operation of this name … "customers.update"`},
		{service.Config(customer, `default_custom_metadata = "x"`), "default_custom_metadata takes an object"},
		{service.Config(customer, `allowed_organization_ids = []`), "no organization could match"},
		{block("base_url = \"https://localhost:1\"\ntoken = \"x\"\nca_certificate_file = \"none.pem\""),
			"Invalid provider argument ca_certificate_file … none.pem … Check the path"},
	} {
		t.Run(c.words, func(t *testing.T) {
			t.Parallel()
			run(t, resource.TestStep{Config: c.config, PlanOnly: true, ExpectError: saying(c.words)})
		})
	}
}

// TestAccProvider_wrongCertificate: a service whose certificate nobody vouches for gets no token.
func TestAccProvider_wrongCertificate(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("it is seen what arrives")
	other := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	service.CAFile = filepath.Join(t.TempDir(), "other.pem")
	if err := os.WriteFile(service.CAFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, resource.TestStep{Config: service.Config(organization, "max_retries = 1"), PlanOnly: true,
		ExpectError: saying("Could not read the organization of the token … certificate")})
	if n := len(service.Operations()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// TestAccProvider_operations: a service with other paths is spoken to where the configuration says; a wrong path is an
// error that leads there, and the state keeps the object.
func TestAccProvider_operations(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a wrong path is used")
	renamed := `resource "billing_customer" "test" { name = "B" }`
	run(t,
		resource.TestStep{Config: service.Config(customer,
			`operations = { "customers.update" = "PATCH /v1/customers/{id}" }`)},
		resource.TestStep{Config: service.Config(renamed, `operations = { "customers.update" = "PATCH /v9/customers/{id}" }`),
			ExpectError: saying("Could not update customer … operations … customers.update (PATCH /v9/customers/{id}) … " +
				"Status: 404")},
		resource.TestStep{Config: service.Config(renamed),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("billing_customer.test", plancheck.ResourceActionUpdate)}}},
	)
}

// TestAccProvider_unknownConfiguration: an address that is only known after apply creates in one go; what exists
// already cannot be read without it, and the error says what to do.
func TestAccProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(note, block string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"way\" {\n  input = { address = %q, token = %q, note = %q }\n}\n",
			service.BaseURL, service.Token, note) +
			fmt.Sprintf("provider \"billing\" {\n  ca_certificate_file = %q\n%s\n}\n", service.CAFile, block) + customer
	}
	const way = "  base_url = terraform_data.way.output.address\n  token = terraform_data.way.output.token"
	for name, guard := range map[string]string{"plain": "", "guarded": "\n  environment = \"sandbox\""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t,
				resource.TestStep{Config: config("first", way+guard), ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("billing_customer.test", tfjsonpath.New("id"), knownvalue.NotNull())}},
				resource.TestStep{Config: config("second", way+guard),
					ExpectError: saying("The provider configuration is not known yet … billing_customer needs the service now … " +
						"-target")},
				resource.TestStep{Config: config("first", way+guard),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			)
		})
	}
}
