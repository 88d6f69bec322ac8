package billing

import (
	"fmt"
	"net/http"
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
	Lines            []invoiceLine    `json:"lines,omitempty"` // of what the catalogue has
	PeriodStart      server.Timestamp `json:"period_start"`
	PeriodEnd        server.Timestamp `json:"period_end"`
	DueDate          string           `json:"due_date"` // date of creation plus the account's payment terms
	Reason           *string          `json:"reason"`   // of a manual one
	CreatedAt        server.Timestamp `json:"created_at"`
	UpdatedAt        server.Timestamp `json:"updated_at"`
}

// InvoiceRow is an invoice as the tables keep it.
type InvoiceRow struct {
	Organization string  `json:"organization"`
	Invoice      Invoice `json:"invoice"`
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

// putInvoice creates an invoice of the current period.
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
		Lines:            s.lines(tx, row),
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
	s.Invoices.Put(tx, made.ID, InvoiceRow{Organization: row.Organization, Invoice: made})
	return made
}

func (s *Service) nextInvoiceNumber(tx *store.Tx, organization string) string {
	last, _ := s.invoiceNumbers.Get(tx, organization)
	s.invoiceNumbers.Put(tx, organization, last+1)
	return fmt.Sprintf("INV-%06d", last+1)
}

// createInvoice serves subscriptions.invoice.
func (s *Service) createInvoice(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in reasonInput
	if err := c.ReadOptional(reasonShape, &in); err != nil {
		return server.Reply{}, err
	}
	if err := row.final(); err != nil {
		return server.Reply{}, err
	}
	made := s.putInvoice(tx, row, c.Now, in.Reason)
	return c.Single(http.StatusCreated, made, made.UpdatedAt.Time), nil
}

// listInvoices serves invoices.list.
func (s *Service) listInvoices(c *server.Call, tx *store.Tx) (server.Reply, error) {
	found := []Invoice{}
	for _, row := range s.Invoices.All(tx) {
		if row.Organization != c.Organization ||
			!c.FilterID("subscription_id", row.Invoice.SubscriptionID) ||
			!c.FilterID("billing_account_id", row.Invoice.BillingAccountID) ||
			!c.Filter("search", func(text string) bool { return anyHolds(text, &row.Invoice.Number, row.Invoice.Reason) }) {
			continue
		}
		found = append(found, row.Invoice)
	}
	return server.List(c, found)
}
