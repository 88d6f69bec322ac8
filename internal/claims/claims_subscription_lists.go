package claims

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func subscriptionListClaims() []Claim {
	const list = "Recurring billing §4 Collections; wire contract: subscriptions.list"
	return []Claim{
		claim(311, list,
			"The filters billing_account_id, status and plan_id return what matches and nothing else, and they combine.",
			checkSubscriptionFilters),
		claim(312, list, "The filter external_id matches the whole value only.", checkSubscriptionFilterExternalID),
		claim(313, list, "The filter updated_at_gte includes that exact time and excludes older items.",
			checkSubscriptionFilterUpdatedAt),
		claim(314, list, "A listed subscription contains what a single read of it returns, in the list envelope.",
			checkSubscriptionListed),
		claim(315, list, "With sort_by, walking the pages returns every subscription once, in order.",
			checkSubscriptionsWalk),
		claim(316, list+" (search)",
			"search finds a subscription by its external_id, and no subscription by a word that no subscription contains.",
			checkSubscriptionSearch),
	}
}

func invoiceClaims() []Claim {
	const create = "Wire contract: subscriptions.invoice"
	const list = "Recurring billing §4 Collections; wire contract: invoices.list"
	return []Claim{
		claim(321, create, "A manual invoice returns 201 and has its own id, with and without a reason.",
			checkInvoice),
		claim(322, list,
			"The filter subscription_id returns the invoices of that subscription and no others, each with an id.",
			checkInvoicesOfSubscription),
		claim(323, list, "The filter billing_account_id returns the invoices of that account and no others.",
			checkInvoicesOfAccount),
		claim(324, list, "With sort_by and sort_order the invoices are returned in that order.", checkInvoicesSorted),
	}
}

func collectionClaims() []Claim {
	const list = "Recurring billing §4 Collections; wire contract: records.list"
	return []Claim{
		claim(351, list, "A collection is listed by its name after /v1/, in the list envelope.", checkCollection),
		claim(352, list+" (a collection that the service does not have)",
			"A collection that does not exist returns 404 in the error shape.", checkNoCollection),
	}
}

func checkCollection(p *probe) {
	for _, collection := range []string{"plans", "products", "prices"} {
		a := p.get("/v1/"+collection, "per_page", "1").wantStatus(http.StatusOK)
		a.integer("meta.total")
		for i := range a.list("data") {
			a.text("data." + strconv.Itoa(i) + ".id")
		}
	}
}

func checkNoCollection(p *probe) {
	p.get("/v1/" + unique()).wantStatus(http.StatusNotFound).wantError("")
}

func checkSubscriptionSearch(p *probe) {
	word := unique()
	p.subscription(object{"external_id": word})
	p.get(subscriptionsPath, "search", word).wantStatus(http.StatusOK).want("meta.total",
		1).want("data.0.external_id", word)
	p.get(subscriptionsPath, "search", unique()).wantStatus(http.StatusOK).want("meta.total", 0)
}

// checkInvoicesSorted sorts by the id, the one field that an invoice is sure to have.
func checkInvoicesSorted(p *probe) {
	path, _ := p.subscription(nil)
	ids := []string{p.invoice(path, object{}), p.invoice(path, object{})}
	slices.Sort(ids)
	id := strings.TrimPrefix(path, subscriptionsPath+"/")
	for order, first := range map[string]string{"asc": ids[0], "desc": ids[1]} {
		p.get(invoicesPath, "subscription_id", id, "sort_by", "id", "sort_order", order, "per_page", "1").
			wantStatus(http.StatusOK).want("meta.total", 2).want("data.0.id", first)
	}
}

func checkSubscriptionFilters(p *probe) {
	account, _ := p.payer()
	_, first := p.subscription(object{"billing_account_id": account})
	path, second := p.subscription(object{"billing_account_id": account, "plan_id": p.plan(1)})
	p.subscription(nil)
	p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK).want("meta.total", 2)
	p.get(subscriptionsPath, "billing_account_id", nobody).wantStatus(http.StatusOK).want("meta.total", 0)
	one := p.get(subscriptionsPath, "billing_account_id", account, "plan_id", p.plan(1)).wantStatus(http.StatusOK)
	one.want("meta.total", 1).want("data.0.id", second.text("data.id"))
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
	for status, id := range map[string]string{"active": first.text("data.id"), "paused": second.text("data.id")} {
		a := p.get(subscriptionsPath, "billing_account_id", account, "status", status).wantStatus(http.StatusOK)
		a.want("meta.total", 1).want("data.0.id", id)
	}
}

func checkSubscriptionFilterExternalID(p *probe) {
	word := unique()
	account, _ := p.payer()
	p.subscription(object{"billing_account_id": account, "external_id": word + "-a"})
	_, one := p.subscription(object{"billing_account_id": account, "external_id": word})
	a := p.get(subscriptionsPath, "external_id", word).wantStatus(http.StatusOK)
	a.want("meta.total", 1).want("data.0.id", one.text("data.id"))
}

func checkSubscriptionFilterUpdatedAt(p *probe) {
	account, _ := p.payer()
	_, made := p.subscription(object{"billing_account_id": account})
	updated := made.time("data.updated_at")
	for since, total := range map[time.Time]int{updated: 1, updated.Add(time.Millisecond): 0} {
		for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -3*60*60)} {
			p.get(subscriptionsPath, "billing_account_id", account, "updated_at_gte", since.In(zone).Format(time.RFC3339Nano)).
				wantStatus(http.StatusOK).want("meta.total", total)
		}
	}
}

func checkSubscriptionListed(p *probe) {
	account, _ := p.payer()
	path, _ := p.subscription(object{"billing_account_id": account})
	a := p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK)
	for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
		a.integer(member)
	}
	p.get(path).wantStatus(http.StatusOK).want("data", a.at("data.0"))
}

func checkSubscriptionsWalk(p *probe) {
	word := unique()
	account, _ := p.payer()
	for _, last := range []string{"-c", "-a", "-b"} {
		p.subscription(object{"billing_account_id": account, "external_id": word + last})
	}
	for i, last := range []string{"-a", "-b", "-c"} {
		a := p.get(subscriptionsPath, "billing_account_id", account, "sort_by", "external_id", "sort_order", "asc",
			"per_page", "1", "page", strconv.Itoa(i+1))
		a.wantStatus(http.StatusOK).want("meta.total", 3).want("data.0.external_id", word+last)
	}
}

// invoice creates an invoice by hand and returns its id.
func (p *probe) invoice(path string, body object) string {
	id := p.post(path+"/invoices", body).wantStatus(http.StatusCreated).text("data.id")
	if id == "" {
		p.failf("the invoice of %s has an empty id", path)
	}
	return id
}

// wantInvoice fails unless that invoice is among those on the page, which all
// have an id.
func (a *response) wantInvoice(id string) {
	found := false
	for i := range a.list("data") {
		found = a.text("data."+strconv.Itoa(i)+".id") == id || found
	}
	if !found {
		a.failf("the invoice %s is not listed", id)
	}
}

// invoices lists the invoices that match. A claim makes fewer of them than a page
// holds.
func (p *probe) invoices(filter, value string) *response {
	return p.get(invoicesPath, filter, value, "per_page", strconv.Itoa(p.maxPerPage())).wantStatus(http.StatusOK)
}

func checkInvoice(p *probe) {
	path, _ := p.subscription(object{"collection_method": "manual_invoice"})
	first := p.invoice(path, object{"reason": "Segunda cobrança do mês"})
	second := p.invoice(path, object{})
	if p.err == nil && first == second {
		p.failf("two invoices of %s have the id %s", path, first)
	}
}

func checkInvoicesOfSubscription(p *probe) {
	path, one := p.subscription(object{"collection_method": "manual_invoice"})
	other, two := p.subscription(object{"collection_method": "manual_invoice"})
	p.invoice(other, object{})
	before := p.invoices("subscription_id", two.text("data.id"))
	id := p.invoice(path, object{})
	p.invoices("subscription_id", one.text("data.id")).wantInvoice(id)
	p.invoices("subscription_id", two.text("data.id")).want("meta.total", before.at("meta.total"))
	p.invoices("subscription_id", nobody).want("meta.total", 0).want("data", []any{})
}

func checkInvoicesOfAccount(p *probe) {
	account, _ := p.payer()
	path, _ := p.subscription(object{"billing_account_id": account, "collection_method": "manual_invoice"})
	id := p.invoice(path, object{})
	p.invoices("billing_account_id", account).wantInvoice(id)
	p.invoices("billing_account_id", nobody).want("meta.total", 0).want("data", []any{})
}
