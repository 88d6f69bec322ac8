package subscription

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// TestTables: the tables of attributes have only attributes that exist. It comes first, because the others panic
// without.
func TestTables(t *testing.T) { //nolint:paralleltest // see above
	tables := map[string][]string{"belongsTo": belongsTo, "updateOnly": updateOnly, "fromConfig": fromConfig, "kept": kept,
		"arguments": arguments, "pauseErrors": pauseErrors.Arguments(),
		"endErrors": endErrors.Arguments()}
	for _, row := range transitions {
		tables[fmt.Sprintf("the changes of the transition %q", row.key)] = row.changes
		tables[fmt.Sprintf("the touches of the transition %q", row.key)] = row.touches
		if row.request != nil {
			tables[fmt.Sprintf("the attributes of the transition %q", row.key)] = row.request.attributes.Arguments()
		}
	}
	modeltest.Tables(t, model{}, tables)
}

// plain is an active subscription as the service returns it.
func plain() billing.Subscription {
	return billing.Subscription{ID: "s", BillingAccountID: "a", PlanID: new("plan-a"), Status: "active",
		BillingCycle: "monthly", CurrentPeriodEnd: "2026-04-14T12:00:00.000Z", ProrationBehavior: "create_prorations",
		AllowPause: new(true), AllowCancel: new(true)}
}

func read(t *testing.T, s billing.Subscription) model {
	t.Helper()
	m, err := fromAPI(&s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFromAPI: what an import sees of the parts that are not taken over as they come.
func TestFromAPI(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*billing.Subscription)
		holds  func(model) bool
	}{
		"the plan that runs": {func(*billing.Subscription) {}, func(m model) bool {
			return m.PlanID.ValueString() == "plan-a" && m.CurrentPlanID.ValueString() == "plan-a" && m.PendingPlanID.IsNull()
		}},
		"the plan that comes": {func(s *billing.Subscription) {
			s.Metadata = json.RawMessage(`{"pending_plan_id":"plan-b"}`)
		}, func(m model) bool {
			timing, _ := m.planChange()
			return m.PlanID.ValueString() == "plan-b" && m.CurrentPlanID.ValueString() == "plan-a" &&
				m.PendingPlanID.ValueString() == "plan-b" && timing == timingImmediate
		}},
		"no plan": {func(s *billing.Subscription) { s.PlanID = nil }, func(m model) bool {
			return m.PlanID.IsNull() &&
				m.CurrentPlanID.IsNull()
		}},
		"defaults": {func(*billing.Subscription) {}, func(m model) bool {
			return m.DeletionPolicy.ValueString() == "cancel" && m.OnExternalCancel.ValueString() == "keep"
		}},
		"no metadata": {func(*billing.Subscription) {}, func(m model) bool {
			return m.CustomMetadata.IsAbsent() && m.EffectiveCustomMetadata.ValueString() == "{}"
		}},
		"open shapes": {func(s *billing.Subscription) { s.Commitment = json.RawMessage(`[1]`) },
			func(m model) bool { return m.Commitment.ValueString() == "[1]" && m.RenewalSettings.IsNull() }},
		"an unknown status": {func(s *billing.Subscription) { s.Status = "on_holiday" },
			func(m model) bool { return m.Status.ValueString() == "on_holiday" && m.Pause.IsNull() }},
		"a trial of days": {trial("2026-03-14T12:00:00.000Z", "2026-03-28T12:00:00.000Z"),
			func(m model) bool { return m.TrialPeriodDays.ValueInt64() == 14 }},
		"a trial of hours": {trial("2026-03-14T12:00:00.000Z", "2026-03-28T13:00:00.000Z"),
			func(m model) bool { return m.TrialPeriodDays.IsNull() }},
		"a trial backwards": {trial("2026-03-28T12:00:00.000Z", "2026-03-14T12:00:00.000Z"),
			func(m model) bool { return m.TrialPeriodDays.IsNull() }},
		"an unread trial": {trial("soon", "2026-03-14"), func(m model) bool { return m.TrialPeriodDays.IsNull() }},
	} {
		s := plain()
		c.change(&s)
		if m := read(t, s); !c.holds(m) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	broken := plain()
	broken.CustomMetadata = json.RawMessage(`[]`)
	if _, err := fromAPI(&broken); err == nil {
		t.Error("custom_metadata that is no object is accepted")
	}
}

func trial(start, end string) func(*billing.Subscription) {
	return func(s *billing.Subscription) { s.TrialStart, s.TrialEnd = &start, &end }
}

// TestPauseOf: either sign of a pause is one, and a canceled subscription has none.
func TestPauseOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     string
		collection *billing.PauseCollection
		resumesAt  *string
		want       string
		ends       bool // resumes_at is set
	}{
		"active": {"active", nil, nil, "<null>", false},
		"paused, all said": {"paused", &billing.PauseCollection{Behavior: "void", ResumesAt: new("2026-04-01")}, nil,
			`{"behavior":"void","resumes_at":"2026-04-01"}`, true},
		"paused, no object": {"paused", nil, new("2026-04-01"), `{"behavior":<null>,"resumes_at":"2026-04-01"}`, true},
		"by the object": {"active", &billing.PauseCollection{Behavior: "void"}, nil,
			`{"behavior":"void","resumes_at":<null>}`, false},
		"by the object, with its end": {"active", &billing.PauseCollection{Behavior: "void", ResumesAt: new("2026-04-01")},
			nil, `{"behavior":"void","resumes_at":"2026-04-01"}`, true},
		"an empty object": {"active", &billing.PauseCollection{}, nil, "<null>", false},
		"canceled":        {"canceled", &billing.PauseCollection{Behavior: "void"}, nil, "<null>", false},
	} {
		s := billing.Subscription{Status: c.status, PauseCollection: c.collection, ResumesAt: c.resumesAt}
		if have := pauseOf(&s).String(); have != c.want || (resumesAt(&s) != nil) != c.ends {
			t.Errorf("%s: %s, %v, want %s", name, have, resumesAt(&s), c.want)
		}
	}
}

// TestTransitions holds every row of the table to what asks for it, what it rejects, and the request that it sends.
func TestTransitions(t *testing.T) {
	t.Parallel()
	pause := pauseObject(types.StringValue("void"), value.DateTimePointer(nil))
	none := types.ObjectNull(pauseType.AttrTypes)
	paused := func(m *model) { m.Pause, m.Status = pause, types.StringValue("paused") }
	waits := func(m *model) { m.PlanID, m.PendingPlanID = types.StringValue("b"), types.StringValue("b") }
	onItems := func(m *model) {
		waits(m)
		m.CurrentPlanID, m.Items = types.StringNull(), itemSet([]item{{product: m.ID, price: m.ID}})
	}
	ends := func(m *model) { m.CancelAtPeriodEnd = types.BoolValue(true) }
	to := func(plan, timing string) func(*planning) {
		return func(p *planning) {
			p.Planned.PlanID, p.Planned.PlanChange = types.StringValue(plan), planChangeOf(timing)
		}
	}
	seen := map[transitionKey]bool{keepEndedPause: true} // needs a clock, see testdata/pause.txt
	for name, c := range map[string]struct {
		state    func(*model)
		plan     func(*planning)
		decided  transitionKey
		want     []transitionKey
		verbs    []string
		rejected string
	}{
		"nothing": {},
		"notes": {plan: func(p *planning) { p.Planned.Notes = types.StringValue("x") }, want: []transitionKey{changeFields},
			verbs: []string{"update"}},
		"zeros": {state: func(m *model) { m.DiscountPercent = value.DecimalPointer(new("10.00")) },
			plan: func(p *planning) {
				p.Planned.DiscountPercent = value.DecimalPointer(new("10")).Or(p.State.DiscountPercent)
			}},
		"a discount": {plan: func(p *planning) { p.Planned.DiscountPercent = value.DecimalPointer(new("33.333")) },
			want: []transitionKey{changeDiscount}, verbs: []string{"update"}},
		"a cycle": {plan: func(p *planning) { p.Planned.BillingCycle = types.StringValue("annual") },
			want: []transitionKey{changeCycle}, verbs: []string{"update"}},
		"metadata": {plan: func(p *planning) { p.Planned.EffectiveCustomMetadata = types.StringValue("{}x") },
			want: []transitionKey{changeMetadata}, verbs: []string{"update"}},
		"a plan": {plan: to("b", timingImmediate), want: []transitionKey{changePlanNow}, verbs: []string{"change the plan of"}},
		"a plan, later": {plan: to("b", timingEndOfPeriod), want: []transitionKey{changePlanLater},
			verbs: []string{"change the plan of"}},
		"no plan": {plan: func(p *planning) { p.Planned.PlanID = types.StringNull() }, want: []transitionKey{removePlan},
			verbs: []string{"update"}},
		"no plan, later": {plan: func(p *planning) {
			p.Planned.PlanID, p.Planned.PlanChange = types.StringNull(), planChangeOf(timingEndOfPeriod)
		}, want: []transitionKey{removePlan}, verbs: []string{"update"},
			rejected: "cannot be removed at the end of the period"},
		"the plan that runs": {state: waits, plan: to("plan-a", timingEndOfPeriod), want: []transitionKey{takePlanBack},
			verbs: []string{"change the plan of"}},
		"no plan runs": {state: onItems, plan: func(p *planning) { p.Planned.PlanID = types.StringNull() },
			want: []transitionKey{takePlanBackNull}, verbs: []string{"update"}},
		"the pending plan now": {state: waits, plan: func(p *planning) {
			p.Config.PlanChange, p.State.PlanChange = planChangeOf(timingImmediate), planChangeOf(timingEndOfPeriod)
		}, want: []transitionKey{changePlanNow}, verbs: []string{"change the plan of"}},
		"the pending plan of another system": {state: waits, plan: func(p *planning) {
			p.Config.PlanChange = planChangeOf(timingImmediate)
		}},
		"an unknown plan": {plan: func(p *planning) { p.Planned.PlanID = types.StringUnknown() },
			want: []transitionKey{changeUnknownPlan}},
		"items": {decided: changeItems, want: []transitionKey{changeItems},
			verbs: []string{"change the items of"}},
		"no items and no plan": {state: onItems, plan: func(p *planning) { p.Planned.Items = itemSet(nil) }, decided: changeItems, want: []transitionKey{changeItems}, verbs: []string{"change the items of"}, rejected: "nothing would be billed"},
		"items that are there": {decided: adoptItems, want: []transitionKey{adoptItems}},
		"a pause":              {plan: func(p *planning) { p.Planned.Pause = pause }, want: []transitionKey{pauseIt}, verbs: []string{"pause"}},
		"a forbidden pause": {plan: func(p *planning) {
			p.Planned.Pause, p.Planned.AllowPause = pause, types.BoolValue(false)
		}, want: []transitionKey{changeFields, pauseIt}, verbs: []string{"update", "pause"}, rejected: "cannot be paused"},
		"a pause that is not known": {plan: func(p *planning) {
			p.Planned.Pause, p.Planned.AllowPause = types.ObjectUnknown(pauseType.AttrTypes), types.BoolValue(false)
		}, want: []transitionKey{changeFields, pauseIt}, verbs: []string{"update", "pause"}},
		"the same pause": {state: paused, plan: func(p *planning) { p.Planned.Pause = pause }},
		"no pause": {state: paused, plan: func(p *planning) { p.Planned.Pause = none }, want: []transitionKey{resume},
			verbs: []string{"resume"}},
		"the end": {plan: func(p *planning) { ends(&p.Planned) }, want: []transitionKey{endLater},
			verbs: []string{"schedule the cancellation of"}},
		"a forbidden end": {plan: func(p *planning) {
			p.Planned.CancelAtPeriodEnd, p.Planned.AllowCancel = types.BoolValue(true), types.BoolValue(false)
		}, want: []transitionKey{changeFields, endLater},
			verbs: []string{"update", "schedule the cancellation of"}, rejected: "cannot be canceled"},
		"no end": {state: ends, plan: func(p *planning) { p.Planned.CancelAtPeriodEnd = types.BoolValue(false) },
			want: []transitionKey{takeEndBack}, verbs: []string{"update"}},
		"policies": {plan: func(p *planning) {
			p.Planned.DeletionPolicy, p.Planned.OnExternalCancel = types.StringValue("abandon"), types.StringValue("error")
		}},
		"how a plan comes": {plan: func(p *planning) { p.Planned.PlanChange = planChangeOf(timingEndOfPeriod) }},
		"all at once": {state: paused, plan: func(p *planning) {
			to("b", timingImmediate)(p)
			p.Planned.Pause, p.Planned.Notes = none, types.StringValue("x")
			ends(&p.Planned)
		}, decided: changeItems, want: []transitionKey{resume, changePlanNow, changeItems, changeFields,
			endLater},
			verbs: []string{"resume", "change the plan of", "change the items of", "update", "schedule the cancellation of"}},
	} {
		state := read(t, plain())
		if c.state != nil {
			c.state(&state)
		}
		var diags diag.Diagnostics
		p := &planning{Plan: &object.Plan[model]{State: state, Planned: state, Diags: &diags}}
		if c.plan != nil {
			c.plan(p)
		}
		p.planTransitions(c.decided)
		p.checkAll(p.rows)
		keys := keysOf(p.rows)
		for _, key := range keys {
			seen[key] = true
		}
		var verbs []string
		for _, s := range (&work{steps: keys}).requests() {
			verbs = append(verbs, s.verb)
		}
		if !slices.Equal(keys, c.want) || !slices.Equal(verbs, c.verbs) {
			t.Errorf("%s: %v by %v, want %v by %v", name, keys, verbs, c.want, c.verbs)
		}
		if rejected := diags.Errors(); (len(rejected) > 0) != (c.rejected != "") ||
			len(rejected) > 0 && !strings.Contains(rejected[0].Summary(), "Subscription (id s): ") ||
			len(rejected) > 0 && !strings.Contains(rejected[0].Summary(), c.rejected) {
			t.Errorf("%s: rejected with %v, want %q", name, rejected, c.rejected)
		}
	}
	for _, row := range transitions {
		if !seen[row.key] {
			t.Errorf("no case takes %q", row.key)
		}
	}
}

// TestBodies: what is sent on creation and update, and nothing else.
func TestBodies(t *testing.T) {
	t.Parallel()
	state := read(t, plain())
	config := model{shared: shared{BillingAccountID: types.StringValue("a"), PlanID: types.StringValue("p"),
		DiscountPercent: value.DecimalPointer(new("12.50")), AllowPause: types.BoolValue(false),
		CancelAtPeriodEnd: types.BoolValue(true)},
		Items: itemSet([]item{{product: types.StringValue("x"), price: types.StringValue("y")}})}
	unknown := state
	unknown.BillingCycle, unknown.AllowCancel = types.StringUnknown(), types.BoolUnknown()
	plan := state
	plan.DiscountPercent, plan.Notes, plan.CancelAtPeriodEnd = value.DecimalPointer(new("12.50")), types.StringValue("n"),
		types.BoolValue(true)
	cleared := state
	cleared.PlanID, cleared.CollectionMethod = types.StringNull(), types.StringNull()
	was := state
	was.CollectionMethod, was.CancelAtPeriodEnd = types.StringValue("manual_charge"), types.BoolValue(true)
	for name, c := range map[string]struct {
		body any
		want string
	}{
		"creation": {config.body(model{}),
			`{"billing_account_id":"a","items":[{"product_id":"x","price_id":"y","quantity":1}],"plan_id":"p"}`},
		"what follows": {config.withRest(state).body(state), `{"discount_percent":12.50,"allow_pause":false}`},
		"update":       {plan.body(state), `{"notes":"n","discount_percent":12.50}`},
		"unknown":      {unknown.body(state), `{}`},
		"clearing":     {cleared.body(was), `{"plan_id":null,"collection_method":null,"cancel_at_period_end":false}`},
		"nothing":      {state.body(state), `{}`},
	} {
		if have, err := json.Marshal(c.body); err != nil || string(have) != c.want {
			t.Errorf("%s: %s %v, want %s", name, have, err, c.want)
		}
	}
}

// TestSeenItems: as the service lists them, in the words they had where these mean the same.
func TestSeenItems(t *testing.T) {
	t.Parallel()
	a := item{product: types.StringValue("a"), price: types.StringValue("p"), quantity: types.Int64Value(1)}
	three := item{product: types.StringValue("a"), price: types.StringValue("p"), quantity: types.Int64Value(3),
		unit: types.Int64Value(5)}
	remote := func(quantity int64, unit *int64) billing.SubscriptionItem {
		return billing.SubscriptionItem{ID: "i", ProductID: "a", PriceID: "p", Quantity: quantity, UnitAmountSubcents: unit}
	}
	for name, c := range map[string]struct {
		prior  []item
		listed []billing.SubscriptionItem
		want   []item
	}{
		"none":               {nil, nil, nil},
		"as written":         {[]item{a}, []billing.SubscriptionItem{remote(1, nil)}, []item{a}},
		"the price's amount": {[]item{a}, []billing.SubscriptionItem{remote(1, new(int64(7)))}, []item{a}},
		"another quantity":   {[]item{a}, []billing.SubscriptionItem{remote(3, new(int64(5)))}, []item{three}},
		"another amount": {[]item{three}, []billing.SubscriptionItem{remote(3, new(int64(6)))},
			[]item{{product: a.product, price: a.price, quantity: types.Int64Value(3), unit: types.Int64Value(6)}}},
		"one more": {[]item{a}, []billing.SubscriptionItem{remote(1, nil), remote(3, new(int64(5)))}, []item{a, three}},
		"all gone": {[]item{a}, nil, nil},
		"one item twice": {nil, []billing.SubscriptionItem{remote(1, new(int64(5))), remote(1, new(int64(5)))},
			[]item{{product: a.product, price: a.price, quantity: types.Int64Value(2), unit: types.Int64Value(5)}}},
		"one item twice, which makes another one": {nil, []billing.SubscriptionItem{remote(2, nil), remote(1, nil),
			remote(1, nil)},
			[]item{{product: a.product, price: a.price, quantity: types.Int64Value(4), unit: types.Int64Null()}}},
	} {
		if have := seenItems(itemSet(c.prior), c.listed); !have.Equal(itemSet(c.want)) {
			t.Errorf("%s: %s", name, have)
		}
	}
}

// TestPending: a change that the service does not show is believed until its period or its plan moves.
func TestPending(t *testing.T) {
	t.Parallel()
	s := plain()
	noted1 := noted(&s, "plan-b", timingEndOfPeriod)
	if noted1 != (pending{From: "plan-a", To: "plan-b", PeriodEnd: s.CurrentPeriodEnd}) {
		t.Errorf("noted %+v", noted1)
	}
	shown, without := plain(), plain()
	shown.Metadata, without.PlanID = json.RawMessage(`{"pending_plan_id":"plan-b"}`), nil
	for name, p := range map[string]pending{
		"at once": noted(&s, "plan-b", timingImmediate), "it runs": noted(&s, "plan-a", timingEndOfPeriod),
	} {
		if p != (pending{}) {
			t.Errorf("%s: noted %+v", name, p)
		}
	}
	if p := noted(&shown, "plan-b", timingEndOfPeriod); p.To != "plan-b" || p.holds(&s) {
		t.Errorf("it is shown: %+v", p)
	}
	if p := noted(&without, "plan-b", timingEndOfPeriod); p.From != "" || !p.holds(&without) {
		t.Errorf("from no plan: %+v", p)
	}
	moved, arrived := plain(), plain()
	moved.CurrentPeriodEnd, arrived.PlanID = "2026-05-14T12:00:00.000Z", new("plan-b")
	for name, c := range map[string]struct {
		s    billing.Subscription
		want bool
	}{"as it was": {plain(), true}, "the next period": {moved, false}, "arrived": {arrived, false},
		"shown": {shown, false}} {
		if noted1.holds(&c.s) != c.want {
			t.Errorf("%s: believed %v", name, !c.want)
		}
	}
}

// TestRequest_owns: a step owns what it carries, and nothing of what comes later.
func TestRequest_owns(t *testing.T) {
	t.Parallel()
	before := ownership{Metadata: metadata.Owned{Object: metadata.Object{"a": true}}, Items: []string{"a"}}
	next := ownership{Metadata: metadata.Owned{Object: metadata.Object{"b": true}}, Items: []string{"b"}}
	for r, want := range map[*request]struct{ key, item string }{
		&pauseRequest:  {"a", "a"},
		&updateRequest: {"b", "a"},
		&itemsRequest:  {"a", "b"},
	} {
		have := before
		r.owns(&have, next)
		if _, ok := have.Metadata.Object[want.key]; !ok || !slices.Equal(have.Items, []string{want.item}) {
			t.Errorf("%s: %+v", r.verb, have)
		}
	}
}

// TestPauseLike: a pause that another system began is shown also where the service does not say what it is like.
func TestPauseLike(t *testing.T) {
	t.Parallel()
	none, runs := types.ObjectNull(pauseType.AttrTypes), pauseObject(types.StringNull(), value.DateTimePointer(nil))
	if now := pauseLike(none, runs, &billing.Subscription{}); !now.Equal(runs) {
		t.Errorf("the pause is %s, want %s", now, runs)
	}
	known := pauseObject(types.StringValue("void"), value.DateTimePointer(nil))
	if now := pauseLike(known, runs, &billing.Subscription{}); !now.Equal(known) {
		t.Errorf("the pause is %s, want the one known before, %s", now, known)
	}
}
