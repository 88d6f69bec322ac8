package customer_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func (o outside) field(name string, want any) resource.TestCheckFunc {
	return func(*terraform.State) error {
		o.t.Helper()
		if have := o.customer()[name]; have != want {
			o.t.Errorf("%s at the service: %v, want %v", name, have, want)
		}
		return nil
	}
}

// TestAccCustomer_drift: what another system changed is shown and corrected.
func TestAccCustomer_drift(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := service.Config(withMetadata(`
  notes  = "ours"
  tags   = ["a", "b"]
  emails = [{ value = "a@example.com" }]
  addresses = [{ street = "Rua A", number = "1", country = "BR" }]`))
	drift := func(body, attribute string, seen knownvalue.Check) resource.TestStep {
		return resource.TestStep{
			PreConfig: other.patch(body), Config: config, ConfigPlanChecks: updates(),
			Check:             other.field("notes", "ours"),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, at(attribute), seen)},
		}
	}
	runCustomer(t,
		resource.TestStep{Config: config},
		drift(`{"notes":"theirs","nickname":"theirs"}`, "nickname", knownvalue.Null()),
		drift(`{"tags":["c"]}`, "tags", knownvalue.SetSizeExact(2)),
		drift(`{"emails":[{"value":"a@example.com"},{"value":"b@example.com"}]}`, "emails", knownvalue.ListSizeExact(1)),
		drift(`{"addresses":[]}`, "addresses", knownvalue.ListSizeExact(1)),
		emptyPlan(config),
	)
}

// TestAccCustomer_sameInOtherWords: masks, order and spelling that mean the same are not a change.
func TestAccCustomer_sameInOtherWords(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	written := func(document, lists string) string {
		return service.Config(withMetadata("document_number = \"" + document + "\"\n" + lists))
	}
	one := `
  tags      = ["a", "b"]
  phones    = [{ value = "1" }, { value = "2", kind = "fax" }]
  addresses = [{ street = "Rua A", country = "BR" }, { street = "Rua B", country = "BR" }]`
	two := `
  tags      = ["b", "a"]
  phones    = [{ value = "2", kind = "fax" }, { value = "1" }]
  addresses = [{ street = "Rua B", country = "BR" }, { street = "Rua A", country = "BR" }]`
	swapped := emptyPlan(written("52998224725", one))
	swapped.PreConfig =
		other.patch(
			`{"document_number":"529.982.247-25","tags":["b","a"],"phones":[{"value":"2","kind":"fax"},{"value":"1"}]}`)
	runCustomer(t,
		resource.TestStep{Config: written("529.982.247-25", one)},
		emptyPlan(written("52998224725", two)),
		swapped,
	)
}

// TestAccCustomer_mainContacts: email owns one entry of emails. Moves between the two lose nothing.
func TestAccCustomer_mainContacts(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(lines string) string { return service.Config(withMetadata(lines)) }
	values := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			items, _ := other.customer()["emails"].([]any)
			var have []string
			for _, item := range items {
				have = append(have, item.(acctest.JSON)["value"].(string))
			}
			if len(have) != len(want) {
				t.Errorf("emails at the service: %v, want %v", have, want)
				return nil
			}
			for i := range want {
				if have[i] != want[i] {
					t.Errorf("emails at the service: %v, want %v", have, want)
				}
			}
			return nil
		}
	}
	external := emptyPlan(config(`email = "b@example.com"`))
	external.PreConfig = other.patch(`{"emails":[{"value":"b@example.com"},{"value":"x@example.com","kind":"crm"}]}`)
	list := func(letters ...string) string {
		items := make([]string, len(letters))
		for i, letter := range letters {
			items[i] = `{ value = "` + letter + `@example.com" }`
		}
		return "\nemails = [" + strings.Join(items, ", ") + "]"
	}
	main := func(letter string) string { return `email = "` + letter + `@example.com"` }
	changes := func(lines string, want ...string) resource.TestStep {
		return resource.TestStep{Config: config(lines), Check: values(want...), ConfigPlanChecks: updates()}
	}
	const a, b, c, d, x = "a@example.com", "b@example.com", "c@example.com", "d@example.com", "x@example.com"
	runCustomer(t,
		resource.TestStep{Config: config(main("a")), Check: values(a)},
		emptyPlan(config(main("a"))),
		// Another main address takes its place.
		changes(main("b"), b),
		// What others add stays, also when the main address changes.
		external,
		changes(main("c"), c, x),
		// Into the list, and out of it again.
		changes(list("c", "x", "d"), c, x, d), // the kind of x is given up
		emptyPlan(config(list("d", "x", "c"))),
		changes(main("d"), c, x, d),
		changes(main("a")+list("a", "b"), a, b),
		changes(main("b")+list("a", "b"), a, b),
		emptyPlan(config(main("b")+list("b", "a"))),
		emptyPlan(config(main("b"))),
		// Given up, the entry stays.
		changes("", a, b),
		emptyPlan(config("")),
		changes(list()),
		emptyPlan(config("")),
	)
}

// TestAccCustomer_deletedOutside: the customer is planned for re-creation, and the old one is not looked for.
func TestAccCustomer_deletedOutside(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata(""))},
		resource.TestStep{
			PreConfig: func() { service.Must("DELETE", "/v1/customers/"+other.customer()["id"].(string), nil) },
			Config:    service.Config(withMetadata("")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)}},
		},
	)
}

// TestAccCustomer_deletionPolicy: prevent holds without the block, abandon leaves the customer where it is.
func TestAccCustomer_deletionPolicy(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	localOnly := resource.TestStep{Config: service.Config(withMetadata(`deletion_policy = "abandon"`)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(address, at("updated_at"), knownvalue.NotNull()),
		}}}
	if service.Sandbox != nil {
		localOnly.PreConfig = service.Sandbox.ResetRequests
		localOnly.Check = func(*terraform.State) error {
			if n := service.Count("customers.update"); n != 0 {
				t.Errorf("deletion_policy alone made %d updates at the service", n)
			}
			return nil
		}
	}
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata(`deletion_policy = "prevent"`))},
		resource.TestStep{Config: service.Config(""),
			ExpectError: acctest.Saying(`deletion_policy prevents that this plan destroys customer "A" … set ` +
				`deletion_policy = "delete"`)},
		localOnly,
		resource.TestStep{Config: service.Config(`data "billing_organization" "me" {}`), Check: other.field("name", "A")},
	)
	service.Must("DELETE", "/v1/customers/"+other.customer()["id"].(string), nil)
}

// TestAccCustomer_noAccount: without a billing account nothing of one is planned or known, and its arguments are
// rejected.
func TestAccCustomer_noAccount(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(withMetadata(`create_billing_account = false`))
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata("create_billing_account = false\npayment_terms_days = 5")),
			ExpectError: regexp.MustCompile(`payment_terms_days of customer "A" needs a billing account`)},
		resource.TestStep{Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(address, at("billing_account_id"), knownvalue.Null()),
				plancheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Null()),
			}}},
		emptyPlan(config),
		resource.TestStep{Config: config, ResourceName: address, ImportState: true,
			ImportStateKind: resource.ImportBlockWithID},
	)
}

// TestAccCustomer_lostResponse: the response to a creation is lost. With an external_id the customer is found again,
// once; without one it is named.
func TestAccCustomer_lostResponse(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("responses are lost on purpose")
	lose := func() {
		service.Sandbox.ResetRequests()
		service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.create", Times: 1, DropAfter: true})
	}
	runCustomer(t,
		resource.TestStep{
			PreConfig: lose,
			Config:    service.Config(`resource "billing_customer" "test" { name = "No external id" }`),
			// It is named, and taken over by nobody.
			ExpectError: acctest.Saying(`Could not create customer "No external id": the outcome is unknown…import {`),
		},
		resource.TestStep{
			PreConfig: lose,
			Config:    service.Config(withMetadata("email = \"a@example.com\"\npayment_terms_days = 7")),
			Check: func(*terraform.State) error {
				if n := service.Count("customers.create"); n != 1 {
					t.Errorf("%d creations were sent, want 1", n)
				}
				return nil
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("billing_account_id"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue(address, at("payment_terms_days"), knownvalue.Int64Exact(7)),
			},
		},
		emptyPlan(service.Config(withMetadata("email = \"a@example.com\"\npayment_terms_days = 7"))),
	)
}

// TestAccCustomer_passingFailures: rate limits and server failures are waited out.
func TestAccCustomer_passingFailures(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("failures are made on purpose")
	fail := func(faults ...sandbox.Fault) func() {
		return func() {
			for _, f := range faults {
				service.Sandbox.AddFault(f)
			}
		}
	}
	runCustomer(t,
		resource.TestStep{
			PreConfig: fail(sandbox.Fault{Operation: "customers.create", Times: 2, Status: 429, RetryAfter: "1"}),
			Config:    service.Config(withMetadata("notes = \"1\"")),
		},
		resource.TestStep{
			PreConfig: fail(sandbox.Fault{Operation: "customers.update", Times: 1, Status: 503},
				sandbox.Fault{Operation: "customers.get", Times: 1, DropBefore: true}, sandbox.Fault{Operation: "customers.get",
					Times: 1, TruncateBody: true}),
			Config: service.Config(withMetadata("notes = \"2\"")),
		},
		resource.TestStep{
			PreConfig:   fail(sandbox.Fault{Operation: "customers.update", Status: 500}),
			Config:      service.Config(withMetadata("notes = \"3\""), "max_retries = 1"),
			ExpectError: regexp.MustCompile(`(?s)Could not update customer "A".*Run again in a\s+few\s+minutes.*Request-Id`),
		},
		resource.TestStep{
			PreConfig:        service.Sandbox.ClearFaults,
			Config:           service.Config(withMetadata("notes = \"3\"")),
			ConfigPlanChecks: updates(),
		},
	)
}

// TestAccCustomer_wrongAddress: a 404 that is not the service's own never drops an object.
func TestAccCustomer_wrongAddress(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a proxy is made up")
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata(""))},
		resource.TestStep{
			PreConfig:   func() { service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.get", Status: 404, HTML: true}) },
			Config:      service.Config(withMetadata("")),
			ExpectError: regexp.MustCompile(`(?s)Nothing\s+was\s+removed`),
		},
		resource.TestStep{PreConfig: service.Sandbox.ClearFaults, Config: service.Config(withMetadata("")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestAccCustomer_halfUpdate: the second of two steps fails; the state says what the service has, and the next plan
// holds the rest.
func TestAccCustomer_halfUpdate(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.Tolerating(sandbox.Tolerance{NullsChangeNothing: true}))
	other := outside{service, t, "m-1"}
	runCustomer(t,
		resource.TestStep{Config: service.Config(withMetadata(`custom_metadata = { a = 1 }`))},
		resource.TestStep{
			PreConfig: func() {
				service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.update", Skip: 1, Times: 1, Status: 422,
					Code: "validation_error"})
			},
			Config:      service.Config(withMetadata("notes = \"kept\"\ncustom_metadata = { a = null }")),
			ExpectError: regexp.MustCompile(`Could not update customer`),
		},
		resource.TestStep{
			PreConfig: func() { service.Sandbox.ClearFaults() },
			Config:    service.Config(withMetadata("notes = \"kept\"\ncustom_metadata = { a = null }")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, at("effective_custom_metadata"), knownvalue.NotNull()),
			}},
			Check: other.field("notes", "kept"),
		},
		emptyPlan(service.Config(withMetadata("notes = \"kept\"\ncustom_metadata = { a = null }"))),
	)
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
