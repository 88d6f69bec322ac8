package billing

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	subscriptionPath   = "/v1/subscriptions/s1"
	createSubscription = "POST /v1/subscriptions"
	subscriptionsPath  = "GET /v1/subscriptions"
	getSubscription    = "GET " + subscriptionPath
	patchSubscription  = "PATCH " + subscriptionPath
)

// subscriptionJSON is a whole subscription with some fields changed; a nil removes
// one.
func subscriptionJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t,
		`{"id":"s1","public_id":"p1","external_id":"x1","billing_account_id":"a1","company_id":null,"plan_id":"plan1","product_group_id":null,
		"status":"active","billing_cycle":"monthly","current_period_start":"2025-01-01T00:00:00.000Z","current_period_end":"2025-02-01T00:00:00.000Z",
		"cycle_billing_date":"2025-02-01T00:00:00.000Z","trial_start":null,"trial_end":null,"activated_at":null,"confirmed_at":null,"cancel_at_period_end":false,
		"canceled_at":null,"cancellation_reason":null,"pause_collection":null,"paused_at":null,"resumes_at":null,"resumed_at":null,"discount_code_id":null,
		"discount_percent":null,"recurring_amount_cents":9007199254740993,"proration_behavior":"none","collection_method":null,"nfe_issuance_policy":null,
		"renewal_settings":{"type":"auto_renew"},"commitment":null,"allow_pause":true,"allow_cancel":true,"proposal_id":null,"notes":null,"metadata":{},
		"custom_metadata":null,"created_at":"2025-01-01T00:00:00.000Z","updated_at":"2025-01-01T00:00:00.000Z"}`, change)
}

// TestShapesOfASubscription reads what servers may make of the fields whose
// shape is open or not always there.
func TestShapesOfASubscription(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change  map[string]any
		percent *string
		pending string
	}{
		"as described": {change: map[string]any{"discount_percent": "12.50"}, percent: new("12.50")},
		"null": {change: map[string]any{"discount_percent": json.RawMessage("null"),
			"metadata": json.RawMessage("null")}},
		"left out": {change: map[string]any{"discount_percent": nil, "metadata": nil, "pause_collection": nil,
			"allow_pause": nil}},
		"a number":           {change: map[string]any{"discount_percent": json.RawMessage("12.50")}, percent: new("12.50")},
		"a number from nine": {change: map[string]any{"discount_percent": json.RawMessage("99.5")}, percent: new("99.5")},
		"a long number": {change: map[string]any{"discount_percent": json.RawMessage("0.10000000000000000001")},
			percent: new("0.10000000000000000001")},
		"a plan to come": {change: map[string]any{"metadata": map[string]any{"pending_plan_id": "plan2", "x": 1}},
			pending: "plan2"},
		"none to come":        {change: map[string]any{"metadata": map[string]any{"pending_plan_id": nil}}},
		"something else":      {change: map[string]any{"metadata": map[string]any{"pending_plan_id": 7}}},
		"metadata is a list":  {change: map[string]any{"metadata": []int{1}}},
		"an unknown status":   {change: map[string]any{"status": "expired"}},
		"more than described": {change: map[string]any{"seats": 7, "plan": map[string]string{"id": "plan1"}}},
	}
	for name, test := range tests {
		w := newWire(map[string]http.HandlerFunc{getSubscription: respond(200, subscriptionJSON(t, test.change))})
		got, err := newService(t, w).GetSubscription(t.Context(), "s1")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (got.DiscountPercent == nil) != (test.percent == nil) ||
			api.OrEmpty(got.DiscountPercent) != api.OrEmpty(test.percent) ||
			got.PendingPlanID() != test.pending {
			t.Errorf("%s: percent %q, pending %q", name, api.OrEmpty(got.DiscountPercent), got.PendingPlanID())
		}
		if want, ok := test.change["status"]; ok && got.Status != want {
			t.Errorf("%s: status %s", name, got.Status)
		}
	}
	for field, value := range map[string]any{"discount_percent": true, "status": true, "recurring_amount_cents": "1",
		"id": nil} {
		w := newWire(map[string]http.HandlerFunc{getSubscription: respond(200,
			subscriptionJSON(t, map[string]any{field: value}))})
		if _, err := newService(t, w).GetSubscription(t.Context(), "s1"); err == nil ||
			!strings.Contains(err.Error(), field) {
			t.Errorf("%s is %v: %v", field, value, err)
		}
	}
}

func TestPartialResponsesAreCompletedForSubscriptions(t *testing.T) {
	t.Parallel()
	stale := subscriptionJSON(t, map[string]any{"notes": "old", "discount_percent": "5.00"})
	tests := map[string]struct {
		response string
		single   http.HandlerFunc
		gets     int
		percent  string
		plan     string
	}{
		"whole": {response: subscriptionJSON(t, map[string]any{"notes": "new"}), plan: "plan1"},
		"optional out": {response: subscriptionJSON(t, map[string]any{"notes": "new", "pause_collection": nil,
			"paused_at": nil, "resumes_at": nil, "resumed_at": nil, "renewal_settings": nil, "commitment": nil}), plan: "plan1"},
		"little": {response: `{"id":"s1","notes":"new"}`, single: respond(200, data(stale)), gets: 1,
			percent: "5.00", plan: "plan1"},
		"one less": {response: subscriptionJSON(t, map[string]any{"notes": "new", "plan_id": nil}),
			single: respond(200, data(stale)), gets: 1, plan: "plan1"},
		"not readable": {response: `{"id":"s1","notes":"new"}`, single: respond(404, ""), gets: 1},
	}
	for name, test := range tests {
		for _, body := range []string{test.response, data(test.response)} {
			w := newWire(map[string]http.HandlerFunc{patchSubscription: respond(200, body),
				getSubscription: orNothing(test.single)})
			got, err := newService(t, w).UpdateSubscription(t.Context(), "s1", SubscriptionBody{Notes: api.Set("new")})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if w.Count(getSubscription) != test.gets || api.OrEmpty(got.Notes) != "new" ||
				api.OrEmpty(got.DiscountPercent) != test.percent ||
				api.OrEmpty(got.PlanID) != test.plan {
				t.Errorf("%s: %d reads, got %+v", name, w.Count(getSubscription), got)
			}
		}
	}
}

func TestFindSubscriptions(t *testing.T) {
	t.Parallel()
	one := func(id, externalID, status string) string {
		return subscriptionJSON(t, map[string]any{"id": id, "external_id": externalID, "status": status})
	}
	tests := map[string]struct {
		items []string
		want  string
	}{
		"the live one only": {[]string{one("s1", "x1", "canceled"), one("s2", "x2", "active"),
			one("s3", "x1", "past_due")}, "s3"},
		"canceled ones, as a last": {[]string{one("s1", "x1", "canceled"), one("s2", "X1", "active"),
			one("s3", "x1", "canceled")}, "s1 s3"},
		"every live one": {[]string{one("s1", "x1", "active"), one("s2", "x1", "draft")}, "s1 s2"},
		"none":           {[]string{one("s1", "x11", "active")}, ""},
	}
	for name, test := range tests {
		w := newWire(map[string]http.HandlerFunc{subscriptionsPath: respond(200, listOf(test.items...))})
		found, err := newService(t, w).FindSubscriptions(t.Context(), SubscriptionQuery{ExternalID: "x1"})
		if got := apitest.Join(found, subscriptionID); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
	}
	w := newWire(nil)
	if _, err := newService(t, w).FindSubscriptions(t.Context(), SubscriptionQuery{BillingAccountID: "a1"}); err == nil ||
		len(w.Seen) != 0 {
		t.Errorf("%v after %v", err, w.Seen)
	}
}

func TestListSubscriptionsComparesEveryItem(t *testing.T) {
	t.Parallel()
	all := respond(200, listOf(subscriptionJSON(t, nil), subscriptionJSON(t, map[string]any{
		"id": "s2", "external_id": "x2", "billing_account_id": "a2", "status": "paused", "plan_id": "plan2",
		"updated_at": "2025-06-01T00:00:00.000Z",
	})))
	for name, query := range map[string]SubscriptionQuery{
		"external_id":        {ExternalID: "x2"},
		"billing_account_id": {BillingAccountID: "a2"},
		"status":             {Status: "paused"},
		"plan_id":            {PlanID: "plan2"},
		"updated_at_gte":     {UpdatedAtGTE: "2025-05-31"},
		"sort_order":         {ListOptions: ListOptions{SortBy: "status", SortOrder: "desc"}, ExternalID: "x2"},
	} {
		w := newWire(map[string]http.HandlerFunc{subscriptionsPath: func(w http.ResponseWriter, r *http.Request) {
			if !r.URL.Query().Has(name) || query.SortBy != "" && r.URL.Query().Get("sort_by") != query.SortBy {
				t.Errorf("%s: asked for %s", name, r.URL.RawQuery)
			}
			all(w, r)
		}})
		ids, err := apitest.IDs(newService(t, w).ListSubscriptions(t.Context(), query), subscriptionID)
		if err != nil || ids != "s2" {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
	}
}

// TestSubscriptionBody: what is left out is not sent, null is, and a percentage is sent as it is written.
func TestSubscriptionBody(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]SubscriptionBody{
		`{}`:                             {},
		`{"plan_id":null}`:               {PlanID: api.Null[string]()},
		`{"discount_percent":12.50}`:     {DiscountPercent: api.Set(json.Number("12.50"))},
		`{"cancel_at_period_end":false}`: {CancelAtPeriodEnd: api.Set(false)},
	} {
		if have, err := json.Marshal(body); err != nil || string(have) != want {
			t.Errorf("%s, %v, want %s", have, err, want)
		}
	}
}

const itemsPath = subscriptionPath + "/items"

func TestSubscriptionItems(t *testing.T) {
	t.Parallel()
	one := SubscriptionItem{ID: "i1", ProductID: "p1", PriceID: "q1", Quantity: 9007199254740993,
		UnitAmountSubcents: new(int64(0))}
	two := SubscriptionItem{ID: "i2", ProductID: "p2", PriceID: "q2", Quantity: 1}
	const first = `{"id":"i1","product_id":"p1","price_id":"q1","quantity":9007199254740993,"unit_amount_subcents":0}`
	notFound := `{"error":{"code":"not_found","message":"no"}}`
	type row struct {
		list   http.HandlerFunc
		items  []SubscriptionItem
		listed bool
		err    string
	}
	tests := map[string]row{
		"items": {list: respond(200,
			listOf(first, `{"id":"i2","product_id":"p2","price_id":"q2","quantity":null,"unit_amount_subcents":null}`)),
			items: []SubscriptionItem{one, two}, listed: true},
		"defaults left out": {list: respond(200, listOf(`{"id":"i2","product_id":"p2","price_id":"q2"}`)),
			items: []SubscriptionItem{two}, listed: true},
		"two pages": {
			list: turns(respond(200, `{"data":[`+first+`],"meta":{"total":2,"page":1,"per_page":1,"total_pages":2}}`),
				respond(200,
					`{"data":[{"id":"i2","product_id":"p2","price_id":"q2"}],"meta":{"total":2,"page":2,"per_page":1,"total_pages":2}}`)),
			items: []SubscriptionItem{one, two}, listed: true},
		"none":           {list: respond(200, listOf()), items: []SubscriptionItem{}, listed: true},
		"null":           {list: respond(200, `{"data":null}`), items: []SubscriptionItem{}, listed: true},
		"no such path":   {list: respond(404, notFound)},
		"a bare 404":     {list: respond(404, "404 page not found")},
		"no such method": {list: respond(405, "")},
		"forbidden":      {list: respond(403, ""), err: "status 403"},
		"down":           {list: respond(500, ""), err: "status 500"},
		"not a list":     {list: respond(200, `{"id":"s1"}`), err: "not a list"},
		"gone on the way": {
			list: turns(respond(200, `{"data":[`+first+`],"meta":{"total":2,"page":1,"per_page":1,"total_pages":2}}`),
				respond(404, notFound)), err: "status 404"},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		w := newWire(map[string]http.HandlerFunc{"GET " + itemsPath: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("sort_by") != "id" {
				t.Errorf("asked for %s", r.URL.RawQuery)
			}
			test.list(w, r)
		}})
		items, listed, err := newService(t, w).SubscriptionItems(t.Context(), "s1")
		apitest.Says(t, err, test.err)
		if !reflect.DeepEqual(items, test.items) || listed != test.listed {
			t.Errorf("got %+v, listed %v", items, listed)
		}
	})
}

func TestSyncSubscriptionItems(t *testing.T) {
	t.Parallel()
	item := SubscriptionItemInput{ProductID: "p1", PriceID: "q1", Quantity: new(int64(2)),
		UnitAmountSubcents: new(int64(9007199254740993))}
	type row struct {
		items    []SubscriptionItemInput
		response http.HandlerFunc
		body     string
		got      []SubscriptionItem
	}
	tests := map[string]row{
		"the items": {[]SubscriptionItemInput{item, {ProductID: "p2", PriceID: "q2"}},
			respond(200,
				listOf(`{"id":"i1","product_id":"p1","price_id":"q1","quantity":2,"unit_amount_subcents":9007199254740993}`)),
			`{"items":[{"product_id":"p1","price_id":"q1","quantity":2,"unit_amount_subcents":9007199254740993},{"product_id":"p2","price_id":"q2"}]}`,
			[]SubscriptionItem{{ID: "i1", ProductID: "p1", PriceID: "q1", Quantity: 2,
				UnitAmountSubcents: new(int64(9007199254740993))}}},
		"none of them": {nil, respond(200, listOf()), `{"items":[]}`, []SubscriptionItem{}},
		"no content":   {nil, respond(204, ""), `{"items":[]}`, nil},
		"an amount of 0": {[]SubscriptionItemInput{{ProductID: "p", PriceID: "q", UnitAmountSubcents: new(int64(0))}},
			respond(200, `{"data":null}`), `{"items":[{"product_id":"p","price_id":"q","unit_amount_subcents":0}]}`, nil},
		"subscription shown": {nil, respond(200, data(subscriptionJSON(t, nil))), `{"items":[]}`, nil},
		"repeated":           {nil, turns(lost, respond(200, listOf())), `{"items":[]}`, []SubscriptionItem{}},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		w := newWire(map[string]http.HandlerFunc{"PUT " + itemsPath: test.response})
		got, err := newService(t, w).SyncSubscriptionItems(t.Context(), "s1", test.items)
		if err != nil || !reflect.DeepEqual(got, test.got) {
			t.Errorf("got %+v, %v", got, err)
		}
		for _, body := range w.Bodies {
			if body != test.body {
				t.Errorf("sent %s", body)
			}
		}
	})
}

func TestSyncSubscriptionItemsRefused(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(422,
		`{"error":{"code":"validation_error","message":"no","details":{"fields":{"items.0.price_id":"is required"}}}}`)})
	_, err := newService(t, w).SyncSubscriptionItems(t.Context(), "s1", []SubscriptionItemInput{{ProductID: "p"}})
	if e, ok := api.AsError(err); !ok || e.Fields["items.0.price_id"] != "is required" || len(w.Seen) != 1 {
		t.Errorf("got %v after %v", err, w.Seen)
	}
}
