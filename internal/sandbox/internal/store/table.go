package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Table is one kind of rows. A row is copied out and in shallowly: to change
// a slice or map inside a row, replace it and never write into it.
type Table[T any] struct {
	name string
}

// NewTable attaches a table to db and reads its rows from the file; DB.Err says whether it could. A name
// belongs to one type of row for the life of a state file.
func NewTable[T any](db *DB, name string) Table[T] {
	db.mu.Lock()
	defer db.mu.Unlock()
	all := &rows{byID: map[string]any{}}
	if err := load[T](db.file, name, all.byID); err != nil {
		db.failed = errors.Join(db.failed, fmt.Errorf("read table %s: %w", name, err))
	}
	db.tables[name] = all
	return Table[T]{name: name}
}

func load[T any](file *bbolt.DB, name string, into map[string]any) error {
	if file == nil {
		return nil
	}
	return file.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte(name))
		if bucket == nil {
			return nil
		}
		return bucket.ForEach(func(id, document []byte) error {
			var row T
			if err := json.Unmarshal(document, &row); err != nil {
				return fmt.Errorf("row %s: %w", id, err)
			}
			into[string(id)] = row
			return nil
		})
	})
}

// Get returns the row with the id, and whether there is one.
func (t Table[T]) Get(tx *Tx, id string) (T, bool) {
	row, ok := tx.get(t.name, id)
	if !ok {
		var none T
		return none, false
	}
	return row.(T), true
}

// Put writes the row under the id, over any that is there.
func (t Table[T]) Put(tx *Tx, id string, row T) {
	tx.set(t.name, id, write{row: row})
}

// Delete removes the row with the id; a missing one is not an error.
func (t Table[T]) Delete(tx *Tx, id string) {
	tx.set(t.name, id, write{deleted: true})
}

// ClearBut deletes the rows of all tables except those.
func (tx *Tx) ClearBut(kept ...string) {
	for table, all := range tx.db.tables {
		for id := range all.byID {
			if !slices.Contains(kept, table) {
				tx.set(table, id, write{deleted: true})
			}
		}
	}
}

// Sorted are rows in an order.
func Sorted[T any](rows iter.Seq2[string, T], compare func(a, b T) int) []T {
	all := []T{}
	for _, row := range rows {
		all = append(all, row)
	}
	slices.SortStableFunc(all, compare)
	return all
}

// All yields every row in the order of the ids, the transaction's own writes
// included.
func (t Table[T]) All(tx *Tx) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, id := range t.with(tx, maps.Keys(tx.db.tables[t.name].byID)) {
			row, ok := t.Get(tx, id)
			if ok && !yield(id, row) {
				return
			}
		}
	}
}

// with returns the stored ids, those the transaction has written and, in a view
// of the past, those that may have been there, each once, sorted.
func (t Table[T]) with(tx *Tx, standing iter.Seq[string]) []string {
	ids := slices.Collect(standing)
	ids = slices.AppendSeq(ids, maps.Keys(tx.writes[t.name]))
	if !tx.then.IsZero() {
		ids = slices.AppendSeq(ids, maps.Keys(tx.db.tables[t.name].past))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rows are one table in memory.
type rows struct {
	byID    map[string]any
	indexes []*index
	past    map[string][]version // what recent writes replaced, oldest first
	// replaced has an element for every version in past, oldest first.
	replaced []replaced
}

type index struct {
	key func(row any) string
	ids map[string]map[string]struct{} // key → ids
}

// apply applies one write, to the rows and to their indexes.
func (r *rows) apply(id string, w write) {
	old, stood := r.byID[id]
	for _, x := range r.indexes {
		if stood {
			x.remove(x.key(old), id)
		}
		if !w.deleted {
			x.add(x.key(w.row), id)
		}
	}
	if w.deleted {
		delete(r.byID, id)
		return
	}
	r.byID[id] = w.row
}

func (x *index) add(key, id string) {
	if key == "" {
		return
	}
	if x.ids[key] == nil {
		x.ids[key] = map[string]struct{}{}
	}
	x.ids[key][id] = struct{}{}
}

func (x *index) remove(key, id string) {
	delete(x.ids[key], id)
	if len(x.ids[key]) == 0 {
		delete(x.ids, key)
	}
}

// Index finds the rows of a table that share a key, without reading the rest.
type Index[T any] struct {
	table Table[T]
	index *index
}

// NewIndex builds an index over a table's rows, to be kept from here on. A row
// whose key is empty is not in it.
func NewIndex[T any](db *DB, table Table[T], key func(row T) string) Index[T] {
	db.mu.Lock()
	defer db.mu.Unlock()
	x := &index{
		key: func(row any) string { return key(row.(T)) },
		ids: map[string]map[string]struct{}{},
	}
	all := db.tables[table.name]
	for id, row := range all.byID {
		x.add(x.key(row), id)
	}
	all.indexes = append(all.indexes, x)
	return Index[T]{table: table, index: x}
}

// All yields the rows that have the key, in the order of their ids, the
// transaction's own writes included.
func (i Index[T]) All(tx *Tx, key string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, id := range i.table.with(tx, maps.Keys(i.index.ids[key])) {
			row, ok := i.table.Get(tx, id)
			if ok && i.index.key(row) == key && !yield(id, row) {
				return
			}
		}
	}
}

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
