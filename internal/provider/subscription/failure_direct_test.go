package subscription_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestSubscription_lostResponses: the response to each transition is lost; it has happened once, and the state is
// right.
func TestSubscription_lostResponses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after acctest.JSON
		operation     string
	}{
		"pause":                {nil, acctest.JSON{"pause": acctest.JSON{}}, "pause"},
		"resume":               {acctest.JSON{"pause": acctest.JSON{}}, nil, "resume"},
		"change of plan":       {nil, acctest.JSON{"plan_id": planB}, "change_plan"},
		"later change of plan": {nil, acctest.JSON{"plan_id": planB, "plan_change": later}, "change_plan"},
		"scheduled end":        {nil, acctest.JSON{"cancel_at_period_end": true}, "cancel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(c.before)
			s.service.Sandbox.ResetRequests()
			s.Fault(sandbox.Fault{Operation: "subscriptions." + c.operation, Times: 1, DropAfter: true})
			s.Configure(c.after)
			if have := s.operations(); !slices.Equal(have, []string{c.operation}) {
				t.Errorf("asked for %v", have)
			}
			s.Settled(c.after)
		})
	}
}

// TestSubscription_lostUpdates: what can be repeated is repeated.
func TestSubscription_lostUpdates(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "subscriptions.update", Times: 1, DropAfter: true})
	s.Fault(sandbox.Fault{Operation: "subscriptions.items.sync", Times: 1, DropAfter: true})
	lines := acctest.JSON{"notes": "b", "items": []any{itemA}}
	s.Configure(lines)
	s.Settled(lines)
}

// TestSubscription_lostCreation: it is found again, once, with an external_id. Without one the error says what is
// known.
func TestSubscription_lostCreation(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Fault(sandbox.Fault{Operation: "subscriptions.create", Times: 1, DropAfter: true})
	lines := acctest.JSON{"items": []any{itemB}, "discount_percent": "10"}
	says(t, s.Configure(lines), "was found instead of created twice", s.ID())
	s.Settled(lines)
	if n := s.service.Count("subscriptions.create"); n != 1 {
		t.Errorf("created %d times", n)
	}
	nameless := subscribe(t)
	nameless.Fault(sandbox.Fault{Operation: "subscriptions.create", Times: 1, DropBefore: true})
	p := nameless.Plan(nameless.With(acctest.JSON{"external_id": nil}))
	says(t, acctest.Errors(nameless.Apply(p)), "the outcome is unknown", "may or may not exist", "import")
	if n := nameless.service.Count("subscriptions.create"); n != 1 || nameless.Exists() {
		t.Errorf("created %d times", n)
	}
}

// TestSubscription_lostCancellation: destroying cancels once.
func TestSubscription_lostCancellation(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.service.Sandbox.ResetRequests()
	s.Fault(sandbox.Fault{Operation: "subscriptions.cancel", Times: 1, DropAfter: true})
	s.Set(nil)
	if have := s.operations(); !slices.Equal(have, []string{"cancel"}) {
		t.Errorf("asked for %v", have)
	}
}

// TestSubscription_halfUpdate: whichever step of an update fails, the state says what the service has, and the next
// plan holds the rest.
func TestSubscription_halfUpdate(t *testing.T) {
	t.Parallel()
	before := acctest.JSON{"pause": acctest.JSON{}, "items": []any{itemA}, "notes": "a",
		"custom_metadata": acctest.JSON{"a": 1}, "discount_percent": "10"}
	after := acctest.JSON{"plan_id": planB, "items": []any{itemB}, "notes": "b", "custom_metadata": acctest.JSON{"b": 1},
		"cancel_at_period_end": true, "collection_method": "manual_charge", "deletion_policy": "abandon"}
	order := []string{"resume", "change_plan", "items.sync", "update", "cancel"}
	rest := map[string][]string{
		"resume": {"pause", "plan_id", "notes", "custom_metadata", "discount_percent", "collection_method", "items",
			"cancel_at_period_end", "deletion_policy"},
		"change_plan": {"plan_id", "notes", "custom_metadata", "discount_percent", "collection_method", "items",
			"cancel_at_period_end", "deletion_policy"},
		"items.sync": {"notes", "custom_metadata", "discount_percent", "collection_method", "items",
			"cancel_at_period_end", "deletion_policy"},
		"update": {"notes", "custom_metadata", "discount_percent", "collection_method", "cancel_at_period_end",
			"deletion_policy"},
		"cancel": {"cancel_at_period_end", "deletion_policy"},
	}
	all := rest["resume"]
	for n, failing := range order {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(before)
			p := s.Plan(s.With(after))
			s.Fault(sandbox.Fault{Operation: "subscriptions." + failing, Times: 1, Status: 422, Code: "transition_refused"})
			s.service.Sandbox.ResetRequests()
			says(t, acctest.Errors(s.Apply(p)), "Request-Id", "transition_refused")
			if have := s.operations(); !slices.Equal(have, order[:n+1]) {
				t.Errorf("asked for %v", have)
			}
			applied := s.State()
			s.Reread()
			if untrue := acctest.Differences(t, applied, s.State()); len(untrue) > 0 &&
				!slices.Equal(untrue, afterSync(failing)) {
				t.Errorf("the state was not true about %v", untrue)
			}
			changes := s.Plan(s.With(after)).Changes(t)
			for _, argument := range all {
				if slices.Contains(changes, argument) != slices.Contains(rest[failing], argument) {
					t.Errorf("the next plan changes %v, want %v of the arguments", changes, rest[failing])
					break
				}
			}
			s.service.Sandbox.ResetRequests()
			s.Configure(after)
			if have := s.operations(); !slices.Equal(have, order[n:]) {
				t.Errorf("the rest asked for %v", have)
			}
			s.Settled(after)
			s.Is("effective_custom_metadata", `"{\"b\":1}"`)
		})
	}
}

// afterSync are the computed attributes that follow from new items, which the response to these does not show.
func afterSync(failing string) []string {
	if failing == "update" {
		return []string{"recurring_amount_cents", "updated_at"}
	}
	return nil
}

// TestSubscription_halfUpdateThenAnother: what a failed update has given up and what it has taken on is known to the
// next one.
func TestSubscription_halfUpdateThenAnother(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"custom_metadata": acctest.JSON{"a": 1}})
	p := s.Plan(s.With(acctest.JSON{"custom_metadata": acctest.JSON{"b": 1}, "collection_method": "manual_charge",
		"pause": acctest.JSON{}}))
	s.Fault(sandbox.Fault{Operation: "subscriptions.pause", Times: 1, Status: 422})
	if acctest.Errors(s.Apply(p)) == "" {
		t.Fatal("the pause was to fail")
	}
	s.Reread()
	s.Configure(nil)
	s.Is("effective_custom_metadata", `"{}"`)
	s.Is("collection_method", "null")
	s.Settled(nil)
}

// TestSubscription_halfCreation: a step that follows the creation fails. The subscription is in the state, a warning
// says what is missing, and the next plan holds just that.
func TestSubscription_halfCreation(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"discount_percent": "10", "allow_cancel": true, "pause": acctest.JSON{},
		"cancel_at_period_end": true}
	for failing, rest := range map[string][]string{
		"update": {"cancel_at_period_end", "discount_percent", "pause"},
		"pause":  {"cancel_at_period_end", "pause"},
		"cancel": {"cancel_at_period_end"},
	} {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Fault(sandbox.Fault{Operation: "subscriptions." + failing, Times: 1, Status: 422, Code: "transition_refused"})
			warnings := s.Configure(lines)
			says(t, warnings, "Created, but not finished", "transition_refused", "the next apply does it")
			if strings.Contains(warnings, "stored something else") {
				t.Error("the difference is told twice")
			}
			if more := s.Reread(); more != "" {
				t.Errorf("the refresh warns: %s", more)
			}
			p := s.Plan(s.With(lines))
			for _, argument := range []string{"cancel_at_period_end", "discount_percent", "pause", "plan_id", "notes"} {
				if slices.Contains(p.Changes(t), argument) != slices.Contains(rest, argument) {
					t.Errorf("the next plan changes %v, want %v of the arguments", p.Changes(t), rest)
					break
				}
			}
			s.Configure(lines)
			s.Settled(lines)
			s.Is("status", `"paused"`)
		})
	}
}

// TestSubscription_wrongAddress: a 404 that is not the service's own drops nothing.
func TestSubscription_wrongAddress(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "subscriptions.get", Times: 1, Status: 404, Foreign: "html"})
	says(t, acctest.Errors(s.Refresh()), "Could not read", "Nothing was removed from the state")
	if !s.Exists() {
		t.Error("the subscription was dropped")
	}
	s.Settled(nil)
}

// TestSubscription_settledDifference: a response that differs from the request is reported, and shows as drift at the
// next refresh.
func TestSubscription_settledDifference(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Direct = s.service.Rewriting(func(_ string, o acctest.JSON) {
		if o["notes"] == "one" {
			o["notes"] = "ONE"
		}
	}).Direct("billing_subscription")
	says(t, s.Configure(acctest.JSON{"notes": "one"}), "The service stored another notes", "s-1")
	s.Is("notes", `"one"`)
	s.Reread()
	s.Is("notes", `"ONE"`)
}

// TestSubscription_unreadableCreation: a subscription whose creation is answered unreadably is billed, so it is in the
// state next to the error, and nothing more is sent.
func TestSubscription_unreadableCreation(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Direct = s.service.Rewriting(func(_ string, o acctest.JSON) {
		if o["external_id"] == "s-1" {
			o["custom_metadata"] = []any{1}
		}
	}).Direct("billing_subscription")
	s.service.Sandbox.ResetRequests()
	p := s.Plan(s.With(acctest.JSON{"pause": acctest.JSON{}}))
	says(t, acctest.Errors(s.Apply(p)), "Unreadable response", "custom_metadata of subscription "+s.ID())
	if have := s.operations(); s.ID() == "" || !slices.Equal(have, []string{"create"}) {
		t.Errorf("asked for %v, in the state with the id %q", have, s.ID())
	}
}

// TestSubscription_itemsForbidden: a token that may not read the items keeps those of the state, with a warning, and
// the refresh works.
func TestSubscription_itemsForbidden(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"items": []any{itemA}}
	s.Configure(lines)
	before := s.State()
	s.Fault(sandbox.Fault{Operation: "subscriptions.items.list", Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, s.Reread(), `The items of subscription "s-1" (id `, "cannot be read", "insufficient_scope")
	if !s.State().Equal(before) {
		t.Errorf("the state is now %s", s.State())
	}
	s.Settled(lines)
}

// TestSubscription_replacedOnRequest: what only the command line or the state asks to replace is held to the same
// account as a replacement that the configuration causes, before anything is canceled.
func TestSubscription_replacedOnRequest(t *testing.T) {
	t.Parallel()
	recreate := acctest.JSON{"on_external_cancel": "recreate"}
	for name, plan := range map[string]func(s *subject, config acctest.JSON) acctest.Planned{
		"-replace": func(s *subject, config acctest.JSON) acctest.Planned { return s.PlanReplace(config) },
		"taint":    func(s *subject, config acctest.JSON) acctest.Planned { return s.PlanTainted(config) },
		"recreate": func(s *subject, config acctest.JSON) acctest.Planned {
			s.outside("cancel", nil)
			s.Reread()
			return s.PlanReplace(config)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			account := "/v1/billing-accounts/" + s.Base["billing_account_id"].(string)
			s.Configure(recreate)
			s.Reread()
			s.service.Must("POST", account+"/suspend", acctest.JSON{})
			s.anotherRun(recreate)
			s.service.Sandbox.ResetRequests()
			says(t, acctest.Errors(plan(s, s.With(recreate)).Diagnostics), `AttributeName("billing_account_id")`,
				"it cannot be created on its billing account", "is suspended")
			if n := s.service.Count("billing_accounts.get"); n != 1 {
				t.Errorf("read the account %d times", n)
			}
			s.service.Must("POST", account+"/reactivate", acctest.JSON{})
			again := s.service.Direct("billing_subscription") // a new run
			if text := acctest.Errors(again.Plan(s.With(recreate)).Diagnostics); text != "" {
				t.Error(text)
			}
		})
	}
}
