package subscription_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const month = 31 * 24 * time.Hour

// TestSubscription_planNow: a change of plan takes one call, and what is pending goes with it.
func TestSubscription_planNow(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.service.Sandbox.ResetRequests()
	lines := acctest.JSON{"plan_id": planB, "plan_change": acctest.JSON{"reason": "upgrade"}}
	s.Configure(lines)
	if have := s.operations(); !slices.Equal(have, []string{"change_plan"}) {
		t.Errorf("asked for %v", have)
	}
	says(t, string(s.service.Sandbox.Requests()[0].Body), `"reason":"upgrade"`, `"timing":"immediate"`, planB)
	s.Is("current_plan_id", `"`+planB+`"`)
	s.Settled(lines)
	// How it was done is of no interest any more.
	s.Settled(acctest.JSON{"plan_id": planB})
	s.Settled(acctest.JSON{"plan_id": planB, "plan_change": later})
}

// TestSubscription_planLater: a later change settles in one apply, arrives with the period, and can be taken back.
func TestSubscription_planLater(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"plan_id": planB, "plan_change": later}
	s.Configure(nil)
	s.Configure(lines)
	s.Is("plan_id", `"`+planB+`"`)
	s.Is("current_plan_id", `"`+planA+`"`)
	s.Is("pending_plan_id", `"`+planB+`"`)
	s.Settled(lines)
	s.Configure(nil)
	s.Is("pending_plan_id", "null")
	s.Settled(nil)
	s.Configure(lines)
	s.pass(month)
	s.Settled(lines)
	s.Is("current_plan_id", `"`+planB+`"`)
	s.Is("pending_plan_id", "null")
}

// TestSubscription_planLaterHidden: a service that keeps the pending plan to itself makes no endless difference, and
// the belief in it ends with the period.
func TestSubscription_planLaterHidden(t *testing.T) {
	t.Parallel()
	hide := func(_ string, subscription acctest.JSON) { subscription["metadata"] = acctest.JSON{} }
	for name, arrives := range map[string]bool{"it arrives": true, "somebody takes it back": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Direct = s.service.Rewriting(hide).Direct("billing_subscription")
			lines := acctest.JSON{"plan_id": planB, "plan_change": later}
			s.Configure(nil)
			s.Configure(lines)
			s.Is("pending_plan_id", `"`+planB+`"`)
			s.Is("current_plan_id", `"`+planA+`"`)
			s.Settled(lines)
			lines["notes"] = "something else"
			s.Configure(lines)
			s.Settled(lines)
			if !arrives {
				s.outside("change-plan", acctest.JSON{"plan_id": planA})
			}
			s.pass(month)
			s.Reread()
			changes := s.Plan(s.With(lines)).Changes(t)
			if slices.Contains(changes, "plan_id") == arrives {
				t.Errorf("the plan changes %v", changes)
			}
			if !arrives {
				s.Configure(lines)
			}
			s.Configure(acctest.JSON{"plan_id": planC})
			s.Is("current_plan_id", `"`+planC+`"`)
		})
	}
}

// TestSubscription_planHiddenTakenBack: the old plan takes back what the service does not show.
func TestSubscription_planHiddenTakenBack(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Direct = s.service.Rewriting(func(_ string, subscription acctest.JSON) { delete(subscription, "metadata") }).
		Direct("billing_subscription")
	s.Configure(nil)
	s.Configure(acctest.JSON{"plan_id": planB, "plan_change": later})
	s.Configure(nil)
	s.Is("pending_plan_id", "null")
	s.Settled(nil)
	if pending := s.remote()["metadata"].(acctest.JSON)["pending_plan_id"]; pending != nil {
		t.Errorf("the service still waits for %v", pending)
	}
}

// TestSubscription_planOutside: a plan that another system changed, or scheduled, is drift.
func TestSubscription_planOutside(t *testing.T) {
	t.Parallel()
	for _, timing := range []string{"immediate", "end_of_period"} {
		s := subscribe(t)
		s.Configure(nil)
		s.outside("change-plan", acctest.JSON{"plan_id": planC, "timing": timing})
		s.Reread()
		s.Is("plan_id", `"`+planC+`"`)
		if changes := s.Plan(s.With(nil)).Changes(t); !slices.Contains(changes, "plan_id") {
			t.Errorf("%s: the plan changes %v", timing, changes)
		}
		s.Configure(nil)
		s.Is("current_plan_id", `"`+planA+`"`)
		s.Is("pending_plan_id", "null")
		s.Settled(nil)
	}
}

// TestSubscription_planTakenOut: a subscription with items continues without its plan, and gets one again.
func TestSubscription_planTakenOut(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"items": []any{itemA}})
	without := acctest.JSON{"plan_id": nil, "items": []any{itemA}}
	s.Configure(without)
	s.Is("current_plan_id", "null")
	s.Settled(without)
	again := acctest.JSON{"plan_id": planB, "plan_change": later, "items": []any{itemA}}
	s.Configure(again)
	s.Is("current_plan_id", "null")
	s.Settled(again)
}

// TestSubscription_oneUpdate: plan, items, pause and notes in one update, with no request sent twice.
func TestSubscription_oneUpdate(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"items": []any{itemA}, "notes": "a"})
	p := s.Plan(s.With(acctest.JSON{"plan_id": planB, "items": []any{itemB}, "notes": "b",
		"pause": acctest.JSON{"behavior": "void"}}))
	s.service.Sandbox.ResetRequests()
	if text := acctest.Errors(s.Apply(p)); text != "" {
		t.Fatal(text)
	}
	want := []string{"subscriptions.items.list", "subscriptions.change_plan",
		"subscriptions.items.sync", "subscriptions.update", "subscriptions.pause"}
	if have := s.service.Operations(); !slices.Equal(have, want) {
		t.Errorf("asked for %v, want %v", have, want)
	}
	for _, request := range s.service.Sandbox.Requests() {
		t.Logf("%s %s %s", request.Method, strings.Replace(request.Path, s.ID(), "{id}", 1), request.Body)
	}
}

// TestSubscription_resumeFirst: what runs again is changed, and paused or ended after that.
func TestSubscription_resumeFirst(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"pause": acctest.JSON{}})
	p := s.Plan(s.With(acctest.JSON{"plan_id": planB, "notes": "b", "custom_metadata": acctest.JSON{"k": "v"},
		"cancel_at_period_end": true}))
	s.service.Sandbox.ResetRequests()
	if text := acctest.Errors(s.Apply(p)); text != "" {
		t.Fatal(text)
	}
	if have := s.operations(); !slices.Equal(have, []string{"resume", "change_plan", "update", "cancel"}) {
		t.Errorf("asked for %v", have)
	}
}

// TestSubscription_turnsOut: whatever an argument turns out to be, the plan inside the apply fits the one before, and
// the apply converges.
func TestSubscription_turnsOut(t *testing.T) {
	t.Parallel()
	now := acctest.JSON{"timing": "immediate"}
	waiting := acctest.JSON{"plan_id": planB, "plan_change": later}
	for name, c := range map[string]struct {
		before []acctest.JSON // applied, one after the other
		// planned and known are the configuration of the plan and of the apply.
		planned, known acctest.JSON
		sends          []string
	}{
		"the same plan, another timing": {nil, acctest.JSON{"plan_id": acctest.Unknown, "plan_change": later},
			acctest.JSON{"plan_id": planA, "plan_change": later}, nil},
		"the same plan, another reason": {nil, acctest.JSON{"plan_id": acctest.Unknown,
			"plan_change": acctest.JSON{"reason": "x"}}, acctest.JSON{"plan_change": acctest.JSON{"reason": "x"}}, nil},
		"the same plan, no plan_change": {[]acctest.JSON{nil, waiting}, acctest.JSON{"plan_id": acctest.Unknown},
			acctest.JSON{"plan_id": planB}, nil},
		"another plan, no plan_change": {[]acctest.JSON{nil, waiting}, acctest.JSON{"plan_id": acctest.Unknown},
			acctest.JSON{"plan_id": planC}, []string{"change_plan"}},
		"another plan, later": {nil, acctest.JSON{"plan_id": acctest.Unknown, "plan_change": later}, waiting,
			[]string{"change_plan"}},
		"a known plan, beside notes": {nil, acctest.JSON{"notes": "n", "plan_change": later},
			acctest.JSON{"notes": "n", "plan_change": later}, []string{"update"}},
		"a known plan, beside unknown notes": {nil, acctest.JSON{"notes": acctest.Unknown, "plan_change": later},
			acctest.JSON{"plan_change": later}, nil},
		"the pending plan begins now": {[]acctest.JSON{nil, waiting}, acctest.JSON{"plan_id": acctest.Unknown,
			"plan_change": now}, acctest.JSON{"plan_id": planB, "plan_change": now}, []string{"change_plan"}},
		"a timing that hastens": {[]acctest.JSON{nil, waiting},
			acctest.JSON{"plan_id": planB, "plan_change": acctest.JSON{"timing": acctest.Unknown}, "notes": "n"},
			acctest.JSON{"plan_id": planB, "plan_change": now, "notes": "n"}, []string{"change_plan", "update"}},
		"a timing that does not hasten": {[]acctest.JSON{nil, waiting},
			acctest.JSON{"plan_id": planB, "plan_change": acctest.Unknown}, waiting, nil},
		"an end that is scheduled": {nil, acctest.JSON{"cancel_at_period_end": acctest.Unknown},
			acctest.JSON{"cancel_at_period_end": true}, []string{"cancel"}},
		"no end": {nil, acctest.JSON{"cancel_at_period_end": acctest.Unknown, "allow_cancel": false},
			acctest.JSON{"cancel_at_period_end": false, "allow_cancel": false}, []string{"update"}},
		"an end that stays": {[]acctest.JSON{nil, {"cancel_at_period_end": true}},
			acctest.JSON{"cancel_at_period_end": acctest.Unknown}, acctest.JSON{"cancel_at_period_end": true}, nil},
		"an end that is taken back": {[]acctest.JSON{nil, {"cancel_at_period_end": true}},
			acctest.JSON{"cancel_at_period_end": acctest.Unknown}, acctest.JSON{"cancel_at_period_end": false},
			[]string{"update"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(nil)
			for _, lines := range c.before {
				s.Configure(lines)
			}
			s.Reread()
			first := s.Plan(s.With(c.planned))
			if text := acctest.Errors(first.Diagnostics); text != "" {
				t.Fatal(text)
			}
			s.service.Sandbox.ResetRequests()
			if text := acctest.Errors(s.Apply(s.Again(first, s.With(c.known)))); text != "" {
				t.Fatal(text)
			}
			if have := s.operations(); !slices.Equal(have, c.sends) {
				t.Errorf("asked for %v, want %v", have, c.sends)
			}
			s.Settled(c.known)
		})
	}
}

// TestSubscription_pauseTurnsOut: the end of a pause that was not known in the plan may be that of the fulfilled one,
// so that another system's pause is resumed.
func TestSubscription_pauseTurnsOut(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}}
	s.Configure(nil)
	s.Configure(lines)
	s.pass(20 * 24 * time.Hour)
	s.outside("pause", acctest.JSON{"behavior": "void"})
	s.Reread()
	first := s.Plan(s.With(acctest.JSON{"pause": acctest.JSON{"resumes_at": acctest.Unknown}}))
	if text := acctest.Errors(s.Apply(s.Again(first, s.With(lines)))); text != "" {
		t.Fatal(text)
	}
	s.Is("status", `"active"`)
	s.Settled(lines)
}

// TestSubscription_recreateTurnsOut: a canceled subscription is not replaced for an on_external_cancel that was not
// known in the plan.
func TestSubscription_recreateTurnsOut(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.outside("cancel", nil)
	s.Reread()
	first := s.Plan(s.With(acctest.JSON{"on_external_cancel": acctest.Unknown}))
	again := s.Again(first, s.With(acctest.JSON{"on_external_cancel": "recreate"}))
	says(t, acctest.Errors(s.Apply(again)), "did not show that subscription", "is replaced", "Plan again")
	if s.Settled(nil); len(s.Plan(s.With(acctest.JSON{"on_external_cancel": "recreate"})).Replaces) == 0 {
		t.Error("the next plan replaces nothing")
	}
}
