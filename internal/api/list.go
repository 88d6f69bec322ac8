package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

const (
	defaultPerPage = 100
	// maxPages bounds what is believed of the length of a list, and one that does not say how long it is: a million
	// objects at 100 a page.
	maxPages = 10_000
	// mostVainPages is how many pages in a row may bring a list no nearer to its end.
	mostVainPages = 10
)

// ListOptions say how a list is read.
type ListOptions[T any] struct {
	ID        func(T) string // distinguishes items; nil: none is ever taken for a duplicate
	PerPage   int            // asked for; 0 means 100; the service may give less
	SortBy    string         // default "created_at", so that pages are stable; "-" sends none
	SortOrder string         // default "asc", so that what is new comes last
	Whole     bool           // a response without paging information is the whole list
}

// List reads a list page by page while it is consumed; breaking out of the loop
// stops it. Each object comes once, also when the list changes meanwhile: an
// item that is on two pages is yielded once, and when the total says that
// items are missing, the list is read a second time for what is new. What is
// still missing then is not proof of absence.
//
// A list that repeats a page before all that the service counts has come is an error.
//
// A list may grow while it is read. One that grows by a page or more with each of mostVainPages pages in a row has no
// end, which is an error.
//
// The last yield may be an error, with the zero T.
func List[T any](ctx context.Context, c *Client, r Request, o ListOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		reading := &reading[T]{
			client: c, request: r, options: o, yield: yield,
			yielded: map[string]bool{},
		}
		for range 2 {
			if reading.pass(ctx); reading.stopped || reading.complete() {
				break
			}
		}
		if !reading.stopped && reading.short() {
			reading.endless("the service repeats a page, and has shown %d of %d items", reading.shown(), *reading.total)
		}
	}
}

// page is one response of a list.
type page[T any] struct {
	items []*T
	meta  meta
	hash  [sha256.Size]byte // of the items as they came
}

// meta is the paging information, as far as it came.
type meta struct {
	Total      *int `json:"total"`
	PerPage    *int `json:"per_page"`
	TotalPages *int `json:"total_pages"`
}

// reading is one List under way.
type reading[T any] struct {
	client  *Client
	request Request
	options ListOptions[T]
	yield   func(T, error) bool

	yielded map[string]bool // by id, over all passes
	unnamed int             // items without an id, which cannot be distinguished
	total   *int            // as the last page said
	moved   bool            // the total changed during the last pass
	stopped bool            // by the consumer or an error
	// repeated says that the last pass ended with a page that it had read before.
	repeated bool
}

// short reports whether a page was repeated before all that the service counts was seen.
func (l *reading[T]) short() bool { return l.repeated && l.total != nil && l.shown() < *l.total }

// shown is how many items have come.
func (l *reading[T]) shown() int { return len(l.yielded) + l.unnamed }

// complete says whether all that the service counts has been seen. A total that
// changed on the way proves nothing: what was deleted on a page already read has
// pulled another item over the edge of the page, unseen.
func (l *reading[T]) complete() bool {
	if l.total == nil || l.options.ID == nil || l.unnamed > 0 {
		return true
	}
	return !l.moved && len(l.yielded) >= *l.total
}

// pass reads the list from the first page on.
func (l *reading[T]) pass(ctx context.Context) {
	seen := map[string]bool{} // in this pass
	pages := map[[sha256.Size]byte]bool{}
	longest, left, vain := 0, 0, 0 // left: pages to come, as the last one said
	l.total, l.moved, l.repeated = nil, false, false
	for number := 1; number <= maxPages; number++ {
		p, err := l.fetch(ctx, number)
		if err != nil {
			l.fail(err)
			return
		}
		if pages[p.hash] { // a service that ignores the page; without ids nothing else shows it
			l.repeated = true
			return
		}
		pages[p.hash] = true
		l.count(p.meta.Total)
		longest = max(longest, len(p.items))
		fresh := l.emit(p.items, seen)
		if l.stopped || p.last(number, longest) || l.options.Whole && p.meta == (meta{}) {
			return
		}
		if fresh == 0 {
			l.repeated = true
			return
		}
		length, counted := p.pages()
		if vain++; !counted || number == 1 || length-number < left {
			vain = 0
		}
		if left = length - number; vain == mostVainPages {
			l.endless("it grew with each of %d pages in a row", vain)
			return
		}
	}
	l.endless("more than %d pages", maxPages)
}

// endless fails with a list that would never end.
func (l *reading[T]) endless(format string, values ...any) {
	l.fail(fmt.Errorf("%s %s: the list seems to have no end: %s", l.client.cfg.Service, l.request.Operation,
		fmt.Sprintf(format, values...)))
}

func (l *reading[T]) count(total *int) {
	if l.total != nil && total != nil && *l.total != *total {
		l.moved = true
	}
	l.total = total
}

func (l *reading[T]) fail(err error) {
	var zero T
	l.stopped = true
	l.yield(zero, err)
}

// emit yields what was not yielded before, and counts what is new in this pass.
func (l *reading[T]) emit(items []*T, seen map[string]bool) (fresh int) {
	for _, item := range items {
		if item == nil {
			continue
		}
		id := ""
		if l.options.ID != nil {
			id = l.options.ID(*item)
		}
		if id == "" {
			l.unnamed++
		} else {
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		fresh++
		if l.yielded[id] {
			continue
		}
		if id != "" {
			l.yielded[id] = true
		}
		if !l.yield(*item, nil) {
			l.stopped = true
			return fresh
		}
	}
	return fresh
}

// last reports whether no page follows. It uses the page size that the service reports,
// not the requested one, because the service clamps it. Without that, a page shorter than
// another one was the last.
func (p *page[T]) last(number, longest int) bool {
	switch {
	case len(p.items) == 0:
		return true
	case p.meta.TotalPages != nil:
		return number >= *p.meta.TotalPages
	case p.meta.Total != nil && p.meta.PerPage != nil && *p.meta.PerPage > 0:
		return number*(*p.meta.PerPage) >= *p.meta.Total
	}
	return len(p.items) < longest
}

func (l *reading[T]) fetch(ctx context.Context, number int) (*page[T], error) {
	r := l.request
	r.Query = l.query(number)
	response, err := l.client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	p, err := decodePage[T](response)
	if err != nil {
		return nil, l.client.unusable(response, err)
	}
	return p, nil
}

func (l *reading[T]) query(number int) url.Values {
	query := maps.Clone(l.request.Query)
	if query == nil {
		query = url.Values{}
	}
	perPage, sortBy, sortOrder := l.options.PerPage, l.options.SortBy, l.options.SortOrder
	if perPage == 0 {
		perPage = defaultPerPage
	}
	query.Set("page", strconv.Itoa(number))
	query.Set("per_page", strconv.Itoa(perPage))
	if sortBy == "-" {
		return query
	}
	if sortBy == "" {
		sortBy = "created_at"
	}
	if sortOrder == "" {
		sortOrder = "asc"
	}
	query.Set("sort_by", sortBy)
	query.Set("sort_order", sortOrder)
	return query
}

var errNoList = errors.New("the response is not a list")

// IsNotList reports whether a list was asked for at a path that has something else, such as a single object: the
// response contains no list, or the service rejects the number of the page, which every list has.
func IsNotList(err error) bool {
	e, ok := AsError(err)
	if !ok {
		return false
	}
	_, page := e.Fields["page"]
	return page || e.Field == "page" || e.noList
}

// decodePage reads the list envelope. Null means no items; without the key
// data it is not a list.
func decodePage[T any](response *Response) (*page[T], error) {
	top, err := topOf(response)
	if err != nil {
		return nil, err
	}
	data, ok := top["data"]
	if !ok {
		return nil, fmt.Errorf("%w: it has no data", errNoList)
	}
	if bytes.HasPrefix(data, []byte("{")) {
		return nil, fmt.Errorf("%w: its data is an object", errNoList)
	}
	p := &page[T]{hash: sha256.Sum256(data)}
	if err := decodeInto(data, &p.items); err != nil {
		return nil, err
	}
	// Paging information that cannot be read is treated as absent: the items
	// are there, and the length of the pages shows the end.
	if raw, ok := top["meta"]; ok && json.Unmarshal(raw, &p.meta) != nil {
		p.meta = meta{}
	}
	return p, nil
}

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

// Only passes on the items of a list that match, and every error. A service may
// ignore a filter, so what was asked for is compared again (wire contract:
// tolerance).
func Only[T any](all iter.Seq2[T, error], matches func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range all {
			if err == nil && !matches(item) {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
