package billing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// In a copy of an organization (package orgcopy), objects are those of the source and amounts are not invented.

// shownAmount is the amount that the source of a copy showed for terms.
type shownAmount struct {
	Terms string `json:"terms"`
	Cents *int64 `json:"cents"` // nil: unknown, or ambiguous for the terms
}

// terms are all inputs that the amount of a subscription may depend on.
func (s *Service) terms(tx *store.Tx, r SubscriptionRow) string {
	account, _ := s.Accounts.Get(tx, r.Subscription.BillingAccountID)
	items := slices.Clone(r.Items)
	for i := range items {
		items[i].ID = ""
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.PriceID, b.PriceID),
			cmp.Compare(a.Quantity, b.Quantity), cmp.Compare(amountOf(a), amountOf(b)))
	})
	text, _ := json.Marshal([]any{r.Subscription.PlanID, r.Subscription.BillingCycle, r.Subscription.DiscountPercent,
		r.Subscription.DiscountCodeID, account.Account.Currency, items}) // strings and numbers: it cannot fail
	return string(text)
}

func amountOf(i item) int64 {
	if i.UnitAmountSubcents == nil {
		return -1
	}
	return *i.UnitAmountSubcents
}

// Load stores an object of a copy unchanged.
func (s *Service) Load(tx *store.Tx, organization string, o orgcopy.Object) error {
	owned := server.Owned{Organization: organization}
	switch o.Kind {
	case orgcopy.Record:
		return s.loadRecord(tx, owned, o)
	case orgcopy.Customer:
		var of customer
		id, err := s.Keep(tx, o.Object, &of, asIs)
		if err == nil {
			s.Customers.Put(tx, id, CustomerRow{Owned: owned, Customer: of})
		}
		return err
	case orgcopy.Account:
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
		if _, known := s.Accounts.Get(tx, row.Subscription.BillingAccountID); !known {
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
		row.Shown = &shownAmount{Terms: s.terms(tx, row), Cents: row.Subscription.RecurringAmountCents}
		apart := row.Subscription.CycleBillingDate.Sub(row.Subscription.CurrentPeriodEnd.Time).Abs()
		row.OtherDay = !row.Subscription.CycleBillingDate.IsZero() && apart >= 24*time.Hour && row.trial().IsZero()
		row = row.derived(s.costs(tx))
		return nil
	})
	if err != nil {
		return err
	}
	if row.billedNow() {
		s.noteShown(tx, *row.Shown)
	}
	s.Subscriptions.Put(tx, id, row)
	s.note(row)
	return nil
}

// noteShown records the amount of a subscription. Different amounts for the same terms make it unknown.
func (s *Service) noteShown(tx *store.Tx, amount shownAmount) {
	other, known := s.shown.Get(tx, amount.Terms)
	switch {
	case amount.Cents == nil:
		return
	case known && (other.Cents == nil || *other.Cents != *amount.Cents):
		amount.Cents = nil
	}
	s.shown.Put(tx, amount.Terms, amount)
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
	s.listAmount(tx, o.Collection, o.Object)
	switch o.Collection {
	case "plans":
		return loadListed(tx, s.Core, s.plans, owned, o.Object)
	case "products":
		return loadListed(tx, s.Core, s.products, owned, o.Object)
	case "prices":
		return loadListed(tx, s.Core, s.prices, owned, o.Object)
	case "invoices":
		var of Invoice
		id, err := s.Keep(tx, o.Object, &of, asIs)
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
	id, err := core.Keep(tx, object, &of, asIs)
	if err == nil {
		table.Put(tx, id, listed[T]{Owned: owned, Object: of})
	}
	return err
}

// Loaded completes a copy: it notes which collections it has, also those without a record, and what its amounts prove.
func (s *Service) Loaded(tx *store.Tx, names []string) {
	s.learn(tx)
	s.learn(tx) // the amounts of items, which the first pass proves, are part of what discounts are compared with
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
		if record.passes(c.Query, string(row.Object)) {
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

// passes reports whether a record matches a query. whole is its JSON.
func (o object) passes(query url.Values, whole string) bool {
	for name := range query {
		switch wanted := query.Get(name); name {
		case "page", "per_page", "sort_by", "sort_order":
		case "search":
			if !anyHolds(wanted, &whole) {
				return false
			}
		default:
			if o.text(name) != wanted {
				return false
			}
		}
	}
	return true
}
