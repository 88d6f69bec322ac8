package subscription_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestNewestInvoice: the newest invoice of many is one request.
func TestNewestInvoice(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	contracts(service)
	for range 3 {
		service.Sandbox.Clock().Advance(month)
	}
	all, _ := service.Read("billing_invoices", acctest.JSON{})
	listed, _ := all["invoices"].([]any)
	service.Sandbox.ResetRequests()
	newest, said := service.Read("billing_invoices", acctest.JSON{"limit": 1, "sort_order": "desc"})
	if requests := service.Count("invoices.list"); requests != 1 || acctest.Errors(said) != "" || len(listed) < 5 {
		t.Fatalf("%d requests for one of %d: %s", requests, len(listed), acctest.Errors(said))
	}
	if have, want := fmt.Sprint(newest["invoices"]), fmt.Sprint(listed[len(listed)-1:]); have != want {
		t.Errorf("%s, want %s", have, want)
	}
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
		"not listed": {option: acctest.Tolerating(sandbox.Tolerance{ItemsNotListed: true}), requests: 1, missing: true},
		"not found":  {option: acctest.Tolerating(sandbox.Tolerance{ItemsNotFound: true}), requests: 1, missing: true},
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
			listed, said := service.List("billing_subscription", acctest.JSON{}, true)
			if n := service.Count("subscriptions.items.list"); n != c.requests || len(listed) != 4 ||
				acctest.Errors(said) != "" {
				t.Errorf("%d requests for %d subscriptions: %s", n, len(listed), acctest.Errors(said))
			}
			if text := acctest.Warnings(said); strings.Contains(text, "cannot be read") != (c.warns != "") ||
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
			if _, said := service.List("billing_subscription", acctest.JSON{},
				false); service.Count("subscriptions.items.list") != 0 || len(said) > 0 {
				t.Errorf("the list without resources: %v after %v", said, service.Operations())
			}
			data, said := service.Read("billing_subscription", acctest.JSON{"external_id": "both"})
			items, _ := data["items"].([]any)
			if acctest.Errors(said) != "" || (data["items"] == nil) != c.missing || !c.missing && len(items) != 1 {
				t.Errorf("the data source shows %v: %s", data["items"], acctest.Errors(said))
			}
			service.Sandbox.ResetRequests()
			many, said := service.Read("billing_subscriptions", acctest.JSON{"status": "active", "include_items": true})
			subscriptions, _ := many["subscriptions"].([]any)
			if n := service.Count("subscriptions.items.list"); len(subscriptions) != 3 || n != min(3, c.requests) ||
				acctest.Errors(said) != "" {
				t.Errorf("%d requests for %d subscriptions: %s", n, len(subscriptions), acctest.Errors(said))
			}
		})
	}
}

// first is the id of the subscription with that external_id.
func first(t *testing.T, service *acctest.Service, externalID string) string {
	t.Helper()
	found, said := service.Read("billing_subscription", acctest.JSON{"external_id": externalID})
	id, ok := found["id"].(string)
	if !ok {
		t.Fatal(acctest.Errors(said))
	}
	return id
}
