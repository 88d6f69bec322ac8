package claims

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// What the laws check. Each function gets a scope with no objects in it; when only reading, objects that exist.

// some returns an object to look at: a new one, or existing ones.
func (s *scope) some(fields object) []made {
	if !s.p.target.ReadOnly {
		return []made{s.create(fields)}
	}
	found := s.existing(mostLooked, nil)
	if len(found) == 0 && s.k != records {
		s.p.lacks("an existing " + s.k.name)
	}
	return found
}

func checkShape(s *scope, _ string) {
	for _, one := range s.some(nil) {
		one.wantMembers("data", s.k.members)
		if s.k.embedded != "" {
			one.wantMembers("data.customer", s.k.embedded)
		}
		one.wantAlways(s.k.always)
		if s.p.target.ReadOnly {
			continue
		}
		for _, member := range s.k.blank {
			one.equal("data."+member, "", decoded)
		}
		if secret := "data." + s.k.secret; s.k.secret != "" {
			if second := s.create(nil); second.text(secret) == one.text(secret) {
				second.failf("%s is that of another %s", secret, s.k.name)
			}
		}
	}
}

// wantAlways compares the object in data with what every one, or every one of some, has to hold.
func (a *response) wantAlways(rules []string) {
	for _, rule := range rules {
		condition, then, conditional := strings.Cut(rule, ": ")
		if !conditional {
			then = rule
		}
		name, value, _ := strings.Cut(condition, "=")
		if absent, is := strings.CutPrefix(then, "!"); is {
			then = "!data." + absent
		} else {
			then = "data." + then
		}
		if !conditional || a.at("data."+name) == any(value) {
			a.expect(decoded, then)
		}
	}
	for _, name := range []string{"created_at", "createdAt"} {
		updated := "data." + strings.Replace(name, "created", "updated", 1)
		if a.at(updated) != any(missing{}) && a.time(updated).Before(a.time("data."+name)) {
			a.failf("%s is before %s", updated, name)
		}
	}
}

func checkRequestIDs(s *scope, _ string) {
	responses := []*response{s.p.get(s.path), s.p.get(s.path), s.p.get(recordPath(s.path, nobody)),
		s.p.send(call{method: http.MethodGet, path: s.path, anonymous: true})}
	if !s.p.target.ReadOnly {
		one := s.create(nil)
		responses = append(responses, one.response, s.p.get(one.path), s.p.patch(one.path, s.k.wrong),
			s.p.delete(one.path))
	}
	var seen []string
	for _, a := range responses {
		id := a.header.Get("Request-Id")
		if id == "" {
			a.failf("the Request-Id is missing")
		}
		if slices.Contains(seen, id) {
			a.failf("an earlier response had the same Request-Id")
		}
		seen = append(seen, id)
	}
}

func checkToken(s *scope, _ string) {
	calls := s.operations(recordPath(s.path, nobody))
	for _, c := range append(calls, call{method: http.MethodGet, path: s.path}, call{method: http.MethodPost, path: s.path,
		body: object{"name": "nobody"}}) {
		if !s.p.target.ReadOnly || c.method == http.MethodGet {
			c.token = unique()
			s.p.send(c).wantRejected(http.StatusUnauthorized)
		}
	}
	s.p.send(call{method: http.MethodGet, path: s.path, anonymous: true}).wantRejected(http.StatusUnauthorized)
}

// operations are those of one object.
func (s *scope) operations(path string) []call {
	calls := []call{{method: http.MethodGet, path: path}, {method: http.MethodDelete, path: path}}
	if s.k.other != nil {
		calls = append(calls, call{method: http.MethodPatch, path: path, body: object{"notes": "depois"}})
		if s.k.service != Billing {
			calls[2].body = object{"description": "depois"}
		}
	}
	if s.k == endpoints {
		calls = append(calls, call{method: http.MethodGet, path: path + "/deliveries"},
			call{method: http.MethodPost, path: path + "/deliveries/" + nobody + "/retry"})
	}
	for _, step := range slices.Sorted(maps.Keys(s.k.steps)) {
		c := call{method: http.MethodPost, path: path + "/" + step}
		if step == "items" {
			c.method = http.MethodPut
		}
		if body := s.k.steps[step]; body != nil {
			c.body = body
		}
		calls = append(calls, c)
	}
	return calls
}

func checkUnknown(s *scope, _ string) { s.wantGone(recordPath(s.path, nobody)) }

// wantGone fails unless every operation on an object is 404.
func (s *scope) wantGone(path string) {
	for _, c := range s.operations(path) {
		if !s.p.target.ReadOnly || c.method == http.MethodGet {
			s.p.send(c).wantRejected(http.StatusNotFound)
		}
	}
}

func checkPages(s *scope, _ string) {
	var ids []string
	if s.own() {
		s.list().want("data", []any{})
	}
	for range 3 {
		if !s.p.target.ReadOnly {
			ids = append(ids, s.create(nil).id())
		}
	}
	if s.k.cursors {
		s.checkCursors(ids)
		return
	}
	var sorted []string
	if s.k.sorts != nil {
		sorted = []string{"sort_by", "id", "sort_order", "asc"}
	}
	one := s.list(append(sorted, "per_page", "1")...)
	total := one.integer("meta.total")
	if total == 0 && s.p.target.ReadOnly {
		s.p.lacks("an existing " + s.k.name)
	}
	sizes := []int{2}
	if s.query != nil { // another list may be long
		sizes = []int{1, 2}
	}
	for _, size := range sizes {
		s.wantOnce(s.pages(min(size, s.p.maxPerPage()), total, sorted), ids)
	}
	if s.query != nil && total != len(ids) {
		one.failf("meta.total is %d, want %d", total, len(ids))
	}
	past := s.list(append(sorted, "page", strconv.Itoa(total+9), "per_page", "1")...)
	past.want("data", []any{}).want("meta.total", total)
}

// pages reads pages of a size, and returns the ids; only the first ones, when only reading.
func (s *scope) pages(size, total int, sorted []string) (seen []string) {
	for page := 1; len(seen) < total && s.p.err == nil && (page <= mostPagesRead || !s.p.target.ReadOnly); page++ {
		a := s.list(append(sorted, "page", strconv.Itoa(page), "per_page", strconv.Itoa(size))...)
		got := a.want("meta.total", total).want("meta.page", page).want("meta.per_page", size).idsOf()
		if n := min(size, total-len(seen)); len(got) != n {
			a.failf("%d items on page %d of %d, want %d", len(got), page, size, n)
		}
		seen = append(seen, got...)
	}
	return seen
}

// wantOnce fails unless pages contain none twice, and each of some. Objects of a list of their own are the only ones.
func (s *scope) wantOnce(seen, each []string) {
	for i, id := range seen {
		if slices.Contains(seen[:i], id) {
			s.p.failf("GET %s: %s is on two pages", s.path, id)
		}
		if s.query != nil && !slices.Contains(each, id) {
			s.p.failf("GET %s: unexpected %s", s.path, id)
		}
	}
	for _, id := range each {
		if !slices.Contains(seen, id) {
			s.p.failf("GET %s: %s is not on any page", s.path, id)
		}
	}
}

// mostPagesRead limits how many pages of a list are read, when only reading.
const mostPagesRead = 3

// checkCursors reads the list in pages of several sizes.
func (s *scope) checkCursors(ids []string) {
	whole := s.list("limit", "100")
	for _, size := range []int{1, 2, 100} {
		var seen []string
		for _, item := range s.p.walked(s.path, size, nil, s.query...) {
			seen = append(seen, text(item, "id"))
		}
		if !s.p.target.ReadOnly {
			s.wantOnce(seen, ids)
		} else if whole.whole() {
			s.wantOnce(seen, whole.idsOf())
		}
	}
	if n := len(whole.list("data")); n < min(len(ids), s.p.maxPerPage()) || n > 100 {
		whole.failf("%d items with limit 100", n)
	}
}

func checkSort(s *scope, field string) {
	if !s.p.target.ReadOnly {
		for _, last := range []string{" c", " a", " b"} {
			fields := object{}
			switch field {
			case "name":
				fields[field] = text(s.fields, field) + last
			case "external_id":
				fields[field] = unique() + last
			}
			s.create(fields)
		}
	}
	var orders [2][]string
	for i, order := range []string{"asc", "desc"} {
		a := s.list("sort_by", field, "sort_order", order)
		distinct := false
		for n := range a.list("data") {
			value := a.text("data." + strconv.Itoa(n) + "." + field)
			if last := len(orders[i]) - 1; last >= 0 {
				if sign := strings.Compare(orders[i][last], value); sign == 1-2*i {
					a.failf("item %d of %s has the %s %s, after %s", n, order, field, show(value), show(orders[i][last]))
				} else if sign != 0 {
					distinct = true
				}
			}
			orders[i] = append(orders[i], value)
		}
		if !distinct && s.p.target.ReadOnly {
			s.p.lacks("a second existing " + s.k.name)
		}
	}
}

func checkOrder(s *scope, _ string) {
	if !s.p.target.ReadOnly {
		for range 3 {
			s.create(nil)
		}
	}
	var orders [2][]string
	for i := range orders {
		var last time.Time
		items := s.all()
		if len(items) < 2 {
			s.p.lacks("a second existing " + s.k.name)
		}
		for _, item := range items {
			one := s.p.listedResponse(s.path, item)
			created := one.time("data.createdAt")
			if created.Before(last) {
				s.p.failf("GET %s: %s, created at %s, comes after one created at %s", s.path, text(item, "id"), created, last)
			}
			last, orders[i] = created, append(orders[i], text(item, "id"))
		}
	}
	both := min(len(orders[0]), len(orders[1])) // others may create some in the meantime
	if !slices.Equal(orders[0][:both], orders[1][:both]) {
		s.p.failf("GET %s: the order is %v, and was %v in the previous list", s.path, orders[1], orders[0])
	}
}

func checkFilter(s *scope, query string) {
	i := slices.IndexFunc(s.k.filters, func(f filter) bool { return f.query == query })
	f := s.k.filters[i]
	one, other, value, within := s.two(f)
	if one.response == nil {
		return // there is none in this list
	}
	a := s.p.get(s.path, append(within, f.query, value)...).wantStatus(http.StatusOK)
	found := a.idsOf()
	if !slices.Contains(found, one.id()) && a.whole() {
		a.failf("%s is not in the list", one.id())
	} else if slices.Contains(found, other) {
		a.failf("%s is in the list", other)
	}
	a.wantValues(f.member, func(got string) bool { return got == value || got == "" && s.k.service == Finance })
	none := s.p.get(s.path, append(within, f.query, f.none())...).wantStatus(http.StatusOK)
	if s.p.target.ReadOnly && f.within && value != f.none() {
		none.wantValues(f.member, func(got string) bool { return got != value })
	} else if !s.p.target.ReadOnly || !f.within {
		none.want("data", []any{})
	}
}

// wantValues fails unless a member of each listed object fits.
func (a *response) wantValues(member string, fits func(string) bool) {
	for n, id := range a.idsOf() {
		if got := text(a.at("data."+strconv.Itoa(n)), member); member != "" && !fits(got) {
			a.failf("%s is in the list, but its %s is %s", id, member, show(got))
		}
	}
}

// known returns an existing object with a value of the filter; none if another list of the kind may have one.
func (s *scope) known(f filter) (one made, value string) {
	member := cmp.Or(f.member, f.query)
	found := s.existing(1, func(a *response) bool { return text(a.at("data"), member) != "" })
	if len(found) > 0 {
		return found[0], found[0].text("data." + member)
	}
	if s.k != records {
		s.p.lacks("an existing " + s.k.name + " with " + member)
	}
	return one, ""
}

// two creates an object that a filter finds, and one that it does not. It returns the value, and the query that both
// share.
func (s *scope) two(f filter) (one made, other, value string, within []string) {
	if s.p.target.ReadOnly {
		one, value = s.known(f)
		return one, "", value, nil
	}
	fields, apart := object{}, object{}
	if word := unique(); f.member == s.k.unique && s.k.unique != "" {
		fields[f.member], apart[f.member] = word, word+"1"
	} else if full := s.k.full; full != nil && f.member != "" {
		if sent, is := full(word)[f.member]; is && !f.within {
			fields[f.member] = sent
		}
	}
	second := *s
	if s.k.own != nil {
		second.fields, _ = s.k.own(s.p)
	}
	one, other = s.create(fields), ""
	if !f.within {
		other = second.create(apart).id()
	}
	if f.member != "" {
		value = one.text("data." + f.member)
	} else if value = text(s.fields, f.query); value == "" {
		value = s.query[1]
	}
	if f.within {
		within = s.query
	}
	return one, other, value, within
}

// checkSince checks that updated_at_gte includes its exact time, in any offset.
func checkSince(s *scope, _ string) {
	const form = "2006-01-02T15:04:05.000Z07:00"
	var one made
	if s.p.target.ReadOnly {
		found := s.existing(1, nil, "sort_by", "updated_at", "sort_order", "desc")
		if len(found) == 0 {
			s.p.lacks("an existing " + s.k.name)
			return
		}
		one = found[0]
	} else {
		one = s.create(nil)
	}
	updated := one.time("data.updated_at")
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("-03", -3*60*60)} {
		a := s.list("updated_at_gte", updated.In(zone).Format(form))
		if !slices.Contains(a.idsOf(), one.id()) && a.whole() {
			a.failf("%s is not in the list", one.id())
		}
		for n, id := range a.idsOf() {
			if a.time("data." + strconv.Itoa(n) + ".updated_at").Before(updated) {
				a.failf("%s was updated before %s", id, updated)
			}
		}
		s.list("updated_at_gte", updated.Add(time.Millisecond).In(zone).Format(form)).want("data", []any{})
	}
}

func checkListed(s *scope, _ string) {
	fields := object{}
	if s.k.full != nil {
		fields = s.k.full(unique())
		maps.DeleteFunc(fields, func(name string, _ any) bool { return s.fields[name] != nil })
	}
	for _, one := range s.some(fields) {
		read := s.p.get(one.path).wantStatus(http.StatusOK)
		if s.k.secret != "" {
			read.wantMissing("data." + s.k.secret)
		}
		read.wantLike(one.response, s.k.secret)
		if s.p.target.ReadOnly {
			continue
		}
		listed := s.find(one.id())
		if listed == nil {
			s.p.failf("GET %s does not contain %s", s.path, one.id())
			return
		}
		listed.wantLike(read)
		if s.k.secret != "" {
			listed.wantMissing("data." + s.k.secret)
		}
	}
}

// wantLike fails unless data has each member of the other one, but for some, with its value.
func (a *response) wantLike(other *response, but ...string) *response {
	members, _ := other.at("data").(object)
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(but, member) {
			a.want("data."+member, members[member])
		}
	}
	return a
}

func checkEcho(s *scope, _ string) {
	fields := s.k.full(unique())
	one := s.create(fields)
	one.wantFields("data", fields)
	s.p.get(one.path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkChoice(s *scope, argument string) {
	for _, value := range s.k.enums[argument] {
		s.create(object{argument: value}).want("data."+argument, value)
	}
}

// full creates an object with all arguments, but for those that put it into its list.
func (s *scope) full() made { return s.create(s.k.full(unique())) }

func checkAlone(s *scope, part string) {
	changes := s.k.costly
	if part == "" {
		changes = s.k.other(unique())
	}
	one := s.full()
	before := one.at("data")
	for _, field := range slices.Sorted(maps.Keys(changes)) {
		sent := changes[field]
		a := s.p.patch(one.path, object{field: sent}).wantStatus(http.StatusOK)
		if field != "discount_percent" { // which is returned as text
			a.wantItems("data."+field, sent)
		}
		a.wantKept(s.k, before, field)
		before = a.at("data")
	}
	a := s.p.get(one.path).wantStatus(http.StatusOK)
	a.wantKept(s.k, before)
}

// wantKept fails if a member of the object in data differs from the object before, unless it is one of changed, or
// follows from it.
func (a *response) wantKept(k *kind, before any, changed ...string) *response {
	changed = append(changed, "updated_at", "updatedAt", k.secret)
	for _, one := range slices.Clone(changed) {
		changed = append(changed, strings.Fields(k.follows[one])...)
	}
	members, _ := before.(object)
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if got := a.at("data." + member); !slices.Contains(changed, member) && !a.same("data."+member, got, members[member]) {
			a.failf("%s has also changed to %s; before it was %s", member, show(got), show(members[member]))
		}
	}
	return a
}

func checkNull(s *scope, part string) {
	one := s.full()
	clears := s.k.clears
	if part != "" {
		clears = s.k.costlyNulls
		one.response = s.p.patch(one.path, s.k.costly).wantStatus(http.StatusOK)
	}
	before := one.at("data")
	for _, field := range clears {
		for _, a := range []*response{s.p.patch(one.path, object{field: nil}), s.p.get(one.path)} {
			if a.wantStatus(http.StatusOK); s.k.removes {
				a.wantMissing("data." + field)
			} else {
				a.wantUnset("data." + field)
			}
			a.wantKept(s.k, before, field)
			before = a.at("data")
		}
	}
}

func checkEmpty(s *scope, _ string) {
	fields := s.k.full(unique())
	one := s.create(fields)
	before := one.at("data")
	for _, field := range s.k.lists {
		for _, empty := range []any{nil, []any{}} {
			a := s.p.patch(one.path, object{field: empty}).wantStatus(http.StatusOK).wantEmpty("data." + field)
			a.wantKept(s.k, before, field)
			s.p.get(one.path).wantStatus(http.StatusOK).wantEmpty("data." + field)
			before = s.p.patch(one.path, object{field: fields[field]}).wantStatus(http.StatusOK).at("data")
		}
	}
}

func checkMetadata(s *scope, _ string) {
	for _, metadata := range []object{
		{
			"text": "1", "number": 1, "yes": true, "yes as text": "true", "nothing": nil, "empty text": "",
			"empty object": object{}, "empty list": []any{}, "dotted.key/ç": "sul 🛠", "Case": 1, "case": 2,
			"nested": object{"deep": object{"deeper": []any{object{"a": nil}, []any{1, "2", false}}}},
		},
		{
			"beyond a double": number("9007199254740993"), "most negative": number("-9223372036854775808"),
			"fraction": number("1234567.8901"), "listed": object{"list": []any{number("9007199254740995")}},
		},
	} {
		one := s.create(object{"custom_metadata": metadata})
		one.want("data.custom_metadata", metadata)
		s.p.get(one.path).wantStatus(http.StatusOK).want("data.custom_metadata", metadata)
		s.p.patch(one.path, object{"custom_metadata": object{"more": 1}, "custom_metadata_mode": "merge"}).
			wantStatus(http.StatusOK).want("data.custom_metadata", merged(metadata, object{"more": 1}))
	}
}

func checkMerge(s *scope, _ string) {
	for _, c := range []struct{ stored, sent, wanted object }{
		{ // at any depth
			object{"a": 1, "crm": object{"owner": "aline", "team": object{"name": "sul", "size": 3}}},
			object{"b": 2, "crm": object{"team": object{"size": 4, "lead": "rui"}}},
			object{"a": 1, "b": 2, "crm": object{"owner": "aline", "team": object{"name": "sul", "size": 4, "lead": "rui"}}},
		},
		{ // scalars and whole lists
			object{"scalar": 1, "list": []any{1, 2, 3}, "objects": []any{object{"a": 1}}, "kept": "yes"},
			object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}},
			object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}, "kept": "yes"},
		},
		{ // null deletes no key
			object{"scalar": 1, "object": object{"a": 1, "b": 2}, "whole": object{"c": 3}},
			object{"scalar": nil, "object": object{"a": nil}, "whole": nil, "new": nil},
			object{"scalar": nil, "object": object{"a": nil, "b": 2}, "whole": nil, "new": nil},
		},
		{ // values of other types
			object{"object": object{"a": 1}, "scalar": 1, "list": []any{1}},
			object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}},
			object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}},
		},
	} {
		s.checkMode("merge", c.stored, c.sent, c.wanted)
	}
}

func checkReplace(s *scope, _ string) {
	stored := object{"a": 1, "crm": object{"owner": "aline", "team": "sul"}}
	for _, mode := range []string{"replace", ""} {
		sent := object{"crm": object{"owner": "jonas"}, "nothing": nil}
		s.checkMode(mode, stored, sent, sent)
		s.checkMode(mode, stored, object{}, nil)
	}
}

// checkMode creates an object with stored metadata and updates it in a mode; "" omits it, and wanted nil is empty.
func (s *scope) checkMode(mode string, stored, sent, wanted object) {
	one, body := s.create(object{"custom_metadata": stored}), object{"custom_metadata": sent}
	if mode != "" {
		body["custom_metadata_mode"] = mode
	}
	for _, a := range []*response{s.p.patch(one.path, body), s.p.get(one.path)} {
		if a.wantStatus(http.StatusOK); wanted == nil {
			a.wantEmpty("data.custom_metadata")
			continue
		}
		a.want("data.custom_metadata", wanted)
	}
}

func checkTaken(s *scope, _ string) {
	word := unique()
	one, other := s.create(object{s.k.unique: word}), s.create(nil)
	for _, a := range []*response{s.post(object{s.k.unique: word}), s.p.patch(other.path, object{s.k.unique: word})} {
		a.wantRejected(http.StatusUnprocessableEntity).want("error.code", s.k.unique+"_taken").
			want("error.details.field", s.k.unique).want("error.details.id", one.at("data.id"))
	}
	s.p.get(other.path).wantStatus(http.StatusOK).want("data."+s.k.unique, nil)
	s.p.patch(one.path, object{s.k.unique: word}).wantStatus(http.StatusOK).want("data."+s.k.unique, word)
}

func checkFree(s *scope, state string) {
	word := unique()
	one := s.create(object{s.k.unique: word})
	if step := map[string]string{"closed": "/close", "canceled": "/cancel"}[state]; step != "" {
		s.p.post(one.path+step, object{}).wantStatus(http.StatusOK)
	} else {
		s.p.delete(one.path).wantStatus(http.StatusOK)
	}
	if again := s.create(object{s.k.unique: word}); again.id() == one.id() {
		again.failf("data.id is that of the first one")
	}
}

func checkRejected(s *scope, _ string) {
	one := s.create(nil)
	before := one.at("data")
	for _, field := range slices.Sorted(maps.Keys(s.k.wrong)) {
		bad := object{field: s.k.wrong[field]}
		word := unique()
		if s.k.unique != "" {
			bad[s.k.unique] = word
		}
		s.post(bad).wantBlamed(field)
		if s.k.other != nil {
			s.p.patch(one.path, merged(s.k.other(word), bad)).wantBlamed(field)
			s.p.get(one.path).wantStatus(http.StatusOK).want("data", withoutSecret(before, s.k.secret))
		}
		if s.query != nil {
			var ids []string
			for _, item := range s.all() {
				ids = append(ids, text(item, "id"))
			}
			s.wantOnce(ids, []string{one.id()})
		}
	}
}

func withoutSecret(value any, secret string) any {
	members, _ := value.(object)
	members = maps.Clone(members)
	delete(members, secret)
	return members
}

func checkDeleted(s *scope, _ string) {
	one, other := s.create(nil), s.create(nil)
	if a := s.p.delete(one.path); s.k.service == Billing {
		a.wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
	} else {
		a.wantStatus(http.StatusNoContent)
	}
	s.wantGone(one.path)
	if s.find(one.id()) != nil {
		s.p.failf("GET %s: the deleted %s is in the list", s.path, s.k.name)
	}
	if s.find(other.id()) == nil {
		s.p.failf("GET %s: a %s that was not deleted is missing", s.path, s.k.name)
	}
}

// wantRejected fails unless the response has the status and the error shape; a 401 may have the flat one.
func (a *response) wantRejected(status int) *response {
	a.wantStatus(status)
	if text, flat := a.at("error").(string); flat && status == http.StatusUnauthorized {
		if text == "" {
			a.failf("error is empty, want text")
		}
		return a.want("error_code", "unauthorized")
	}
	return a.wantError("")
}

// wantBlamed fails unless the response rejects that field, or a part of it.
func (a *response) wantBlamed(field string) {
	a.wantRejected(http.StatusUnprocessableEntity).want("error.code", "validation_error")
	fields, _ := a.at("error.details.fields").(object)
	for name, reason := range fields {
		if why, _ := reason.(string); why != "" && (name == field || strings.HasPrefix(name, field+".")) {
			return
		}
	}
	a.failf("error.details.fields is %s, want a reason for %s", show(a.at("error.details.fields")), field)
}

// checkChanging reads a list while it grows or shrinks. A position may depend on the first or last record of a page.
func checkChanging(s *scope, how string) {
	var ids, others []string
	for range 8 {
		ids = append(ids, s.create(nil).id())
	}
	between := func(read []string) {
		if len(others) > 0 {
			return
		}
		if how == "created" {
			others = append(others, s.create(nil).id(), s.create(nil).id())
			return
		}
		next := slices.IndexFunc(ids, func(id string) bool { return !slices.Contains(read, id) })
		for _, id := range append(slices.Clone(read), ids[max(0, next)]) {
			s.p.delete(recordPath(s.path, id)).wantStatus(http.StatusNoContent, http.StatusOK)
		}
		others = []string{ids[max(0, next)]}
	}
	var got []string
	for _, item := range s.p.walked(s.path, 2, between, s.query...) {
		got = append(got, text(item, "id"))
	}
	kept := func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(others, id) })
	}
	s.wantOnce(kept(got), kept(ids))
}

// checkBounds compares the times of records with that of one of them, or of an existing one.
func checkBounds(s *scope, of string) {
	moments := map[string][]string{
		"times": {"2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.001Z"},
		"dates": {"2026-03-09", "2026-03-10", "2026-03-11"},
	}[of]
	var ids []string
	if s.p.target.ReadOnly {
		found := s.existing(1, func(a *response) bool {
			at := text(a.at("data"), "occurred_at")
			return at != "" && strings.Contains(at, "T") == (of == "times")
		})
		if len(found) == 0 {
			return
		}
		ids = []string{"", found[0].id(), ""}
		moments[1] = found[0].text("data.occurred_at")
		if company := text(found[0].at("data"), "company_id"); company != "" {
			s.query = []string{"company_id", company}
		}
	} else {
		for _, moment := range moments {
			ids = append(ids, s.create(object{"occurred_at": moment}).id())
		}
	}
	bounds := moments[1:2]
	if of == "times" && !s.p.target.ReadOnly {
		bounds = append(bounds, "2026-03-10T09:00:00.000-03:00") // the same time
	}
	for _, bound := range bounds {
		for operator, wanted := range map[string][]string{"gte": ids[1:], "gt": ids[2:], "lte": ids[:2], "lt": ids[:1]} {
			found := s.list("limit", "100", "occurred_at["+operator+"]", bound)
			for _, id := range ids {
				if id != "" && slices.Contains(found.idsOf(), id) != slices.Contains(wanted, id) && found.whole() {
					found.failf("%s is in the list: %t, want %t", id, !slices.Contains(wanted, id), slices.Contains(wanted, id))
				}
			}
		}
	}
}

func checkTogether(s *scope, _ string) {
	body := merged(s.fields, object{"name": unique()})
	responses := s.p.together(8, creation(s.path, uuid.NewString(), body))
	for _, a := range responses {
		a.wantStatus(http.StatusCreated).want("", responses[0].body)
	}
	s.wantOnce(s.list().idsOf(), []string{responses[0].text("data.id")})
}
