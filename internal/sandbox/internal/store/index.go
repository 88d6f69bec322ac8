package store

import (
	"iter"
	"maps"
)

// rows are one table in memory.
type rows struct {
	byID    map[string]any
	indexes []*index
	past    map[string][]version // what recent writes replaced, oldest first
	// replaced has an element for every version in past, oldest first.
	replaced []replaced
}

// index finds rows by a key made from them.
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
