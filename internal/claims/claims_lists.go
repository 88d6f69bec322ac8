package claims

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"
)

func listClaims() []Claim {
	return []Claim{
		claim(31, "Recurring billing §2 Envelopes; wire contract: customers.list",
			"A list is {data, meta} and meta holds total, page, per_page and total_pages as integers.", checkEnvelope),
		claim(32, "Recurring billing §4 Collections", "Without parameters the page is 1 and contains at most 20 items.",
			checkPageDefaults),
		claim(33, "Recurring billing §4 Collections rule 1", "page 0 becomes 1.", checkPageClamped),
		claim(34, "Recurring billing §4 Collections rule 1", "per_page above 100 becomes 100, and 0 becomes 1.",
			checkPerPageClamped),
		claim(35, "Recurring billing §4 Collections rules 2 and 4",
			"total counts every match, total_pages is ceil(total / per_page), and the last page contains the rest.",
			checkTotals),
		claim(36, "Recurring billing §4 Collections rule 3", "A page past the end returns 200 with empty data.",
			checkPagePastEnd),
		claim(37, "Recurring billing §4 Collections",
			"sort_by with sort_order asc or desc puts the items in that order, whichever field it names.", checkSorted),
		claim(38, "Recurring billing §4 Collections", "sort_order is desc when it is not sent.", checkSortOrderDefault),
		claim(39, "Recurring billing §4 Collections rule 5",
			"With sort_by, walking the pages returns every item exactly once.", checkWalk),
		claim(40, "Recurring billing §4 Collections",
			"search finds a customer by a word of its name, and no customer by a word that no customer contains.", checkSearch),
		claim(41, "Wire contract: customers.list", "The filter external_id matches the whole value only.",
			checkFilterExternalID),
		claim(42, "Wire contract: customers.list", "The filter document_number finds the customer that was sent with it.",
			checkFilterDocumentNumber),
		claim(43, "Wire contract: customers.list",
			"The filter updated_at_gte includes that exact time, in any offset, and excludes older items.",
			checkFilterUpdatedAt),
		claim(44, "Recurring billing §4 Collections", "Filters combine: an item has to match all of them.",
			checkFiltersCombine),
		claim(45, "Recurring billing §2 Customer; wire contract: customers.list",
			"A listed customer contains what a single read of it returns.", checkListedItem),
		claim(46, "Recurring billing §4 Collections", "sort_by id puts the items in the order of their ids, as text.",
			checkSortedByID),
	}
}

// maxPerPage is the bound that the target clamps per_page to.
func (p *probe) maxPerPage() int { return cmp.Or(p.target.MaxPerPage, 100) }

func checkEnvelope(p *probe) {
	a := p.get(customersPath).wantStatus(http.StatusOK)
	a.list("data")
	for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
		a.integer(member)
	}
}

func checkPageDefaults(p *probe) {
	size := min(20, p.maxPerPage())
	a := p.get(customersPath).wantStatus(http.StatusOK).want("meta.page", 1).want("meta.per_page", size)
	if n := len(a.list("data")); n > size {
		a.failf("%d items on a page of %d", n, size)
	}
}

func checkPageClamped(p *probe) {
	p.get(customersPath, "page", "0").wantStatus(http.StatusOK).want("meta.page", 1)
	p.get(customersPath, "page", "-3").wantStatus(http.StatusOK).want("meta.page", 1)
}

func checkPerPageClamped(p *probe) {
	p.get(customersPath, "per_page", "1000").wantStatus(http.StatusOK).want("meta.per_page", p.maxPerPage())
	p.get(customersPath, "per_page", "101").wantStatus(http.StatusOK).want("meta.per_page", p.maxPerPage())
	p.get(customersPath, "per_page", "0").wantStatus(http.StatusOK).want("meta.per_page", 1)
}

// three makes three customers that share a word in their names, in the order of
// their names and external ids, and returns the word and the names.
func (p *probe) three() (word string, names []string) {
	word = unique()
	for _, last := range []string{"alfa", "beta", "gama"} {
		name := word + " " + last
		p.customer(object{"name": name, "external_id": word + "-" + last})
		names = append(names, name)
	}
	return word, names
}

// wantNames fails unless the page's items have those names in that order.
func (a *response) wantNames(names ...string) *response {
	got := []any{}
	for i := range a.list("data") {
		got = append(got, a.at("data."+strconv.Itoa(i)+".name"))
	}
	wanted := asJSON(append([]string{}, names...))
	if !sameJSON(any(got), wanted) {
		a.failf("the names are %s, want %s", show(got), show(wanted))
	}
	return a
}

func checkTotals(p *probe) {
	word, names := p.three()
	size := min(2, p.maxPerPage())
	pages := (len(names) + size - 1) / size
	seen := 0
	for page := 1; page <= pages; page++ {
		a := p.get(customersPath, "search", word, "page", strconv.Itoa(page), "per_page", strconv.Itoa(size),
			"sort_by", "name")
		a.wantStatus(http.StatusOK).want("meta.total", len(names)).want("meta.total_pages", pages)
		a.want("meta.page", page).want("meta.per_page", size)
		wanted := min(size, len(names)-seen)
		if n := len(a.list("data")); n != wanted {
			a.failf("%d items on page %d, want %d", n, page, wanted)
		}
		seen += wanted
	}
}

func checkPagePastEnd(p *probe) {
	word, names := p.three()
	a := p.get(customersPath, "search", word, "page", "9", "per_page", "1").wantStatus(http.StatusOK)
	a.want("data", []any{}).want("meta.total", len(names)).want("meta.total_pages", len(names))
}

func checkSorted(p *probe) {
	word, names := p.three()
	size := min(3, p.maxPerPage())
	backwards := slices.Clone(names)
	slices.Reverse(backwards)
	for _, field := range []string{"name", "external_id"} {
		for order, wanted := range map[string][]string{"asc": names, "desc": backwards} {
			p.get(customersPath, "search", word, "sort_by", field, "sort_order", order, "per_page", strconv.Itoa(size)).
				wantStatus(http.StatusOK).wantNames(wanted[:size]...)
		}
	}
}

func checkSortOrderDefault(p *probe) {
	word, names := p.three()
	p.get(customersPath, "search", word, "sort_by", "name", "per_page", "1").wantStatus(http.StatusOK).wantNames(names[2])
}

func checkWalk(p *probe) {
	word, names := p.three()
	for page, name := range names {
		p.get(customersPath, "search", word, "sort_by", "name", "sort_order", "asc", "per_page", "1", "page",
			strconv.Itoa(page+1)).
			wantStatus(http.StatusOK).wantNames(name)
	}
}

func checkSearch(p *probe) {
	word := unique()
	p.customer(object{"name": "Casa " + word + " Ltda"})
	p.get(customersPath, "search", word).wantStatus(http.StatusOK).want("meta.total",
		1).wantNames("Casa " + word + " Ltda")
	p.get(customersPath, "search", unique()).wantStatus(http.StatusOK).want("meta.total", 0).want("data", []any{})
}

func checkFilterExternalID(p *probe) {
	word := unique()
	p.customer(object{"name": word, "external_id": word})
	p.customer(object{"name": word + "1", "external_id": word + "1"})
	p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 1).wantNames(word)
	p.get(customersPath, "external_id", word+"0").wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkFilterDocumentNumber(p *probe) {
	number := maskedCPF(cpf())
	word := unique()
	p.customer(object{"name": word, "document_number": number})
	p.customer(nil)
	p.get(customersPath, "document_number", number).wantStatus(http.StatusOK).want("meta.total", 1).wantNames(word)
}

func checkFilterUpdatedAt(p *probe) {
	word := unique()
	_, a := p.customer(object{"name": word})
	updated := a.time("data.customer.updated_at")
	const form = "2006-01-02T15:04:05.000Z07:00"
	saoPaulo := time.FixedZone("-03", -3*60*60)
	for _, moment := range []time.Time{updated, updated.In(saoPaulo)} {
		p.get(customersPath, "search", word, "updated_at_gte", moment.Format(form)).wantStatus(http.StatusOK).wantNames(word)
	}
	// Far enough ahead that no clock of a server is there yet.
	later := updated.Add(24 * time.Hour)
	for _, moment := range []time.Time{later, later.In(saoPaulo)} {
		p.get(customersPath, "search", word, "updated_at_gte", moment.Format(form)).wantStatus(http.StatusOK).wantNames()
	}
}

func checkFiltersCombine(p *probe) {
	word, names := p.three()
	p.get(customersPath, "search", word, "external_id", word+"-beta").wantStatus(http.StatusOK).wantNames(names[1])
	p.get(customersPath, "search", unique(), "external_id", word+"-beta").wantStatus(http.StatusOK).wantNames()
}

func checkListedItem(p *probe) {
	word := unique()
	path, _ := p.customer(allFields(word))
	single := p.get(path).wantStatus(http.StatusOK)
	listed := p.get(customersPath, "external_id", word).wantStatus(http.StatusOK)
	for _, member := range customerMembers {
		if !sameJSON(listed.at("data.0."+member), single.at("data."+member)) {
			listed.failf("%s is %s, a single read returns %s", member, show(listed.at("data.0."+member)),
				show(single.at("data."+member)))
		}
	}
}

func checkSortedByID(p *probe) {
	word := unique()
	var ids []string
	for range 3 {
		_, a := p.customer(object{"name": word})
		ids = append(ids, a.text("data.customer.id"))
	}
	slices.Sort(ids)
	for _, order := range []string{"asc", "desc"} {
		a := p.get(customersPath, "search", word, "sort_by", "id", "sort_order", order, "per_page",
			"1").wantStatus(http.StatusOK)
		a.want("data.0.id", ids[0])
		slices.Reverse(ids)
	}
}
