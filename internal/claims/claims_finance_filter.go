package claims

import (
	"net/http"
	"slices"
)

func filterClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance."
	return []Claim{
		financeClaim(741, source+"payables.list, finance.receivables.list, finance.records.list",
			"company_id returns the records of that company and no others.", checkFilterCompany),
		financeClaim(742, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare timestamps: gte and lte include the bound, gt and lt exclude it, "+
				"in any offset.", checkFilterMoments),
		financeClaim(743, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare dates in the same way.", checkFilterDates),
		financeClaim(744, source+"records.list", "Filters combine: a record has to match all of them.",
			checkRecordFiltersCombine),
		financeClaim(745, source+"records.list",
			"Filters are applied before the list is cut into pages: a record that does not match takes no place on a page.",
			checkFilterBeforePaging),
		financeClaim(746, source+"records.list", "A record without the field that a filter names does not match.",
			checkFilterMissingField),
	}
}

func checkFilterCompany(p *probe) {
	for _, s := range shelves() {
		other := shelf{s.path, newUUID()}
		mine, theirs := s.fill(p, 3), other.fill(p, 2)
		p.wantIDs("GET "+s.path+" of one company", s.walk(p, 2, nil), mine...)
		p.wantIDs("GET "+s.path+" of another company", other.walk(p, 2, nil), theirs...)
	}
}

// checkBounds creates a record at each of three timestamps, the second of which is the
// bound, and asks for either side of it in every form of the bound.
func checkBounds(p *probe, moments [3]string, bounds ...string) {
	for _, s := range ledgers() {
		var ids []string
		for _, moment := range moments {
			_, a := s.put(p, object{"occurred_at": moment})
			ids = append(ids, a.text("data.id"))
		}
		for _, bound := range bounds {
			for operator, wanted := range map[string][]string{"gte": ids[1:], "gt": ids[2:], "lte": ids[:2], "lt": ids[:1]} {
				filter := "occurred_at[" + operator + "]"
				p.wantIDs("GET "+s.path+" with "+filter+"="+bound, s.walk(p, 2, nil, filter, bound), wanted...)
			}
		}
	}
}

func checkFilterMoments(p *probe) {
	moments := [3]string{"2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.001Z"}
	checkBounds(p, moments, moments[1], "2026-03-10T09:00:00.000-03:00")
}

func checkFilterDates(p *probe) {
	checkBounds(p, [3]string{"2026-03-09", "2026-03-10", "2026-03-11"}, "2026-03-10")
}

func checkRecordFiltersCombine(p *probe) {
	s := ledgers()[2]
	var ids []string
	for _, date := range []string{"2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"} {
		_, a := s.put(p, object{"occurred_at": date})
		ids = append(ids, a.text("data.id"))
	}
	_, _ = shelf{s.path, newUUID()}.put(p, object{"occurred_at": "2026-02-14"})
	got := s.walk(p, 1, nil, "occurred_at[gte]", "2026-02-01", "occurred_at[lt]", "2026-03-01")
	p.wantIDs("GET "+s.path+" of a company and a month", got, ids[1:3]...)
}

func checkFilterBeforePaging(p *probe) {
	s := ledgers()[2]
	other := shelf{s.path, newUUID()}
	var mine []string
	for range 2 {
		other.fill(p, 3)
		mine = append(mine, s.fill(p, 1)...)
	}
	other.fill(p, 1)
	size := min(2, p.maxPerPage())
	a := s.get(p, "limit", "2").wantStatus(http.StatusOK)
	if n := len(a.list("data")); n != size {
		a.failf("%d items on a page of %d", n, size)
	}
	p.wantIDs("the first page of GET "+s.path, a.idsOf(), mine[:min(size, len(mine))]...)
}

func checkFilterMissingField(p *probe) {
	collection, company := ownCollection(), newUUID()
	_, _ = p.entry(collection, nil)
	_, with := p.entry(collection, object{"company_id": company, "occurred_at": "2026-03-10"})
	for _, query := range [][]string{{"company_id", company}, {"occurred_at[gte]", "2026-01-01"},
		{"occurred_at[lt]", "2027-01-01"}} {
		got := p.walk(collection, 2, nil, query...)
		p.wantIDs("GET "+collection+" with "+slices.Concat(query)[0], got, with.text("data.id"))
	}
}
