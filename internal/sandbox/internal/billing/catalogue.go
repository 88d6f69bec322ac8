package billing

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
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
	Organization string `json:"organization"`
	Object       T      `json:"object"`
}

// catalogueInput is what a seed says of a plan, a product or a price.
type catalogueInput struct {
	ID                 string  `json:"id"` // made up where it is left out
	ProductID          string  `json:"product_id"`
	Name               *string `json:"name"`
	Description        *string `json:"description"`
	AmountCents        int64   `json:"amount_cents"`
	UnitAmountSubcents int64   `json:"unit_amount_subcents"`
	Currency           string  `json:"currency"`
	BillingCycle       string  `json:"billing_cycle"`
}

var (
	productShape = server.Shape{"id": server.UUID, "name": server.Filled, "description": server.Nullable(server.Text)}
	planShape    = productShape.And(server.Shape{"amount_cents": server.IntegerBetween(0, math.MaxInt64/subcentsPerCent),
		"currency": server.Filled, "billing_cycle": billingCycles})
	priceShape = server.Shape{"id": server.UUID, "product_id": server.UUID, "name": server.Nullable(server.Filled),
		"unit_amount_subcents": server.IntegerFrom(0), "currency": server.Filled}
)

// readListed reads an element of the catalogue.
func (s *Service) readListed(c *server.Call, shape server.Shape, required ...string) (catalogueInput, error) {
	in := catalogueInput{Currency: defaultCurrency, BillingCycle: defaultCycle}
	_, err := c.ReadObject(shape, required, &in)
	if in.ID == "" {
		in.ID = s.Source.UUID()
	}
	server.Canonical(&in.ID, &in.ProductID)
	return in, err
}

// putListed adds an object to the catalogue.
func putListed[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]], id string,
	object T) (server.Reply, error) {
	if _, taken := table.Get(tx, id); taken {
		return server.Reply{}, server.Invalid(server.Problems{"id": "another one has it"})
	}
	table.Put(tx, id, listed[T]{Organization: c.Organization, Object: object})
	return c.Single(http.StatusCreated, object, c.Now), nil
}

// AddPlan makes a plan of a seed.
func (s *Service) AddPlan(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in, err := s.readListed(c, planShape, "name", "amount_cents")
	if err != nil {
		return server.Reply{}, err
	}
	now := server.Timestamp{Time: c.Now}
	return putListed(c, tx, s.plans, in.ID, plan{ID: in.ID, Name: *in.Name, Description: in.Description,
		AmountCents: in.AmountCents, Currency: in.Currency, BillingCycle: in.BillingCycle, CreatedAt: now, UpdatedAt: now})
}

// AddProduct makes a product of a seed.
func (s *Service) AddProduct(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in, err := s.readListed(c, productShape, "name")
	if err != nil {
		return server.Reply{}, err
	}
	now := server.Timestamp{Time: c.Now}
	return putListed(c, tx, s.products, in.ID, product{ID: in.ID, Name: *in.Name, Description: in.Description,
		CreatedAt: now, UpdatedAt: now})
}

// AddPrice makes a price of a seed, whose product comes before it.
func (s *Service) AddPrice(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in, err := s.readListed(c, priceShape, "product_id", "unit_amount_subcents")
	if err != nil {
		return server.Reply{}, err
	}
	if _, ok := s.products.Get(tx, in.ProductID); !ok {
		return server.Reply{}, server.Invalid(server.Problems{"product_id": noProduct})
	}
	now := server.Timestamp{Time: c.Now}
	return putListed(c, tx, s.prices, in.ID, price{ID: in.ID, ProductID: in.ProductID, Name: in.Name,
		UnitAmountSubcents: in.UnitAmountSubcents, Currency: in.Currency, CreatedAt: now, UpdatedAt: now})
}

// listCatalogue serves records.list.
func (s *Service) listCatalogue(c *server.Call, tx *store.Tx) (server.Reply, error) {
	switch c.Path["collection"] {
	case "plans":
		return listOf(c, tx, s.plans, func(p plan) bool {
			return c.Filter("search", func(text string) bool { return anyHolds(text, &p.Name, p.Description) })
		})
	case "products":
		return listOf(c, tx, s.products, func(p product) bool {
			return c.Filter("search", func(text string) bool { return anyHolds(text, &p.Name, p.Description) })
		})
	case "prices":
		return listOf(c, tx, s.prices, func(p price) bool {
			return c.Filter("search", func(text string) bool { return anyHolds(text, p.Name) })
		})
	}
	return server.Reply{}, server.ErrNoRoute
}

// listOf lists one collection. Its fields are its filters; an id has no case.
func listOf[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]],
	found func(T) bool) (server.Reply, error) {
	objects := []T{}
	for _, row := range table.All(tx) {
		if row.Organization != c.Organization || !found(row.Object) {
			continue
		}
		fields, err := fieldsOf(row.Object)
		if err != nil {
			return server.Reply{}, err
		}
		passes := true
		for name := range c.Query {
			if slices.Contains(searching, name) {
				continue
			}
			if _, ok := fields[name]; !ok {
				return server.Reply{}, server.Invalid(server.Problems{name: "is not a query parameter of this operation"})
			}
			passes = passes && c.Filter(name, func(want string) bool {
				return fields[name] != nil && (*fields[name] == want || *fields[name] == server.CanonicalID(want))
			})
		}
		if passes {
			objects = append(objects, row.Object)
		}
	}
	return server.List(c, objects)
}

// fieldsOf are the values of an object as text; nil for null.
func fieldsOf(object any) (map[string]*string, error) {
	document, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(document, &raw); err != nil {
		return nil, err
	}
	fields := map[string]*string{}
	for name, value := range raw {
		text := string(value)
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		fields[name] = &text
		if string(value) == "null" {
			fields[name] = nil
		}
	}
	return fields, nil
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

// checkReferences rejects a plan and items that the catalogue does not have.
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

// invoiceLine is what an invoice says of a plan or an item of the catalogue.
type invoiceLine struct {
	Description        string  `json:"description"` // name of the plan, or of the product and the price
	PlanID             *string `json:"plan_id"`
	ProductID          *string `json:"product_id"`
	PriceID            *string `json:"price_id"`
	Quantity           int64   `json:"quantity"`
	UnitAmountSubcents int64   `json:"unit_amount_subcents"`
}

// lines are those of a subscription's plan and items that the catalogue has, before the discount.
func (s *Service) lines(tx *store.Tx, row SubscriptionRow) (lines []invoiceLine) {
	costs := s.pricing(tx)
	if id := row.Subscription.PlanID; id != nil {
		if p, ok := s.plans.Get(tx, *id); ok {
			lines = append(lines, invoiceLine{Description: p.Object.Name, PlanID: id, Quantity: 1,
				UnitAmountSubcents: costs(*id)})
		}
	}
	for _, item := range row.Items {
		p, ok := s.products.Get(tx, item.ProductID)
		if !ok {
			continue
		}
		line := invoiceLine{Description: p.Object.Name, ProductID: &item.ProductID, PriceID: &item.PriceID,
			Quantity: item.Quantity, UnitAmountSubcents: costs(item.PriceID)}
		if of, ok := s.prices.Get(tx, item.PriceID); ok && of.Object.Name != nil {
			line.Description += " (" + *of.Object.Name + ")"
		}
		if item.UnitAmountSubcents != nil {
			line.UnitAmountSubcents = *item.UnitAmountSubcents
		}
		lines = append(lines, line)
	}
	return lines
}
