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
