package claims_test

import (
	"net/http"
	"strings"
)

var entryRefusalFaults = []fault{
	{name: "an amount may be a number", breaks: []int{785}, rewrite: onSent(http.MethodPost, books, func(sent object) {
		if _, isText := sent["amount"].(string); sent["amount"] != nil && !isText {
			sent["amount"] = "1.00"
		}
	})},
	{name: "a date is no moment", breaks: []int{743}, rewrite: onSent(http.MethodPost, books, func(sent object) {
		if date, _ := sent["occurred_at"].(string); len(date) == 10 {
			sent["occurred_at"] = "no"
		}
	})},
	{name: "refusals in the books blame nothing", breaks: []int{785},
		spoil: whenStatus(422, 422, inBooks(func(in *inFlight) { deleteAt(in.got, "error.details") }))},
	{name: "invalid records are 400", breaks: []int{785},
		spoil: whenStatus(422, 422, inBooks(func(in *inFlight) { in.status = http.StatusBadRequest }))},
	{name: "a refused record is made", breaks: []int{785}, rewrite: onCall(http.MethodPost, books, partly("amount")),
		spoil: refusePartly("amount")},
	{name: "receivables are not checked", breaks: []int{785},
		rewrite: onSent(http.MethodPost, financePrefix+"/v1/receivables", func(sent object) {
			for field := range wrongEntries(sent) {
				delete(sent, field)
			}
		})},
}

var openAPIFaults = []fault{
	{name: "there is no description", breaks: []int{791, 793}, rewrite: onCall(http.MethodGet, openAPIDocs,
		func(in *inFlight) { in.status = http.StatusNotFound })},
	{name: "a description of the second version", breaks: []int{791},
		spoil: onDescription(func(in *inFlight) { setAt(in.got, "openapi", "2.0") })},
	{name: "a description without a title", breaks: []int{791},
		spoil: onDescription(func(in *inFlight) { deleteAt(in.got, "info.title") })},
	{name: "a description without a version", breaks: []int{791},
		spoil: onDescription(func(in *inFlight) { deleteAt(in.got, "info.version") })},
	{name: "a description without paths", breaks: []int{791, 793},
		spoil: onDescription(func(in *inFlight) { setAt(in.got, "paths", object{}) })},
	{name: "YAML is called JSON", breaks: []int{793},
		spoil: onYAML(func(in *inFlight) { in.response.Set("Content-Type", "application/json") })},
	{name: "the YAML lacks a path", breaks: []int{793},
		spoil: onYAML(func(in *inFlight) { in.text = strings.ReplaceAll(in.text, "/v1/receivables", "") })},
	{name: "the YAML is a page", breaks: []int{793},
		spoil: onYAML(func(in *inFlight) { in.text = "<p>" + strings.ReplaceAll(in.text, "\n", "\n<p>") })},
}

func onDescription(act func(*inFlight)) func(*inFlight) {
	return onCall(http.MethodGet, financePrefix+"/api/v1/openapi.json", act)
}

func onYAML(act func(*inFlight)) func(*inFlight) {
	return onCall(http.MethodGet, financePrefix+"/api/v1/openapi.yaml", act)
}
