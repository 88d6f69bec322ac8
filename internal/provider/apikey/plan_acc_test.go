package apikey_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// between is a plan check that lets something happen between the plan and its apply.
type between func()

func (happens between) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	happens()
}

// sends holds the requests since the last call to those that change something.
func sends(service *acctest.Service, want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		counts := map[string]int{}
		for _, name := range []string{"api_keys.create", "api_keys.rotate", "api_keys.revoke"} {
			counts[name] = service.Count(name)
		}
		for _, name := range want {
			counts[name]--
		}
		service.Sandbox.ResetRequests()
		for name, n := range counts {
			if n != 0 {
				return fmt.Errorf("%d times %s more than expected", n, name)
			}
		}
		return nil
	}
}

// TestAccAPIKey_unknown: an argument behind a deferred data source may need a new key, so the plan shows one. What
// turns out equal does nothing.
func TestAccAPIKey_unknown(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("its requests are counted")
	source := service.MustCollections("POST", keys, acctest.JSON{"name": "source", "description": "d",
		"scopes": []string{"webhook_endpoints:*"}, "expiresAt": "2098-01-01"})["id"].(string)
	service.Sandbox.ResetRequests()
	config := func(marker, description string) string {
		return service.Config(`
resource "terraform_data" "marker" {
  input = "` + marker + `"
}

data "billing_api_key" "source" {
  id         = "` + source + `"
  depends_on = [terraform_data.marker]
}

resource "billing_api_key" "test" {
  name        = data.billing_api_key.source.name
  description = ` + description + `
  scopes      = data.billing_api_key.source.scopes
  expires_at  = data.billing_api_key.source.expires_at
}
`)
	}
	const same, other = "data.billing_api_key.source.description", "terraform_data.marker.output"
	deferred := planned(plancheck.ResourceActionUpdate, []string{"name", "description", "scopes", "expires_at", "id",
		"token"})
	run(t,
		resource.TestStep{Config: config("1", same), Check: sends(service, "api_keys.create")},
		resource.TestStep{Config: config("2", same), ConfigPlanChecks: deferred, Check: sends(service)},
		settled(config("2", same)),
		resource.TestStep{Config: config("3", other), ConfigPlanChecks: deferred,
			Check: sends(service, "api_keys.create", "api_keys.rotate", "api_keys.revoke")},
		settled(config("3", other)),
	)
}

// TestAccAPIKey_time: expiries and ages go by the service's clock, and are decided when the plan is made.
func TestAccAPIKey_time(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t) // its clock stands still, months away from the machine's
	service.NeedsSandbox("the clock is moved")
	clock := service.Sandbox.Clock()
	config := func(grace int) string {
		return service.Config(named(fmt.Sprintf("expires_after_days = 90\n  grace_period_days = %d", grace)))
	}
	advance := func(d time.Duration) func() { return func() { clock.Advance(d) } }
	previous := func(n int) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, attribute("previous_keys"), knownvalue.ListSizeExact(n)),
		}
	}
	// planThen is a plan, and something that happens before its apply.
	planThen := func(checks resource.ConfigPlanChecks, happens func()) resource.ConfigPlanChecks {
		checks.PreApply = append(checks.PreApply, between(happens))
		return checks
	}
	run(t,
		resource.TestStep{Config: config(7), Check: sends(service, "api_keys.create")},
		// Due between the plan and its apply, and then by the refresh.
		resource.TestStep{PreConfig: advance(82 * day), Config: config(5),
			ConfigPlanChecks: planThen(planned(plancheck.ResourceActionUpdate, nil, "id", "token"), advance(4*day)),
			Check:            sends(service), ConfigStateChecks: previous(0), ExpectNonEmptyPlan: true},
		resource.TestStep{Config: config(5), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
			[]string{"id", "token", "previous_keys", "rotation_due_at"}),
			Check: sends(service, "api_keys.create"), ConfigStateChecks: previous(1)},
		settled(config(5)),
		resource.TestStep{PreConfig: advance(10 * day), Config: config(5),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop, nil), ConfigStateChecks: previous(0)},
		resource.TestStep{Config: service.Config(named("expires_at = \"" + acctest.Epoch.Format(time.RFC3339) + "\"")),
			ExpectError: regexp.MustCompile(`has\s+passed`)},
	)
}

// TestAccAPIKey_importCommand: neither terraform import nor an import block makes a new key. The plan after that does,
// in place.
func TestAccAPIKey_importCommand(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the clock is moved")
	id := service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"},
		"description": "d"})["id"].(string)
	service.Sandbox.ResetRequests()
	same := []statecheck.StateCheck{statecheck.ExpectKnownValue(address, attribute("id"), knownvalue.StringExact(id))}
	faithful, other := service.Config(named("description = \"d\"")), service.Config(named("description = \"e\""))
	run(t,
		resource.TestStep{Config: faithful, ResourceName: address, ImportState: true, ImportStateId: "name=ci",
			ImportStatePersist: true, Check: sends(service)},
		resource.TestStep{Config: faithful, ConfigStateChecks: same, Check: sends(service)},
		settled(faithful),
		resource.TestStep{Config: other, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, []string{"id", "token"}),
			Check: sends(service, "api_keys.create", "api_keys.rotate", "api_keys.revoke")},
		settled(other),
	)
}

// TestAccAPIKey_rotatedOutside: a key that another system has rotated keeps its grace period next to the new key.
func TestAccAPIKey_rotatedOutside(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("its requests are counted")
	config := service.Config(named(""))
	h := &history{t: t, service: service}
	run(
		t,
		resource.TestStep{
			Config: config,
			Check:  resource.ComposeTestCheckFunc(h.note(true), sends(service, "api_keys.create")),
		},
		resource.TestStep{PreConfig: func() {
			service.MustCollections("POST", keys+"/"+h.ids[0]+"/rotate", acctest.JSON{"graceDays": 2})
			service.Sandbox.ResetRequests()
		}, Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, []string{"id", "token",
			"previous_keys"}),
			Check: resource.ComposeTestCheckFunc(sends(service, "api_keys.create"), h.note(true, true)),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, attribute("previous_keys"), knownvalue.ListSizeExact(1)),
				statecheck.ExpectKnownValue(address, attribute("expires_at"), knownvalue.Null()),
			}},
		settled(config),
		resource.TestStep{
			PreConfig:        func() { service.Sandbox.Clock().Advance(3 * day) },
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop, nil),
			Check:            h.note(false, true),
		},
	)
}
