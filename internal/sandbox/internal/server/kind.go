package server

import (
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Owned is a row that belongs to an organization.
type Owned interface {
	// Owner is the id of the organization; empty: no operation sees the row any more.
	Owner() string
}

// Filters are query parameters that compare a row with a value.
type Filters[R any] map[string]func(tx *store.Tx, row R, want string) bool

// Kind is how the objects of a type are found and listed.
type Kind[R Owned, O any] struct {
	Table   store.Table[R]
	Show    func(c *Call, tx *store.Tx, row R) O // as a listing shows it
	Filters Filters[R]
	Updated func(row R) Timestamp // for the filter updated_at_gte; nil: there is none
	Order   func(a, b R) int      // of a listing; nil: as the query says
}

// Find returns the row that the path names. That of another organization does not exist.
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

// ListOf returns the page of these rows that the query asks for.
func (k Kind[R, O]) ListOf(c *Call, tx *store.Tx, rows iter.Seq2[string, R]) (Reply, error) {
	since, err := c.since()
	if err != nil {
		return Reply{}, err
	}
	found := []R{}
	for _, row := range rows {
		if k.passes(c, tx, row, since) {
			found = append(found, row)
		}
	}
	if k.Order != nil {
		slices.SortFunc(found, k.Order)
	}
	objects := make([]O, len(found))
	for i, row := range found {
		objects[i] = k.Show(c, tx, row)
	}
	if k.Order == nil {
		return List(c, objects)
	}
	p := Problems{}
	page, perPage := c.pageSize(p)
	if err := p.Err(); err != nil {
		return Reply{}, err
	}
	return pageOf(c, objects, page, perPage), nil
}

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

// On serves an operation on the row that find returns, with the fields of the form.
func On[R any](
	find func(*Call, *store.Tx) (R, error), f Form, serve func(*Call, *store.Tx, R) (Reply, error),
) Handler {
	return func(c *Call, tx *store.Tx) (Reply, error) {
		row, err := find(c, tx)
		if err != nil {
			return Reply{}, err
		}
		if err := f.read(c); err != nil {
			return Reply{}, err
		}
		return serve(c, tx, row)
	}
}

// With serves an operation on no row, with the fields of the form.
func With(f Form, serve Handler) Handler {
	return func(c *Call, tx *store.Tx) (Reply, error) {
		if err := f.read(c); err != nil {
			return Reply{}, err
		}
		return serve(c, tx)
	}
}
