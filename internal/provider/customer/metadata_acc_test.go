package customer_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// outside is another system that works on the customer with a given external_id.
type outside struct {
	*acctest.Service
	t          *testing.T
	externalID string
}

func (o outside) customer() acctest.JSON {
	o.t.Helper()
	_, response := o.Call("GET", "/v1/customers?external_id="+o.externalID, nil)
	items, _ := response["data"].([]any)
	if len(items) != 1 {
		o.t.Fatalf("customers with external_id %s: %v", o.externalID, response)
	}
	return items[0].(acctest.JSON)
}

// patch is a PreConfig that changes the customer behind Terraform's back.
func (o outside) patch(body string) func() {
	return func() {
		o.t.Helper()
		o.Must("PATCH", "/v1/customers/"+o.customer()["id"].(string), json.RawMessage(body))
	}
}

// metadata is a check of the whole custom_metadata at the service.
func (o outside) metadata(want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		o.t.Helper()
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			o.t.Fatal(err)
		}
		raw, _ := json.Marshal(o.customer()["custom_metadata"])
		var have any
		_ = json.Unmarshal(raw, &have)
		if !reflect.DeepEqual(have, wanted) {
			o.t.Errorf("custom_metadata at the service: %s, want %s", raw, want)
		}
		return nil
	}
}

// withMetadata is the customer "m-1" with further lines.
func withMetadata(lines string) string {
	return "resource \"billing_customer\" \"test\" {\n  external_id = \"m-1\"\n  name = \"A\"\n" + lines + "\n}\n"
}

func updates() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address,
		plancheck.ResourceActionUpdate)}}
}

func runCustomer(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: steps})
}

// TestAccCustomer_metadataMerge: keys of others stay through every change, at any depth; own keys that are removed
// go, and only they.
func TestAccCustomer_metadataMerge(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(object string) string { return service.Config(withMetadata("custom_metadata = " + object)) }
	runCustomer(t,
		resource.TestStep{Config: config(`{ team = "growth", limits = { seats = 5, storage = 10 }, list = [1, 2] }`)},
		resource.TestStep{
			PreConfig: other.patch(
				`{"custom_metadata_mode":"merge","custom_metadata":{"crm":{"owner":"ana"},"limits":{"calls":100}}}`),
			Config:           config(`{ team = "growth", limits = { seats = 5, storage = 10 }, list = [1, 2] }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			Config:           config(`{ team = "growth", limits = { seats = 6, storage = 10 }, list = [1, 2, 3] }`),
			ConfigPlanChecks: updates(),
			Check: other.metadata(
				`{"team":"growth","limits":{"seats":6,"storage":10,"calls":100},"list":[1,2,3],"crm":{"owner":"ana"}}`),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, at("effective_custom_metadata"),
				knownvalue.StringExact(
					`{"crm":{"owner":"ana"},"limits":{"calls":100,"seats":6,"storage":10},"list":[1,2,3],"team":"growth"}`))},
		},
		resource.TestStep{
			Config:           config(`{ limits = { seats = 6 } }`),
			ConfigPlanChecks: updates(),
			Check:            other.metadata(`{"limits":{"seats":6,"calls":100},"crm":{"owner":"ana"}}`),
		},
		emptyPlan(config(`{ limits = { seats = 6 } }`)),
		resource.TestStep{
			PreConfig:        other.patch(`{"custom_metadata_mode":"merge","custom_metadata":{"limits":{"seats":99}}}`),
			Config:           config(`{ limits = { seats = 6 } }`),
			ConfigPlanChecks: updates(),
			Check:            other.metadata(`{"limits":{"seats":6,"calls":100},"crm":{"owner":"ana"}}`),
		},
		resource.TestStep{
			Config:           service.Config(withMetadata("")),
			ConfigPlanChecks: updates(),
			Check:            other.metadata(`{"limits":{"calls":100},"crm":{"owner":"ana"}}`),
		},
		emptyPlan(service.Config(withMetadata(""))),
	)
}

// TestAccCustomer_metadataNotation: what means the same JSON is not a change, however it is written.
func TestAccCustomer_metadataNotation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(object string) string { return service.Config(withMetadata("custom_metadata = " + object)) }
	runCustomer(t,
		resource.TestStep{Config: config(`"text"`), ExpectError: regexp.MustCompile(`takes\s+an\s+object`)},
		resource.TestStep{Config: config(`["a"]`), ExpectError: regexp.MustCompile(`takes\s+an\s+object`)},
		resource.TestStep{
			Config: config(`{ list = ["a", "b"], map = { x = "1" }, n = 1.50, big = 9007199254740993, nothing = null }`)},
		emptyPlan(
			config(`{ list = tolist(["a", "b"]), map = tomap({ x = "1" }), n = 1.5, big = 9007199254740993, nothing = null }`)),
		emptyPlan(
			config(`jsondecode("{\"nothing\":null,\"big\":9007199254740993,\"n\":15e-1,\"map\":{\"x\":\"1\"},\"list\":[\"a\",\"b\"]}")`)),
	)
}

func TestAccCustomer_metadataReplace(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(object string) string {
		return service.Config(withMetadata("custom_metadata_mode = \"replace\"\ncustom_metadata = " + object))
	}
	runCustomer(t,
		resource.TestStep{Config: config(`{ a = 1, b = { c = 2 } }`)},
		emptyPlan(config(`{ a = 1, b = { c = 2 } }`)),
		resource.TestStep{
			PreConfig:        other.patch(`{"custom_metadata_mode":"merge","custom_metadata":{"foreign":true,"b":{"d":3}}}`),
			Config:           config(`{ a = 1, b = { c = 2 } }`),
			ConfigPlanChecks: updates(),
			Check:            other.metadata(`{"a":1,"b":{"c":2}}`),
		},
		resource.TestStep{Config: config(`{}`), Check: other.metadata(`{}`)},
		emptyPlan(config(`{}`)),
	)
}

// TestAccCustomer_metadataDefaults: keys of default_custom_metadata are owned like the resource's own, which win.
func TestAccCustomer_metadataDefaults(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(defaults, lines string) string {
		return service.Config(withMetadata(lines), "default_custom_metadata = "+defaults)
	}
	for _, mode := range []string{"merge", "replace"} {
		lines := `custom_metadata = { limits = { seats = 5 }, team = "sales" }` + "\ncustom_metadata_mode = \"" + mode + "\""
		runCustomer(t,
			resource.TestStep{
				Config: config(`{ managed_by = "terraform", team = "none", limits = { calls = 1 } }`, lines),
				Check:  other.metadata(`{"managed_by":"terraform","team":"sales","limits":{"calls":1,"seats":5}}`),
			},
			emptyPlan(config(`{ managed_by = "terraform", team = "none", limits = { calls = 1 } }`, lines)),
			resource.TestStep{
				PreConfig:        other.patch(`{"custom_metadata_mode":"merge","custom_metadata":{"managed_by":"hand"}}`),
				Config:           config(`{ managed_by = "terraform", team = "none", limits = { calls = 1 } }`, lines),
				ConfigPlanChecks: updates(),
				Check:            other.metadata(`{"managed_by":"terraform","team":"sales","limits":{"calls":1,"seats":5}}`),
			},
			resource.TestStep{
				Config:           config(`{ limits = { calls = 2 } }`, lines),
				ConfigPlanChecks: updates(),
				Check:            other.metadata(`{"team":"sales","limits":{"calls":2,"seats":5}}`),
			},
			emptyPlan(config(`{ limits = { calls = 2 } }`, lines)),
		)
	}
}

// TestAccCustomer_metadataNulls: a service that does not store nulls is not a reason for a plan without end.
func TestAccCustomer_metadataNulls(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.Tolerating(sandbox.Tolerance{NullsChangeNothing: true}))
	config := func(object string) string { return service.Config(withMetadata("custom_metadata = " + object)) }
	runCustomer(t,
		resource.TestStep{Config: config(`{ a = 1, b = 2 }`)},
		resource.TestStep{Config: config(`{ a = null, b = 2, c = null }`), ConfigPlanChecks: updates()},
		emptyPlan(config(`{ a = null, b = 2, c = null }`)),
	)
}

// TestAccCustomer_metadataImport: an import takes the whole object in, its plan is empty for a configuration that names
// fewer keys, and the first apply after it removes nothing. What the configuration names then is its own.
func TestAccCustomer_metadataImport(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"merge", "replace"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			other := outside{service, t, "m-1"}
			created := service.Must("POST", "/v1/customers", acctest.JSON{"name": "A", "external_id": "m-1",
				"custom_metadata": acctest.JSON{"a": 1, "b": acctest.JSON{"c": 2, "d": 3}, "z": true}})
			id := created["customer"].(acctest.JSON)["id"].(string)
			block := "import {\n  to = billing_customer.test\n  id = \"" + id + "\"\n}\n"
			imported := func(lines string) string { return service.Config(block + withMetadata(lines)) }
			config := func(object string) string {
				return service.Config(withMetadata("custom_metadata = " + object + "\ncustom_metadata_mode = \"" + mode + "\""))
			}
			first := resource.TestStep{Config: imported(`custom_metadata = { a = 1, b = { c = 2 } }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address,
					plancheck.ResourceActionNoop)}}}
			steps := []resource.TestStep{
				first,
				{Config: config(`{ a = 2, b = { c = 2 } }`), ConfigPlanChecks: updates(), ExpectNonEmptyPlan: mode == "replace",
					Check: other.metadata(`{"a":2,"b":{"c":2,"d":3},"z":true}`)},
			}
			if mode == "merge" {
				steps = append(steps,
					emptyPlan(config(`{ a = 2, b = { c = 2 } }`)),
					resource.TestStep{Config: config(`{ a = 2 }`), ConfigPlanChecks: updates(),
						Check: other.metadata(`{"a":2,"b":{"d":3},"z":true}`)},
					emptyPlan(config(`{ a = 2 }`)))
			} else {
				steps = append(steps,
					resource.TestStep{Config: config(`{ a = 2, b = { c = 2 } }`), ConfigPlanChecks: updates(),
						Check: other.metadata(`{"a":2,"b":{"c":2}}`)})
			}
			runCustomer(t, steps...)
		})
	}
}

// TestAccCustomer_metadataOfOthers: a configuration that never named custom_metadata never touches it.
func TestAccCustomer_metadataOfOthers(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata(""))},
		resource.TestStep{
			PreConfig:        other.patch(`{"custom_metadata":{"crm":{"owner":"ana"}}}`),
			Config:           service.Config(withMetadata("notes = \"x\"")),
			ConfigPlanChecks: updates(),
			Check:            other.metadata(`{"crm":{"owner":"ana"}}`),
		},
		emptyPlan(service.Config(withMetadata("notes = \"x\""))),
	)
}
