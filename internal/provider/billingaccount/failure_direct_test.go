package billingaccount_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccount_validation: what cannot be right is rejected before anything is asked.
func TestAccount_validation(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, values := range map[string][]any{
		"payment_terms_days": {0, 91}, "billing_email": {"a"}, "customer_id": {"", "ana"},
		"status": {"closed", "frozen"}, "status_reason": {""}, "external_id": {""}, "deletion_policy": {"cancel"},
		"custom_metadata_mode": {"mix"}, "custom_metadata": {"text"},
	} {
		for _, value := range values {
			if errors := acctest.Errors(s.Plan(s.With(acctest.JSON{name: value})).Diagnostics); errors == "" {
				t.Errorf("%s = %v is accepted", name, value)
			} else {
				says(t, errors, `AttributeName("`+name+`")`)
			}
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
		"a customer": {sandbox.Fault{Operation: "billing_accounts.create", Status: 422,
			Body: refusal(`"fields":{"customer.id":"does not exist"}`)}, nil, "customer_id"},
		"the status": {sandbox.Fault{Operation: "billing_accounts.suspend", Status: 422, Body: refusal("")},
			acctest.JSON{"status": "suspended"}, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			if c.lines != nil {
				s.Configure(nil)
			}
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
	says(t, s.Configure(nil), `Found billing account "a-1" (id `+s.ID()+") instead of creating it twice")
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
}

// TestAccount_halfDone: the state says what the service has after a step that failed, and the next plan holds the rest.
func TestAccount_halfDone(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"status": "suspended", "payment_terms_days": 7, "custom_metadata": acctest.JSON{"b": 1}}
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
		if !slices.Contains(changes, "status") || slices.Contains(changes, "payment_terms_days") ||
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
	again.Configure(acctest.JSON{"payment_terms_days": 7})
	again.Is("effective_custom_metadata", `"{}"`)
}

// TestAccount_importRefused: what is closed, unknown or ambiguous cannot be imported.
func TestAccount_importRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	id := s.ID()
	s.outside("close")
	golden.Said(t, "import-of-closed", s.Import(id))
	says(t, acctest.Errors(s.Import("external_id=nobody")), "No such billing account", `external_id "nobody"`)
	says(t, acctest.Errors(s.Import("external_id=")), "Invalid import id")
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
// customer that does not exist.
func TestAccount_replacedForNobody(t *testing.T) {
	t.Parallel()
	const nobody = "9b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a99"
	for id, refused := range map[any]bool{nobody: true, acctest.Unknown: false, nil: false} {
		s := open(t)
		s.Configure(nil)
		s.Reread()
		lines := acctest.JSON{}
		if id != nil {
			lines["customer_id"] = id
		}
		text := acctest.Errors(s.PlanTainted(s.With(lines)).Diagnostics)
		if said := strings.Contains(text, "No customer has the id"); said != refused || !refused && text != "" {
			t.Errorf("%v: the plan of the tainted account says %q", id, text)
		}
	}
	s := open(t)
	s.Configure(nil)
	if text := acctest.Errors(s.PlanReplace(s.With(nil)).Diagnostics); text != "" {
		t.Error(text)
	}
	s.service.Must("DELETE", "/v1/customers/"+s.customerID(), nil)
	golden.Said(t, "no-customer", s.PlanReplace(s.With(nil)).Diagnostics)
}
