package provider_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const someID = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"

// wrongNumbers are whole-number arguments with what is none, and what the error says.
var wrongNumbers = map[string]string{
	`resource "billing_customer" "n1" {
  name               = "A"
  payment_terms_days = 1.5
}`: "payment_terms_days: 1.5 is not a whole number of days",
	`resource "billing_account" "n2" {
  customer_id        = "` + someID + `"
  payment_terms_days = 1e30
}`: "payment_terms_days: 1000000000000000000000000000000 is too large",
	`resource "billing_subscription" "n3" {
  billing_account_id = "` + someID + `"
  items              = [{ product_id = "` + someID + `", price_id = "` + someID + `", unit_amount_subcents = 99.99 }]
}`: `items[*].unit_amount_subcents: 99.99 is not a whole number of subcents. A subcent is a ten-thousandth of the currency unit; the function subcents converts an amount: subcents("99.99") is 999900.`,
	`resource "billing_subscription" "n4" {
  billing_account_id = "` + someID + `"
  trial_period_days  = 0.5
  items              = [{ product_id = "` + someID + `", price_id = "` + someID + `", quantity = 2.5 }]
}`: "trial_period_days: 0.5 is not a whole number of days. … items[*].quantity: 2.5 is not a whole number.",
	`resource "billing_api_key" "n5" {
  name              = "k"
  rotate_after_days = 0.5
}`: "rotate_after_days: 0.5 is not a whole number of days",
	`resource "billing_api_key" "n6" {
  name              = "k"
  grace_period_days = 7.25
}`: "grace_period_days: 7.25 is not a whole number of days",
	`resource "billing_webhook_endpoint" "n7" {
  url            = "https://hooks.example.com"
  authentication = { type = "none", credentials_wo_version = 1.1 }
}`: "authentication.credentials_wo_version: 1.1 is not a whole number.",
	`data "billing_customers" "n8" { limit = 1.5 }`: "limit: 1.5 is not " +
		"a whole number.",
	`output "n9" { value = provider::billing::verify_webhook_signature("s", "h", "b", 1, 1.5) }`:    `"tolerance" parameter: 1.5 is not a whole number of seconds. Write a number without decimals, such as with floor(…) or ceil(…).`,
	`output "n10" { value = provider::billing::webhook_signature("s", 99999999999999999999, "b") }`: `"timestamp" parameter: 99999999999999999999 is too large. Write a whole number of seconds of at most 18 digits.`,
	`output "n11" { value = provider::billing::subcents("10.50123") }`: "has 5 decimals, " +
		"more than the 4 that subcents can represent",
	`output "n12" { value = provider::billing::webhook_signature("", 1, "b") }`: "The secret is empty.",
}

// TestAccValues_wholeNumbers: a fraction or a number beyond 64 bits is an error that names the argument and the value,
// and never one of the provider.
func TestAccValues_wholeNumbers(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	var told string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		ErrorCheck: func(err error) error {
			told = strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "│", "")), " ")
			return nil
		},
		Steps: []resource.TestStep{{PlanOnly: true,
			Config: service.Config(strings.Join(slices.Sorted(maps.Keys(wrongNumbers)), "\n"))}},
	})
	for _, text := range wrongNumbers {
		if !acctest.Saying(text).MatchString(told) {
			t.Errorf("no error says %q", text)
		}
	}
	for _, not := range []string{"error in the provider", "report", "tftypes", ".."} {
		if strings.Contains(told, not) {
			t.Errorf("the errors contain %q", not)
		}
	}
	if t.Failed() {
		t.Log(told)
	}
	run(t,
		resource.TestStep{Config: service.Config(organization, "max_retries = 1.5"),
			ExpectError: saying("max_retries: 1.5 is not a whole number.")},
		resource.TestStep{Config: service.Config(organization, "requests_per_second = 1e400"),
			ExpectError: saying(`"1e+400" is not a number above 0`)},
	)
}

// TestAccValues_letterCNPJ: a CNPJ with letters is accepted, classified, found and compared without mask and case.
func TestAccValues_letterCNPJ(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a fixed number is used")
	config := func(number, reference string) string {
		return service.Config(`resource "billing_customer" "c" {
  name                   = "A"
  document_number        = "` + number + `"
  create_billing_account = false
}
data "billing_customer" "c" {
  document_number = "` + reference + `"
  depends_on      = [billing_customer.c]
}
output "kind" { value = provider::billing::document_type("12abc34501de35") }
output "plain" { value = provider::billing::normalize_document("12.abc.345/01de-35") }
`)
	}
	c := func(name string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("billing_customer.c", tfjsonpath.New(name), want)
	}
	id := statecheck.CompareValue(compare.ValuesSame())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		Steps: []resource.TestStep{
			{Config: config("12.ABC.345/01DE-3A", "12.ABC.345/01DE-35"), PlanOnly: true,
				ExpectError: saying(
					`document_number: "12.ABC.345/01DE-3A" does not end in two check digits: only the first 12 characters of a CNPJ can be letters.`)},
			{Config: config("12.ABC.345/01DE-35", "12abc34501de35"), ConfigStateChecks: []statecheck.StateCheck{
				c("document_type", knownvalue.StringExact("cnpj")),
				c("document_number", knownvalue.StringExact("12.ABC.345/01DE-35")),
				id.AddStateValue("billing_customer.c", tfjsonpath.New("id")),
				id.AddStateValue("data.billing_customer.c", tfjsonpath.New("id")),
				statecheck.ExpectKnownOutputValue("kind", knownvalue.StringExact("cnpj")),
				statecheck.ExpectKnownOutputValue("plain", knownvalue.StringExact("12ABC34501DE35")),
			}},
			{Config: config("12abc34501de35", "12.ABC.345/01DE-35"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

// rejected are arguments in which nothing shows, null elements and numbers with too many decimals, and what the error
// says. Terraform points at the resource only, as the values come from a local.
var rejected = map[string]string{
	`resource "billing_webhook_endpoint" "r1" {
  url    = "https://hooks.example.com"
  events = ["charge.paid", null]
}`: "events[*] is null, and the service stores no nulls here. Remove the element, or drop all nulls with [for e in … " +
		": e if e != null].",
	`resource "billing_api_key" "r2" {
  name   = "k"
  scopes = [null]
}`: "scopes[*] is null, and the service stores no nulls here.",
	`resource "billing_subscription" "r3" {
  billing_account_id = "` + someID + `"
  items              = [null]
}`: "items[*] is null, and the service stores no nulls here.",
}

// rejectedInPlan is checked in the plan, as the service may have such a value already.
var rejectedInPlan = map[string]string{
	`resource "billing_subscription" "r5" {
  billing_account_id = "` + someID + `"
  plan_id            = "` + someID + `"
  notes              = local.blank.notes
}`: `notes is empty or has only spaces (got "").`,
	`resource "billing_api_key" "r6" { name = local.blank.name }`:             `name has only invisible characters, such as U+200B (got "\u200b").`,
	`resource "billing_webhook_endpoint" "r7" { url = "http://example.com" }`: `url: "http://example.com" is not an https:// address.`,
}

// TestAccValues_rejected: the error names the argument and what it has, also where Terraform points at the resource
// only.
func TestAccValues_rejected(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	for name, cases := range map[string]map[string]string{"validation": rejected, "plan": rejectedInPlan} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told string
			config := `locals { blank = { notes = "", name = "\u200b" } }` + "\n" +
				strings.Join(slices.Sorted(maps.Keys(cases)), "\n")
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories,
				ErrorCheck:               func(err error) error { told = err.Error(); return nil },
				Steps:                    []resource.TestStep{{PlanOnly: true, Config: service.Config(config)}},
			})
			for _, text := range cases {
				if !acctest.Saying(text).MatchString(told) {
					t.Errorf("no error says %q: %s", text, told)
				}
			}
		})
	}
}

// TestAccValues_swap: for two objects that swap their external_ids the error says how, and does not say to import one
// that is in this state; so is one that is created before the other is destroyed.
func TestAccValues_swap(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	customers := func(a, b string) string {
		return service.Config(`resource "billing_customer" "a" {
  name        = "A"
  external_id = "` + a + `"
}
resource "billing_customer" "b" {
  name        = "B"
  external_id = "` + b + `"
}
`)
	}
	told := ""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		ErrorCheck:               func(err error) error { told = err.Error(); return nil },
		Steps: []resource.TestStep{{Config: customers("swap-1", "swap-2")},
			{Config: customers("swap-2", "swap-1")}},
	})
	if !acctest.Saying("Could not update customer … the external_id is taken … The external_id was not changed. Where "+
		"two objects of this configuration swap theirs").MatchString(told) ||
		strings.Contains(told, "import {") || strings.Contains(told, "created") {
		t.Error(told)
	}
	account := func(customer string) string {
		return service.Config(`resource "billing_customer" "c1" {
  name                   = "C1"
  create_billing_account = false
}
resource "billing_customer" "c2" {
  name                   = "C2"
  create_billing_account = false
}
resource "billing_account" "a" {
  customer_id = billing_customer.` + customer + `.id
  external_id = "cbd"
  lifecycle { create_before_destroy = true }
}
`)
	}
	run(t,
		resource.TestStep{Config: account("c1")},
		resource.TestStep{Config: account("c2"),
			ExpectError: saying("the external_id is taken … Nothing was created. … If this plan replaces the other object " +
				"under create_before_destroy, remove that setting")},
	)
}
