package claims_test

import (
	"net/http"
	"strings"
	"time"
)

var filterFaults = []fault{
	{name: "company_id is ignored", breaks: []int{741, 744, 745, 746},
		rewrite: onPage(func(in *inFlight) { in.query.Del("company_id") })},
	{name: "company_id is ignored in receivables", breaks: []int{741}, rewrite: onPage(func(in *inFlight) {
		if in.collection() == "receivables" {
			in.query.Del("company_id")
		}
	})},
	{name: "gte leaves its bound out", breaks: []int{742, 743, 744}, rewrite: operatorAs("gte", "gt")},
	{name: "gt includes its bound", breaks: []int{742, 743}, rewrite: operatorAs("gt", "gte")},
	{name: "lte leaves its bound out", breaks: []int{742, 743}, rewrite: operatorAs("lte", "lt")},
	{name: "lt includes its bound", breaks: []int{742, 743, 744}, rewrite: operatorAs("lt", "lte")},
	{name: "lt is ignored", breaks: []int{742, 743, 744, 746},
		rewrite: onPage(func(in *inFlight) { in.query.Del("occurred_at[lt]") })},
	{name: "offsets are not read", breaks: []int{742},
		rewrite: onBound(func(bound string) string { return strings.Replace(bound, "-03:00", "Z", 1) })},
	{name: "moments are cut to their day", breaks: []int{742},
		rewrite: onBound(func(bound string) string { return bound[:len(time.DateOnly)] })},
	{name: "a date is its last moment", breaks: []int{743}, rewrite: onBound(func(bound string) string {
		if len(bound) == len(time.DateOnly) {
			return bound + "T23:59:59.999Z"
		}
		return bound
	})},
	{name: "the last filter counts", breaks: []int{744}, rewrite: onPage(func(in *inFlight) {
		if in.query.Has("occurred_at[lt]") {
			in.query.Del("occurred_at[gte]")
		}
	})},
	{name: "filters narrow the pages", breaks: []int{745}, rewrite: onPage(func(in *inFlight) {
		in.header.Set("Asked", in.query.Get("company_id"))
		in.query.Del("company_id")
	}), spoil: onPage(func(in *inFlight) {
		kept := []any{}
		for _, record := range items(at(in.got, "data")) {
			if asked := in.header.Get("Asked"); asked == "" || record["company_id"] == asked {
				kept = append(kept, record)
			}
		}
		setAt(in.got, "data", kept)
	})},
	{name: "a record without the field matches", breaks: []int{746}, spoil: onPage(func(in *inFlight) {
		list, _ := at(in.got, "data").([]any)
		for _, record := range items(in.proxy.ask(http.MethodGet, in.path, nil, "limit", "100")) {
			for name := range in.filters() {
				if field, _, _ := strings.Cut(name, "["); record[field] == nil {
					list = append(list, record)
				}
			}
		}
		setAt(in.got, "data", list)
	})},
}

// operatorAs takes one comparison of a time for another.
func operatorAs(from, to string) func(*inFlight) {
	return onPage(rename("occurred_at["+from+"]", "occurred_at["+to+"]"))
}

// onBound changes the bounds of timestamps.
func onBound(change func(string) string) func(*inFlight) {
	return onPage(func(in *inFlight) {
		for name := range in.query {
			if strings.HasPrefix(name, "occurred_at[") {
				in.query.Set(name, change(in.query.Get(name)))
			}
		}
	})
}
