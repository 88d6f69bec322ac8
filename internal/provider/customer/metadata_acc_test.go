package customer_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
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

// TestAccCustomer_metadataNotation: what means the same JSON is not a change, however it is written.
func TestAccCustomer_metadataNotation(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(object string) string { return service.Config(withMetadata("custom_metadata = " + object)) }
	runCustomer(t,
		resource.TestStep{
			Config: config(`{ list = ["a", "b"], map = { x = "1" }, n = 1.50, big = 9007199254740993, nothing = null }`)},
		emptyPlan(
			config(`{ list = tolist(["a", "b"]), map = tomap({ x = "1" }), n = 1.5, big = 9007199254740993, nothing = null }`)),
		emptyPlan(
			config(`jsondecode("{\"nothing\":null,\"big\":9007199254740993,\"n\":15e-1,\"map\":{\"x\":\"1\"},\"list\":[\"a\",\"b\"]}")`)),
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

// TestAccCustomer_tolerance: the provider works unchanged against servers that differ as the wire contract allows.
func TestAccCustomer_tolerance(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{
		"filters are ignored":          {IgnoreFilters: true},
		"objects come bare":            {BareObjects: true},
		"deletes return 204":           {DeleteNoContent: true},
		"no ETag and no Last-Modified": {NoValidators: true},
		"null fields are left out":     {OmitNullFields: true},
		"unknown fields come along":    {UnknownFields: true},
		"errors are flat":              {FlatErrors: true},
		"empty lists are null":         {NullLists: true},
		"accounts without a customer":  {LeanAccounts: true},
		"an item stands on two pages":  {RepeatAcrossPages: true},
		"everything at once but errors": {IgnoreFilters: true, BareObjects: true, DeleteNoContent: true, NoValidators: true,
			OmitNullFields: true, UnknownFields: true, NullLists: true, LeanAccounts: true, RepeatAcrossPages: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, acctest.Tolerating(tolerance))
			for _, name := range []string{"one", "two", "three"} {
				service.Call("POST", "/v1/customers", acctest.JSON{"name": name})
			}
			config := service.Config(full)
			runCustomer(t,
				resource.TestStep{Config: config},
				emptyPlan(config),
				resource.TestStep{Config: config, ResourceName: address, ImportState: true,
					ImportStateKind: resource.ImportBlockWithID, ImportStateId: "external_id=erp-1001"},
				resource.TestStep{Config: service.Config(`resource "billing_customer" "test" {
					external_id = "erp-1001"
					name        = "B"
				}`), ConfigPlanChecks: updates()},
				emptyPlan(service.Config(`resource "billing_customer" "test" {
					external_id = "erp-1001"
					name        = "B"
				}`)),
			)
		})
	}
}
