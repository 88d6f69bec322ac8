package apikey_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const address = "billing_api_key.test"

var attribute = tfjsonpath.New[string]

// key is the resource with these lines.
func key(lines string) string {
	return "resource \"billing_api_key\" \"test\" {\n  name   = \"ci\"\n  scopes = [\"webhook_endpoints:*\"]\n  " + lines +
		"\n}\n"
}

// TestAccAPIKey: the life of a key through Terraform. Its token is sensitive, every way to import finds the same, and
// destroying revokes the key and its predecessor.
func TestAccAPIKey(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	config := service.Config(key(""))
	changed := service.Config(key("description = \"new\""))
	var tokens []string
	note := func(s *terraform.State) error {
		tokens = append(tokens, s.RootModule().Resources[address].Primary.Attributes["token"])
		for _, token := range tokens {
			works(t, service, token, true)
		}
		return nil
	}
	acctest.Run(t,
		resource.TestStep{Config: config, Check: note, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectSensitiveValue(address, attribute("token"))}},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"token"}},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "name=ci", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"token"}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID, ImportStateId: "name=ci"},
		resource.TestStep{Config: changed, Check: note, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(address, attribute("id")),
				plancheck.ExpectUnknownValue(address,
					attribute("previous_keys").AtSliceIndex(0).AtMapKey("grace_until"))}}},
		resource.TestStep{Config: changed, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
	for _, token := range tokens {
		works(t, service, token, false)
	}
}

// TestAccAPIKey_identity: the identity follows the id through a rotation, and selects by id or name.
func TestAccAPIKey_identity(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	id := service.Must("POST", keys,
		acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})["id"].(string)
	config := func(version string) string {
		return service.Config("import {\n  to = " + address + "\n  identity = { name = \"ci\" }\n}\n" +
			key("rotate_when_changed = { v = \""+version+"\" }"))
	}
	identity := func(id knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectIdentity(address,
			map[string]knownvalue.Check{"id": id, "name": knownvalue.Null()}),
			statecheck.ExpectIdentityValueMatchesState(address, attribute("id"))}
	}
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0),
		resource.TestStep{Config: config("1"), ConfigStateChecks: identity(knownvalue.StringExact(id))},
		resource.TestStep{Config: config("2"), ConfigStateChecks: identity(knownvalue.NotNull())},
		resource.TestStep{Config: service.Config(key("rotate_when_changed = { v = \"2\" }")), ResourceName: address,
			ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity, ExpectNonEmptyPlan: true},
	)
}

// TestAccAPIKey_provider: the provider's key goes in the header that is configured. Without it the error names the
// arguments, their variables, and what needed them.
func TestAccAPIKey_provider(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.CollectionsAuthHeader = "X-Api-Key" })
	without := *service
	without.CollectionsURL, without.CollectionsKey = "", ""
	acctest.Run(t,
		resource.TestStep{Config: without.Config(key("")), ExpectError: regexp.MustCompile(
			`(?s)collections_base_url\s+and\s+collections_api_key.*billing_api_key\s+needs.*BILLING_COLLECTIONS_BASE_URL` +
				`.*BILLING_COLLECTIONS_API_KEY`)},
		resource.TestStep{Config: service.Config(key("")), ExpectError: regexp.MustCompile(`(?s)Status:\s+401.*`)},
		resource.TestStep{Config: service.Config(key(""), `collections_auth_header = "X-Api-Key"`)},
	)
}

// TestAccAPIKeyList: a query lists every key that works, with its identity and the whole resource; those that have
// ended cannot be managed and are left out.
func TestAccAPIKeyList(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the organization has just these keys")
	var ids []string
	for _, name := range []string{"one", "two", "three"} {
		made := service.Must("POST", keys, acctest.JSON{"name": name, "description": "d"})
		ids = append(ids, made["id"].(string))
	}
	service.Must("DELETE", keys+"/"+ids[0], nil)
	const listed = "billing_api_key.all"
	query := func(lines string) string {
		return "list \"billing_api_key\" \"all\" {\n  provider = billing\n  " + lines + "\n}\n"
	}
	two := map[string]knownvalue.Check{"id": knownvalue.StringExact(ids[1]), "name": knownvalue.Null()}
	acctest.RunFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
		resource.TestStep{Config: service.Config("")},
		resource.TestStep{Query: true, Config: query("include_resource = true"),
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength(listed, 3),
				querycheck.ExpectIdentity(listed, two),
				querycheck.ExpectResourceDisplayName(listed, queryfilter.ByResourceIdentity(two),
					knownvalue.StringRegexp(regexp.MustCompile(`^two \(ck_`))),
				querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(two), []querycheck.KnownValueCheck{
					{Path: attribute("name"), KnownValue: knownvalue.StringExact("two")},
					{Path: attribute("description"), KnownValue: knownvalue.StringExact("d")},
					{Path: attribute("token"), KnownValue: knownvalue.Null()},
					{Path: attribute("previous_keys"), KnownValue: knownvalue.ListSizeExact(0)},
				}),
			}},
		resource.TestStep{Query: true, Config: query("limit = 1"),
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength(listed, 1)}},
	)
}

// TestAccEphemeralAPIKey: in a real run the key reaches what uses it, and every key that was opened is revoked in the
// end.
func TestAccEphemeralAPIKey(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("its requests are counted")
	config := service.Config(`
ephemeral "billing_api_key" "test" {
  name   = "run"
  scopes = ["webhook_endpoints:*"]
}

provider "echo" {
  data = ephemeral.billing_api_key.test
}

resource "echo" "test" {}
`)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"billing": acctest.Factories["billing"], "echo": echoprovider.NewProviderServer(),
		},
		Steps: []resource.TestStep{{Config: config, Check: func(s *terraform.State) error {
			data := s.RootModule().Resources["echo.test"].Primary.Attributes
			if data["data.name"] != "run" || data["data.expires_at"] == "" {
				t.Errorf("the key is %v", data)
			}
			works(t, service, data["data.token"], false)
			return nil
		}}},
	})
	if opened, closed := service.Count("api_keys.create"), service.Count("api_keys.revoke"); opened == 0 ||
		opened != closed {
		t.Errorf("%d keys were created and %d revoked", opened, closed)
	}
}
