package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// handler serves one operation inside one transaction: a View for GET, an
// Update otherwise, which is written before the answer leaves. An error that
// is no *apiError is a fault of the sandbox itself and answers 500.
type handler func(c *call, tx *store.Tx) (reply, error)

// route is one row of the wire contract's operations.
type route struct {
	name    string // "customers.create"
	method  string
	pattern string // "/v1/customers/{id}"
	scope   string // required; empty: any token of the service; {collection} is that of the path
	query   []string
	serve   handler
}

// The query parameters of every listing
// (service description, Recurring billing §4 Collections).
var paging = []string{"page", "per_page", "sort_by", "sort_order"}

// billingRoutes are the operations of recurring billing.
var billingRoutes = []route{
	{"me.get", http.MethodGet, "/v1/me", "", nil, getMe},

	{"customers.list", http.MethodGet, "/v1/customers", "customers:read",
		slices.Concat(paging, []string{"search", "external_id", "document_number", "updated_at_gte"}), listCustomers},
	{"customers.create", http.MethodPost, "/v1/customers", "customers:write", nil, createCustomer},
	{"customers.get", http.MethodGet, "/v1/customers/{id}", "customers:read", nil, getCustomer},
	{"customers.update", http.MethodPatch, "/v1/customers/{id}", "customers:write", nil, updateCustomer},
	{"customers.delete", http.MethodDelete, "/v1/customers/{id}", "customers:write", nil, deleteCustomer},

	{"billing_accounts.list", http.MethodGet, "/v1/billing-accounts", "billing_accounts:read",
		slices.Concat(paging, []string{"external_id", "customer_id", "status", "updated_at_gte"}), listAccounts},
	{"billing_accounts.create", http.MethodPost, "/v1/billing-accounts", "billing_accounts:write", nil, createAccount},
	{"billing_accounts.get", http.MethodGet, "/v1/billing-accounts/{id}", "billing_accounts:read", nil, getAccount},
	{"billing_accounts.update", http.MethodPatch, "/v1/billing-accounts/{id}", "billing_accounts:write", nil, updateAccount},
	{"billing_accounts.delete", http.MethodDelete, "/v1/billing-accounts/{id}", "billing_accounts:write", nil, deleteAccount},
	{"billing_accounts.suspend", http.MethodPost, "/v1/billing-accounts/{id}/suspend", "billing_accounts:write", nil, suspendAccount},
	{"billing_accounts.reactivate", http.MethodPost, "/v1/billing-accounts/{id}/reactivate", "billing_accounts:write", nil, reactivateAccount},
	{"billing_accounts.close", http.MethodPost, "/v1/billing-accounts/{id}/close", "billing_accounts:write", nil, closeAccount},

	{"subscriptions.list", http.MethodGet, "/v1/subscriptions", "subscriptions:read",
		slices.Concat(paging, []string{"external_id", "billing_account_id", "status", "plan_id", "updated_at_gte"}), listSubscriptions},
	{"subscriptions.create", http.MethodPost, "/v1/subscriptions", "subscriptions:write", nil, createSubscription},
	{"subscriptions.get", http.MethodGet, "/v1/subscriptions/{id}", "subscriptions:read", nil, getSubscription},
	{"subscriptions.update", http.MethodPatch, "/v1/subscriptions/{id}", "subscriptions:write", nil, updateSubscription},
	{"subscriptions.delete", http.MethodDelete, "/v1/subscriptions/{id}", "subscriptions:write", nil, deleteSubscription},
	{"subscriptions.pause", http.MethodPost, "/v1/subscriptions/{id}/pause", "subscriptions:write", nil, pauseSubscription},
	{"subscriptions.resume", http.MethodPost, "/v1/subscriptions/{id}/resume", "subscriptions:write", nil, resumeSubscription},
	{"subscriptions.change_plan", http.MethodPost, "/v1/subscriptions/{id}/change-plan", "subscriptions:write", nil, changePlanOfSubscription},
	{"subscriptions.cancel", http.MethodPost, "/v1/subscriptions/{id}/cancel", "subscriptions:write", nil, cancelSubscription},
	{"subscriptions.items.list", http.MethodGet, "/v1/subscriptions/{id}/items", "subscriptions:read", paging, listItems},
	{"subscriptions.items.sync", http.MethodPut, "/v1/subscriptions/{id}/items", "subscriptions:write", nil, syncItems},
	{"subscriptions.invoice", http.MethodPost, "/v1/subscriptions/{id}/invoices", "subscriptions:write", nil, createInvoice},

	{"invoices.list", http.MethodGet, "/v1/invoices", "invoices:read",
		slices.Concat(paging, []string{"subscription_id", "billing_account_id"}), listInvoices},
}

// preparations run before the transaction of an operation, for what takes
// longer than the tables may be held.
var preparations = map[string]func(ctx context.Context, c *call) error{
	"webhook_endpoints.create": resolveURL,
	"webhook_endpoints.update": resolveURL,
}

// find answers the route for a method and path with the values of its
// placeholders. It fails with errNoRoute, or with errMethod naming the methods
// that the path does serve.
func find(routes []route, method string, address *url.URL) (route, map[string]string, error) {
	var allowed []string
	for _, r := range routes {
		values, ok := match(r.pattern, address.EscapedPath())
		if !ok {
			continue
		}
		if r.method == method {
			return r, values, nil
		}
		if !slices.Contains(allowed, r.method) { // /v1/accounts is also a /v1/{collection}
			allowed = append(allowed, r.method)
		}
	}
	if len(allowed) == 0 {
		return route{}, nil, errNoRoute
	}
	refusal := *errMethod
	refusal.allow = strings.Join(allowed, ", ")
	return route{}, nil, &refusal
}

// match compares segment by segment on the escaped path, so that an escaped
// slash stays inside its segment.
func match(pattern, path string) (map[string]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	values := map[string]string{}
	for i, segment := range want {
		name, placeholder := strings.CutPrefix(segment, "{")
		if !placeholder {
			if segment != got[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(got[i])
		if err != nil || value == "" {
			return nil, false
		}
		values[strings.TrimSuffix(name, "}")] = canonicalID(value)
	}
	return values, true
}

// required is the scope that an operation needs, which may name the collection
// of the path.
func (r route) required(path map[string]string) string {
	return strings.ReplaceAll(r.scope, "{collection}", path["collection"])
}

// checkQuery refuses parameters the operation does not have: a misspelt filter
// that is ignored would answer more than was asked for.
func (r route) checkQuery(query url.Values) error {
	problems := problems{}
	for name, values := range query {
		switch {
		case !slices.Contains(r.query, name) && !slices.Contains(r.query, anyField):
			problems[name] = "is not a query parameter of this operation"
		case len(values) > 1:
			problems[name] = "must be given once"
		}
	}
	return problems.err()
}
