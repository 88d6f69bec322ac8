package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// everything is a customer with every attribute, some of them as no configuration would be accepted to create them.
var everything = acctest.JSON{
	"external_id": "full", "name": "Flip", "nickname": "F", "legal_name": "Flip Ltda", "document_number": "1234567890",
	"kind": "juridical", "birthday": "1990-12-31", "notes": "n", "emails": []any{acctest.JSON{"value": "a@example.com"},
		acctest.JSON{"kind": "work", "value": "b@example.com"}},
	"phones":    []any{acctest.JSON{"kind": "home", "value": "+55 11 1"}},
	"websites":  []any{acctest.JSON{"value": "example.com"}},
	"addresses": []any{acctest.JSON{"street": "Rua A", "country": "br"}, acctest.JSON{"kind": "billing", "city": ""}},
	"tags":      []any{"vip", "", " "}, "custom_metadata": acctest.JSON{"a": acctest.JSON{"b": nil}},
	"payment_terms_days": 0,
}

// generated starts with customers and accounts that have every attribute, and no attribute, and has Terraform write
// their configuration.
func generated(t *testing.T) (*acctest.Service, *command) {
	t.Helper()
	service := acctest.Start(t)
	service.NeedsSandbox("it has to be empty")
	full := service.Must("POST", "/v1/customers", everything)
	bare := service.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Bare", "create_billing_account": false})["customer"].(acctest.JSON)["id"]
	account := full["billing_account"].(acctest.JSON)["id"]
	service.Must("PATCH", fmt.Sprintf("/v1/billing-accounts/%s", account),
		acctest.JSON{"external_id": "full", "custom_metadata": acctest.JSON{"k": 1}})
	service.Must("POST", fmt.Sprintf("/v1/billing-accounts/%s/suspend", account), acctest.JSON{})
	empty := service.Must("POST", "/v1/billing-accounts", acctest.JSON{"customer": acctest.JSON{"id": bare}})["id"]
	terraform := newCommand(t, "").at(service)
	for address, id := range map[string]any{"billing_customer.full": full["customer"].(acctest.JSON)["id"],
		"billing_customer.bare": bare,
		"billing_account.full":  account, "billing_account.bare": empty} {
		terraform.write(strings.ReplaceAll(address, ".", "_")+"_import.tf",
			fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, id))
	}
	imports := map[string]string{"billing_customer.full": "import", "billing_customer.bare": "import",
		"billing_account.full": "import", "billing_account.bare": "import"}
	if planned := terraform.plans("-generate-config-out=generated.tf"); !maps.Equal(planned, imports) {
		t.Fatalf("the plan is to do %v\n%s", planned, terraform.read("generated.tf"))
	}
	service.Sandbox.ResetRequests()
	terraform.must("apply", "plan")
	if names := wrote(service); len(names) > 0 {
		t.Errorf("the import has sent %v", names)
	}
	terraform.settled()
	return service, terraform
}

// TestAccGenerated_isComplete: configuration that Terraform writes for what exists plans nothing, on the first try. The
// account repeats what is its customer's and does not set it, so that every later change of the customer takes one
// apply.
func TestAccGenerated_isComplete(t *testing.T) {
	t.Parallel()
	_, terraform := generated(t)
	for _, change := range [][2]string{
		{`"Flip"`, `"Flip Renamed"`},
		{`"a@example.com"`, `"new@example.com"`},
		{`"+55 11 1"`, `"+55 11 2"`},
		{`"Rua A"`, `"Rua B"`},
	} {
		config := terraform.read("generated.tf")
		start := strings.Index(config, `resource "billing_customer" "full"`)
		terraform.write("generated.tf", config[:start]+strings.ReplaceAll(config[start:], change[0], change[1]))
		terraform.must("apply", "-auto-approve")
		terraform.must("plan", "-detailed-exitcode")
	}
	config := terraform.read("generated.tf")
	// A change to what the service would not be asked for is rejected; what is left alone is not.
	for _, wrong := range [][2]string{{`"1234567890"`, `"123456789"`}, {`"vip"`, `"\t"`}} {
		terraform.write("generated.tf", strings.Replace(config, wrong[0], wrong[1], 1))
		terraform.refused([]string{"billing_customer.full"}, "plan")
	}
	terms := regexp.MustCompile(`(?s)(resource "billing_account" "full" \{.*?payment_terms_days\s+= )0`)
	terraform.write("generated.tf", terms.ReplaceAllString(config, "${1}91"))
	terraform.refused([]string{"must be between 1 and 90"}, "plan")
}

// TestAccGenerated_empty: what modules write for nothing means the same as nothing.
func TestAccGenerated_empty(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	id := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Bare"})["customer"].(acctest.JSON)["id"]
	_, response := service.Call("GET", "/v1/billing-accounts?customer_id="+id.(string), nil)
	account := response["data"].([]any)[0].(acctest.JSON)["id"]
	imports := fmt.Sprintf("import {\n  to = billing_customer.bare\n  id = %q\n}\nimport {\n  to = "+
		"billing_account.bare\n  id = %q\n}\n", id, account)
	config := func(lines, inline string) string {
		return imports + "resource \"billing_customer\" \"bare\" {\n  name = \"Bare\"\n" + lines +
			"}\nresource \"billing_account\" \"bare\" {\n  customer_id = billing_customer.bare.id" +
			inline + "\n}\n"
	}
	const empty = "  tags = []\n  addresses = []\n  emails = []\n  phones = []\n  websites = []\n  custom_metadata = {}\n"
	both := []string{"billing_account.bare", "billing_customer.bare"}
	for name, written := range map[string]string{"empty": config(empty,
		"\n  custom_metadata = {}"), "absent": config("", "")} {
		t.Run(name, func(t *testing.T) {
			terraform := newCommand(t, written).at(service)
			service.Sandbox.ResetRequests()
			terraform.applies("import", slices.Clone(both))
			terraform.settled()
			// One for the other is not a difference either.
			terraform.write("main.tf", required+config(empty, ""))
			terraform.settled()
			terraform.write("main.tf", required+config("", ""))
			terraform.settled()
			if names := wrote(service); len(names) > 0 {
				t.Errorf("sent %v", names)
			}
		})
	}
}
