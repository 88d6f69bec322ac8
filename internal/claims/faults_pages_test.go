package claims_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var pageFaults = []fault{
	{name: "records without an envelope", breaks: []int{721, 722, 726},
		spoil: onPage(func(in *inFlight) { in.got = at(in.got, "data") })},
	{name: "the last page has no next_cursor", breaks: []int{721, 722},
		spoil: onLastPage(func(in *inFlight) { deleteAt(in.got, "meta.next_cursor") })},
	{name: "the last page has an empty next_cursor", breaks: []int{721, 722},
		spoil: onLastPage(func(in *inFlight) { setAt(in.got, "meta.next_cursor", "") })},
	{name: "next_cursor is a number", breaks: []int{721, 726},
		spoil: onFullPage(func(in *inFlight) { setAt(in.got, "meta.next_cursor", json.Number("2")) })},
	{name: "an empty list is null", breaks: []int{722}, spoil: onLastPage(func(in *inFlight) {
		if list, _ := at(in.got, "data").([]any); len(list) == 0 {
			setAt(in.got, "data", nil)
		}
	})},
	{name: "an empty collection is unknown", breaks: []int{722}, spoil: onLastPage(func(in *inFlight) {
		if list, _ := at(in.got, "data").([]any); len(list) == 0 {
			in.status = http.StatusNotFound
		}
	})},
	{name: "the limit is ignored", breaks: []int{721, 724, 726, 727},
		rewrite: onPage(func(in *inFlight) { in.query.Del("limit") })},
	{name: "a limit of 100 returns 50", only: 724, rewrite: limitAs("100", "50")},
	{name: "a page of 1 has no cursor", breaks: []int{721, 726}, spoil: onPage(func(in *inFlight) {
		if in.query.Get("limit") == "1" {
			setAt(in.got, "meta.next_cursor", nil)
		}
	})},
	{name: "a limit of 100 returns 101", breaks: []int{724}, spoil: onPage(func(in *inFlight) {
		if list, _ := at(in.got, "data").([]any); in.query.Get("limit") == "100" && len(list) > 0 {
			setAt(in.got, "data", append(slices.Repeat(list[:1], 101-len(list)), list...))
			setAt(in.got, "meta.next_cursor", "more")
		}
	})},
	{name: "a limit of 1 returns 2", breaks: []int{721, 724, 726}, rewrite: limitAs("1", "2")},
}

var cursorFaults = []fault{
	{name: "the cursor is ignored", breaks: []int{721, 726, 727, 728},
		rewrite: onPage(func(in *inFlight) { in.query.Del("cursor") })},
	{name: "a page omits its last record", breaks: []int{721, 724, 726, 727, 728}, spoil: onFullPage(func(in *inFlight) {
		list, _ := at(in.got, "data").([]any)
		setAt(in.got, "data", list[:len(list)-1])
	})},
	{name: "a page starts with the last record of the previous one", breaks: []int{726, 727, 728, 741},
		spoil: onPage(func(in *inFlight) {
			if from := in.proxy.cursors[in.query.Get("cursor")]; len(from.page) > 0 {
				list, _ := at(in.got, "data").([]any)
				setAt(in.got, "data", append([]any{from.page[len(from.page)-1]}, list...))
			}
		})},
	{name: "the list ends after its second page", breaks: []int{726, 727}, spoil: onPage(func(in *inFlight) {
		if in.query.Has("cursor") {
			setAt(in.got, "meta.next_cursor", nil)
		}
	})},
	{name: "cursors count the newest", breaks: []int{701, 727}, rewrite: counting(true)},
	{name: "cursors count", breaks: []int{701, 728}, rewrite: counting(false)},
	{name: "a cursor is invalid after its record is deleted", only: 728, rewrite: onCursor(func(in *inFlight, from place) {
		if last := from.page[len(from.page)-1]; in.proxy.one(in.path+"/"+last["id"].(string)) == nil {
			in.status = http.StatusBadRequest
		}
	})},
}

// onPage changes lists of records, before the request or after the response.
func onPage(act func(*inFlight)) func(*inFlight) { return onCall(http.MethodGet, books, act) }

func onLastPage(act func(*inFlight)) func(*inFlight) {
	return onPage(func(in *inFlight) {
		if at(in.got, "meta.next_cursor") == nil {
			act(in)
		}
	})
}

func onFullPage(act func(*inFlight)) func(*inFlight) {
	return onPage(func(in *inFlight) {
		if at(in.got, "meta.next_cursor") != nil {
			act(in)
		}
	})
}

func limitAs(from, to string) func(*inFlight) {
	return onPage(func(in *inFlight) {
		if in.query.Get("limit") == from {
			in.query.Set("limit", to)
		}
	})
}

// onCursor changes a request with an issued cursor; from is its position.
func onCursor(act func(*inFlight, place)) func(*inFlight) {
	return onPage(func(in *inFlight) {
		if from, known := in.proxy.cursors[in.query.Get("cursor")]; known {
			act(in, from)
		}
	})
}

// filters returns the filters of a list request.
func (in *inFlight) filters() url.Values {
	filters := url.Values{}
	maps.Copy(filters, in.query)
	filters.Del("limit")
	filters.Del("cursor")
	return filters
}

// counting pages by cursors that count records, from the newest or from the oldest.
func counting(newestFirst bool) func(*inFlight) {
	return onPage(func(in *inFlight) {
		if in.header.Get("Authorization") != "Bearer "+in.proxy.target.FinanceToken {
			return
		}
		query := []string{"limit", "100"}
		for name := range in.filters() {
			query = append(query, name, in.query.Get(name))
		}
		list := items(in.proxy.ask(http.MethodGet, in.path, nil, query...))
		if newestFirst {
			slices.Reverse(list)
		}
		list = list[min(atoi(in.query.Get("cursor")), len(list)):]
		data, meta := []any{}, object{"next_cursor": nil}
		for _, record := range list[:min(max(1, atoi(in.query.Get("limit"))), len(list))] {
			data = append(data, record)
		}
		if len(data) < len(list) {
			meta["next_cursor"] = strconv.Itoa(atoi(in.query.Get("cursor")) + len(data))
		}
		in.status, in.got = http.StatusOK, object{"data": data, "meta": meta}
		in.response.Set("Content-Type", "application/json")
	})
}

var filterFaults = []fault{
	{name: "company_id is ignored", breaks: []int{721, 722, 741},
		rewrite: onPage(func(in *inFlight) { in.query.Del("company_id") })},
	{name: "company_id is ignored if it finds records", breaks: []int{721, 741}, rewrite: onPage(func(in *inFlight) {
		if len(in.everything()) > 0 {
			in.query.Del("company_id")
		}
	})},
	{name: "company_id is ignored in receivables", only: 741, rewrite: onPage(func(in *inFlight) {
		if in.collection() == "receivables" && len(in.everything()) > 0 {
			in.query.Del("company_id")
		}
	})},
	{name: "gte excludes its bound", breaks: []int{742, 743}, rewrite: operatorAs("gte", "gt")},
	{name: "gt includes its bound", breaks: []int{742, 743}, rewrite: operatorAs("gt", "gte")},
	{name: "lte excludes its bound", breaks: []int{742, 743}, rewrite: operatorAs("lte", "lt")},
	{name: "lt includes its bound", breaks: []int{742, 743}, rewrite: operatorAs("lt", "lte")},
	{name: "lt is ignored", breaks: []int{742, 743},
		rewrite: onPage(func(in *inFlight) { in.query.Del("occurred_at[lt]") })},
	{name: "gt includes that time", breaks: []int{742}, rewrite: onPage(func(in *inFlight) {
		if strings.Contains(in.query.Get("occurred_at[gt]"), "T") {
			rename("occurred_at[gt]", "occurred_at[gte]")(in)
		}
	})},
	{name: "offsets are ignored", only: 742,
		rewrite: onBound(func(bound string) string { return strings.Replace(bound, "-03:00", "Z", 1) })},
	{name: "times are truncated to dates", breaks: []int{742},
		rewrite: onBound(func(bound string) string { return bound[:len(time.DateOnly)] })},
	{name: "a date means the end of the day", only: 743, rewrite: onBound(func(bound string) string {
		if len(bound) == len(time.DateOnly) {
			return bound + "T23:59:59.999Z"
		}
		return bound
	})},
}

// operatorAs replaces one comparison of times with another.
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
