package billing

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

func TestCreateSubscriptionSettlesALostResponse(t *testing.T) {
	t.Parallel()
	ours := subscriptionJSON(t, nil)
	canceled := subscriptionJSON(t, map[string]any{"id": "s0", "status": "canceled"})
	lean := `{"id":"s1","external_id":"x1","status":"active"}`
	created := respond(201, data(ours))
	taken := respond(422,
		`{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"s1"}}}`)
	nothing := respond(200, listOf())
	tests := map[string]struct {
		create, list http.HandlerFunc
		single       string
		adopted      bool
		posts        int
		err          string
	}{
		"returned":         {create: created, posts: 1},
		"returned in part": {create: respond(201, lean), single: ours, posts: 1},
		"lost, found":      {create: lost, list: respond(200, listOf(ours)), single: ours, adopted: true, posts: 1},
		"5xx, found": {create: respond(503, ""), list: respond(200, listOf(lean)), single: ours,
			adopted: true, posts: 1},
		"found beside a canceled": {create: lost, list: respond(200, listOf(canceled, ours)), single: ours,
			adopted: true, posts: 1},
		"only a canceled one":   {create: turns(lost, created), list: respond(200, listOf(canceled)), posts: 2},
		"not found, sent again": {create: turns(lost, created), list: nothing, posts: 2},
		"sent again, taken": {create: turns(lost, taken), list: turns(nothing, nothing, nothing, nothing,
			respond(200, listOf(ours))),
			single: ours, posts: 2, err: "another system has created (s1)"},
		"with another plan": {create: lost, list: respond(200, listOf(lean)),
			single: subscriptionJSON(t, map[string]any{"plan_id": "plan2"}), posts: 1, err: "differs"},
		"taken before": {create: taken, posts: 1, err: "external_id_taken"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(map[string]http.HandlerFunc{
					createSubscription: test.create, subscriptionsPath: turns(respond(200, listOf()), orNothing(test.list)),
					getSubscription: respond(200, data(test.single)),
				})
				got, err := newService(t, w).CreateSubscription(t.Context(), SubscriptionCreate{
					BillingAccountID: "a1", ExternalID: new("x1"), PlanID: new("plan1"),
				})
				if posted(t, w.Count(createSubscription), test.posts); failed(t, err, test.err) {
					return
				}
				if got.ID != "s1" || got.Adopted != test.adopted || *got.RecurringAmountCents != 9007199254740993 {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestCreateSubscriptionWithoutExternalIDStaysUndecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(map[string]http.HandlerFunc{createSubscription: lost, subscriptionsPath: respond(200, listOf())})
		_, err := newService(t, w).CreateSubscription(t.Context(), SubscriptionCreate{BillingAccountID: "a1",
			PlanID: new("plan1")})
		if _, ok := api.AsAmbiguous(err); !ok ||
			!strings.Contains(err.Error(),
				`subscription of the billing account "a1" may or may not exist. It was looked up 4 times`) {
			t.Errorf("got %v", err)
		}
		if w.Count(createSubscription) != 1 {
			t.Errorf("sent %v", w.Seen)
		}
	})
}

func TestSubscriptionMatches(t *testing.T) {
	t.Parallel()
	full := SubscriptionCreate{
		BillingAccountID: "a1", ExternalID: new("x1"), CompanyID: new("co1"), ProductGroupID: new("g1"),
		DiscountCodeID: new("d1"), PlanID: new("plan1"), BillingCycle: new("monthly"), CollectionMethod: new("manual_charge"),
		TrialEnd: new("2025-10-01T00:00:00-03:00"), ProrationBehavior: new("none"), NfeIssuancePolicy: new("disabled"),
		Notes: new("n"), CustomMetadata: json.RawMessage(`{"a":1.0}`),
		Items: []SubscriptionItemInput{{ProductID: "p", PriceID: "q"}}, TrialPeriodDays: new(int64(3)),
	}
	var same Subscription
	if err := json.Unmarshal([]byte(subscriptionJSON(t, map[string]any{
		"company_id": "co1", "product_group_id": "g1", "discount_code_id": "d1", "collection_method": "manual_charge",
		"trial_end": "2025-10-01T03:00:00.000Z", "nfe_issuance_policy": "disabled", "notes": "n",
		"custom_metadata": map[string]int{"a": 1},
	})), &same); err != nil {
		t.Fatal(err)
	}
	if !full.matches(same) {
		t.Error("the same subscription does not match")
	}
	if least := (SubscriptionCreate{BillingAccountID: "a1"}); !least.matches(same) {
		t.Error("what was left out is compared")
	}
	for name, change := range map[string]func(*Subscription){
		"account":     func(s *Subscription) { s.BillingAccountID = "a2" },
		"external_id": func(s *Subscription) { s.ExternalID = nil },
		"company":     func(s *Subscription) { s.CompanyID = nil },
		"group":       func(s *Subscription) { s.ProductGroupID = new("g2") },
		"code":        func(s *Subscription) { s.DiscountCodeID = nil },
		"plan":        func(s *Subscription) { s.PlanID = nil },
		"cycle":       func(s *Subscription) { s.BillingCycle = "annual" },
		"method":      func(s *Subscription) { s.CollectionMethod = nil },
		"trial":       func(s *Subscription) { s.TrialEnd = new("2025-10-01T00:00:00.000Z") },
		"no trial":    func(s *Subscription) { s.TrialEnd = nil },
		"proration":   func(s *Subscription) { s.ProrationBehavior = "always_invoice" },
		"policy":      func(s *Subscription) { s.NfeIssuancePolicy = new("on_finalization") },
		"notes":       func(s *Subscription) { s.Notes = new("m") },
		"metadata":    func(s *Subscription) { s.CustomMetadata = json.RawMessage(`{"a":2}`) },
	} {
		other := same
		change(&other)
		if full.matches(other) {
			t.Errorf("%s: a different subscription matches", name)
		}
	}
}
