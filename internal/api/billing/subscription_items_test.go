package billing

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const itemsPath = subscriptionPath + "/items"

func TestSubscriptionItems(t *testing.T) {
	t.Parallel()
	one := SubscriptionItem{ID: "i1", ProductID: "p1", PriceID: "q1", Quantity: 9007199254740993,
		UnitAmountSubcents: new(int64(0))}
	two := SubscriptionItem{ID: "i2", ProductID: "p2", PriceID: "q2", Quantity: 1}
	const first = `{"id":"i1","product_id":"p1","price_id":"q1","quantity":9007199254740993,"unit_amount_subcents":0}`
	notFound := `{"error":{"code":"not_found","message":"no"}}`
	tests := map[string]struct {
		list   http.HandlerFunc
		items  []SubscriptionItem
		listed bool
		err    string
	}{
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
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(map[string]http.HandlerFunc{"GET " + itemsPath: func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Query().Get("sort_by") != "id" {
						t.Errorf("asked for %s", r.URL.RawQuery)
					}
					test.list(w, r)
				}})
				items, listed, err := newService(t, w).SubscriptionItems(t.Context(), "s1")
				if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got %v, want %q", err, test.err)
				}
				if !reflect.DeepEqual(items, test.items) || listed != test.listed {
					t.Errorf("got %+v, listed %v", items, listed)
				}
			})
		})
	}
}

func TestSyncSubscriptionItems(t *testing.T) {
	t.Parallel()
	item := SubscriptionItemInput{ProductID: "p1", PriceID: "q1", Quantity: new(int64(2)),
		UnitAmountSubcents: new(int64(9007199254740993))}
	tests := map[string]struct {
		items    []SubscriptionItemInput
		response http.HandlerFunc
		body     string
		got      []SubscriptionItem
	}{
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
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
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
