package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	// firstReads is how many objects of a type are read by their ids before the first page is asked for: most
	// configurations have fewer, and what they show says what a listed item has to show.
	firstReads = 4
	// pageAllowance is by how many pages may exceed the reads that they have returned, so a refresh never takes more than
	// this many requests above one per object.
	pageAllowance = 3
	// pagesAtOnce bounds the pages that are under way together: as many as the requests of a plan, so 1,000 objects take
	// two round trips.
	pagesAtOnce = 10
	// clocksApart is how far the clocks of this machine and of a service usually are apart at most.
	clocksApart = time.Minute
)

// Listing is a type of object whose list shows each one as a read of the single object does.
type Listing struct {
	Family string // "customers" has the operations customers.list and customers.get
	// ByID says that the list can be sorted by id. Then the id of an object tells on which page it is.
	ByID bool
	// Loaded is a field with another object, which lists may leave out: such an item is read by its id. "" is none.
	Loaded string
}

// Refreshed reads an object for a refresh, from the list where that takes fewer requests than reading each object; see
// [snapshot]. get reads the single object: an object that is not listed, that may have been written within the lag of
// reads, or that the list shows older than a write that w knows. Until the service has shown its time, this machine's
// clock tells what may have been written just now: right after an apply, pages would be read for nothing.
func Refreshed[T any](ctx context.Context, c *Client, w *Writes, l Listing, id string,
	get func(context.Context, string) (*T, error), updated func(*T) string) (*T, error) {
	s, v := c.snapshot(l), verificationIn(ctx)
	now, known := c.Date()
	if s == nil || v.byID || w.within(id, now) || !known && w.around(id, time.Now()) {
		return get(ctx, id)
	}
	if item := s.find(ctx, id); item != nil {
		if value := listedAs[T](item); value != nil && !w.within(id, item.date) && !w.after(id, updated(value)) {
			s.hit()
			v.unchanged = w.at(id, updated(value))
			return value, nil
		}
		s.asks()
	}
	defer s.asked()
	return get(ctx, id)
}

// verification is what a caller of Refreshed learns of the source of an object, and asks for.
type verification struct{ byID, unchanged bool }

type verificationKey struct{}

func verificationIn(ctx context.Context) *verification {
	if v, ok := ctx.Value(verificationKey{}).(*verification); ok {
		return v
	}
	return &verification{}
}

// Verifiable returns a context for a refresh, and whether its object came from a list that shows no later change than
// is known. Other values than the known ones are then left out by the list, as far as anyone can tell: the object has
// to be read again with [ByID].
func Verifiable(ctx context.Context) (_ context.Context, unchanged func() bool) {
	v := &verification{}
	return context.WithValue(ctx, verificationKey{}, v), func() bool { return v.unchanged }
}

// ByID returns a context in which refreshes use no list.
func ByID(ctx context.Context) context.Context {
	return context.WithValue(ctx, verificationKey{}, &verification{byID: true})
}

// listedAs decodes a listed item like the response to a read; nil where that would be an error.
func listedAs[T any](item *listedItem) *T {
	var value T
	if decodeInto(item.raw, &value) != nil {
		return nil
	}
	if checked, ok := any(&value).(interface{ Check() error }); ok && checked.Check() != nil {
		return nil
	}
	return &value
}

// snapshot is what the list of one type of object shows, read once, page by page, while objects are refreshed. It
// only says that an object is there: what it lacks is read by its id. Nobody is asked how many objects there will be,
// so the pages have to pay for themselves: never more than pageAllowance of them are read beyond the number of objects
// that they have shown.
//
// Where the list is sorted by id, the page that an object is on is estimated, because version 4 UUIDs are spread evenly
// (service description, Recurring billing §1). Such a page costs what reading the object would, and shows others for
// nothing. All pages that are left are read as soon as they are no more than the objects that wait for them, plus what
// has been saved.
//
// A list that fails, repeats or moves items, or shows less than the objects themselves, ends it: single reads follow.
// So does any write of this client.
type snapshot struct {
	client  *Client
	listing Listing
	slots   chan struct{} // of pagesAtOnce

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when those who wait should look again
	off     bool
	ctx     context.Context // of the pages; no reader's end ends it
	cancel  context.CancelFunc

	asking  int                        // single reads under way
	first   int                        // single reads before the first page
	waiting int                        // readers that wait for a page
	hits    int                        // reads that a page has returned
	started int                        // pages asked for
	loading int                        // of these, under way
	fields  map[string]int             // those that every single object had, numbered; nil: none was read
	singles map[string]json.RawMessage // some of these, by key

	sorted         bool
	total, perPage int         // as the first page said
	pages          []*pageKeys // by number, from 0; nil: not asked for
	items          map[string]*listedItem
	seen           map[string]bool // keys of all items so far
}

// pageKeys are the keys of the first and last item of a page; both are empty while it is under way.
type pageKeys struct{ first, last string }

// listedItem is an item of the list, as it came.
type listedItem struct {
	raw  json.RawMessage
	date time.Time // when the service listed it, by its own clock; zero: not known
}

// snapshots are those of one client.
type snapshots struct {
	mu      sync.Mutex
	written bool
	all     map[string]*snapshot // by family
}

// snapshot returns the snapshot of a type; nil where single reads are to be used.
func (c *Client) snapshot(l Listing) *snapshot {
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
			changed: make(chan struct{}), items: map[string]*listedItem{}, seen: map[string]bool{}}
		if c.snapshots.all == nil {
			c.snapshots.all = map[string]*snapshot{}
		}
		c.snapshots.all[l.Family] = s
	}
	return s
}

// wrote ends all snapshots of the client, before a write is sent. One write may change several objects: that of an
// account changes its customer.
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

// showed notes the response to a read of a single object.
func (c *Client) showed(operation string, object json.RawMessage) {
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
	fields := s.fieldsOf(object)
	key := keyOf(idIn(object, "id"))
	if item := s.items[key]; item != nil && !equal(item.raw, object) {
		// The page was faster than this read.
		s.fail(context.Background(), differs(key))
		return
	}
	if s.singles == nil {
		s.singles, s.fields = map[string]json.RawMessage{}, fields
	}
	s.singles[key] = slices.Clone(object)
	common := map[string]int{}
	for field := range s.fields {
		if _, has := fields[field]; has {
			common[field] = len(common)
		}
	}
	s.fields = common
}

// fieldsOf are the names of the fields of an object, and of the one that it holds.
func (s *snapshot) fieldsOf(object []byte) map[string]int {
	names := map[string]int{}
	s.eachField(object, func(name []byte) { names[string(name)] = len(names) })
	return names
}

// eachField calls visit for the name of each field of an object, and of the one that it holds. It does not decode them:
// every object of a refresh is asked for its fields.
func (s *snapshot) eachField(object []byte, visit func(name []byte)) {
	members(object, func(name, value []byte) {
		name = plain(name)
		visit(name)
		if s.listing.Loaded == "" || string(name) != s.listing.Loaded {
			return
		}
		inner := append(slices.Clone(name), '.')
		members(value, func(name, _ []byte) { visit(append(inner, plain(name)...)) })
	})
}

// shows reports whether an item has every field that the single objects had: what a list leaves out is not null.
func (s *snapshot) shows(item []byte) bool {
	has, missing := make([]bool, len(s.fields)), len(s.fields)
	s.eachField(item, func(name []byte) {
		if number, wanted := s.fields[string(name)]; wanted && !has[number] {
			has[number] = true
			missing--
		}
	})
	return missing == 0
}

// find returns the listed object, or nil when it is to be read by its id. It waits for pages that are under way, and
// asks for more where that costs no more than reading the objects.
func (s *snapshot) find(ctx context.Context, id string) *listedItem {
	key := keyOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.off {
		item := s.items[key]
		switch {
		case item != nil && s.fields != nil:
			// An object is read once in a run; its item is not kept.
			delete(s.items, key)
			if !s.shows(item.raw) {
				s.asking++
				return nil
			}
			return item
		case item != nil && s.asking > 0: // what it has to show is not known yet
		case item != nil, s.first < firstReads:
			s.first++
			s.asking++
			return nil
		case s.started == 0:
			s.start(ctx, 1)
		case s.total > 0 || s.loading == 0:
			number, sure, possible := s.pageOf(key)
			if !possible || !s.afford(ctx, number, sure) {
				s.asking++
				return nil
			}
		}
		if !s.wait(ctx) {
			break
		}
	}
	s.asking++
	return nil
}

// afford asks for the page, or for all that are left, where the reads that wait and those that were saved pay for it.
// It returns false when neither that page nor another one is under way: there is nothing to wait for.
func (s *snapshot) afford(ctx context.Context, number int, sure bool) bool {
	saved := pageAllowance + s.hits - s.started
	switch left := len(s.pages) - s.started; {
	case left > 0 && left <= saved+s.waiting+1:
		for number := range s.pages {
			if s.pages[number] == nil {
				s.start(ctx, number+1)
			}
		}
	case s.pages[number-1] == nil && saved > 0 && (sure || saved > 1):
		s.start(ctx, number)
	}
	return s.loading > 0
}

// pageOf is the number of the page that may show the object, and whether any can that was not read yet. sure says that
// it is probably that page.
func (s *snapshot) pageOf(key string) (number int, sure, possible bool) {
	if len(s.pages) == 0 {
		return 0, false, false
	}
	x, ok := position(key)
	if !s.sorted || !ok {
		for i, p := range s.pages {
			if p == nil || p.first == "" {
				return i + 1, true, true
			}
		}
		return 0, false, false
	}
	below, above := 0, len(s.pages)+1 // numbers of the pages next to it that were read
	from, to := 0.0, 1.0              // their ids that are next to it
	for i, p := range s.pages {
		switch {
		case p == nil || p.first == "":
		case key > p.last:
			below, from = i+1, positionOr(p.last, from)
		case key >= p.first:
			return 0, false, false
		default:
			above, to = i+1, positionOr(p.first, to)
		}
		if above <= len(s.pages) {
			break
		}
	}
	if above-below < 2 {
		return 0, false, false
	}
	first, last := float64(below*s.perPage), float64(min((above-1)*s.perPage, s.total))
	share := 0.0
	if to > from {
		share = (x - from) / (to - from)
	}
	rank := first + share*(last-first)
	number = min(max(int(rank)/s.perPage+1, below+1), above-1)
	// The rank of an id among others is distributed binomially.
	deviation := math.Sqrt((last - first) * share * (1 - share))
	low, high := rank-float64((number-1)*s.perPage), float64(number*s.perPage)-rank
	sure = (low > deviation || number == below+1) && (high > deviation || number == above-1)
	return number, sure, true
}

// position is where an id is among all UUIDs, in [0, 1).
func position(key string) (float64, bool) {
	if !same.IsUUID(key) {
		return 0, false
	}
	n, err := strconv.ParseUint(key[:8]+key[9:13], 16, 64)
	return float64(n) / (1 << 48), err == nil
}

func positionOr(key string, other float64) float64 {
	if x, ok := position(key); ok {
		return x
	}
	return other
}

// keyOf is an id as it is compared and sorted: UUIDs have no case.
func keyOf(id string) string {
	if same.IsUUID(id) {
		return strings.ToLower(id)
	}
	return id
}

// wait lets others go on until something has changed. It is false when ctx has ended. When nobody waits any more
// because of that, the provider is being stopped.
func (s *snapshot) wait(ctx context.Context) bool {
	changed := s.changed
	s.waiting++
	s.mu.Unlock()
	err := pause(ctx, -1, changed)
	s.mu.Lock()
	s.waiting--
	if err != nil && s.waiting == 0 {
		s.end()
	}
	return err == nil
}

func (s *snapshot) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// hit notes a read that an item has returned.
func (s *snapshot) hit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits++
}

// asks and asked frame the read of a single object.
func (s *snapshot) asks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking++
}

func (s *snapshot) asked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking--
	s.wake()
}

// end leaves everything to single reads.
func (s *snapshot) end() {
	s.off, s.items, s.seen, s.singles = true, nil, nil, nil
	if s.cancel != nil {
		s.cancel()
	}
	s.wake()
}

// start asks for a page. Its context has the values of the first reader's, and not its end.
func (s *snapshot) start(ctx context.Context, number int) {
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	if number > len(s.pages) {
		s.pages = make([]*pageKeys, number)
	}
	s.pages[number-1] = &pageKeys{}
	s.started++
	s.loading++
	go s.load(s.ctx, number)
}

func (s *snapshot) load(ctx context.Context, number int) {
	var p *page[json.RawMessage]
	var date time.Time
	err := ctx.Err()
	select {
	case s.slots <- struct{}{}:
		p, date, err = s.read(ctx, number)
		<-s.slots
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading--
	if err == nil && !s.off {
		err = s.add(number, p, date)
	}
	if err != nil && !s.off {
		s.fail(ctx, err)
	}
	s.wake()
}

// fail ends the snapshot, and logs why.
func (s *snapshot) fail(ctx context.Context, err error) {
	s.client.observer.Fallback(ctx, Exchange{Service: s.client.cfg.Service, Operation: s.listing.Family +
		".list", Err: err, Reason: "the list cannot be used for the refresh, objects are read one by one"})
	s.end()
}

func differs(key string) error {
	return fmt.Errorf("the list shows %q with other values than the object itself", key)
}

// read sends the request for one page. Its failure is nobody's error, and costs the others little time.
func (s *snapshot) read(ctx context.Context, number int) (*page[json.RawMessage], time.Time, error) {
	c := s.client
	query := url.Values{"page": {strconv.Itoa(number)}, "per_page": {strconv.Itoa(defaultPerPage)}}
	if s.listing.ByID {
		query.Set("sort_by", "id")
		query.Set("sort_order", "asc")
	}
	k, err := c.prepare(ctx, Request{Operation: s.listing.Family + ".list", Query: query})
	if err != nil {
		return nil, time.Time{}, err
	}
	k.optional = true
	response, err := c.run(ctx, k)
	if e, ok := AsError(err); ok && e.Status == http.StatusUnauthorized {
		// The next read reports it in full.
		c.refused.CompareAndSwap(e, nil)
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	p, err := decodePage[json.RawMessage](response)
	date, _ := http.ParseTime(response.Header.Get("Date"))
	return p, date, err
}

// add takes in a page. It returns what is odd about it.
func (s *snapshot) add(number int, p *page[json.RawMessage], date time.Time) error {
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
	keys := make([]string, len(p.items))
	for i, item := range p.items {
		if item != nil {
			keys[i] = keyOf(idIn(*item, "id"))
		}
		if keys[i] == "" {
			return errors.New("an item of the list has no id")
		}
		if s.seen[keys[i]] {
			return fmt.Errorf("the list shows %q twice", keys[i])
		}
		if single, known := s.singles[keys[i]]; known && !equal(single, *item) {
			return differs(keys[i])
		}
		s.seen[keys[i]] = true
		s.items[keys[i]] = &listedItem{raw: *item, date: date}
	}
	if len(keys) == 0 {
		return nil
	}
	s.pages[number-1] = &pageKeys{keys[0], keys[len(keys)-1]}
	// A service that sorts by something else is read from the first page on.
	s.sorted = s.sorted && slices.IsSorted(keys)
	return nil
}

// equal compares JSON values without their spelling.
func equal(a, b json.RawMessage) bool {
	x, errX := decodeAny(a)
	y, errY := decodeAny(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}
