package apikey_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const address = "billing_api_key.test"

func attribute(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

// key is the resource with these lines.
func key(lines string) string {
	return "resource \"billing_api_key\" \"test\" {\n  scopes = [\"webhook_endpoints:*\"]\n  " + lines + "\n}\n"
}

// named is key with the name ci.
func named(lines string) string { return key("name = \"ci\"\n  " + lines) }

// planned holds a plan to an action of the key, and to what is only known after apply and what is known before.
func planned(action plancheck.ResourceActionType, unknown []string, known ...string) resource.ConfigPlanChecks {
	checks := []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}
	for _, name := range unknown {
		checks = append(checks, plancheck.ExpectUnknownValue(address, attribute(name)))
	}
	for _, name := range known {
		checks = append(checks, plancheck.ExpectKnownValue(address, attribute(name), knownvalue.NotNull()))
	}
	return resource.ConfigPlanChecks{PreApply: checks}
}

func settled(config string) resource.TestStep {
	return resource.TestStep{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionNoop, nil)}
}

var run, runFrom = acctest.Run, acctest.RunFrom

// history notes the tokens and ids that the state has had.
type history struct {
	t           *testing.T
	service     *acctest.Service
	tokens, ids []string
}

// note is the check that notes the key, and holds all tokens so far to working or being rejected, oldest first.
func (h *history) note(accepted ...bool) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		attributes := s.RootModule().Resources[address].Primary.Attributes
		h.tokens, h.ids = append(h.tokens, attributes["token"]), append(h.ids, attributes["id"])
		return h.hold(accepted)
	}
}

func (h *history) hold(accepted []bool) error {
	h.t.Helper()
	for i, want := range accepted {
		status, _ := h.service.CallWithKey(h.tokens[i], "GET", "/api/v1/webhook-endpoints", nil)
		if (status == 200) != want || status != 200 && status != 401 {
			return fmt.Errorf("token %d gets status %d, accepted should be %v", i, status, want)
		}
	}
	return nil
}

// TestAccAPIKey_minimal: a name is enough; the token is sensitive, every way to import finds the same, and destroying
// revokes.
func TestAccAPIKey_minimal(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	config := service.Config(named(""))
	h := &history{t: t, service: service}
	run(t,
		resource.TestStep{Config: config, Check: h.note(true), ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
			[]string{"id", "token", "key_prefix"}),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectSensitiveValue(address, attribute("token")),
				statecheck.CompareValuePairs(address, attribute("id"), address, attribute("id"), compare.ValuesSame()),
				statecheck.ExpectKnownValue(address, attribute("previous_keys"), knownvalue.ListSizeExact(0)),
			}},
		settled(config),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"token"}},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "name=ci", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"token"}},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID, ImportStateId: "name=ci"},
	)
	if err := h.hold([]bool{false}); err != nil {
		t.Error(err)
	}
}

// TestAccAPIKey_rotation: by trigger and in place, visible in the plan before it happens; two rotations inside one
// grace period keep both predecessors in view, and destroying revokes them all.
func TestAccAPIKey_rotation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	config := func(version, lines string) string {
		return service.Config(named("rotate_when_changed = { version = \"" + version + "\" }\n  " + lines))
	}
	h := &history{t: t, service: service}
	unknown := []string{"id", "token", "key_prefix", "rotated_at", "previous_keys"}
	rotates := planned(plancheck.ResourceActionUpdate, unknown, "name", "scopes", "created_at")
	predecessors := func(n int) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue(address, attribute("previous_keys"),
			knownvalue.ListSizeExact(n))}
	}
	run(t,
		resource.TestStep{Config: config("1", ""), Check: h.note(true)},
		resource.TestStep{Config: config("2", ""), Check: h.note(true, true), ConfigPlanChecks: rotates,
			ConfigStateChecks: predecessors(1)},
		settled(config("2", "")),
		resource.TestStep{Config: config("3", "grace_period_days = 30"), Check: h.note(true, true, true),
			ConfigPlanChecks: rotates, ConfigStateChecks: predecessors(2)},
		settled(config("3", "grace_period_days = 30")),
		resource.TestStep{Config: config("3", "revoke_previous_keys = true"), Check: h.note(false, false, true),
			ConfigStateChecks: predecessors(0), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, nil, unknown...)},
		settled(config("3", "revoke_previous_keys = true")),
		resource.TestStep{Config: config("4", ""), Check: h.note(false, false, true, true, true),
			ConfigStateChecks: predecessors(1)},
	)
	if err := h.hold([]bool{false, false, false, false, false}); err != nil {
		t.Error(err)
	}
}

// TestAccAPIKey_age: an overdue key is rotated by the next apply; the plan that imports one leaves it.
func TestAccAPIKey_age(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the clock is moved")
	service.Sandbox.Clock().Advance(-100 * day)
	id := service.MustCollections("POST", keys,
		acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})["id"].(string)
	service.Sandbox.Clock().Advance(100 * day)
	config := service.Config("import {\n  to = " + address + "\n  id = \"name=ci\"\n}\n" + named("rotate_after_days = 90"))
	run(t,
		resource.TestStep{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, nil, "id", "key_prefix",
			"rotation_due_at", "previous_keys"),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, attribute("id"),
				knownvalue.StringExact(id))},
			ExpectNonEmptyPlan: true},
		resource.TestStep{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
			[]string{"id", "token", "key_prefix", "rotated_at", "previous_keys", "rotation_due_at", "source"}),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, attribute("previous_keys").AtSliceIndex(0).AtMapKey("id"),
					knownvalue.StringExact(id)),
				statecheck.ExpectKnownValue(address, attribute("token"), knownvalue.NotNull()),
			}},
		settled(config),
	)
}

// TestAccAPIKey_newKey: what cannot be changed creates a new key in place, and all old ones keep their grace periods.
func TestAccAPIKey_newKey(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	h := &history{t: t, service: service}
	inPlace := planned(plancheck.ResourceActionUpdate, []string{"id", "token", "previous_keys"})
	steps := []resource.TestStep{{Config: service.Config(named("")), Check: h.note(true)}}
	works := []bool{true}
	for _, config := range []string{named(`description = "new"`), named(`expires_at = "2098-01-01"`),
		key(`name = "cd"`), named("expires_after_days = 90")} {
		works = append(works, true)
		steps = append(steps, resource.TestStep{Config: service.Config(config), Check: h.note(works...),
			ConfigPlanChecks: inPlace}, settled(service.Config(config)))
	}
	run(t, steps...)
	if err := h.hold(make([]bool, len(works))); err != nil {
		t.Error(err)
	}
}

// TestAccAPIKey_folded: Terraform folds warnings with equal summaries. Of several keys each is named: those that exist
// already, and those that end.
func TestAccAPIKey_folded(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := acctest.NewTerraform(t).At(service)
	terraform.Env["TF_CLI_ARGS"] = "-no-color"
	var exist []string
	for i := range 3 {
		exist = append(exist, service.MustCollections("POST", keys, acctest.JSON{"name": fmt.Sprint("k", i)})["id"].(string))
	}
	config := func(lines string) {
		terraform.Write("main.tf", "terraform {\n  required_providers {\n    billing = { source = "+
			"\"recurring-billing/billing\" }\n  }\n}\nresource \"billing_api_key\" \"test\" {\n  count = 3\n  name  = "+
			"\"k${count.index}\"\n  "+lines+"\n}\noutput \"ids\" { value = join(\" \", billing_api_key.test[*].id) }\n")
	}
	config("")
	for _, id := range exist {
		says(t, terraform.Run("plan"), "exists already (id "+id+")")
	}
	terraform.Run("apply", "-auto-approve")
	ids := strings.Fields(unquoted(strings.TrimSpace(terraform.Run("output", "-raw", "ids"))))
	config("grace_period_days = 0\n  description = \"new\"")
	plan := terraform.Run("plan")
	for i, id := range ids {
		says(t, plan, fmt.Sprintf("Changing API key \"k%d\" (id %s) ends a key without a grace period", i, id))
	}
}

// TestAccAPIKey_ownKey: the plan does not end the key that the provider uses; with allow_own_key it is rotated.
func TestAccAPIKey_ownKey(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("its key is at stake")
	config := func(lines string) string {
		return service.Config("import {\n  to = " + address + "\n  id = \"name=Sandbox\"\n}\nresource \"billing_api_key\" " +
			"\"test\" {\n  name = \"Sandbox\"\n  scopes = [\"*\"]\n  " + lines + "\n}\n")
	}
	refused := func(text, says string) resource.TestStep {
		return resource.TestStep{Config: text,
			ExpectError: regexp.MustCompile(`(?s)The provider itself uses.*` + says)}
	}
	run(t,
		resource.TestStep{Config: config(`rotate_when_changed = { v = "1" }`)},
		refused(config(`rotate_when_changed = { v = "2" }`), `To change`),
		refused(config(`description = "new"`), `To change`),
		refused(service.Config(""), `To destroy`),
		resource.TestStep{Config: config("rotate_when_changed = { v = \"1\" }\n  allow_own_key = true")},
		resource.TestStep{Config: config("rotate_when_changed = { v = \"2\" }\n  allow_own_key = true"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, []string{"id"})},
	)
}

// TestAccAPIKey_revokedOutside: the key is created again.
func TestAccAPIKey_revokedOutside(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	h := &history{t: t, service: service}
	config := service.Config(named(""))
	run(t,
		resource.TestStep{Config: config, Check: h.note(true)},
		resource.TestStep{PreConfig: func() { service.MustCollections("DELETE", keys+"/"+h.ids[0], nil) }, Config: config,
			Check: h.note(false, true), ConfigPlanChecks: planned(plancheck.ResourceActionCreate, []string{"id", "token"})},
	)
}

// TestAccAPIKey_identity: the identity follows the id through a rotation, and selects by id or name.
func TestAccAPIKey_identity(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	id := service.MustCollections("POST", keys,
		acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})["id"].(string)
	config := func(version string) string {
		return service.Config("import {\n  to = " + address + "\n  identity = { name = \"ci\" }\n}\n" +
			named("rotate_when_changed = { v = \""+version+"\" }"))
	}
	identity := func(id knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectIdentity(address,
			map[string]knownvalue.Check{"id": id, "name": knownvalue.Null()}),
			statecheck.ExpectIdentityValueMatchesState(address, attribute("id"))}
	}
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0),
		resource.TestStep{Config: config("1"), ConfigStateChecks: identity(knownvalue.StringExact(id))},
		resource.TestStep{Config: config("2"), ConfigStateChecks: identity(knownvalue.NotNull()),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, []string{"id"})},
		settled(config("2")),
		resource.TestStep{Config: service.Config(named("rotate_when_changed = { v = \"2\" }")), ResourceName: address,
			ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity, ExpectNonEmptyPlan: true},
	)
}
