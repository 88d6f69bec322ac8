package run

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	// quiet is how long no further object of the state has been seen before an object counts as outside of it. Terraform
	// refreshes and plans in no order.
	quiet = 2 * time.Second
	// longest bounds that wait.
	longest = time.Minute
	// look is how often it is looked meanwhile.
	look = 50 * time.Millisecond
)

// Known notes objects that are in the state of this run, before they are read.
func (r *Record) Known(typeName string, ids ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[object]bool{}
	}
	for _, id := range ids {
		r.known[key(typeName, id)] = true
	}
	r.seen = time.Now()
}

// Reading is Known for objects whose refresh begins; done ends it.
func (r *Record) Reading(typeName string, ids ...string) (done func()) {
	if r == nil {
		return func() {}
	}
	r.Known(typeName, ids...)
	count := func(by int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reading += by
		r.seen = time.Now()
	}
	count(1)
	return func() { count(-1) }
}

// Search finds what the creation of an object would duplicate.
type Search[T any] struct {
	TypeName string
	// List lists all objects of the type. It is read once in a run.
	List func(context.Context) iter.Seq2[T, error]
	ID   func(T) string
	// Same reports whether an object is what is to be created.
	Same func(T) bool
	// Certain lists again what was found, after reads have ceased to lag: it may have been deleted shortly before.
	Certain bool
}

// Outside returns the objects that the plan of a new object would duplicate and that are not in the state: this run has
// neither refreshed nor planned them. Without a list it returns none. It is for the plan alone: in the second plan,
// which Terraform makes inside the apply, the objects of the state are not seen, so nothing is outside of it.
//
// deferralAllowed is ModifyPlanRequest.ClientCapabilities.DeferralAllowed, see Applying.
func Outside[T any](ctx context.Context, r *Record, deferralAllowed bool, s Search[T]) (found []T) {
	if r == nil || deferralAllowed || r.applying() {
		return nil
	}
	all, err := listed(ctx, r, s)
	if err != nil {
		tflog.Debug(ctx, "Existing objects cannot be listed, so no duplicate is looked for",
			map[string]any{"type": s.TypeName, "error": err.Error()})
		return nil
	}
	for _, item := range all {
		if s.Same(item) {
			found = append(found, item)
		}
	}
	start := time.Now()
	for found = unknown(r, s, found); len(found) > 0 && !r.settled(start); found = unknown(r, s, found) {
		if !sleep(ctx, look) {
			return nil
		}
	}
	if len(found) == 0 || !s.Certain || !sleep(ctx, api.ReadLag-time.Since(start)) {
		return found
	}
	left := map[object]bool{}
	for item, err := range s.List(ctx) {
		if err != nil {
			return found
		}
		left[key(s.TypeName, s.ID(item))] = true
	}
	return unknown(r, s, slices.DeleteFunc(found, func(item T) bool { return !left[key(s.TypeName, s.ID(item))] }))
}

// sleep reports whether the time has passed; it has not if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// unknown leaves out what is in the state.
func unknown[T any](r *Record, s Search[T], found []T) (left []T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.applied {
		return nil
	}
	for _, item := range found {
		if object := key(s.TypeName, s.ID(item)); r.objects[object] == unseen && !r.known[object] {
			left = append(left, item)
		}
	}
	return left
}

// settled reports whether all objects of the state have probably been seen.
func (r *Record) settled(start time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := start
	if r.seen.After(since) {
		since = r.seen
	}
	return r.reading == 0 && time.Since(since) >= quiet || time.Since(start) >= longest
}

func (r *Record) applying() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}

// inventory is a list that is read once.
type inventory struct {
	once  sync.Once
	items any // []T
	err   error
}

func listed[T any](ctx context.Context, r *Record, s Search[T]) ([]T, error) {
	r.mu.Lock()
	if r.inventories == nil {
		r.inventories = map[string]*inventory{}
	}
	if r.inventories[s.TypeName] == nil {
		r.inventories[s.TypeName] = &inventory{}
	}
	list := r.inventories[s.TypeName]
	r.mu.Unlock()
	list.once.Do(func() {
		var items []T
		for item, err := range s.List(ctx) {
			if err != nil {
				list.err = err
				return
			}
			items = append(items, item)
		}
		list.items = items
	})
	items, _ := list.items.([]T)
	return items, list.err
}
