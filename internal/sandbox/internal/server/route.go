package server

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Handler serves an operation with its form.
type Handler struct {
	Form Form
	// Serve runs inside one transaction: a View for GET, otherwise an Update, which is committed before the response is
	// sent. An error other than *Error is a bug in the sandbox and returns 500.
	Serve func(c *Call, tx *store.Tx) (Reply, error)
}

// Route is an operation of the wire contract.
type Route struct {
	Name    string // "customers.create"
	Method  string
	Pattern string // "/v1/customers/{id}"
	Scope   string // required; empty: any token of the service; {collection} is the one in the path
	Query   []string
	Handler
	// Prepare runs before the transaction, for work too slow to hold the tables' lock; may be nil.
	Prepare func(ctx context.Context, c *Call) error
}

// NewRoute returns the route for a method and pattern, such as "GET /v1/me". It requires the scope to read or write the
// objects in its name.
func NewRoute(name, address string, serve Handler, query ...string) Route {
	method, pattern, _ := strings.Cut(address, " ")
	objects, _, _ := strings.Cut(name, ".")
	scope := objects + ":write"
	if method == http.MethodGet {
		scope = objects + ":read"
	}
	return Route{Name: name, Method: method, Pattern: pattern, Scope: scope, Query: query, Handler: serve}
}

// Needing returns the route with another scope.
func (r Route) Needing(scope string) Route {
	r.Scope = scope
	return r
}

// AnyField stands for the filters of financial management, which may name any field of a record.
const AnyField = "*"

// find returns the route for a method and path, with the values of its placeholders. It fails with errNoRoute, or with
// errMethod, which lists the methods allowed on the path.
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

// match compares escaped paths, so that an escaped slash stays inside its segment.
func match(pattern, path string) (map[string]string, bool) {
	values, ok := evidence.Match(pattern, path)
	for name, escaped := range values {
		value, err := url.PathUnescape(escaped)
		if err != nil {
			return nil, false
		}
		values[name] = CanonicalID(value)
	}
	return values, ok
}

// required returns the scope for the operation, which may contain the collection in the path.
func (r Route) required(path map[string]string) string {
	return strings.ReplaceAll(r.Scope, "{collection}", path["collection"])
}

// CheckQuery rejects unknown parameters: ignoring a misspelled filter would return too many objects.
func (r Route) CheckQuery(query url.Values) error {
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

// Owned is embedded in every row that belongs to an organization.
type Owned struct {
	Organization string `json:"organization"` // id
}

// Owner is the organization; empty: no operation returns the row.
func (o Owned) Owner() string { return o.Organization }

// Filters are query parameters that compare a row with a value.
type Filters[R any] map[string]func(tx *store.Tx, row R, want string) bool

// Kind defines how objects of a type are found and listed.
type Kind[R interface{ Owner() string }, O any] struct {
	Table store.Table[R]
	Show  func(c *Call, tx *store.Tx, row R) O // as a listing shows it
	// Fields are the object's fields that filter a listing, by equal text; ids are compared without case.
	Fields  []string
	Filters Filters[R]            // by anything else
	Updated func(row R) Timestamp // for the filter updated_at_gte; nil without that filter
	Order   func(a, b R) int      // of a listing; nil: as the query says
}

// Paging and Sorting are the query parameters of listings
// (service description, Recurring billing §4 Collections).
var (
	Paging  = []string{"page", "per_page"}
	Sorting = []string{"sort_by", "sort_order"}
)

// ListRoute returns the route of the listing.
func (k Kind[R, O]) ListRoute(name, address string) Route {
	query := slices.Concat(Paging, k.Fields, slices.Collect(maps.Keys(k.Filters)))
	if k.Order == nil {
		query = append(query, Sorting...)
	}
	if k.Updated != nil {
		query = append(query, "updated_at_gte")
	}
	return NewRoute(name, address, With(Form{}, k.List), query...)
}

// Find returns the row named in the path. Rows of other organizations are not found.
func (k Kind[R, O]) Find(c *Call, tx *store.Tx) (R, error) {
	row, ok := k.Table.Get(tx, c.Path["id"])
	if !ok || row.Owner() != c.Organization {
		var none R
		return none, ErrNotFound
	}
	return row, nil
}

// Rows yields all rows of the caller's organization.
func (k Kind[R, O]) Rows(c *Call, tx *store.Tx) iter.Seq2[string, R] {
	return func(yield func(string, R) bool) {
		for id, row := range k.Table.All(tx) {
			if row.Owner() == c.Organization && !yield(id, row) {
				return
			}
		}
	}
}

// List serves the listing of a type.
func (k Kind[R, O]) List(c *Call, tx *store.Tx) (Reply, error) { return k.ListOf(c, tx, k.Rows(c, tx)) }

// ListOf returns the requested page of rows.
func (k Kind[R, O]) ListOf(c *Call, tx *store.Tx, rows iter.Seq2[string, R]) (Reply, error) {
	since, err := c.since()
	if err != nil {
		return Reply{}, err
	}
	fields := map[string][]int{}
	for _, name := range k.Fields {
		fields[name], _ = jsonField(reflect.TypeFor[O](), name)
	}
	type shown struct {
		row    R
		object O
	}
	found := []shown{}
	for _, row := range rows {
		if !k.passes(c, tx, row, since) {
			continue
		}
		if object := k.Show(c, tx, row); c.has(object, fields) {
			found = append(found, shown{row, object})
		}
	}
	if k.Order != nil {
		slices.SortFunc(found, func(a, b shown) int { return k.Order(a.row, b.row) })
	}
	objects := make([]O, len(found))
	for i, one := range found {
		objects[i] = one.object
	}
	if k.Order == nil {
		return List(c, objects)
	}
	return Page(c, objects)
}

// has reports whether an object's fields, at the given indices, have the values in the query.
func (c *Call) has(object any, fields map[string][]int) bool {
	for name, field := range fields {
		if !c.Filter(name, func(want string) bool {
			value := textOf(reflect.ValueOf(object).FieldByIndex(field))
			return value != nil && (*value == want || *value == CanonicalID(want))
		}) {
			return false
		}
	}
	return true
}

// passes reports whether a row matches the query, apart from the Fields of its object.
func (k Kind[R, O]) passes(c *Call, tx *store.Tx, row R, since time.Time) bool {
	if k.Updated != nil && k.Updated(row).Before(since) {
		return false
	}
	for name, passes := range k.Filters {
		if !c.Filter(name, func(want string) bool { return passes(tx, row, want) }) {
			return false
		}
	}
	return true
}

// On serves an operation on the row returned by find.
func On[R any](
	find func(*Call, *store.Tx) (R, error), f Form, serve func(*Call, *store.Tx, R) (Reply, error),
) Handler {
	return Handler{f, func(c *Call, tx *store.Tx) (Reply, error) {
		row, err := find(c, tx)
		if err != nil {
			return Reply{}, err
		}
		if err := f.read(c); err != nil {
			return Reply{}, err
		}
		return serve(c, tx, row)
	}}
}

// With serves an operation that has no existing row.
func With(f Form, serve func(*Call, *store.Tx) (Reply, error)) Handler {
	return Handler{f, func(c *Call, tx *store.Tx) (Reply, error) {
		if err := f.read(c); err != nil {
			return Reply{}, err
		}
		return serve(c, tx)
	}}
}

// Named returns an operation by name.
func Named(routes []Route, name string) (Route, bool) {
	for _, r := range routes {
		if r.Name == name {
			return r, true
		}
	}
	return Route{}, false
}

// Nearest returns the closest of the words, and whether it is close enough: about a third of the letters may differ,
// and at least one.
func Nearest(word string, words []string) (string, bool) {
	if len(words) == 0 {
		return "", false
	}
	edits := func(other string) int { return levenshtein.Distance(word, other, nil) }
	near := slices.MinFunc(words, func(a, b string) int {
		return cmp.Or(edits(a)-edits(b), strings.Compare(a, b))
	})
	return near, edits(near) <= max(1, (len(near)+1)/3)
}
