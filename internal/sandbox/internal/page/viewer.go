package page

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// How many of a kind the page shows at most.
const (
	shownObjects    = 200
	shownRequests   = 200
	shownDeliveries = 10
	shownRecords    = 10
)

// viewer collects what the page shows, of every organization, at one time.
type viewer struct {
	*Page
	tx       *store.Tx
	now      time.Time
	requests []server.Request // the whole log, oldest first
	// subscriptionsOf leads from a billing account to its subscriptions.
	subscriptionsOf map[string][]Ref
}

// view is what is in the sandbox. As for every request, what has come due by now has happened.
func (s *Page) view() (View, error) {
	v := viewer{Page: s, now: s.Billing.Clock.Now(), requests: s.Server.Log.Since(0), subscriptionsOf: map[string][]Ref{}}
	if err := s.Billing.Settle(v.now); err != nil {
		return View{}, err
	}
	shown := View{Now: v.now, Fixed: s.Billing.Clock.Fixed(), Requests: v.viewRequests()}
	for _, f := range s.Server.Faults.List() {
		shown.Faults = append(shown.Faults, Fault{ID: f.ID, Spec: f.String()})
	}
	err := s.Billing.DB.View(func(tx *store.Tx) error {
		v.tx = tx
		for _, row := range s.Billing.Subscriptions.All(tx) {
			account := row.Subscription.BillingAccountID
			v.subscriptionsOf[account] = append(v.subscriptionsOf[account], subscriptionRef(row))
		}
		shown.Organizations = v.viewOrganizations()
		shown.Customers = newest(v.liveCustomers(), shownObjects, customerAge, v.viewCustomer)
		shown.Accounts = newest(s.Billing.Accounts.All(tx), shownObjects, accountAge, v.viewAccount)
		shown.Subscriptions = v.viewSubscriptions()
		shown.Invoices = v.viewInvoices()
		shown.Endpoints = newest(s.Collections.Endpoints.All(tx), shownObjects, endpointAge, v.viewEndpoint)
		shown.Keys = newest(s.Collections.Keys.All(tx), shownObjects, keyAge, v.viewKey)
		shown.Tokens = v.viewTokens()
		var err error
		shown.Collections, err = v.viewFinance()
		return err
	})
	return shown, err
}

// newest returns the newest of the rows, the newest first, each as show makes it.
// age says when a row was made, and its number among those made at the same time;
// 0 where rows have none.
func newest[R, T any](rows iter.Seq2[string, R], most int, age func(R) (time.Time, int64), show func(R) T) List[T] {
	all := []R{}
	for _, row := range rows {
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b R) int {
		made, number := age(a)
		otherMade, otherNumber := age(b)
		if made.Equal(otherMade) {
			return int(otherNumber - number)
		}
		return otherMade.Compare(made)
	})
	list := List[T]{Total: len(all)}
	for _, row := range all[:min(most, len(all))] {
		list.Shown = append(list.Shown, show(row))
	}
	return list
}

// textOf is the text, empty where there is none.
func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// timeOf is the time, zero where there is none.
func timeOf(at *server.Timestamp) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.Time
}

// amountOf is an amount as people write it, empty where it is not known.
func amountOf(cents *int64, currency string) string {
	if cents == nil {
		return ""
	}
	sign, whole := "", *cents
	if whole < 0 {
		sign, whole = "-", -whole
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, whole/100, whole%100, currency)
}
