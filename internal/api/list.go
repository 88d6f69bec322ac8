package api

import (
	"bytes"
	"context"
	"crypto/sha256"
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
	// maxPages limits the length of a list, including one without a total: a million objects at 100 per page.
	maxPages = 10_000
	// maxListBytes limits the responses of a list in sum, because its objects are in memory together.
	maxListBytes = 256 << 20
	// mostVainPages is the maximum number of consecutive pages that do not bring the end of a list closer.
	mostVainPages = 10
)

// ListOptions configures the reading of a list.
type ListOptions[T any] struct {
	ID        func(T) string // identifies items; nil: duplicates are not detected
	PerPage   int            // requested page size; 0 means 100; the service may return less
	SortBy    string         // default "created_at", so that pages are stable; "-" sends none
	SortOrder string         // default "asc", so that what is new comes last
	Whole     bool           // a response without paging information is the whole list
}

// Count is a total that contradicts the list: more items were read.
type Count struct {
	Operation   string
	Total, Read int
}

type countsKey struct{}

// WithCounts makes lists on ctx report a total that contradicts what was read.
func WithCounts(ctx context.Context, report func(Count)) context.Context {
	return context.WithValue(ctx, countsKey{}, report)
}

// List reads a list page by page while it is consumed; breaking out of the loop stops it. Each object is returned once,
// even if the list changes: an item on two pages is yielded once, and if items are missing according to the total, the
// list is read a second time for new items. An item that is still missing then is not proven absent.
//
// A list ends with a page that is empty or brings nothing new, or with one that is shorter than others if the total, as
// far as there is one, has been read. A total never ends it alone, because it may be wrong: see [WithCounts].
//
// A list that repeats a page before it is complete according to its total is an error.
//
// A list may grow while it is read. If it grows by a page or more with each of mostVainPages consecutive pages, it has
// no end, which is an error.
//
// The last yield may be an error, with the zero T.
func List[T any](ctx context.Context, c *Client, r Request, o ListOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		reading := &reading[T]{
			client: c, request: r, options: o, yield: yield,
			yielded: map[string]bool{},
		}
		for range 2 {
			if reading.readOnce(ctx); reading.stopped || reading.complete() {
				break
			}
		}
		if !reading.stopped && reading.short() {
			reading.endless("the service repeats a page, and has shown %d of %d items", reading.shown(), *reading.total)
		}
	}
}

// Collect reads a list to its end. After an error, it returns no items.
func Collect[T any](list iter.Seq2[T, error]) (all []T, err error) {
	for object, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, object)
	}
	return all, nil
}

// page is one response of a list.
type page[T any] struct {
	size  int // of the response, in bytes
	items []*T
	meta  meta
	hash  [sha256.Size]byte // of the items as received
}

// meta is the paging information, as far as present.
type meta struct {
	Total      *int `json:"total"`
	PerPage    *int `json:"per_page"`
	TotalPages *int `json:"total_pages"`
}

// reading is the state of one List.
type reading[T any] struct {
	client  *Client
	request Request
	options ListOptions[T]
	yield   func(T, error) bool

	yielded map[string]bool // by id, over all passes
	unnamed int             // items without an id, in which duplicates are not detected
	total   *int            // according to the last page
	moved   bool            // the total changed during the last reading
	stopped bool            // by the consumer or an error
	size    int             // of the pages of the last reading
	// of the reading: the number of items, and of those on the longest page
	read, longest int
	// reported is set if the total is known to be wrong.
	reported bool
	// repeated is set if the last reading ended with a page that it had already read.
	repeated bool
}

// short reports whether a page was repeated before the list was complete according to its total.
func (l *reading[T]) short() bool { return l.repeated && l.total != nil && l.shown() < *l.total }

// shown is the number of yielded items.
func (l *reading[T]) shown() int { return len(l.yielded) + l.unnamed }

// complete reports whether all items were yielded according to the total. A total that changed during a pass proves
// nothing: a deletion on an earlier page may have moved an item to a page already read.
func (l *reading[T]) complete() bool {
	if l.total == nil || l.options.ID == nil || l.unnamed > 0 {
		return true
	}
	return !l.moved && len(l.yielded) >= *l.total
}

// readOnce reads the list from the first page.
func (l *reading[T]) readOnce(ctx context.Context) {
	seen := map[string]bool{} // in this reading
	pages := map[[sha256.Size]byte]bool{}
	left, vain := 0, 0 // left: remaining pages according to the last one
	l.total, l.moved, l.repeated, l.longest, l.read, l.size = nil, false, false, 0, 0, 0
	for number := 1; number <= maxPages; number++ {
		p, err := l.fetch(ctx, number)
		if err != nil {
			l.fail(err)
			return
		}
		if pages[p.hash] { // the service ignores the page number; without ids, nothing else shows this
			l.repeated = true
			return
		}
		pages[p.hash] = true
		l.count(p.meta.Total)
		if fresh := l.emit(p, seen); l.stopped || l.ends(ctx, p, fresh) {
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

// ends reports whether a page is the last one. fresh is the number of its items that no earlier page had.
func (l *reading[T]) ends(ctx context.Context, p *page[T], fresh int) bool {
	l.read += fresh
	l.longest = max(l.longest, len(p.items), p.perPage())
	switch {
	case len(p.items) == 0, l.options.Whole && p.meta == (meta{}):
		return true
	case fresh == 0: // a short page may repeat items that moved to it
		l.repeated = len(p.items) == l.longest
		return true
	case l.total == nil:
		return len(p.items) < l.longest
	case l.read > *l.total:
		l.contradict(ctx)
	}
	return len(p.items) < l.longest && l.read == *l.total
}

// endless reports a list that would never end.
func (l *reading[T]) endless(format string, values ...any) {
	l.fail(fmt.Errorf("%s %s: the list does not end: %s", l.client.cfg.Service, l.request.Operation,
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

// emit yields items that were not yielded before, and counts those that are new in this reading.
func (l *reading[T]) emit(p *page[T], seen map[string]bool) (fresh int) {
	if l.size += p.size; l.size > maxListBytes {
		l.fail(fmt.Errorf("%s %s: the responses have more than %d MiB in sum: to read less, set limit or a filter",
			l.client.cfg.Service, l.request.Operation, maxListBytes>>20))
		return 0
	}
	for _, item := range p.items {
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

// perPage is the page size in the response, because the service clamps the requested one; 0 if there is none.
func (p *page[T]) perPage() int {
	if p.meta.PerPage == nil {
		return 0
	}
	return *p.meta.PerPage
}

// contradict reports a wrong total, once per list.
func (l *reading[T]) contradict(ctx context.Context) {
	if report, ok := ctx.Value(countsKey{}).(func(Count)); ok && !l.reported {
		report(Count{Operation: l.request.Operation, Total: *l.total, Read: l.read})
	}
	l.reported = true
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

// IsNotList reports whether the path of a list has something else, such as a single object: the response contains no
// list, or the service rejects the page number, which every list accepts.
func IsNotList(err error) bool {
	e, ok := AsError(err)
	if !ok {
		return false
	}
	_, page := e.Fields["page"]
	return page || e.Field == "page" || e.noList
}

// decodePage decodes the list envelope. Null means no items; without the key data, it is not a list.
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
	p := &page[T]{size: len(response.Body), hash: sha256.Sum256(data)}
	if err := decodeInto(data, &p.items); err != nil {
		return nil, err
	}
	// Unreadable paging information is treated as absent: the items are valid, and the length of the pages shows the end.
	if raw, ok := top["meta"]; ok && decodeInto(raw, &p.meta) != nil {
		p.meta = meta{}
	}
	return p, nil
}

// ListBackward reads a list from its end, page by page while it is consumed. It is for lists that the service keeps in
// the order of creation and cannot sort. The first page contains the number of pages; without it, the whole list is
// read first. Each object is returned once. One created meanwhile may be missing, and one that moved between pages
// comes last.
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
		if len(first.items) > 0 && (!counted || !reading.backward(ctx, first, pages)) {
			reverse(List(ctx, c, r, o))(yield)
		}
	}
}

// backward reads the pages from that number down to the first, which is read again, because deletions move items to
// lower pages. It returns false, without yielding, if this is not the last page.
func (l *reading[T]) backward(ctx context.Context, first *page[T], number int) bool {
	seen := map[string]bool{}
	for last := number; number >= 1 && !l.stopped; number-- {
		p, err := first, error(nil)
		if last > 1 {
			p, err = l.fetch(ctx, number)
		}
		if err != nil {
			l.fail(err)
			return true
		}
		if number == last {
			switch ends, err := l.endsWith(ctx, p, number, len(first.items)); {
			case err != nil:
				l.fail(err)
				return true
			case !ends:
				return false
			}
		}
		if l.total == nil || p.meta.Total != nil && *p.meta.Total < *l.total {
			l.total = p.meta.Total // the smallest: objects created meanwhile may be missing
		}
		slices.Reverse(p.items)
		l.emit(p, seen)
	}
	if !l.stopped && !l.complete() {
		l.readOnce(ctx)
	}
	return true
}

// endsWith reports whether a page is the last one of the list: it is shorter than the first, or the next one is empty.
func (l *reading[T]) endsWith(ctx context.Context, p *page[T], number, longest int) (bool, error) {
	if len(p.items) == 0 || len(p.items) < max(longest, p.perPage()) {
		return len(p.items) > 0, nil
	}
	next, err := l.fetch(ctx, number+1)
	return err == nil && (len(next.items) == 0 || next.hash == p.hash), err
}

// pages is the number of pages according to the service, at least 1.
func (p *page[T]) pages() (n int, counted bool) {
	switch {
	case p.meta.TotalPages != nil:
		return min(max(*p.meta.TotalPages, 1), maxPages), true
	case p.meta.Total != nil && p.perPage() > 0:
		return min(max((*p.meta.Total+p.perPage()-1)/p.perPage(), 1), maxPages), true
	}
	return 0, false
}

// reverse yields the items of a list from its end, or only its error.
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

// Only yields the matching items of a list, and every error. The service may ignore a filter, so the filter is applied
// again (wire contract: tolerance).
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
