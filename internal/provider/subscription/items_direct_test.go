package subscription_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestSubscription_createKinds: a plan, items, or both.
func TestSubscription_createKinds(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]acctest.JSON{
		"a plan": {},
		"items":  {"plan_id": nil, "items": []any{itemA, itemB}},
		"both":   {"items": []any{itemB}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(lines)
			s.Settled(lines)
			if lines["items"] == nil {
				s.Is("items", "null")
			}
			s.Is("status", `"active"`)
			s.Import(s.ID())
			s.Settled(lines)
		})
	}
}

// TestSubscription_itemsMeanTheSame: order is none, the quantity is one, and an item is changed as part of the whole
// set.
func TestSubscription_itemsMeanTheSame(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"items": []any{itemA, itemB}})
	one := acctest.JSON{"product_id": productA, "price_id": priceA, "quantity": 1}
	s.Settled(acctest.JSON{"items": []any{itemB, one}})
	s.service.Sandbox.ResetRequests()
	s.Configure(acctest.JSON{"items": []any{itemB}})
	if have := s.operations(); !slices.Equal(have, []string{"items.sync"}) {
		t.Errorf("asked for %v", have)
	}
	s.Settled(acctest.JSON{"items": []any{itemB}})
	// Removed from the configuration, they are deleted.
	s.Configure(nil)
	s.Is("items", "null")
	s.Settled(nil)
	if _, response := s.service.Call("GET", "/v1/subscriptions/"+s.ID()+"/items",
		nil); len(response["data"].([]any)) != 0 {
		t.Errorf("items at the service: %v", response["data"])
	}
}

// TestSubscription_itemsDrift: items that another system changed are shown and corrected; without the argument they are
// left alone.
func TestSubscription_itemsDrift(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"items": []any{itemA}})
	theirs := acctest.JSON{"items": []any{itemB}}
	s.service.Call("PUT", "/v1/subscriptions/"+s.ID()+"/items", theirs)
	s.Reread()
	if changes := s.Plan(s.With(acctest.JSON{"items": []any{itemA}})).Changes(t); !slices.Contains(changes, "items") {
		t.Errorf("the plan changes %v", changes)
	}
	s.Configure(acctest.JSON{"items": []any{itemA}})
	s.Settled(acctest.JSON{"items": []any{itemA}})

	other := subscribe(t)
	other.Configure(nil)
	other.service.Call("PUT", "/v1/subscriptions/"+other.ID()+"/items", theirs)
	other.Settled(nil)
	other.Is("items", "null")
}

// TestSubscription_itemsTolerance: a price's own amount that is returned is not drift, not even after an import, and a
// service that lists no items is not asked to.
func TestSubscription_itemsTolerance(t *testing.T) {
	t.Parallel()
	lines := acctest.JSON{"items": []any{itemA, itemB}}
	for name, tolerance := range map[string]sandbox.Tolerance{
		"price amounts": {PriceAmounts: true}, "not listed": {ItemsNotListed: true}, "not found": {ItemsNotFound: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t, acctest.Tolerating(tolerance))
			s.Configure(lines)
			s.Settled(lines)
			if imported := acctest.Errors(s.Import(s.ID())); imported != "" {
				t.Fatal(imported)
			}
			if tolerance.PriceAmounts {
				s.Settled(lines)
				changed := s.With(acctest.JSON{"items": []any{itemA, itemB}, "notes": "x"})
				s.service.Sandbox.ResetRequests()
				s.Set(changed)
				if have := s.operations(); !slices.Equal(have, []string{"update"}) {
					t.Errorf("asked for %v", have)
				}
				s.Settled(acctest.JSON{"items": []any{itemA, itemB}, "notes": "x"})
			} else {
				// What the service does not list can only be set: once.
				s.Configure(lines)
				s.Settled(lines)
			}
			s.Configure(acctest.JSON{"items": []any{itemB}})
			s.Settled(acctest.JSON{"items": []any{itemB}})
		})
	}
}

// TestSubscription_itemsUnknown: what is not known of one item leaves the others as they will be.
func TestSubscription_itemsUnknown(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	for name, strange := range map[string]any{
		"price":   acctest.JSON{"product_id": productB, "price_id": acctest.Unknown},
		"product": acctest.JSON{"product_id": acctest.Unknown, "price_id": priceB},
	} {
		p := s.Plan(s.With(acctest.JSON{"items": []any{itemA, strange}}))
		if text := acctest.Errors(p.Diagnostics); text != "" {
			t.Fatalf("%s: %s", name, text)
		}
		if items := p.Elements(t, "items"); !slices.Contains(items, `{"price_id":"`+priceA+`","product_id":"`+productA+
			`","quantity":1,"unit_amount_subcents":null}`) {
			t.Errorf("%s: planned %v", name, items)
		}
	}
}

// TestSubscription_itemsSincePlan: items that another system has added or changed since the plan, or that a plan
// without a refresh has not seen, are not removed by the apply. It fails before it sends anything.
func TestSubscription_itemsSincePlan(t *testing.T) {
	t.Parallel()
	seats := acctest.JSON{"product_id": productB, "price_id": priceB, "quantity": 7, "unit_amount_subcents": 105012}
	many := func(quantity int) acctest.JSON {
		return acctest.JSON{"product_id": productA, "price_id": priceA, "quantity": quantity}
	}
	saysSeats := "product_id " + productB + ", price_id " + priceB + ", quantity 7, unit_amount_subcents 105012"
	for name, c := range map[string]struct {
		before  []any // applied; nil is without the argument
		seen    []any // what others make of it before the plan; nil: nothing
		planned any
		since   []any // and after it
		says    string
	}{
		"added": {[]any{itemA}, nil, []any{many(3)}, []any{itemA, seats}, saysSeats},
		"changed": {[]any{itemA}, nil, []any{many(3)}, []any{many(2)}, "product_id " + productA +
			", price_id " + priceA + ", quantity 2"},
		"adopted, and more since":      {nil, []any{itemA}, []any{itemA}, []any{itemA, seats}, saysSeats},
		"added before a removal":       {[]any{itemA}, nil, nil, []any{itemA, seats}, saysSeats},
		"added before the first items": {nil, nil, []any{itemA}, []any{seats}, saysSeats},
		"more before the first items":  {nil, []any{many(9)}, []any{itemA}, []any{many(9), seats}, saysSeats},
		"shown":                        {[]any{itemA}, []any{itemA, seats}, []any{many(3)}, nil, ""},
		"shown before the first items": {nil, []any{seats}, []any{itemA}, nil, ""},
		"done already":                 {[]any{itemA}, nil, []any{many(3)}, []any{many(3)}, ""},
		"wanted too":                   {[]any{itemA}, nil, []any{itemA, seats}, []any{seats}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			if s.Configure(nil); c.before != nil {
				s.Configure(acctest.JSON{"items": c.before})
			}
			if c.seen != nil {
				s.put(c.seen...)
			}
			s.Reread()
			lines := s.With(acctest.JSON{"items": c.planned, "plan_id": planB})
			first := s.Plan(lines)
			if c.since != nil {
				s.pass(time.Minute)
				s.put(c.since...)
			}
			s.service.Sandbox.ResetRequests()
			applied := acctest.Errors(s.Apply(s.Again(first, lines)))
			if c.says == "" {
				if applied != "" {
					t.Error(applied)
				}
				s.Settled(acctest.JSON{"items": c.planned, "plan_id": planB})
				return
			}
			says(t, applied, `AttributeName("items")`, c.says, "Plan again")
			if have := sent(s.service); len(have) > 0 {
				t.Errorf("the apply that failed sent %v", have)
			}
			s.Reread()
			s.Set(lines)
			s.Settled(acctest.JSON{"items": c.planned, "plan_id": planB})
		})
	}
}

// put sets the items past Terraform.
func (s *subject) put(items ...any) {
	s.t.Helper()
	if items == nil {
		items = []any{}
	}
	s.service.Call("PUT", "/v1/subscriptions/"+s.ID()+"/items", acctest.JSON{"items": items})
}

// TestSubscription_itemsIncomplete: an item needs a product and a price, which may become known later.
func TestSubscription_itemsIncomplete(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	first :=
		s.Plan(s.With(acctest.JSON{"items": []any{acctest.JSON{"product_id": productA, "price_id": acctest.Unknown}}}))
	if text := acctest.Errors(first.Diagnostics); text != "" {
		t.Fatal(text)
	}
	null := s.Plan(s.With(acctest.JSON{"items": []any{acctest.JSON{"product_id": nil, "price_id": priceA}}}))
	says(t, acctest.Errors(null.Diagnostics), `AttributeName("items")`, "items[*].product_id is null",
		"has an item without a product or a price")
}

// TestSubscription_itemsHidden: a subscription that is billed by items which the service does not list is imported,
// kept and changed without them. What would leave it without anything to bill is an error.
func TestSubscription_itemsHidden(t *testing.T) {
	t.Parallel()
	neither := acctest.JSON{"plan_id": nil, "notes": "n"}
	for _, tolerance := range []sandbox.Tolerance{{ItemsNotListed: true}, {ItemsNotFound: true}} {
		s := subscribe(t, acctest.Tolerating(tolerance))
		s.Configure(acctest.JSON{"plan_id": nil, "items": []any{itemA}})
		if text := acctest.Errors(s.Import(s.ID())); text != "" {
			t.Fatal(text)
		}
		s.Settled(acctest.JSON{"plan_id": nil})
		s.service.Sandbox.ResetRequests()
		s.Configure(neither)
		if have := s.operations(); !slices.Equal(have, []string{"update"}) {
			t.Errorf("asked for %v", have)
		}
		s.Settled(neither)
		const why = "neither a plan nor items"
		says(t, acctest.Errors(s.PlanReplace(s.With(neither)).Diagnostics), `AttributeName("plan_id")`, why)
		s.Configure(acctest.JSON{"plan_id": nil, "items": []any{itemA}})
		says(t, acctest.Errors(s.Plan(s.With(neither)).Diagnostics), why)
		s.Configure(acctest.JSON{"items": []any{itemA}})
		s.Configure(nil)
		says(t, acctest.Errors(s.Plan(s.With(neither)).Diagnostics), why)
	}
}

const removed = "loses items that this configuration has not added"

// TestSubscription_itemsRemoved: a plan that removes or changes what others have added says so, with product, quantity
// and amount, and only such a plan.
func TestSubscription_itemsRemoved(t *testing.T) {
	t.Parallel()
	seats := acctest.JSON{"product_id": productB, "price_id": priceB, "quantity": 50, "unit_amount_subcents": 7}
	manyA := acctest.JSON{"product_id": productA, "price_id": priceA, "quantity": 50}
	says50 := []string{removed, "product_id " + productB + ", price_id " + priceB +
		", quantity 50, unit_amount_subcents 7"}
	for name, c := range map[string]struct {
		before []any // applied; nil is without the argument
		theirs []any // what others make of it
		after  any
		says   []string // nothing: no warning
	}{
		"configured for the first time": {nil, []any{itemA, seats}, []any{itemA}, says50},
		"emptied for the first time":    {nil, []any{seats}, []any{}, says50},
		"first time, with another amount": {nil, []any{manyA}, []any{itemA}, []string{removed, "product_id " + productA,
			"quantity 50, the amount of the price, becomes quantity 1"}},
		"first time, all of them": {nil, []any{itemA, seats}, []any{itemA, seats}, nil},
		"first time, none there":  {nil, nil, []any{itemA}, nil},
		"added to ours":           {[]any{itemA}, []any{itemA, seats}, []any{itemA}, says50},
		"ours with more of it": {[]any{itemA}, []any{manyA}, []any{itemA},
			[]string{removed, "quantity 50, the amount of the price, becomes quantity 1"}},
		"added to ours, all taken out": {[]any{itemA}, []any{itemA, seats}, nil, says50},
		"ours taken out":               {[]any{itemA, seats}, nil, []any{itemA}, nil},
		"ours changed":                 {[]any{itemA}, nil, []any{manyA}, nil},
		"with one that is not known yet": {nil, []any{seats},
			[]any{acctest.JSON{"product_id": acctest.Unknown, "price_id": priceB}}, append(says50, "only known after apply")},
		"not known yet": {nil, []any{seats}, acctest.Unknown, append(says50, "only known after apply")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			lines := acctest.JSON{}
			if c.before != nil {
				lines["items"] = c.before
			}
			s.Configure(lines)
			if c.theirs != nil {
				s.put(c.theirs...)
			}
			s.Reread()
			p := s.Plan(s.With(acctest.JSON{"items": c.after}))
			warnings := acctest.Warnings(p.Diagnostics)
			if c.says == nil && warnings != "" {
				t.Errorf("told %s", warnings)
			}
			says(t, warnings, c.says...)
			for _, ours := range []string{"product_id " + productA + ", price_id " + priceA +
				", quantity 1, the amount of the price\n"} {
				if strings.Contains(warnings, ours) {
					t.Errorf("it names what stays, or was ours: %s", warnings)
				}
			}
		})
	}
}

// TestSubscription_itemsImported: none, written in either way, is not a difference after an import; what is there is
// not removed silently.
func TestSubscription_itemsImported(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	empty := acctest.JSON{"items": []any{}, "custom_metadata": acctest.JSON{}}
	s.Import(s.ID())
	s.Settled(nil)
	s.Settled(empty)
	s.service.Sandbox.ResetRequests()
	s.Configure(acctest.JSON{"items": []any{}, "custom_metadata": acctest.JSON{}, "notes": "n"})
	if have := s.operations(); !slices.Equal(have, []string{"update"}) {
		t.Errorf("asked for %v", have)
	}
	other := subscribe(t)
	other.Configure(nil)
	other.Import(other.ID())
	other.put(itemB)
	other.Reread()
	// None, as the import found it, and as ignore_changes gives it: what others add since stays.
	other.Settled(acctest.JSON{"items": []any{}})
	other.Settled(nil)
	other.Import(other.ID())
	says(t, acctest.Warnings(other.Plan(other.With(acctest.JSON{"items": []any{}})).Diagnostics), removed,
		"quantity 3, unit_amount_subcents 499000")
	says(t, other.Configure(acctest.JSON{"items": []any{itemA}}), removed)
}
