package billingaccount_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccount_validation: what cannot be right is rejected before anything is asked.
func TestAccount_validation(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, values := range map[string][]any{
		"payment_terms_days": {0, 91}, "name": {"", strings.Repeat("n", 256)}, "email": {"a"}, "billing_email": {"a"},
		"phone": {" "}, "status": {"closed", "frozen"}, "status_reason": {""}, "external_id": {""},
		"deletion_policy": {"cancel"}, "custom_metadata_mode": {"mix"}, "custom_metadata": {"text"},
	} {
		for _, value := range values {
			if errors := acctest.Errors(s.Plan(s.With(acctest.JSON{name: value})).Diagnostics); errors == "" {
				t.Errorf("%s = %v is accepted", name, value)
			} else {
				says(t, errors, `AttributeName("`+name+`")`)
			}
		}
	}
	for _, name := range []string{strings.Repeat("ñ", 255), "n"} {
		if errors := acctest.Errors(s.Plan(s.With(acctest.JSON{"name": name})).Diagnostics); errors != "" {
			t.Error(errors)
		}
	}
}

// TestAccount_refusals: what the service rejects lands on the argument.
func TestAccount_refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sandbox.Fault
		lines acctest.JSON
		on    string
	}{
		"a field": {sandbox.Fault{Operation: "billing_accounts.update", Status: 422,
			Body: refusal(`"fields":{"payment_terms_days":"too long"}`)}, acctest.JSON{"payment_terms_days": 20},
			"payment_terms_days"},
		"a reason": {sandbox.Fault{Operation: "billing_accounts.suspend", Status: 422,
			Body: refusal(`"fields":{"reason":"too long"}`)}, acctest.JSON{"status": "suspended", "status_reason": "x"},
			"status_reason"},
		"the status": {sandbox.Fault{Operation: "billing_accounts.suspend", Status: 422, Body: refusal("")},
			acctest.JSON{"status": "suspended"}, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.Configure(nil)
			s.Fault(c.fault)
			says(t, acctest.Errors(s.Apply(s.Plan(s.With(c.lines)))), `AttributeName("`+c.on+`")`, "Request-Id")
		})
	}
}

func refusal(details string) string {
	return `{"error":{"code":"validation_error","message":"No.","details":{` + details + `}}}`
}

// TestAccount_taken: an external_id that another one has leads to the block that takes that one over; a closed one's is
// free.
func TestAccount_taken(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	other := s.service.Direct("billing_account")
	says(t, acctest.Errors(other.Apply(other.Plan(s.With(nil)))), `AttributeName("external_id")`, "is taken", "import {",
		"to = billing_account.this", s.ID())
	s.outside("close")
	other.Set(s.With(nil))
}

// TestAccount_lostResponses: it happens once, and what was created is found by its external_id.
func TestAccount_lostResponses(t *testing.T) {
	t.Parallel()
	s := open(t)
	lose := func(operation string) {
		s.service.Sandbox.ResetRequests()
		s.Fault(sandbox.Fault{Operation: "billing_accounts." + operation, Times: 1, DropAfter: true})
	}
	lose("create")
	says(t, s.Configure(nil), "Found the billing account instead of opening it twice", s.ID())
	s.asked("create")
	lose("suspend")
	s.Configure(acctest.JSON{"status": "suspended"})
	s.asked("suspend")
	lose("reactivate")
	s.Configure(acctest.JSON{"status": "active"})
	s.asked("reactivate")
	lose("close")
	s.Set(nil)
	s.asked("close")

	nameless := open(t)
	nameless.Fault(sandbox.Fault{Operation: "billing_accounts.create", Times: 1, DropAfter: true})
	says(t, nameless.Configure(acctest.JSON{"external_id": nil}), "Found the billing account instead of opening it twice",
		nameless.ID())
	nameless.asked("create")
}

// TestAccount_halfDone: the state says what the service has after a step that failed, and the next plan holds the rest.
func TestAccount_halfDone(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"status": "suspended", "name": "B", "custom_metadata": acctest.JSON{"b": 1}}
	refuse := sandbox.Fault{Operation: "billing_accounts.suspend", Times: 1, Status: 422, Code: "transition_refused"}
	updated := open(t)
	updated.Configure(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}})
	p := updated.Plan(updated.With(lines))
	updated.Fault(refuse)
	says(t, acctest.Errors(updated.Apply(p)), `AttributeName("status")`, "Could not suspend", "transition_refused")
	created := open(t)
	created.Fault(refuse)
	says(t, created.Configure(lines), "Created, but not finished", "transition_refused")
	for _, s := range []*subject{updated, created} {
		changes := s.changes(lines)
		if !slices.Contains(changes, "status") || slices.Contains(changes, "name") ||
			slices.Contains(changes, "effective_custom_metadata") {
			t.Errorf("the next plan changes %v", changes)
		}
		s.service.Sandbox.ResetRequests()
		s.Configure(lines)
		s.asked("suspend")
		s.Settled(lines)
	}
	// What the failed update had taken on is given up by the next one.
	again := open(t)
	again.Configure(nil)
	p = again.Plan(again.With(lines))
	again.Fault(refuse)
	again.Apply(p)
	again.Configure(acctest.JSON{"name": "B"})
	again.Is("effective_custom_metadata", `"{}"`)
}

// TestAccount_import: the plan after an import is empty, in whichever words the customer is meant, and never another
// account.
func TestAccount_import(t *testing.T) {
	t.Parallel()
	s := open(t)
	bea(s)
	lines := acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}, "status": "suspended", "payment_terms_days": 5}
	s.Configure(lines)
	for _, id := range []string{s.ID(), "external_id=a-1", "id=" + s.ID()} {
		if text := acctest.Errors(s.Import(id)); text != "" {
			t.Fatal(text)
		}
		s.Settled(lines)
		for _, customer := range []acctest.JSON{{"id": s.customerID()}, {"name": "Ana"}, {"name": "Ana before her wedding"}} {
			s.Settled(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}, "customer": customer})
		}
		p := s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"id": "bea"}}))
		says(t, acctest.Errors(p.Diagnostics), `AttributeName("customer")`, "belongs to another customer", s.customerID())
		p = s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"external_id": "nobody"}}))
		says(t, acctest.Errors(p.Diagnostics), `AttributeName("customer")`, "belongs to another customer", s.customerID())
	}
	// What the configuration repeats of the customer is not set, until it says something else.
	s.Import(s.ID())
	s.Is("name", `"Ana"`)
	s.Is("status", `"suspended"`)
	lines["name"], lines["email"] = "Ana", "ana@example.com"
	s.Settled(lines)
	s.service.Must("PATCH", "/v1/customers/"+s.customerID(), acctest.JSON{"name": "Ana Maria"})
	s.Reread()
	p := s.Plan(s.With(lines))
	if changes := p.Changes(t); len(changes) > 0 {
		t.Errorf("the plan changes %v", changes)
	}
	says(t, acctest.Warnings(p.Diagnostics), `AttributeName("name")`, "still has the imported value", `"Ana Maria"`)
	lines["name"] = "Ana"
	lines["payment_terms_days"] = 7
	s.service.Sandbox.ResetRequests()
	s.Configure(lines)
	s.asked("update")
	s.Is("name", `"Ana Maria"`)
	lines["name"] = "Bia"
	s.Configure(lines)
	s.Settled(lines)
	s.service.Must("PATCH", "/v1/customers/"+s.customerID(), acctest.JSON{"name": "Ana"})
	s.Reread()
	if changes := s.Plan(s.With(lines)).Changes(t); !slices.Equal(changes, []string{"name", "updated_at"}) {
		t.Errorf("the plan changes %v", changes)
	}
	delete(lines, "name")
	delete(lines, "email")
	// From the first apply on, the configuration's words count.
	lines["payment_terms_days"] = 6
	s.Configure(lines)
	s.Settled(lines)
	lines["customer"] = acctest.JSON{"name": "Ana Maria"}
	if p := s.Plan(s.With(lines)); len(p.Replaces) > 0 {
		t.Errorf("replaced for %v", p.Replaces)
	}
	lines["customer"] = acctest.JSON{"id": "bea"}
	s.Reread()
	if p := s.Plan(s.With(lines)); !slices.Equal(p.Replaces, []string{"customer"}) {
		t.Errorf("replaced for %v", p.Replaces)
	}
}

// TestAccount_importRefused: what is closed, unknown or ambiguous cannot be imported.
func TestAccount_importRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	id := s.ID()
	s.outside("close")
	says(t, acctest.Errors(s.Import(id)), "The billing account is closed", id)
	says(t, acctest.Errors(s.Import("external_id=nobody")), "No such billing account", `external_id "nobody"`)
	says(t, acctest.Errors(s.Import("external_id=")), "Invalid import id")
}

// TestAccount_wrongAddress: a 404 that is not the service's own drops nothing.
func TestAccount_wrongAddress(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "billing_accounts.get", Times: 1, Status: 404, HTML: true})
	says(t, acctest.Errors(s.Refresh()), "Could not read", "Nothing was removed from the state")
	s.Settled(nil)
}

// TestAccount_movedMeanwhile: a status that another user has set since the plan is done, and no error.
func TestAccount_movedMeanwhile(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	for _, change := range [][2]string{{"suspend", "suspended"}, {"reactivate", "active"}} {
		lines := acctest.JSON{"status": change[1]}
		p := s.Plan(s.With(lines))
		s.outside(change[0])
		if text := acctest.Errors(s.Apply(p)); text != "" {
			t.Errorf("%s: %s", change[0], text)
		}
		s.Settled(lines)
	}
}

// TestAccount_replacedForNobody: an account that only the command line or the state asks to replace is not closed for a
// customer that does not exist, in whatever way the configuration names it.
func TestAccount_replacedForNobody(t *testing.T) {
	t.Parallel()
	const nobody = "9b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a99"
	for name, c := range map[string]struct {
		customer acctest.JSON
		refused  bool
	}{
		"id":                       {acctest.JSON{"id": nobody}, true},
		"code as id":               {acctest.JSON{"id": "nobody"}, true},
		"code":                     {acctest.JSON{"external_id": "nobody"}, true},
		"code and name":            {acctest.JSON{"external_id": "nobody", "name": "New"}, false},
		"known only after apply":   {acctest.JSON{"id": acctest.Unknown}, false},
		"the code of the customer": {acctest.JSON{"external_id": "owner"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner", "external_id": "owner"})
			d := service.Direct("billing_account")
			d.Set(acctest.JSON{"customer": acctest.JSON{"external_id": "owner"}})
			d.Refresh()
			text := acctest.Errors(d.PlanTainted(acctest.JSON{"customer": c.customer}).Diagnostics)
			if refused := strings.Contains(text, "No such customer"); refused != c.refused || !refused && text != "" {
				t.Errorf("the plan of the tainted account says %q", text)
			}
		})
	}
	service := acctest.Start(t)
	response := service.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Owner", "create_billing_account": false})["customer"].(acctest.JSON)
	config := acctest.JSON{"customer": acctest.JSON{"id": response["id"]}}
	d := service.Direct("billing_account")
	d.Set(config)
	if text := acctest.Errors(d.PlanReplace(config).Diagnostics); text != "" {
		t.Error(text)
	}
	service.Must("DELETE", "/v1/customers/"+response["id"].(string), nil)
	if text := acctest.Errors(d.PlanReplace(config).Diagnostics); !strings.Contains(text, "No such customer") {
		t.Errorf("-replace for a customer that was deleted says %q", text)
	}
}
