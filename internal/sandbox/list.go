package sandbox

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Pages (service description, Recurring billing §8).
const (
	documentedMaxPerPage = 100
	documentedPerPage    = 20
)

// pageMeta is the pagination meta; all four are always present
// (service description, Recurring billing §2 Envelopes).
type pageMeta struct {
	Total      int `json:"total"`
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	TotalPages int `json:"total_pages"`
}

// list answers the page of objects that the query asks for
// (service description, Recurring billing §4 Collections). Without sort_by the
// order changes from one request to the next: none is promised.
func list[T any](c *call, objects []T) (reply, error) {
	p := problems{}
	page, perPage := c.pageSize(p)
	order := c.query.Get("sort_order")
	if c.query.Has("sort_order") && order != "asc" && order != "desc" {
		p["sort_order"] = "must be one of: asc, desc"
	}
	if !c.query.Has("sort_by") {
		c.server.source.shuffle(len(objects), func(i, j int) {
			objects[i], objects[j] = objects[j], objects[i]
		})
	} else if !sortBy(objects, c.query.Get("sort_by"), order != "asc") {
		p["sort_by"] = "must be a field of the resource"
	}
	if err := p.err(); err != nil {
		return reply{}, err
	}
	return pageOf(c, objects, page, perPage), nil
}

// pageSize reads which page is wanted, and of how many objects.
func (c *call) pageSize(p problems) (page, perPage int) {
	limit := c.server.options.MaxPerPage
	return c.clamped(p, "page", 1, 0), c.clamped(p, "per_page", min(documentedPerPage, limit), limit)
}

// pageOf answers one page of objects that are in their order.
func pageOf[T any](c *call, objects []T, page, perPage int) reply {
	shift := c.server.options.Tolerance.shift(page)
	total := max(len(objects)-shift, 0)
	meta := pageMeta{Total: total, Page: page, PerPage: perPage, TotalPages: (total + perPage - 1) / perPage}
	from, to := window(page, perPage, len(objects), shift)
	return reply{status: http.StatusOK, body: map[string]any{"data": objects[from:to], "meta": meta}}
}

// shift is by how many objects the list seems to have moved forward since the
// first page was read: an object before it has gone, or (-1) has come.
func (t Tolerance) shift(page int) int {
	switch {
	case page > 1 && t.RepeatAcrossPages:
		return -1
	case page > 1 && t.SkipAcrossPages:
		return 1
	default:
		return 0
	}
}

// window is the part of total objects that stands on a page.
func window(page, perPage, total, shift int) (from, to int) {
	if page-1 > total/perPage { // before the product could overflow
		return total, total
	}
	from = min((page-1)*perPage+shift, total)
	return from, min(from+perPage, total)
}

// clamped reads an integer parameter of at least 1 and, when most is not 0, at
// most that. Out-of-range values are clamped, however large; what is no
// integer at all is reported.
func (c *call) clamped(p problems, name string, byDefault, most int) int {
	if !c.query.Has(name) {
		return byDefault
	}
	n, err := strconv.Atoi(c.query.Get(name))
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		p[name] = "must be an integer"
		return byDefault
	}
	// On ErrRange, Atoi answers the nearest integer there is.
	n = max(n, 1)
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// filter is one of an object's values against one query parameter; a filter
// that is not given lets everything pass.
func (c *call) filter(name string, passes func(value string) bool) bool {
	if !c.query.Has(name) || c.server.options.Tolerance.IgnoreFilters {
		return true
	}
	return passes(c.query.Get(name))
}

// since reads updated_at_gte. Zero means not given.
func (c *call) since() (time.Time, error) {
	if !c.query.Has("updated_at_gte") {
		return time.Time{}, nil
	}
	at, ok := parseMoment(c.query.Get("updated_at_gte"))
	if !ok {
		return time.Time{}, invalid(problems{
			"updated_at_gte": "must be a date, or a date with time and zone",
		})
	}
	if c.server.options.Tolerance.IgnoreFilters {
		return time.Time{}, nil
	}
	return at, nil
}

// is compares an optional text with a wanted one.
func is(value *string, wanted string) bool { return value != nil && *value == wanted }

// contains looks for a lowercase needle in optional text, whatever its case.
func contains(value *string, needle string) bool {
	return value != nil && strings.Contains(strings.ToLower(*value), needle)
}

// plainDocument takes the mask off a document number. A CNPJ has letters too,
// which have no case (a character counts as its ASCII code less 48).
func plainDocument(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return -1
	}, s)
}

// readLag keeps new objects out of their first listings.
type readLag struct {
	listings int
	mu       sync.Mutex
	hidden   map[string]int // id → how many listings still miss it
}

func (l *readLag) hide(id string) {
	if l.listings <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hidden == nil {
		l.hidden = map[string]int{}
	}
	l.hidden[id] = l.listings
}

// shows counts one listing that could have held the object, and tells whether
// it does.
func (l *readLag) shows(id string) bool {
	if l.listings <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hidden[id] == 0 {
		return true
	}
	l.hidden[id]--
	return false
}
