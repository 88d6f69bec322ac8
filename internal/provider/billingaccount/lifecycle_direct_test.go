package billingaccount_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
)

// TestAccount_touches holds plan and result of each kind of change against what it can touch, in both directions.
func TestAccount_touches(t *testing.T) {
	t.Parallel()
	suspended := acctest.JSON{"status": "suspended", "status_reason": "unpaid"}
	for name, c := range map[string]struct {
		before, after    acctest.JSON
		arguments, known []string
	}{
		"payment_terms_days": {nil, acctest.JSON{"payment_terms_days": 20}, []string{"payment_terms_days"},
			[]string{"updated_at"}},
		"external_id": {nil, acctest.JSON{"external_id": "a-2"}, []string{"external_id"}, []string{"updated_at"}},
		"custom_metadata": {nil, acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}},
			[]string{"custom_metadata", "effective_custom_metadata"}, []string{"updated_at"}},
		"suspended": {nil, suspended, []string{"status", "status_reason"},
			[]string{"suspended_at", "suspension_reason", "updated_at"}},
		"active": {suspended, acctest.JSON{"status": "active"}, []string{"status", "status_reason"},
			[]string{"suspended_at", "suspension_reason", "updated_at"}},
		"deletion_policy": {nil, acctest.JSON{"deletion_policy": "abandon"}, []string{"deletion_policy"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.Configure(c.before)
			s.service.Sandbox.Clock().Advance(time.Hour)
			s.Reread()
			p := s.Plan(s.With(c.after))
			if have := p.Unknown(t); !slices.Equal(have, c.known) {
				t.Errorf("known after apply: %v, want %v", have, c.known)
			}
			before := s.State()
			if text := acctest.Errors(s.Apply(p)); text != "" {
				t.Fatal(text)
			}
			s.Reread()
			for _, changed := range acctest.Differences(t, before, s.State()) {
				if !slices.Contains(c.arguments, changed) && !slices.Contains(c.known, changed) {
					t.Errorf("%s has changed, which the plan did not show", changed)
				}
			}
			s.Settled(c.after)
		})
	}
}

// TestAccount_fields sets, changes and removes every argument, and holds the results to an empty plan and to what the
// service has.
func TestAccount_fields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, cleared any }{
		"external_id":        {"x-1", "x-2", nil},
		"billing_email":      {"a@example.com", "b@example.com", "b@example.com"},
		"payment_terms_days": {1, 90, 90},
		"auto_collection":    {true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			for _, value := range []any{c.before, c.after} {
				s.Configure(acctest.JSON{name: value})
				s.Settled(acctest.JSON{name: value})
			}
			s.Configure(acctest.JSON{name: nil})
			s.Settled(acctest.JSON{name: nil})
			have := s.remote()[name]
			if number, ok := have.(interface{ Int64() (int64, error) }); ok {
				whole, _ := number.Int64()
				have = int(whole)
			}
			if have != c.cleared {
				t.Errorf("the service has %v, want %v", have, c.cleared)
			}
		})
	}
}

// TestAccount_defaults come from the service.
func TestAccount_defaults(t *testing.T) {
	t.Parallel()
	s := open(t)
	if unknown := s.Plan(s.With(nil)).Unknown(t); !slices.Contains(unknown, "payment_terms_days") ||
		!slices.Contains(unknown, "auto_collection") || !slices.Contains(unknown, "status") {
		t.Errorf("known after apply: %v", unknown)
	}
	s.Configure(nil)
	s.Is("payment_terms_days", "10")
	s.Is("auto_collection", "true")
	s.Is("status", `"active"`)
	s.Is("billing_email", `"ana@example.com"`)
	s.patch(acctest.JSON{"payment_terms_days": 30})
	s.Settled(nil)
	s.Is("payment_terms_days", "30")
}

// TestAccount_status: suspended and active again, with the reason; before other changes when it becomes active, after
// them when not.
func TestAccount_status(t *testing.T) {
	t.Parallel()
	s := open(t)
	suspended := acctest.JSON{"status": "suspended", "status_reason": "unpaid", "payment_terms_days": 5}
	s.service.Sandbox.ResetRequests()
	s.Configure(suspended)
	s.asked("create", "suspend")
	s.Is("suspension_reason", `"unpaid"`)
	s.Settled(suspended)
	s.service.Sandbox.ResetRequests()
	s.Configure(acctest.JSON{"status": "active", "status_reason": "paid", "payment_terms_days": 6})
	s.asked("reactivate", "update")
	says(t, string(s.service.Sandbox.Requests()[0].Body), `{"reason":"paid"}`)
	s.Is("suspended_at", "null")
	s.service.Sandbox.ResetRequests()
	s.Configure(acctest.JSON{"status": "suspended", "payment_terms_days": 7})
	s.asked("update", "suspend")
	// Removed from the configuration, it stays as it is.
	s.Settled(acctest.JSON{"payment_terms_days": 7})
	s.Is("status", `"suspended"`)
}

// TestAccount_destroy: what each deletion_policy does.
func TestAccount_destroy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		operations []string
		status     string
		says       string
	}{
		"close":   {[]string{"close"}, "closed", ""},
		"delete":  {[]string{"delete"}, "", ""},
		"abandon": {nil, "active", "stays at the service"},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.Configure(acctest.JSON{"deletion_policy": policy, "status_reason": "the end"})
			id := s.ID()
			s.service.Sandbox.ResetRequests()
			says(t, s.Set(nil), want.says)
			s.asked(want.operations...)
			status, response := s.service.Call("GET", "/v1/billing-accounts/"+id, nil)
			if data, _ := response["data"].(acctest.JSON); want.status == "" && status != 404 ||
				want.status != "" && data["status"] != want.status {
				t.Errorf("the service has %d %v", status, response)
			}
		})
	}
	s := open(t)
	s.Configure(acctest.JSON{"deletion_policy": "prevent"})
	says(t, acctest.Errors(s.Plan(nil).Diagnostics), "deletion_policy prevents", s.ID(), `"close"`)
	// What is closed or gone already needs nothing.
	for _, end := range []func(s *subject){func(s *subject) { s.outside("close") },
		func(s *subject) { s.service.Must("DELETE", "/v1/billing-accounts/"+s.ID(), nil) }} {
		s := open(t)
		s.Configure(nil)
		end(s)
		s.service.Sandbox.ResetRequests()
		s.Set(nil)
		s.asked()
	}
}

// TestAccount_balance: a plan that closes an account with a balance names both; any other removal says nothing.
func TestAccount_balance(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	if p := s.Plan(nil); len(p.Diagnostics) > 0 {
		t.Errorf("the removal says %s", acctest.Warnings(p.Diagnostics))
	}
	s.Subject = s.service.Rewriting(func(_ string, o acctest.JSON) {
		if _, ok := o["balance_cents"]; ok {
			o["balance_cents"] = 1050
		}
	}).Subject("billing_account", s.Base)
	s.Import("external_id=a-1")
	golden.Said(t, "balance", s.Plan(nil).Diagnostics)
}

// TestAccount_customer: another customer replaces the account; the same one in another spelling, and one that is only
// known after apply, do not. The account of the same customer is no other.
func TestAccount_customer(t *testing.T) {
	t.Parallel()
	s := open(t)
	bea := person(s.service, "Bea")
	s.service.Sandbox.ResetRequests()
	s.Configure(nil)
	for _, request := range s.service.Sandbox.Requests() {
		want := `{"customer":{"id":"` + s.customerID() + `"},"external_id":"a-1"}`
		if body := string(request.Body); request.Method == "POST" && body != want {
			t.Errorf("sent %s", body)
		}
	}
	s.Settled(acctest.JSON{"customer_id": strings.ToUpper(s.customerID())})
	s.Reread()
	if p := s.Plan(s.With(acctest.JSON{"customer_id": bea})); !slices.Equal(p.Replaces, []string{"customer_id"}) ||
		acctest.Errors(p.Diagnostics) != "" {
		t.Errorf("replaced for %v %s", p.Replaces, acctest.Errors(p.Diagnostics))
	}
	s.Reread()
	if p := s.Plan(s.With(acctest.JSON{"customer_id": acctest.Unknown})); len(p.Replaces) > 0 ||
		!slices.Equal(p.Changes(t), []string{"customer_id"}) {
		t.Errorf("replaced for %v, changes %v", p.Replaces, p.Changes(t))
	}
	for _, wrong := range []any{nil, "", "bea"} {
		if text := acctest.Errors(s.Plan(s.With(acctest.JSON{"customer_id": wrong})).Diagnostics); text == "" {
			t.Errorf("customer_id = %v is accepted", wrong)
		}
	}
	s.Settled(nil)
}

// TestAccount_customerOutside: a response that shows another customer is an error that names it, and changes nothing.
func TestAccount_customerOutside(t *testing.T) {
	t.Parallel()
	s := open(t)
	bea := person(s.service, "Bea")
	var wrong atomic.Bool
	rewriting := s.service.Rewriting(func(path string, o acctest.JSON) {
		if c, ok := o["customer"].(acctest.JSON); ok && wrong.Load() {
			c["id"], c["name"] = bea, "Bea"
		}
	})
	s.Subject = rewriting.Subject("billing_account", s.Base)
	s.Configure(nil)
	owner := s.customerID()
	wrong.Store(true)
	golden.Said(t, "customer-moved", s.Refresh())
	s.Is("customer_id", `"`+owner+`"`)
	// Nothing of the response to a creation is used then, and the error names what it may have made.
	other := rewriting.Subject("billing_account", s.With(acctest.JSON{"external_id": "a-2"}))
	says(t, acctest.Errors(other.Apply(other.Plan(other.With(nil)))), "the outcome is unknown", "a cache or proxy",
		`customer.id "`+bea, `external_id "a-2"`, "import {")
	if other.Exists() {
		t.Error("the new account is in the state")
	}
}
