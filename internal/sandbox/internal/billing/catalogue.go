package billing

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"net/http"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The catalogue contains the seeded plans, products and prices. Their fields are undocumented except id; these are
// likely ones. Without a catalogue, any plan, product or price exists. Once there is a plan, only the plans in the
// catalogue exist; the same applies to products and prices.
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

// listed is a stored object of the catalogue.
type listed[T any] struct {
	server.Owned
	Object T `json:"object"`
}

var (
	productForm = server.Form{Required: []string{"name"}, Shape: productShape}
	planForm    = server.Form{Required: []string{"name", "amount_cents"}, Shape: productShape.And(server.Shape{
		"amount_cents": server.IntegerBetween(0, math.MaxInt64/amounts.SubcentsPerCent),
		"currency":     server.Filled, "billing_cycle": billingCycles}, "")}
	priceForm = server.Form{Required: []string{"product_id", "unit_amount_subcents"}, Shape: server.Shape{
		"id": server.UUID, "product_id": server.UUID, "name": server.Nullable(server.Filled),
		"unit_amount_subcents": server.IntegerFrom(0), "currency": server.Filled}}
	productShape = server.Shape{"id": server.UUID, "name": server.Filled, "description": server.Nullable(server.Text)}
)

// SeedOnly are the operations of a seed that no service has: they create the objects of the catalogue.
func (s *Service) SeedOnly() []server.Route {
	return []server.Route{
		{Name: "plans.create", Handler: server.With(planForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			return putListed(c, tx, s.plans, s.Source.UUID(), plan{Currency: defaultCurrency, BillingCycle: defaultCycle,
				CreatedAt: now, UpdatedAt: now})
		})},
		{Name: "products.create", Handler: server.With(productForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			return putListed(c, tx, s.products, s.Source.UUID(), product{CreatedAt: now, UpdatedAt: now})
		})},
		{Name: "prices.create", Handler: server.With(priceForm, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
			now := server.Timestamp{Time: c.Now}
			c.Sent.Canonical("product_id")
			if _, ok := s.products.Get(tx, c.Sent["product_id"].(string)); !ok {
				return server.Reply{}, server.Invalid(server.Problems{"product_id": noProduct})
			}
			return putListed(c, tx, s.prices, s.Source.UUID(), price{Currency: defaultCurrency, CreatedAt: now, UpdatedAt: now})
		})},
	}
}

// putListed adds an object with the given fields to the catalogue; id is the default id.
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

// Catalogue returns the read-only collections.
var Catalogue = []string{"plans", "products", "prices"}

func (s *Service) listCatalogue(c *server.Call, tx *store.Tx) (server.Reply, error) {
	switch c.Path["collection"] {
	case "plans":
		return listOf(c, tx, s.plans)
	case "products":
		return listOf(c, tx, s.products)
	case "prices":
		return listOf(c, tx, s.prices)
	}
	if s.Copy {
		return s.listCopied(c, tx)
	}
	return server.Reply{}, server.ErrNoRoute
}

// listOf lists one collection. Its fields are its filters.
func listOf[T any](c *server.Call, tx *store.Tx, table store.Table[listed[T]]) (server.Reply, error) {
	kind := server.Kind[listed[T], T]{
		Table:  table,
		Show:   func(_ *server.Call, _ *store.Tx, r listed[T]) T { return r.Object },
		Fields: server.FieldsOf[T](),
	}
	if err := kind.ListRoute("", "").CheckQuery(c.Query); err != nil {
		return server.Reply{}, err
	}
	return kind.List(c, tx)
}

// Errors about references that are missing from the catalogue.
const (
	noPlan       = "no plan has it"
	noProduct    = "no product has it"
	noPrice      = "no price has it"
	foreignPrice = "is not a price of the product"
)

// has reports whether the organization may refer to an object. Without objects of that kind it may refer to any.
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

// checkReferences rejects references to what the catalogue lacks. In a copy it rejects none: a list may omit archived
// objects, and a copy must not speak for the service.
func (s *Service) checkReferences(c *server.Call, tx *store.Tx, planID *string, items []itemInput) error {
	if s.Copy {
		return nil
	}
	p := server.Problems{}
	if planID != nil && !has(c, tx, s.plans, *planID) {
		p["plan_id"] = noPlan
	}
	for i, in := range items {
		at := "items." + strconv.Itoa(i) + "."
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

// costs returns what a subscription is invoiced each billing cycle.
type costs func(SubscriptionRow) amounts.Amount

func (s *Service) costs(tx *store.Tx) costs {
	if s.Copy {
		book, _ := s.books.Get(tx, theBook)
		return func(r SubscriptionRow) amounts.Amount { return book.Of(r.Subscription.ID, s.terms(tx, r)) }
	}
	prices := s.pricing(tx)
	return func(r SubscriptionRow) amounts.Amount { return r.amount(s.Arithmetic, prices) }
}

// pricing returns the amount of the plan or price with that id, in subcents.
type pricing func(id string) int64

// PriceOf returns the amount of a price, in subcents.
func (s *Service) PriceOf(tx *store.Tx, id string) int64 { return s.pricing(tx)(id) }

// pricing prefers the catalogue.
func (s *Service) pricing(tx *store.Tx) pricing {
	return func(id string) int64 {
		if row, ok := s.plans.Get(tx, id); ok {
			return row.Object.AmountCents * amounts.SubcentsPerCent
		}
		if row, ok := s.prices.Get(tx, id); ok {
			return row.Object.UnitAmountSubcents
		}
		return priceAmount(id)
	}
}

// Invoice is an invoice as returned. Its fields are undocumented except id; these are likely ones.
type Invoice struct {
	ID               string           `json:"id"`
	Number           string           `json:"number"` // sequential within the organization
	SubscriptionID   string           `json:"subscription_id"`
	BillingAccountID string           `json:"billing_account_id"`
	Status           string           `json:"status"` // open, or set by the pause behavior: uncollectible, draft, void
	AmountCents      *int64           `json:"amount_cents"`
	Currency         string           `json:"currency"`
	PeriodStart      server.Timestamp `json:"period_start"`
	PeriodEnd        server.Timestamp `json:"period_end"`
	DueDate          string           `json:"due_date"` // creation date plus the account's payment terms
	Reason           *string          `json:"reason"`   // of a manual invoice
	CreatedAt        server.Timestamp `json:"created_at"`
	UpdatedAt        server.Timestamp `json:"updated_at"`
}

// InvoiceRow is a stored invoice.
type InvoiceRow struct {
	server.Owned
	Invoice Invoice `json:"invoice"`
	// Estimated is true in a copy if the amount can be off by one cent.
	Estimated bool `json:"estimated,omitempty"`
}

const invoiceOpen = "open"

// pauseInvoices are the statuses of invoices created during a pause, by its behavior (service description, Recurring
// billing §4 Subscription pause).
var pauseInvoices = map[string]string{
	"mark_uncollectible": "uncollectible",
	"keep_as_draft":      "draft",
	"void":               "void",
}

const defaultPauseBehavior = "mark_uncollectible"

// invoiceRenewal creates the invoice of a period, unless the subscription is invoiced manually. The first period has no
// invoice: it starts with the subscription, and according to cycle_billing_date the first invoice is created when it
// ends.
func (s *Service) invoiceRenewal(tx *store.Tx, row SubscriptionRow, at time.Time) {
	if !is(row.Subscription.CollectionMethod, manualInvoice) {
		s.putInvoice(tx, row, at, nil)
	}
}

func (s *Service) putInvoice(tx *store.Tx, row SubscriptionRow, at time.Time, reason *string) Invoice {
	subscription := row.Subscription
	// Exists: an account cannot be deleted while it has a subscription that is not canceled.
	account, _ := s.Accounts.Get(tx, subscription.BillingAccountID)
	terms, amount := int(account.Account.PaymentTermsDays), s.costs(tx)(row)
	made := Invoice{
		ID:               s.Source.UUID(),
		Number:           s.nextInvoiceNumber(tx, row.Organization),
		SubscriptionID:   subscription.ID,
		BillingAccountID: subscription.BillingAccountID,
		Status:           invoiceOpen,
		AmountCents:      amount.Cents,
		Currency:         account.Account.Currency,
		PeriodStart:      subscription.CurrentPeriodStart,
		PeriodEnd:        subscription.CurrentPeriodEnd,
		DueDate:          at.AddDate(0, 0, terms).Format(time.DateOnly),
		Reason:           reason,
		CreatedAt:        server.Timestamp{Time: at},
		UpdatedAt:        server.Timestamp{Time: at},
	}
	if subscription.PauseCollection != nil {
		made.Status = pauseInvoices[subscription.PauseCollection.Behavior]
	}
	stored := InvoiceRow{Owned: server.Owned{Organization: row.Organization}, Estimated: amount.Estimated}
	if s.Copy && account.Account.Status == accountSuspended {
		made.AmountCents = nil // nothing says what happens to the subscriptions of a suspended account
	}
	stored.Invoice = made
	s.Invoices.Put(tx, made.ID, stored)
	return made
}

func (s *Service) nextInvoiceNumber(tx *store.Tx, organization string) string {
	last, _ := s.invoiceNumbers.Get(tx, organization)
	s.invoiceNumbers.Put(tx, organization, last+1)
	return fmt.Sprintf("INV-%06d", last+1)
}

func (s *Service) createInvoice(c *server.Call, tx *store.Tx, row SubscriptionRow) (server.Reply, error) {
	if err := row.final(); err != nil {
		return server.Reply{}, err
	}
	made := s.putInvoice(tx, row, c.Now, server.Sent[string](c.Sent, "reason"))
	s.Audit(tx, c.Audited("invoice", made.ID, made.Number).Moved("", made.Status))
	return c.Single(http.StatusCreated, made, made.UpdatedAt.Time), nil
}

func (s *Service) invoices() server.Kind[InvoiceRow, Invoice] {
	return server.Kind[InvoiceRow, Invoice]{
		Table:  s.Invoices,
		Show:   func(_ *server.Call, _ *store.Tx, r InvoiceRow) Invoice { return r.Invoice },
		Fields: []string{"subscription_id", "billing_account_id"},
	}
}

// The amount of a plan or price outside the catalogue is derived from its id, so that it is stable: 10.00 to 509.99 in
// whole cents.
const (
	leastCents = 1_000
	centsRange = 50_000
)

// priceAmount returns the amount of a plan or price, in subcents (ten-thousandths).
func priceAmount(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	cents := leastCents + binary.BigEndian.Uint64(sum[:8])%centsRange
	return int64(cents) * amounts.SubcentsPerCent
}

// amount returns the amount of the plan and all items less the discount. Discount codes are ignored, because their
// value is undocumented. An amount that overflows 64 bits is not known.
func (r SubscriptionRow) amount(how amounts.Arithmetic, costs pricing) amounts.Amount {
	lines := []*big.Int{}
	if r.Subscription.PlanID != nil {
		lines = append(lines, big.NewInt(costs(*r.Subscription.PlanID)))
	}
	for _, item := range r.Items {
		unit := costs(item.PriceID)
		if item.UnitAmountSubcents != nil {
			unit = *item.UnitAmountSubcents
		}
		lines = append(lines, new(big.Int).Mul(big.NewInt(unit), big.NewInt(item.Quantity)))
	}
	// formatPercent always writes a valid number.
	cents := how.Cents(lines, amounts.Discount(server.TextOf(r.Subscription.DiscountPercent)))
	if !cents.IsInt64() {
		return amounts.Amount{}
	}
	return amounts.Amount{Cents: new(cents.Int64()), Shown: new(cents.Int64())}
}

// formatPercent formats a validated percentage as the service returns it, with two places (wire contract:
// discount_percent).
func formatPercent(number *float64) *string {
	if number == nil {
		return nil
	}
	text := strconv.FormatFloat(math.Abs(*number), 'f', 2, 64)
	return &text
}
