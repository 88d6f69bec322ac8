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
					says(t, acctest.Errors(s.Import(id)), `The subscription with external_id "s-1" (id `, "is canceled",
						"use its id")
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
// it out. A configuration that says otherwise is an error of the plan in the import's own run, whatever asks for the
// replacement, and a replacement in the next one.
func TestSubscription_importReplacesNothing(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	belongs := acctest.JSON{"company_id": planA, "product_group_id": planB}
	s.Configure(belongs)
	for name, plan := range map[string]func() acctest.Planned{
		"company_id":       func() acctest.Planned { return s.Plan(s.With(acctest.JSON{"company_id": planC})) },
		"product_group_id": func() acctest.Planned { return s.Plan(s.With(acctest.JSON{"product_group_id": planC})) },
		"billing_account_id": func() acctest.Planned {
			return s.Plan(s.With(acctest.JSON{"billing_account_id": accountOf(s.service)}))
		},
		"-replace": func() acctest.Planned { return s.PlanReplace(s.With(nil)) },
	} {
		if text := acctest.Errors(s.Import(s.ID())); text != "" {
			t.Fatal(text)
		}
		says(t, acctest.Errors(plan().Diagnostics), `Subscription "s-1" (id `, "an import replaces nothing", planA, planB)
		s.Settled(nil) // the next run
		s.Settled(belongs)
		if p := plan(); acctest.Errors(p.Diagnostics) != "" || name != "-replace" && len(p.Replaces) != 1 {
			t.Errorf("%s: replaced for %v: %s", name, p.Replaces, acctest.Errors(p.Diagnostics))
		}
	}
}

// TestSubscription_importRecreatesNothing: a canceled one that is imported is created again by the next plan.
func TestSubscription_importRecreatesNothing(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	recreate := acctest.JSON{"on_external_cancel": "recreate"}
	s.Configure(recreate)
	s.outside("cancel", nil)
	s.Import(s.ID())
	p := s.Plan(s.With(recreate))
	says(t, acctest.Warnings(p.Diagnostics), "is canceled", "the next plan does")
	if len(p.Replaces) > 0 {
		t.Errorf("replaced for %v", p.Replaces)
	}
	if s.Reread(); len(s.Plan(s.With(recreate)).Replaces) != 1 {
		t.Error("the next plan replaces nothing")
	}
}
