package provider_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestRequestsOfAnApply: a creation is one POST and an update one PATCH, and nothing is read in an apply but, once,
// whom the token belongs to.
func TestRequestsOfAnApply(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("requests are counted")
	apply := func(d *acctest.Direct, config acctest.JSON, want ...string) {
		t.Helper()
		plan := d.Plan(config)
		s.Sandbox.ResetRequests()
		if text := acctest.Errors(d.Apply(plan)); text != "" {
			t.Fatal(text)
		}
		var got []string
		for _, request := range s.Sandbox.Requests() {
			got = append(got, request.Method+" "+request.Operation)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the apply sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	id := func(d *acctest.Direct) (id string) {
		if err := json.Unmarshal([]byte(d.Text("id")), &id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	customer := s.Direct("billing_customer")
	apply(customer, acctest.JSON{"name": "Ana", "external_id": "c-1", "create_billing_account": false},
		"POST customers.create", "GET me.get")
	apply(customer, acctest.JSON{"name": "Ana", "external_id": "c-1", "create_billing_account": false, "notes": "new"},
		"PATCH customers.update")
	account := s.Direct("billing_account")
	apply(account, acctest.JSON{"customer_id": id(customer), "external_id": "a-1"},
		"POST billing_accounts.create", "GET me.get")
	apply(account, acctest.JSON{"customer_id": id(customer), "external_id": "a-1",
		"payment_terms_days": 15},
		"PATCH billing_accounts.update")
	subscription := s.Direct("billing_subscription")
	apply(subscription, acctest.JSON{"billing_account_id": id(account), "external_id": "s-1",
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"},
		"POST subscriptions.create", "GET me.get")
	apply(subscription, acctest.JSON{"billing_account_id": id(account), "external_id": "s-1",
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01", "notes": "new"},
		"PATCH subscriptions.update")
}
