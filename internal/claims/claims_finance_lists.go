package claims

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func pageClaims() []Claim {
	const listing, limits = "Financial management §4 Endpoints; wire contract: finance.",
		"Financial management §4 Endpoints, §8 Limits; wire contract: finance.records.list"
	return []Claim{
		financeClaim(721, listing+"accounts.list, finance.payables.list, finance.receivables.list, finance.records.list",
			"A list is {data, meta: {next_cursor}}, and next_cursor is null on the last page.", checkFinanceEnvelope),
		financeClaim(722, listing+"records.list", "An empty list returns 200 with empty data and next_cursor null.",
			checkFinanceEmpty),
		financeClaim(723, limits, "Without a limit a page contains 25 items.", checkDefaultLimit),
		financeClaim(724, limits, "A limit of 1 returns one item, a limit of 100 returns up to 100.", checkLimits),
		financeClaim(725, limits+" (a limit out of range, assumed: rejected or clamped)",
			"A limit outside 1 to 100, or one that is not an integer, returns 400 and names limit, or is clamped; no page "+
				"ever contains more than 100 items.", checkLimitBounds),
	}
}

func cursorClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance.records.list"
	return []Claim{
		financeClaim(726, source,
			"Sending back every cursor unchanged returns each record exactly once, in pages of any size.", checkPaging),
		financeClaim(727, source,
			"When records are created between two pages, every record that existed before appears exactly once.",
			checkInsertBetweenPages),
		financeClaim(728, source, "When records are deleted between two pages, every other record appears exactly once.",
			checkDeleteBetweenPages),
		financeClaim(729, source+" (a cursor is never built, assumed: rejected)",
			"A cursor that was changed, cut or invented returns 400 in the error shape.", checkTamperedCursor),
		financeClaim(730, "Wire contract: finance.records.list (filters and a cursor)",
			"A cursor with filters other than its own returns 400 in the error shape.", checkCursorFilters),
		financeClaim(731, "Wire contract: finance.records.list (a cursor of another list, assumed: rejected)",
			"A cursor of another collection returns 400 in the error shape.", checkCursorCollection),
	}
}

func checkFinanceEnvelope(p *probe) {
	for _, s := range shelves() {
		made := s.fill(p, 2)
		first := s.get(p, "limit", "1").wantStatus(http.StatusOK)
		if n := len(first.list("data")); n != 1 || first.text("meta.next_cursor") == "" {
			first.failf("%d of 2 items on a page of 1, and the cursor %s", n, show(first.at("meta.next_cursor")))
		}
		last := s.get(p, "limit", "1", "cursor", first.text("meta.next_cursor")).wantStatus(http.StatusOK).
			want("meta.next_cursor", nil)
		p.wantIDs("the pages of "+s.path, append(first.idsOf(), last.idsOf()...), made...)
	}
}

func checkFinanceEmpty(p *probe) {
	for _, s := range shelves() {
		s.get(p).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
	}
	p.get(ownCollection()).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
}

func checkDefaultLimit(p *probe) {
	s, size := ledgers()[2], min(25, p.maxPerPage())
	s.fill(p, size+1)
	a := p.get(s.path).wantStatus(http.StatusOK)
	if n := len(a.list("data")); n != size || a.text("meta.next_cursor") == "" {
		a.failf("%d of %d items and the cursor %s, want a page of %d", n, size+1, show(a.at("meta.next_cursor")), size)
	}
}

func checkLimits(p *probe) {
	s := ledgers()[2]
	s.fill(p, p.maxPerPage()+1)
	for limit, wanted := range map[int]int{1: 1, 100: p.maxPerPage()} {
		a := p.get(s.path, "limit", strconv.Itoa(limit)).wantStatus(http.StatusOK)
		if n := len(a.list("data")); n != wanted {
			a.failf("%d items with limit %d, want %d", n, limit, wanted)
		}
	}
}

func checkLimitBounds(p *probe) {
	s := ledgers()[2]
	s.fill(p, p.maxPerPage()+1)
	for _, limit := range []string{"0", "-1", "101", "1000", "1.5", "many"} {
		a := p.get(s.path, "limit", limit).wantStatus(http.StatusOK, http.StatusBadRequest)
		if a.status == http.StatusBadRequest {
			if a.wantError(""); !bytes.Contains(a.raw, []byte("limit")) {
				a.failf("the error for limit %s does not name it: %s", limit, clip(a.raw))
			}
			continue
		}
		if n := len(a.list("data")); n < 1 || n > p.maxPerPage() {
			a.failf("%d items with limit %s, want 1 to %d", n, limit, p.maxPerPage())
		}
	}
}

func checkPaging(p *probe) {
	for _, s := range shelves() {
		made := s.fill(p, 7)
		for _, limit := range []int{1, 2, 3, 7, 100} {
			p.wantIDs("GET "+s.path+" in pages of "+strconv.Itoa(limit), s.walk(p, limit, nil), made...)
		}
	}
}

func checkInsertBetweenPages(p *probe) {
	s := ledgers()[2]
	made := s.fill(p, 5)
	var late []string
	got := p.walk(s.path, 2, func([]string) {
		if len(late) < 4 { // a list that grows with every page has no end
			late = append(late, s.fill(p, 2)...)
		}
	})
	// Whether a late record is in the list depends on its place.
	got = slices.DeleteFunc(got, func(id string) bool { return slices.Contains(late, id) })
	p.wantIDs("GET "+s.path+" while it grows", got, made...)
}

// checkDeleteBetweenPages deletes what the first page held, as a position may be
// kept by its first record or by its last, and one that is still to come.
func checkDeleteBetweenPages(p *probe) {
	s := ledgers()[2]
	made := s.fill(p, 8)
	left := made
	got := p.walk(s.path, 2, func(read []string) {
		if len(left) < len(made) {
			return
		}
		next := ahead(made, read)
		for _, id := range append(slices.Clone(read), next) {
			p.delete(recordPath(s.path, id)).wantStatus(http.StatusNoContent, http.StatusOK)
		}
		left = slices.DeleteFunc(slices.Clone(made), func(id string) bool { return id == next })
	})
	p.wantIDs("GET "+s.path+" while it shrinks", got, left...)
}

// ahead is a record that was made and not read yet, empty when there is none.
func ahead(made, read []string) string {
	i := slices.IndexFunc(made, func(id string) bool { return !slices.Contains(read, id) })
	if i < 0 {
		return ""
	}
	return made[i]
}

// cursorOf is the cursor behind the first page of two of a list that holds more.
func (p *probe) cursorOf(path string, query ...string) string {
	return p.get(path, slices.Concat(query, []string{"limit", "2"})...).wantStatus(http.StatusOK).text("meta.next_cursor")
}

// wantCursorRefused fails unless a list is 400 with that cursor.
func (p *probe) wantCursorRefused(path, cursor string, query ...string) {
	p.get(path, slices.Concat(query, []string{"limit", "2", "cursor", cursor})...).wantStatus(http.StatusBadRequest).
		wantError("")
}

func checkTamperedCursor(p *probe) {
	s := ledgers()[2]
	s.fill(p, 3)
	cursor := p.cursorOf(s.path)
	for _, at := range []int{0, len(cursor) / 3, len(cursor) / 2} {
		p.wantCursorRefused(s.path, altered(cursor, at))
	}
	for _, tampered := range []string{cursor[:len(cursor)/2], cursor + cursor, unique(), "2"} {
		p.wantCursorRefused(s.path, tampered)
	}
	p.get(s.path, "limit", "2", "cursor", cursor).wantStatus(http.StatusOK)
}

// altered is the text with another letter or digit in one place.
func altered(text string, at int) string {
	if at >= len(text) {
		return text + "A"
	}
	other := "A"
	if strings.EqualFold(text[at:at+1], other) { // hexadecimal digits mean the same in both cases
		other = "B"
	}
	return text[:at] + other + text[at+1:]
}

func checkCursorFilters(p *probe) {
	s := ledgers()[2]
	s.fill(p, 3)
	filtered := p.cursorOf(s.path, "company_id", s.company)
	p.wantCursorRefused(s.path, filtered)
	p.wantCursorRefused(s.path, filtered, "company_id", newUUID())
	p.wantCursorRefused(s.path, filtered, "company_id", s.company, "occurred_at[gte]", "2026-01-01")
	p.wantCursorRefused(s.path, p.cursorOf(s.path), "company_id", s.company)
	p.get(s.path, "company_id", s.company, "limit", "2", "cursor", filtered).wantStatus(http.StatusOK)
}

func checkCursorCollection(p *probe) {
	one, other := ledgers()[2], ledgers()[2]
	one.fill(p, 3)
	other.fill(p, 3)
	p.wantCursorRefused(other.path, p.cursorOf(one.path))
	s := ledgers()[0]
	s.fill(p, 3)
	p.wantCursorRefused(receivablesPath, p.cursorOf(s.path, "company_id", s.company), "company_id", s.company)
}
