package claims_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// faults are grouped like the claims. Each is a single deviation.
var faults = slices.Concat(
	under("/v1/customers", customerFaults, refusalFaults),
	under("/v1/", conventionFaults, listFaults, metadataFaults, accountFaults, accountCreateFaults, accountUpdateFaults,
		accountStatusFaults, subscriptionFaults, subscriptionRefusalFaults, itemFaults, transitionFaults, invoiceFaults),
	under("/api/v1/", endpointFaults, addressFaults, collectionsFaults, keyFaults, rotationFaults, deliveryFaults,
		attemptFaults, redeliveryFaults, keyEventFaults),
	under(financePrefix, financeFaults),
	narrowConventionFaults, narrowCustomerFaults, narrowAccountFaults, narrowSubscriptionFaults, narrowCollectionsFaults,
	narrowFinanceFaults, textFaults)

// under limits faults to these paths.
func under(prefix string, groups ...[]fault) []fault {
	limited := func(act func(*inFlight)) func(*inFlight) {
		if act == nil {
			return nil
		}
		return func(in *inFlight) {
			if strings.HasPrefix(in.path, prefix) {
				act(in)
			}
		}
	}
	all := slices.Concat(groups...)
	for i := range all {
		all[i].rewrite, all[i].spoil = limited(all[i].rewrite), limited(all[i].spoil)
	}
	return all
}

var conventionFaults = []fault{
	{name: "missing Request-Id", breaks: []int{1}, spoil: func(in *inFlight) { in.response.Del("Request-Id") }},
	{name: "the same Request-Id for all", breaks: []int{1}, spoil: func(in *inFlight) {
		in.response.Set("Request-Id", "1")
	}},
	{name: "missing Request-Id on errors", breaks: []int{1},
		spoil: whenStatus(400, 599, func(in *inFlight) { in.response.Del("Request-Id") })},
	{name: "empty errors", breaks: []int{5, 23, 24, 25, 26, 352},
		spoil: whenStatus(400, 599, func(in *inFlight) { in.got = nil })},
	{name: "errors of another shape", breaks: []int{5, 23, 101, 122, 352},
		spoil: whenStatus(400, 599, func(in *inFlight) { in.got = object{"message": "no"} })},
	{name: "errors without a message", breaks: []int{5, 24, 25, 352},
		spoil: whenStatus(400, 599, func(in *inFlight) { deleteAt(in.got, "error.message") })},
	{name: "not found is a redirect", breaks: []int{5, 352},
		spoil: whenStatus(404, 405, func(in *inFlight) { in.status = 302; in.response.Set("Location", "/") })},
	{name: "/v1/me in an envelope", breaks: []int{12},
		spoil: onPath("/v1/me", func(in *inFlight) { in.got = object{"data": in.got} })},
	{name: "/v1/me without environment", only: 12,
		spoil: onPath("/v1/me", func(in *inFlight) { deleteAt(in.got, "environment") })},
	{name: "every caller has access", breaks: []int{23, 24, 25, 26}, rewrite: func(in *inFlight) {
		in.header.Set("Authorization", "Bearer "+in.proxy.target.Token)
	}},
	{name: "a flat 403", breaks: []int{26},
		spoil: whenStatus(403, 403,
			func(in *inFlight) { in.got = object{"error": "no", "error_code": "insufficient_scope"} })},
	{name: "403 without granted", breaks: []int{26},
		spoil: whenStatus(403, 403, func(in *inFlight) { deleteAt(in.got, "error.details.granted") })},
}

var listFaults = []fault{
	{name: "an unwrapped list", breaks: []int{31, 40}, spoil: onList(func(in *inFlight) { in.got = at(in.got, "data") })},
	{name: "totals as text", breaks: []int{31, 35},
		spoil: onList(func(in *inFlight) { setAt(in.got, "meta.total", fmt.Sprint(at(in.got, "meta.total"))) })},
	{name: "pages counted from zero", only: 35,
		spoil: onList(func(in *inFlight) { setAt(in.got, "meta.page", 0) })},
	{name: "total counts the page", breaks: []int{35, 36},
		spoil: onList(func(in *inFlight) { setAt(in.got, "meta.total", len(at(in.got, "data").([]any))) })},
	{name: "total_pages rounds down", breaks: []int{35}, spoil: onList(func(in *inFlight) {
		total, _ := at(in.got, "meta.total").(json.Number).Int64()
		size, _ := at(in.got, "meta.per_page").(json.Number).Int64()
		setAt(in.got, "meta.total_pages", total/size)
	})},
	{name: "404 after the last page", breaks: []int{36, 40}, spoil: onList(func(in *inFlight) {
		if len(at(in.got, "data").([]any)) == 0 {
			in.status = http.StatusNotFound
		}
	})},
	{name: "null after the last page", breaks: []int{36, 40}, spoil: onList(func(in *inFlight) {
		if len(at(in.got, "data").([]any)) == 0 {
			setAt(in.got, "data", nil)
		}
	})},
	{name: "sort_by is ignored", breaks: []int{37, 46, 138, 315, 324}, rewrite: func(in *inFlight) {
		if in.query.Has("sort_by") {
			in.query.Set("sort_by", "created_at")
			in.query.Set("sort_order", "asc")
		}
	}},
	{name: "sort_order is ignored", breaks: []int{37, 39, 138, 324}, rewrite: func(in *inFlight) {
		in.query.Del("sort_order")
	}},
	{name: "sort_by supports only the name", breaks: []int{37}, rewrite: func(in *inFlight) {
		if in.query.Get("sort_by") == "external_id" {
			in.query.Set("sort_by", "created_at")
			in.query.Set("sort_order", "asc")
		}
	}},
	{name: "the page is ignored", breaks: []int{35, 36, 39, 315}, rewrite: func(in *inFlight) { in.query.Del("page") }},
	{name: "search is ignored", breaks: []int{40, 123}, rewrite: func(in *inFlight) {
		in.query.Del("search")
	}},
	{name: "external_id is ignored", breaks: []int{41, 183, 312}, rewrite: func(in *inFlight) {
		in.query.Del("external_id")
	}},
	{name: "external_id matches a part", breaks: []int{41}, rewrite: rename("external_id", "search")},
	{name: "document_number is ignored", breaks: []int{42}, rewrite: ignoring(customers, "document_number")},
	{name: "document_number finds no customer", only: 42, rewrite: when(http.MethodGet, customers, func(in *inFlight) {
		if in.query.Has("document_number") {
			in.query.Set("document_number", "000.000.000-00")
		}
	})},
	{name: "updated_at_gte is ignored", breaks: []int{43, 183, 313}, rewrite: func(in *inFlight) {
		in.query.Del("updated_at_gte")
	}},
	{name: "updated_at_gte excludes that time", only: 43, spoil: when(http.MethodGet, customers, func(in *inFlight) {
		if since := in.query.Get("updated_at_gte"); since != "" {
			unlisted(in, func(c object) bool { return c["updated_at"] == since })
		}
	})},
	{name: "listed customers are incomplete", only: 45,
		spoil: onList(func(in *inFlight) { deleteAt(in.got, "data.0.addresses") })},
}

// whenStatus spoils responses with a status in that range.
func whenStatus(least, most int, spoil func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.status >= least && in.status <= most {
			spoil(in)
		}
	}
}

func onPath(path string, spoil func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.path == path {
			spoil(in)
		}
	}
}

// onList changes lists, before the request or after the response.
func onList(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		asked := in.status == 0 || in.status == http.StatusOK
		if asked && in.method == http.MethodGet && (in.path == "/v1/customers" || in.path == "/v1/billing-accounts") {
			act(in)
		}
	}
}

func rename(from, to string) func(*inFlight) {
	return func(in *inFlight) {
		if value := in.query.Get(from); value != "" {
			in.query.Set(to, value)
			in.query.Del(from)
		}
	}
}
