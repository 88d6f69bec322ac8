package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// How much of the long lists the page shows.
const (
	shownRequests   = 200
	shownDeliveries = 10
	shownRecords    = 10
)

// view is what the page shows: all of one moment, once what is due by then has
// happened.
func (s *Server) view() (page.View, error) {
	now := s.clock.Now()
	if err := s.settle(now); err != nil {
		return page.View{}, err
	}
	requests := s.log.since(0)
	v := page.View{Now: now, Fixed: s.clock.Fixed(), Requests: viewRequests(requests)}
	err := s.db.View(func(tx *store.Tx) error {
		v.Several = len(maps.Collect(s.organizations.All(tx))) > 1
		s.viewCustomers(tx, &v)
		s.viewSubscriptions(tx, &v, requests)
		s.viewEndpoints(tx, &v)
		s.viewKeys(tx, &v)
		return s.viewFinance(tx, &v)
	})
	return v, err
}

func viewRequests(all []Request) []page.Request {
	var shown []page.Request
	for _, r := range slices.Backward(all[max(0, len(all)-shownRequests):]) {
		address := r.Path
		if r.Query != "" {
			address += "?" + r.Query
		}
		shown = append(shown, page.Request{At: r.Time, Service: string(r.Service), Operation: r.Operation, Method: r.Method, Address: address,
			Status: r.Status, Dropped: r.Dropped, RequestID: r.RequestID, Token: r.Token, Fault: r.Fault})
	}
	return shown
}

// viewCustomers shows customers and their accounts, oldest first.
func (s *Server) viewCustomers(tx *store.Tx, v *page.View) {
	names := map[string]string{}
	for id, row := range s.customers.All(tx) {
		c := row.Customer
		names[id] = c.Name
		if row.Deleted {
			continue
		}
		shown := page.Customer{Organization: row.Organization, ID: c.ID, Name: c.Name, ExternalID: textOf(c.ExternalID), Document: textOf(c.DocumentNumber), Created: c.CreatedAt.Time}
		if len(c.Emails) > 0 {
			shown.Email = c.Emails[0].Value
		}
		for range s.accountsOf.All(tx, id) {
			shown.Accounts++
		}
		v.Customers = append(v.Customers, shown)
	}
	slices.SortStableFunc(v.Customers, func(a, b page.Customer) int { return a.Created.Compare(b.Created) })
	for _, row := range s.accounts.All(tx) {
		a := row.Account
		v.Accounts = append(v.Accounts, page.Account{Organization: row.Organization, ID: a.ID, ExternalID: textOf(a.ExternalID), Customer: names[row.CustomerID], Status: a.Status,
			Balance: amountText(&a.BalanceCents, a.Currency), Email: textOf(a.BillingEmail), TermsDays: a.PaymentTermsDays, Created: a.CreatedAt.Time})
	}
	slices.SortStableFunc(v.Accounts, func(a, b page.Account) int { return a.Created.Compare(b.Created) })
}

// viewEndpoints shows endpoints with their last deliveries, the newest first.
func (s *Server) viewEndpoints(tx *store.Tx, v *page.View) {
	rows := slices.Collect(maps.Values(maps.Collect(s.collections.endpoints.All(tx))))
	slices.SortFunc(rows, func(a, b endpointRow) int { return cmp.Compare(a.Number, b.Number) })
	for _, row := range rows {
		e := row.Endpoint
		shown := page.Endpoint{Organization: row.Organization, ID: e.ID, URL: e.URL, Description: textOf(e.Description), Authentication: string(e.Authentication.Type),
			Events: e.Events, Active: e.Active, Created: e.CreatedAt.Time}
		deliveries := slices.Collect(maps.Values(maps.Collect(s.collections.deliveriesOf.All(tx, e.ID))))
		slices.SortFunc(deliveries, func(a, b deliveryRow) int { return cmp.Compare(b.Number, a.Number) })
		shown.More = max(0, len(deliveries)-shownDeliveries)
		for _, d := range deliveries[:len(deliveries)-shown.More] {
			shown.Deliveries = append(shown.Deliveries, viewDelivery(d))
		}
		v.Endpoints = append(v.Endpoints, shown)
	}
}

func viewDelivery(row deliveryRow) page.Delivery {
	d := page.Delivery{ID: row.ID, Event: row.Event, Status: string(row.State.Status), Created: row.CreatedAt}
	if next := row.State.NextRetryAt(); next != nil {
		d.Next = *next
	}
	for _, a := range row.State.Trail {
		d.Attempts = append(d.Attempts, page.Attempt{Number: a.Number, Cycle: a.Cycle, At: a.At, HTTPCode: a.HTTPCode, Error: a.Error})
	}
	return d
}

// viewKeys shows the API keys, oldest first.
func (s *Server) viewKeys(tx *store.Tx, v *page.View) {
	rows := slices.Collect(maps.Values(maps.Collect(s.collections.keys.All(tx))))
	slices.SortFunc(rows, func(a, b keyRow) int { return cmp.Compare(a.Number, b.Number) })
	for _, row := range rows {
		k := row.Key
		shown := page.Key{Organization: row.Organization, ID: k.ID, Name: k.Name, Prefix: k.KeyPrefix, Status: row.status(v.Now), Successor: row.SuccessorID, Scopes: k.Scopes,
			Created: k.CreatedAt.Time, Expires: momentOr(k.ExpiresAt), LastUsed: momentOr(k.LastUsedAt), Revoked: momentOr(k.RevokedAt)}
		if row.SuccessorID != "" && k.RevokedAt == nil && shown.Expires.After(v.Now) {
			shown.Grace = shown.Expires
		}
		v.Keys = append(v.Keys, shown)
	}
}

// viewFinance shows each collection with its newest records.
func (s *Server) viewFinance(tx *store.Tx, v *page.View) error {
	collections := map[[2]string][]recordRow{}
	for _, row := range s.finance.records.All(tx) {
		key := [2]string{row.Organization, row.Collection}
		collections[key] = append(collections[key], row)
	}
	for _, key := range slices.SortedFunc(maps.Keys(collections), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		rows := collections[key]
		slices.SortFunc(rows, func(a, b recordRow) int { return cmp.Compare(b.Number, a.Number) })
		shown := page.Collection{Organization: key[0], Name: key[1], Count: len(rows)}
		for _, row := range rows[:min(len(rows), shownRecords)] {
			fields, err := row.fields()
			if err != nil {
				return err
			}
			field := func(name string) string {
				text, _ := simple(fields[name])
				return text
			}
			shown.Newest = append(shown.Newest, page.Record{ID: row.ID, Name: field("name"), Amount: field("amount"), Type: field("type"), OccurredAt: field("occurred_at"), Created: row.CreatedAt.Time})
		}
		v.Collections = append(v.Collections, shown)
	}
	return nil
}

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func momentOr(at *instant) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.Time
}

// amountText is an amount in hundredths as people write it.
func amountText(cents *int64, currency string) string {
	if cents == nil {
		return "unknown amount"
	}
	sign, whole := "", *cents
	if whole < 0 {
		sign, whole = "-", -whole
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, whole/100, whole%100, currency)
}
