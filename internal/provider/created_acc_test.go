package provider_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccCreated_another: a creation whose response shows another object fails, and nothing of that object gets into
// the state. The next apply creates what was asked for.
func TestAccCreated_another(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are mixed up on purpose")
	others := map[string]bool{}
	mixUp := func(operation string, object acctest.JSON) {
		body, err := json.Marshal(acctest.JSON{"data": object})
		if err != nil {
			t.Fatal(err)
		}
		others[fmt.Sprint(object["id"])] = true
		s.Sandbox.AddFault(sandbox.Fault{Operation: operation, Status: 201, Body: string(body), Times: 1})
	}
	ours := s.Must("POST", "/v1/customers", acctest.JSON{"name": "Ours"})
	theirs := s.Must("POST", "/v1/customers", acctest.JSON{"name": "Theirs", "external_id": "theirs"})
	account := theirs["billing_account"].(acctest.JSON)
	subscription := s.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": account["id"],
		"plan_id": runningPlan})
	_, endpoint := s.CallCollections("POST", "/api/v1/webhook-endpoints",
		acctest.JSON{"url": "https://hooks.example.com/theirs"})
	_, key := s.CallCollections("POST", "/api/v1/api-keys", acctest.JSON{"name": "theirs"})
	mixUpAll := func() {
		mixUp("customers.create", acctest.JSON{"customer": theirs["customer"], "billing_account": account})
		mixUp("billing_accounts.create", account)
		mixUp("subscriptions.create", subscription)
		mixUp("webhook_endpoints.create", endpoint["data"].(acctest.JSON))
		mixUp("api_keys.create", key["data"].(acctest.JSON))
		others[theirs["customer"].(acctest.JSON)["id"].(string)] = true
	}
	config := s.Config(fmt.Sprintf(`
resource "billing_customer" "new" {
  name        = "New"
  external_id = "new"
}

resource "billing_account" "new" {
  customer_id = %q
}

resource "billing_subscription" "new" {
  billing_account_id = %q
  plan_id            = %q
}

resource "billing_webhook_endpoint" "new" {
  url = "https://hooks.example.com/new"
}

resource "billing_api_key" "new" {
  name = "new"
}
`, ours["customer"].(acctest.JSON)["id"], ours["billing_account"].(acctest.JSON)["id"], runningPlan))
	types := []string{"customer", "account", "subscription", "webhook_endpoint", "api_key"}
	var created []plancheck.PlanCheck
	for _, name := range types {
		created = append(created, plancheck.ExpectResourceAction("billing_"+name+".new", plancheck.ResourceActionCreate))
	}
	run(t,
		resource.TestStep{PreConfig: mixUpAll, Config: config, ExpectError: regexp.MustCompile(
			`(?s)(nothing\s+of\s+this\s+one\s+is\s+used.*){5}`)},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: created},
			Check: func(state *terraform.State) error {
				for _, name := range types {
					if id := state.RootModule().Resources["billing_"+name+".new"].Primary.ID; others[id] {
						return fmt.Errorf("the state of the %s has the object of another one, %s", name, id)
					}
				}
				return nil
			}},
		resource.TestStep{Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestAccCreated_existing: a creation whose response shows an endpoint or a key that is equal to the wanted one and
// existed before fails, for each of several, and the object stays nobody's of this state.
func TestAccCreated_existing(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are mixed up on purpose")
	others := map[string]bool{}
	mixUp := func(operation, path string, body acctest.JSON) func() {
		_, existing := s.CallCollections("POST", path, body)
		object := existing["data"].(acctest.JSON)
		others[fmt.Sprint(object["id"])] = true
		delete(object, "secret") // what exists shows neither
		delete(object, "token")
		encoded, err := json.Marshal(acctest.JSON{"data": object})
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			s.Sandbox.AddFault(sandbox.Fault{Operation: operation, Status: 201, Body: string(encoded), Times: 2})
		}
	}
	endpoints := mixUp("webhook_endpoints.create", "/api/v1/webhook-endpoints",
		acctest.JSON{"url": "https://hooks.example.com/same"})
	keys := mixUp("api_keys.create", "/api/v1/api-keys", acctest.JSON{"name": "same"})
	s.Sandbox.Clock().Advance(time.Hour)
	var blocks strings.Builder
	for _, name := range []string{"a", "b"} {
		fmt.Fprintf(&blocks, "resource \"billing_webhook_endpoint\" %[1]q {\n"+
			"  url = \"https://hooks.example.com/same?%[1]s\"\n}\n"+
			"resource \"billing_api_key\" %[1]q {\n  name        = \"same\"\n  description = %[1]q\n}\n", name)
	}
	config := s.Config(blocks.String())
	run(t,
		resource.TestStep{PreConfig: func() { endpoints(); keys() }, Config: config, ExpectError: regexp.MustCompile(
			`(?s)((was\s+there|was\s+registered)\s+before.*){4}`)},
		resource.TestStep{Config: config, Check: func(state *terraform.State) error {
			for name, object := range state.RootModule().Resources {
				if others[object.Primary.ID] {
					return fmt.Errorf("%s has the object of another one, %s", name, object.Primary.ID)
				}
			}
			return nil
		}},
	)
}
