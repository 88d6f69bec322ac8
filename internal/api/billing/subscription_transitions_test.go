package billing

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// fields are what a look at the subscription shows differently.
type fields = map[string]any

var (
	pausedUntil = fields{"status": "paused", "pause_collection": fields{"behavior": "void",
		"resumes_at": "2025-09-30T12:00:00.000Z"}, "resumes_at": "2025-09-30T12:00:00.000Z"}
	pausedOpen = fields{"status": "paused", "pause_collection": fields{"behavior": "mark_uncollectible",
		"resumes_at": json.RawMessage("null")}}
	canceled    = fields{"status": "canceled", "canceled_at": "2025-01-02T00:00:00.000Z"}
	scheduled   = fields{"cancel_at_period_end": true}
	pending     = fields{"metadata": fields{"pending_plan_id": "plan2"}}
	changedPlan = fields{"plan_id": "plan2"}
	unchanged   = fields{}
)

// TestSubscriptionTransitions loses the response of each transition and shows the
// subscription in a state: what is as asked is the result, and everything else an
// error, after the transition was sent again (once, with this client). A change of
// plan is never sent again: each may be billed.
func TestSubscriptionTransitions(t *testing.T) {
	t.Parallel()
	type step = func(context.Context, *Service) (*Subscription, error)
	pause := func(behavior, resumesAt string) step {
		return func(ctx context.Context, s *Service) (*Subscription, error) {
			return s.PauseSubscription(ctx, "s1", behavior, resumesAt)
		}
	}
	change := func(c ChangePlan) step {
		return func(ctx context.Context, s *Service) (*Subscription, error) {
			return s.ChangePlan(ctx, "s1", c)
		}
	}
	remove := func(ctx context.Context, s *Service) (*Subscription, error) {
		return s.RemovePlan(ctx, "s1", SubscriptionBody{PlanID: api.Set("")})
	}
	cancel := func(c Cancel) step {
		return func(ctx context.Context, s *Service) (*Subscription, error) {
			return s.CancelSubscription(ctx, "s1", c)
		}
	}
	resume := func(ctx context.Context, s *Service) (*Subscription, error) { return s.ResumeSubscription(ctx, "s1") }
	now, later := ChangePlan{PlanID: "plan2"}, ChangePlan{PlanID: "plan2", Timing: "end_of_period"}
	takeBack := ChangePlan{PlanID: "plan1"}
	const done, open = "done", "open"
	type row struct {
		path  string
		step  step
		shown fields
		want  string
	}
	tests := map[string]row{
		"pause, paused":                {"pause", pause("", ""), pausedOpen, done},
		"pause, paused, named default": {"pause", pause("mark_uncollectible", ""), pausedOpen, done},
		"pause, paused, status only":   {"pause", pause("void", ""), fields{"status": "paused"}, done},
		"pause, paused, object only": {"pause", pause("void", ""),
			fields{"pause_collection": fields{"behavior": "void"}}, done},
		"pause, not paused":                    {"pause", pause("", ""), unchanged, open},
		"pause, an empty object":               {"pause", pause("", ""), fields{"pause_collection": fields{}}, open},
		"pause, canceled":                      {"pause", pause("", ""), canceled, open},
		"pause until, paused":                  {"pause", pause("void", "2025-09-30T09:00:00-03:00"), pausedUntil, done},
		"pause until, finer than milliseconds": {"pause", pause("void", "2025-09-30T12:00:00.0004Z"), pausedUntil, done},
		"pause until, date in the field only": {"pause", pause("void", "2025-09-30T12:00:00Z"),
			fields{"status": "paused", "resumes_at": "2025-09-30T12:00:00.000Z"}, done},
		"pause until, another date": {"pause", pause("void", "2025-10-01T12:00:00Z"), pausedUntil, open},
		"pause until, paused without a date": {"pause", pause("mark_uncollectible", "2025-10-01T12:00:00Z"),
			pausedOpen, open},
		"pause without a date, paused until": {"pause", pause("void", ""), pausedUntil, open},
		"pause, another behavior":            {"pause", pause("keep_as_draft", ""), pausedOpen, open},

		"resume, active":        {"resume", resume, unchanged, done},
		"resume, trialing":      {"resume", resume, fields{"status": "trialing"}, done},
		"resume, paused":        {"resume", resume, pausedUntil, open},
		"resume, by the object": {"resume", resume, fields{"pause_collection": fields{"behavior": "void"}}, open},
		"resume, canceled":      {"resume", resume, canceled, open},

		"change now, changed":                     {"change-plan", change(now), changedPlan, done},
		"change now, not changed":                 {"change-plan", change(now), unchanged, open},
		"change now, still to come":               {"change-plan", change(now), pending, open},
		"change now, another system schedules it": {"change-plan", change(now), pending, open},
		"change now, canceled":                    {"change-plan", change(now), canceled, open},
		"change later, to come":                   {"change-plan", change(later), pending, done},
		"change later, not to come":               {"change-plan", change(later), unchanged, open},
		"change later, come already":              {"change-plan", change(later), changedPlan, done},
		"change later, another to come": {"change-plan", change(later),
			fields{"metadata": fields{"pending_plan_id": "plan3"}}, open},
		"plan removed, gone":         {"", remove, fields{"plan_id": nil}, done},
		"plan removed, still there":  {"", remove, unchanged, open},
		"plan removed, another runs": {"", remove, changedPlan, open},
		"plan removed, another next": {"", remove, pending, open},
		"taken back, gone":           {"change-plan", change(takeBack), unchanged, done},
		"taken back, still to come":  {"change-plan", change(takeBack), pending, open},

		"cancel, canceled":            {"cancel", cancel(Cancel{}), canceled, done},
		"cancel, not canceled":        {"cancel", cancel(Cancel{}), unchanged, open},
		"cancel, scheduled":           {"cancel", cancel(Cancel{}), scheduled, open},
		"cancel later, scheduled":     {"cancel", cancel(Cancel{AtPeriodEnd: true}), scheduled, done},
		"cancel later, not scheduled": {"cancel", cancel(Cancel{AtPeriodEnd: true}), unchanged, open},
		"cancel later, canceled now":  {"cancel", cancel(Cancel{AtPeriodEnd: true}), canceled, open},
		"cancel later, come to an end": {"cancel", cancel(Cancel{AtPeriodEnd: true}),
			fields{"status": "canceled", "cancel_at_period_end": true}, done},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		post := "POST " + subscriptionPath + "/" + test.path
		if test.path == "" {
			post = "PATCH " + subscriptionPath
		}
		w := newWire(map[string]http.HandlerFunc{
			post: lost, getSubscription: respond(200, data(subscriptionJSON(t, test.shown))),
		})
		got, err := test.step(t.Context(), newService(t, w))
		billed := test.path == "change-plan" || test.path == ""
		if want := map[bool]int{true: 1, false: 2}[billed || test.want == done]; w.Count(post) != want {
			t.Errorf("sent %d times, want %d", w.Count(post), want)
		}
		if _, ambiguous := api.AsAmbiguous(err); ambiguous != (test.want == open) || err != nil && !ambiguous {
			t.Fatalf("got %v", err)
		}
		if test.want == done && got == nil {
			t.Error("got nothing")
		}
	})
}

// A success whose body cannot be used says that something happened, and not
// what: reading tells.
func TestTransitionWithoutAnObjectInTheResponseIsReadBack(t *testing.T) {
	t.Parallel()
	for _, first := range []http.HandlerFunc{respond(204, ""), respond(200, `{}`),
		respond(200, `{"data":{"status":"paused"}}`), respond(202, `{"message":"queued"}`)} {
		w := newWire(map[string]http.HandlerFunc{
			"POST " + subscriptionPath + "/pause": first, getSubscription: respond(200, data(subscriptionJSON(t, pausedOpen))),
		})
		got, err := newService(t, w).PauseSubscription(t.Context(), "s1", "", "")
		if err != nil || got.Status != "paused" || len(w.Seen) != 2 {
			t.Errorf("%+v, %v after %v", got, err, w.Seen)
		}
	}
}

// A transition may return a part of the subscription; the read after it may lag
// behind, so the part counts more.
func TestPartialResponseOfATransitionIsNewer(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{
		"POST " + subscriptionPath +
			"/pause": respond(200, `{"id":"s1","status":"paused","pause_collection":{"behavior":"void","resumes_at":null}}`),
		getSubscription: respond(200, data(subscriptionJSON(t, nil))),
	})
	got, err := newService(t, w).PauseSubscription(t.Context(), "s1", "void", "")
	if err != nil || got.Status != "paused" || got.PauseCollection.Behavior != "void" ||
		api.OrEmpty(got.PlanID) != "plan1" ||
		len(w.Seen) != 2 {
		t.Errorf("%+v, %v after %v", got, err, w.Seen)
	}
}

func TestUndecidedTransitionNamesIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(map[string]http.HandlerFunc{"POST " + subscriptionPath + "/resume": lost,
			getSubscription: respond(403, "")})
		_, err := newService(t, w).ResumeSubscription(t.Context(), "s1")
		if err == nil ||
			!strings.Contains(err.Error(),
				`The resumption of the subscription "s1" may or may not have been carried out. Reading the object failed.`) {
			t.Errorf("got %v", err)
		}
	})
}
