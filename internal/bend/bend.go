// Package bend changes what a service answers, so that a sandbox can stand for a service that differs from its
// description.
package bend

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
)

// Object is a JSON object. Its numbers are [json.Number].
type Object = map[string]any

// Exchange is a request, and later its response.
type Exchange struct {
	Operation string // such as "customers.list"; empty: none that the service describes
	Path      string
	Client    string // the first word of the User-Agent
	Query     url.Values
	Sent      any         // JSON of the request; nil: none
	Status    int         // of the response
	Header    http.Header // of the request, then of the response
	Got       any         // JSON of the response; nil: none
	Records   bool        // the members of an object with an id are free-form
	FreeTexts []string    // fields whose texts a service may store otherwise than they were sent
	// Again is what the service returns for the same path and another query; nil: it cannot be asked.
	Again func(query url.Values) any
	// PriceOf is the amount of a price, in subcents, which the service knows and does not show with an item.
	PriceOf func(id string) any
}

// Part is the part of an exchange that a rule changes.
type Part int

// The parts.
const (
	Response Part = iota // the response, before it is sent
	Request              // the query, the headers and the body, before the service sees them
)

// Rule is a difference of a service.
type Rule struct {
	Operations string // pattern of [path.Match], such as "*.list"; empty: every exchange
	Part       Part
	Do         func(*Exchange)
}

// Apply applies the rules for a part.
func Apply(rules []Rule, part Part, x *Exchange) {
	for _, rule := range rules {
		if fits, _ := path.Match(rule.Operations, x.Operation); rule.Part == part && (fits || rule.Operations == "") {
			rule.Do(x)
		}
	}
}

// Data applies a function to each object that a response returns: the one in its envelope, or those of a list.
func Data(change func(Object)) func(*Exchange) {
	return func(x *Exchange) {
		whole, _ := x.Got.(Object)
		switch data := whole["data"].(type) {
		case Object:
			change(data)
		case []any:
			for _, one := range data {
				if object, ok := one.(Object); ok {
					change(object)
				}
			}
		}
	}
}

// documented applies a function to each object of a response, the inner ones first, except to what clients have put
// into it: custom_metadata, and the members of records. Lists are replaced by what the other function returns.
func documented(change func(Object), list func([]any) any) func(*Exchange) {
	return func(x *Exchange) {
		if x.Status >= http.StatusBadRequest {
			return
		}
		var walk func(any) any
		walk = func(v any) any {
			switch v := v.(type) {
			case []any:
				for i := range v {
					v[i] = walk(v[i])
				}
				return list(v)
			case Object:
				_, identified := v["id"]
				for name, member := range v {
					if name != "custom_metadata" && !(x.Records && identified) {
						v[name] = walk(member)
					}
				}
				change(v)
			}
			return v
		}
		x.Got = walk(x.Got)
	}
}

func same(list []any) any { return list }

func unchanged(Object) {}

// number is a number of a decoded document; 0 for anything else.
func number(v any) int64 {
	n, _ := v.(json.Number)
	whole, _ := n.Int64() // no whole number: 0
	return whole
}
