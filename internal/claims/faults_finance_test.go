package claims_test

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// The paths of financial management in faults.
const (
	books       = financePrefix + "/v1/*"
	oneEntry    = financePrefix + "/v1/*/*"
	openAPIDocs = financePrefix + "/api/v1/openapi.*"
)

var financeFaults = slices.Concat(bookFaults, bookAccessFaults, pageFaults, cursorFaults, filterFaults, entryFaults,
	keyReplayFaults, entryUpdateFaults, entryRefusalFaults, openAPIFaults)

var bookFaults = []fault{
	{name: "missing records are 410", breaks: []int{704, 776, 777},
		spoil: whenStatus(404, 404, inBooks(func(in *inFlight) { in.status = http.StatusGone }))},
	{name: "any record can be deleted", breaks: []int{704, 777}, spoil: inBooks(func(in *inFlight) {
		if in.method == http.MethodDelete {
			in.status = http.StatusNoContent
		}
	})},
}

var bookAccessFaults = []fault{
	{name: "every caller can access financial management", breaks: []int{712, 713, 717},
		rewrite: asOwner(func(*inFlight) bool { return true })},
	{name: "lists of records need no token", breaks: []int{712},
		rewrite: onCall(http.MethodGet, books, asOwner(func(*inFlight) bool { return true }))},
	{name: "any scheme is accepted", only: 712, rewrite: asOwner(func(in *inFlight) bool {
		return strings.HasSuffix(in.header.Get("Authorization"), in.proxy.target.FinanceToken)
	})},
	{name: "any text with three parts is a valid token", breaks: []int{712},
		rewrite: asOwner(func(in *inFlight) bool { return len(tokenParts(in)) == 3 })},
	{name: "tokens do not expire", only: 713, rewrite: asOwner(func(in *inFlight) bool {
		return in.header.Get("Authorization") == "Bearer "+in.proxy.target.FinanceExpiredToken
	})},
	{name: "an expired token reads the description", breaks: []int{713}, rewrite: onCall(http.MethodGet, openAPIDocs,
		asOwner(func(in *inFlight) bool {
			return in.header.Get("Authorization") == "Bearer "+in.proxy.target.FinanceExpiredToken
		}))},
	{name: "the scope for reading accounts allows reading everything", only: 717,
		rewrite: onCall(http.MethodGet, books, asOwner(isNarrow))},
	{name: "the scope for reading accounts allows changes", breaks: []int{717}, rewrite: onCall(http.MethodPatch, oneEntry,
		asOwner(isNarrow))},
	{name: "the scope for reading accounts allows nothing", breaks: []int{717}, rewrite: inBooks(func(in *inFlight) {
		if isNarrow(in) {
			in.status, in.got = http.StatusForbidden, object{"error": object{"code": "insufficient_scope", "message": "no"}}
		}
	})},
}

// inBooks changes calls to financial management.
func inBooks(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if strings.HasPrefix(in.path, financePrefix) {
			act(in)
		}
	}
}

// asOwner accepts callers that financial management must reject.
func asOwner(who func(*inFlight) bool) func(*inFlight) {
	return inBooks(func(in *inFlight) {
		if who(in) {
			in.header.Set("Authorization", "Bearer "+in.proxy.target.FinanceToken)
		}
	})
}

func isNarrow(in *inFlight) bool {
	return in.header.Get("Authorization") == "Bearer "+in.proxy.target.FinanceNarrowToken
}

func tokenParts(in *inFlight) []string {
	return strings.Split(strings.TrimPrefix(in.header.Get("Authorization"), "Bearer "), ".")
}

// collection returns the collection of a call.
func (in *inFlight) collection() string {
	if rest := strings.TrimPrefix(in.path, financePrefix+"/v1/"); !strings.Contains(rest, "/") {
		return rest
	}
	return path.Base(path.Dir(in.path))
}

// entry returns the stored record of a call, nil if there is none.
func (in *inFlight) entry() object { return in.proxy.one(in.path) }
