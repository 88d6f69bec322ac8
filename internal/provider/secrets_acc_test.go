package provider_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccProvider_secretsStayOut: neither the log at its most talkative, nor the plan as JSON, nor the state, nor what
// is printed holds a token, in a run that creates, reads, changes, fails and destroys.
func TestAccProvider_secretsStayOut(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("its tokens are known to the test")
	terraform := newCommand(t, secretsConfig("A")).at(service)
	terraform.env["TF_LOG"], terraform.env["TF_LOG_PATH"] = "TRACE", "trace.log"
	secrets := map[string]string{}
	// Of a JWT, the signature alone is what nobody else may have.
	secrets["signature"] = terraform.env["BILLING_FINANCE_TOKEN"][strings.LastIndex(terraform.env["BILLING_FINANCE_TOKEN"],
		".")+1:]
	for _, variable := range []string{"BILLING_TOKEN", "BILLING_FINANCE_TOKEN", "BILLING_COLLECTIONS_API_KEY"} {
		secrets[variable] = terraform.env[variable]
	}

	service.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.create", Times: 1, DropAfter: true})
	service.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.update", Times: 1, Status: 503})
	var printed []string
	step := func(args ...string) { printed = append(printed, terraform.must(args...)) }
	step("plan", "-out=plan")
	step("show", "-json", "plan")
	step("apply", "plan")
	terraform.write("main.tf", required+secretsConfig("B"))
	service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.update", Times: 1, Status: 503})
	step("plan", "-out=plan")
	step("show", "-json", "plan")
	step("apply", "plan")
	printed = append(printed, terraform.read("terraform.tfstate"))
	service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.delete", Times: 1, Status: 409})
	out, err := terraform.run("destroy", "-auto-approve")
	if err == nil {
		t.Error("the destroy that was to fail did not")
	}
	printed = append(printed, out)
	step("destroy", "-auto-approve")

	log := terraform.read("trace.log")
	// A log that holds nothing would pass.
	for _, line := range []string{"Sending request", "Received response", "Request body", "Response body",
		"Waiting before the next attempt", "/v1/customers", "customers.delete", "finance.accounts.list",
		"finance.records.update", `\"name\":\"B\"`} {
		if !strings.Contains(log, line) {
			t.Errorf("the log has no %q", line)
		}
	}
	printed = append(printed, log, terraform.read("terraform.tfstate"), terraform.read("terraform.tfstate.backup"))
	for variable, secret := range secrets {
		if secret == "" {
			t.Errorf("%s is not set", variable)
		}
		for i, text := range printed {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s stands in output %d: …%s…", variable, i, text[max(0, at-200):at])
			}
		}
	}
}

func secretsConfig(name string) string {
	return `
resource "billing_customer" "test" {
  external_id     = "secrets-1"
  name            = "` + name + `"
  email           = "a@example.com"
  custom_metadata = { team = "growth" }
}

resource "billing_finance_record" "test" {
  collection = "payables"
  body       = { name = "` + name + `", amount = "10.50" }
}

data "billing_finance_accounts" "all" {
  limit = 3
}

data "billing_organization" "me" {}

output "organization" {
  value = data.billing_organization.me.name
}
`
}
