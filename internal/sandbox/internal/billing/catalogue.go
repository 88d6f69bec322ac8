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

// Catalogue are the collections that are only listed.
var Catalogue = []string{"plans", "products", "prices"}

func (s *Service) listCatalogue(c *server.Call, tx *store.Tx) (server.Reply, error) {
	switch c.Path["collection"] {
	case "plans":
		return listOf(c, tx, s.plans, func(p plan) []*string { return []*string{&p.Name, p.Description} })
	case "products":
		return listOf(c, tx, s.products, func(p product) []*string { return []*string{&p.Name, p.Description} })
	case "prices":
		return listOf(c, tx, s.prices, func(p price) []*string { return []*string{p.Name} })
	}
	if s.Copy {
		return s.listCopied(c, tx)
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

// costs is what a subscription costs a billing cycle, in cents; nil: not known.
type costs func(SubscriptionRow) *int64

func (s *Service) costs(tx *store.Tx) costs {
	if s.Copy {
		return func(r SubscriptionRow) *int64 { return s.shownAmount(tx, r) }
	}
	prices := s.pricing(tx)
	return func(r SubscriptionRow) *int64 { return r.amount(prices) }
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

// Invoice is an invoice on the wire. No document shows its fields beyond id;
// these are the likely ones.
type Invoice struct {
	ID               string           `json:"id"`
	Number           string           `json:"number"` // counts up within the organization
	SubscriptionID   string           `json:"subscription_id"`
	BillingAccountID string           `json:"billing_account_id"`
	Status           string           `json:"status"` // open, or by the behavior of a pause: uncollectible, draft, void
	AmountCents      *int64           `json:"amount_cents"`
	Currency         string           `json:"currency"`
	PeriodStart      server.Timestamp `json:"period_start"`
	PeriodEnd        server.Timestamp `json:"period_end"`
	DueDate          string           `json:"due_date"` // date of creation plus the account's payment terms
	Reason           *string          `json:"reason"`   // of a manual one
	CreatedAt        server.Timestamp `json:"created_at"`
	UpdatedAt        server.Timestamp `json:"updated_at"`
}

// InvoiceRow is an invoice as the tables keep it.
type InvoiceRow struct {
	server.Owned
	Invoice Invoice `json:"invoice"`
}

const invoiceOpen = "open"

// pauseInvoices are the statuses of invoices made during a pause, by its
// behavior (service description, Recurring billing §4 Subscription pause).
var pauseInvoices = map[string]string{
	"mark_uncollectible": "uncollectible",
	"keep_as_draft":      "draft",
	"void":               "void",
}

const defaultPauseBehavior = "mark_uncollectible"

// invoiceRenewal creates the invoice of a period that has just begun, unless the
// subscription is invoiced manually. The first period has none: it begins with
// the subscription, and cycle_billing_date says that the first invoice comes
// when it ends.
func (s *Service) invoiceRenewal(tx *store.Tx, row SubscriptionRow) {
	if !is(row.Subscription.CollectionMethod, manualInvoice) {
		s.putInvoice(tx, row, row.Subscription.CurrentPeriodStart.Time, nil)
	}
}

func (s *Service) putInvoice(tx *store.Tx, row SubscriptionRow, at time.Time, reason *string) Invoice {
	subscription := row.Subscription
	// An account with a subscription that is not canceled cannot be deleted.
	account, _ := s.Accounts.Get(tx, subscription.BillingAccountID)
	terms := int(account.Account.PaymentTermsDays)
	made := Invoice{
		ID:               s.Source.UUID(),
		Number:           s.nextInvoiceNumber(tx, row.Organization),
		SubscriptionID:   subscription.ID,
		BillingAccountID: subscription.BillingAccountID,
		Status:           invoiceOpen,
		AmountCents:      subscription.RecurringAmountCents,
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
	s.Invoices.Put(tx, made.ID, InvoiceRow{Owned: server.Owned{Organization: row.Organization}, Invoice: made})
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
	return c.Single(http.StatusCreated, made, made.UpdatedAt.Time), nil
}

func (s *Service) invoices() server.Kind[InvoiceRow, Invoice] {
	return server.Kind[InvoiceRow, Invoice]{
		Table:  s.Invoices,
		Show:   func(_ *server.Call, _ *store.Tx, r InvoiceRow) Invoice { return r.Invoice },
		Fields: []string{"subscription_id", "billing_account_id"},
		Filters: server.Filters[InvoiceRow]{
			"search": func(_ *store.Tx, r InvoiceRow, text string) bool {
				return anyHolds(text, &r.Invoice.Number, r.Invoice.Reason)
			},
		},
	}
}

// What a plan or a price costs that is not in the catalogue follows from its id, so
// that the same id always costs the same: 10.00 to 509.99 in whole cents.
const (
	subcentsPerCent = 100
	leastCents      = 1_000
	centsRange      = 50_000
)

// priceAmount is what a plan or a price costs, in subcents (ten-thousandths).
func priceAmount(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	cents := leastCents + binary.BigEndian.Uint64(sum[:8])%centsRange
	return int64(cents) * subcentsPerCent
}

// allBasisPoints is 100 %: basis points are hundredths of a percent.
const allBasisPoints = 10_000

// amount is what the subscription costs a billing cycle, in cents: the plan and
// every item, less the discount, rounded half up only then. A discount code
// has no effect, because no document states its value. nil says that
// the sum is not a 64-bit number.
func (r SubscriptionRow) amount(costs pricing) *int64 {
	sum := new(big.Int)
	if r.Subscription.PlanID != nil {
		sum.SetInt64(costs(*r.Subscription.PlanID))
	}
	for _, item := range r.Items {
		unit := costs(item.PriceID)
		if item.UnitAmountSubcents != nil {
			unit = *item.UnitAmountSubcents
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(unit), big.NewInt(item.Quantity)))
	}
	sum.Mul(sum, big.NewInt(allBasisPoints-discountPoints(r.Subscription.DiscountPercent)))
	const divisor = allBasisPoints * subcentsPerCent
	sum.Add(sum, big.NewInt(divisor/2))
	sum.Div(sum, big.NewInt(divisor))
	if !sum.IsInt64() {
		return nil
	}
	cents := sum.Int64()
	return &cents
}

// formatPercent writes a percent that has passed its rule as the service
// returns it, with two places (wire contract: discount_percent).
func formatPercent(number *float64) *string {
	if number == nil {
		return nil
	}
	text := strconv.FormatFloat(math.Abs(*number), 'f', 2, 64)
	return &text
}

// discountPoints reads what formatPercent wrote, in basis points.
func discountPoints(percent *string) int64 {
	if percent == nil {
		return 0
	}
	// formatPercent writes nothing that does not parse.
	value, _ := strconv.ParseFloat(*percent, 64)
	return int64(math.Round(value * 100))
}
