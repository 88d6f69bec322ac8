// Package billing implements recurring billing in the sandbox: customers, billing accounts, subscriptions and invoices.
//
// Time changes subscriptions: trials, periods and pauses end, and pending plans and scheduled cancellations take
// effect. Before each request, all changes due by the clock are applied in order, each at its own time. machine.go
// implements the changes caused by requests and by time.
package billing

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is recurring billing: customers, billing accounts,
// subscriptions and invoices.
type Service struct {
	*server.Core
	// Arithmetic is how amounts are computed, except in a copy. Set it before the first request.
	Arithmetic amounts.Arithmetic
	history    history
	// due is when the next subscription is due, or earlier; zero: unknown. Guarded by the tables' lock.
	due time.Time

	Customers     store.Table[CustomerRow]
	Accounts      store.Table[AccountRow]
	Subscriptions store.Table[SubscriptionRow]
	Invoices      store.Table[InvoiceRow]
	plans         store.Table[listed[plan]]
	products      store.Table[listed[product]]
	prices        store.Table[listed[price]]
	records       store.Table[copiedRecord]  // of other collections, in a copy
	collections   store.Table[bool]          // of which a copy has the records
	books         store.Table[*amounts.Book] // the only one has the amounts of a copy
	// invoiceNumbers contains the last invoice number, by organization.
	invoiceNumbers store.Table[int64]

	// Indexes of live objects by externalKey.
	customerCodes     store.Index[CustomerRow]
	accountCodes      store.Index[AccountRow]
	subscriptionCodes store.Index[SubscriptionRow]

	AccountsOf      store.Index[AccountRow]      // by customer
	SubscriptionsOf store.Index[SubscriptionRow] // by billing account
}

// Open attaches the tables of recurring billing and their indexes.
func Open(c *server.Core) *Service {
	s := &Service{
		Core:           c,
		Customers:      store.NewTable[CustomerRow](c.DB, "customers"),
		Accounts:       store.NewTable[AccountRow](c.DB, "billing_accounts"),
		Subscriptions:  store.NewTable[SubscriptionRow](c.DB, "subscriptions"),
		Invoices:       store.NewTable[InvoiceRow](c.DB, "invoices"),
		invoiceNumbers: store.NewTable[int64](c.DB, "invoice_numbers"),
		plans:          store.NewTable[listed[plan]](c.DB, "plans"),
		products:       store.NewTable[listed[product]](c.DB, "products"),
		prices:         store.NewTable[listed[price]](c.DB, "prices"),
		records:        store.NewTable[copiedRecord](c.DB, "copied_records"),
		collections:    store.NewTable[bool](c.DB, "copied_collections"),
		books:          store.NewTable[*amounts.Book](c.DB, "copied_amounts"),
		history: history{
			writers: store.NewTable[map[string]Writer](c.DB, "metadata_writers"),
		},
	}
	s.customerCodes = store.NewIndex(c.DB, s.Customers, CustomerRow.externalKey)
	s.accountCodes = store.NewIndex(c.DB, s.Accounts, AccountRow.externalKey)
	s.subscriptionCodes = store.NewIndex(c.DB, s.Subscriptions, SubscriptionRow.externalKey)
	s.AccountsOf = store.NewIndex(c.DB, s.Accounts, func(r AccountRow) string { return r.CustomerID })
	s.SubscriptionsOf = store.NewIndex(c.DB, s.Subscriptions,
		func(r SubscriptionRow) string { return r.Subscription.BillingAccountID })
	return s
}

// Routes returns the operations of recurring billing.
func (s *Service) Routes() []server.Route {
	customer, account, subscription := s.customers().Find, s.accounts().Find, s.subscriptions().Find
	none, route := server.Form{}, server.NewRoute
	items := server.Form{Required: []string{"items"}, Shape: server.Shape{"items": itemsRule}}
	return []server.Route{
		route("me.get", "GET /v1/me", server.With(none, s.getMe)).Needing(""),

		s.customers().ListRoute("customers.list", "GET /v1/customers"),
		route("customers.create", "POST /v1/customers", server.With(customerCreate, s.createCustomer)),
		route("customers.get", "GET /v1/customers/{id}", server.On(customer, none, s.showCustomer)),
		route("customers.update", "PATCH /v1/customers/{id}", server.On(customer, customerUpdate, s.updateCustomer)),
		route("customers.delete", "DELETE /v1/customers/{id}", server.On(customer, none, s.deleteCustomer)),

		s.accounts().ListRoute("billing_accounts.list", "GET /v1/billing-accounts"),
		route("billing_accounts.create", "POST /v1/billing-accounts", server.With(accountCreate, s.createAccount)),
		route("billing_accounts.get", "GET /v1/billing-accounts/{id}", server.On(account, none, s.showAccount)),
		route("billing_accounts.update", "PATCH /v1/billing-accounts/{id}",
			server.On(account, accountUpdate, s.updateAccount)),
		route("billing_accounts.delete", "DELETE /v1/billing-accounts/{id}", server.On(account, none, s.deleteAccount)),
		route("billing_accounts.suspend", "POST /v1/billing-accounts/{id}/suspend",
			s.moveAccount((*billingAccount).suspend)),
		route("billing_accounts.reactivate", "POST /v1/billing-accounts/{id}/reactivate",
			s.moveAccount((*billingAccount).reactivate)),
		route("billing_accounts.close", "POST /v1/billing-accounts/{id}/close", s.moveAccount((*billingAccount).close)),

		s.subscriptions().ListRoute("subscriptions.list", "GET /v1/subscriptions"),
		route("subscriptions.create", "POST /v1/subscriptions", server.With(subscriptionCreate, s.createSubscription)),
		route("subscriptions.get", "GET /v1/subscriptions/{id}", server.On(subscription, none, s.showSubscription)),
		route("subscriptions.update", "PATCH /v1/subscriptions/{id}",
			server.On(subscription, subscriptionUpdate, s.updateSubscription)),
		route("subscriptions.delete", "DELETE /v1/subscriptions/{id}", server.On(subscription, none, s.deleteSubscription)),
		route("subscriptions.pause", "POST /v1/subscriptions/{id}/pause", s.pauseSubscription()),
		route("subscriptions.resume", "POST /v1/subscriptions/{id}/resume", s.resumeSubscription()),
		route("subscriptions.change_plan", "POST /v1/subscriptions/{id}/change-plan", s.changePlanOfSubscription()),
		route("subscriptions.cancel", "POST /v1/subscriptions/{id}/cancel", s.cancelSubscription()),
		route("subscriptions.items.list", "GET /v1/subscriptions/{id}/items", server.With(none, s.listItems),
			slices.Concat(server.Paging, server.Sorting)...),
		route("subscriptions.items.sync", "PUT /v1/subscriptions/{id}/items", server.On(subscription, items, s.syncItems)),
		route("subscriptions.invoice", "POST /v1/subscriptions/{id}/invoices",
			server.On(subscription, accountReason, s.createInvoice)),

		s.invoices().ListRoute("invoices.list", "GET /v1/invoices"),
		// Last, because it matches every collection.
		route("records.list", "GET /v1/{collection}", server.With(none, s.listCatalogue), server.AnyField).
			Needing("{collection}:read"),
	}
}

// Errors specific to recurring billing.
var (
	errExternalIDTaken = &server.Error{Status: http.StatusUnprocessableEntity, Code: "external_id_taken",
		Message: "Another object of this organization has this external_id."}
	errActiveSubscriptions = &server.Error{Status: http.StatusUnprocessableEntity,
		Code:    "customer_has_active_subscriptions",
		Message: "The customer has subscriptions that are not canceled."}
	errAccountSubscribed = &server.Error{Status: http.StatusUnprocessableEntity,
		Code:    "billing_account_has_active_subscriptions",
		Message: "The billing account has subscriptions that are not canceled."}
	errTransition = &server.Error{Status: http.StatusUnprocessableEntity, Code: "invalid_transition",
		Message: "The state of the resource does not allow this."}
)

// externalKey returns a key unique among live objects of a type, empty without an external id.
func externalKey(organization string, externalID *string) string {
	if externalID == nil {
		return ""
	}
	return organization + "/" + *externalID
}

// claimExternalID rejects an external_id that another live object in the index has (wire contract: same external_id
// twice in one resource type). own is the id of the caller's object, empty for a new one.
func claimExternalID[T any](c *server.Call, tx *store.Tx, live store.Index[T], own string) error {
	wanted := server.Sent[string](c.Sent, "external_id")
	if wanted == nil {
		return nil
	}
	for id := range live.All(tx, externalKey(c.Organization, wanted)) {
		if id != own {
			return errExternalIDTaken.About(map[string]any{"field": "external_id", "id": id})
		}
	}
	return nil
}

// object is a free-form JSON object that keeps the spelling of its numbers.
// A nil one is returned as null.
type object map[string]any

// UnmarshalJSON preserves numbers beyond 2^53.
func (o *object) UnmarshalJSON(document []byte) error {
	value, err := server.Decode(document)
	if err != nil {
		return err
	}
	// null, the only other value that passes the rules, leaves a nil object.
	*o, _ = value.(map[string]any)
	return nil
}

// Modes of updating custom_metadata (service description, Recurring billing §4, custom_metadata_mode).
const (
	modeReplace = "replace"
	modeMerge   = "merge"
)

var metadataMode = server.OneOf(modeReplace, modeMerge)

// merge deep-merges change into stored and returns a new object. Nested objects merge, scalars and arrays replace the
// key, and null is stored as the value.
func merge(stored, change map[string]any) map[string]any {
	merged := maps.Clone(stored)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range change {
		if nested, ok := value.(map[string]any); ok {
			before, _ := merged[key].(map[string]any)
			value = merge(before, nested)
		}
		merged[key] = value
	}
	return merged
}

func updatedMetadata(c *server.Call, stored object, in server.Body) object {
	sent, ok := in["custom_metadata"].(map[string]any)
	switch {
	case !ok:
		return stored
	case in["custom_metadata_mode"] == modeMerge:
		return merge(stored, sent)
	default:
		return sent
	}
}

func is(value *string, wanted string) bool { return value != nil && *value == wanted }

// getMe serves me.get: the object without an envelope (service description, Recurring billing §4).
func (s *Service) getMe(c *server.Call, tx *store.Tx) (server.Reply, error) {
	o, ok := s.Organizations.Get(tx, c.Organization)
	if !ok {
		return server.Reply{}, server.ErrNotFound
	}
	return server.Reply{Status: http.StatusOK, Body: o, Modified: o.CreatedAt.Time}, nil
}
