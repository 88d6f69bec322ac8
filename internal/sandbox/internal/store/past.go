package store

import (
	"cmp"
	"slices"
	"time"
)

// Change is a row before and after a transaction; nil: there was none, or there is none any more.
type Change struct {
	Table, ID     string
	Before, After any
}

// Changes are the rows that the transaction has written, by table and id.
func (tx *Tx) Changes() []Change {
	var changes []Change
	for table, writes := range tx.writes {
		for id, w := range writes {
			change := Change{Table: table, ID: id}
			change.Before, _ = tx.db.tables[table].asOf(id, time.Time{})
			if !w.deleted {
				change.After = w.row
			}
			changes = append(changes, change)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID))
	})
	return changes
}

// WithoutRows are the changes by table and id alone.
func WithoutRows(changes []Change) []Change {
	bare := slices.Clone(changes)
	for i := range bare {
		bare[i].Before, bare[i].After = nil, nil
	}
	return bare
}

// Memory is how long a table keeps what a write has replaced, for ViewAsOf.
const Memory = time.Minute

// version is a row as it was until a write replaced it.
type version struct {
	until time.Time
	row   any
	stood bool // false: there was no such row
}

// replaced is which row a version is of; rows keeps these in the order of the writes.
type replaced struct {
	id string
	at time.Time
}

// remember keeps what a write at that time replaces.
func (r *rows) remember(id string, at time.Time) {
	if r.past == nil {
		r.past = map[string][]version{}
	}
	old, stood := r.byID[id]
	r.past[id] = append(r.past[id], version{until: at, row: old, stood: stood})
	r.replaced = append(r.replaced, replaced{id: id, at: at})
}

// forget drops what was replaced longer ago than Memory. Every write does this for all tables: a row that is never
// written again would keep its old version for ever.
func (r *rows) forget(now time.Time) {
	for len(r.replaced) > 0 && now.Sub(r.replaced[0].at) > Memory {
		id := r.replaced[0].id
		if r.past[id] = slices.Delete(r.past[id], 0, 1); len(r.past[id]) == 0 {
			delete(r.past, id)
		}
		r.replaced = r.replaced[1:]
	}
}

// asOf returns the row as it was then; the zero time is now.
func (r *rows) asOf(id string, then time.Time) (any, bool) {
	if !then.IsZero() {
		for _, v := range r.past[id] {
			if v.until.After(then) {
				return v.row, v.stood
			}
		}
	}
	row, ok := r.byID[id]
	return row, ok
}
