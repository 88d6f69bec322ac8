package run

import (
	"context"
	"iter"
	"sync"
)

// list is a listing that is read once in a run.
type list struct {
	once  sync.Once
	items any // []T
	err   error
}

// Listed returns all objects of a type. They are listed once in a run.
func Listed[T any](ctx context.Context, r *Record, typeName string, all func(context.Context) iter.Seq2[T, error]) (
	[]T, error) {
	r.mu.Lock()
	if r.lists == nil {
		r.lists = map[string]*list{}
	}
	if r.lists[typeName] == nil {
		r.lists[typeName] = &list{}
	}
	l := r.lists[typeName]
	r.mu.Unlock()
	l.once.Do(func() {
		var items []T
		for item, err := range all(ctx) {
			if l.err = err; err != nil {
				return
			}
			items = append(items, item)
		}
		l.items = items
	})
	items, _ := l.items.([]T)
	return items, l.err
}
