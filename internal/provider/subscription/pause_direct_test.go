package subscription_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestSubscription_pause: the block pauses, changed it pauses again, removed it resumes.
func TestSubscription_pause(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	plain := acctest.JSON{"pause": acctest.JSON{}}
	s.Configure(plain)
	s.Is("status", `"paused"`)
	s.Is("pause", `{"behavior":"mark_uncollectible","resumes_at":null}`)
	s.Settled(plain)
	// The same time in another zone is not another pause.
	s.Configure(acctest.JSON{"pause": acctest.JSON{"behavior": "void", "resumes_at": "2026-04-01T00:00:00Z"}})
	s.Settled(acctest.JSON{"pause": acctest.JSON{"behavior": "void", "resumes_at": "2026-03-31T21:00:00-03:00"}})
	s.Settled(acctest.JSON{"pause": acctest.JSON{"behavior": "void", "resumes_at": "2026-04-01"}})
	s.service.Sandbox.ResetRequests()
	s.Configure(nil)
	if have := s.operations(); !slices.Equal(have, []string{"resume"}) {
		t.Errorf("asked for %v", have)
	}
	s.Is("status", `"active"`)
	s.Is("pause", "null")
	s.Settled(nil)
}

// TestSubscription_pauseEnded: a pause that was ended elsewhere before its time is drift, with a warning.
func TestSubscription_pauseEnded(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}}
	s.Configure(lines)
	s.outside("resume", nil)
	says(t, s.Reread(), `The pause of subscription "s-1" (id `, ") has ended", "ended outside of Terraform")
	s.Is("pause", "null")
	p := s.Plan(s.With(lines))
	if !slices.Contains(p.Changes(t), "pause") {
		t.Errorf("the plan changes %v", p.Changes(t))
	}
	if more := s.Reread(); more != "" {
		t.Errorf("it is told again: %s", more)
	}
	s.Settled(nil)
}

// TestSubscription_pauseFulfilled: a pause whose time has passed is not a difference and no warning, however it ended,
// and neither its block nor its removal asks for anything. Another system's pause after it is ended.
func TestSubscription_pauseFulfilled(t *testing.T) {
	t.Parallel()
	pass := func(s *subject) { s.pass(20 * 24 * time.Hour) }
	for name, c := range map[string]struct {
		change  func(string, acctest.JSON)
		end     func(s *subject)
		removal []string // what the removal of the block asks for
	}{
		"by itself":           {end: pass, removal: []string{"update"}},
		"by hand before that": {end: func(s *subject) { s.outside("resume", nil); pass(s) }, removal: []string{"update"}},
		"without a date of its end": {change: func(_ string, o acctest.JSON) { delete(o, "resumed_at") }, end: pass,
			removal: []string{"resume", "update"}},
		"seen early, with no refresh": {end: func(s *subject) { s.outside("resume", nil); s.Reread(); pass(s) },
			removal: []string{"update"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			if c.change != nil {
				s.Direct = s.service.Rewriting(c.change).Direct("billing_subscription")
			}
			lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}}
			s.Configure(lines)
			c.end(s)
			s.service.Sandbox.ResetRequests()
			if told := s.Reread(); told != "" {
				t.Errorf("told: %s", told)
			}
			lines["notes"] = "n"
			s.Configure(lines)
			s.Settled(lines)
			if have := s.operations(); !slices.Equal(have, []string{"update"}) {
				t.Errorf("asked for %v", have)
			}
			s.outside("pause", acctest.JSON{"behavior": "void"})
			s.Reread()
			s.Configure(lines)
			s.Is("status", `"active"`)
			s.Settled(lines)
			s.service.Sandbox.ResetRequests()
			s.Configure(nil)
			if have := s.operations(); !slices.Equal(have, c.removal) {
				t.Errorf("asked for %v", have)
			}
			s.Settled(nil)
			// Once removed, it is a new pause.
			says(t, acctest.Errors(s.Plan(s.With(lines)).Diagnostics), "its pause would have ended already")
		})
	}
}

// TestSubscription_pauseEndedThenDue: a pause that was ended elsewhere, and whose date has passed since, is not
// running: the removal of the block plans nothing else and sends nothing, also where the service keeps the dates of the
// pause.
func TestSubscription_pauseEndedThenDue(t *testing.T) {
	t.Parallel()
	const began = "2026-03-14T12:00:00Z"
	for name, change := range map[string]func(string, acctest.JSON){
		"":                      func(string, acctest.JSON) {},
		"paused_at stays":       func(_ string, o acctest.JSON) { o["paused_at"] = began },
		"nothing but the state": func(_ string, o acctest.JSON) { delete(o, "paused_at"); delete(o, "resumes_at") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Direct = s.service.Rewriting(change).Direct("billing_subscription")
			lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}}
			s.Configure(lines)
			s.pass(time.Hour)
			s.outside("resume", nil)
			s.pass(20 * 24 * time.Hour)
			s.Settled(lines)
			if changes := s.Plan(s.With(nil)).Changes(t); !slices.Equal(changes, []string{"pause"}) {
				t.Errorf("the plan changes %v", changes)
			}
			s.service.Sandbox.ResetRequests()
			s.Configure(nil)
			if have := s.operations(); len(have) > 0 {
				t.Errorf("asked for %v", have)
			}
			s.Settled(nil)
		})
	}
}

// TestSubscription_pausePast: a pause that is over already when it is added is an error in the plan, by the service's
// clock.
func TestSubscription_pausePast(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	past := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-03-14T12:00:00Z"}}
	s.Configure(nil)
	says(t, acctest.Errors(s.Plan(s.With(past)).Diagnostics), `AttributeName("pause")`, "pause.resumes_at",
		"2026-03-14T12:00:00Z", "in the past")
	s.Configure(acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-03-14T12:00:10Z"}})
}

// TestSubscription_pauseOutside: a pause that another system began or changed is drift.
func TestSubscription_pauseOutside(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.outside("pause", acctest.JSON{"behavior": "void"})
	s.Reread()
	s.Is("pause", `{"behavior":"void","resumes_at":null}`)
	s.Configure(nil)
	s.Is("status", `"active"`)
	lines := acctest.JSON{"pause": acctest.JSON{}}
	s.Configure(lines)
	s.outside("pause", acctest.JSON{"behavior": "keep_as_draft"})
	s.Reread()
	s.Configure(lines)
	s.Settled(lines)
}

// TestSubscription_pausePartlyReturned: the service may leave out how a subscription is paused, or say it in another
// way.
func TestSubscription_pausePartlyReturned(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string, acctest.JSON){
		"status alone": func(_ string, o acctest.JSON) {
			delete(o, "pause_collection")
			delete(o, "resumes_at")
			delete(o, "paused_at")
		},
		"no behavior":      func(_ string, o acctest.JSON) { delete(o, "pause_collection") },
		"another status":   func(_ string, o acctest.JSON) { o["status"] = "active" },
		"an empty object":  func(_ string, o acctest.JSON) { o["pause_collection"] = acctest.JSON{} },
		"nothing is null":  func(_ string, _ acctest.JSON) {},
		"null is left out": func(_ string, o acctest.JSON) { dropNulls(o) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Direct = s.service.Rewriting(change).Direct("billing_subscription")
			lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}}
			s.Configure(lines)
			s.Settled(lines)
			s.Configure(nil)
			if status := s.remote()["status"]; status != "active" {
				t.Errorf("the service says %v", status)
			}
			s.Settled(nil)
		})
	}
}

func dropNulls(object acctest.JSON) {
	for name, value := range object {
		if value == nil {
			delete(object, name)
		}
	}
}

// TestSubscription_pauseRefusedByService: what only the service knows to be wrong lands on the argument.
func TestSubscription_pauseRefusedByService(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	p := s.Plan(s.With(acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-03-15"}}))
	s.pass(48 * time.Hour)
	says(t, acctest.Errors(s.Apply(p)), `AttributeName("pause")`, "Could not pause", "pause.resumes_at",
		"future", "Request-Id")
	s.Reread()
	s.patch(acctest.JSON{"allow_pause": false})
	// The state still believes that it may be paused.
	p = s.Plan(s.With(acctest.JSON{"pause": acctest.JSON{}}))
	says(t, acctest.Errors(s.Apply(p)), `AttributeName("pause")`, "does not allow a pause")
	s.Is("pause", "null")
}

// TestSubscription_pauseOver: where the configured pause is over, there is nothing to pause for a subscription that is
// imported or created: a warning, no request, and an empty plan after that.
func TestSubscription_pauseOver(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01"}, "on_external_cancel": "recreate"}
	for name, begin := range map[string]func(s *subject) acctest.Planned{
		"import": func(s *subject) acctest.Planned { s.Import(s.ID()); return s.Plan(s.With(lines)) },
		"new": func(s *subject) acctest.Planned {
			s.outside("cancel", nil)
			s.Set(nil)
			s.Plan(s.With(lines)) // the second one begins a new run
			return s.Plan(s.With(lines))
		},
		"-replace": func(s *subject) acctest.Planned {
			s.anotherRun(lines)
			return s.PlanReplace(s.With(lines))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(lines)
			s.pass(20 * 24 * time.Hour)
			p := begin(s)
			if text := acctest.Errors(p.Diagnostics); text != "" {
				t.Fatal(text)
			}
			if name == "-replace" {
				return // of which Terraform shows only errors
			}
			says(t, acctest.Warnings(p.Diagnostics), `Subscription "s-1"`, "the pause is over", "2026-04-01")
			s.service.Sandbox.ResetRequests()
			if text := acctest.Errors(s.Apply(p)); text != "" {
				t.Fatal(text)
			}
			if have := s.operations(); slices.Contains(have, "pause") {
				t.Errorf("asked for %v", have)
			}
			if told := s.Settled(lines); told != "" {
				t.Errorf("told: %s", told)
			}
			// Another system's pause after it is ended, as any other one.
			s.outside("pause", acctest.JSON{"behavior": "void"})
			s.Reread()
			s.Configure(lines)
			s.Is("status", `"active"`)
			s.Settled(lines)
		})
	}
}
