// Package store stores the sandbox's rows in memory and, if a file is configured, writes changes to it before they are
// confirmed.
//
// The file is a bbolt database with a bucket per table and a JSON document per row. A transaction is written to the
// file atomically: after a kill, the file contains all of it or nothing.
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

// openTimeout limits the wait for a lock held by another process.
const openTimeout = 2 * time.Second

// DB contains all tables. It is safe for concurrent use: readers run in parallel, writers exclusively.
type DB struct {
	mu     sync.RWMutex
	tables map[string]*rows
	file   *bbolt.DB
	failed error

	commits int64 // counts the changed tables of each transaction
}

// Err returns the error of tables that could not be read.
func (db *DB) Err() error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.failed
}

// Open opens the file at path, and creates it (mode 0600) if it does not exist; an empty path means memory only. It
// fails if the file is not a bbolt database or is locked by another process.
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

// unbroken converts a bbolt panic on a damaged file, or a fault from a read beyond its end, into an error.
func unbroken(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	return do()
}

// readAll reads every row of the file, if any, to detect damage before anything is written.
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

// Close closes the file. The tables must not be used afterwards.
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

// View calls read with a consistent view of all tables.
func (db *DB) View(read func(tx *Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return read(&Tx{db: db})
}

// Read returns the result of read in a View.
func Read[T any](db *DB, read func(tx *Tx) T) (found T) {
	_ = db.View(func(tx *Tx) error { // no error: View returns only errors of the function
		found = read(tx)
		return nil
	})
	return found
}

// ViewAsOf is a View of the tables at a past time by this machine's clock. The past is kept for Memory, but not across
// restarts.
func (db *DB) ViewAsOf(then time.Time, read func(tx *Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return read(&Tx{db: db, then: then})
}

// Update runs change and stores what it wrote, in the file first and then
// in memory. If change or the file fails, the tables do not change.
func (db *DB) Update(change func(tx *Tx) error) error { return db.updateAt(time.Now, change) }

// UpdatePast is Update of what time has changed, not a request: views of the past include it.
func (db *DB) UpdatePast(change func(tx *Tx) error) error { return db.updateAt(nil, change) }

// updateAt is Update with the time of the commit; nil: the replaced rows are not kept.
func (db *DB) updateAt(commit func() time.Time, change func(tx *Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	tx := &Tx{db: db, writes: map[string]map[string]write{}}
	if err := change(tx); err != nil {
		return err
	}
	if err := db.persist(tx.writes); err != nil {
		return fmt.Errorf("write state file: %w", err)
	}
	if commit != nil {
		now := commit()
		for _, table := range db.tables {
			table.forget(now)
		}
		for table, writes := range tx.writes {
			for id := range writes {
				db.tables[table].remember(id, now)
			}
		}
	}
	for table, writes := range tx.writes {
		db.commits++
		for id, w := range writes {
			db.tables[table].apply(id, w)
		}
	}
	return nil
}

// Commits returns a number that is greater after each change of a table.
func (tx *Tx) Commits() int64 { return tx.db.commits }

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

// Tx is a transaction. It ends when its function returns.
type Tx struct {
	db     *DB
	writes map[string]map[string]write // nil: a View
	then   time.Time                   // zero: the current tables
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
