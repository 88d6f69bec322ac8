package server

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Handler serves one operation inside one transaction: a View for GET, an
// Update otherwise, which is written before the response leaves. An error that
// is not a *Error is a bug of the sandbox itself and returns 500.
type Handler func(c *Call, tx *store.Tx) (Reply, error)

// Route is one row of the wire contract's operations.
type Route struct {
	Name    string // "customers.create"
	Method  string
	Pattern string // "/v1/customers/{id}"
	Scope   string // required; empty: any token of the service; {collection} is that of the path
	Query   []string
	Serve   Handler
	// Prepare runs before the transaction, for what takes longer than the tables
	// may be held; nil: nothing does.
	Prepare func(ctx context.Context, c *Call) error
}

// NewRoute is the route of an operation at a method and a pattern, such as "GET /v1/me".
func NewRoute(name, address, scope string, serve Handler, query ...string) Route {
	method, pattern, _ := strings.Cut(address, " ")
	return Route{Name: name, Method: method, Pattern: pattern, Scope: scope, Query: query, Serve: serve}
}

// AnyField is in a route's query parameters for the filters of financial
// management, which may name any field of the records.
const AnyField = "*"

// find returns the route for a method and path with the values of its
// placeholders. It fails with errNoRoute, or with errMethod naming the methods
// that the path does serve.
func find(routes []Route, method string, address *url.URL) (Route, map[string]string, error) {
	var allowed []string
	for _, r := range routes {
		values, ok := match(r.Pattern, address.EscapedPath())
		if !ok {
			continue
		}
		if r.Method == method {
			return r, values, nil
		}
		if !slices.Contains(allowed, r.Method) { // /v1/accounts is also a /v1/{collection}
			allowed = append(allowed, r.Method)
		}
	}
	if len(allowed) == 0 {
		return Route{}, nil, ErrNoRoute
	}
	refusal := *ErrMethod
	refusal.Allow = strings.Join(allowed, ", ")
	return Route{}, nil, &refusal
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
		values[strings.TrimSuffix(name, "}")] = CanonicalID(value)
	}
	return values, true
}

// required is the scope that an operation needs, which may name the collection
// of the path.
func (r Route) required(path map[string]string) string {
	return strings.ReplaceAll(r.Scope, "{collection}", path["collection"])
}

// checkQuery rejects parameters the operation does not have: a misspelt filter
// that is ignored would return more than was asked for.
func (r Route) checkQuery(query url.Values) error {
	problems := Problems{}
	for name, values := range query {
		switch {
		case !slices.Contains(r.Query, name) && !slices.Contains(r.Query, AnyField):
			problems[name] = "is not a query parameter of this operation"
		case len(values) > 1:
			problems[name] = "must be given once"
		}
	}
	return problems.Err()
}
