package webhookendpoint_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
)

const address = "billing_webhook_endpoint.test"

func at(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

// endpoint is the resource with these lines.
func endpoint(url, lines string) string {
	return fmt.Sprintf("resource \"billing_webhook_endpoint\" \"test\" {\n  url = %q\n  %s\n}\n", url, lines)
}

// planned holds a plan to an action of the endpoint, and to what is only known after apply.
func planned(action plancheck.ResourceActionType, unknown ...string) resource.ConfigPlanChecks {
	checks := []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}
	for _, name := range unknown {
		checks = append(checks, plancheck.ExpectUnknownValue(address, at(name)))
	}
	return resource.ConfigPlanChecks{PreApply: checks}
}

// TestAccWebhookEndpoint is a life through Terraform: every argument, with the credentials from an ephemeral variable.
// The consumer gets them, neither plan nor state has them, and every way to import plans nothing.
func TestAccWebhookEndpoint(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	full := func(version, trigger string) string {
		return service.Config("variable \"credential\" {\n  type = string\n  ephemeral = true\n}\n" + endpoint(receiver.URL, `
  description = "orders"
  events      = ["charge.paid", "webhook.test"]
  active      = true
  authentication = {
    type                   = "header"
    name                   = "X-Consumer"
    value_wo               = var.credential
    credentials_wo_version = `+version+`
  }
  rotate_secret_when_changed = { release = "`+trigger+`" }`))
	}
	credential := func(value string) config.Variables {
		return config.Variables{"credential": config.StringVariable(value)}
	}
	gets := func(want string) resource.TestCheckFunc {
		return func(state *terraform.State) error {
			id := state.RootModule().Resources[address].Primary.ID
			service.Call("POST", endpoints+"/"+id+"/test", acctest.JSON{})
			if err := service.Sandbox.WaitDeliveries(t.Context()); err != nil {
				return err
			}
			got := receiver.Got()
			if have := got[len(got)-1].Header.Get("X-Consumer"); have != want {
				return fmt.Errorf("the consumer gets %q, want %q", have, want)
			}
			return nil
		}
	}
	kept := tfjsonpath.New("authentication")
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_11_0),
		resource.TestStep{Config: full("1", "a"), ConfigVariables: credential("first"), Check: gets("first"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectSensitiveValue(address, at("secret")),
				statecheck.ExpectKnownValue(address, kept.AtMapKey("value_wo"), knownvalue.Null()),
				statecheck.ExpectKnownValue(address, kept.AtMapKey("name"), knownvalue.StringExact("X-Consumer")),
				statecheck.ExpectKnownValue(address, kept.AtMapKey("credentials_wo_version"), knownvalue.Int64Exact(1)),
			}},
		// Another credential alone is not seen; with another version it is sent.
		resource.TestStep{Config: full("1", "a"), ConfigVariables: credential("second"),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		resource.TestStep{Config: full("2", "b"), ConfigVariables: credential("second"), Check: gets("second"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, "secret", "updated_at")},
		resource.TestStep{Config: full("2", "b"), ConfigVariables: credential("second"), ResourceName: address,
			ImportState: true, ImportStateId: "url=" + receiver.URL, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"secret", "rotate_secret_when_changed", "authentication",
				"updated_at"}},
	)
}

// TestAccWebhookEndpoint_import: by id, by url and by an identity with either, with and without credentials in the
// configuration; nothing is planned, and the identity is the id alone.
func TestAccWebhookEndpoint_import(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	const url = "https://hooks.example.com/billing"
	id := service.Must("POST", endpoints, acctest.JSON{"url": url,
		"authentication": acctest.JSON{"type": "basic", "username": "ana", "password": "p"}})["id"].(string)
	imported := func(by, lines string, checks ...statecheck.StateCheck) []resource.TestStep {
		return []resource.TestStep{{
			Config: service.Config("import {\n  to = " + address + "\n  " + by + "\n}\n" +
				endpoint(url, "authentication = {\n type = \"basic\"\n username = \"ana\"\n "+lines+"\n}")),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop), ConfigStateChecks: checks,
		}, {Config: service.Config("removed {\n  from = " + address + "\n  lifecycle { destroy = false }\n}\n")}}
	}
	known := statecheck.ExpectIdentity(address, map[string]knownvalue.Check{"id": knownvalue.StringExact(id),
		"url": knownvalue.Null()})
	t.Run("by id", func(t *testing.T) {
		acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_11_0),
			append(imported(fmt.Sprintf("id = %q", id), ""),
				imported(fmt.Sprintf("id = %q", "url="+url), "password_wo = \"p\"\n credentials_wo_version = 1")...)...)
	})
	t.Run("by identity", func(t *testing.T) {
		acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0),
			append(imported(fmt.Sprintf("identity = { id = %q }", id), "", known),
				imported(fmt.Sprintf("identity = { url = %q }", url), "", known)...)...)
	})
}

// TestAccWebhookEndpointList: a query lists every endpoint with its identity and the whole resource.
func TestAccWebhookEndpointList(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ids := registered(service)
	const listed = "billing_webhook_endpoint.all"
	query := func(lines string) string {
		return "list \"billing_webhook_endpoint\" \"all\" {\n  provider = billing\n  " + lines + "\n}\n"
	}
	first := map[string]knownvalue.Check{"id": knownvalue.StringExact(ids[0]), "url": knownvalue.Null()}
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
		resource.TestStep{Config: service.Config("")},
		resource.TestStep{Query: true, Config: query("limit = 2"),
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength(listed, 2)}},
		resource.TestStep{Query: true, Config: query("include_resource = true"),
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength(listed, 3), querycheck.ExpectIdentity(listed, first),
				querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(first), []querycheck.KnownValueCheck{
					{Path: at("secret"), KnownValue: knownvalue.Null()},
					{Path: at("authentication").AtMapKey("name"), KnownValue: knownvalue.StringExact("X-A")},
				}),
			}},
	)
}

// triggered is a resource whose change triggers an action.
func triggered(value, action string) string {
	return "resource \"terraform_data\" \"test\" {\n  input = \"" + value + "\"\n  lifecycle {\n    action_trigger {\n  " +
		"    events  = [after_create, after_update]\n      actions = [" +
		action + "]\n    }\n  }\n}\n"
}

// TestAccWebhookTestAction: Terraform runs the action when an event triggers it, and fails when the consumer rejects.
func TestAccWebhookTestAction(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	text := func(value string) string {
		return service.Config(endpoint(receiver.URL, "") + `
action "billing_webhook_test" "test" {
  config {
    endpoint_id = billing_webhook_endpoint.test.id
    wait        = true
  }
}
` + triggered(value, "action.billing_webhook_test.test"))
	}
	got := func(want int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if have := len(receiver.Got()); have != want {
				t.Errorf("the consumer got %d events, want %d", have, want)
			}
			return nil
		}
	}
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
		resource.TestStep{Config: text("1"), Check: got(1)},
		resource.TestStep{PreConfig: func() { receiver.Respond(hook.Status(500, "out of order")) }, Config: text("2"),
			ExpectError: regexp.MustCompile(
				`(?s)did\s+not\s+accept\s+the\s+test\s+event.*Last\s+HTTP\s+status:\s+500.*out\s+of\s+order`)},
	)
}
