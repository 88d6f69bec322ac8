package contract_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// place is what a cursor stands for: behind which record of which list it is.
type place struct {
	list  string // collection and filters
	after int
}

func listName(collection string, filters url.Values) string {
	return collection + "?" + filters.Encode()
}

// page answers a listing.
func (f *faithful) page(collection string, query url.Values) reply {
	limit := 25
	if text := query.Get("limit"); query.Has("limit") {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 100 {
			return reply{status: http.StatusBadRequest, err: "bad_request", details: object{"parameter": "limit"}}
		}
	}
	cursor := query.Get("cursor")
	query.Del("limit")
	query.Del("cursor")
	list := listName(collection, query)
	from := f.cursors[cursor]
	if cursor != "" && from.list != list {
		return badRequest
	}
	found := f.behind(collection, query, from.after)
	items := []object{}
	for _, entry := range found[:min(limit, f.most, len(found))] {
		items = append(items, maps.Clone(entry.fields))
	}
	meta := object{"next_cursor": nil}
	if n := len(items); n < len(found) {
		meta["next_cursor"] = f.cursor(place{list, f.reached(from.after, found[:n])})
	}
	return reply{status: http.StatusOK, body: object{"data": items, "meta": meta}}
}

// behind are the entries that match and come after a place.
func (f *faithful) behind(collection string, filters url.Values, after int) []*entry {
	var found []*entry
	for _, entry := range f.booked[collection] {
		if f.fits(entry.fields, filters) && (f.counting || entry.place > after) {
			found = append(found, entry)
		}
	}
	if f.newestFirst {
		slices.Reverse(found)
	}
	if f.counting {
		found = found[min(after, len(found)):]
	}
	return found
}

// reached is the place behind a page.
func (f *faithful) reached(before int, page []*entry) int {
	if f.counting {
		return before + len(page)
	}
	return page[len(page)-1].place
}

// cursor is the same for the same place, as long as the list does not change.
func (f *faithful) cursor(to place) string {
	opaque := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, "faithful", to)))
	f.cursors[opaque] = to
	return opaque
}

func (f *faithful) fits(fields object, filters url.Values) bool {
	for name := range filters {
		field, operator, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		have, is := fields[field].(string)
		if !is && f.lenient {
			continue
		}
		if !is || !compares(have, operator, filters.Get(name)) {
			return false
		}
	}
	return true
}

func compares(have, operator, bound string) bool {
	order := momentOf(have).Compare(momentOf(bound))
	switch operator {
	case "gte":
		return order >= 0
	case "gt":
		return order > 0
	case "lte":
		return order <= 0
	case "lt":
		return order < 0
	}
	return have == bound
}

// openAPI is the machine-readable description, in one form or the other.
func openAPI(form string) reply {
	method := object{"responses": object{}}
	list, collection := object{"get": method}, object{"get": method, "post": method}
	paths := object{
		"/v1/accounts": list, "/v1/payables": list, "/v1/receivables": list,
		"/v1/{collection}":      collection,
		"/v1/{collection}/{id}": object{"get": method, "patch": method, "delete": method},
		"/api/v1/openapi.yaml":  list, "/api/v1/openapi.json": list,
	}
	if form == "json" {
		return reply{status: http.StatusOK, body: object{"openapi": "3.1.0", "info": object{"title": "Faithful", "version": "1"}, "paths": paths}}
	}
	text := "openapi: 3.1.0\ninfo: {title: Faithful, version: '1'}\npaths:\n"
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		text += "  " + path + ": {}\n"
	}
	return reply{status: http.StatusOK, text: text}
}
