package webhookendpoint_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccWebhookEndpoint_ignoreChanges: an apply sends what the plan has shown. What another system has set under
// ignore_changes stays, whatever else changes and whatever the configuration says.
func TestAccWebhookEndpoint_ignoreChanges(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	const url = "https://hooks.example.com/billing"
	var id string
	text := func(mine, ignored string) string {
		return service.Config(endpoint(url, mine+"\n  lifecycle {\n    ignore_changes = "+ignored+"\n  }"))
	}
	auth := func(name string, version int) string {
		return fmt.Sprintf(
			"authentication = {\n    type = \"header\"\n    name = %q\n    value_wo = \"v%d\"\n    credentials_wo_version = "+
				"%d\n  }",
			name,
			version,
			version,
		)
	}
	const others = "description = \"mine\"\n  events = [\"webhook.test\"]\n  "
	// left holds the endpoint to what the other system has set.
	left := func(active bool) resource.TestCheckFunc {
		return func(*terraform.State) error {
			remote := service.MustCollections("GET", endpoints+"/"+id, nil)
			a, _ := remote["authentication"].(map[string]any)
			if a["name"] != "X-Other" || remote["description"] != "theirs" ||
				fmt.Sprint(remote["events"]) != "[charge.paid]" ||
				remote["active"] != active {
				return fmt.Errorf("at the service: %v", remote)
			}
			return nil
		}
	}
	update := planned(plancheck.ResourceActionUpdate)
	runFrom(
		t,
		tfversion.SkipBelow(tfversion.Version1_11_0),
		resource.TestStep{Config: text(others+auth("X-Mine", 1), "[]"), Check: func(s *terraform.State) error {
			id = s.RootModule().Resources[address].Primary.ID
			return nil
		}},
		resource.TestStep{PreConfig: func() {
			service.MustCollections(
				"PATCH",
				endpoints+"/"+id,
				acctest.JSON{"description": "theirs", "events": []string{"charge.paid"},
					"authentication": acctest.JSON{"type": "header", "name": "X-Other", "value": "theirs"}},
			)
		}, Config: text(others+auth("X-Mine", 2), "[authentication.name, description, events]"),
			ConfigPlanChecks: update, Check: left(true)},
		resource.TestStep{
			Config: text(
				others+"authentication = {\n    type = \"bearer\"\n    token_wo = \"t\"\n  }\n  active = false",
				"[authentication, description, events]",
			),
			ConfigPlanChecks: update,
			Check:            left(false),
		},
		resource.TestStep{
			Config:           text("description = \"new\"\n  active = true", "all"),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
			Check:            left(false),
		},
		// The planned authentication would be of type header, with the token of another type.
		resource.TestStep{
			Config: text(
				"authentication = {\n    type = \"bearer\"\n    token_wo = \"t\"\n    credentials_wo_version = 3\n  }",
				"[authentication.type, description, events]",
			),
			ExpectError: regexp.MustCompile(`(?s)needs\s+authentication.name`),
		},
	)
}
