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

// Table contains the rows of one type. Rows are copied shallowly: to change a slice or map inside a row, replace it and
// never modify it in place.
type Table[T any] struct {
	name string
}

// NewTable attaches a table to db and reads its rows from the file; DB.Err returns any error. A name must keep the same
// row type for the life of a state file.
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

// Get returns the row with the id, and whether it exists.
func (t Table[T]) Get(tx *Tx, id string) (T, bool) {
	row, ok := tx.get(t.name, id)
	if !ok {
		var none T
		return none, false
	}
	return row.(T), true
}

// Put writes the row with this id, and replaces an existing one.
func (t Table[T]) Put(tx *Tx, id string, row T) {
	tx.set(t.name, id, write{row: row})
}

// Delete deletes the row with the id, if it exists.
func (t Table[T]) Delete(tx *Tx, id string) {
	tx.set(t.name, id, write{deleted: true})
}

// ClearBut deletes the rows of all tables except the given ones.
func (tx *Tx) ClearBut(kept ...string) {
	for table, all := range tx.db.tables {
		for id := range all.byID {
			if !slices.Contains(kept, table) {
				tx.set(table, id, write{deleted: true})
			}
		}
	}
}

// Sorted returns the rows in order.
func Sorted[T any](rows iter.Seq2[string, T], compare func(a, b T) int) []T {
	all := []T{}
	for _, row := range rows {
		all = append(all, row)
	}
	slices.SortStableFunc(all, compare)
	return all
}

// All yields every row in the order of ids, including the transaction's own writes.
func (t Table[T]) All(tx *Tx) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, id := range t.with(tx, maps.Keys(tx.db.tables[t.name].byID), maps.Keys(tx.writes[t.name])) {
			row, ok := t.Get(tx, id)
			if ok && !yield(id, row) {
				return
			}
		}
	}
}

// with returns the sorted ids of stored rows, of written ones and, in a view of the past, of rows that may have
// existed.
func (t Table[T]) with(tx *Tx, standing, written iter.Seq[string]) []string {
	ids := slices.AppendSeq(slices.Collect(standing), written)
	if !tx.then.IsZero() {
		ids = slices.AppendSeq(ids, maps.Keys(tx.db.tables[t.name].past))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rows contains one table in memory.
type rows struct {
	byID    map[string]any
	indexes []*index
	past    map[string][]version // versions replaced by recent writes, oldest first
	// replaced has an element for each version in past, oldest first.
	replaced []replaced
}

type index struct {
	key func(row any) string
	ids map[string]map[string]struct{} // key → ids
}

// apply applies a write to the rows and their indexes.
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

// Index finds the rows that share a key without reading the whole table.
type Index[T any] struct {
	table Table[T]
	index *index
}

// NewIndex builds and maintains an index of a table's rows. Rows with an empty key are omitted.
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

// All yields the rows with the key in the order of ids, including the transaction's own writes.
func (i Index[T]) All(tx *Tx, key string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		written := func(yield func(string) bool) { // a transaction can have written thousands of others
			for id, w := range tx.writes[i.table.name] {
				if !w.deleted && i.index.key(w.row) == key && !yield(id) {
					return
				}
			}
		}
		for _, id := range i.table.with(tx, maps.Keys(i.index.ids[key]), written) {
			row, ok := i.table.Get(tx, id)
			if ok && i.index.key(row) == key && !yield(id, row) {
				return
			}
		}
	}
}

// Change is a row before and after a transaction; nil if it did not exist.
type Change struct {
	Table, ID     string
	Before, After any
}

// Changes returns the rows written by the transaction, by table and id.
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

// WithoutRows returns the changes with only table and id.
func WithoutRows(changes []Change) []Change {
	bare := slices.Clone(changes)
	for i := range bare {
		bare[i].Before, bare[i].After = nil, nil
	}
	return bare
}

// Memory is how long a table keeps replaced rows, for ViewAsOf.
const Memory = time.Minute

// version is a row before a write replaced it.
type version struct {
	until time.Time
	row   any
	stood bool // false: the row did not exist
}

// replaced identifies the row of a version; rows keeps these in write order.
type replaced struct {
	id string
	at time.Time
}

// remember keeps the row that a write at that time replaces.
func (r *rows) remember(id string, at time.Time) {
	if r.past == nil {
		r.past = map[string][]version{}
	}
	old, stood := r.byID[id]
	r.past[id] = append(r.past[id], version{until: at, row: old, stood: stood})
	r.replaced = append(r.replaced, replaced{id: id, at: at})
}

// forget drops versions replaced longer ago than Memory. Every write does this for all tables, because a row that is
// never written again would keep its old version forever.
func (r *rows) forget(now time.Time) {
	for len(r.replaced) > 0 && now.Sub(r.replaced[0].at) > Memory {
		id := r.replaced[0].id
		if r.past[id] = slices.Delete(r.past[id], 0, 1); len(r.past[id]) == 0 {
			delete(r.past, id)
		}
		r.replaced = r.replaced[1:]
	}
}

// asOf returns the row at a past time; zero means now.
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
