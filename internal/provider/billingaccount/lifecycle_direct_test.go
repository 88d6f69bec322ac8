package billingaccount_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccount_touches holds plan and result of each kind of change against what it can touch, in both directions.
func TestAccount_touches(t *testing.T) {
	t.Parallel()
	suspended := acctest.JSON{"status": "suspended", "status_reason": "unpaid"}
	for name, c := range map[string]struct {
		before, after    acctest.JSON
		arguments, known []string
	}{
		"payment_terms_days": {nil, acctest.JSON{"payment_terms_days": 20}, []string{"payment_terms_days"}, []string{"updated_at"}},
		"name":               {nil, acctest.JSON{"name": "B"}, []string{"name"}, []string{"updated_at"}},
		"external_id":        {nil, acctest.JSON{"external_id": "a-2"}, []string{"external_id"}, []string{"updated_at"}},
		"custom_metadata":    {nil, acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}}, []string{"custom_metadata", "effective_custom_metadata"}, []string{"updated_at"}},
		"suspended":          {nil, suspended, []string{"status", "status_reason"}, []string{"suspended_at", "suspension_reason", "updated_at"}},
		"active":             {suspended, acctest.JSON{"status": "active"}, []string{"status", "status_reason"}, []string{"suspended_at", "suspension_reason", "updated_at"}},
		"deletion_policy":    {nil, acctest.JSON{"deletion_policy": "abandon"}, []string{"deletion_policy"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.set(c.before)
			s.service.Sandbox.Clock().Advance(time.Hour)
			s.refresh()
			p := s.Plan(s.with(c.after))
			if have := p.Unknown(t); !slices.Equal(have, c.known) {
				t.Errorf("known after apply: %v, want %v", have, c.known)
			}
			before := s.State()
			if text := acctest.Errors(s.Apply(p)); text != "" {
				t.Fatal(text)
			}
			s.refresh()
			for _, changed := range acctest.Differences(t, before, s.State()) {
				if !slices.Contains(c.arguments, changed) && !slices.Contains(c.known, changed) {
					t.Errorf("%s has changed, which the plan did not show", changed)
				}
			}
			s.settled(c.after)
		})
	}
}

// TestAccount_fields sets, changes and takes out every argument, and holds the results to an empty plan and to what the service has.
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
				s.set(acctest.JSON{name: value})
				s.settled(acctest.JSON{name: value})
			}
			s.set(acctest.JSON{name: nil})
			s.settled(acctest.JSON{name: nil})
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
	if unknown := s.Plan(s.with(nil)).Unknown(t); !slices.Contains(unknown, "payment_terms_days") || !slices.Contains(unknown, "auto_collection") || !slices.Contains(unknown, "status") {
		t.Errorf("known after apply: %v", unknown)
	}
	s.set(nil)
	s.is("payment_terms_days", "10")
	s.is("auto_collection", "true")
	s.is("status", `"active"`)
	s.is("billing_email", `"ana@example.com"`)
	s.patch(acctest.JSON{"payment_terms_days": 30})
	s.settled(nil)
	s.is("payment_terms_days", "30")
}

// TestAccount_status: suspended and active again, with the reason; before other changes when it becomes active, after them when not.
func TestAccount_status(t *testing.T) {
	t.Parallel()
	s := open(t)
	suspended := acctest.JSON{"status": "suspended", "status_reason": "unpaid", "payment_terms_days": 5}
	s.service.Sandbox.ResetRequests()
	s.set(suspended)
	s.asked("create", "suspend")
	s.is("suspension_reason", `"unpaid"`)
	s.settled(suspended)
	s.service.Sandbox.ResetRequests()
	s.set(acctest.JSON{"status": "active", "status_reason": "paid", "payment_terms_days": 6})
	s.asked("reactivate", "update")
	says(t, string(s.service.Sandbox.Requests()[0].Body), `{"reason":"paid"}`)
	s.is("suspended_at", "null")
	s.service.Sandbox.ResetRequests()
	s.set(acctest.JSON{"status": "suspended", "payment_terms_days": 7})
	s.asked("update", "suspend")
	// Taken out, it stays as it is.
	s.settled(acctest.JSON{"payment_terms_days": 7})
	s.is("status", `"suspended"`)
}

// TestAccount_statusOutside: a suspension made elsewhere is drift where the status is configured, and only shown where it is not.
func TestAccount_statusOutside(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(nil)
	s.outside("suspend")
	s.settled(nil)
	s.is("status", `"suspended"`)
	active := acctest.JSON{"status": "active"}
	if changes := s.changes(active); !slices.Contains(changes, "status") {
		t.Errorf("the plan changes %v", changes)
	}
	s.set(active)
	s.outside("suspend")
	if changes := s.changes(active); !slices.Contains(changes, "status") {
		t.Errorf("the plan changes %v", changes)
	}
	s.set(active)
	s.settled(active)
}

// TestAccount_gone: closed or deleted outside, it is planned again, with a warning that says which.
func TestAccount_gone(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(s *subject){
		"was closed":  func(s *subject) { s.outside("close") },
		"was deleted": func(s *subject) { s.service.Must("DELETE", "/v1/billing-accounts/"+s.id(), nil) },
	} {
		s := open(t)
		s.set(nil)
		before := s.id()
		end(s)
		says(t, s.refresh(), "A billing account is gone", before, how, "outside of Terraform", "opens a new account")
		if s.Exists() {
			t.Fatalf("%s: it is still in the state", how)
		}
		s.set(nil)
		if s.id() == before {
			t.Errorf("%s: the old one came back", how)
		}
	}
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
		"abandon": {nil, "active", "only removed from the state"},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.set(acctest.JSON{"deletion_policy": policy, "status_reason": "the end"})
			id := s.id()
			s.service.Sandbox.ResetRequests()
			says(t, s.Set(nil), want.says)
			s.asked(want.operations...)
			status, answer := s.service.Call("GET", "/v1/billing-accounts/"+id, nil)
			if data, _ := answer["data"].(acctest.JSON); want.status == "" && status != 404 || want.status != "" && data["status"] != want.status {
				t.Errorf("the service has %d %v", status, answer)
			}
		})
	}
	s := open(t)
	s.set(acctest.JSON{"deletion_policy": "prevent"})
	says(t, acctest.Errors(s.Plan(nil).Diagnostics), "prevented", `"close" or "delete"`)
	// What is closed or gone already needs nothing.
	for _, end := range []func(s *subject){func(s *subject) { s.outside("close") }, func(s *subject) { s.service.Must("DELETE", "/v1/billing-accounts/"+s.id(), nil) }} {
		s := open(t)
		s.set(nil)
		end(s)
		s.service.Sandbox.ResetRequests()
		s.Set(nil)
		s.asked()
	}
}

// TestAccount_metadata: this configuration owns the keys it names, and no others.
func TestAccount_metadata(t *testing.T) {
	t.Parallel()
	s := open(t)
	lines := acctest.JSON{"custom_metadata": acctest.JSON{"a": 1, "b": acctest.JSON{"c": true}}}
	s.set(lines)
	s.patch(acctest.JSON{"custom_metadata": acctest.JSON{"theirs": "x", "b": acctest.JSON{"d": 2}}, "custom_metadata_mode": "merge"})
	s.settled(lines)
	fewer := acctest.JSON{"custom_metadata": acctest.JSON{"b": acctest.JSON{"c": false}}}
	s.set(fewer)
	s.settled(fewer)
	s.is("effective_custom_metadata", `"{\"b\":{\"c\":false,\"d\":2},\"theirs\":\"x\"}"`)
	s.set(nil)
	s.is("effective_custom_metadata", `"{\"b\":{\"d\":2},\"theirs\":\"x\"}"`)
}

// TestAccount_validation: what cannot be right is refused before anything is asked.
func TestAccount_validation(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, values := range map[string][]any{
		"payment_terms_days": {0, 91}, "name": {"", strings.Repeat("n", 256)}, "email": {"a"}, "billing_email": {"a"}, "phone": {" "}, "status": {"closed", "frozen"},
		"status_reason": {""}, "external_id": {""}, "deletion_policy": {"cancel"}, "custom_metadata_mode": {"mix"}, "custom_metadata": {"text"},
	} {
		for _, value := range values {
			if errors := acctest.Errors(s.Plan(s.with(acctest.JSON{name: value})).Diagnostics); errors == "" {
				t.Errorf("%s = %v is accepted", name, value)
			} else {
				says(t, errors, `AttributeName("`+name+`")`)
			}
		}
	}
	for _, name := range []string{strings.Repeat("ñ", 255), "n"} {
		if errors := acctest.Errors(s.Plan(s.with(acctest.JSON{"name": name})).Diagnostics); errors != "" {
			t.Error(errors)
		}
	}
}

// TestAccount_refusals: what the service refuses lands on the argument.
func TestAccount_refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sandbox.Fault
		lines acctest.JSON
		on    string
	}{
		"a field":    {sandbox.Fault{Operation: "billing_accounts.update", Status: 422, Body: refusal(`"fields":{"payment_terms_days":"too long"}`)}, acctest.JSON{"payment_terms_days": 20}, "payment_terms_days"},
		"a reason":   {sandbox.Fault{Operation: "billing_accounts.suspend", Status: 422, Body: refusal(`"fields":{"reason":"too long"}`)}, acctest.JSON{"status": "suspended", "status_reason": "x"}, "status_reason"},
		"the status": {sandbox.Fault{Operation: "billing_accounts.suspend", Status: 422, Body: refusal("")}, acctest.JSON{"status": "suspended"}, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.set(nil)
			s.fault(c.fault)
			says(t, acctest.Errors(s.Apply(s.Plan(s.with(c.lines)))), `AttributeName("`+c.on+`")`, "Request-Id")
		})
	}
}

func refusal(details string) string {
	return `{"error":{"code":"validation_error","message":"No.","details":{` + details + `}}}`
}

// TestAccount_taken: an external_id that another one has leads to the block that takes that one over; a closed one's is free.
func TestAccount_taken(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(nil)
	other := s.service.Direct("billing_account")
	says(t, acctest.Errors(other.Apply(other.Plan(s.with(nil)))), `AttributeName("external_id")`, "is taken", "import {", "to = billing_account.this", s.id())
	s.outside("close")
	other.Set(s.with(nil))
}

// TestAccount_lostAnswers: it happens once, and what was created is found by its external_id.
func TestAccount_lostAnswers(t *testing.T) {
	t.Parallel()
	s := open(t)
	lose := func(operation string) {
		s.service.Sandbox.ResetRequests()
		s.fault(sandbox.Fault{Operation: "billing_accounts." + operation, Times: 1, DropAfter: true})
	}
	lose("create")
	says(t, s.set(nil), "Found the billing account instead of opening it twice", s.id())
	s.asked("create")
	lose("suspend")
	s.set(acctest.JSON{"status": "suspended"})
	s.asked("suspend")
	lose("reactivate")
	s.set(acctest.JSON{"status": "active"})
	s.asked("reactivate")
	lose("close")
	s.Set(nil)
	s.asked("close")

	nameless := open(t)
	nameless.fault(sandbox.Fault{Operation: "billing_accounts.create", Times: 1, DropAfter: true})
	says(t, acctest.Errors(nameless.Apply(nameless.Plan(nameless.with(acctest.JSON{"external_id": nil})))), "the outcome is unknown", "may or may not exist")
	if nameless.Exists() || nameless.service.Count("billing_accounts.create") != 1 {
		t.Error("an account was opened again")
	}
}

// TestAccount_halfDone: the state says what the service has after a step that failed, and the next plan holds the rest.
func TestAccount_halfDone(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"status": "suspended", "name": "B", "custom_metadata": acctest.JSON{"b": 1}}
	refuse := sandbox.Fault{Operation: "billing_accounts.suspend", Times: 1, Status: 422, Code: "transition_refused"}
	updated := open(t)
	updated.set(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}})
	p := updated.Plan(updated.with(lines))
	updated.fault(refuse)
	says(t, acctest.Errors(updated.Apply(p)), `AttributeName("status")`, "Could not suspend", "transition_refused")
	created := open(t)
	created.fault(refuse)
	says(t, created.set(lines), "Created, but not finished", "transition_refused")
	for _, s := range []*subject{updated, created} {
		changes := s.changes(lines)
		if !slices.Contains(changes, "status") || slices.Contains(changes, "name") || slices.Contains(changes, "effective_custom_metadata") {
			t.Errorf("the next plan changes %v", changes)
		}
		s.service.Sandbox.ResetRequests()
		s.set(lines)
		s.asked("suspend")
		s.settled(lines)
	}
	// What the failed update had taken on is given up by the next one.
	again := open(t)
	again.set(nil)
	p = again.Plan(again.with(lines))
	again.fault(refuse)
	again.Apply(p)
	again.set(acctest.JSON{"name": "B"})
	again.is("effective_custom_metadata", `"{}"`)
}

// TestAccount_import: the plan after an import is empty, in whichever words the customer is meant, and never another account.
func TestAccount_import(t *testing.T) {
	t.Parallel()
	s := open(t)
	lines := acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}, "status": "suspended", "payment_terms_days": 5}
	s.set(lines)
	for _, id := range []string{s.id(), "external_id=a-1", "id=" + s.id()} {
		if text := acctest.Errors(s.Import(id)); text != "" {
			t.Fatal(text)
		}
		s.settled(lines)
		for _, customer := range []acctest.JSON{{"id": s.customerID()}, {"name": "Ana"}, {"name": "Ana before her wedding"}} {
			s.settled(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}, "customer": customer})
		}
		p := s.Plan(s.with(acctest.JSON{"customer": acctest.JSON{"id": "bea"}}))
		says(t, acctest.Errors(p.Diagnostics), `AttributeName("customer")`, "belongs to another customer", s.customerID())
	}
	// From the first apply on, the configuration's words count.
	lines["payment_terms_days"] = 6
	s.set(lines)
	s.settled(lines)
	lines["customer"] = acctest.JSON{"name": "Ana Maria"}
	if p := s.Plan(s.with(lines)); len(p.Replaces) > 0 {
		t.Errorf("replaced for %v", p.Replaces)
	}
	lines["customer"] = acctest.JSON{"id": "bea"}
	if p := s.Plan(s.with(lines)); !slices.Equal(p.Replaces, []string{"customer"}) {
		t.Errorf("replaced for %v", p.Replaces)
	}
}

// TestAccount_importRefused: what is closed, unknown or ambiguous cannot be imported.
func TestAccount_importRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(nil)
	id := s.id()
	s.outside("close")
	says(t, acctest.Errors(s.Import(id)), "The billing account is closed", id)
	says(t, acctest.Errors(s.Import("external_id=nobody")), "No such billing account", `external_id "nobody"`)
	says(t, acctest.Errors(s.Import("external_id=")), "Invalid import id")
}

// TestAccount_wrongAddress: a 404 that is not the service's own drops nothing.
func TestAccount_wrongAddress(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(nil)
	s.fault(sandbox.Fault{Operation: "billing_accounts.get", Times: 1, Status: 404, HTML: true})
	says(t, acctest.Errors(s.Refresh()), "Could not read", "Nothing was dropped from the state")
	s.settled(nil)
}
