package provider_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// mixedUp are the resources with a change of each, and the operations whose response may be that of another object.
var mixedUp = map[string]struct {
	get, update string
	config      func(s *acctest.Service, url string) acctest.JSON
	change      acctest.JSON
	path        string // of the objects
}{
	"billing_customer": {"customers.get", "customers.update",
		func(*acctest.Service, string) acctest.JSON {
			return acctest.JSON{"name": "A", "create_billing_account": false}
		},
		acctest.JSON{"notes": "x"}, "/v1/customers/"},
	"billing_account": {"billing_accounts.get", "billing_accounts.update",
		func(s *acctest.Service, _ string) acctest.JSON {
			return acctest.JSON{"customer_id": newCustomer(s)}
		},
		acctest.JSON{"payment_terms_days": 7}, "/v1/billing-accounts/"},
	"billing_subscription": {"subscriptions.get", "subscriptions.update",
		func(s *acctest.Service, _ string) acctest.JSON {
			account := s.Must("POST", "/v1/billing-accounts", acctest.JSON{"customer": acctest.JSON{"id": newCustomer(s)}})
			return acctest.JSON{"billing_account_id": account["id"], "plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"}
		},
		acctest.JSON{"notes": "x"}, "/v1/subscriptions/"},
	"billing_webhook_endpoint": {"webhook_endpoints.get", "webhook_endpoints.update",
		func(_ *acctest.Service, url string) acctest.JSON {
			return acctest.JSON{"url": url}
		},
		acctest.JSON{"description": "x"}, "/api/v1/webhook-endpoints/"},
	"billing_api_key": {"api_keys.get", "", // a key is never updated
		func(*acctest.Service, string) acctest.JSON { return acctest.JSON{"name": "ci"} }, nil, "/api/v1/api-keys/"},
	"billing_finance_record": {"finance.records.get", "finance.records.update",
		func(*acctest.Service, string) acctest.JSON {
			return acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "A"}}
		}, acctest.JSON{"body": acctest.JSON{"name": "B"}}, "/v1/payables/"},
}

func newCustomer(s *acctest.Service) string {
	made, _ := s.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Owner", "create_billing_account": false})["customer"].(acctest.JSON)
	return made["id"].(string)
}

// TestMixedUpResponses: where a read or an update gets another object, nothing of that object comes into
// the state, and it is not touched.
func TestMixedUpResponses(t *testing.T) {
	t.Parallel()
	for name, c := range mixedUp {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := acctest.NewReceiver(t)
			s := acctest.Start(t, acctest.Receiving(receiver))
			s.NeedsSandbox("responses are made up")
			first, second := s.Direct(name), s.Direct(name)
			config, other := c.config(s, receiver.URL), c.config(s, receiver.URL)
			if body, ok := other["body"].(acctest.JSON); ok {
				body["name"] = "other"
			}
			first.Set(config)
			second.Set(other)
			theirs := strings.Trim(second.Text("id"), `"`)
			body, err := json.Marshal(acctest.JSON{"data": object(s, name, c.path+theirs)})
			if err != nil {
				t.Fatal(err)
			}
			before := first.State()
			fails := func(operation string, do func() string) {
				t.Helper()
				s.Sandbox.AddFault(sandbox.Fault{Operation: operation, Times: 1, Body: string(body)})
				if text := do(); !strings.Contains(text, "the response shows another object") || !strings.Contains(text, theirs) ||
					!strings.Contains(text, "Request-Id") {
					t.Errorf("%s: %s", operation, text)
				}
				if !first.State().Equal(before) {
					t.Errorf("%s: the state is now %s", operation, first.State())
				}
			}
			fails(c.get, func() string { return acctest.Errors(first.Refresh()) })
			if c.change != nil {
				changed := maps.Clone(config)
				maps.Copy(changed, c.change)
				fails(c.update, func() string { return acctest.Errors(first.Apply(first.Plan(changed))) })
			}
			if text := acctest.Errors(first.Refresh()); text != "" {
				t.Error(text)
			}
			for _, r := range s.Sandbox.Requests() {
				if strings.HasSuffix(r.Path, theirs) && r.Method != "GET" {
					t.Errorf("%s %s was sent", r.Method, r.Path)
				}
			}
		})
	}
}

// object is an object as the service of its type shows it.
func object(s *acctest.Service, typeName, path string) acctest.JSON {
	switch typeName {
	case "billing_finance_record":
		return s.MustFinance("GET", path, nil)
	case "billing_webhook_endpoint", "billing_api_key":
		return s.MustCollections("GET", path, nil)
	}
	return s.Must("GET", path, nil)
}

// TestAccMixedUpResponse: a subscription whose refresh shows another one is not replaced, and the other one is not
// canceled.
func TestAccMixedUpResponse(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("responses are made up")
	config := s.Config(`
resource "billing_customer" "one" { name = "One" }
resource "billing_subscription" "one" {
  billing_account_id = billing_customer.one.billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`)
	made := s.Must("POST", "/v1/customers", acctest.JSON{"name": "Other"})["billing_account"].(acctest.JSON)
	other := s.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": made["id"],
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"})
	mixUp := func() {
		s.Sandbox.AddFault(sandbox.Fault{Operation: "subscriptions.get", Times: 1, Other: true})
	}
	run(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: mixUp, Config: config, ExpectError: saying("the response shows another object … " +
			other["id"].(string))},
		resource.TestStep{Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
	if status := s.Must("GET", "/v1/subscriptions/"+other["id"].(string), nil)["status"]; status != "active" {
		t.Errorf("the other subscription is %v", status)
	}
}
