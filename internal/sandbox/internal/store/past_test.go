package store

import (
	"strconv"
	"testing"
	"time"
)

// Replaced rows are kept for Memory and no longer, even if other rows are written later.
func TestPastIsForgotten(t *testing.T) {
	t.Parallel()
	db, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	table, other := NewTable[int](db, "rows"), NewTable[int](db, "others")
	began := time.Now()
	update := func(after time.Duration, change func(tx *Tx)) {
		at := func() time.Time { return began.Add(after) }
		if err := db.updateAt(at, func(tx *Tx) error { change(tx); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 100 {
		update(0, func(tx *Tx) { table.Put(tx, strconv.Itoa(n), n) })
		update(time.Second, func(tx *Tx) { table.Delete(tx, strconv.Itoa(n)) })
	}
	update(Memory, func(tx *Tx) { table.Put(tx, "changed", 1) })
	update(Memory+time.Second, func(tx *Tx) { other.Put(tx, "other", 1) })
	for then, want := range map[time.Duration]int{time.Second / 2: 100, Memory + time.Second/2: 1} {
		if err := db.ViewAsOf(began.Add(then), func(tx *Tx) error {
			found := 0
			for range table.All(tx) {
				found++
			}
			if found != want {
				t.Errorf("%d rows after %s, want %d", found, then, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	update(2*Memory+2*time.Second, func(tx *Tx) { other.Put(tx, "other", 2) })
	if kept := len(db.tables["rows"].past); kept != 0 {
		t.Errorf("%d rows of the past are kept", kept)
	}
}
