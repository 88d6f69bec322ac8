package claims

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readings checks claims by number against existing data. It reads the first page of a list and checks only the
// statement itself, not how a service processes requests. If it needs an object that is missing, it names that object.
var readings = func() map[int]func(*probe) {
	all := map[int]func(*probe){}
	for _, some := range []map[int]func(*probe){conventionReadings, customerReadings, accountReadings,
		subscriptionReadings, endpointReadings, deliveryReadings, recordReadings} {
		maps.Copy(all, some)
	}
	return all
}()

// mostLooked is how many objects of a page are read individually.
const mostLooked = 3

// first returns the first page of a list, which must contain an object. what describes it.
func (p *probe) first(what, path string, query ...string) (*response, []any) {
	a := p.get(path, query...).wantStatus(http.StatusOK)
	items := a.list("data")
	if len(items) == 0 {
		p.lacks(what)
	}
	return a, items
}

// lacks ends a reading that needs another object.
func (p *probe) lacks(what string) { p.failf("%w: %s", ErrNotGiven, what) }

// one returns the first matching object of the first page, as if it were a single response.
func (p *probe) one(what, path string, fits func(*response) bool, query ...string) *response {
	_, items := p.first(what, path, query...)
	for _, item := range items {
		if a := p.listedResponse(path, item); fits(a) {
			return a
		}
	}
	p.lacks(what)
	return p.listedResponse(path, nil)
}

// has returns a condition for one: the member is a nonempty text.
func has(member string) func(*response) bool {
	return func(a *response) bool { text, ok := a.at("data." + member).(string); return ok && text != "" }
}

func anything(*response) bool { return true }

// wantListed fails unless the list contains the object, or has more than its first page.
func (a *response) wantListed(id string) *response {
	if found := slices.Contains(a.idsOf(), id); !found && a.whole() {
		a.failf("%s is not in the list", id)
	} else if !found {
		a.p.lacks("an object on the first page")
	}
	return a
}

// whole reports whether a page is the whole list.
func (a *response) whole() bool {
	if a.p.finance {
		return a.unset("meta.next_cursor")
	}
	return a.integer("meta.total") <= len(a.list("data"))
}

// wantNone fails unless a list is empty.
func (a *response) wantNone() *response {
	return a.wantStatus(http.StatusOK).want("meta.total", 0).want("data", []any{})
}

// wantReads fails unless each of the first objects of a page, read by id, has that value.
func (a *response) wantReads(path, member string, value any) {
	for _, id := range a.idsOf()[:min(mostLooked, len(a.idsOf()))] {
		one := a.p.get(recordPath(path, id)).wantStatus(http.StatusOK)
		if !sameJSON(one.at("data."+member), asJSON(value)) {
			a.failf("%s is in the list, but its %s is %s", id, member, show(one.at("data."+member)))
		}
	}
}

// readFilter checks a filter with an object that it must find. Other objects in the result must have the same value,
// and an unused value finds nothing.
func (p *probe) readFilter(path, filter, member, id, value, noValue string) {
	p.get(path, filter, value).wantStatus(http.StatusOK).wantListed(id).wantReads(path, member, value)
	p.get(path, filter, noValue).wantNone()
}

// readExternalID checks the filter external_id, which matches the whole value.
func (p *probe) readExternalID(path, what string) (id, value string) {
	one := p.one(what+" with external_id", path, has("external_id"))
	id, value = one.text("data.id"), one.text("data.external_id")
	p.readFilter(path, "external_id", "external_id", id, value, value+unique())
	if half := value[:len(value)/2]; half != "" {
		p.get(path, "external_id", half).wantStatus(http.StatusOK).wantReads(path, "external_id", half)
	}
	return id, value
}

// readSince checks updated_at_gte with the most recently updated object: its time is included, and older objects are
// not.
func (p *probe) readSince(path, what string) {
	last := p.one(what, path, anything, "sort_by", "updated_at", "sort_order", "desc")
	updated := last.time("data.updated_at")
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -3*60*60)} {
		since := updated.In(zone).Format("2006-01-02T15:04:05.000Z07:00")
		a := p.get(path, "updated_at_gte", since).wantStatus(http.StatusOK).wantListed(last.text("data.id"))
		for _, item := range a.list("data") {
			if one := p.listedResponse(path, item); one.time("data.updated_at").Before(updated) {
				a.failf("%s was updated before %s", one.text("data.id"), since)
			}
		}
	}
	later := updated.Add(24 * time.Hour).Format(time.RFC3339)
	p.get(path, "updated_at_gte", later).wantNone()
}

// readSame checks whether listed objects contain what single reads return.
func (p *probe) readSame(path, what string, members []string) {
	_, items := p.first(what, path)
	for _, item := range items[:min(mostLooked, len(items))] {
		listed := p.listedResponse(path, item)
		single := p.get(recordPath(path, listed.text("data.id"))).wantStatus(http.StatusOK)
		for _, member := range members {
			if got, wanted := listed.at("data."+member), single.at("data."+member); !sameJSON(got, wanted) {
				listed.failf("%s is %s, a single read returns %s", member, show(got), show(wanted))
			}
		}
	}
}

// readOrder checks sort_by and sort_order with values that every service compares equally: ids and times.
func (p *probe) readOrder(path, what, field string, query ...string) {
	for order, sign := range map[string]int{"asc": 1, "desc": -1} {
		a := p.get(path, append(query, "sort_by", field, "sort_order", order)...).wantStatus(http.StatusOK)
		last, distinct := "", false
		for i := range a.list("data") {
			value := a.text("data." + strconv.Itoa(i) + "." + field)
			if i > 0 && strings.Compare(last, value) == sign {
				a.failf("item %d of %s has the %s %s, after %s", i, order, field, show(value), show(last))
			}
			distinct = distinct || i > 0 && value != last
			last = value
		}
		if !distinct {
			p.lacks("a second existing " + what)
		}
	}
}

// readPages checks that sorted pages contain every object once: pages of one against a page of two.
func (p *probe) readPages(path, what string) {
	sorted := []string{"sort_by", "id", "sort_order", "asc"}
	two := p.get(path, append(sorted, "per_page", "2")...).wantStatus(http.StatusOK).idsOf()
	if len(two) < 2 {
		p.lacks("a second existing " + what)
		return
	}
	for page, wanted := range two {
		a := p.get(path, append(sorted, "per_page", "1", "page", strconv.Itoa(page+1))...).wantStatus(http.StatusOK)
		if got := a.idsOf(); !slices.Equal(got, []string{wanted}) {
			a.failf("page %d of 1 holds %v, want %s", page+1, got, wanted)
		}
	}
}

var conventionReadings = map[int]func(*probe){
	1: func(p *probe) {
		wantRequestIDs([]*response{
			p.get(mePath), p.get(mePath), p.get(customersPath), p.get(customerPath(nobody)), p.get("/v1/" + unique()),
			p.send(call{method: http.MethodGet, path: mePath, anonymous: true}),
		})
	},
	5: func(p *probe) {
		p.get(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
		p.get(accountPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
	},
	35: func(p *probe) {
		one := p.get(customersPath, "per_page", "1", "sort_by", "id").wantStatus(http.StatusOK)
		total := one.integer("meta.total")
		if size := min(2, p.maxPerPage()); total > 0 {
			pages := (total + size - 1) / size
			for _, page := range []int{1, pages} {
				a := p.get(customersPath, "page", strconv.Itoa(page), "per_page", strconv.Itoa(size), "sort_by", "id").
					wantStatus(http.StatusOK).want("meta.total", total).want("meta.total_pages", pages).
					want("meta.page", page).want("meta.per_page", size)
				if n := len(a.list("data")); n != min(size, total-(page-1)*size) {
					a.failf("%d items on page %d of %d, with %d in total", n, page, pages, total)
				}
			}
			one.want("meta.total_pages", total).want("meta.page", 1).want("meta.per_page", 1)
			return
		}
		p.lacks("an existing customer")
	},
	36: func(p *probe) {
		one, _ := p.first("an existing customer", customersPath, "per_page", "1")
		past := strconv.Itoa(one.integer("meta.total") + 9)
		a := p.get(customersPath, "per_page", "1", "page", past).wantStatus(http.StatusOK).want("data", []any{})
		a.want("meta.total", one.at("meta.total")).want("meta.total_pages", one.at("meta.total"))
	},
}

var customerReadings = map[int]func(*probe){
	37: func(p *probe) {
		for _, field := range []string{"created_at", "updated_at"} {
			p.readOrder(customersPath, "customer", field)
		}
	},
	39: func(p *probe) { p.readPages(customersPath, "customer") },
	40: func(p *probe) {
		one := p.one("an existing customer with a word in its name", customersPath, func(a *response) bool {
			return longWord(text(a.at("data"), "name")) != ""
		})
		p.get(customersPath, "search", longWord(one.text("data.name"))).wantStatus(http.StatusOK).
			wantListed(one.text("data.id"))
		p.get(customersPath, "search", unique()).wantNone()
	},
	41: func(p *probe) { p.readExternalID(customersPath, "an existing customer") },
	42: func(p *probe) {
		one := p.one("an existing customer with document_number", customersPath, has("document_number"))
		a := p.get(customersPath, "document_number", one.text("data.document_number")).wantStatus(http.StatusOK)
		a.wantListed(one.text("data.id")).wantReads(customersPath, "document_number", one.text("data.document_number"))
	},
	43: func(p *probe) { p.readSince(customersPath, "an existing customer") },
	45: func(p *probe) { p.readSame(customersPath, "an existing customer", customerMembers) },
	46: func(p *probe) { p.readOrder(customersPath, "customer", "id") },
	61: func(p *probe) {
		_, items := p.first("an existing customer", customersPath)
		seen := map[string]bool{}
		for _, item := range items {
			a := p.listedResponse(customersPath, item)
			for _, member := range []string{"id", "public_id"} {
				if a.wantMatch("data."+member, uuidForm); seen[member+text(item, member)] {
					a.failf("another customer has the same %s", member)
				}
				seen[member+text(item, member)] = true
			}
		}
	},
	62: func(p *probe) {
		_, items := p.first("an existing customer", customersPath)
		for _, item := range items {
			a := p.listedResponse(customersPath, item)
			a.wantMatch("data.created_at", timeForm).wantMatch("data.updated_at", timeForm)
			if a.time("data.updated_at").Before(a.time("data.created_at")) {
				a.failf("updated_at is before created_at")
			}
		}
	},
}

// longWord returns a long word of ASCII letters in a text, or "": a service may search only for whole words, and
// normalize other letters.
func longWord(text string) string {
	for word := range strings.FieldsSeq(text) {
		other := strings.IndexFunc(word, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
		if len(word) >= 4 && other < 0 {
			return word
		}
	}
	return ""
}

var accountReadings = map[int]func(*probe){
	133: func(p *probe) {
		_, items := p.first("an existing billing account", accountsPath)
		for _, item := range items[:min(mostLooked, len(items))] {
			a := p.get(accountPath(text(item, "id"))).wantStatus(http.StatusOK)
			a.wantPresent("data.customer", embeddedMembers...)
			customer := p.get(customerPath(a.text("data.customer.id")))
			if customer.status == http.StatusNotFound {
				continue // the account of a deleted customer remains
			}
			customer.wantStatus(http.StatusOK)
			for _, member := range embeddedMembers {
				a.want("data.customer."+member, customer.at("data."+member))
			}
		}
	},
	135: func(p *probe) {
		one := p.one("an existing billing account", accountsPath, anything)
		customer := p.get(accountPath(one.text("data.id"))).wantStatus(http.StatusOK).text("data.customer.id")
		p.readFilter(accountsPath, "customer_id", "customer.id", one.text("data.id"), customer, nobody)
	},
	136: func(p *probe) {
		one := p.one("an existing billing account", accountsPath, has("status"))
		status := one.text("data.status")
		for _, wanted := range []string{"active", "closed"} {
			a := p.get(accountsPath, "status", wanted).wantStatus(http.StatusOK)
			a.wantReads(accountsPath, "status", wanted)
			if wanted == status && len(a.list("data")) == 0 {
				a.failf("%s is not in the list", one.text("data.id"))
			}
		}
	},
	138: func(p *probe) {
		_, items := p.first("an existing billing account", accountsPath)
		seen := map[string]bool{}
		for _, item := range items {
			if customer := text(item, "customer.id"); seen[customer] {
				p.readOrder(accountsPath, "billing account of one customer", "id", "customer_id", customer)
				return
			} else if customer != "" {
				seen[customer] = true
			}
		}
		p.lacks("a second existing billing account of one customer")
	},
	139: func(p *probe) {
		p.readSame(accountsPath, "an existing billing account", append([]string{"customer"}, accountMembers...))
	},
	175: func(p *probe) {
		list, items := p.first("an existing closed billing account", accountsPath, "status", "closed")
		closed := slices.IndexFunc(items, func(item any) bool { return text(item, "status") == "closed" })
		if closed < 0 { // a list that has others as well ignores the filter, which is claim 136
			list.failf("no listed account has the status closed")
			return
		}
		one := p.listedResponse(accountsPath, items[closed])
		p.get(accountPath(one.text("data.id"))).wantStatus(http.StatusOK).want("data.status", "closed")
	},
	183: func(p *probe) {
		p.readExternalID(accountsPath, "an existing billing account")
		p.readSince(accountsPath, "an existing billing account")
	},
}

var subscriptionReadings = map[int]func(*probe){
	201: func(p *probe) {
		one := p.one("an existing subscription to a plan", subscriptionsPath, has("plan_id"))
		a := p.get(subscriptionPath(one.text("data.id"))).wantStatus(http.StatusOK)
		a.wantPresent("data", subscriptionMembers...).wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm)
		for _, member := range []string{"current_period_start", "current_period_end", "created_at", "updated_at"} {
			a.wantMatch("data."+member, timeForm)
		}
		if a.at("data.recurring_amount_cents") != nil {
			a.integer("data.recurring_amount_cents")
		}
		for _, member := range []string{"allow_pause", "allow_cancel", "cancel_at_period_end"} {
			if _, ok := a.at("data." + member).(bool); !ok {
				a.failf("data.%s is %s, want true or false", member, show(a.at("data."+member)))
			}
		}
	},
	261: func(p *probe) {
		one := p.one("an existing subscription of items", subscriptionsPath, func(a *response) bool {
			return a.at("data.plan_id") == nil
		})
		path := subscriptionPath(one.text("data.id"))
		a := p.listItems(path).wantStatus(http.StatusOK)
		for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
			a.integer(member)
		}
		ids := a.idsOf()
		if len(ids) == 0 {
			a.failf("a subscription without a plan has no items")
		}
		for i, id := range ids {
			if a.wantMatch("data."+strconv.Itoa(i)+".id", uuidForm); slices.Contains(ids[:i], id) {
				a.failf("two items have the same id")
			}
		}
	},
	311: func(p *probe) {
		one := p.one("an existing subscription to a plan", subscriptionsPath, has("plan_id"))
		id, combined := one.text("data.id"), []string{}
		for _, filter := range []string{"billing_account_id", "status", "plan_id"} {
			value := one.text("data." + filter)
			a := p.get(subscriptionsPath, filter, value).wantStatus(http.StatusOK)
			a.wantReads(subscriptionsPath, filter, value)
			if a.whole() {
				a.wantListed(id)
			}
			combined = append(combined, filter, value)
		}
		p.get(subscriptionsPath, combined...).wantStatus(http.StatusOK).wantListed(id)
		p.get(subscriptionsPath, "billing_account_id", nobody).wantNone()
		p.get(subscriptionsPath, "plan_id", nobody, "status", one.text("data.status")).wantNone()
	},
	312: func(p *probe) { p.readExternalID(subscriptionsPath, "an existing subscription") },
	313: func(p *probe) { p.readSince(subscriptionsPath, "an existing subscription") },
	314: func(p *probe) {
		a, _ := p.first("an existing subscription", subscriptionsPath)
		for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
			a.integer(member)
		}
		p.readSame(subscriptionsPath, "an existing subscription", subscriptionMembers)
	},
	315: func(p *probe) { p.readPages(subscriptionsPath, "subscription") },
	322: func(p *probe) { p.readInvoices("subscription_id", subscriptionsPath) },
	323: func(p *probe) { p.readInvoices("billing_account_id", accountsPath) },
	324: func(p *probe) { p.readOrder(invoicesPath, "invoice", "id") },
}

// readInvoices checks a filter of invoices: no invoice has two owners.
func (p *probe) readInvoices(filter, owners string) {
	p.first("an existing invoice", invoicesPath)
	_, items := p.first("an existing owner of invoices", owners)
	owner := map[string]string{}
	for _, item := range items {
		id := text(item, "id")
		a := p.invoices(filter, id)
		for i := range a.list("data") {
			invoice := a.text("data." + strconv.Itoa(i) + ".id")
			if owner[invoice] != "" {
				a.failf("the invoice %s also belongs to %s", invoice, owner[invoice])
			}
			owner[invoice] = id
		}
	}
	p.invoices(filter, nobody).wantNone()
	if len(owner) == 0 {
		p.lacks("an invoice of an object on the first page")
	}
}
