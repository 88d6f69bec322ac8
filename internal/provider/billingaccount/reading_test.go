package billingaccount_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// accounts opens five accounts of two customers, one of them suspended, one closed; it returns the second customer.
func accounts(service *acctest.Service) string {
	create := func(externalID, customer string) (id, owner string) {
		made := service.Must("POST", "/v1/billing-accounts",
			acctest.JSON{"external_id": externalID, "customer": acctest.JSON{"external_id": customer,
				"name": "Customer " + customer}})
		return made["id"].(string), made["customer"].(acctest.JSON)["id"].(string)
	}
	create("r-1", "one")
	suspended, _ := create("r-2", "one")
	service.Must("POST", "/v1/billing-accounts/"+suspended+"/suspend", acctest.JSON{"reason": "unpaid"})
	create("r-3", "two")
	create("r-4", "two")
	closed, two := create("r-5", "two")
	service.Must("POST", "/v1/billing-accounts/"+closed+"/close", acctest.JSON{})
	return two
}

// TestAccount_reading: one by either name, many by filters, also where lists carry no customers and filters do nothing.
// The list resource leaves out what is closed, and has the whole resource, customer_id included.
func TestAccount_reading(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]string{"plain": "",
		"lean": "lean-accounts,ignore-filters"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, acctest.Tolerating(tolerance))
			s.NeedsSandbox("the organization has just these accounts")
			two := accounts(s)
			_, said := s.Core().Read("billing_account", acctest.JSON{"external_id": "r-9"})
			acctest.Says(t, core.Errors(said), "No such billing account")
			one, _ := s.Core().Read("billing_account", acctest.JSON{"external_id": "r-2"})
			again, _ := s.Core().Read("billing_account", acctest.JSON{"id": one["id"]})
			if one["status"] != "suspended" || one["suspension_reason"] != "unpaid" || one["customer_id"] == nil ||
				again["external_id"] != "r-2" {
				t.Errorf("read %v and %v", one, again)
			}
			for _, c := range []struct {
				config       acctest.JSON
				read, listed int
			}{
				{acctest.JSON{}, 5, 4}, {acctest.JSON{"customer_id": two}, 3, 2}, {acctest.JSON{"status": "closed"}, 1, 0},
				{acctest.JSON{"status": "suspended"}, 1, 1}, {acctest.JSON{"external_id": "r-3"}, 1, 1},
				{acctest.JSON{"updated_at_gte": "2026-03-15"}, 0, 0},
			} {
				read, said := s.Core().Read("billing_accounts", c.config)
				all, _ := read["accounts"].([]any)
				if len(all) != c.read {
					t.Errorf("%v reads %v: %s", c.config, all, core.Errors(said))
				}
				if c.config["external_id"] != nil && all[0].(acctest.JSON)["customer_id"] != two {
					t.Errorf("%v reads %v", c.config, all)
				}
				listed, said := s.Core().List("billing_account", c.config, false)
				if len(listed) != c.listed {
					t.Errorf("%v lists %v: %s", c.config, listed, core.Errors(said))
				}
			}
			if some, _ := s.Core().Read("billing_accounts", acctest.JSON{"limit": 2}); len(some["accounts"].([]any)) != 2 {
				t.Errorf("a limit of 2 reads %v", some)
			}
			listed, _ := s.Core().List("billing_account", acctest.JSON{"external_id": "r-3"}, true)
			if have := listed["Customer two (r-3)"]; have["customer_id"] != two || have["status"] != "active" ||
				have["deletion_policy"] != "close" {
				t.Errorf("listed %v", listed)
			}
		})
	}
}
