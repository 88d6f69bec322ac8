package sandbox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §4 Subscription pause; wire contract: pause, resume.
func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	path, _ := c.subscribe("")
	c.do("POST", path+"/pause", "").want(200).holds(map[string]string{
		"status": `"paused"`, "paused_at": `"2026-01-31T12:00:00.000Z"`, "resumes_at": "null", "resumed_at": "null",
		"pause_collection": `{"behavior":"mark_uncollectible","resumes_at":null}`,
	})
	server.Clock().Advance(time.Hour)
	c.do("POST", path+"/pause", `{"behavior":"void","resumes_at":"2026-02-10T00:00:00-03:00"}`).want(200).
		holds(map[string]string{
			"paused_at": `"2026-01-31T12:00:00.000Z"`, "resumes_at": `"2026-02-10T03:00:00.000Z"`,
			"pause_collection": `{"behavior":"void","resumes_at":"2026-02-10T03:00:00.000Z"}`,
		})
	c.do("POST", path+"/resume", "").want(200).holds(map[string]string{
		"status": `"active"`, "paused_at": "null", "resumes_at": "null", "pause_collection": "null",
		"resumed_at": `"2026-01-31T13:00:00.000Z"`, "activated_at": `"2026-01-31T12:00:00.000Z"`,
	})
	c.do("POST", path+"/resume", "").refuses("invalid_transition")
	c.do("PATCH", path, `{"allow_pause":false}`).want(200)
	c.do("POST", path+"/pause", "").refuses("invalid_transition")
}

// Recurring billing §4 Subscription change plan; wire contract: change-plan,
// taking a pending plan change back.
func TestChangePlan(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	path, made := c.subscribe("")
	const third = "085a1912-7223-47c4-905e-827e9a5e1e77"
	for _, step := range []struct{ plan, timing, runs, pending string }{
		{otherPlan, "end_of_period", plan, otherPlan}, {third, "end_of_period", plan, third},
		{plan, "end_of_period", plan, ""}, {otherPlan, "end_of_period", plan, otherPlan}, {plan, "immediate", plan, ""},
		{otherPlan, "end_of_period", plan, otherPlan}, {third, "immediate", third, ""}, {third, "immediate", third, ""},
	} {
		r := c.do("POST", path+"/change-plan", `{"plan_id":"`+step.plan+`","timing":"`+step.timing+
			`","reason":"x"}`).want(200)
		metadata := `{}`
		if step.pending != "" {
			metadata = `{"pending_plan_id":"` + step.pending + `"}`
		}
		r.holds(map[string]string{"plan_id": `"` + step.runs + `"`, "metadata": metadata,
			"current_period_end": made.json("data", "current_period_end")})
	}
	c.do("POST", path+"/change-plan", `{"plan_id":"`+plan+`","timing":"end_of_period"}`).want(200)
	c.do("PATCH", path, `{"plan_id":"`+otherPlan+`"}`).want(200).holds(map[string]string{"plan_id": `"` + otherPlan + `"`,
		"metadata": "{}"})
}

// Recurring billing §3 cancel; wire contract: cancel, cancel_at_period_end,
// subscriptions.delete, external_id of a canceled object.
func TestCancelAndDelete(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	path, made := c.subscribe(`,"external_id":"s-1"`)
	c.do("DELETE", path, "").refuses("invalid_transition")
	c.do("POST", path+"/cancel", `{"cancel_at_period_end":true,"reason":"later"}`).want(200).holds(map[string]string{
		"status": `"active"`, "cancel_at_period_end": "true", "cancellation_reason": `"later"`, "canceled_at": "null"})
	c.do("PATCH", path, `{"cancel_at_period_end":false}`).want(200).
		holds(map[string]string{"cancel_at_period_end": "false", "cancellation_reason": "null"})
	c.do("PATCH", path, `{"allow_cancel":false}`).want(200)
	c.do("POST", path+"/cancel", "").refuses("invalid_transition")
	c.do("PATCH", path, `{"allow_cancel":true,"cancel_at_period_end":true}`).want(200)
	taken := `{"billing_account_id":"` + made.text("data", "billing_account_id") + `","plan_id":"` + plan +
		`","external_id":"s-1"}`
	c.do("POST", subscriptions, taken).refuses("external_id_taken")
	c.do("POST", path+"/pause", "").want(200)
	c.do("POST", path+"/cancel", `{"reason":"now"}`).want(200).holds(map[string]string{
		"status": `"canceled"`, "canceled_at": `"2026-01-31T12:00:00.000Z"`, "cancellation_reason": `"now"`,
		"cancel_at_period_end": "false", "pause_collection": "null", "paused_at": "null",
		"current_period_end": made.json("data", "current_period_end")})
	for _, step := range []string{"cancel", "pause", "resume", "invoices"} {
		c.do("POST", path+"/"+step, "").refuses("invalid_transition")
	}
	c.do("PATCH", path, `{"notes":"late"}`).refuses("invalid_transition")
	c.do("POST", path+"/change-plan", `{"plan_id":"`+plan+`"}`).refuses("invalid_transition")
	c.do("POST", subscriptions, taken).want(201)
	if got := c.do("GET", subscriptions+"?external_id=s-1", "").json("meta", "total"); got != "2" {
		t.Errorf("%s subscriptions have the external_id, want the canceled and the new one", got)
	}
	c.do("DELETE", path, "").want(200)
	c.do("GET", path, "").want(404)
}

// The hooks for what no operation does.
func TestHooks(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	path, made := c.subscribe("")
	id := made.text("data", "id")
	before := made.text("data", "updated_at")
	for _, step := range []struct {
		move func() error
		want string
	}{
		{func() error { return server.SetPastDue(id, true) }, "past_due"},
		{func() error { return server.SetPastDue(id, false) }, "active"},
		{func() error { return server.SetSubscriptionStatus(id, "on_fire") }, "on_fire"},
	} {
		if err := step.move(); err != nil {
			t.Errorf("%s: %v", step.want, err)
		}
		r := c.do("GET", path, "").want(200).holds(map[string]string{"status": `"` + step.want + `"`})
		if r.text("data", "updated_at") <= before {
			t.Errorf("%s did not move updated_at", step.want)
		}
		before = r.text("data", "updated_at")
	}
	if err := server.SetPastDue(id, true); err == nil || !strings.Contains(err.Error(), "invalid_transition") {
		t.Errorf("past due from another state: %v", err)
	}
	for _, err := range []error{server.SetPastDue(plan, true), server.SetSubscriptionStatus(plan, "draft")} {
		if err == nil || !strings.Contains(err.Error(), "not_found") {
			t.Errorf("unknown subscription: %v", err)
		}
	}
	if err := errors.Join(server.SetSubscriptionStatus(id, "active"), server.SetPastDue(id, true)); err != nil {
		t.Error(err)
	}
	c.do("POST", path+"/cancel", "").want(200).holds(map[string]string{"status": `"canceled"`})
	path, made = c.subscribe("")
	if err := server.SetSubscriptionStatus(made.text("data", "id"), "draft"); err != nil {
		t.Error(err)
	}
	c.do("DELETE", path, "").want(200)
}

// wire contract: deleting a customer.
func TestDeleteIsRefusedWhileSubscriptionsLive(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	path, made := c.subscribe("")
	account := c.do("GET", accounts+"/"+made.text("data", "billing_account_id"), "").want(200)
	customer := "/v1/customers/" + account.text("data", "customer", "id")
	for _, status := range []string{"draft", "trialing", "active", "past_due", "paused", "suspended"} {
		if err := server.SetSubscriptionStatus(made.text("data", "id"), status); err != nil {
			t.Fatal(err)
		}
		c.do("DELETE", customer, "").refuses("customer_has_active_subscriptions")
	}
	c.do("POST", path+"/cancel", "").want(200)
	c.do("DELETE", customer, "").want(200)
	c.do("GET", accounts+"/"+account.text("data", "id"), "").want(200).holds(map[string]string{"status": `"closed"`})
}

// wire contract: subscriptions.list.
func TestSubscriptionFilters(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	_, first := c.subscribe(`,"external_id":"s-1"`)
	server.Clock().Advance(time.Hour)
	_, second := c.subscribe(`,"trial_period_days":3`)
	made := c.do("POST", subscriptions, `{"billing_account_id":"`+second.text("data", "billing_account_id")+`",`+
		items(anItem("aa", ""))+`}`).want(201)
	one, two, three := first.text("data", "id"), second.text("data", "id"), made.text("data", "id")
	for query, want := range map[string][]string{
		"external_id=s-1": {one}, "external_id=s": nil, "status=trialing": {two}, "status=active": {one, three},
		"plan_id=" + plan: {one, two}, "billing_account_id=" + second.text("data", "billing_account_id"): {two, three},
		"updated_at_gte=2026-01-31T13:00:00Z": {two, three}, "status=active&plan_id=" + plan: {one}, "status=on_fire": nil,
	} {
		got := c.do("GET", subscriptions+"?"+query, "").want(200).names("id")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	sorted := c.do("GET", subscriptions+"?sort_by=current_period_end&sort_order=asc", "").want(200).names("id")
	if sorted[0] != two {
		t.Errorf("sorted %v, want %s first", sorted, two)
	}
}
