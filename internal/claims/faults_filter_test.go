package claims_test

import (
	"strings"
	"time"
)

var filterFaults = []fault{
	{name: "company_id is ignored", breaks: []int{741},
		rewrite: onPage(func(in *inFlight) { in.query.Del("company_id") })},
	{name: "company_id is ignored in receivables", breaks: []int{741}, rewrite: onPage(func(in *inFlight) {
		if in.collection() == "receivables" {
			in.query.Del("company_id")
		}
	})},
	{name: "gte leaves its bound out", breaks: []int{742, 743}, rewrite: operatorAs("gte", "gt")},
	{name: "gt includes its bound", breaks: []int{742, 743}, rewrite: operatorAs("gt", "gte")},
	{name: "lte leaves its bound out", breaks: []int{742, 743}, rewrite: operatorAs("lte", "lt")},
	{name: "lt includes its bound", breaks: []int{742, 743}, rewrite: operatorAs("lt", "lte")},
	{name: "lt is ignored", breaks: []int{742, 743},
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
