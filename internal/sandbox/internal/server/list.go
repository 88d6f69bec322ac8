package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of pages (service description, Recurring billing §8).
const (
	DocumentedMaxPerPage = 100
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

// List returns the requested page of objects (service description, Recurring billing §4 Collections). Without sort_by
// the order changes between requests, because the description does not promise one.
func List[T any](c *Call, objects []T) (Reply, error) {
	page, perPage, err := c.pageSize()
	if err != nil {
		return Reply{}, err
	}
	p := Problems{}
	order := c.Query.Get("sort_order")
	if c.Query.Has("sort_order") && order != "asc" && order != "desc" {
		p["sort_order"] = "must be one of: asc, desc"
	}
	if !c.Query.Has("sort_by") {
		c.Source.shuffle(len(objects), func(i, j int) {
			objects[i], objects[j] = objects[j], objects[i]
		})
	} else if !sortBy(objects, c.Query.Get("sort_by"), order != "asc") {
		p["sort_by"] = "must be a field of the resource"
	}
	if err := p.Err(); err != nil {
		return Reply{}, err
	}
	return pageOf(c, objects, page, perPage), nil
}

// Page returns the requested page of ordered objects.
func Page[T any](c *Call, objects []T) (Reply, error) {
	page, perPage, err := c.pageSize()
	if err != nil {
		return Reply{}, err
	}
	return pageOf(c, objects, page, perPage), nil
}

// pageSize returns the requested page and its size.
func (c *Call) pageSize() (page, perPage int, err error) {
	limit, p := c.MaxPerPage, Problems{}
	page, perPage = c.clamped(p, "page", 1, 0), c.clamped(p, "per_page", min(documentedPerPage, limit), limit)
	if len(p) > 0 {
		return 0, 0, ErrMalformed.About(map[string]any{"fields": p})
	}
	return page, perPage, nil
}

// pageOf returns one page of ordered objects.
func pageOf[T any](c *Call, objects []T, page, perPage int) Reply {
	total := len(objects)
	meta := pageMeta{Total: total, Page: page, PerPage: perPage, TotalPages: (total + perPage - 1) / perPage}
	from, to := window(page, perPage, total)
	return Reply{Status: http.StatusOK, Body: map[string]any{"data": objects[from:to], "meta": meta}}
}

// window returns the range of objects on a page.
func window(page, perPage, total int) (from, to int) {
	if page-1 > total/perPage { // avoids overflow of the product
		return total, total
	}
	from = min((page-1)*perPage, total)
	return from, min(from+perPage, total)
}

// clamped parses an integer parameter and clamps it to the range from 1 to most (0: no maximum). A value that is not an
// integer is reported.
func (c *Call) clamped(p Problems, name string, byDefault, most int) int {
	if !c.Query.Has(name) {
		return byDefault
	}
	n, err := strconv.Atoi(c.Query.Get(name))
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		p[name] = "must be an integer"
		return byDefault
	}
	// On ErrRange, Atoi returns the nearest integer.
	n = max(n, 1)
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// Filter compares an object's value with a query parameter; without the parameter, everything passes.
func (c *Call) Filter(name string, passes func(value string) bool) bool {
	if !c.Query.Has(name) {
		return true
	}
	return passes(c.Query.Get(name))
}

// since parses updated_at_gte; zero if unset.
func (c *Call) since() (time.Time, error) {
	if !c.Query.Has("updated_at_gte") {
		return time.Time{}, nil
	}
	at, ok := ParseTime(c.Query.Get("updated_at_gte"))
	if !ok {
		return at, Invalid(Problems{"updated_at_gte": "must be a date, or a date with time and zone"})
	}
	return at, nil
}

// sortKey is a field's value in a form that compares cheaply: null first, numbers numerically, everything else as text.
type sortKey struct {
	present int // 0 or 1
	number  int64
	text    string
	id      string // breaks ties, so that the order is stable between requests
}

func (k sortKey) compare(other sortKey) int {
	return cmp.Or(
		cmp.Compare(k.present, other.present),
		cmp.Compare(k.number, other.number),
		cmp.Compare(k.text, other.text),
		cmp.Compare(k.id, other.id),
	)
}

// sortBy sorts objects, which are structs with an id, by the field with that
// name in the response. It returns false if the field does not exist.
func sortBy[T any](objects []T, name string, descending bool) bool {
	field, ok := jsonField(reflect.TypeFor[T](), name)
	if !ok {
		return false
	}
	id, ok := jsonField(reflect.TypeFor[T](), "id")
	if !ok {
		return false
	}
	type keyed struct {
		key    sortKey
		object T
	}
	all := make([]keyed, len(objects))
	for i, object := range objects {
		value := reflect.ValueOf(object)
		all[i] = keyed{keyOf(value.FieldByIndex(field)), object}
		all[i].key.id = value.FieldByIndex(id).String()
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if descending {
			a, b = b, a
		}
		return a.key.compare(b.key)
	})
	for i := range all {
		objects[i] = all[i].object
	}
	return true
}

// FieldsOf returns the JSON names of a struct's fields.
func FieldsOf[T any]() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func jsonField(structure reflect.Type, name string) ([]int, bool) {
	for _, field := range reflect.VisibleFields(structure) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name && name != "" {
			return field.Index, true
		}
	}
	return nil, false
}

func keyOf(value reflect.Value) sortKey {
	text := textOf(value)
	if text == nil {
		return sortKey{}
	}
	key := sortKey{present: 1, text: *text}
	if value = reflect.Indirect(value); value.CanInt() {
		key.number = value.Int()
	}
	return key
}

// textOf returns a value as it appears in a response, nil for null. Dates have the same length and zone, so that their
// texts sort.
func textOf(value reflect.Value) *string {
	value = reflect.Indirect(value)
	if !value.IsValid() {
		return nil
	}
	text := value.String()
	if value.Kind() != reflect.String {
		// Marshal cannot fail for a value returned in the same response.
		document, _ := json.Marshal(value.Interface())
		if text = strings.Trim(string(document), `"`); text == "null" {
			return nil
		}
	}
	return &text
}

// TextOf returns an optional text, "" for nil.
func TextOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
