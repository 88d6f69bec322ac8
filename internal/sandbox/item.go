package sandbox

import (
	"net/http"
	"slices"

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

var itemsRule = listOf(objectOf(shape{
	"product_id":           aUUID,
	"price_id":             aUUID,
	"quantity":             integerFrom(1),
	"unit_amount_subcents": integerFrom(0),
}, "product_id", "price_id"))

func canonicalItems(items []itemInput) {
	for i := range items {
		canonical(&items[i].ProductID, &items[i].PriceID)
	}
}

// items answers the wanted set. An item whose product and price stood there
// already keeps its id, the others are new.
func (c *call) items(standing []item, wanted []itemInput) []item {
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
			id = c.server.source.uuid()
		}
		items = append(items, item{
			ID: id, ProductID: in.ProductID, PriceID: in.PriceID,
			Quantity: quantity, UnitAmountSubcents: in.UnitAmountSubcents,
		})
	}
	return items
}

// answered are the items as they go over the wire.
func (c *call) answered(items []item) []item {
	out := slices.Clone(items)
	for i := range out {
		if out[i].UnitAmountSubcents == nil && c.server.options.Tolerance.PriceAmounts {
			amount := priceAmount(out[i].PriceID)
			out[i].UnitAmountSubcents = &amount
		}
	}
	return out
}

// listItems serves subscriptions.items.list, or answers as a server without it
// would (wire contract: Tolerance).
func listItems(c *call, tx *store.Tx) (reply, error) {
	switch t := c.server.options.Tolerance; {
	case t.ItemsNotListed:
		refusal := *errMethod
		refusal.allow = http.MethodPut
		return reply{}, &refusal
	case t.ItemsNotFound:
		return reply{}, errNotFound
	}
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	return list(c, c.answered(row.Items))
}

// syncItems serves subscriptions.items.sync: the items become the ones sent.
func syncItems(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	var in struct {
		Items []itemInput `json:"items"`
	}
	if _, err := c.readObject(shape{"items": itemsRule}, []string{"items"}, &in); err != nil {
		return reply{}, err
	}
	canonicalItems(in.Items)
	if err := row.final(); err != nil {
		return reply{}, err
	}
	if len(in.Items) == 0 && row.Subscription.PlanID == nil {
		return reply{}, invalid(problems{"items": "must not be empty without a plan"})
	}
	changed := row
	changed.Items = c.items(row.Items, in.Items)
	changed = c.changeSubscription(tx, row, changed)
	return reply{status: http.StatusOK, body: map[string]any{"data": c.answered(changed.Items)}}, nil
}
