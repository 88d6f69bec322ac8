package webhookendpoint_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
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

var run, runFrom = acctest.Run, acctest.RunFrom

// TestAccWebhookEndpoint_minimal: a url is enough; every way to import finds the same, and its plan is empty.
func TestAccWebhookEndpoint_minimal(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	text := service.Config(endpoint(receiver.URL, ""))
	run(t,
		resource.TestStep{Config: text, ConfigPlanChecks: planned(plancheck.ResourceActionCreate, "id", "secret"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("secret"), knownvalue.StringRegexp(regexp.MustCompile("^whsec_"))),
				statecheck.ExpectSensitiveValue(address, at("secret")),
				statecheck.ExpectKnownValue(address, at("active"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(address, at("events"), knownvalue.SetSizeExact(0)),
				statecheck.ExpectKnownValue(address, at("authentication"), knownvalue.Null()),
			}},
		resource.TestStep{Config: text, ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"secret"}},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "url=" + receiver.URL,
			ImportStateVerify: true, ImportStateVerifyIgnore: []string{"secret"}},
		resource.TestStep{Config: text, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
		resource.TestStep{Config: text, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
			ImportStateId: "url=" + receiver.URL},
	)
}

// TestAccWebhookEndpoint_full: every argument, with the credentials from an ephemeral variable: the consumer gets them,
// neither plan nor state has them, and the import of the same configuration plans nothing.
func TestAccWebhookEndpoint_full(t *testing.T) {
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
			service.CallCollections("POST", endpoints+"/"+id+"/test", acctest.JSON{})
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
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_11_0),
		resource.TestStep{Config: full("1", "a"), ConfigVariables: credential("first"), Check: gets("first"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, kept.AtMapKey("value_wo"), knownvalue.Null()),
				statecheck.ExpectKnownValue(address, kept.AtMapKey("name"), knownvalue.StringExact("X-Consumer")),
				statecheck.ExpectKnownValue(address, kept.AtMapKey("credentials_wo_version"), knownvalue.Int64Exact(1)),
			}},
		// Another credential alone is not seen; with another version it is sent.
		resource.TestStep{Config: full("1", "a"), ConfigVariables: credential("second"),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		resource.TestStep{Config: full("2", "b"), ConfigVariables: credential("second"), Check: gets("second"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, "secret", "updated_at")},
		resource.TestStep{Config: full("2", "b"), ConfigVariables: credential("second"),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
	)
}

// TestAccWebhookEndpoint_importAuthentication: an endpoint with authentication is imported without a change, with and
// without credentials in the configuration.
func TestAccWebhookEndpoint_importAuthentication(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	const url = "https://hooks.example.com/billing"
	credentials := acctest.JSON{"type": "basic", "username": "ana", "password": "p"}
	endpointJSON := acctest.JSON{"url": url, "authentication": credentials}
	id := service.MustCollections("POST", endpoints, endpointJSON)["id"].(string)
	imported := func(id, lines string) resource.TestStep {
		return resource.TestStep{Config: service.Config("import {\n  to = " + address + "\n  id = \"" + id + "\"\n}\n" +
			endpoint(url, "authentication = {\n type = \"basic\"\n username = \"ana\"\n "+lines+"\n}")),
			ConfigPlanChecks:  planned(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, at("secret"), knownvalue.Null())}}
	}
	for name, step := range map[string]resource.TestStep{
		"without credentials": imported(id, ""),
		"with credentials":    imported("url="+url, "password_wo = \"p\"\n credentials_wo_version = 1"),
	} {
		t.Run(name, func(t *testing.T) {
			forget := resource.TestStep{Config: service.Config("removed {\n  from = " + address +
				"\n  lifecycle { destroy = false }\n}\n")}
			runFrom(t, tfversion.SkipBelow(tfversion.Version1_11_0), step, forget)
		})
	}
}

// TestAccWebhookEndpoint_importByIdentity: the identity selects by id or url; the state's identity is the id alone.
func TestAccWebhookEndpoint_importByIdentity(t *testing.T) {
	t.Parallel()
	for name, selector := range map[string]func(id, url string) string{
		"id":  func(id, _ string) string { return fmt.Sprintf("id = %q", id) },
		"url": func(_, url string) string { return fmt.Sprintf("url = %q", url) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			const url = "https://hooks.example.com/billing"
			id := service.MustCollections("POST", endpoints, acctest.JSON{"url": url})["id"].(string)
			runFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0), resource.TestStep{
				Config: service.Config("import {\n  to = " + address + "\n  identity = { " + selector(id, url) +
					" }\n}\n" + endpoint(url, "")),
				ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(address, map[string]knownvalue.Check{"id": knownvalue.StringExact(id),
						"url": knownvalue.Null()})},
			})
		})
	}
}

// TestAccWebhookEndpoint_refused: what no service needs to see to be wrong, and what only the service can tell, is
// on its argument.
func TestAccWebhookEndpoint_refused(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	refused := func(text, says string) resource.TestStep {
		return resource.TestStep{Config: service.Config(text), ExpectError: regexp.MustCompile("(?s)" + says)}
	}
	run(t,
		refused(endpoint("https://169.254.169.254/", ""), `url\s+=\s+"https://169.254.169.254/".*INVALID_WEBHOOK_URL`),
		refused(endpoint("http://hooks.example.com/", ""), `INVALID_WEBHOOK_URL`),
		refused(endpoint(receiver.URL, `authentication = { type = "bearer" }`), `needs\s+authentication.token_wo`),
		refused(endpoint(receiver.URL, `authentication = { type = "none", name = "X-A" }`), `belongs\s+to\s+authentication`),
		refused(endpoint(acctest.InternalURL, ""), `url\s+=\s+"`+regexp.QuoteMeta(acctest.InternalURL)+
			`".*code:\s+INVALID_WEBHOOK_URL`),
	)
}

// TestAccWebhookEndpoint_deletedOutside: the endpoint is registered again.
func TestAccWebhookEndpoint_deletedOutside(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	text := service.Config(endpoint("https://hooks.example.com/", ""))
	var id string
	run(t,
		resource.TestStep{Config: text, Check: func(s *terraform.State) error {
			id = s.RootModule().Resources[address].Primary.ID
			return nil
		}},
		resource.TestStep{PreConfig: func() { service.MustCollections("DELETE", endpoints+"/"+id, nil) }, Config: text,
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate, "id", "secret")},
	)
}
