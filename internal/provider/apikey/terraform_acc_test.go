package apikey_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const keyAddress = "billing_api_key.test"

func field(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

func through(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: steps})
}

func key(lines string) string {
	return "resource \"billing_api_key\" \"test\" {\n  name = \"erp\"\n" + lines + "\n}\n"
}

func nothing(config string) resource.TestStep {
	return resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
}

// answers is the status that the service gives to a caller with the key.
func answers(t *testing.T, service *acctest.Service, address string, want int) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		token := s.RootModule().Resources[address].Primary.Attributes["token"]
		if status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil); status != want {
			t.Errorf("the key answers %d, want %d", status, want)
		}
		return nil
	}
}

// TestAccAPIKey_rotation: a key works from its creation, is rotated in place by its trigger with exactly the rotated attributes unknown,
// and the old one keeps working. The configuration plans empty after each step, and imports plan empty too.
func TestAccAPIKey_rotation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	first, second := service.Config(key(`rotate_when_changed = { n = "1" }`)), service.Config(key(`rotate_when_changed = { n = "2" }`))
	unknown := []plancheck.PlanCheck{plancheck.ExpectResourceAction(keyAddress, plancheck.ResourceActionUpdate)}
	for _, name := range []string{"id", "token", "key_prefix", "rotated_at", "previous_keys"} {
		unknown = append(unknown, plancheck.ExpectUnknownValue(keyAddress, field(name)))
	}
	unknown = append(unknown, plancheck.ExpectKnownValue(keyAddress, field("created_at"), knownvalue.NotNull()),
		plancheck.ExpectKnownValue(keyAddress, field("source"), knownvalue.NotNull()))
	through(t,
		resource.TestStep{Config: first, Check: answers(t, service, keyAddress, 200), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(keyAddress, field("previous_keys"), knownvalue.ListSizeExact(0)),
			statecheck.ExpectKnownValue(keyAddress, field("rotated_at"), knownvalue.Null()),
		}},
		nothing(first),
		resource.TestStep{Config: second, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: unknown}, Check: answers(t, service, keyAddress, 200),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(keyAddress, field("previous_keys"), knownvalue.ListSizeExact(1)),
				statecheck.ExpectKnownValue(keyAddress, field("rotated_at"), knownvalue.NotNull()),
			}},
		nothing(second),
		resource.TestStep{Config: service.Config(key(`revoke_previous_keys = true`)), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(keyAddress, field("previous_keys"), knownvalue.ListSizeExact(0))}},
		resource.TestStep{Config: service.Config(key("")), ResourceName: keyAddress, ImportState: true, ImportStateKind: resource.ImportBlockWithID},
	)
}

// TestAccAPIKey_replaced: another scope makes a new key, created before the old one is revoked.
func TestAccAPIKey_replaced(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	config := func(scope string) string {
		return service.Config(key("scopes = [\"" + scope + "\"]\n  lifecycle {\n    create_before_destroy = true\n  }"))
	}
	through(t,
		resource.TestStep{Config: config("charges:read")},
		resource.TestStep{Config: config("charges:*"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(keyAddress, plancheck.ResourceActionCreateBeforeDestroy)}}},
		nothing(config("charges:*")),
	)
}

// TestAccAPIKey_read: the data sources find a key by name and by id, list all keys, and show no token.
func TestAccAPIKey_read(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	through(t, resource.TestStep{
		Config: service.Config(key(`description = "for the ERP"`) + `
data "billing_api_key" "named" { name = billing_api_key.test.name }
data "billing_api_key" "known" { id = billing_api_key.test.id }
data "billing_api_keys" "all" { depends_on = [billing_api_key.test] }
`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.billing_api_key.named", field("description"), knownvalue.StringExact("for the ERP")),
			statecheck.ExpectKnownValue("data.billing_api_key.named", field("revoked_at"), knownvalue.Null()),
			statecheck.ExpectKnownValue("data.billing_api_key.known", field("name"), knownvalue.StringExact("erp")),
			statecheck.ExpectKnownValue("data.billing_api_keys.all", field("keys"), knownvalue.NotNull()),
		},
	})
}

// TestAccAPIKey_query: terraform query lists the keys that work.
func TestAccAPIKey_query(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: service.Config(key(""))},
			{Query: true, Config: service.Config("list \"billing_api_key\" \"all\" {\n  provider = billing\n}\n"),
				QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLengthAtLeast("billing_api_key.all", 1)}},
		},
	})
}

// TestAccAPIKey_ephemeral: a key of one run is made and revoked, and leaves nothing in the state.
func TestAccAPIKey_ephemeral(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("requests are counted")
	through(t, resource.TestStep{
		Config: service.Config(`ephemeral "billing_api_key" "run" { name = "run" }`),
		Check: func(s *terraform.State) error {
			made, revoked := service.Count("api_keys.create"), service.Count("api_keys.revoke")
			if made == 0 || made != revoked {
				t.Errorf("%d keys were made and %d revoked", made, revoked)
			}
			if len(s.RootModule().Resources) != 0 {
				t.Errorf("the state holds %v", s.RootModule().Resources)
			}
			return nil
		},
	})
}
