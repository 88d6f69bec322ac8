package billing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

func (s *Service) moveSubscription(
	form server.Form, step func(*server.Call, *store.Tx, *SubscriptionRow) error,
) server.Handler {
	return server.On(s.subscriptions().Find, form,
		func(c *server.Call, tx *store.Tx, row SubscriptionRow) (server.Reply, error) {
			changed := row
			if err := step(c, tx, &changed); err != nil {
				return server.Reply{}, err
			}
			return s.respondSubscription(c, http.StatusOK, s.changeSubscription(c, tx, row, changed))
		})
}

func (s *Service) pauseSubscription() server.Handler {
	form := server.Form{Optional: true, Shape: server.Shape{
		"behavior":   server.OneOf(defaultPauseBehavior, "keep_as_draft", "void"),
		"resumes_at": server.DateOrTime,
	}}
	return s.moveSubscription(form, func(c *server.Call, _ *store.Tx, row *SubscriptionRow) error {
		in := struct {
			Behavior  string  `json:"behavior"`
			ResumesAt *string `json:"resumes_at"`
		}{Behavior: defaultPauseBehavior}
		c.Sent.Into(&in)
		if in.ResumesAt == nil {
			return row.pause(c.Now, in.Behavior, nil)
		}
		at, _ := server.ParseTime(*in.ResumesAt) // its rule has read it
		resumesAt, err := inFuture("resumes_at", at, c.Now)
		if err != nil {
			return err
		}
		return row.pause(c.Now, in.Behavior, resumesAt)
	})
}

func (s *Service) resumeSubscription() server.Handler {
	return s.moveSubscription(server.NoFields, func(c *server.Call, _ *store.Tx, row *SubscriptionRow) error {
		return row.resume(c.Now)
	})
}

// changePlanOfSubscription serves subscriptions.change_plan. The reason goes to the audit trail.
func (s *Service) changePlanOfSubscription() server.Handler {
	form := server.Form{Required: []string{"plan_id"}, Shape: server.Shape{
		"plan_id": server.UUID,
		"timing":  server.OneOf(timingImmediate, timingEndOfPeriod),
		"reason":  server.Text,
	}}
	return s.moveSubscription(form, func(c *server.Call, tx *store.Tx, row *SubscriptionRow) error {
		planID := sentPlan(c.Sent)
		if err := s.checkReferences(c, tx, planID, nil); err != nil {
			return err
		}
		timing, _ := c.Sent["timing"].(string)
		return row.changePlan(*planID, timing)
	})
}

func (s *Service) cancelSubscription() server.Handler {
	form := server.Form{Optional: true, Shape: server.Shape{"cancel_at_period_end": server.Boolean, "reason": server.Text}}
	return s.moveSubscription(form, func(c *server.Call, _ *store.Tx, row *SubscriptionRow) error {
		return row.cancel(c.Now, c.Sent["cancel_at_period_end"] == true, server.Sent[string](c.Sent, "reason"))
	})
}

// item is an item of a subscription (wire contract: subscriptions.items.list).
type item struct {
	ID                 string `json:"id"`
	ProductID          string `json:"product_id"`
	PriceID            string `json:"price_id"`
	Quantity           int64  `json:"quantity"`
	UnitAmountSubcents *int64 `json:"unit_amount_subcents"` // null: the price's amount
}

// itemInput is an item in a request (service description, Recurring billing §4 Subscription create).
type itemInput struct {
	ProductID          string `json:"product_id"`
	PriceID            string `json:"price_id"`
	Quantity           *int64 `json:"quantity"`
	UnitAmountSubcents *int64 `json:"unit_amount_subcents"`
}

var itemsRule = server.ListOf(server.ObjectOf(server.Shape{
	"product_id":           server.UUID,
	"price_id":             server.UUID,
	"quantity":             server.IntegerFrom(1),
	"unit_amount_subcents": server.IntegerFrom(0),
}, "product_id", "price_id"))

func sentItems(in server.Body) []itemInput {
	sent := server.Sent[[]itemInput](in, "items")
	if sent == nil {
		return nil
	}
	for i, item := range *sent {
		(*sent)[i].ProductID, (*sent)[i].PriceID = server.CanonicalID(item.ProductID), server.CanonicalID(item.PriceID)
	}
	return *sent
}

// items returns the requested items. Those with an existing product and price keep their ids.
func (s *Service) items(standing []item, wanted []itemInput) []item {
	standing = slices.Clone(standing)
	items := []item{}
	for _, in := range wanted {
		one := int64(1)
		wanted := item{ProductID: in.ProductID, PriceID: in.PriceID, Quantity: *cmp.Or(in.Quantity, &one),
			UnitAmountSubcents: in.UnitAmountSubcents}
		if i := slices.IndexFunc(standing, func(old item) bool {
			return old.ProductID == in.ProductID && old.PriceID == in.PriceID
		}); i >= 0 {
			wanted.ID = standing[i].ID
			standing = slices.Delete(standing, i, i+1)
		} else {
			wanted.ID = s.Source.UUID()
		}
		items = append(items, wanted)
	}
	return items
}

// listItems serves subscriptions.items.list.
func (s *Service) listItems(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.subscriptions().Find(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return server.List(c, row.Items)
}

// syncItems serves subscriptions.items.sync, which replaces the items with those sent.
func (s *Service) syncItems(c *server.Call, tx *store.Tx, row SubscriptionRow) (server.Reply, error) {
	items := sentItems(c.Sent)
	if err := row.final(); err != nil {
		return server.Reply{}, err
	}
	if len(items) == 0 && row.Subscription.PlanID == nil {
		return server.Reply{}, server.Invalid(server.Problems{"items": "must not be empty without a plan"})
	}
	if err := s.checkReferences(c, tx, nil, items); err != nil {
		return server.Reply{}, err
	}
	changed := row
	changed.Items = s.items(row.Items, items)
	changed = s.changeSubscription(c, tx, row, changed)
	return server.Reply{Status: http.StatusOK, Body: map[string]any{"data": changed.Items}}, nil
}
