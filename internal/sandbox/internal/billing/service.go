// Package billing is recurring billing in the sandbox: customers, billing
// accounts, subscriptions and invoices.
//
// Time moves subscriptions: trials and periods end, pauses run out, pending
// plans and scheduled cancellations take effect. Everything that is due by the clock
// has happened, at its own time and in order, when the next request is served;
// nothing happens between requests. machine.go has the steps that requests ask for
// and those that are due at a time.
package billing

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is recurring billing: customers, billing accounts,
// subscriptions and invoices.
type Service struct {
	*server.Core
	history history
	// due is when the next subscription is due, or earlier, never later; zero: not known. The tables' lock guards it.
	due time.Time

	Customers     store.Table[CustomerRow]
	Accounts      store.Table[AccountRow]
	Subscriptions store.Table[SubscriptionRow]
	Invoices      store.Table[InvoiceRow]
	plans         store.Table[listed[plan]]
	products      store.Table[listed[product]]
	prices        store.Table[listed[price]]
	records       store.Table[copiedRecord] // of other collections, in a copy
	shown         store.Table[shownAmount]  // in a copy, what the source showed, by terms
	// invoiceNumbers holds the last number given to an invoice, by organization.
	invoiceNumbers store.Table[int64]

	// The live objects of a type, by externalKey.
	customerCodes     store.Index[CustomerRow]
	accountCodes      store.Index[AccountRow]
	subscriptionCodes store.Index[SubscriptionRow]

	AccountsOf      store.Index[AccountRow]      // by customer
	SubscriptionsOf store.Index[SubscriptionRow] // by billing account
}

// Open attaches the tables of recurring billing, and the indexes over
// them.
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
		shown:          store.NewTable[shownAmount](c.DB, "shown_amounts"),
		history: history{
			writers: store.NewTable[map[string]Writer](c.DB, "metadata_writers"),
			plans:   store.NewTable[[]PlanChange](c.DB, "plan_changes"),
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

// Routes are the operations of recurring billing.
func (s *Service) Routes() []server.Route {
	customer, account, subscription := s.customers().Find, s.accounts().Find, s.subscriptions().Find
	none, route := server.Form{}, server.NewRoute
	items := server.Form{Required: []string{"items"}, Shape: server.Shape{"items": itemsRule}}
	return []server.Route{
		route("me.get", "GET /v1/me", s.getMe).Needing(""),

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
		route("subscriptions.items.list", "GET /v1/subscriptions/{id}/items", s.listItems,
			slices.Concat(server.Paging, server.Sorting)...),
		route("subscriptions.items.sync", "PUT /v1/subscriptions/{id}/items", server.On(subscription, items, s.syncItems)),
		route("subscriptions.invoice", "POST /v1/subscriptions/{id}/invoices",
			server.On(subscription, accountReason, s.createInvoice)),

		s.invoices().ListRoute("invoices.list", "GET /v1/invoices"),
		// Last: it is the path of every collection.
		route("records.list", "GET /v1/{collection}", s.listCatalogue, server.AnyField).Needing("{collection}:read"),
	}
}

// The errors of recurring billing alone.
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

// externalKey is what no two live objects of one type share; empty when there
// is nothing to share.
func externalKey(organization string, externalID *string) string {
	if externalID == nil {
		return ""
	}
	return organization + "/" + *externalID
}

// claimExternalID rejects an external_id that another object in the index of
// the live ones has (wire contract: same external_id twice in one resource
// type). own is the id of the object that wants it, empty for a new one.
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

// object is a free-form JSON object whose numbers stay as they are written.
// A nil one is returned as null.
type object map[string]any

// UnmarshalJSON keeps numbers exact, beyond 2^53 too.
func (o *object) UnmarshalJSON(document []byte) error {
	value, err := server.Decode(document)
	if err != nil {
		return err
	}
	// null, the one other value the rules let this far, leaves a nil object.
	*o, _ = value.(map[string]any)
	return nil
}

// How an update treats the stored custom_metadata
// (service description, Recurring billing §4, custom_metadata_mode).
const (
	modeReplace = "replace"
	modeMerge   = "merge"
)

var metadataMode = server.OneOf(modeReplace, modeMerge)

// merge deep-merges change into stored and returns a new object: nested
// objects merge, scalars and arrays replace the key, and a key sent as null is
// kept with null as its value. With nullsChangeNothing a null leaves the key
// unchanged (wire contract: Tolerance).
func merge(stored, change map[string]any, nullsChangeNothing bool) map[string]any {
	merged := maps.Clone(stored)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range change {
		if value == nil && nullsChangeNothing {
			continue
		}
		if nested, ok := value.(map[string]any); ok {
			before, _ := merged[key].(map[string]any)
			value = merge(before, nested, nullsChangeNothing)
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
		return merge(stored, sent, c.Tolerance.NullsChangeNothing)
	default:
		return sent
	}
}

func is(value *string, wanted string) bool { return value != nil && *value == wanted }

// contains looks for a lowercase needle in optional text, whatever its case.
func contains(value *string, needle string) bool {
	return value != nil && strings.Contains(strings.ToLower(*value), needle)
}

// anyHolds is the free-text search of the other collections: a part of one of the texts, whatever the case.
func anyHolds(search string, texts ...*string) bool {
	needle := strings.ToLower(strings.TrimSpace(search))
	return slices.ContainsFunc(texts, func(text *string) bool { return contains(text, needle) })
}

// getMe serves me.get: the bare object, not an envelope
// (service description, Recurring billing §4).
func (s *Service) getMe(c *server.Call, tx *store.Tx) (server.Reply, error) {
	o, ok := s.Organizations.Get(tx, c.Organization)
	if !ok {
		return server.Reply{}, server.ErrNotFound
	}
	return server.Reply{Status: http.StatusOK, Body: o, Modified: o.CreatedAt.Time}, nil
}
