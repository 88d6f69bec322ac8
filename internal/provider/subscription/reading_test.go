package subscription_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	planA    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
	planB    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
	productA = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
	productB = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12"
	priceA   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
	priceB   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"
)

var (
	itemA = acctest.JSON{"product_id": productA, "price_id": priceA}
	itemB = acctest.JSON{"product_id": productB, "price_id": priceB, "quantity": 3, "unit_amount_subcents": 499000}
)

// accountOf opens a billing account with a new customer and returns its id.
func accountOf(service *acctest.Service) string {
	account, _ := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner"})["billing_account"].(acctest.JSON)
	id, _ := account["id"].(string)
	return id
}

// contracts makes five subscriptions of two accounts, one of them canceled, one without a plan, one paused; it returns
// the accounts.
func contracts(service *acctest.Service) (one, two string) {
	one, two = accountOf(service), accountOf(service)
	create := func(account, externalID string, more acctest.JSON) string {
		body := acctest.JSON{"billing_account_id": account, "external_id": externalID, "plan_id": planA}
		for name, value := range more {
			body[name] = value
			if value == nil {
				delete(body, name)
			}
		}
		id, _ := service.Must("POST", "/v1/subscriptions", body)["id"].(string)
		return id
	}
	create(one, "r-1", nil)
	create(one, "r-2", acctest.JSON{"plan_id": planB, "trial_period_days": 5})
	create(two, "r-3", acctest.JSON{"plan_id": nil, "items": []any{itemA}})
	service.Must("POST", "/v1/subscriptions/"+create(two, "r-4", nil)+"/pause", acctest.JSON{"behavior": "void"})
	service.Must("POST", "/v1/subscriptions/"+create(two, "r-5", nil)+"/cancel", acctest.JSON{"reason": "late"})
	return one, two
}

// TestAccSubscription_dataSources: one by either name, many by filters, and the invoices of a renewal.
func TestAccSubscription_dataSources(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the organization has just these subscriptions")
	_, two := contracts(service)
	service.Sandbox.Clock().Advance(31 * 24 * time.Hour)
	length := func(address, attribute string, n int) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data."+address, at(attribute), knownvalue.ListSizeExact(n))
	}
	value := func(name, attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.billing_subscription."+name, at(attribute), want)
	}
	item := knownvalue.SetExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
		"id": knownvalue.NotNull(), "product_id": knownvalue.StringExact(productA),
		"price_id": knownvalue.StringExact(priceA), "quantity": knownvalue.Int64Exact(1),
		"unit_amount_subcents": knownvalue.Null()})})
	run(t,
		resource.TestStep{Config: service.Config(`data "billing_subscription" "none" { external_id = "r-9" }`),
			ExpectError: regexp.MustCompile(`No such subscription`)},
		resource.TestStep{Config: service.Config(`data "billing_subscription" "both" {
			id          = "x"
			external_id = "r-1"
		}`), ExpectError: regexp.MustCompile(`(?s)exactly\s+one\s+of`)},
		resource.TestStep{Config: service.Config(`
data "billing_subscription" "paused" { external_id = "r-4" }
data "billing_subscription" "items" { external_id = "r-3" }
data "billing_subscriptions" "items" {
  include_items = true
  external_id   = "r-3"
}
data "billing_subscriptions" "last" {
  sort_by    = "external_id"
  sort_order = "desc"
  limit      = 1
}
output "newest" {
  value = data.billing_invoices.newest.invoices[0].id == data.billing_invoices.all.invoices[3].id
}
data "billing_invoices" "newest" {
  limit      = 1
  sort_order = "desc"
}
data "billing_subscription" "canceled" { external_id = "r-5" }
data "billing_subscription" "again" { id = data.billing_subscription.paused.id }
data "billing_subscriptions" "all" {}
data "billing_subscriptions" "some" { limit = 3 }
data "billing_subscriptions" "account" { billing_account_id = "` + two + `" }
data "billing_subscriptions" "plan" { plan_id = "` + planB + `" }
data "billing_subscriptions" "canceled" { status = "canceled" }
data "billing_subscriptions" "code" { external_id = "r-2" }
data "billing_subscriptions" "new" { updated_at_gte = "2026-03-20" }
data "billing_invoices" "all" {}
data "billing_invoices" "account" { billing_account_id = "` + two + `" }
data "billing_invoices" "one" { subscription_id = data.billing_subscriptions.code.subscriptions[0].id }
`), ConfigStateChecks: []statecheck.StateCheck{
			value("paused", "status", knownvalue.StringExact("paused")),
			value("paused", "pause",
				knownvalue.ObjectExact(map[string]knownvalue.Check{"behavior": knownvalue.StringExact("void"),
					"resumes_at": knownvalue.Null()})),
			value("canceled", "cancellation_reason", knownvalue.StringExact("late")),
			value("canceled", "canceled_at", knownvalue.NotNull()),
			value("again", "external_id", knownvalue.StringExact("r-4")),
			value("paused", "items", knownvalue.SetSizeExact(0)),
			value("items", "items", item), value("items", "plan_id", knownvalue.Null()),
			statecheck.ExpectKnownValue("data.billing_subscriptions.items", at("subscriptions"),
				knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"external_id": knownvalue.StringExact("r-3"),
						"items": item})})),
			statecheck.ExpectKnownValue("data.billing_subscriptions.last", at("subscriptions"),
				knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"external_id": knownvalue.StringExact("r-5"),
						"items": knownvalue.Null()})})),
			statecheck.ExpectKnownOutputValue("newest", knownvalue.Bool(true)),
			length("billing_invoices.newest", "invoices", 1),
			length("billing_subscriptions.all", "subscriptions", 5),
			length("billing_subscriptions.some", "subscriptions", 3),
			length("billing_subscriptions.account", "subscriptions", 3),
			length("billing_subscriptions.plan", "subscriptions", 1),
			length("billing_subscriptions.canceled", "subscriptions", 1),
			length("billing_subscriptions.code", "subscriptions", 1),
			length("billing_subscriptions.new", "subscriptions", 3),
			length("billing_invoices.all", "invoices", 4),
			length("billing_invoices.account", "invoices", 2),
			length("billing_invoices.one", "invoices", 1),
			statecheck.ExpectKnownValue("data.billing_invoices.one", at("invoices").AtSliceIndex(0).AtMapKey("json"),
				knownvalue.StringRegexp(regexp.MustCompile(`"subscription_id"`))),
		}},
	)
}

// TestAccSubscriptionList: what is not canceled is listed with its identity and the whole resource.
func TestAccSubscriptionList(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the organization has just these subscriptions")
	_, two := contracts(service)
	const listed = "billing_subscription.all"
	query := func(lines, config string, checks ...querycheck.QueryResultCheck) resource.TestStep {
		return resource.TestStep{Query: true, QueryResultChecks: checks,
			Config: "list \"billing_subscription\" \"all\" {\n  provider = billing\n  " + lines + "\n  config {\n  " +
				config + "\n  }\n}\n"}
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: service.Config("")},
			query("", "", querycheck.ExpectLength(listed, 4)),
			query("", `billing_account_id = "`+two+`"`, querycheck.ExpectLength(listed, 2)),
			query("", `status = "trialing"`, querycheck.ExpectLength(listed, 1)),
			query("include_resource = true", "",
				querycheck.ExpectLength(listed, 4),
				querycheck.ExpectResourceKnownValues(listed, queryfilter.ByDisplayName(knownvalue.StringExact("r-3 (active)")),
					[]querycheck.KnownValueCheck{
						{Path: at("items"), KnownValue: knownvalue.SetSizeExact(1)},
						{Path: at("plan_id"), KnownValue: knownvalue.Null()}}),
				querycheck.ExpectResourceKnownValues(listed, queryfilter.ByDisplayName(knownvalue.StringExact("r-2 (trialing)")),
					[]querycheck.KnownValueCheck{
						{Path: at("trial_end"), KnownValue: knownvalue.Null()},
						{Path: at("plan_id"), KnownValue: knownvalue.StringExact(planB)},
						{Path: at("on_external_cancel"), KnownValue: knownvalue.StringExact("keep")}})),
		},
	})
}

// TestItemsRead: a data source and a list show the items next to a plan too. What the service does not list, or the
// token may not read, is asked for once, and missing.
func TestItemsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option   acctest.Option
		fault    sandbox.Fault
		requests int // for the items of four live subscriptions, two of them with items
		missing  bool
		warns    string
	}{
		"listed":     {requests: 4},
		"not listed": {option: acctest.Tolerating("items-not-listed"), requests: 1, missing: true},
		"not found":  {option: acctest.Tolerating("items-not-found"), requests: 1, missing: true},
		"forbidden": {fault: sandbox.Fault{Operation: "subscriptions.items.list", Status: 403},
			requests: 1, missing: true, warns: "items of subscriptions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options []acctest.Option
			if c.option != nil {
				options = append(options, c.option)
			}
			service := acctest.Start(t, options...)
			one, _ := contracts(service)
			service.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": one, "external_id": "both",
				"plan_id": planA, "items": []any{itemB}})
			service.Must("POST", "/v1/subscriptions/"+first(t, service, "r-2")+"/cancel", acctest.JSON{})
			if c.fault.Operation != "" {
				service.Sandbox.AddFault(c.fault)
			}
			service.Sandbox.ResetRequests()
			listed, said := service.Core().List("billing_subscription", acctest.JSON{}, true)
			if n := service.Count("subscriptions.items.list"); n != c.requests || len(listed) != 4 ||
				core.Errors(said) != "" {
				t.Errorf("%d requests for %d subscriptions: %s", n, len(listed), core.Errors(said))
			}
			if text := core.Warnings(said); strings.Contains(text, "cannot be read") != (c.warns != "") ||
				!strings.Contains(text, c.warns) {
				t.Errorf("the list warns: %s", text)
			}
			for name, items := range map[string]int{"r-1 (active)": 0, "r-3 (active)": 1, "r-4 (paused)": 0,
				"both (active)": 1} {
				have, _ := listed[name]["items"].([]any)
				if c.missing {
					items = 0
				}
				if listed[name] == nil || len(have) != items {
					t.Errorf("%s has the items %v", name, have)
				}
			}
			service.Sandbox.ResetRequests()
			if _, said := service.Core().List("billing_subscription", acctest.JSON{},
				false); service.Count("subscriptions.items.list") != 0 || len(said) > 0 {
				t.Errorf("the list without resources: %v after %v", said, service.Operations())
			}
			data, said := service.Core().Read("billing_subscription", acctest.JSON{"external_id": "both"})
			items, _ := data["items"].([]any)
			if core.Errors(said) != "" || (data["items"] == nil) != c.missing || !c.missing && len(items) != 1 {
				t.Errorf("the data source shows %v: %s", data["items"], core.Errors(said))
			}
			service.Sandbox.ResetRequests()
			many, said := service.Core().Read("billing_subscriptions", acctest.JSON{"status": "active", "include_items": true})
			subscriptions, _ := many["subscriptions"].([]any)
			if n := service.Count("subscriptions.items.list"); len(subscriptions) != 3 || n != min(3, c.requests) ||
				core.Errors(said) != "" {
				t.Errorf("%d requests for %d subscriptions: %s", n, len(subscriptions), core.Errors(said))
			}
		})
	}
}

// first is the id of the subscription with that external_id.
func first(t *testing.T, service *acctest.Service, externalID string) string {
	t.Helper()
	found, said := service.Core().Read("billing_subscription", acctest.JSON{"external_id": externalID})
	id, ok := found["id"].(string)
	if !ok {
		t.Fatal(core.Errors(said))
	}
	return id
}
