package api

import (
	"maps"
	"net/http"
	"strings"
)

// operation describes one operation to the client.
type operation struct {
	route
	// about is the object that the last placeholder of the path identifies and the response contains. It is empty for
	// operations that return something else: subscriptions.invoice returns an invoice, webhook_endpoints.test the ids of
	// an event.
	about subject
	// creates is the object that the request creates and the response must contain.
	creates createdObject
	// ends marks operations whose 404 removes the object from a state or counts as its deletion. A list of such objects
	// must prove that the service itself sent it (see absence.go).
	ends bool
	// once marks operations whose response shows a secret once: no text of it appears in an error or a log.
	once bool
	// keyed marks operations that support an idempotency key, so that a request with one may be repeated.
	keyed bool
}

// route is a method and a path template with {placeholders}.
type route struct {
	method, template string
}

// subject is the object in a response.
type subject struct {
	noun  string // for messages
	field string // of the response, contains the id
}

// createdObject describes what the response to a creation must have in common with the request. A missing value is not
// a contradiction.
type createdObject struct {
	noun   string
	inside string // the field of the response that holds the object; "": the response is the object
	// paths exist in both the request and the object: the external_id, the owner, or other fields that the service stores
	// unchanged and that identify objects.
	paths []string
}

const (
	pathExternalID = "external_id"
	pathCustomer   = "customer.id"
	pathAccount    = "billing_account_id"
	pathURL        = "url"
	pathName       = "name"
	pathPlan       = "plan_id"
)

// repeatable reports whether a request may be sent again if the outcome of an earlier one is unknown.
func (o operation) repeatable() bool { return o.method != http.MethodPost }

// placeholder is the placeholder of the object in the path.
func (o operation) placeholder() string {
	return o.template[strings.LastIndexByte(o.template, '{')+1 : strings.LastIndexByte(o.template, '}')]
}

// contract contains the tables of the wire contract, by service. A new operation is one row.
var contract = func() map[string]map[string]operation {
	customer, account := subject{"customer", "id"}, subject{"billing account", "id"}
	subscription, record := subject{"subscription", "id"}, subject{"record", "id"}
	endpoint, key := subject{"webhook endpoint", "id"}, subject{"API key", "id"}
	return map[string]map[string]operation{
		"billing": {
			"me.get": {route: route{"GET", "/v1/me"}},

			"customers.list": {route: route{"GET", "/v1/customers"}},
			"customers.create": {route: route{"POST", "/v1/customers"},
				creates: createdObject{"customer", "customer", []string{pathExternalID, pathName}}},
			"customers.get":    {route: route{"GET", "/v1/customers/{id}"}, about: customer, ends: true},
			"customers.update": {route: route{"PATCH", "/v1/customers/{id}"}, about: customer},
			"customers.delete": {route: route{"DELETE", "/v1/customers/{id}"}, about: customer, ends: true},

			"billing_accounts.list": {route: route{"GET", "/v1/billing-accounts"}},
			"billing_accounts.create": {route: route{"POST", "/v1/billing-accounts"},
				creates: createdObject{"billing account", "", []string{pathExternalID, pathCustomer}}},
			"billing_accounts.get":        {route: route{"GET", "/v1/billing-accounts/{id}"}, about: account, ends: true},
			"billing_accounts.update":     {route: route{"PATCH", "/v1/billing-accounts/{id}"}, about: account},
			"billing_accounts.delete":     {route: route{"DELETE", "/v1/billing-accounts/{id}"}, about: account, ends: true},
			"billing_accounts.suspend":    {route: route{"POST", "/v1/billing-accounts/{id}/suspend"}, about: account},
			"billing_accounts.reactivate": {route: route{"POST", "/v1/billing-accounts/{id}/reactivate"}, about: account},
			"billing_accounts.close":      {route: route{"POST", "/v1/billing-accounts/{id}/close"}, about: account, ends: true},

			"subscriptions.list": {route: route{"GET", "/v1/subscriptions"}},
			"subscriptions.create": {route: route{"POST", "/v1/subscriptions"},
				creates: createdObject{"subscription", "", []string{pathExternalID, pathAccount, pathPlan}}},
			"subscriptions.get":         {route: route{"GET", "/v1/subscriptions/{id}"}, about: subscription, ends: true},
			"subscriptions.update":      {route: route{"PATCH", "/v1/subscriptions/{id}"}, about: subscription},
			"subscriptions.delete":      {route: route{"DELETE", "/v1/subscriptions/{id}"}, about: subscription, ends: true},
			"subscriptions.pause":       {route: route{"POST", "/v1/subscriptions/{id}/pause"}, about: subscription},
			"subscriptions.resume":      {route: route{"POST", "/v1/subscriptions/{id}/resume"}, about: subscription},
			"subscriptions.change_plan": {route: route{"POST", "/v1/subscriptions/{id}/change-plan"}, about: subscription},
			"subscriptions.cancel": {route: route{"POST", "/v1/subscriptions/{id}/cancel"},
				about: subscription, ends: true},
			"subscriptions.items.list": {route: route{"GET", "/v1/subscriptions/{id}/items"}},
			"subscriptions.items.sync": {route: route{"PUT", "/v1/subscriptions/{id}/items"}},
			"subscriptions.invoice":    {route: route{"POST", "/v1/subscriptions/{id}/invoices"}},

			"invoices.list": {route: route{"GET", "/v1/invoices"}},

			"records.list": {route: route{"GET", "/v1/{collection}"}},
		},
		"finance": {
			"finance.accounts.list":    {route: route{"GET", "/v1/accounts"}},
			"finance.payables.list":    {route: route{"GET", "/v1/payables"}},
			"finance.receivables.list": {route: route{"GET", "/v1/receivables"}},
			"finance.records.list":     {route: route{"GET", "/v1/{collection}"}},
			"finance.records.create":   {route: route{"POST", "/v1/{collection}"}, keyed: true},
			"finance.records.get":      {route: route{"GET", "/v1/{collection}/{id}"}, about: record, ends: true},
			"finance.records.update":   {route: route{"PATCH", "/v1/{collection}/{id}"}, about: record},
			"finance.records.delete":   {route: route{"DELETE", "/v1/{collection}/{id}"}, about: record, ends: true},
			"finance.openapi.yaml":     {route: route{"GET", "/api/v1/openapi.yaml"}},
			"finance.openapi.json":     {route: route{"GET", "/api/v1/openapi.json"}},
		},
		"collections": {
			"webhook_endpoints.create": {route: route{"POST", "/api/v1/webhook-endpoints"},
				creates: createdObject{"webhook endpoint", "", []string{pathURL}}, once: true},
			"webhook_endpoints.list": {route: route{"GET", "/api/v1/webhook-endpoints"}},
			"webhook_endpoints.get": {route: route{"GET", "/api/v1/webhook-endpoints/{id}"},
				about: endpoint, ends: true},
			"webhook_endpoints.update": {route: route{"PATCH", "/api/v1/webhook-endpoints/{id}"}, about: endpoint},
			"webhook_endpoints.delete": {route: route{"DELETE", "/api/v1/webhook-endpoints/{id}"},
				about: endpoint, ends: true},
			"webhook_endpoints.test": {route: route{"POST", "/api/v1/webhook-endpoints/{id}/test"}},
			"webhook_endpoints.rotate_secret": {route: route{"POST", "/api/v1/webhook-endpoints/{id}/rotate-secret"},
				about: endpoint, once: true},

			"webhook_deliveries.list": {route: route{"GET", "/api/v1/webhook-endpoints/{id}/deliveries"}},
			"webhook_deliveries.retry": {route: route{"POST", "/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry"},
				about: subject{"delivery", "id"}},

			"api_keys.create": {route: route{"POST", "/api/v1/api-keys"},
				creates: createdObject{"API key", "", []string{pathName}}, once: true},
			"api_keys.list": {route: route{"GET", "/api/v1/api-keys"}},
			"api_keys.get":  {route: route{"GET", "/api/v1/api-keys/{id}"}, about: key, ends: true},
			"api_keys.rotate": {route: route{"POST", "/api/v1/api-keys/{id}/rotate"},
				about:   subject{"predecessor of the new API key", "predecessorId"},
				creates: createdObject{"API key", "", nil}, once: true},
			"api_keys.revoke": {route: route{"DELETE", "/api/v1/api-keys/{id}"}, about: key, ends: true},
		},
	}
}()

// operations contains the operations of all services, by name.
var operations = func() map[string]operation {
	all := map[string]operation{}
	for _, rows := range contract {
		maps.Copy(all, rows)
	}
	return all
}()
