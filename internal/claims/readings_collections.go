package claims

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

var endpointReadings = map[int]func(*probe){
	506: func(p *probe) {
		one := p.one("an existing webhook endpoint with authentication", endpointsPath, func(a *response) bool {
			kind, is := a.at("data.authentication.type").(string)
			return is && kind != "none"
		})
		for _, a := range []*response{one, p.get(endpointPath(one.text("data.id"))).wantStatus(http.StatusOK)} {
			for _, member := range []string{"password", "token", "value"} {
				a.wantMissing("data.authentication." + member)
			}
			switch a.text("data.authentication.type") {
			case "basic":
				a.text("data.authentication.username")
			case "header":
				a.text("data.authentication.name")
			}
		}
	},
	532: func(p *probe) {
		for _, c := range closed {
			if c.token = unique(); c.method == http.MethodGet {
				wantUnauthorized(p.send(c))
			}
		}
	},
	534: func(p *probe) {
		for _, path := range []string{endpointPath(nobody), endpointPath(nobody) + "/deliveries", keyPath(nobody)} {
			p.get(path).wantStatus(http.StatusNotFound).wantError("")
		}
	},
	536: func(p *probe) { p.readPaging(endpointsPath, "an existing webhook endpoint") },
	537: func(p *probe) { p.readByCreation(endpointsPath, "webhook endpoint") },
	538: func(p *probe) { p.readPaging(keysPath, "an existing API key") },
	539: func(p *probe) { p.readByCreation(keysPath, "API key") },
	550: func(p *probe) {
		one := p.one("an existing revoked API key", keysPath, has("revokedAt")).
			wantMatch("data.revokedAt", timeForm)
		p.get(keyPath(one.text("data.id"))).wantStatus(http.StatusOK).want("data.revokedAt", one.at("data.revokedAt"))
	},
}

// mostPagesRead limits how many pages of a list are read.
const mostPagesRead = 3

// readPaging checks paging with the first pages.
func (p *probe) readPaging(path, what string) {
	one, _ := p.first(what, path, "per_page", "1")
	one.want("meta.per_page", 1).want("meta.page", 1)
	if n := len(one.list("data")); n != 1 {
		one.failf("%d items on a page of 1", n)
	}
	size, total := min(2, p.maxPerPage()), one.integer("meta.total")
	var seen []string
	for page := 1; page <= mostPagesRead && len(seen) < total && p.err == nil; page++ {
		a := p.get(path, "page", strconv.Itoa(page), "per_page", strconv.Itoa(size)).wantStatus(http.StatusOK)
		ids := a.want("meta.total", total).idsOf()
		if n := min(size, total-len(seen)); len(ids) != n {
			a.failf("%d items on page %d of %d, want %d", len(ids), page, size, n)
		}
		for _, id := range ids {
			if slices.Contains(seen, id) {
				a.failf("%s is on two pages", id)
			}
			seen = append(seen, id)
		}
	}
}

// readByCreation checks the order of the first page, twice.
func (p *probe) readByCreation(path, what string) {
	var orders [2][]string
	for i := range orders {
		a, items := p.first(what, path)
		var last time.Time
		for n := range items {
			created := a.time("data." + strconv.Itoa(n) + ".createdAt")
			if created.Before(last) {
				a.failf("item %d was created before the previous one", n)
			}
			last = created
		}
		if orders[i] = a.idsOf(); len(items) < 2 {
			p.lacks("a second existing " + what)
		}
	}
	if !slices.Equal(orders[0], orders[1]) {
		p.failf("GET %s: the order is %v, and was %v in the previous list", path, orders[1], orders[0])
	}
}

var deliveryReadings = map[int]func(*probe){
	601: func(p *probe) {
		p.readDeliveries("an existing delivery that was accepted", func(code int) bool { return code/100 == 2 },
			func(a *response) {
				a.want("data.status", "success").want("data.nextRetryAt", nil).wantUnset("data.lastError").
					wantMatch("data.deliveredAt", timeForm)
			})
	},
	602: func(p *probe) {
		p.readDeliveries("an existing delivery that was rejected", func(code int) bool { return code != 0 && code/100 != 2 },
			func(a *response) {
				if a.at("data.status") != "exhausted" {
					a.want("data.status", "failed").wantMatch("data.nextRetryAt", timeForm)
				}
				if a.want("data.deliveredAt", nil).text("data.lastError") == "" {
					a.failf("lastError is empty")
				}
			})
	},
	622: func(p *probe) {
		p.readDeliveries("an existing delivery", func(int) bool { return true },
			func(a *response) { p.wantRedacted(a.at("data"), hidden) })
	},
	623: func(p *probe) {
		path, items := p.delivered()
		for _, filter := range []string{"status", "event"} {
			value := text(items[0], filter)
			a := p.get(path, filter, value).wantStatus(http.StatusOK).wantListed(text(items[0], "id"))
			for i := range a.list("data") {
				a.want("data."+strconv.Itoa(i)+"."+filter, value)
			}
		}
		other := map[bool]string{true: "failed", false: "success"}[text(items[0], "status") == "success"]
		for _, item := range p.get(path, "status", other, "event", text(items[0], "event")).wantStatus(http.StatusOK).
			list("data") {
			if text(item, "status") != other || text(item, "event") != text(items[0], "event") {
				p.failf("GET %s: %s does not match the filters", path, text(item, "id"))
			}
		}
	},
	624: func(p *probe) {
		path, _ := p.delivered()
		p.readPaging(path, "an existing delivery")
		p.readByCreation(path, "delivery")
	},
}

// delivered returns the path and the first page of the deliveries of an endpoint that has some.
func (p *probe) delivered() (path string, items []any) {
	_, endpoints := p.first("an existing webhook endpoint", endpointsPath)
	for _, endpoint := range endpoints[:min(5, len(endpoints))] {
		path = endpointPath(text(endpoint, "id")) + "/deliveries"
		if items = p.get(path).wantStatus(http.StatusOK).list("data"); len(items) > 0 {
			return path, items
		}
	}
	p.lacks("an existing delivery")
	return path, []any{nil}
}

// readDeliveries checks the deliveries of the first endpoints whose response had a matching code; 0 means no response.
func (p *probe) readDeliveries(what string, fits func(code int) bool, look func(*response)) {
	_, endpoints := p.first("an existing webhook endpoint", endpointsPath)
	found := false
	for _, endpoint := range endpoints[:min(5, len(endpoints))] {
		path := endpointPath(text(endpoint, "id")) + "/deliveries"
		for _, item := range p.get(path).wantStatus(http.StatusOK).list("data") {
			a := p.listedResponse(path, item)
			code, _ := strconv.Atoi(strings.Trim(show(a.at("data.httpCode")).text, `"`))
			if status := a.at("data.status"); status != "pending" && fits(code) {
				found = true
				look(a)
			}
		}
	}
	if !found {
		p.lacks(what)
	}
}
