package provider_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// needsQuery skips the test below Terraform 1.14, which has no terraform query.
func (c *command) needsQuery() {
	c.t.Helper()
	out, err := exec.CommandContext(c.t.Context(), acctest.TerraformProgram(), "version", "-json").Output()
	if err != nil {
		c.t.Fatal(err)
	}
	var response struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &response); err != nil {
		c.t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(response.Version, "%d.%d", &major, &minor); err != nil {
		c.t.Fatal(err)
	}
	if major == 1 && minor < 14 {
		c.t.Skipf("terraform query needs Terraform 1.14; this is %s", response.Version)
	}
}

// TestAccQuery_generatedConfiguration: what a query writes can be planned as it is, and changes nothing but to import.
func TestAccQuery_generatedConfiguration(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the organization has just these customers")
	terraform := newCommand(t, "provider \"billing\" {}\n").at(service)
	terraform.needsQuery()
	for _, customer := range []acctest.JSON{
		{"name": "Minimal"},
		{"name": "Everything", "external_id": "q-1", "nickname": "E", "legal_name": "Everything Ltda",
			"document_number": "11.222.333/0001-81", "kind": "juridical", "birthday": "2009-05-04", "email": "a@example.com",
			"phone": "+55 11 1", "notes": "one\n\"two\" ${three}", "tags": []string{"b", "a"},
			"addresses": []acctest.JSON{{"street": "Rua A", "country": "BR"}, {"street": "Rua B"}},
			"emails":    []acctest.JSON{{"kind": "work", "value": "b@example.com"}},
			"websites":  []acctest.JSON{{"value": "https://example.com"}},
			"custom_metadata": acctest.JSON{"team": "x", "limits": acctest.JSON{"seats": 5, "ratio": 0.25},
				"list": []any{1, "two", nil, true}, "none": nil}},
		{"name": "Without account", "create_billing_account": false},
	} {
		service.Must("POST", "/v1/customers", customer)
	}
	terraform.write("all.tfquery.hcl",
		"list \"billing_customer\" \"all\" {\n  provider = billing\n  include_resource = true\n}\n")
	terraform.must("query", "-generate-config-out=generated.tf")
	if out := terraform.must("plan"); !strings.Contains(out, "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("the plan changes something:\n%s\n\n%s", out, terraform.read("generated.tf"))
	}
}

// TestAccExamples_queries: the query of every example runs unchanged.
func TestAccExamples_queries(t *testing.T) {
	t.Parallel()
	resources := exampleFiles(t, "resources/*/resource.tf")
	for name, text := range exampleFiles(t, "list-resources/*/*.tfquery.hcl") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := example(t, "provider \"billing\" {}\n"+resources[name])
			terraform.needsQuery()
			terraform.must("apply", "-auto-approve")
			terraform.write("example.tfquery.hcl", text)
			terraform.must("query")
		})
	}
}
