package claims

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/google/uuid"
)

const (
	ledgerAccountsPath = "/v1/accounts"
	payablesPath       = "/v1/payables"
	receivablesPath    = "/v1/receivables"
	openAPIJSONPath    = "/api/v1/openapi.json"
	openAPIYAMLPath    = "/api/v1/openapi.yaml"

	// idempotencyHeader is the header for the key of a creation, Financial management §1.
	idempotencyHeader = "X-Idempotency-Key"
	// mostPages limits the reading of an endless list.
	mostPages = 1000
)

// ownCollection returns the path of a collection that is unique in the target.
func ownCollection() string { return "/v1/contract-" + unique() }

func recordPath(collection, id string) string { return collection + "/" + url.PathEscape(id) }

// financeClaim is claim for financial management.
func financeClaim(number int, source, text string, check func(*probe)) Claim {
	return claimOf(Finance, number, source, text, check)
}

// shelf separates the records of one claim from all others: by their own company, in a collection that may also contain
// other records.
type shelf struct{ path, company string }

// shelves returns one shelf in each collection of the description, and one in the claim's own collection.
func shelves() []shelf {
	company := uuid.NewString()
	return []shelf{{ledgerAccountsPath, company}, {payablesPath, company}, {receivablesPath, company},
		{ownCollection(), company}}
}

// ledgers returns the shelves whose records have an occurrence date.
func ledgers() []shelf { return shelves()[1:] }

// put creates a record on the shelf and returns its path and the response.
func (s shelf) put(p *probe, fields object) (string, *response) {
	return p.entry(s.path, merged(object{"company_id": s.company}, fields))
}

// fill creates n records and returns their ids in that order.
func (s shelf) fill(p *probe, n int) []string {
	var ids []string
	for range n {
		_, a := s.put(p, nil)
		ids = append(ids, a.text("data.id"))
	}
	return ids
}

// get reads the first page of the shelf.
func (s shelf) get(p *probe, query ...string) *response {
	return p.get(s.path, slices.Concat([]string{"company_id", s.company}, query)...)
}

// walk reads all pages of the shelf, see probe.walk.
func (s shelf) walk(p *probe, limit int, between func(read []string), query ...string) []string {
	return p.walk(s.path, limit, between, slices.Concat([]string{"company_id", s.company}, query)...)
}

// entry creates a record, with a unique name unless the fields have one, and returns its path and the response.
func (p *probe) entry(collection string, fields object) (string, *response) {
	a := p.create(collection, uuid.NewString(), merged(object{"name": unique()}, fields)).wantStatus(http.StatusCreated)
	return recordPath(collection, a.text("data.id")), a
}

// create sends a create request with that idempotency key.
func (p *probe) create(collection, key string, body object) *response {
	return p.send(creation(collection, key, body))
}

func creation(collection, key string, body object) call {
	return call{method: http.MethodPost, path: collection, body: body, header: http.Header{idempotencyHeader: {key}}}
}

// together sends the same request n times in parallel.
func (p *probe) together(n int, c call) []*response {
	responses := make([]*response, n)
	var all sync.WaitGroup
	for i := range responses {
		q := &probe{ctx: p.ctx, target: p.target, client: p.client, err: p.err, finance: p.finance, last: p.last}
		all.Go(func() { responses[i] = q.send(c) })
	}
	all.Wait()
	for _, a := range responses {
		p.made = append(p.made, a.p.made...)
		p.secrets = append(p.secrets, a.p.secrets...)
		if a.p.err != nil {
			p.failf("%w", a.p.err)
		}
		a.p = p
	}
	return responses
}

// walk reads all pages of a list, with limit items each, and returns the ids in their order. It sends every cursor back
// unchanged. Before each page but the first it calls between with the ids read so far.
func (p *probe) walk(path string, limit int, between func(read []string), query ...string) []string {
	var ids []string
	paging := []string{"limit", strconv.Itoa(limit)}
	for range mostPages {
		a := p.get(path, slices.Concat(query, paging)...).wantStatus(http.StatusOK)
		items := a.list("data")
		if len(items) > limit {
			a.failf("%d items on a page of %d", len(items), limit)
		}
		for _, item := range items {
			id := text(item, "id")
			if slices.Contains(ids, id) {
				a.failf("%s is on two pages, or twice on one", id)
			}
			ids = append(ids, id)
		}
		if p.err != nil || a.unset("meta.next_cursor") {
			return ids
		}
		paging = []string{"limit", strconv.Itoa(limit), "cursor", a.text("meta.next_cursor")}
		if between != nil {
			between(ids)
		}
	}
	p.failf("GET %s: the list has not ended after %d pages", path, mostPages)
	return ids
}

// wantIDs fails unless a list contains exactly those records, in any order, because the description does not specify
// one.
func (p *probe) wantIDs(what string, got []string, wanted ...string) {
	for _, id := range wanted {
		if !slices.Contains(got, id) {
			p.failf("%s: %s is missing", what, id)
		}
	}
	for _, id := range got {
		if !slices.Contains(wanted, id) {
			p.failf("%s: unexpected %s", what, id)
		}
	}
}

// idsOf returns the ids of the items of a page.
func (a *response) idsOf() []string {
	var ids []string
	for _, item := range a.list("data") {
		ids = append(ids, text(item, "id"))
	}
	return ids
}

// wantSame fails unless the response has exactly the body of another one.
func (a *response) wantSame(other *response) *response {
	a.wantStatus(other.status)
	return a.want("", other.body)
}

// number returns a JSON number with exactly these digits.
func number(digits string) json.Number { return json.Number(digits) }
