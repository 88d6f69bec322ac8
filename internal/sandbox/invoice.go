package sandbox

import (
	"fmt"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// invoice is an invoice on the wire. No document shows its fields beyond id;
// these are what one would look for.
type invoice struct {
	ID               string  `json:"id"`
	Number           string  `json:"number"` // counts up within the organization
	SubscriptionID   string  `json:"subscription_id"`
	BillingAccountID string  `json:"billing_account_id"`
	Status           string  `json:"status"` // open, or by the behavior of a pause: uncollectible, draft, void
	AmountCents      *int64  `json:"amount_cents"`
	Currency         string  `json:"currency"`
	PeriodStart      instant `json:"period_start"`
	PeriodEnd        instant `json:"period_end"`
	DueDate          string  `json:"due_date"` // date of creation plus the account's payment terms
	Reason           *string `json:"reason"`   // of a manual one
	CreatedAt        instant `json:"created_at"`
	UpdatedAt        instant `json:"updated_at"`
}

// invoiceRow is an invoice as the tables keep it.
type invoiceRow struct {
	Organization string  `json:"organization"`
	Invoice      invoice `json:"invoice"`
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

// invoiceRenewal makes the invoice of a period that has just begun, unless the
// subscription is invoiced by hand. The first period has none: it begins with
// the subscription, and cycle_billing_date says that the first invoice comes
// when it ends.
func (s *Server) invoiceRenewal(tx *store.Tx, row subscriptionRow) {
	if !is(row.Subscription.CollectionMethod, manualInvoice) {
		s.putInvoice(tx, row, row.Subscription.CurrentPeriodStart.Time, nil)
	}
}

// putInvoice makes an invoice of the current period.
func (s *Server) putInvoice(tx *store.Tx, row subscriptionRow, at time.Time, reason *string) invoice {
	subscription := row.Subscription
	// An account with a subscription that is not canceled cannot be deleted.
	account, _ := s.accounts.Get(tx, subscription.BillingAccountID)
	terms := int(account.Account.PaymentTermsDays)
	made := invoice{
		ID:               s.source.uuid(),
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
		CreatedAt:        instant{at},
		UpdatedAt:        instant{at},
	}
	if subscription.PauseCollection != nil {
		made.Status = pauseInvoices[subscription.PauseCollection.Behavior]
	}
	s.invoices.Put(tx, made.ID, invoiceRow{Organization: row.Organization, Invoice: made})
	s.lag.hide(made.ID)
	return made
}

func (s *Server) nextInvoiceNumber(tx *store.Tx, organization string) string {
	last, _ := s.invoiceNumbers.Get(tx, organization)
	s.invoiceNumbers.Put(tx, organization, last+1)
	return fmt.Sprintf("INV-%06d", last+1)
}

// createInvoice serves subscriptions.invoice.
func createInvoice(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	var in reasonInput
	if err := c.readOptional(reasonShape, &in); err != nil {
		return reply{}, err
	}
	if err := row.final(); err != nil {
		return reply{}, err
	}
	made := c.server.putInvoice(tx, row, c.now, in.Reason)
	return c.single(http.StatusCreated, made, made.UpdatedAt.Time), nil
}

// listInvoices serves invoices.list.
func listInvoices(c *call, tx *store.Tx) (reply, error) {
	found := []invoice{}
	for id, row := range c.server.invoices.All(tx) {
		if row.Organization != c.organization || !c.server.lag.shows(id) ||
			!c.filter("subscription_id", func(want string) bool { return row.Invoice.SubscriptionID == canonicalID(want) }) ||
			!c.filter("billing_account_id", func(want string) bool { return row.Invoice.BillingAccountID == canonicalID(want) }) {
			continue
		}
		found = append(found, row.Invoice)
	}
	return list(c, found)
}
