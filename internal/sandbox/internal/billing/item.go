package billing

import (
	"net/http"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// item is one position of a subscription
// (wire contract: subscriptions.items.list).
type item struct {
	ID                 string `json:"id"`
	ProductID          string `json:"product_id"`
	PriceID            string `json:"price_id"`
	Quantity           int64  `json:"quantity"`
	UnitAmountSubcents *int64 `json:"unit_amount_subcents"` // null: the price's own
}

// itemInput is an item as a request sends it
// (service description, Recurring billing §4 Subscription create).
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

func canonicalItems(items []itemInput) {
	for i := range items {
		server.Canonical(&items[i].ProductID, &items[i].PriceID)
	}
}

// items returns the wanted set. An item whose product and price were there
// already keeps its id, the others are new.
func (s *Service) items(c *server.Call, standing []item, wanted []itemInput) []item {
	standing = slices.Clone(standing)
	items := []item{}
	for _, in := range wanted {
		var id string
		quantity := int64(1)
		if in.Quantity != nil {
			quantity = *in.Quantity
		}
		if i := slices.IndexFunc(standing, func(old item) bool {
			return old.ProductID == in.ProductID && old.PriceID == in.PriceID
		}); i >= 0 {
			id = standing[i].ID
			standing = slices.Delete(standing, i, i+1)
		} else {
			id = s.Source.UUID()
		}
		items = append(items, item{
			ID: id, ProductID: in.ProductID, PriceID: in.PriceID,
			Quantity: quantity, UnitAmountSubcents: in.UnitAmountSubcents,
		})
	}
	return items
}

// responded are the items as they go over the wire.
func (s *Service) responded(c *server.Call, tx *store.Tx, items []item) []item {
	out := slices.Clone(items)
	for i := range out {
		if out[i].UnitAmountSubcents == nil && c.Tolerance.PriceAmounts {
			amount := s.pricing(tx)(out[i].PriceID)
			out[i].UnitAmountSubcents = &amount
		}
	}
	return out
}

// listItems serves subscriptions.items.list, or responds like a server without it
// would (wire contract: Tolerance).
func (s *Service) listItems(c *server.Call, tx *store.Tx) (server.Reply, error) {
	switch t := c.Tolerance; {
	case t.ItemsNotListed:
		refusal := *server.ErrMethod
		refusal.Allow = http.MethodPut
		return server.Reply{}, &refusal
	case t.ItemsNotFound:
		return server.Reply{}, server.ErrNotFound
	}
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return server.List(c, s.responded(c, tx, row.Items))
}

// syncItems serves subscriptions.items.sync: the items become the ones sent.
func (s *Service) syncItems(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in struct {
		Items []itemInput `json:"items"`
	}
	if _, err := c.ReadObject(server.Shape{"items": itemsRule}, []string{"items"}, &in); err != nil {
		return server.Reply{}, err
	}
	canonicalItems(in.Items)
	if err := row.final(); err != nil {
		return server.Reply{}, err
	}
	if len(in.Items) == 0 && row.Subscription.PlanID == nil {
		return server.Reply{}, server.Invalid(server.Problems{"items": "must not be empty without a plan"})
	}
	if err := s.checkReferences(c, tx, nil, in.Items); err != nil {
		return server.Reply{}, err
	}
	changed := row
	changed.Items = s.items(c, row.Items, in.Items)
	changed = s.changeSubscription(c, tx, row, changed)
	return server.Reply{Status: http.StatusOK, Body: map[string]any{"data": s.responded(c, tx, changed.Items)}}, nil
}
