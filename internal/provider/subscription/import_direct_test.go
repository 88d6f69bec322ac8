package subscription_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestSubscription_imports: the plan after an import is empty, whatever the subscription is in the middle of.
func TestSubscription_imports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines    acctest.JSON
		then     func(s *subject)
		warnings bool
	}{
		"plan only":        {lines: nil},
		"items":            {lines: acctest.JSON{"items": []any{itemA, itemB}}},
		"items alone":      {lines: acctest.JSON{"items": []any{itemA}, "plan_id": nil}},
		"paused":           {lines: acctest.JSON{"pause": acctest.JSON{"behavior": "void", "resumes_at": "2026-04-01"}}},
		"trialing by days": {lines: acctest.JSON{"trial_period_days": 14}},
		"trialing by date": {lines: acctest.JSON{"trial_end": "2999-01-01"}},
		"pending plan": {lines: acctest.JSON{"plan_id": planB, "plan_change": acctest.JSON{"timing": "end_of_period",
			"reason": "asked"}}},
		"ending":   {lines: acctest.JSON{"cancel_at_period_end": true}},
		"metadata": {lines: acctest.JSON{"custom_metadata": acctest.JSON{"a": acctest.JSON{"b": 1}}}},
		"everything": {lines: acctest.JSON{"notes": "n", "discount_percent": "12.5", "billing_cycle": "annual",
			"collection_method": "manual_charge", "allow_pause": false}},
		"fewer than it has": {lines: nil,
			then: func(s *subject) { s.patch(acctest.JSON{"custom_metadata": acctest.JSON{"theirs": 1}}) }},
		"canceled": {lines: acctest.JSON{"items": []any{itemA}}, then: func(s *subject) { s.outside("cancel", nil) },
			warnings: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			if name == "pending plan" {
				s.Configure(nil) // it changes to the other plan later
			}
			s.Configure(c.lines)
			if c.then != nil {
				c.then(s)
			}
			for _, id := range []string{s.ID(), "external_id=s-1"} {
				if name == "canceled" && id != s.ID() {
					says(t, acctest.Errors(s.Import(id)), "The subscription is canceled", `external_id "s-1"`, "use its id")
					continue
				}
				if text := acctest.Errors(s.Import(id)); text != "" {
					t.Fatal(text)
				}
				if told := s.Settled(c.lines); (told != "") != c.warnings {
					t.Errorf("warnings: %s", told)
				}
			}
		})
	}
}

// TestSubscription_importOwnsLess: the first apply after an import removes no key.
func TestSubscription_importOwnsLess(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1, "b": 2}})
	s.Import(s.ID())
	s.Configure(acctest.JSON{"custom_metadata": acctest.JSON{"a": 3}, "notes": "x"})
	s.Is("effective_custom_metadata", `"{\"a\":3,\"b\":2}"`)
	s.Settled(acctest.JSON{"custom_metadata": acctest.JSON{"a": 3}, "notes": "x"})
}

// TestSubscription_importReplacesNothing: what an imported subscription belongs to stays when the configuration leaves
// it out, and a configuration that says otherwise is an error of the plan, and no new subscription.
func TestSubscription_importReplacesNothing(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	belongs := acctest.JSON{"company_id": planA, "product_group_id": planB}
	s.Configure(belongs)
	if text := acctest.Errors(s.Import(s.ID())); text != "" {
		t.Fatal(text)
	}
	s.Settled(nil)
	s.Settled(belongs)
	for _, name := range []string{"company_id", "product_group_id", "billing_account_id"} {
		p := s.Plan(s.With(acctest.JSON{name: planC}))
		says(t, acctest.Errors(p.Diagnostics), "An import replaces nothing", planA, planB)
	}
	// Once applied, it may be replaced as any other; left out, nothing happens to it.
	s.Configure(acctest.JSON{"notes": "ours"})
	s.Settled(acctest.JSON{"notes": "ours"})
	s.Reread()
	if p := s.Plan(s.With(acctest.JSON{"notes": "ours", "company_id": planC})); acctest.Errors(p.Diagnostics) != "" ||
		len(p.Replaces) != 1 {
		t.Errorf("replaced for %v: %s", p.Replaces, acctest.Errors(p.Diagnostics))
	}
}
