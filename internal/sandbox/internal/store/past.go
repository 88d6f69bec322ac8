package store

import (
	"slices"
	"time"
)

// Memory is how long a table keeps what a write has replaced, for ViewAsOf.
const Memory = time.Minute

// version is a row as it was until a write replaced it.
type version struct {
	until time.Time
	row   any
	stood bool // false: there was no such row
}

// remember keeps what a write at that time replaces.
func (r *rows) remember(id string, at time.Time) {
	if r.past == nil {
		r.past = map[string][]version{}
	}
	old, stood := r.byID[id]
	recent := slices.DeleteFunc(r.past[id], func(v version) bool { return at.Sub(v.until) > Memory })
	r.past[id] = append(recent, version{until: at, row: old, stood: stood})
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
