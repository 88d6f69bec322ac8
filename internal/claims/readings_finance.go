package claims

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
)

var recordReadings = map[int]func(*probe){
	701: func(p *probe) {
		wantRequestIDs([]*response{
			p.get(payablesPath), p.get(payablesPath), p.get(ledgerAccountsPath), p.get(recordPath(payablesPath, nobody)),
			p.get(openAPIJSONPath), p.send(call{method: http.MethodGet, path: payablesPath, anonymous: true}),
		})
	},
	704: func(p *probe) {
		for _, collection := range []string{ledgerAccountsPath, payablesPath, receivablesPath, ownCollection()} {
			p.get(recordPath(collection, nobody)).wantStatus(http.StatusNotFound).wantError("")
		}
	},
	721: func(p *probe) {
		path := p.stocked(2)
		first := p.get(path, "limit", "1").wantStatus(http.StatusOK)
		if n := len(first.list("data")); n != 1 || first.text("meta.next_cursor") == "" {
			first.failf("%d items on a page of 1, and the cursor %s", n, show(first.at("meta.next_cursor")))
		}
		if all := p.get(path, "limit", "100").wantStatus(http.StatusOK); len(all.list("data")) < p.maxPerPage() {
			all.want("meta.next_cursor", nil)
		}
	},
	724: func(p *probe) {
		path := p.stocked(2)
		one := p.get(path, "limit", "1").wantStatus(http.StatusOK)
		all := p.get(path, "limit", "100").wantStatus(http.StatusOK)
		n := len(all.list("data"))
		if len(one.list("data")) != 1 || n > 100 || n < p.maxPerPage() && !all.unset("meta.next_cursor") {
			all.failf("%d items with limit 1, %d with limit 100", len(one.list("data")), n)
		}
	},
	726: func(p *probe) {
		// A list within one page of the largest size is checked completely, a longer one only on its first pages.
		path := p.stocked(2)
		all := p.get(path, "limit", "100").wantStatus(http.StatusOK)
		var seen []string
		for cursor, page := "", 0; page < 20; page++ {
			query := []string{"limit", "2"}
			if cursor != "" {
				query = append(query, "cursor", cursor)
			}
			a := p.get(path, query...).wantStatus(http.StatusOK)
			for _, id := range a.idsOf() {
				if slices.Contains(seen, id) {
					a.failf("%s is on two pages, or twice on one", id)
				}
				seen = append(seen, id)
			}
			if a.unset("meta.next_cursor") {
				if all.unset("meta.next_cursor") {
					p.wantIDs("GET "+path+" in pages of 2", seen, all.idsOf()...)
				}
				return
			}
			cursor = a.text("meta.next_cursor")
		}
	},
	741: func(p *probe) {
		path, record := p.recordWith("company_id", func(value string) bool { return value != "" })
		company := record.text("data.company_id")
		p.get(path, "company_id", company, "limit", "100").wantStatus(http.StatusOK).wantListed(record.text("data.id")).
			wantReads(path, "company_id", company)
		p.get(path, "company_id", uuid.NewString()).wantStatus(http.StatusOK).want("data", []any{})
	},
	742: func(p *probe) {
		p.readBounds(func(value string) bool { return strings.Contains(value, "T") })
	},
	743: func(p *probe) {
		p.readBounds(func(value string) bool { return value != "" && !strings.Contains(value, "T") })
	},
}

// stocked returns the first collection with n records.
func (p *probe) stocked(n int) string {
	for _, path := range []string{payablesPath, receivablesPath, ledgerAccountsPath} {
		if len(p.get(path, "limit", "100").wantStatus(http.StatusOK).list("data")) >= n {
			return path
		}
	}
	p.lacks("a collection with two existing records")
	return payablesPath
}

// recordWith returns the first record whose member matches. It reads the records, because a list may omit the member.
func (p *probe) recordWith(member string, fits func(string) bool) (path string, record *response) {
	for _, path = range []string{payablesPath, receivablesPath} {
		ids := p.get(path).wantStatus(http.StatusOK).idsOf()
		for _, id := range ids[:min(mostLooked, len(ids))] {
			record = p.get(recordPath(path, id)).wantStatus(http.StatusOK)
			if fits(text(record.at("data"), member)) {
				return path, record
			}
		}
	}
	p.lacks("an existing record with a matching " + member)
	return path, p.listedResponse(path, nil)
}

// readBounds checks the comparisons of times with the time of an existing record.
func (p *probe) readBounds(fits func(string) bool) {
	path, record := p.recordWith("occurred_at", fits)
	at, id := record.text("data.occurred_at"), record.text("data.id")
	company := []string{"limit", "100"}
	if of := text(record.at("data"), "company_id"); of != "" {
		company = append(company, "company_id", of)
	}
	for operator, included := range map[string]bool{"gte": true, "lte": true, "gt": false, "lt": false} {
		a := p.get(path, append(company, "occurred_at["+operator+"]", at)...).wantStatus(http.StatusOK)
		switch found := slices.Contains(a.idsOf(), id); {
		case found == included:
		case !found && !a.whole():
			p.lacks("a company with few records")
		default:
			a.failf("%s with exactly that time is in the list: %t, want %t", id, found, included)
		}
	}
}
