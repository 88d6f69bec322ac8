package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	// firstReads is how many objects of a type are read by id before the first page is read: most configurations have
	// fewer, and these objects show which fields a listed item must have.
	firstReads = 4
	// pageAllowance is how many more pages may be read than objects returned from them, so a refresh takes at most this
	// many requests more than one per object.
	pageAllowance = 3
	// pagesAtOnce limits the concurrent pages. It is the number of concurrent requests of a plan, so 1,000 objects take
	// two round trips.
	pagesAtOnce = 10
)

// Listing is a type of object whose list contains each object as a read by id returns it.
type Listing struct {
	Family string // "customers" has the operations customers.list and customers.get
	// ByID means that the list can be sorted by id, so that the id of an object determines its page.
	ByID bool
	// Loaded is a field with another object, which lists may omit; such an item is read by id. "" means none.
	Loaded string
}

// Refreshed reads an object for a refresh, from the list if that takes fewer requests; see [snapshot]. get reads a
// single object: one that is not listed, that may have been written within the lag of reads, or whose listed version is
// older than a write in w. unchanged reports that the object comes from a list and has not changed since the last write
// in w: if its values differ nevertheless, the list probably omits some, and the object must be read by id.
func Refreshed[T any](ctx context.Context, c *Client, w *Writes, l Listing, id string,
	get func(context.Context, string) (*T, error), updated func(*T) string) (
	_ *T, unchanged bool, _ error) {
	now, known := c.Date()
	if !known {
		now = time.Now()
	}
	s := c.snapshot(ctx, l)
	read := func() (*T, bool, error) {
		value, err := get(ctx, id)
		return value, false, err
	}
	if s == nil || w.within(id, now) {
		return read()
	}
	if item := s.find(ctx, id); item != nil {
		value, err := decodeAs[T](item.raw, false)
		if err == nil && !w.within(id, item.date) && !w.after(id, updated(&value)) {
			return &value, w.at(id, updated(&value)), nil
		}
		s.reject()
	}
	defer s.done()
	return read()
}

// snapshot is the list of one type of object, read once, page by page, during a refresh. It only proves that objects
// exist: a missing object is read by id. The number of objects to refresh is unknown, so at most pageAllowance more
// pages are read than objects returned from them.
//
// If the list is sorted by id, the page of an object is estimated, because version 4 UUIDs are evenly distributed
// (service description, Recurring billing §1). Such a page costs no more than a read of the object, and contains
// others. All remaining pages are read as soon as there are no more of them than objects that wait for them, plus saved
// requests.
//
// A list that fails, repeats or moves items, or omits fields of the objects, ends the snapshot, and so does any write
// of this client. Then objects are read by id.
type snapshot struct {
	client  *Client
	listing Listing
	slots   chan struct{}   // capacity pagesAtOnce
	ctx     context.Context // of the pages: has the values of the first reader's, but not its end
	cancel  context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when waiting readers should check again
	off     bool

	asked   int                        // single reads so far
	asking  int                        // of these, in flight
	waiting int                        // readers that wait for a page
	hits    int                        // reads served from a page
	started int                        // pages requested
	loading int                        // of these, in flight
	fields  map[string]bool            // fields that every single object had; nil: none was read
	singles map[string]json.RawMessage // some of these, by key

	sorted         bool
	total, perPage int                    // according to the first page
	pages          []*pageKeys            // by number, from 0; nil: not requested
	items          map[string]*listedItem // by key; nil: already returned
}

// pageKeys are the keys of the first and last item of a page; both are empty while it is in flight.
type pageKeys struct{ first, last string }

type listedItem struct {
	raw  json.RawMessage
	date time.Time // when the service listed it, by its own clock; zero: unknown
}

type snapshots struct {
	mu      sync.Mutex
	written bool
	all     map[string]*snapshot // by family
}

// snapshot returns the snapshot of a type, or nil to use single reads.
func (c *Client) snapshot(ctx context.Context, l Listing) *snapshot {
	if !c.cfg.BulkRefresh {
		return nil
	}
	c.snapshots.mu.Lock()
	defer c.snapshots.mu.Unlock()
	if c.snapshots.written {
		return nil
	}
	s, ok := c.snapshots.all[l.Family]
	if !ok {
		s = &snapshot{client: c, listing: l, sorted: l.ByID, slots: make(chan struct{}, pagesAtOnce),
			changed: make(chan struct{}), singles: map[string]json.RawMessage{}, perPage: defaultPerPage,
			pages: make([]*pageKeys, 1), items: map[string]*listedItem{}}
		s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
		if c.snapshots.all == nil {
			c.snapshots.all = map[string]*snapshot{}
		}
		c.snapshots.all[l.Family] = s
	}
	return s
}

// wrote ends all snapshots of the client before a write, because a write may change several objects: a change of an
// account also changes its customer.
func (c *Client) wrote() {
	c.snapshots.mu.Lock()
	defer c.snapshots.mu.Unlock()
	c.snapshots.written = true
	for _, s := range c.snapshots.all {
		s.mu.Lock()
		s.end()
		s.mu.Unlock()
	}
	c.snapshots.all = nil
}

// recordRead records the response to a read of a single object.
func (c *Client) recordRead(operation string, object json.RawMessage) {
	family, verb := split(operation)
	c.snapshots.mu.Lock()
	s := c.snapshots.all[family]
	c.snapshots.mu.Unlock()
	if s == nil || verb != "get" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.singles) >= firstReads || s.off {
		return
	}
	key := keyOf(idIn(object, "id"))
	if item := s.items[key]; item != nil && !same.JSONText(item.raw, object) {
		s.fail(differs(key)) // the page was faster than this read
		return
	}
	s.singles[key] = slices.Clone(object)
	fields := s.listing.fieldsOf(object)
	if s.fields == nil {
		s.fields = fields
	}
	maps.DeleteFunc(s.fields, func(name string, _ bool) bool { return !fields[name] })
}

// fieldsOf returns the names of the fields of an object and of its Loaded object.
func (l Listing) fieldsOf(object json.RawMessage) map[string]bool {
	names := map[string]bool{}
	var outer, inner map[string]json.RawMessage
	_ = json.Unmarshal(object, &outer)
	_ = json.Unmarshal(outer[l.Loaded], &inner)
	for name := range outer {
		names[name] = true
	}
	for name := range inner {
		names[l.Loaded+"."+name] = true
	}
	return names
}

// shows reports whether an item has every field of the single objects: an omitted field is not null.
func (s *snapshot) shows(item json.RawMessage) bool {
	has := s.listing.fieldsOf(item)
	for name := range s.fields {
		if !has[name] {
			return false
		}
	}
	return true
}

// find returns the listed object, or nil if the caller must read it by id and then call done. It waits for pages in
// flight, and requests more if that costs no more than reading the objects.
func (s *snapshot) find(ctx context.Context, id string) *listedItem {
	key := keyOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	for goOn := true; goOn && !s.off; goOn = s.wait(ctx) {
		item := s.items[key]
		switch {
		case item != nil && s.fields == nil && s.asking > 0:
			continue // the required fields are not known yet
		case item != nil && s.fields != nil && s.shows(item.raw):
			s.items[key] = nil // an object is read once in a run
			s.hits++
			return item
		case item == nil && s.asked >= firstReads && s.afford(key):
			continue
		}
		break
	}
	s.asked++
	s.asking++
	return nil
}

// reject reverts find: the object is read by id.
func (s *snapshot) reject() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits--
	s.asking++
}

func (s *snapshot) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking--
	s.wake()
}

// afford requests the page of an object, or all remaining ones, if the waiting reads and the saved requests pay for it.
// It returns false if no page is in flight to wait for.
func (s *snapshot) afford(key string) bool {
	number := s.pageOf(key)
	if number == 0 {
		return false
	}
	saved := pageAllowance + s.hits - s.started
	switch left := len(s.pages) - s.started; {
	case left > 0 && left <= saved+s.waiting+1:
		for i, p := range s.pages {
			if p == nil {
				s.start(i + 1)
			}
		}
	case s.pages[number-1] == nil && saved > 0:
		s.start(number)
	}
	return s.loading > 0
}

// pageOf estimates the number of the page that contains the object; 0 if it can only be on a page already read.
func (s *snapshot) pageOf(key string) int {
	if !s.sorted {
		return slices.IndexFunc(s.pages, func(p *pageKeys) bool { return p == nil || p.first == "" }) + 1
	}
	below, above := 0, len(s.pages)+1 // numbers of the nearest pages already read
	from, to := 0.0, 1.0              // positions of their adjacent ids
	for i, p := range s.pages {
		switch {
		case p == nil || p.first == "":
		case key > p.last:
			below, from = i+1, position(p.last)
		case above > len(s.pages) && key < p.first:
			above, to = i+1, position(p.first)
		case key < p.first:
		default:
			return 0
		}
	}
	if above-below < 2 {
		return 0
	}
	first, last := below*s.perPage, min((above-1)*s.perPage, s.total)
	rank := first + int((position(key)-from)/(to-from)*float64(last-first))
	return min(max(rank/s.perPage+1, below+1), above-1)
}

// position is the position of an id among all UUIDs, in [0, 1).
func position(key string) float64 {
	if !same.IsUUID(key) {
		return 0
	}
	n, _ := strconv.ParseUint(key[:8], 16, 32)
	return float64(n) / (1 << 32)
}

// keyOf normalizes an id for comparison and sorting: UUIDs are not case-sensitive.
func keyOf(id string) string {
	if same.IsUUID(id) {
		return strings.ToLower(id)
	}
	return id
}

// wait waits until something has changed. It returns false when ctx has ended.
func (s *snapshot) wait(ctx context.Context) bool {
	changed := s.changed
	s.waiting++
	s.mu.Unlock()
	err := pause(ctx, -1, changed)
	s.mu.Lock()
	s.waiting--
	return err == nil
}

func (s *snapshot) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// end switches to single reads.
func (s *snapshot) end() {
	s.off, s.items, s.singles = true, nil, nil
	s.cancel()
	s.wake()
}

// fail ends the snapshot and logs the reason.
func (s *snapshot) fail(err error) {
	s.client.observer.Observe(s.ctx, Exchange{Event: FallingBack, Service: s.client.cfg.Service,
		Operation: s.listing.Family + ".list", Err: err,
		Reason: "the list cannot be used for the refresh, objects are read one by one"})
	s.end()
}

func differs(key string) error {
	return fmt.Errorf("the list has other values for %q than the object itself", key)
}

// start requests a page.
func (s *snapshot) start(number int) {
	s.pages[number-1] = &pageKeys{}
	s.started++
	s.loading++
	go s.load(number)
}

func (s *snapshot) load(number int) {
	s.slots <- struct{}{}
	p, date, err := s.read(number)
	<-s.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading--
	if s.off {
		return
	}
	if err == nil {
		err = s.add(number, p, date)
	}
	if err != nil {
		s.fail(err)
	}
	s.wake()
}

// read sends the request for one page. Its failure is not an error of the refresh, and delays the other calls little.
func (s *snapshot) read(number int) (*page[json.RawMessage], time.Time, error) {
	c := s.client
	query := url.Values{"page": {strconv.Itoa(number)}, "per_page": {strconv.Itoa(defaultPerPage)}}
	if s.listing.ByID {
		query.Set("sort_by", "id")
		query.Set("sort_order", "asc")
	}
	k, err := c.prepare(s.ctx, Request{Operation: s.listing.Family + ".list", Query: query, Optional: true})
	if err != nil {
		return nil, time.Time{}, err
	}
	response, err := c.run(s.ctx, k)
	if err != nil {
		return nil, time.Time{}, err
	}
	p, err := decodePage[json.RawMessage](response)
	date, _ := http.ParseTime(response.Header.Get("Date"))
	return p, date, err
}

// add stores a page. It returns an error if the page is inconsistent.
func (s *snapshot) add(number int, p *page[json.RawMessage], date time.Time) error {
	if err := s.count(number, p); err != nil {
		return err
	}
	keys := make([]string, len(p.items))
	for i, item := range p.items {
		var err error
		if keys[i], err = s.addItem(item, date); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return nil
	}
	s.pages[number-1] = &pageKeys{keys[0], keys[len(keys)-1]}
	// If the service sorts by something else, the list is read from the first page.
	s.sorted = s.sorted && slices.IsSorted(keys)
	return nil
}

// count checks the length of the list and of a page for consistency with the first page, which sets them.
func (s *snapshot) count(number int, p *page[json.RawMessage]) error {
	if p.meta.Total == nil || p.meta.PerPage == nil {
		return errors.New("a page does not show how long the list is")
	}
	switch total, perPage := *p.meta.Total, *p.meta.PerPage; {
	case perPage < 1 || total < 0 || total > maxPages*perPage:
		return fmt.Errorf("a list cannot have %d items in pages of %d", total, perPage)
	case number > 1 && (total != s.total || perPage != s.perPage):
		return fmt.Errorf("the list had %d items, and %d on page %d", s.total, total, number)
	case number == 1:
		s.total, s.perPage = total, perPage
		s.pages = append(s.pages, make([]*pageKeys, max((total+perPage-1)/perPage-1, 0))...)
	}
	if want := max(min(s.perPage, s.total-(number-1)*s.perPage), 0); len(p.items) != want {
		return fmt.Errorf("page %d has %d items instead of %d", number, len(p.items), want)
	}
	return nil
}

// addItem adds an item of a page and returns its key.
func (s *snapshot) addItem(item *json.RawMessage, date time.Time) (key string, err error) {
	if item != nil {
		key = keyOf(idIn(*item, "id"))
	}
	if key == "" {
		return "", errors.New("an item of the list has no id")
	}
	if _, twice := s.items[key]; twice {
		return "", fmt.Errorf("the list contains %q twice", key)
	}
	if single, known := s.singles[key]; known && !same.JSONText(single, *item) {
		return "", differs(key)
	}
	s.items[key] = &listedItem{raw: *item, date: date}
	return key, nil
}
