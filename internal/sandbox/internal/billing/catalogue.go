package billing

import (
	"math"
	"net/http"
	"strconv"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The catalogue is what a seed puts into the collections plans, products and prices. No document shows their fields
// beyond id; these are the likely ones. Without a catalogue any plan, product and price exists; once there is
// a plan, only those of the catalogue do, and so for products and prices.
type (
	plan struct {
		ID           string           `json:"id"`
		Name         string           `json:"name"`
		Description  *string          `json:"description"`
		AmountCents  int64            `json:"amount_cents"` // of a billing cycle
		Currency     string           `json:"currency"`
		BillingCycle string           `json:"billing_cycle"`
		CreatedAt    server.Timestamp `json:"created_at"`
		UpdatedAt    server.Timestamp `json:"updated_at"`
	}
	product struct {
		ID          string           `json:"id"`
		Name        string           `json:"name"`
		Description *string          `json:"description"`
		CreatedAt   server.Timestamp `json:"created_at"`
		UpdatedAt   server.Timestamp `json:"updated_at"`
	}
	price struct {
		ID                 string           `json:"id"`
		ProductID          string           `json:"product_id"`
		Name               *string          `json:"name"`
		UnitAmountSubcents int64            `json:"unit_amount_subcents"`
		Currency           string           `json:"currency"`
		CreatedAt          server.Timestamp `json:"created_at"`
		UpdatedAt          server.Timestamp `json:"updated_at"`
	}
)

// listed is an object of the catalogue as the tables keep it.
type listed[T any] struct {
	server.Owned
	Object T `json:"object"`
}

var (
	productForm = server.Form{Required: []string{"name"}, Shape: productShape}
	planForm    = server.Form{Required: []string{"name", "amount_cents"}, Shape: productShape.And(server.Shape{
		"amount_cents": server.IntegerBetween(0, math.MaxInt64/subcentsPerCent),
		"currency":     server.Filled, "billing_cycle": billingCycles}, "")}
	priceForm = server.Form{Required: []string{"product_id", "unit_amount_subcents"}, Shape: server.Shape{
		"id": server.UUID, "product_id": server.UUID, "name": server.Nullable(server.Filled),
		"unit_amount_subcents": server.IntegerFrom(0), "currency": server.Filled}}
	productShape = server.Shape{"id": server.UUID, "name": server.Filled, "description": server.Nullable(server.Text)}
)

// SeedOnly are the operations of a seed that no service has: they make what is in the catalogue.
func (s *Service) SeedOnly() []server.Route {
	return []server.Route{
		{Name: "plans.create", Serve: server.With(planForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			return putListed(c, tx, s.plans, s.Source.UUID(), plan{Currency: defaultCurrency, BillingCycle: defaultCycle,
				CreatedAt: now, UpdatedAt: now})
		})},
		{Name: "products.create", Serve: server.With(productForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			return putListed(c, tx, s.products, s.Source.UUID(), product{CreatedAt: now, UpdatedAt: now})
		})},
		{Name: "prices.create", Serve: server.With(priceForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			c.Sent.Canonical("product_id")
			if _, ok := s.products.Get(tx, c.Sent["product_id"].(string)); !ok {
				return server.Reply{}, server.Invalid(server.Problems{"product_id": noProduct})
			}
			return putListed(c, tx, s.prices, s.Source.UUID(), price{Currency: defaultCurrency, CreatedAt: now, UpdatedAt: now})
		})},
	}
}

// putListed adds an object with the fields that were sent to the catalogue; id is that of one without.
func putListed[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]], id string,
	object T) (server.Reply, error) {
	c.Sent.Canonical("id")
	if c.Sent.Has("id") {
		id = c.Sent["id"].(string)
	}
	c.Sent["id"] = id
	c.Sent.Into(&object)
	if _, taken := table.Get(tx, id); taken {
		return server.Reply{}, server.Invalid(server.Problems{"id": "another one has it"})
	}
	table.Put(tx, id, listed[T]{Owned: server.Owned{Organization: c.Organization}, Object: object})
	return c.Single(http.StatusCreated, object, c.Now), nil
}

func (s *Service) listCatalogue(c *server.Call, tx *store.Tx) (server.Reply, error) {
	switch c.Path["collection"] {
	case "plans":
		return listOf(c, tx, s.plans, func(p plan) []*string { return []*string{&p.Name, p.Description} })
	case "products":
		return listOf(c, tx, s.products, func(p product) []*string { return []*string{&p.Name, p.Description} })
	case "prices":
		return listOf(c, tx, s.prices, func(p price) []*string { return []*string{p.Name} })
	}
	return server.Reply{}, server.ErrNoRoute
}

// listOf lists one collection. Its fields are its filters.
func listOf[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]],
	texts func(T) []*string) (server.Reply, error) {
	kind := server.Kind[listed[T], T]{
		Table:  table,
		Show:   func(_ *server.Call, _ *store.Tx, r listed[T]) T { return r.Object },
		Fields: server.FieldsOf[T](),
		Filters: server.Filters[listed[T]]{
			"search": func(_ *store.Tx, r listed[T], text string) bool { return anyHolds(text, texts(r.Object)...) },
		},
	}
	if err := kind.ListRoute("", "").CheckQuery(c.Query); err != nil {
		return server.Reply{}, err
	}
	return kind.List(c, tx)
}

// What is wrong with a reference to something that the catalogue does not have.
const (
	noPlan       = "no plan has it"
	noProduct    = "no product has it"
	noPrice      = "no price has it"
	foreignPrice = "is not a price of the product"
)

// has reports whether the organization may refer to an object: any, while it has none of that kind.
func has[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]], id string) bool {
	if row, ok := table.Get(tx, id); ok {
		return row.Organization == c.Organization
	}
	for _, row := range table.All(tx) {
		if row.Organization == c.Organization {
			return false
		}
	}
	return true
}

func (s *Service) checkReferences(c *server.Call, tx *store.Tx, planID *string, items []itemInput) error {
	p := server.Problems{}
	if planID != nil && !has(c, tx, s.plans, *planID) {
		p["plan_id"] = noPlan
	}
	for i, in := range items {
		at := "items[" + strconv.Itoa(i) + "]."
		row, listed := s.prices.Get(tx, in.PriceID)
		switch {
		case !has(c, tx, s.products, in.ProductID):
			p[at+"product_id"] = noProduct
		case !has(c, tx, s.prices, in.PriceID):
			p[at+"price_id"] = noPrice
		case listed && row.Object.ProductID != in.ProductID:
			p[at+"price_id"] = foreignPrice
		}
	}
	return p.Err()
}

// pricing is what a plan or a price with that id costs, in subcents.
type pricing func(id string) int64

// pricing asks the catalogue first.
func (s *Service) pricing(tx *store.Tx) pricing {
	return func(id string) int64 {
		if row, ok := s.plans.Get(tx, id); ok {
			return row.Object.AmountCents * subcentsPerCent
		}
		if row, ok := s.prices.Get(tx, id); ok {
			return row.Object.UnitAmountSubcents
		}
		return priceAmount(id)
	}
}
