package sandbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var (
	anUUID  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	aMoment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// TestExchanges sends each recorded request to a sandbox that has the objects that the request needs, at the time of
// the recorded response, and compares the responses.
func TestExchanges(t *testing.T) {
	t.Parallel()
	for _, e := range evidence.All("") {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			of := scenes[e.Name]
			if of.notPlayed != "" {
				t.Skip(of.notPlayed)
			}
			play(t, e, of)
		})
	}
	for name := range scenes {
		if _, err := evidence.Load(name); err != nil {
			t.Errorf("the table of scenes names no exchange: %v", err)
		}
	}
}

func play(t *testing.T, e evidence.Exchange, of scene) {
	t.Helper()
	s := newStage(t, e, of)
	options := sandbox.Options{NoExampleData: true, Start: s.at, Organization: s.organization, Resolver: everyName{}}
	if len(s.objects) > 0 {
		options.Copy = copiedAt(t, s.at, s.objects...)
	}
	server := start(t, options)
	server.NotACopy()
	c := callerOf(t, server, e)
	for _, earlier := range of.after {
		s.learn(c.exchange(s, earlier))
	}
	if of.token != nil {
		c.token = of.token(t, server, c)
	}
	if of.fault != (sandbox.Fault{}) {
		server.AddFault(of.fault)
	}
	got := c.exchange(s, e.Name).want(e.Response.Status)
	for name, recorded := range e.Response.Headers {
		value := got.header.Get(name)
		if value == "" || name == "Content-Type" && !strings.HasPrefix(value, recorded) {
			t.Errorf("the header %s is %q, and %q in the exchange", name, value, recorded)
		}
	}
	if isJSON := json.Valid(got.body); isJSON != (e.Response.Body != nil) {
		t.Fatalf("responded with %q, want %s", got.body, e.Response.Bytes())
	} else if !isJSON {
		if len(got.body) > 0 != (e.Response.Text != "") {
			t.Errorf("responded with %q, want %q", got.body, e.Response.Text)
		}
		return
	}
	m := match{T: t, scene: of, determined: s.determined()}
	want, have := result{t: t, body: e.Response.Body}.at(), got.at()
	if e.Response.Status >= http.StatusBadRequest {
		want, have = worded(want), worded(have)
		if e.Response.Status == http.StatusBadRequest {
			m.only = "message" // no description says with which code
		}
	} else if e.Request.Query["sort_by"] == "" && strings.HasPrefix(e.Name, "billing/") {
		byID(want)
		byID(have) // which order they have without it is not determined
	}
	m.compare("", want, have)
}

// callerOf calls the service of an exchange.
func callerOf(t *testing.T, server *sandbox.Server, e evidence.Exchange) caller {
	t.Helper()
	switch service, _, _ := strings.Cut(e.Name, "/"); service {
	case "finance":
		return book(t, server)
	case "collections":
		return collect(t, server)
	}
	return call(t, server)
}

// book is a caller of financial management.
func book(t *testing.T, server *sandbox.Server) caller {
	t.Helper()
	c := call(t, server)
	c.base, c.token = server.FinanceURL(), server.FinanceToken()
	return c
}

// exchange sends the recorded request. An ETag, a cursor or the id of a delivery is the one that this sandbox has
// returned before.
func (c caller) exchange(s *stage, name string) result {
	c.t.Helper()
	e, err := evidence.Load(name)
	if err != nil {
		c.t.Fatal(err)
	}
	query := url.Values{}
	for name, value := range e.Request.Query {
		if name == "cursor" {
			value = s.cursor
			if strings.HasSuffix(e.Name, "tampered_cursor") {
				value += "B"
			}
		}
		query.Set(name, value)
	}
	var headers []string
	for name, value := range e.Request.Headers {
		if name == "If-None-Match" {
			value = s.etag
		}
		headers = append(headers, name, value)
	}
	path := s.withDelivery(e.Request.Path)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(e.Request.Method, path, string(e.Request.Body), headers...)
}

// match compares a response with the recorded one.
type match struct {
	*testing.T
	scene
	determined string // text with the values that the sandbox cannot choose
}

// generated are the fields whose values the service chooses.
var generated = regexp.MustCompile(`\.(token|secret|keyPrefix|public_id|next_cursor)$`)

// compare holds a value against the recorded one. What the system puts into metadata, and what things cost, is not
// determined: no description of the service says it.
func (m match) compare(path string, want, have any) {
	m.Helper()
	undetermined := m.onlyKinds || strings.HasSuffix(path, "_cents") ||
		slices.Contains(strings.Fields(m.free), path[strings.LastIndexByte(path, '.')+1:]) || generated.MatchString(path)
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if strings.HasSuffix(path, ".metadata") || !ok {
			if !empty(want) && !ok {
				m.Errorf("%s: %v, want an object", path, have)
			}
			return
		}
		m.members(path, want, object)
	case []any:
		list, ok := have.([]any)
		if !ok && !(empty(want) && empty(have)) || len(list) != len(want) {
			m.Errorf("%s: %v, want %v", path, have, want)
			return
		}
		for i := range want {
			m.compare(path+"[]", want[i], list[i])
		}
	case nil:
		if !empty(have) && !undetermined {
			m.Errorf("%s: %v, want nothing", path, have)
		}
	case string:
		text, ok := have.(string)
		form := anUUID
		if aMoment.MatchString(want) {
			form = aMoment
		}
		free := undetermined || form == anUUID && form.MatchString(want) && !strings.Contains(m.determined, want)
		malformed := ok && form.MatchString(want) && !form.MatchString(text)
		if !ok && !(m.onlyKinds && have == nil) || malformed || !free && text != want {
			m.Errorf("%s: %v, want %q", path, have, want)
		}
	case json.Number:
		if _, ok := have.(json.Number); !ok && !(m.onlyKinds && have == nil) || have != want && !undetermined {
			m.Errorf("%s: %v, want %v", path, have, want)
		}
	default:
		if have != want {
			m.Errorf("%s: %v, want %v", path, have, want)
		}
	}
}

func (m match) members(path string, want, have map[string]any) {
	m.Helper()
	skipped := func(name string) bool {
		envelope := path == ".meta" || path == "" && name == "data" || name == "meta" || name == "error"
		return m.only != "" && !envelope && !slices.Contains(strings.Fields(m.only), name)
	}
	for name := range have {
		if _, ok := want[name]; !ok && !skipped(name) && name != "details" { // of an error, as a hint
			m.Errorf("%s.%s: not in the exchange", path, name)
		}
	}
	for name, value := range want {
		if skipped(name) {
			continue
		}
		if _, ok := have[name]; !ok {
			m.Errorf("%s.%s: missing", path, name)
			continue
		}
		m.compare(path+"."+name, value, have[name])
	}
}

// empty reports whether a field says "nothing": null, [] and {} are all
// documented for that, and the exchanges and the sandbox each chose one.
func empty(value any) bool {
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	return value == nil || isList && len(list) == 0 || isObject && len(object) == 0
}

// worded replaces the sentences of an error, whose wording is free.
func worded(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for name, inner := range object {
		object[name] = worded(inner)
	}
	for _, name := range []string{"message", "error"} {
		if _, ok := object[name].(string); ok {
			object[name] = "a sentence"
		}
	}
	if fields, ok := object["fields"].(map[string]any); ok {
		for name := range fields {
			fields[name] = "a sentence"
		}
	}
	return object
}

// byID sorts a list.
func byID(value any) {
	object, _ := value.(map[string]any)
	list, _ := object["data"].([]any)
	slices.SortFunc(list, func(a, b any) int {
		one, _ := a.(map[string]any)
		other, _ := b.(map[string]any)
		return strings.Compare(text(one, "id"), text(other, "id"))
	})
}

// everyName resolves each name to a public address.
type everyName struct{}

func (everyName) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}
