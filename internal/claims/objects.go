package claims

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// The paths of the services.
const (
	mePath             = "/v1/me"
	customersPath      = "/v1/customers"
	accountsPath       = "/v1/billing-accounts"
	subscriptionsPath  = "/v1/subscriptions"
	invoicesPath       = "/v1/invoices"
	endpointsPath      = "/api/v1/webhook-endpoints"
	keysPath           = "/api/v1/api-keys"
	ledgerAccountsPath = "/v1/accounts"
	payablesPath       = "/v1/payables"
	receivablesPath    = "/v1/receivables"
	openAPIJSONPath    = "/api/v1/openapi.json"

	// idempotencyHeader is the header for the key of a creation, Financial management §1.
	idempotencyHeader = "X-Idempotency-Key"
	// nobody is a well-formed id that no object has.
	nobody = "00000000-0000-4000-8000-000000000000"
	// mostPages limits the reading of an endless list.
	mostPages = 1000
	// mostLooked is how many objects are read one by one, when only reading.
	mostLooked = 3
	// slack is the permitted difference between two times of one operation at a service.
	slack = time.Minute
)

var (
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)
	// anyUUIDForm matches a UUID of any version, because the description of the collections service does not specify one.
	anyUUIDForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

func customerPath(id string) string { return customersPath + "/" + url.PathEscape(id) }

func accountPath(id string) string { return accountsPath + "/" + url.PathEscape(id) }

func subscriptionPath(id string) string { return subscriptionsPath + "/" + url.PathEscape(id) }

func endpointPath(id string) string { return endpointsPath + "/" + url.PathEscape(id) }

func keyPath(id string) string { return keysPath + "/" + url.PathEscape(id) }

func recordPath(collection, id string) string { return collection + "/" + url.PathEscape(id) }

// ownCollection returns the path of a collection that is unique in the target.
func ownCollection() string { return "/v1/contract-" + unique() }

// publicURL returns an address that is unique in the target. The host exists and is public, for services that resolve
// it at registration.
func publicURL() string { return "https://example.com/" + unique() }

// number returns a JSON number with exactly these digits.
func number(digits string) json.Number { return json.Number(digits) }

// merged returns a new object with the members of all; later ones take precedence.
func merged(all ...object) object {
	sum := object{}
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

// cpf returns a random valid individual tax number, 11 digits without punctuation.
func cpf() string {
	n, err := rand.Int(rand.Reader, big.NewInt(999_999_998))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	digits := fmt.Sprintf("%09d", n.Int64()+1)
	for len(digits) < 11 {
		sum := 0
		for i, digit := range digits {
			sum += int(digit-'0') * (len(digits) + 1 - i)
		}
		check := sum * 10 % 11 % 10
		digits += fmt.Sprint(check)
	}
	return digits
}

// maskedCPF adds the usual punctuation.
func maskedCPF(digits string) string {
	return digits[:3] + "." + digits[3:6] + "." + digits[6:9] + "-" + digits[9:]
}

// allFields returns a create body with every field of a customer. The word is its external_id and part of its texts.
func allFields(word string) object {
	return object{
		"name":            "oficina " + word,
		"external_id":     word,
		"nickname":        "oficina do sul 🛠",
		"legal_name":      "oficina " + word + " ltda",
		"document_number": maskedCPF(cpf()),
		"kind":            "juridical",
		"birthday":        "2011-02-28",
		"notes":           "primeira parte, 50%",
		"addresses": []object{
			{"kind": "billing", "street": "rua das flores", "number": "482", "complement": "sala 71",
				"neighborhood": "jardim", "city": "campinas", "state": "SP", "postal_code": "13087450",
				"country": "BR"},
			{"kind": "shipping", "street": "avenida do contorno", "number": "s/n", "complement": nil,
				"neighborhood": "distrito industrial", "city": "betim", "state": "MG", "postal_code": "32600104", "country": "BR"},
		},
		"phones": []object{{"kind": "mobile", "value": "5519998124407"},
			{"kind": "office", "value": "551932567710"}},
		"emails":          []object{{"kind": "financial", "value": word + "@correio.example"}},
		"websites":        []object{{"kind": "store", "value": "https://" + word + ".example/"}},
		"tags":            []string{"atacado", "interior-sp"},
		"custom_metadata": object{"crm": object{"owner": "aline"}, "route": []any{"cps-03", 7, nil}},
	}
}

// otherFields returns values that all differ from those of allFields.
func otherFields(word string) object {
	return object{
		"external_id":     word + "-b",
		"name":            "atelier " + word,
		"nickname":        "atelier",
		"legal_name":      "atelier " + word + " s.a.",
		"document_number": cpf(),
		"kind":            "natural",
		"birthday":        "1984-03-09",
		"notes":           "entregas antes das 9h",
		"addresses": []object{{"kind": "billing", "street": "rua das flores", "number": "500", "complement": nil,
			"neighborhood": "centro", "city": "recife", "state": "PE", "postal_code": "50010000", "country": "BR"}},
		"phones":          []object{{"kind": "work", "value": "558132249000"}},
		"emails":          []object{{"kind": "work", "value": "b-" + word + "@correio.example"}},
		"websites":        []object{{"kind": "blog", "value": "https://b-" + word + ".example/"}},
		"tags":            []string{"varejo"},
		"custom_metadata": object{"crm": object{"owner": "jonas"}},
	}
}

// accountFields returns the fields of an account that a request may contain.
func accountFields(word string) object {
	return object{
		"external_id": word, "billing_email": word + "@correio.example", "payment_terms_days": 45, "auto_collection": false,
		"custom_metadata": object{"cost_center": object{"code": "mg-014"}, "route": []any{"cps-03", 7, nil}},
	}
}

// customer creates a customer without a billing account, with a unique name unless the fields have one, and returns its
// path and the response.
func (p *probe) customer(fields object) (string, *response) {
	body := merged(object{"name": unique(), "create_billing_account": false}, fields)
	a := p.post(customersPath, body).wantStatus(http.StatusCreated)
	return customerPath(a.text("data.customer.id")), a
}

// payer creates a customer with an account and returns the account's id and the service's time, which may differ from
// this machine's.
func (p *probe) payer() (account string, now time.Time) {
	_, a := p.customer(object{"create_billing_account": true})
	return a.text("data.billing_account.id"), a.time("data.customer.created_at")
}

// subscription creates a monthly subscription to the first plan, on a new account unless the fields name one, and
// returns the path and the response. It is not charged automatically, so a claim causes no costs.
func (p *probe) subscription(fields object) (string, *response) {
	body := object{"plan_id": p.plan(0), "billing_cycle": "monthly", "collection_method": "manual_charge"}
	if _, named := fields["billing_account_id"]; !named {
		body["billing_account_id"], _ = p.payer()
	}
	a := p.post(subscriptionsPath, merged(body, fields)).wantStatus(http.StatusCreated)
	return subscriptionPath(a.text("data.id")), a
}

// plan returns the id of the n-th plan, from 0, the same one throughout a claim.
func (p *probe) plan(n int) string {
	if len(p.target.Plans) == 0 {
		p.target.Plans = []string{uuid.NewString(), uuid.NewString()}
	}
	if n >= len(p.target.Plans) {
		p.failf("%w: %d plans", ErrNotGiven, n+1)
		return ""
	}
	return p.target.Plans[n]
}

// item returns an item with the n-th price, from 0, to send.
func (p *probe) item(n int, fields object) object {
	if len(p.target.Prices) == 0 {
		for range 3 {
			p.target.Prices = append(p.target.Prices, Price{ProductID: uuid.NewString(), PriceID: uuid.NewString()})
		}
	}
	if n >= len(p.target.Prices) {
		p.failf("%w: %d prices", ErrNotGiven, n+1)
		return nil
	}
	price := p.target.Prices[n]
	return merged(object{"product_id": price.ProductID, "price_id": price.PriceID}, fields)
}

// endpoint creates an endpoint and returns its path and the response. Its default event never occurs in a claim, so
// that no delivery is sent.
func (p *probe) endpoint(fields object) (string, *response) {
	body := merged(object{"url": publicURL(), "events": []string{"charge.paid"}}, fields)
	a := p.post(endpointsPath, body).wantStatus(http.StatusCreated)
	return endpointPath(a.text("data.id")), a
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

// maxPerPage is the target's limit for per_page.
func (p *probe) maxPerPage() int { return cmp.Or(p.target.MaxPerPage, 100) }

// listed reads all pages of a list and returns its items.
func (p *probe) listed(path string, query ...string) []any {
	var items []any
	for page := 1; p.err == nil; page++ {
		paging := []string{"page", strconv.Itoa(page), "per_page", strconv.Itoa(p.maxPerPage())}
		a := p.get(path, slices.Concat(paging, query)...).wantStatus(http.StatusOK)
		total := a.integer("meta.total")
		found := a.list("data")
		items = append(items, found...)
		if len(found) == 0 || len(items) >= total {
			break
		}
	}
	return items
}

// listedResponse returns one item of a list as if it were a single response.
func (p *probe) listedResponse(path string, item any) *response {
	raw, err := json.Marshal(item)
	if err != nil {
		p.failf("an item of %s: %w", path, err)
	}
	return &response{p: p, what: "an item of GET " + path, status: http.StatusOK, header: http.Header{}, raw: raw,
		body: object{"data": item}}
}

// idsOf returns the ids of the items of a page.
func (a *response) idsOf() []string {
	var ids []string
	for _, item := range a.list("data") {
		ids = append(ids, text(item, "id"))
	}
	return ids
}

// lacks ends a reading that needs another object.
func (p *probe) lacks(what string) { p.failf("%w: %s", ErrNotGiven, what) }

// whole reports whether a page is the whole list.
func (a *response) whole() bool {
	if a.p.finance {
		return a.unset("meta.next_cursor")
	}
	return a.integer("meta.total") <= len(a.list("data"))
}

// delivered returns the path of the deliveries of an endpoint that has some.
func (p *probe) delivered() string {
	endpoints := p.get(endpointsPath).wantStatus(http.StatusOK).idsOf()
	for _, id := range endpoints[:min(5, len(endpoints))] {
		path := endpointPath(id) + "/deliveries"
		if len(p.get(path).wantStatus(http.StatusOK).list("data")) > 0 {
			return path
		}
	}
	p.lacks("an existing delivery")
	return ""
}

// text returns a text member of a listed item, or "".
func text(item any, member string) string {
	text, _ := (&response{body: item}).at(member).(string)
	return text
}

// wantUnset fails unless the text at path is null or empty: the descriptions do not specify which one represents a
// missing text.
func (a *response) wantUnset(path string) *response {
	if value := a.at(path); value != "" && !a.unset(path) {
		a.failf("%s is %s, want null or empty", path, show(value))
	}
	return a
}

// wantNowhere fails if the response contains one of the texts.
func (a *response) wantNowhere(what string, texts ...string) *response {
	for _, text := range texts {
		if text != "" && bytes.Contains(a.raw, []byte(text)) {
			a.failf("%s is in the response", what)
		}
	}
	return a
}

// wantMissing fails if there is a member at path, even if it is null.
func (a *response) wantMissing(path string) *response {
	if value := a.at(path); value != (any)(missing{}) {
		a.failf("unexpected member %s", path)
	}
	return a
}

// advance advances the service's clock.
func (p *probe) advance(by time.Duration) {
	if p.err != nil {
		return
	}
	p.seen = nil
	if err := p.target.Advance(p.ctx, by); err != nil {
		p.failf("advancing the clock by %s: %w", by, err)
	}
}

// walked reads all pages of a list of records, with limit items each. It sends every cursor back unchanged, and calls
// between before each page but the first with the ids read so far.
func (p *probe) walked(path string, limit int, between func(read []string), query ...string) (all []any) {
	var ids []string
	paging := []string{"limit", strconv.Itoa(limit)}
	for page := range mostPages {
		a := p.get(path, slices.Concat(query, paging)...).wantStatus(http.StatusOK)
		items := a.list("data")
		if len(items) > limit {
			a.failf("%d items on a page of %d", len(items), limit)
		}
		for _, id := range a.idsOf() {
			if slices.Contains(ids, id) {
				a.failf("%s is on two pages, or twice on one", id)
			}
			ids = append(ids, id)
		}
		all = append(all, items...)
		if p.err != nil || a.unset("meta.next_cursor") || p.target.ReadOnly && page >= mostPagesRead {
			return all
		}
		paging = []string{"limit", strconv.Itoa(limit), "cursor", a.text("meta.next_cursor")}
		if between != nil {
			between(ids)
		}
	}
	p.failf("GET %s: the list has not ended after %d pages", path, mostPages)
	return all
}

// wantSet fails unless data contains exactly those items of a subscription, in any order.
func (a *response) wantSet(wanted []any) {
	var got, want []string
	form := func(item any, unpriced bool) string {
		one := response{body: item}
		amount := one.at("unit_amount_subcents")
		if unpriced || amount == any(missing{}) {
			amount = nil
		}
		quantity := one.at("quantity")
		if quantity == any(missing{}) {
			quantity = 1
		}
		return fmt.Sprint(one.at("product_id"), " ", one.at("price_id"), " x", quantity, " at ", show(amount))
	}
	unpriced := map[string]bool{}
	for _, item := range wanted {
		one, _ := item.(object)
		unpriced[text(item, "price_id")] = unset(member(one, "unit_amount_subcents"))
		want = append(want, form(item, false))
	}
	for n, item := range a.list("data") {
		at := "data." + strconv.Itoa(n)
		a.wantMatch(at+".id", uuidForm)
		got = append(got, form(item, unpriced[text(item, "price_id")] && a.unset(at+".unit_amount_subcents")))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		a.failf("the items are %q, want %q", got, want)
	}
}
