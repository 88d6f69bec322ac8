package webhookendpoint_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const exists = "A webhook endpoint with this url exists already"

// TestDirect_duplicate: an endpoint of the same url that is not in the state is an error with its import block, as one
// that an interrupted run has left, unless a second one is wanted.
func TestDirect_duplicate(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	other := s.another()["id"].(string)
	s.service.Sandbox.ResetRequests()
	says(t, acctest.Errors(s.Plan(s.With(nil)).Diagnostics), `AttributeName("url")`, exists, other, "created 2",
		"to = billing_webhook_endpoint.this", `id = "`+other+`"`, "allow_duplicate = true")
	says(t, acctest.Errors(s.Plan(s.With(acctest.JSON{"allow_duplicate": false,
		"url": strings.Replace(s.receiver.URL, "example", "EXAMPLE", 1)})).Diagnostics), exists)
	says(t, acctest.Warnings(s.Plan(s.With(acctest.JSON{"allow_duplicate": acctest.Unknown})).Diagnostics), exists)
	if lists := s.service.Count("webhook_endpoints.list"); lists != 3 { // one, and one more before each error
		t.Errorf("%d listings", lists)
	}
	for _, lines := range []acctest.JSON{{"url": acctest.Unknown}, {"url": s.receiver.URL + "/"},
		{"url": s.receiver.URL + "?x"}} {
		if p := s.Plan(s.With(lines)); len(p.Diagnostics) > 0 {
			t.Errorf("%v: %s%s", lines, acctest.Errors(p.Diagnostics), acctest.Warnings(p.Diagnostics))
		}
	}
	lines := acctest.JSON{"allow_duplicate": true}
	says(t, s.Configure(lines), exists, `id = "`+other+`"`)
	s.Settled(lines)
	s.service.Sandbox.ResetRequests()
	s.Configure(nil) // the argument is of no consequence any more
	same(t, "calls", s.Calls())
}

// TestDirect_duplicateOfTheState: what the run knows is not outside: the object itself, when it is replaced, and others
// that are refreshed, planned or destroyed.
func TestDirect_duplicateOfTheState(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	if text := acctest.Errors(s.Again(s.Plan(s.With(nil)), s.With(nil)).Diagnostics); text != "" {
		t.Error(text)
	}
	s.Direct = s.service.Direct("billing_webhook_endpoint")
	s.Import("url=" + s.receiver.URL)
	for name, p := range map[string]acctest.Planned{"-replace": s.PlanReplace(s.With(nil)),
		"tainted": s.PlanTainted(s.With(nil))} {
		if text := acctest.Errors(p.Diagnostics); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestDirect_duplicateInTheApply: the plan inside the apply does not ask again.
func TestDirect_duplicateInTheApply(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	p := s.Plan(s.With(nil))
	s.another()
	if text := acctest.Errors(s.Again(p, s.With(nil)).Diagnostics); text != "" {
		t.Error(text)
	}
}

// TestDirect_duplicateUnseen: where the list cannot be read, the plan is made without it.
func TestDirect_duplicateUnseen(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.another()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.list", Status: 403, Code: "insufficient_scope"})
	if p := s.Plan(s.With(nil)); len(p.Diagnostics) > 0 {
		t.Error(acctest.Errors(p.Diagnostics), acctest.Warnings(p.Diagnostics))
	}
}
