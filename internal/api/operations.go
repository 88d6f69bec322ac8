package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Operations maps the name of each operation to its method and path template.
// The zero value means the defaults. It is immutable.
type Operations struct {
	overrides map[string]route
}

// route is one row: a method and a path template with {placeholders}.
type route struct {
	method, template string
}

// DefaultOperations is the table of the wire contract.
func DefaultOperations() Operations { return Operations{} }

// OperationNames lists every operation of the three services, sorted.
func OperationNames() []string {
	return slices.Sorted(maps.Keys(defaultRoutes))
}

// Lookup returns method and path template of an operation.
func (o Operations) Lookup(name string) (method, template string, ok bool) {
	r, ok := o.route(name)
	return r.method, r.template, ok
}

func (o Operations) route(name string) (route, bool) {
	if r, ok := o.overrides[name]; ok {
		return r, true
	}
	r, ok := defaultRoutes[name]
	return r, ok
}

// servedBy are the families of operations of the services other than recurring
// billing.
var servedBy = map[string]string{"finance": "finance", "webhook_endpoints": "collections",
	"webhook_deliveries": "collections", "api_keys": "collections"}

// RepeatedPath is the end of a base address that is the beginning of a path of the
// service: /v1, or more than that. It is "" where there is none, and where the
// beginning of the service's paths was changed.
func (o Operations) RepeatedPath(service, address string) string {
	address = strings.TrimRight(address, "/")
	longest := ""
	for name, r := range defaultRoutes {
		family, _, _ := strings.Cut(name, ".")
		owner, other := servedBy[family]
		if current, _ := o.route(name); current != r || other && owner != service || !other && service != "billing" {
			continue
		}
		fixed, _, _ := strings.Cut(r.template, "/{")
		for end := fixed; strings.Contains(end, "/v1"); end = end[:strings.LastIndexByte(end, '/')] {
			if strings.HasSuffix(address, end) && len(end) > len(longest) {
				longest = end
			}
		}
	}
	return longest
}

// repeatable says whether a request may be sent again when the fate of an
// earlier one is unknown. An operation that the contract makes a POST stays
// unrepeatable when it is moved to another method, and one that is moved to
// POST becomes so: neither change makes the operation safe to repeat.
func (o Operations) repeatable(name string) bool {
	r, _ := o.route(name)
	return r.method != http.MethodPost && defaultRoutes[name].method != http.MethodPost
}

// defaultRoutes holds the three tables of the wire contract, row by row.
var defaultRoutes = map[string]route{
	"me.get": {"GET", "/v1/me"},

	"customers.list":   {"GET", "/v1/customers"},
	"customers.create": {"POST", "/v1/customers"},
	"customers.get":    {"GET", "/v1/customers/{id}"},
	"customers.update": {"PATCH", "/v1/customers/{id}"},
	"customers.delete": {"DELETE", "/v1/customers/{id}"},

	"billing_accounts.list":       {"GET", "/v1/billing-accounts"},
	"billing_accounts.create":     {"POST", "/v1/billing-accounts"},
	"billing_accounts.get":        {"GET", "/v1/billing-accounts/{id}"},
	"billing_accounts.update":     {"PATCH", "/v1/billing-accounts/{id}"},
	"billing_accounts.delete":     {"DELETE", "/v1/billing-accounts/{id}"},
	"billing_accounts.suspend":    {"POST", "/v1/billing-accounts/{id}/suspend"},
	"billing_accounts.reactivate": {"POST", "/v1/billing-accounts/{id}/reactivate"},
	"billing_accounts.close":      {"POST", "/v1/billing-accounts/{id}/close"},

	"subscriptions.list":        {"GET", "/v1/subscriptions"},
	"subscriptions.create":      {"POST", "/v1/subscriptions"},
	"subscriptions.get":         {"GET", "/v1/subscriptions/{id}"},
	"subscriptions.update":      {"PATCH", "/v1/subscriptions/{id}"},
	"subscriptions.delete":      {"DELETE", "/v1/subscriptions/{id}"},
	"subscriptions.pause":       {"POST", "/v1/subscriptions/{id}/pause"},
	"subscriptions.resume":      {"POST", "/v1/subscriptions/{id}/resume"},
	"subscriptions.change_plan": {"POST", "/v1/subscriptions/{id}/change-plan"},
	"subscriptions.cancel":      {"POST", "/v1/subscriptions/{id}/cancel"},
	"subscriptions.items.list":  {"GET", "/v1/subscriptions/{id}/items"},
	"subscriptions.items.sync":  {"PUT", "/v1/subscriptions/{id}/items"},
	"subscriptions.invoice":     {"POST", "/v1/subscriptions/{id}/invoices"},

	"invoices.list": {"GET", "/v1/invoices"},
	"records.list":  {"GET", "/v1/{collection}"},

	"finance.accounts.list":    {"GET", "/v1/accounts"},
	"finance.payables.list":    {"GET", "/v1/payables"},
	"finance.receivables.list": {"GET", "/v1/receivables"},
	"finance.records.list":     {"GET", "/v1/{collection}"},
	"finance.records.create":   {"POST", "/v1/{collection}"},
	"finance.records.get":      {"GET", "/v1/{collection}/{id}"},
	"finance.records.update":   {"PATCH", "/v1/{collection}/{id}"},
	"finance.records.delete":   {"DELETE", "/v1/{collection}/{id}"},
	"finance.openapi.yaml":     {"GET", "/api/v1/openapi.yaml"},
	"finance.openapi.json":     {"GET", "/api/v1/openapi.json"},

	"webhook_endpoints.create":        {"POST", "/api/v1/webhook-endpoints"},
	"webhook_endpoints.list":          {"GET", "/api/v1/webhook-endpoints"},
	"webhook_endpoints.get":           {"GET", "/api/v1/webhook-endpoints/{id}"},
	"webhook_endpoints.update":        {"PATCH", "/api/v1/webhook-endpoints/{id}"},
	"webhook_endpoints.delete":        {"DELETE", "/api/v1/webhook-endpoints/{id}"},
	"webhook_endpoints.test":          {"POST", "/api/v1/webhook-endpoints/{id}/test"},
	"webhook_endpoints.rotate_secret": {"POST", "/api/v1/webhook-endpoints/{id}/rotate-secret"},

	"webhook_deliveries.list":  {"GET", "/api/v1/webhook-endpoints/{id}/deliveries"},
	"webhook_deliveries.retry": {"POST", "/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry"},

	"api_keys.create": {"POST", "/api/v1/api-keys"},
	"api_keys.list":   {"GET", "/api/v1/api-keys"},
	"api_keys.get":    {"GET", "/api/v1/api-keys/{id}"},
	"api_keys.rotate": {"POST", "/api/v1/api-keys/{id}/rotate"},
	"api_keys.revoke": {"DELETE", "/api/v1/api-keys/{id}"},
}
