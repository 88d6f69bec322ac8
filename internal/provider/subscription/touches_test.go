package subscription_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/subscription"
)

// open are the attributes that a transition may change although the sandbox does not: the descriptions leave open what
// a new plan does to the period, whether a discount is part of the recurring amount, and what a second pause does to
// the times of the first.
var open = map[string][]string{
	"change the discount": {"recurring_amount_cents"},
	"change the billing cycle": {"recurring_amount_cents", "current_period_start", "current_period_end",
		"cycle_billing_date"},
	"change the plan now": {"current_period_start", "current_period_end", "cycle_billing_date",
		"billing_cycle", "metadata"},
	"remove the plan": {"current_period_start", "current_period_end", "cycle_billing_date",
		"billing_cycle", "metadata"},
	"pause":                           {"status", "paused_at", "resumes_at"},
	"resume":                          {"resumes_at"},
	"cancel at the end of the period": {"cancellation_reason"},
	"take the cancellation back":      {"cancellation_reason"},
}

// crossing is one transition: what leads up to it, and the two configurations.
type crossing struct {
	transition    string
	before, after acctest.JSON
	// arguments are those that the configuration itself changes; outcome are computed attributes that the plan already
	// knows.
	arguments, outcome []string
	// meanwhile happens between the two.
	meanwhile func(s *subject)
}

func crossings() []crossing {
	paused := acctest.JSON{"pause": acctest.JSON{}}
	return []crossing{
		{transition: "change a field", before: acctest.JSON{"notes": "a"}, after: acctest.JSON{"notes": "b"},
			arguments: []string{"notes"}},
		{transition: "change a field", after: acctest.JSON{"external_id": "s-2"}, arguments: []string{"external_id"}},
		{transition: "change a field", after: acctest.JSON{"collection_method": "manual_charge"},
			arguments: []string{"collection_method"}},
		{transition: "change a field", after: acctest.JSON{"proration_behavior": "none"},
			arguments: []string{"proration_behavior"}},
		{transition: "change a field", after: acctest.JSON{"nfe_issuance_policy": "disabled"},
			arguments: []string{"nfe_issuance_policy"}},
		{transition: "change a field", after: acctest.JSON{"allow_pause": false, "allow_cancel": false},
			arguments: []string{"allow_cancel", "allow_pause"}},
		{transition: "change the discount", after: acctest.JSON{"discount_percent": "12.5"},
			arguments: []string{"discount_percent"}},
		{transition: "change the discount", after: acctest.JSON{"discount_code_id": planC},
			arguments: []string{"discount_code_id"}},
		{transition: "change the billing cycle", after: acctest.JSON{"billing_cycle": "annual"},
			arguments: []string{"billing_cycle"}},
		{transition: "change custom_metadata", before: acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}},
			after:     acctest.JSON{"custom_metadata": acctest.JSON{"a": 2}},
			arguments: []string{"custom_metadata", "effective_custom_metadata"}},
		{transition: "change items", before: acctest.JSON{"items": []any{itemA}},
			after: acctest.JSON{"items": []any{itemA, itemB}}, arguments: []string{"items"}},
		{transition: "change the plan now", after: acctest.JSON{"plan_id": planB}, arguments: []string{"plan_id"},
			outcome: []string{"current_plan_id"}},
		{transition: "change the plan at the end of the period", after: acctest.JSON{"plan_id": planB, "plan_change": later},
			arguments: []string{"plan_id", "plan_change"}, outcome: []string{"pending_plan_id"}},
		{transition: "take a pending plan back", before: acctest.JSON{"plan_id": planA},
			after: acctest.JSON{"plan_id": planA}, arguments: []string{"plan_id"},
			outcome: []string{"pending_plan_id", "plan_change"}, meanwhile: func(s *subject) {
				s.Configure(acctest.JSON{"plan_id": planB, "plan_change": later})
			}},
		{transition: "take a pending plan back, for items alone", before: acctest.JSON{"plan_id": nil,
			"items": []any{itemA}}, after: acctest.JSON{"plan_id": nil, "items": []any{itemA}},
			arguments: []string{"plan_id"}, outcome: []string{"pending_plan_id", "plan_change"}, meanwhile: func(s *subject) {
				s.Configure(acctest.JSON{"plan_id": planB, "plan_change": later, "items": []any{itemA}})
			}},
		{transition: "remove the plan", before: acctest.JSON{"items": []any{itemA}},
			after: acctest.JSON{"plan_id": nil, "items": []any{itemA}}, arguments: []string{"plan_id"},
			outcome: []string{"current_plan_id"}},
		{transition: "pause", after: paused, arguments: []string{"pause"}},
		{transition: "pause", before: paused,
			after:     acctest.JSON{"pause": acctest.JSON{"behavior": "void", "resumes_at": "2026-04-01"}},
			arguments: []string{"pause"}},
		{transition: "resume", before: paused, arguments: []string{"pause"}},
		{transition: "resume", before: acctest.JSON{"pause": acctest.JSON{}, "trial_period_days": 5},
			after: acctest.JSON{"trial_period_days": 5}, arguments: []string{"pause"},
			meanwhile: func(s *subject) { s.service.Sandbox.Clock().Advance(6 * 24 * time.Hour) }},
		{transition: "cancel at the end of the period", after: acctest.JSON{"cancel_at_period_end": true},
			arguments: []string{"cancel_at_period_end"}},
		{transition: "take the cancellation back", before: acctest.JSON{"cancel_at_period_end": true},
			arguments: []string{"cancel_at_period_end"}},
	}
}

// TestSubscription_touches holds plan and result of every transition against the table, in both directions: the plan
// knows everything that the table does not name, and nothing else changes at the service.
func TestSubscription_touches(t *testing.T) {
	t.Parallel()
	// planned alone, see testdata/unknown.txt, or nothing that the service changes
	seen := map[string]bool{"change the plan to one that is not known yet": true, "keep a pause that is over": true,
		"adopt items that are there": true}
	for _, c := range crossings() {
		seen[c.transition] = true
		t.Run(c.transition, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(c.before)
			if c.meanwhile != nil {
				c.meanwhile(s)
			}
			s.service.Sandbox.Clock().Advance(time.Hour)
			s.Reread()
			p := s.Plan(s.With(c.after))
			known := slices.Concat(c.arguments, c.outcome)
			touched := expected(c, s)
			if have := p.Unknown(t); !slices.Equal(have, touched) {
				t.Errorf("known after apply: %v, want %v", have, touched)
			}
			before := s.State()
			if text := acctest.Errors(s.Apply(p)); text != "" {
				t.Fatal(text)
			}
			s.Reread()
			changed := acctest.Differences(t, before, s.State())
			for _, name := range changed {
				if !slices.Contains(touched, name) && !slices.Contains(known, name) {
					t.Errorf("%s has changed, which the table does not know", name)
				}
			}
			for _, name := range touched {
				if !slices.Contains(changed, name) && !slices.Contains(open[c.transition], name) {
					t.Errorf("%s has not changed: the table makes it unknown for nothing", name)
				}
			}
			s.Settled(c.after)
		})
	}
	for transition := range maps.Keys(subscription.Touches()) {
		if !seen[transition] {
			t.Errorf("no case crosses %q", transition)
		}
	}
}

// expected are the attributes of the table, less what the configuration itself decides, and what cannot change any
// more.
func expected(c crossing, s *subject) []string {
	names := slices.Clone(subscription.Touches()[c.transition])
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(c.arguments, name) || name == "activated_at" && s.Text(name) != "null"
	})
	slices.Sort(names)
	return names
}
