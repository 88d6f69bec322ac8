package subscription_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	itemsOfA = `items = [{ product_id = "` + productA + `", price_id = "` + priceA + `" }]` + "\n"
	planOfB  = `plan_id = "` + planB + `"` + "\n"
)

// sent lists the requests that have changed subscriptions since the last reset.
func sent(service *acctest.Service) (names []string) {
	for _, name := range service.Operations() {
		if operation, ok := strings.CutPrefix(name, "subscriptions."); ok && operation != "get" && operation != "list" &&
			operation != "items.list" {
			names = append(names, operation)
		}
	}
	return names
}

// sends holds a step to the requests that it makes.
func sends(service *acctest.Service, step resource.TestStep, want ...string) resource.TestStep {
	before, check := step.PreConfig, step.Check
	step.PreConfig = func() {
		if before != nil {
			before()
		}
		service.Sandbox.ResetRequests()
	}
	step.Check = func(state *terraform.State) error {
		if have := sent(service); !slices.Equal(have, want) {
			return fmt.Errorf("sent %v, want %v", have, want)
		}
		if check != nil {
			return check(state)
		}
		return nil
	}
	return step
}

// listItems are the items that the service has, each as "<product> <quantity>", sorted.
func listItems(t *testing.T, service *acctest.Service) (all []string) {
	t.Helper()
	_, response := service.Call("GET", "/v1/subscriptions/"+found(t, service)+"/items?per_page=100", nil)
	for _, entry := range response["data"].([]any) {
		i := entry.(acctest.JSON)
		all = append(all, fmt.Sprintf("%s %s", i["product_id"], i["quantity"]))
	}
	slices.Sort(all)
	return all
}

// TestAccSubscription_ignoreChanges: the apply leaves alone what the plan left alone, and ownership follows the plan.
func TestAccSubscription_ignoreChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ignore string
		theirs acctest.JSON
		// metadata and notes are what the service has after the configuration has changed from a to b and the defaults
		// from 1 to 2.
		metadata, notes string
		// left is the metadata after ignore_changes and custom_metadata were removed.
		left string
	}{
		"a key": {"[custom_metadata.score, notes]", acctest.JSON{"score": "CRM"},
			`{"by":"2","deep":{"x":"b","y":"b"},"score":"CRM","team":"b"}`, "theirs", `{}`},
		"a key inside": {"[custom_metadata.deep.y]", acctest.JSON{"deep": acctest.JSON{"y": "CRM"}},
			`{"by":"2","deep":{"x":"b","y":"CRM"},"score":"b","team":"b"}`, "b", `{}`},
		"the object": {"[custom_metadata, notes]", acctest.JSON{"score": "CRM", "crm": "x"},
			`{"by":"2","crm":"x","deep":{"x":"a","y":"a"},"score":"CRM","team":"a"}`, "theirs", `{"crm":"x"}`},
		"all": {"all", acctest.JSON{"score": "CRM", "crm": "x"},
			`{"by":"2","crm":"x","deep":{"x":"a","y":"a"},"score":"CRM","team":"a"}`, "theirs", `{"crm":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.NeedsSandbox("its requests are counted")
			config := func(value, by, ignore string) string {
				lines := fmt.Sprintf(planOfA+"custom_metadata = { score = %[1]q, team = %[1]q, deep = { x = %[1]q, y = %[1]q } "+
					"}\nnotes = %[1]q\n", value)
				if ignore != "" {
					lines += "lifecycle { ignore_changes = " + ignore + " }\n"
				}
				return service.Config(with(lines), fmt.Sprintf("default_custom_metadata = { by = %q }", by))
			}
			foreign := func() {
				service.Must("PATCH", "/v1/subscriptions/"+found(t, service),
					acctest.JSON{"notes": "theirs", "custom_metadata_mode": "merge", "custom_metadata": c.theirs})
			}
			has := func(metadata, notes string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					remote := service.Must("GET", "/v1/subscriptions/"+found(t, service), nil)
					text, _ := json.Marshal(remote["custom_metadata"])
					if string(text) != metadata || notes != "" && remote["notes"] != notes {
						return fmt.Errorf("the service has %s and %v, want %s and %s", text, remote["notes"], metadata, notes)
					}
					return nil
				}
			}
			run(t,
				resource.TestStep{Config: config("a", "1", c.ignore)},
				sends(service, resource.TestStep{PreConfig: foreign, Config: config("b", "2", c.ignore),
					ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: has(c.metadata, c.notes)}, "update"),
				emptyPlan(config("b", "2", c.ignore)),
				resource.TestStep{Config: service.Config(with(planOfA)), Check: has(c.left, "")},
				emptyPlan(service.Config(with(planOfA))),
			)
		})
	}
}

// TestAccSubscription_conditionalItems: items that depend on a variable are validated while it is unknown.
func TestAccSubscription_conditionalItems(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(`variable "many" { default = false }` + with(`
  items = var.many ? [{ product_id = "`+productA+`", price_id = "`+priceA+`", quantity = 3 }] : [{ product_id = "`+
		productA+`", price_id = "`+priceA+`", quantity = 1 }]`))
	nothing := service.Config(`variable "price" { default = null }` + with(`items = [{ product_id = "`+productA+
		`", price_id = var.price }]`))
	run(t,
		resource.TestStep{Config: nothing,
			ExpectError: regexp.MustCompile(`(?s)has\s+an\s+item\s+without\s+a\s+product\s+or\s+a\s+price.*price_id`)},
		resource.TestStep{Config: config},
		emptyPlan(config),
	)
}

// TestAccSubscription_itemsFirst: items that are there already and equal are not sent; others are removed as the
// configuration says, and what means none sends nothing.
func TestAccSubscription_itemsFirst(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("its requests are counted")
	put := func(items ...any) func() {
		return func() {
			service.Call("PUT", "/v1/subscriptions/"+found(t, service)+"/items", acctest.JSON{"items": items})
		}
	}
	has := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if have := listItems(t, service); !slices.Equal(have, want) {
				return fmt.Errorf("the service has %v, want %v", have, want)
			}
			return nil
		}
	}
	run(t,
		resource.TestStep{Config: service.Config(with(planOfA))},
		sends(service, resource.TestStep{Config: service.Config(with(planOfA + "items = []\n"))}),
		resource.TestStep{Config: service.Config(with(planOfA))},
		sends(service, resource.TestStep{PreConfig: put(itemA), Config: service.Config(with(planOfA + itemsOfA)),
			Check: has(productA + " 1")}),
		resource.TestStep{PreConfig: put(itemA, itemB), RefreshState: true, ExpectNonEmptyPlan: true},
		sends(service, resource.TestStep{Config: service.Config(with(planOfA + itemsOfA)), Check: has(productA + " 1")},
			"items.sync"),
	)
}

// TestAccSubscription_planAndItems: from a plan to items and back, now or later, with everything else in the same
// apply.
func TestAccSubscription_planAndItems(t *testing.T) {
	t.Parallel()
	const beside = "pause = { behavior = \"void\" }\ndiscount_percent = 5\nnotes = \"n\"\n"
	const later = "plan_change = { timing = \"end_of_period\" }\n"
	service := acctest.Start(t)
	service.NeedsSandbox("its clock is moved")
	month := func() { service.Sandbox.Clock().Advance(31 * 24 * time.Hour) }
	runs := func(current, pending knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{holds("current_plan_id", current), holds("pending_plan_id", pending)}
	}
	step := func(lines string, current, pending knownvalue.Check) resource.TestStep {
		return resource.TestStep{Config: service.Config(with(lines)), ConfigStateChecks: runs(current, pending)}
	}
	none := knownvalue.Null()
	b := knownvalue.StringExact(planB)
	arrived := step(itemsOfA+planOfB+later, b, none)
	arrived.PreConfig, arrived.ConfigPlanChecks = month,
		resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	run(t,
		step(planOfA, knownvalue.StringExact(planA), none),
		step(itemsOfA+beside, none, none),
		emptyPlan(service.Config(with(itemsOfA+beside))),
		step(planOfB, b, none),
		emptyPlan(service.Config(with(planOfB))),
		step(itemsOfA, none, none),
		step(planOfB+beside, b, none),
		// Later: what the service cannot do is rejected with the reason.
		resource.TestStep{Config: service.Config(with(itemsOfA + later)),
			ExpectError: regexp.MustCompile(`(?s)cannot\s+be\s+removed\s+at\s+the\s+end\s+of\s+the\s+period.*immediate`)},
		step(itemsOfA, none, none),
		resource.TestStep{Config: service.Config(with(planOfB + later + beside)),
			ExpectError: regexp.MustCompile(`(?s)nothing\s+would\s+be\s+billed\s+until\s+the\s+plan\s+begins.*Keep\s+items`)},
		step(itemsOfA+planOfB+later+beside, none, b),
		emptyPlan(service.Config(with(itemsOfA+planOfB+later+beside))),
		// Another timing alone hastens it.
		step(itemsOfA+planOfB+"plan_change = { timing = \"immediate\" }\n", b, none),
		emptyPlan(service.Config(with(itemsOfA+planOfB+"plan_change = { timing = \"immediate\" }\n"))),
		step(itemsOfA, none, none),
		step(itemsOfA+planOfB+later, none, b),
		arrived,
		step(planOfB+later, b, none),
		emptyPlan(service.Config(with(planOfB+later))),
	)
}
