package claims_test

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// faults are single deviations, each of which only one claim detects, and those of deliveries.
var faults = slices.Concat(
	under("/api/v1/", deliveryFaults, attemptFaults, redeliveryFaults, keyEventFaults),
	narrowConventionFaults, narrowCustomerFaults, narrowAccountFaults, narrowSubscriptionFaults, narrowCollectionsFaults,
	narrowFinanceFaults, textFaults)

// onCustomers changes every customer in a response: single, created or listed.
func onCustomers(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if !strings.HasPrefix(in.path, "/v1/customers") {
			return
		}
		for _, path := range []string{"data", "data.customer"} {
			if customer, ok := at(in.got, path).(object); ok && customer["id"] != nil {
				act(customer)
			}
		}
		for _, customer := range items(at(in.got, "data")) {
			act(customer)
		}
	}
}

func withoutNulls(value any) any {
	o, ok := value.(object)
	if !ok {
		return value
	}
	kept := object{}
	for name, member := range o {
		if member != nil {
			kept[name] = withoutNulls(member)
		}
	}
	return kept
}

// at returns the value at a path of member names and positions, or nil.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch node := value.(type) {
		case object:
			value = node[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(node) {
				return nil
			}
			value = node[i]
		default:
			return nil
		}
	}
	return value
}

// parent returns the object that contains the last member of the path.
func parent(value any, path string) (object, string) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		holder, _ := value.(object)
		return holder, path
	}
	holder, _ := at(value, path[:i]).(object)
	return holder, path[i+1:]
}

func setAt(value any, path string, member any) {
	if holder, name := parent(value, path); holder != nil {
		holder[name] = member
	}
}

func deleteAt(value any, path string) {
	holder, name := parent(value, path)
	delete(holder, name)
}

// items returns the objects of an array.
func items(value any) []object {
	list, _ := value.([]any)
	var objects []object
	for _, item := range list {
		if o, ok := item.(object); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

const (
	accounts      = "/v1/billing-accounts"
	subscriptions = "/v1/subscriptions"
)

// on changes requests of that method below a path, or their responses.
func on(method, path string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == method && in.sent != nil && strings.HasPrefix(in.path, path) {
			act(in)
		}
	}
}

// onStep changes requests whose path has that suffix, or their responses.
func onStep(suffix string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && strings.HasSuffix(in.path, suffix) {
			act(in)
		}
	}
}

// skip acknowledges a step without executing it.
func skip(suffix string) func(*inFlight) {
	return onStep(suffix, func(in *inFlight) {
		in.method, in.path = http.MethodGet, strings.TrimSuffix(in.path, suffix)
	})
}

// onData changes every returned object below a path, single or listed.
func onData(path string, act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if !strings.HasPrefix(in.path, path) {
			return
		}
		if one, ok := at(in.got, "data").(object); ok {
			act(one)
		}
		for _, one := range items(at(in.got, "data")) {
			act(one)
		}
	}
}

const (
	hooks    = "/api/v1/webhook-endpoints"
	hook     = hooks + "/*"
	hookStep = hook + "/*"
	records  = hook + "/deliveries"
	redo     = records + "/*/retry"
	keys     = "/api/v1/api-keys"
	oneKey   = keys + "/*"
	rotation = oneKey + "/rotate"
)

// onCall changes calls of that method, or of any method if it is empty, with one of the paths, if the status is below
// 300.
func onCall(method, form string, act func(*inFlight), more ...string) func(*inFlight) {
	return func(in *inFlight) {
		if method != "" && in.method != method || in.status >= 300 {
			return
		}
		for _, form := range append([]string{form}, more...) {
			if fits, err := path.Match(form, in.path); err == nil && fits {
				in.proxy.mu.Lock()
				defer in.proxy.mu.Unlock()
				act(in)
				return
			}
		}
	}
}

// onSent changes the bodies of calls with that method and path.
func onSent(method, form string, act func(object)) func(*inFlight) {
	return onCall(method, form, func(in *inFlight) {
		if in.sent != nil {
			act(in.sent)
		}
	})
}

func setDefault(sent object, field string, value any) {
	if _, is := sent[field]; !is {
		sent[field] = value
	}
}

const keyHeader = "X-Idempotency-Key"

// onKnownKey changes a creation with a used key; original is the response to the first one.
func onKnownKey(act func(*inFlight, object)) func(*inFlight) {
	return onCall(http.MethodPost, books, func(in *inFlight) {
		if original, known := in.proxy.replies[in.collection()+" "+in.header.Get(keyHeader)]; known {
			act(in, original)
		}
	})
}

func onDescription(act func(*inFlight)) func(*inFlight) {
	return onCall(http.MethodGet, financePrefix+"/api/v1/openapi.json", act)
}

// The paths of financial management in faults.
const (
	books       = financePrefix + "/v1/*"
	oneEntry    = financePrefix + "/v1/*/*"
	openAPIDocs = financePrefix + "/api/v1/openapi.*"
)

// collection returns the collection of a call.
func (in *inFlight) collection() string {
	if rest := strings.TrimPrefix(in.path, financePrefix+"/v1/"); !strings.Contains(rest, "/") {
		return rest
	}
	return path.Base(path.Dir(in.path))
}

// entry returns the stored record of a call, nil if there is none.
func (in *inFlight) entry() object { return in.proxy.one(in.path) }

// onOwnKey gives the keys that a claim has created all permissions.
func onOwnKey(which func(in *inFlight, id string) bool) func(*inFlight) {
	return func(in *inFlight) {
		in.proxy.mu.Lock()
		defer in.proxy.mu.Unlock()
		id, own := in.proxy.tokens[strings.TrimPrefix(in.header.Get("Authorization"), "Bearer ")]
		if own && which(in, id) {
			in.header.Set("Authorization", "Bearer "+in.proxy.target.CollectionsAPIKey)
		}
	}
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

// filters returns the filters of a list request.
func (in *inFlight) filters() url.Values {
	filters := url.Values{}
	maps.Copy(filters, in.query)
	filters.Del("limit")
	filters.Del("cursor")
	return filters
}

// subscribing changes creations of subscriptions, and updating their updates.
func subscribing(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && in.path == subscriptions {
			act(in)
		}
	}
}

func updating(act func(*inFlight)) func(*inFlight) { return on(http.MethodPatch, subscriptions, act) }

func onItems(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if strings.HasSuffix(in.path, "/items") {
			onData(subscriptions, act)(in)
		}
	}
}

// stored returns the account or subscription that a step applies to.
func (in *inFlight) stored() object { return in.proxy.one(in.parentPath()) }

// whenStatus spoils responses with a status in that range.
func whenStatus(least, most int, spoil func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.status >= least && in.status <= most {
			spoil(in)
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
