package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// billed are the resources of recurring billing, each with the operation that creates it.
var billed = map[string]string{
	"billing_customer": "customers.create", "billing_account": "billing_accounts.create",
	"billing_subscription": "subscriptions.create",
}

// home creates the customer that accounts and subscriptions belong to, and returns its id and that of its account.
func home(s *acctest.Service) (customer, account string) {
	made := s.Must("POST", "/v1/customers", acctest.JSON{"name": "Home"})
	return made["customer"].(acctest.JSON)["id"].(string), made["billing_account"].(acctest.JSON)["id"].(string)
}

// bare is the smallest configuration of a resource of recurring billing, and the body that creates the same.
func bare(s *acctest.Service, name string) (config, body acctest.JSON, path string) {
	customer, account := home(s)
	switch name {
	case "billing_customer":
		return acctest.JSON{"name": "Ana"}, acctest.JSON{"name": "Ana"}, "/v1/customers"
	case "billing_account":
		return acctest.JSON{"customer_id": customer}, acctest.JSON{"customer": acctest.JSON{"id": customer}},
			"/v1/billing-accounts"
	}
	config = acctest.JSON{"billing_account_id": account, "plan_id": runningPlan}
	return config, config, "/v1/subscriptions"
}

// TestAccLost: three creations that were not processed, while the same objects of another workspace exist, fail with
// the import blocks of these. Three that were carried out without a response are found by their external_id; without
// one they are named, each in an error of its own, and none is created twice.
func TestAccLost(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are lost on purpose")
	customer, account := home(s)
	config := func(code string) string {
		return s.Config(strings.ReplaceAll(fmt.Sprintf(`
resource "billing_customer" "r" {
  name = "Ana"
  CODE
}

resource "billing_account" "r" {
  customer_id = %q
  CODE
}

resource "billing_subscription" "r" {
  billing_account_id = %q
  plan_id            = %q
  CODE
}
`, customer, account, runningPlan), "CODE", code))
	}
	theirs := map[string]string{}
	first := s.Must("POST", "/v1/customers", acctest.JSON{"name": "Ana", "external_id": "taken"})
	theirs["customer"] = first["customer"].(acctest.JSON)["id"].(string)
	theirs["account"] = s.Must("POST", "/v1/billing-accounts", acctest.JSON{"customer": acctest.JSON{"id": customer},
		"external_id": "taken"})["id"].(string)
	theirs["subscription"] = s.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": account,
		"plan_id": runningPlan, "external_id": "taken"})["id"].(string)
	s.Sandbox.Clock().Advance(time.Minute)
	each := func(fault sandbox.Fault) func() {
		return func() {
			s.Sandbox.ResetRequests()
			for _, operation := range billed {
				fault.Operation, fault.Times = operation, 1
				s.Sandbox.AddFault(fault)
			}
		}
	}
	run(t, resource.TestStep{PreConfig: each(sandbox.Fault{Status: 503}), Config: config(`external_id = "taken"`),
		ExpectError: acctest.Saying(strings.Repeat("the external_id is taken…import {…", 3))})
	run(t, resource.TestStep{PreConfig: each(sandbox.Fault{Status: 502, After: true, Foreign: "html"}), Config: config(""),
		ExpectError: acctest.Saying(strings.Repeat("the outcome is unknown…import {…", 3))})
	run(t,
		resource.TestStep{PreConfig: each(sandbox.Fault{Status: 502, After: true, Foreign: "html"}),
			Config: config(`external_id = "ours"`),
			Check: func(state *terraform.State) error {
				for name, operation := range billed {
					if n := s.Count(operation); n != 1 {
						return fmt.Errorf("%s was sent %d times", operation, n)
					}
					if id := state.RootModule().Resources[name+".r"].Primary.ID; id == theirs[strings.TrimPrefix(name, "billing_")] {
						return fmt.Errorf("%s is that of another workspace", name)
					}
				}
				return nil
			}},
		resource.TestStep{Config: config(`external_id = "ours"`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
	for name, path := range map[string]string{"customer": "/v1/customers/", "account": "/v1/billing-accounts/",
		"subscription": "/v1/subscriptions/"} {
		if now := s.Must("GET", path+theirs[name], nil); now["external_id"] != "taken" ||
			name != "customer" && now["status"] != "active" {
			t.Errorf("the other workspace's %s is %v", name, now)
		}
	}
}

// TestLostCreations: whatever is lost of a creation, there is one object, or an error that names what may have come of
// it and takes nothing over.
func TestLostCreations(t *testing.T) {
	t.Parallel()
	const adopted, taken, unknown = "instead of", "the external_id is taken", "the outcome is unknown"
	response := map[string]sandbox.Fault{
		"dropped": {DropAfter: true}, "500": {Status: 500, After: true}, "503": {Status: 503, After: true},
		"504": {Status: 504, After: true}, "truncated": {TruncateBody: true}, "HTML": {Status: 200,
			Foreign: "html", After: true},
		"empty": {Empty: true, After: true},
	}
	request := map[string]sandbox.Fault{"dropped": {DropBefore: true}, "503": {Status: 503},
		"HTML": {Status: 502, Foreign: "html"}}
	for row, test := range map[string]struct {
		faults map[string]sandbox.Fault
		code   any // external_id of the creation
		theirs any // and of an equal object of another system that was there before; false: there is none
		says   string
		posts  int
	}{
		"response, external_id":        {response, "e-1", nil, adopted, 1},
		"response, no external_id":     {response, nil, nil, unknown, 1},
		"request, external_id":         {request, "e-1", false, "", 2},
		"request, external_id, theirs": {request, "e-1", "e-1", taken, 1},
		"request, no external_id":      {request, nil, nil, unknown, 1},
	} {
		for how, fault := range test.faults {
			for name, operation := range billed {
				t.Run(row+" "+how+" "+name, func(t *testing.T) {
					t.Parallel()
					s := acctest.Start(t)
					s.NeedsSandbox("requests and responses are lost on purpose")
					config, body, path := bare(s, name)
					config, body = maps.Clone(config), maps.Clone(body)
					config["external_id"] = test.code
					theirs := ""
					if test.theirs != false {
						if test.theirs != nil {
							body["external_id"] = test.theirs
						}
						other := s.Must("POST", path, body)
						if customer, ok := other["customer"].(acctest.JSON); ok && name == "billing_customer" {
							other = customer
						}
						theirs = other["id"].(string)
					}
					s.Sandbox.Clock().Advance(time.Minute)
					object := s.Direct(name)
					fault := fault
					fault.Operation, fault.Times = operation, 1
					s.Sandbox.ResetRequests()
					s.Sandbox.AddFault(fault)
					all := object.Apply(object.Plan(config))
					failure, warnings := acctest.Errors(all), acctest.Warnings(all)
					fails := test.says == taken || test.says == unknown
					if (failure != "") != fails || object.Exists() == fails || !strings.Contains(failure+warnings, test.says) {
						t.Errorf("%s; %s", failure, warnings)
					}
					if n := s.Count(operation); n != test.posts {
						t.Errorf("sent %d times", n)
					}
					names := strings.Contains(failure, "import {")
					if lost := test.says == unknown && strings.HasPrefix(row, "response"); names != (lost || test.says == taken) ||
						lost && strings.Contains(failure, theirs) || test.says == taken && !strings.Contains(failure, theirs) {
						t.Errorf("%s is not named, or another one is: %s", theirs, failure)
					}
					if fails {
						return
					}
					if again := object.Plan(config); !again.Value.Equal(again.Prior) {
						t.Errorf("the next plan is not empty: %s", again.Value)
					}
				})
			}
		}
	}
}

// TestLostAccount: the billing account of a customer that could not be found out is found by the next refresh, and no
// plan hides that it is missing.
func TestLostAccount(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are lost on purpose")
	object := s.Direct("billing_customer")
	s.Sandbox.AddFault(sandbox.Fault{Operation: "customers.create", DropAfter: true, Times: 1})
	s.Sandbox.AddFault(sandbox.Fault{Operation: "billing_accounts.list", Status: 403})
	const unknown = `The billing account of customer "Ana" (id`
	if warnings := object.Set(acctest.JSON{"name": "Ana", "external_id": "ana"}); !strings.Contains(warnings, unknown) {
		t.Errorf("the apply does not warn: %s", warnings)
	}
	refresh := func(warned bool) {
		t.Helper()
		all := object.Refresh()
		if text := acctest.Errors(all); text != "" || strings.Contains(acctest.Warnings(all), unknown) != warned {
			t.Errorf("%s; %s", text, acctest.Warnings(all))
		}
	}
	refresh(true)
	s.Sandbox.ClearFaults()
	refresh(false)
	account := strings.Trim(object.Text("billing_account_id"), `"`)
	if owner := s.Must("GET", "/v1/billing-accounts/"+account,
		nil)["customer"].(acctest.JSON)["id"]; owner != strings.Trim(object.Text("id"), `"`) {
		t.Errorf("the account %s belongs to %v", account, owner)
	}
	s.Sandbox.ResetRequests()
	refresh(false)
	if n := s.Count("billing_accounts.list"); n > 0 {
		t.Errorf("asked %d times for what is known", n)
	}
}

// TestAccLost_named: Terraform folds warnings with the same summary, so each adopted object is in its summary.
func TestAccLost_named(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are lost on purpose")
	terraform := newCommand(t, `
resource "billing_customer" "c" {
  count                  = 3
  name                   = "C"
  external_id            = "c-${count.index}"
  create_billing_account = false
}
resource "billing_account" "a" {
  count       = 3
  external_id = "a-${count.index}"
  customer_id = billing_customer.c[count.index].id
}
`).at(s)
	for _, operation := range []string{"customers.create", "billing_accounts.create"} {
		s.Sandbox.AddFault(sandbox.Fault{Operation: operation, DropAfter: true, Times: 3})
	}
	out := terraform.must("apply", "-auto-approve")
	for i := range 3 {
		for _, address := range []string{"billing_customer.c", "billing_account.a"} {
			id := terraform.idOf(fmt.Sprintf("%s[%d]", address, i))
			if !strings.Contains(out, "(id "+id+") instead of creating it twice") {
				t.Errorf("%s is not named in\n%s", id, out)
			}
		}
	}
}
