package store

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// Table is one kind of rows. A row is copied out and in shallowly: to change
// a slice or map inside a row, replace it and never write into it.
type Table[T any] struct {
	name string
}

// NewTable attaches a table to db and reads its rows from the file. A name
// belongs to one type of row for the life of a state file.
func NewTable[T any](db *DB, name string) (Table[T], error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	all := &rows{byID: map[string]any{}}
	if err := load[T](db.file, name, all.byID); err != nil {
		return Table[T]{}, fmt.Errorf("read table %s: %w", name, err)
	}
	db.tables[name] = all
	return Table[T]{name: name}, nil
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

// Clear deletes every row.
func (t Table[T]) Clear(tx *Tx) {
	for id := range t.All(tx) {
		t.Delete(tx, id)
	}
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
