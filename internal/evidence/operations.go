package evidence

import (
	"slices"
	"strings"
)

// Operation is one row of the wire contract: a named call with its method and path, which a configuration may override.
type Operation struct {
	// Name is the name in exchanges, claims and the provider argument "operations".
	Name string
	// Method is the HTTP method.
	Method string
	// Path is the template of the path, with placeholders in braces.
	Path string
}

// Operations returns every operation of the wire contract: recurring billing,
// then financial management (names start with "finance."), then collections.
func Operations() []Operation { return slices.Clone(operations) }

// Match compares a path with a template, segment by segment, and returns the values of the placeholders by name. A
// placeholder never matches an empty segment.
func Match(template, path string) (values map[string]string, ok bool) {
	ok = slices.EqualFunc(strings.Split(template, "/"), strings.Split(path, "/"), func(want, have string) bool {
		name, isPlaceholder := strings.CutPrefix(want, "{")
		if !isPlaceholder {
			return want == have
		}
		if values == nil {
			values = map[string]string{}
		}
		values[strings.TrimSuffix(name, "}")] = have
		return have != ""
	})
	return values, ok
}

var operations = []Operation{
	{"me.get", "GET", "/v1/me"},
	{"customers.list", "GET", "/v1/customers"},
	{"customers.create", "POST", "/v1/customers"},
	{"customers.get", "GET", "/v1/customers/{id}"},
	{"customers.update", "PATCH", "/v1/customers/{id}"},
	{"customers.delete", "DELETE", "/v1/customers/{id}"},
	{"billing_accounts.list", "GET", "/v1/billing-accounts"},
	{"billing_accounts.create", "POST", "/v1/billing-accounts"},
	{"billing_accounts.get", "GET", "/v1/billing-accounts/{id}"},
	{"billing_accounts.update", "PATCH", "/v1/billing-accounts/{id}"},
	{"billing_accounts.delete", "DELETE", "/v1/billing-accounts/{id}"},
	{"billing_accounts.suspend", "POST", "/v1/billing-accounts/{id}/suspend"},
	{"billing_accounts.reactivate", "POST", "/v1/billing-accounts/{id}/reactivate"},
	{"billing_accounts.close", "POST", "/v1/billing-accounts/{id}/close"},
	{"subscriptions.list", "GET", "/v1/subscriptions"},
	{"subscriptions.create", "POST", "/v1/subscriptions"},
	{"subscriptions.get", "GET", "/v1/subscriptions/{id}"},
	{"subscriptions.update", "PATCH", "/v1/subscriptions/{id}"},
	{"subscriptions.delete", "DELETE", "/v1/subscriptions/{id}"},
	{"subscriptions.pause", "POST", "/v1/subscriptions/{id}/pause"},
	{"subscriptions.resume", "POST", "/v1/subscriptions/{id}/resume"},
	{"subscriptions.change_plan", "POST", "/v1/subscriptions/{id}/change-plan"},
	{"subscriptions.cancel", "POST", "/v1/subscriptions/{id}/cancel"},
	{"subscriptions.items.list", "GET", "/v1/subscriptions/{id}/items"},
	{"subscriptions.items.sync", "PUT", "/v1/subscriptions/{id}/items"},
	{"subscriptions.invoice", "POST", "/v1/subscriptions/{id}/invoices"},
	{"invoices.list", "GET", "/v1/invoices"},
	{"records.list", "GET", "/v1/{collection}"},

	{"finance.accounts.list", "GET", "/v1/accounts"},
	{"finance.payables.list", "GET", "/v1/payables"},
	{"finance.receivables.list", "GET", "/v1/receivables"},
	{"finance.records.list", "GET", "/v1/{collection}"},
	{"finance.records.create", "POST", "/v1/{collection}"},
	{"finance.records.get", "GET", "/v1/{collection}/{id}"},
	{"finance.records.update", "PATCH", "/v1/{collection}/{id}"},
	{"finance.records.delete", "DELETE", "/v1/{collection}/{id}"},
	{"finance.openapi.yaml", "GET", "/api/v1/openapi.yaml"},
	{"finance.openapi.json", "GET", "/api/v1/openapi.json"},

	{"webhook_endpoints.create", "POST", "/api/v1/webhook-endpoints"},
	{"webhook_endpoints.list", "GET", "/api/v1/webhook-endpoints"},
	{"webhook_endpoints.get", "GET", "/api/v1/webhook-endpoints/{id}"},
	{"webhook_endpoints.update", "PATCH", "/api/v1/webhook-endpoints/{id}"},
	{"webhook_endpoints.delete", "DELETE", "/api/v1/webhook-endpoints/{id}"},
	{"webhook_endpoints.test", "POST", "/api/v1/webhook-endpoints/{id}/test"},
	{"webhook_endpoints.rotate_secret", "POST", "/api/v1/webhook-endpoints/{id}/rotate-secret"},
	{"webhook_deliveries.list", "GET", "/api/v1/webhook-endpoints/{id}/deliveries"},
	{"webhook_deliveries.retry", "POST", "/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry"},
	{"api_keys.create", "POST", "/api/v1/api-keys"},
	{"api_keys.list", "GET", "/api/v1/api-keys"},
	{"api_keys.get", "GET", "/api/v1/api-keys/{id}"},
	{"api_keys.rotate", "POST", "/api/v1/api-keys/{id}/rotate"},
	{"api_keys.revoke", "DELETE", "/api/v1/api-keys/{id}"},
}
