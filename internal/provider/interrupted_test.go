package provider_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestInterrupted: while one object of each type is created, changed and destroyed, one operation fails for ever or
// does not respond, and the run is interrupted. Every object that the service has by then is in the state, or an error
// names it, and nothing waits for longer than the 8 seconds that a request under way has.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	faults := map[string]sandbox.Fault{"503": {Status: http.StatusServiceUnavailable},
		"503 after it": {Status: http.StatusServiceUnavailable, After: true}, "slow": {Latency: time.Minute}}
	for _, stage := range []string{"create", "change", "destroy"} {
		for _, operation := range operationsOf(t, stage) {
			for name, fault := range faults {
				fault.Operation = operation
				t.Run(stage+" "+operation+" "+name, func(t *testing.T) {
					t.Parallel()
					acctest.Virtually(t, func(t *testing.T) { interrupted(t, stage, fault) })
				})
			}
		}
	}
}

// operationsOf are those that the apply of a stage uses, and the one that nothing may wait for.
func operationsOf(t *testing.T, stage string) []string {
	t.Helper()
	used := map[string]bool{"me.get": true}
	acctest.Virtually(t, func(t *testing.T) {
		service, workspace, plan := staged(t, stage)
		service.Sandbox.ResetRequests()
		if done := workspace.Apply(plan, false); len(done.Errors) > 0 {
			t.Fatal(done.Errors)
		}
		for _, operation := range service.Operations() {
			used[operation] = true
		}
	})
	return slices.Sorted(maps.Keys(used))
}

// staged is a plan of a stage, with a state of what comes before it.
func staged(t *testing.T, stage string) (*acctest.Service, *core.Workspace, *core.Plan) {
	t.Helper()
	service := acctest.Start(t, acctest.InMemory)
	workspace := service.Core()
	if stage != "create" {
		if done := workspace.Apply(workspace.Plan(oneOfEach("first", "active")), false); len(done.Errors) > 0 {
			t.Error(done.Errors)
		}
	}
	c := oneOfEach("first", "active")
	if stage == "change" {
		c = oneOfEach("second", "suspended")
	}
	c.Destroy = stage == "destroy"
	plan := workspace.Plan(c)
	if len(plan.Errors) > 0 {
		t.Error(plan.Errors)
	}
	return service, workspace, plan
}

// interrupted checks an apply that meets the fault and is interrupted.
func interrupted(t *testing.T, stage string, fault sandbox.Fault) {
	t.Helper()
	const until, longest = time.Second, 8 * time.Second
	service, workspace, plan := staged(t, stage)
	service.Sandbox.AddFault(fault)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), until)
	defer cancel()
	workspace.Interrupted = ctx.Done()
	began := time.Now()
	done := workspace.Apply(plan, false)
	if took := time.Since(began); took > until+longest {
		t.Errorf("the apply ended %s after the interrupt", took-until)
	}
	service.Sandbox.ClearFaults()
	state := fmt.Sprint(done.Errors)
	for _, address := range workspace.Addresses() {
		state += fmt.Sprint(workspace.State(address))
	}
	for _, object := range alive(service) {
		known := slices.ContainsFunc([]string{"id", "external_id", "url", "name"}, func(name string) bool {
			value, _ := object[name].(string)
			return value != "" && strings.Contains(state, value)
		})
		if !known {
			t.Errorf("the state and the errors lack %v: %s", object, done.Errors)
		}
	}
}

// alive are the objects of the service that have not ended, but for the key of the provider.
func alive(service *acctest.Service) (all []acctest.JSON) {
	for _, path := range []string{"/v1/customers", "/v1/billing-accounts", "/v1/subscriptions",
		"/api/v1/webhook-endpoints", "/api/v1/api-keys"} {
		_, response := service.Call(http.MethodGet, path+"?per_page=100", nil)
		items, _ := response["data"].([]any)
		for _, item := range items {
			object, _ := item.(acctest.JSON)
			prefix, _ := object["keyPrefix"].(string)
			ended := object["status"] == "canceled" || object["status"] == "closed" || object["revokedAt"] != nil
			if !ended && (prefix == "" || !strings.HasPrefix(service.CollectionsKey, prefix)) {
				all = append(all, object)
			}
		}
	}
	for _, record := range service.FinanceRecords(collection) {
		if record["note"] != nil { // none of those that the sandbox begins with
			record["name"] = fmt.Sprintf("the collection %q", collection)
			all = append(all, record)
		}
	}
	return all
}

const collection = "payables"

// oneOfEach is a configuration with one object of each type.
func oneOfEach(text, status string) core.Configuration {
	const customer, account = "billing_customer.c", "billing_account.a"
	refer := func(values acctest.JSON, argument, address string) func(map[string]acctest.JSON) (acctest.JSON, error) {
		return func(objects map[string]acctest.JSON) (acctest.JSON, error) {
			whole := maps.Clone(values)
			whole[argument] = objects[address]["id"]
			return whole, nil
		}
	}
	return core.Configuration{Blocks: []core.Block{
		{Address: customer, Values: acctest.JSON{"name": "Ana", "external_id": "customer-1", "notes": text,
			"create_billing_account": false}},
		{Address: account, Needs: []string{customer}, Evaluate: refer(acctest.JSON{"external_id": "account-1",
			"status": status, "custom_metadata": acctest.JSON{"a": text}}, "customer_id", customer)},
		{Address: "billing_subscription.s", Needs: []string{account}, Evaluate: refer(acctest.JSON{
			"external_id": "subscription-1", "plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01",
			"pause": pauseWhile(status), "custom_metadata": acctest.JSON{"a": text}}, "billing_account_id", account)},
		{Address: "billing_webhook_endpoint.e", Values: acctest.JSON{"url": "https://example.com/hook",
			"description": text, "rotate_secret_when_changed": acctest.JSON{"at": text}}},
		{Address: "billing_api_key.k", Values: acctest.JSON{"name": "key-1",
			"rotate_when_changed": acctest.JSON{"at": text}}},
		{Address: "billing_finance_record.r", Values: acctest.JSON{"collection": collection,
			"body": acctest.JSON{"amount": "10.00", "note": text}}},
	}}
}

// pauseWhile is a pause while the account is suspended.
func pauseWhile(status string) any {
	if status == "active" {
		return nil
	}
	return acctest.JSON{"behavior": "void"}
}
