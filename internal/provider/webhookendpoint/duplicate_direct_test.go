package webhookendpoint_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_duplicate: endpoints that have the url are named by a warning, in the plan and not again in the apply.
func TestDirect_duplicate(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	other := s.another()["id"].(string)
	for _, url := range []string{s.receiver.URL, strings.Replace(s.receiver.URL, "example", "EXAMPLE", 1)} {
		says(t, acctest.Warnings(s.Plan(s.With(acctest.JSON{"url": url})).Diagnostics), `AttributeName("url")`,
			"Webhook endpoint with the url", "exists already (id "+other+")", "add a moved block",
			"to = billing_webhook_endpoint.this", `id = "`+other+`"`, "every event twice")
	}
	if lists := s.service.Count("webhook_endpoints.list"); lists != 1 {
		t.Errorf("%d listings", lists)
	}
	for _, lines := range []acctest.JSON{{"url": acctest.Unknown}, {"url": s.receiver.URL + "/"},
		{"url": s.receiver.URL + "?x"}} {
		if p := s.Plan(s.With(lines)); len(p.Diagnostics) > 0 {
			t.Errorf("%v: %s%s", lines, acctest.Errors(p.Diagnostics), acctest.Warnings(p.Diagnostics))
		}
	}
	p := s.Again(s.Plan(s.With(nil)), s.With(nil))
	if len(p.Diagnostics) > 0 {
		t.Errorf("in the apply: %s", acctest.Warnings(p.Diagnostics))
	}
	if text := acctest.Errors(s.Apply(p)); text != "" {
		t.Error(text)
	}
	s.Settled(nil)
}

// TestDirect_duplicateUnseen: where the list cannot be read, the plan is made without it. An object that is replaced is
// not its own duplicate.
func TestDirect_duplicateUnseen(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	if p := s.PlanReplace(s.With(nil)); len(p.Diagnostics) > 0 {
		t.Error(acctest.Errors(p.Diagnostics), acctest.Warnings(p.Diagnostics))
	}
	s = prepare(t)
	s.another()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.list", Status: 403, Code: "insufficient_scope"})
	if p := s.Plan(s.With(nil)); len(p.Diagnostics) > 0 {
		t.Error(acctest.Errors(p.Diagnostics), acctest.Warnings(p.Diagnostics))
	}
}

// TestDirect_deletionPolicy: delete by default; abandon sends nothing; prevent is an error for destroying and for
// replacing. The state's value counts, and a change of it is no change at the service.
func TestDirect_deletionPolicy(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.Is("deletion_policy", `"delete"`)
	s.service.Sandbox.ResetRequests()
	s.Configure(acctest.JSON{"deletion_policy": "prevent"})
	s.Settled(acctest.JSON{"deletion_policy": "prevent"})
	s.Reread()
	says(t, acctest.Errors(s.Plan(nil).Diagnostics), "prevents that this plan destroys webhook endpoint "+s.receiver.URL,
		`deletion_policy = "delete"`)
	s.Configure(acctest.JSON{"deletion_policy": "abandon"})
	same(t, "calls", s.Calls())
	s.Reread()
	p := s.Plan(nil)
	says(t, acctest.Warnings(p.Diagnostics), "Webhook endpoint "+s.receiver.URL, s.ID(), "stays at the service")
	s.Apply(p)
	if same(t, "calls", s.Calls()); s.Exists() {
		t.Error("it is still in the state")
	}
	says(t, acctest.Errors(s.Plan(s.With(acctest.JSON{"deletion_policy": "close"})).Diagnostics), "deletion_policy")
}
