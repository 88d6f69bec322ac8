package sandbox

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// How many of a kind the page shows at most: it is fetched every two seconds.
const (
	shownObjects    = 200
	shownRequests   = 200
	shownDeliveries = 10
	shownRecords    = 10
)

// viewer collects what the page shows, of every organization, as it stands at
// one moment.
type viewer struct {
	*Server
	tx       *store.Tx
	now      time.Time
	requests []Request // the whole log, oldest first
}

// view is what stands in the sandbox. As for every request, what has come due
// by now has happened. What Options.ReadLag hides from listings is in it.
func (s *Server) view() (page.View, error) {
	v := viewer{Server: s, now: s.clock.Now(), requests: s.Requests()}
	if err := s.settle(v.now); err != nil {
		return page.View{}, err
	}
	shown := page.View{Now: v.now, Fixed: s.clock.Fixed(), Requests: v.viewRequests()}
	err := s.db.View(func(tx *store.Tx) error {
		v.tx = tx
		shown.Organizations = v.viewOrganizations()
		shown.Customers = newest(v.liveCustomers(), shownObjects, v.viewCustomer)
		shown.Accounts = newest(s.accounts.All(tx), shownObjects, v.viewAccount)
		shown.Subscriptions = v.viewSubscriptions()
		shown.Endpoints = newest(s.collections.endpoints.All(tx), shownObjects, v.viewEndpoint)
		shown.Keys = newest(s.collections.keys.All(tx), shownObjects, v.viewKey)
		var err error
		shown.Collections, err = v.viewFinance()
		return err
	})
	return shown, err
}

// aged is a row that knows when it was made, and its number among those made in
// one moment; 0 where rows have none.
type aged interface {
	age() (made time.Time, number int64)
}

// newest answers the newest of the rows, the newest first, each as show makes it.
func newest[R aged, T any](rows iter.Seq2[string, R], most int, show func(R) T) page.List[T] {
	all := []R{}
	for _, row := range rows {
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b R) int {
		made, number := a.age()
		otherMade, otherNumber := b.age()
		if made.Equal(otherMade) {
			return int(otherNumber - number)
		}
		return otherMade.Compare(made)
	})
	list := page.List[T]{Total: len(all)}
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

// timeOf is the moment, zero where there is none.
func timeOf(at *instant) time.Time {
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
