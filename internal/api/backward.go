package api

import (
	"context"
	"iter"
	"slices"
)

// ListBackward reads a list from its end, page by page while it is consumed, for a
// list that the service keeps in the order of creation and cannot sort. The first page
// says how many there are. Each object comes once; one that is created meanwhile may be
// left out, and one that the pages have missed comes last. Where the service does not
// say how many pages there are, the whole list is read first.
//
// The last yield may be an error, with the zero T.
func ListBackward[T any](ctx context.Context, c *Client, r Request, o ListOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		reading := &reading[T]{client: c, request: r, options: o, yield: yield, yielded: map[string]bool{}}
		first, err := reading.fetch(ctx, 1)
		if err != nil {
			reading.fail(err)
			return
		}
		pages, counted := first.pages()
		switch {
		case pages == 1 || len(first.items) == 0:
			slices.Reverse(first.items)
			reading.emit(first.items, map[string]bool{})
		case !counted || !reading.backward(ctx, pages):
			reverse(List(ctx, c, r, o))(yield)
		}
	}
}

// backward reads the pages from that number down to the first, which is read again: what is deleted meanwhile moves
// the rest towards the pages that are still to come. It is false when there is no such page, and nothing was yielded.
func (l *reading[T]) backward(ctx context.Context, number int) bool {
	seen := map[string]bool{}
	for last := number; number >= 1 && !l.stopped; number-- {
		p, err := l.fetch(ctx, number)
		if err != nil {
			l.fail(err)
			return true
		}
		if number == last && len(p.items) == 0 {
			return false
		}
		if l.total == nil || p.meta.Total != nil && *p.meta.Total < *l.total {
			l.total = p.meta.Total // the smallest: what was created meanwhile need not come
		}
		slices.Reverse(p.items)
		l.emit(p.items, seen)
	}
	if !l.stopped && !l.complete() {
		l.pass(ctx)
	}
	return true
}

// pages is how many pages the list has, as the service says.
func (p *page[T]) pages() (n int, counted bool) {
	switch {
	case p.meta.TotalPages != nil:
		return min(*p.meta.TotalPages, maxPages), true
	case p.meta.Total != nil && p.meta.PerPage != nil && *p.meta.PerPage > 0:
		return min((*p.meta.Total+*p.meta.PerPage-1) / *p.meta.PerPage, maxPages), true
	}
	return 0, false
}

// reverse yields the items of a list from its end, or its error alone.
func reverse[T any](all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var items []T
		for item, err := range all {
			if err != nil {
				yield(item, err)
				return
			}
			items = append(items, item)
		}
		for _, item := range slices.Backward(items) {
			if !yield(item, nil) {
				return
			}
		}
	}
}
