// Package billing is recurring billing in the sandbox: customers, billing
// accounts, subscriptions and invoices.
//
// Time moves subscriptions: trials and periods end, pauses run out, pending
// plans and scheduled cancellations take effect. Everything that is due by the clock
// has happened, at its own time and in order, when the next request is served;
// nothing happens between requests. machine.go has the steps that requests ask for,
// due.go those that are due at a time.
package billing

import (
	"errors"
	"net/http"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is recurring billing: customers, billing accounts,
// subscriptions and invoices.
type Service struct {
	*server.Core
	agenda  agenda
	history history

	Customers     store.Table[CustomerRow]
	Accounts      store.Table[AccountRow]
	Subscriptions store.Table[SubscriptionRow]
	Invoices      store.Table[InvoiceRow]
	plans         store.Table[listed[plan]]
	products      store.Table[listed[product]]
	prices        store.Table[listed[price]]
	// invoiceNumbers holds the last number given to an invoice, by organization.
	invoiceNumbers store.Table[int64]

	// The live objects of a type, by externalKey.
	customerCodes     store.Index[CustomerRow]
	accountCodes      store.Index[AccountRow]
	subscriptionCodes store.Index[SubscriptionRow]

	AccountsOf      store.Index[AccountRow]      // by customer
	subscriptionsOf store.Index[SubscriptionRow] // by billing account
}

// Open attaches the tables of recurring billing, and the indexes over
// them.
func Open(c *server.Core) (*Service, error) {
	s := &Service{Core: c}
	var errs [8]error
	s.Customers, errs[0] = store.NewTable[CustomerRow](c.DB, "customers")
	s.Accounts, errs[1] = store.NewTable[AccountRow](c.DB, "billing_accounts")
	s.Subscriptions, errs[2] = store.NewTable[SubscriptionRow](c.DB, "subscriptions")
	s.Invoices, errs[3] = store.NewTable[InvoiceRow](c.DB, "invoices")
	s.invoiceNumbers, errs[4] = store.NewTable[int64](c.DB, "invoice_numbers")
	s.plans, errs[5] = store.NewTable[listed[plan]](c.DB, "plans")
	s.products, errs[6] = store.NewTable[listed[product]](c.DB, "products")
	s.prices, errs[7] = store.NewTable[listed[price]](c.DB, "prices")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	s.customerCodes = store.NewIndex(c.DB, s.Customers, CustomerRow.externalKey)
	s.accountCodes = store.NewIndex(c.DB, s.Accounts, AccountRow.externalKey)
	s.subscriptionCodes = store.NewIndex(c.DB, s.Subscriptions, SubscriptionRow.externalKey)
	s.AccountsOf = store.NewIndex(c.DB, s.Accounts, func(r AccountRow) string { return r.CustomerID })
	s.subscriptionsOf = store.NewIndex(c.DB, s.Subscriptions,
		func(r SubscriptionRow) string { return r.Subscription.BillingAccountID })
	if err := s.openHistory(c); err != nil {
		return nil, err
	}
	return s, c.DB.View(s.readAgenda)
}

// Clear deletes everything that the service has.
func (s *Service) Clear(tx *store.Tx) {
	s.Customers.Clear(tx)
	s.Accounts.Clear(tx)
	s.Subscriptions.Clear(tx)
	s.Invoices.Clear(tx)
	s.invoiceNumbers.Clear(tx)
	s.plans.Clear(tx)
	s.products.Clear(tx)
	s.prices.Clear(tx)
	s.history.writers.Clear(tx)
	s.history.plans.Clear(tx)
}

// readAgenda notes what the subscriptions in the state wait for.
func (s *Service) readAgenda(tx *store.Tx) error {
	for _, row := range s.Subscriptions.All(tx) {
		if at, ok := row.Due(); ok {
			s.agenda.note(at)
		}
	}
	return nil
}

// The query parameters of every listing
// (service description, Recurring billing §4 Collections).
var paging = []string{"page", "per_page", "sort_by", "sort_order"}

// searching are those of a collection (wire contract: free-text search, which §4 describes for customers).
var searching = append([]string{"search"}, paging...)

// Routes are the operations of recurring billing.
func (s *Service) Routes() []server.Route {
	return []server.Route{
		{Name: "me.get", Method: http.MethodGet, Pattern: "/v1/me",
			Serve: s.getMe},

		{Name: "customers.list", Method: http.MethodGet, Pattern: "/v1/customers",
			Scope: "customers:read", Serve: s.listCustomers,
			Query: slices.Concat(searching, []string{"external_id", "document_number", "updated_at_gte"})},
		{Name: "customers.create", Method: http.MethodPost, Pattern: "/v1/customers",
			Scope: "customers:write", Serve: s.createCustomer},
		{Name: "customers.get", Method: http.MethodGet, Pattern: "/v1/customers/{id}",
			Scope: "customers:read", Serve: s.getCustomer},
		{Name: "customers.update", Method: http.MethodPatch, Pattern: "/v1/customers/{id}",
			Scope: "customers:write", Serve: s.updateCustomer},
		{Name: "customers.delete", Method: http.MethodDelete, Pattern: "/v1/customers/{id}",
			Scope: "customers:write", Serve: s.deleteCustomer},

		{Name: "billing_accounts.list", Method: http.MethodGet, Pattern: "/v1/billing-accounts",
			Scope: "billing_accounts:read", Serve: s.listAccounts,
			Query: slices.Concat(searching, []string{"external_id", "customer_id", "status", "updated_at_gte"})},
		{Name: "billing_accounts.create", Method: http.MethodPost, Pattern: "/v1/billing-accounts",
			Scope: "billing_accounts:write", Serve: s.createAccount},
		{Name: "billing_accounts.get", Method: http.MethodGet, Pattern: "/v1/billing-accounts/{id}",
			Scope: "billing_accounts:read", Serve: s.getAccount},
		{Name: "billing_accounts.update", Method: http.MethodPatch, Pattern: "/v1/billing-accounts/{id}",
			Scope: "billing_accounts:write", Serve: s.updateAccount},
		{Name: "billing_accounts.delete", Method: http.MethodDelete, Pattern: "/v1/billing-accounts/{id}",
			Scope: "billing_accounts:write", Serve: s.deleteAccount},
		{Name: "billing_accounts.suspend", Method: http.MethodPost, Pattern: "/v1/billing-accounts/{id}/suspend",
			Scope: "billing_accounts:write", Serve: s.suspendAccount},
		{Name: "billing_accounts.reactivate", Method: http.MethodPost, Pattern: "/v1/billing-accounts/{id}/reactivate",
			Scope: "billing_accounts:write", Serve: s.reactivateAccount},
		{Name: "billing_accounts.close", Method: http.MethodPost, Pattern: "/v1/billing-accounts/{id}/close",
			Scope: "billing_accounts:write", Serve: s.closeAccount},

		{Name: "subscriptions.list", Method: http.MethodGet, Pattern: "/v1/subscriptions",
			Scope: "subscriptions:read", Serve: s.listSubscriptions,
			Query: slices.Concat(searching, []string{"external_id", "billing_account_id", "status", "plan_id",
				"updated_at_gte"})},
		{Name: "subscriptions.create", Method: http.MethodPost, Pattern: "/v1/subscriptions",
			Scope: "subscriptions:write", Serve: s.createSubscription},
		{Name: "subscriptions.get", Method: http.MethodGet, Pattern: "/v1/subscriptions/{id}",
			Scope: "subscriptions:read", Serve: s.getSubscription},
		{Name: "subscriptions.update", Method: http.MethodPatch, Pattern: "/v1/subscriptions/{id}",
			Scope: "subscriptions:write", Serve: s.updateSubscription},
		{Name: "subscriptions.delete", Method: http.MethodDelete, Pattern: "/v1/subscriptions/{id}",
			Scope: "subscriptions:write", Serve: s.deleteSubscription},
		{Name: "subscriptions.pause", Method: http.MethodPost, Pattern: "/v1/subscriptions/{id}/pause",
			Scope: "subscriptions:write", Serve: s.pauseSubscription},
		{Name: "subscriptions.resume", Method: http.MethodPost, Pattern: "/v1/subscriptions/{id}/resume",
			Scope: "subscriptions:write", Serve: s.resumeSubscription},
		{Name: "subscriptions.change_plan", Method: http.MethodPost, Pattern: "/v1/subscriptions/{id}/change-plan",
			Scope: "subscriptions:write", Serve: s.changePlanOfSubscription},
		{Name: "subscriptions.cancel", Method: http.MethodPost, Pattern: "/v1/subscriptions/{id}/cancel",
			Scope: "subscriptions:write", Serve: s.cancelSubscription},
		{Name: "subscriptions.items.list", Method: http.MethodGet, Pattern: "/v1/subscriptions/{id}/items",
			Scope: "subscriptions:read", Query: paging, Serve: s.listItems},
		{Name: "subscriptions.items.sync", Method: http.MethodPut, Pattern: "/v1/subscriptions/{id}/items",
			Scope: "subscriptions:write", Serve: s.syncItems},
		{Name: "subscriptions.invoice", Method: http.MethodPost, Pattern: "/v1/subscriptions/{id}/invoices",
			Scope: "subscriptions:write", Serve: s.createInvoice},

		{Name: "invoices.list", Method: http.MethodGet, Pattern: "/v1/invoices",
			Scope: "invoices:read", Serve: s.listInvoices,
			Query: slices.Concat(searching, []string{"subscription_id", "billing_account_id"})},
		// Last: it is the path of every collection.
		{Name: "records.list", Method: http.MethodGet, Pattern: "/v1/{collection}",
			Scope: "{collection}:read", Serve: s.listCatalogue, Query: []string{server.AnyField}},
	}
}
