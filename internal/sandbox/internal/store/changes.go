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
