package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type row struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

func open(t *testing.T, path string) (*store.DB, store.Table[row]) {
	t.Helper()
	db, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := store.NewTable[row](db, "rows")
	if err := db.Err(); err != nil {
		t.Fatal(err)
	}
	return db, rows
}

func ids(t *testing.T, db *store.DB, rows store.Table[row]) (found []string) {
	t.Helper()
	if err := db.View(func(tx *store.Tx) error {
		for id := range rows.All(tx) {
			found = append(found, id)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func put(names ...string) func(tx *store.Tx, rows store.Table[row]) {
	return func(tx *store.Tx, rows store.Table[row]) {
		for _, name := range names {
			rows.Put(tx, name, row{Name: name})
		}
	}
}

// A committed transaction is stored in memory and in a file, in the order of ids.
func TestUpdates(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"memory": "", "file": filepath.Join(t.TempDir(), "state.db")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, rows := open(t, path)
			if err := db.Update(func(tx *store.Tx) error {
				put("b", "c", "a")(tx, rows)
				rows.Delete(tx, "c")
				if _, ok := rows.Get(tx, "c"); ok {
					t.Error("a transaction does not see its own deletion")
				}
				if got, ok := rows.Get(tx, "a"); !ok || got.Name != "a" {
					t.Error("a transaction does not see its own write")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if got := ids(t, db, rows); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("rows %v", got)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if path == "" {
				return
			}
			db, rows = open(t, path)
			defer db.Close()
			if got := ids(t, db, rows); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("rows after opening again %v", got)
			}
		})
	}
}

// A failed transaction changes neither memory nor the file.
func TestFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db, rows := open(t, path)
	stop := errors.New("stop")
	steps := []struct {
		name string
		err  error
	}{{"a", nil}, {"b", stop}}
	for _, step := range steps {
		err := db.Update(func(tx *store.Tx) error {
			put(step.name)(tx, rows)
			return step.err
		})
		if !errors.Is(err, step.err) {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	if got := ids(t, db, rows); !slices.Equal(got, []string{"a"}) {
		t.Errorf("rows %v", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *store.Tx) error { put("c")(tx, rows); return nil }); err == nil {
		t.Error("a closed file accepted a write")
	}
	if got := ids(t, db, rows); !slices.Equal(got, []string{"a"}) {
		t.Errorf("a write rejected by the file was kept: %v", got)
	}
}

// Opening a table whose rows have another type fails immediately.
func TestTableOfAnotherType(t *testing.T) {
	t.Parallel()
	db, rows := open(t, filepath.Join(t.TempDir(), "state.db"))
	defer db.Close()
	if err := db.Update(func(tx *store.Tx) error { put("a")(tx, rows); return nil }); err != nil {
		t.Fatal(err)
	}
	if store.NewTable[[]int](db, "rows"); db.Err() == nil {
		t.Error("opened")
	}
}

func TestWriteInViewPanics(t *testing.T) {
	t.Parallel()
	db, rows := open(t, "")
	defer func() {
		if recover() == nil {
			t.Error("a View wrote")
		}
	}()
	_ = db.View(func(tx *store.Tx) error { put("a")(tx, rows); return nil })
}

// An index returns the rows with a key, before and after a commit, and from a file.
func TestIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	byTag := func(r row) string {
		if len(r.Tags) == 0 {
			return ""
		}
		return r.Tags[0]
	}
	db, rows := open(t, path)
	index := store.NewIndex(db, rows, byTag)
	found := func(tx *store.Tx, key string) (names []string) {
		for id := range index.All(tx, key) {
			names = append(names, id)
		}
		return names
	}
	want := func(tx *store.Tx, key string, names ...string) {
		t.Helper()
		if got := found(tx, key); !slices.Equal(got, names) {
			t.Errorf("%s: %v, want %v", key, got, names)
		}
	}
	update := func(change func(tx *store.Tx)) {
		t.Helper()
		if err := db.Update(func(tx *store.Tx) error { change(tx); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *store.Tx) {
		rows.Put(tx, "1", row{Tags: []string{"x"}})
		rows.Put(tx, "2", row{Tags: []string{"x"}})
		rows.Put(tx, "3", row{Tags: []string{"y"}})
		rows.Put(tx, "4", row{})
		want(tx, "x", "1", "2")
	})
	update(func(tx *store.Tx) {
		rows.Put(tx, "1", row{Tags: []string{"y"}})
		rows.Delete(tx, "2")
		want(tx, "x")
		want(tx, "y", "1", "3")
	})
	update(func(tx *store.Tx) { want(tx, "x"); want(tx, "y", "1", "3") })
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, rows = open(t, path)
	defer db.Close()
	index = store.NewIndex(db, rows, byTag)
	update(func(tx *store.Tx) { want(tx, "x"); want(tx, "y", "1", "3") })
}

// A view of the past shows earlier versions: it omits later rows and includes changed and deleted ones, through an
// index too. It includes what time has changed.
func TestViewAsOf(t *testing.T) {
	t.Parallel()
	db, rows := open(t, "")
	index := store.NewIndex(db, rows, func(r row) string { return r.Name })
	change := func(do func(tx *store.Tx)) (after time.Time) {
		t.Helper()
		if err := db.Update(func(tx *store.Tx) error { do(tx); return nil }); err != nil {
			t.Fatal(err)
		}
		after = time.Now()
		time.Sleep(time.Millisecond)
		return after
	}
	first := change(func(tx *store.Tx) { rows.Put(tx, "a", row{Name: "old"}); rows.Put(tx, "b", row{Name: "b"}) })
	second := change(func(tx *store.Tx) { rows.Put(tx, "a", row{Name: "new"}); rows.Delete(tx, "b") })
	change(func(tx *store.Tx) { rows.Put(tx, "c", row{Name: "c"}) })
	if err := db.UpdatePast(func(tx *store.Tx) error { rows.Put(tx, "a", row{Name: "due"}); return nil }); err != nil {
		t.Fatal(err)
	}
	for then, want := range map[time.Time]string{first: "a=old b=b ", second: "a=due ", {}: "a=due c=c "} {
		if err := db.ViewAsOf(then, func(tx *store.Tx) error {
			got := ""
			for id, r := range rows.All(tx) {
				got += id + "=" + r.Name + " "
			}
			if got != want {
				t.Errorf("as of %v: %q, want %q", then, got, want)
			}
			found := 0
			for range index.All(tx, "old") {
				found++
			}
			if old := then.Equal(first); old != (found == 1) {
				t.Errorf("as of %v: the index finds %d", then, found)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
