package apikey_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// created are three keys of one name, of which the first is revoked and the second used; it returns their ids.
func created(service *acctest.Service, names ...string) []string {
	var ids []string
	for i, name := range names {
		made := service.MustCollections("POST", keys, acctest.JSON{"name": name, "description": "d",
			"scopes": []string{"webhook_endpoints:*"}, "expiresAt": "2098-01-01"})
		ids = append(ids, made["id"].(string))
		if i == 1 {
			service.CallWithKey(made["token"].(string), "GET", "/api/v1/webhook-endpoints", nil)
		}
	}
	service.MustCollections("DELETE", keys+"/"+ids[0], nil)
	return ids
}

// TestAccAPIKeyDataSource: found by id or name, also when it is revoked; here, and only here, is what changes with
// every use.
func TestAccAPIKeyDataSource(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	ids := created(service, "one", "two", "three", "three")
	const address = "data.billing_api_key.test"
	step := func(lines string, checks map[string]knownvalue.Check) resource.TestStep {
		s := resource.TestStep{Config: service.Config("data \"billing_api_key\" \"test\" {\n  " + lines + "\n}\n")}
		for name, want := range checks {
			s.ConfigStateChecks = append(s.ConfigStateChecks, statecheck.ExpectKnownValue(address, attribute(name), want))
		}
		return s
	}
	refused := func(lines, says string) resource.TestStep {
		s := step(lines, nil)
		s.ExpectError = regexp.MustCompile("(?s)" + says)
		return s
	}
	run(t,
		refused(`name = "three"`, `More than one API key.*`+ids[2]+`.*`+ids[3]),
		refused(`name = "none"`, `No such API key`),
		refused("", `Set\s+exactly\s+one\s+of`),
		step(`id = "`+ids[0]+`"`, map[string]knownvalue.Check{"name": knownvalue.StringExact("one"),
			"revoked_at": knownvalue.NotNull(), "last_used_at": knownvalue.Null()}),
		step(`name = "one"`, map[string]knownvalue.Check{"id": knownvalue.StringExact(ids[0])}),
		step(`name = "two"`, map[string]knownvalue.Check{
			"id": knownvalue.StringExact(ids[1]), "description": knownvalue.StringExact("d"), "key_prefix": knownvalue.NotNull(),
			"source":       knownvalue.StringExact("api"),
			"scopes":       knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("webhook_endpoints:*")}),
			"last_used_at": knownvalue.NotNull(), "revoked_at": knownvalue.Null(), "created_at": knownvalue.NotNull(),
			"expires_at": knownvalue.StringExact("2098-01-01T00:00:00.000Z"),
		}),
	)
}

// TestAccAPIKeysDataSource: all keys over all pages, oldest first, with those that have ended, unless the limit says
// otherwise.
func TestAccAPIKeysDataSource(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the organization has just these keys")
	created(service, "one", "two", "three")
	at := attribute("keys")
	name := func(i int, want string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.billing_api_keys.test", at.AtSliceIndex(i).AtMapKey("name"),
			knownvalue.StringExact(want))
	}
	size := func(n int) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.billing_api_keys.test", at, knownvalue.ListSizeExact(n))
	}
	run(t,
		resource.TestStep{Config: service.Config(`data "billing_api_keys" "test" {}`),
			ConfigStateChecks: []statecheck.StateCheck{size(4), name(0, "Sandbox"), name(1, "one"), name(2, "two"),
				name(3, "three")}},
		resource.TestStep{Config: service.Config("data \"billing_api_keys\" \"test\" {\n  limit = 3\n}\n"),
			ConfigStateChecks: []statecheck.StateCheck{size(3)}},
	)
}

// TestAccAPIKeyList: a query lists every key that works, with its identity and the whole resource; those that have
// ended cannot be managed and are left out.
func TestAccAPIKeyList(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the organization has just these keys")
	ids := created(service, "one", "two", "three")
	const listed = "billing_api_key.all"
	query := func(lines string) string {
		return "list \"billing_api_key\" \"all\" {\n  provider = billing\n  " + lines + "\n}\n"
	}
	two := map[string]knownvalue.Check{"id": knownvalue.StringExact(ids[1]), "name": knownvalue.Null()}
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
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
	data := attribute("data")
	token := statecheck.ExpectKnownValue("echo.test", data.AtMapKey("token"),
		knownvalue.StringRegexp(regexp.MustCompile("^ck_")))
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"billing": acctest.Factories["billing"], "echo": echoprovider.NewProviderServer(),
		},
		Steps: []resource.TestStep{{Config: config,
			ConfigStateChecks: []statecheck.StateCheck{token,
				statecheck.ExpectKnownValue("echo.test", data.AtMapKey("name"), knownvalue.StringExact("run")),
				statecheck.ExpectKnownValue("echo.test", data.AtMapKey("expires_at"), knownvalue.NotNull()),
			},
			Check: func(s *terraform.State) error {
				if status, _ := service.CallWithKey(s.RootModule().Resources["echo.test"].Primary.Attributes["data.token"], "GET",
					"/api/v1/webhook-endpoints", nil); status != 401 {
					t.Errorf("after the run the key gets status %d, want 401", status)
				}
				return nil
			},
		}},
	})
	if opened, closed := service.Count("api_keys.create"), service.Count("api_keys.revoke"); opened == 0 ||
		opened != closed {
		t.Errorf("%d keys were created and %d revoked", opened, closed)
	}
}
