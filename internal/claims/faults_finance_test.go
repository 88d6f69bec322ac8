package claims_test

import (
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strings"
)

// The paths of financial management as faults name them.
const (
	books       = financePrefix + "/v1/*"
	oneEntry    = financePrefix + "/v1/*/*"
	openAPIDocs = financePrefix + "/api/v1/openapi.*"
)

var financeFaults = slices.Concat(bookFaults, bookAccessFaults, pageFaults, cursorFaults, filterFaults, entryFaults,
	keyReplayFaults, entryUpdateFaults, entryRefusalFaults, openAPIFaults)

var bookFaults = []fault{
	{name: "records that nothing has are 410", breaks: []int{704, 776, 777, 778},
		spoil: whenStatus(404, 404, inBooks(func(in *inFlight) { in.status = http.StatusGone }))},
	{name: "any record can be deleted", breaks: []int{704, 777, 778}, spoil: inBooks(func(in *inFlight) {
		if in.method == http.MethodDelete {
			in.status = http.StatusNoContent
		}
	})},
	{name: "what is no object makes a record", breaks: []int{705, 706},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
			if in.sent == nil {
				in.sent = object{}
			}
		})},
	{name: "broken updates are done", breaks: []int{705}, rewrite: onCall(http.MethodPatch, oneEntry, func(in *inFlight) {
		if in.sent == nil {
			in.sent = object{"name": "broken"}
		}
	})},
	{name: "lists know no conditions", breaks: []int{708},
		rewrite: onCall(http.MethodGet, books, func(in *inFlight) { in.header.Del("If-None-Match") })},
	{name: "a condition on a list holds for ever", breaks: []int{709},
		rewrite: onCall(http.MethodGet, books, func(in *inFlight) {
			if in.header.Get("If-None-Match") != "" {
				in.status = http.StatusNotModified
			}
		})},
	{name: "a condition on a record holds for ever", breaks: []int{709}, rewrite: onCall(http.MethodGet, oneEntry,
		func(in *inFlight) {
			if in.header.Get("If-None-Match") != "" {
				in.status = http.StatusNotModified
			}
		})},
}

var bookAccessFaults = []fault{
	{name: "every caller is let into the books", breaks: []int{711, 712, 713, 714, 715, 716, 717, 718},
		rewrite: asOwner(func(*inFlight) bool { return true })},
	{name: "lists of records need no token", breaks: []int{711, 712},
		rewrite: onCall(http.MethodGet, books, asOwner(func(*inFlight) bool { return true }))},
	{name: "the description needs no token", breaks: []int{711}, rewrite: onCall(http.MethodGet, openAPIDocs,
		asOwner(func(*inFlight) bool { return true }))},
	{name: "deletions need no token", breaks: []int{711}, rewrite: onCall(http.MethodDelete, oneEntry,
		asOwner(func(*inFlight) bool { return true }))},
	{name: "any scheme will do", breaks: []int{712}, rewrite: asOwner(func(in *inFlight) bool {
		return strings.HasSuffix(in.header.Get("Authorization"), in.proxy.target.FinanceToken)
	})},
	{name: "three parts are a token", breaks: []int{712, 714, 715},
		rewrite: asOwner(func(in *inFlight) bool { return len(tokenParts(in)) == 3 })},
	{name: "tokens do not expire", breaks: []int{713}, rewrite: asOwner(func(in *inFlight) bool {
		return in.header.Get("Authorization") == "Bearer "+in.proxy.target.FinanceExpiredToken
	})},
	{name: "an expired token reads the description", breaks: []int{713}, rewrite: onCall(http.MethodGet, openAPIDocs,
		asOwner(func(in *inFlight) bool {
			return in.header.Get("Authorization") == "Bearer "+in.proxy.target.FinanceExpiredToken
		}))},
	{name: "the algorithm none is taken", breaks: []int{714}, rewrite: asOwner(func(in *inFlight) bool {
		header, err := base64.RawURLEncoding.DecodeString(tokenParts(in)[0])
		return err == nil && strings.Contains(strings.ToLower(string(header)), `"none"`)
	})},
	{name: "HS256 is taken", breaks: []int{714}, rewrite: asOwner(func(in *inFlight) bool {
		header, err := base64.RawURLEncoding.DecodeString(tokenParts(in)[0])
		return err == nil && strings.Contains(string(header), `"HS256"`)
	})},
	{name: "signatures are compared by their beginning", breaks: []int{714}, rewrite: asOwner(func(in *inFlight) bool {
		parts := tokenParts(in)
		return len(parts) == 3 && len(parts[2]) > 20 && strings.HasPrefix(in.proxy.target.FinanceToken,
			strings.Join(parts, "."))
	})},
	{name: "a token without a signature is taken", breaks: []int{714}, rewrite: asOwner(func(in *inFlight) bool {
		return strings.HasPrefix(in.proxy.target.FinanceToken,
			strings.Join(tokenParts(in)[:min(2, len(tokenParts(in)))], ".")+".")
	})},
	{name: "the signature does not cover the claims", breaks: []int{715}, rewrite: asOwner(func(in *inFlight) bool {
		parts, own := tokenParts(in), strings.Split(in.proxy.target.FinanceToken, ".")
		return len(parts) == 3 && parts[0] == own[0] && parts[2] == own[2]
	})},
	{name: "a record is made without a token and refused", breaks: []int{716},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
			if in.header.Get("Authorization") != "Bearer "+in.proxy.target.FinanceToken {
				in.header.Set("Authorization", "Bearer "+in.proxy.target.FinanceToken)
				in.mark = "stranger"
			}
		}), spoil: refuseStranger(http.StatusUnauthorized)},
	{name: "who may read accounts may read everything", breaks: []int{717},
		rewrite: onCall(http.MethodGet, books, asOwner(isNarrow))},
	{name: "who may read accounts may change them", breaks: []int{717}, rewrite: onCall(http.MethodPatch, oneEntry,
		asOwner(isNarrow))},
	{name: "who may read accounts may do nothing", breaks: []int{717}, rewrite: inBooks(func(in *inFlight) {
		if isNarrow(in) {
			in.status, in.got = http.StatusForbidden, object{"error": object{"code": "insufficient_scope", "message": "no"}}
		}
	})},
	{name: "a record is made without the scope and refused", breaks: []int{718},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
			if isNarrow(in) {
				in.header.Set("Authorization", "Bearer "+in.proxy.target.FinanceToken)
				in.mark = "stranger"
			}
		}), spoil: refuseStranger(http.StatusForbidden)},
}

// inBooks acts on calls to financial management.
func inBooks(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if strings.HasPrefix(in.path, financePrefix) {
			act(in)
		}
	}
}

// asOwner lets callers into the books who must not be.
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

// refuseStranger rejects what was done for a caller who must not be let in.
func refuseStranger(status int) func(*inFlight) {
	return func(in *inFlight) {
		if in.mark == "stranger" {
			in.status, in.got = status, object{"error": object{"code": "no", "message": "no"}}
		}
	}
}

// collection is the collection that a call is about.
func (in *inFlight) collection() string {
	if rest := strings.TrimPrefix(in.path, financePrefix+"/v1/"); !strings.Contains(rest, "/") {
		return rest
	}
	return path.Base(path.Dir(in.path))
}

// entry is the stored record that a call is about, nil when there is none.
func (in *inFlight) entry() object { return in.proxy.one(in.path) }
