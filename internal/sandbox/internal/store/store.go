// Package store keeps the sandbox's rows: whole in memory, and, when a file is
// named, written to it before a change is confirmed.
//
// The file is a bbolt database with one bucket a table and one JSON document a
// row. A transaction reaches the file in one piece, so that after a kill the
// file holds either all of it or nothing.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// openTimeout bounds the wait for the lock of a file that another process holds.
const openTimeout = 2 * time.Second

// DB holds all tables. It is safe for use by several goroutines: readers run
// together, a writer alone.
type DB struct {
	mu     sync.RWMutex
	tables map[string]*rows
	file   *bbolt.DB
	failed error
}

// Err is why a table could not be read.
func (db *DB) Err() error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.failed
}

// Open reads the file at path, making it (mode 0600) when it does not exist;
// an empty path means memory only. It fails when the file is not a bbolt database
// or another process holds it.
func Open(path string) (*DB, error) {
	db := &DB{tables: map[string]*rows{}}
	if path == "" {
		return db, nil
	}
	err := unbroken(func() error { return readAll(path) })
	if err == nil {
		err = unbroken(func() (err error) {
			db.file, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: openTimeout})
			return err
		})
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("open state file %s: another process holds it: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open state file %s: %w", path, err)
	}
	return db, nil
}

var errDamaged = errors.New("the file is damaged. It was not changed: restore a copy, or start with another file")

// unbroken turns the panic of bbolt at a damaged file, and the fault of a read beyond its end, into an error.
func unbroken(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	return do()
}

// readAll reads every row of the file, if there is one, without changing it: a damage shows before anything is written.
func readAll(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (info.Size() == 0 || !info.Mode().IsRegular()) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: openTimeout, ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		return err
	}
	return errors.Join(file.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return errDamaged
		}
		return tx.ForEach(func(_ []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(_, row []byte) error {
				if !json.Valid(row) {
					return errDamaged
				}
				return nil
			})
		})
	}), file.Close())
}

// Close releases the file. The tables must not be used afterwards.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.file == nil {
		return nil
	}
	if err := db.file.Close(); err != nil {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}

// View runs read with a consistent view of all tables.
func (db *DB) View(read func(tx *Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return read(&Tx{db: db})
}

// Read returns what read finds in a View.
func Read[T any](db *DB, read func(tx *Tx) T) (found T) {
	_ = db.View(func(tx *Tx) error { // no error: View returns that of the function
		found = read(tx)
		return nil
	})
	return found
}

// ViewAsOf is View of the tables as they were then, by this machine's clock. The
// past is kept for Memory, and not across a restart.
func (db *DB) ViewAsOf(then time.Time, read func(tx *Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return read(&Tx{db: db, then: then})
}

// Update runs change and stores what it wrote, in the file first and then
// in memory. When change or the file fails, nothing is changed.
func (db *DB) Update(change func(tx *Tx) error) error { return db.updateAt(time.Time{}, change) }

// updateAt is Update at a time; the zero time is that of the commit.
func (db *DB) updateAt(now time.Time, change func(tx *Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	tx := &Tx{db: db, writes: map[string]map[string]write{}}
	if err := change(tx); err != nil {
		return err
	}
	if err := db.persist(tx.writes); err != nil {
		return fmt.Errorf("write state file: %w", err)
	}
	if now.IsZero() {
		now = time.Now()
	}
	for _, table := range db.tables {
		table.forget(now)
	}
	for table, writes := range tx.writes {
		for id, w := range writes {
			db.tables[table].remember(id, now)
			db.tables[table].apply(id, w)
		}
	}
	return nil
}

func (db *DB) persist(writes map[string]map[string]write) error {
	if db.file == nil || len(writes) == 0 {
		return nil
	}
	return unbroken(func() error {
		return db.file.Update(func(btx *bbolt.Tx) error {
			for table, rows := range writes {
				bucket, err := btx.CreateBucketIfNotExists([]byte(table))
				if err != nil {
					return err
				}
				if err := putAll(bucket, rows); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func putAll(bucket *bbolt.Bucket, rows map[string]write) error {
	for id, w := range rows {
		if w.deleted {
			if err := bucket.Delete([]byte(id)); err != nil {
				return err
			}
			continue
		}
		document, err := json.Marshal(w.row)
		if err != nil {
			return fmt.Errorf("row %s: %w", id, err)
		}
		if err := bucket.Put([]byte(id), document); err != nil {
			return err
		}
	}
	return nil
}

// Tx is one transaction. It ends with the function that it was passed to.
type Tx struct {
	db     *DB
	writes map[string]map[string]write // nil: a View
	then   time.Time                   // zero: what is in the tables now
}

type write struct {
	row     any
	deleted bool
}

func (tx *Tx) get(table, id string) (any, bool) {
	if w, ok := tx.writes[table][id]; ok {
		return w.row, !w.deleted
	}
	return tx.db.tables[table].asOf(id, tx.then)
}

func (tx *Tx) set(table, id string, w write) {
	if tx.writes == nil {
		panic("store: write inside a View")
	}
	if tx.writes[table] == nil {
		tx.writes[table] = map[string]write{}
	}
	tx.writes[table][id] = w
}
