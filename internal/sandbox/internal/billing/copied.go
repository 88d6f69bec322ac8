package billing

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// In a copy of an organization (package orgcopy), objects are those of the source and amounts are not invented.

// theBook is the id of the only one.
const theBook = "book"

// terms are everything that the amount of a subscription may depend on.
func (s *Service) terms(tx *store.Tx, r SubscriptionRow) amounts.Terms {
	account, _ := s.Accounts.Get(tx, r.Subscription.BillingAccountID)
	t, _ := amounts.TermsOf(account.Account.Currency, r.Subscription, object{"items": r.Items}) // of rows
	return t
}

// Amounts returns those of all subscriptions and invoices of a copy, by id.
func (s *Service) Amounts() map[string]amounts.Amount {
	return store.Read(s.DB, func(tx *store.Tx) map[string]amounts.Amount {
		all := map[string]amounts.Amount{}
		costs := s.costs(tx)
		for id, row := range s.Subscriptions.All(tx) {
			all[id] = costs(row)
		}
		for id, row := range s.Invoices.All(tx) {
			all[id] = amounts.Amount{Cents: row.Invoice.AmountCents, Estimated: row.Estimated}
		}
		return all
	})
}

// Load stores an object of a copy unchanged.
func (s *Service) Load(tx *store.Tx, organization string, o orgcopy.Object) error {
	owned := server.Owned{Organization: organization}
	switch o.Kind {
	case evidence.Record:
		return s.loadRecord(tx, owned, o)
	case evidence.Customer:
		var of customer
		id, err := s.Keep(tx, o.Object, &of, asIs)
		if err == nil {
			s.Customers.Put(tx, id, CustomerRow{Owned: owned, Customer: of})
		}
		return err
	case evidence.Account:
		return s.loadAccount(tx, owned, o.Object)
	default:
		return s.loadSubscription(tx, owned, o)
	}
}

func (s *Service) loadAccount(tx *store.Tx, owned server.Owned, object json.RawMessage) error {
	var of billingAccount
	var owner *embeddedCustomer
	id, err := s.Keep(tx, object, &of, func() error {
		if owner = of.Customer; owner == nil || owner.ID == "" {
			return errors.New("the billing account shows no customer")
		}
		return nil
	})
	if err != nil {
		return err
	}
	customerID := server.CanonicalID(owner.ID)
	if _, known := s.Customers.Get(tx, customerID); !known {
		// Lists omit a deleted customer, but its closed accounts still show it.
		deleted := owner.customer
		if deleted.Kind != nil {
			deleted.Kind = new(map[string]string{"individual": "natural", "company": "juridical"}[*deleted.Kind])
		}
		s.Customers.Put(tx, customerID, CustomerRow{Owned: owned, Customer: deleted, Deleted: of.Status == AccountClosed})
	}
	of.Customer = nil
	s.Accounts.Put(tx, id, AccountRow{Owned: owned, CustomerID: customerID, Account: of})
	return nil
}

func (s *Service) loadSubscription(tx *store.Tx, owned server.Owned, o orgcopy.Object) error {
	row := SubscriptionRow{Owned: owned}
	id, err := s.Keep(tx, o.Object, &row.Subscription, func() error {
		_, known := s.Accounts.Get(tx, row.Subscription.BillingAccountID)
		if !known && row.Subscription.Status != SubscriptionCanceled { // a canceled one outlives its deleted account
			return fmt.Errorf("the copy has no billing account with the id %q", row.Subscription.BillingAccountID)
		}
		if len(o.Items) > 0 {
			if err := json.Unmarshal(o.Items, &row.Items); err != nil {
				return fmt.Errorf("items: %w", err)
			}
		}
		if pending, ok := row.Subscription.Metadata["pending_plan_id"].(string); ok {
			row.PendingPlanID = &pending
		}
		row.AnchorDay = row.anchor().UTC().Day()
		var trialEnd time.Time
		if of := row.Subscription; of.TrialEnd != nil {
			trialEnd = of.TrialEnd.Time
		}
		if of := row.Subscription; amounts.OtherDay(of.CycleBillingDate.Time, of.CurrentPeriodEnd.Time, trialEnd) {
			row.BillingDate = &row.Subscription.CycleBillingDate
			row.BillingDay = row.BillingDate.UTC().Day()
		}
		row = row.derived(func(r SubscriptionRow) amounts.Amount {
			return amounts.Amount{Shown: r.Subscription.RecurringAmountCents}
		})
		return nil
	})
	if err != nil {
		return err
	}
	s.Subscriptions.Put(tx, id, row)
	s.note(row)
	return nil
}

// asIs completes an object without derived fields.
func asIs() error { return nil }

// anchor returns the start of the first period, which determines the days of later ones; see begin.
func (r SubscriptionRow) anchor() time.Time {
	of := r.Subscription
	for _, at := range []*server.Timestamp{of.TrialEnd, of.ConfirmedAt, of.ActivatedAt} {
		if at != nil {
			return at.Time
		}
	}
	return of.CurrentPeriodStart.Time
}

// copiedRecord is a record of a collection unknown to the sandbox.
type copiedRecord struct {
	server.Owned
	Collection string          `json:"collection"`
	Object     json.RawMessage `json:"object"`
}

func (s *Service) loadRecord(tx *store.Tx, owned server.Owned, o orgcopy.Object) error {
	switch o.Collection {
	case "plans":
		return loadListed(tx, s.Core, s.plans, owned, o.Object)
	case "products":
		return loadListed(tx, s.Core, s.products, owned, o.Object)
	case "prices":
		return loadListed(tx, s.Core, s.prices, owned, o.Object)
	case "invoices":
		var of Invoice
		id, err := s.KeepFree(tx, o.Object, &of)
		if err == nil {
			s.Invoices.Put(tx, id, InvoiceRow{Owned: owned, Invoice: of})
		}
		return err
	}
	var of struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(o.Object, &of); err != nil {
		return err
	}
	s.records.Put(tx, o.Collection+"/"+of.ID, copiedRecord{owned, o.Collection, o.Object})
	return nil
}

func loadListed[T any](tx *store.Tx, core *server.Core, table store.Table[listed[T]], owned server.Owned,
	object json.RawMessage) error {
	var of T
	id, err := core.KeepFree(tx, object, &of)
	if err == nil {
		table.Put(tx, id, listed[T]{Owned: owned, Object: of})
	}
	return err
}

// Loaded completes a copy: its amounts, and which collections it has, also those without a record.
func (s *Service) Loaded(tx *store.Tx, book *amounts.Book, names []string) {
	s.books.Put(tx, theBook, book)
	for _, name := range names {
		if of, ok := strings.CutPrefix(name, "billing/"); ok {
			s.collections.Put(tx, of, true)
		}
	}
}

// listCopied lists the records of another copied collection. They can be filtered and sorted by any field.
func (s *Service) listCopied(c *server.Call, tx *store.Tx) (server.Reply, error) {
	found := []object{}
	for _, row := range s.records.All(tx) {
		if row.Collection != c.Path["collection"] || row.Organization != c.Organization {
			continue
		}
		var record object
		if err := json.Unmarshal(row.Object, &record); err != nil {
			return server.Reply{}, err
		}
		if record.passes(c.Query) {
			found = append(found, record)
		}
	}
	if _, known := s.collections.Get(tx, c.Path["collection"]); !known {
		return server.Reply{}, server.ErrNoRoute
	}
	if by := c.Query.Get("sort_by"); by != "" {
		slices.SortStableFunc(found, func(a, b object) int { return strings.Compare(a.text(by), b.text(by)) })
		if c.Query.Get("sort_order") != "asc" {
			slices.Reverse(found)
		}
	}
	return server.Page(c, found)
}

func (o object) text(name string) string {
	if o[name] == nil {
		return ""
	}
	return fmt.Sprint(o[name])
}

// passes reports whether a record matches a query.
func (o object) passes(query url.Values) bool {
	for name := range query {
		switch wanted := query.Get(name); name {
		case "page", "per_page", "sort_by", "sort_order":
		default:
			if o.text(name) != wanted {
				return false
			}
		}
	}
	return true
}
