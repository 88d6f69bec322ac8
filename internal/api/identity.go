package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// OtherObjectError is a success whose body shows another object than the one
// that the path names, or that was to be created, as a broken cache or proxy gives
// it. Nothing of that object may be stored or acted on.
type OtherObjectError struct {
	Noun         string // `subscription`
	Asked, Shown string // ids; of a creation what was sent and what the response shows instead
	Err          *Error // the response
}

func (e *OtherObjectError) Error() string { return e.Err.Error() }

func (e *OtherObjectError) Unwrap() error { return e.Err }

// subject is the object that the response to an operation is about.
type subject struct {
	noun        string // for messages
	placeholder string // holds its id in the path
	field       string // holds its id in the response
}

// subjects are the objects of the operations that have one in their path. An operation
// that is not listed here has none, or its response is about another object:
// subscriptions.invoice returns an invoice, webhook_endpoints.test the ids of an
// event. The successor of a rotated API key says whose successor it is.
var subjects = map[string]subject{
	"customers.get":    {"customer", "id", "id"},
	"customers.update": {"customer", "id", "id"},
	"customers.delete": {"customer", "id", "id"},

	"billing_accounts.get":        {"billing account", "id", "id"},
	"billing_accounts.update":     {"billing account", "id", "id"},
	"billing_accounts.delete":     {"billing account", "id", "id"},
	"billing_accounts.suspend":    {"billing account", "id", "id"},
	"billing_accounts.reactivate": {"billing account", "id", "id"},
	"billing_accounts.close":      {"billing account", "id", "id"},

	"subscriptions.get":         {"subscription", "id", "id"},
	"subscriptions.update":      {"subscription", "id", "id"},
	"subscriptions.delete":      {"subscription", "id", "id"},
	"subscriptions.pause":       {"subscription", "id", "id"},
	"subscriptions.resume":      {"subscription", "id", "id"},
	"subscriptions.change_plan": {"subscription", "id", "id"},
	"subscriptions.cancel":      {"subscription", "id", "id"},

	"finance.records.get":    {"record", "id", "id"},
	"finance.records.update": {"record", "id", "id"},
	"finance.records.delete": {"record", "id", "id"},

	"webhook_endpoints.get":           {"webhook endpoint", "id", "id"},
	"webhook_endpoints.update":        {"webhook endpoint", "id", "id"},
	"webhook_endpoints.delete":        {"webhook endpoint", "id", "id"},
	"webhook_endpoints.rotate_secret": {"webhook endpoint", "id", "id"},

	"webhook_deliveries.retry": {"delivery", "deliveryId", "id"},

	"api_keys.get":    {"API key", "id", "id"},
	"api_keys.rotate": {"predecessor of the new API key", "id", "predecessorId"},
	"api_keys.revoke": {"API key", "id", "id"},
}

// checkSubject compares the id in an object with the one in the path. An object
// that shows no id is not another one: what an object needs is up to its Check.
func (c *Client) checkSubject(response *Response, object json.RawMessage) error {
	k := response.call
	if created, ok := creations[k.operation]; ok {
		return c.checkCreated(created, response, object)
	}
	s, ok := subjects[k.operation]
	if !ok {
		return nil
	}
	asked := k.path[s.placeholder]
	got := idIn(object, s.field)
	if got == "" || same.ID(asked, got) {
		return nil
	}
	e := c.responseError(response, fmt.Sprintf("the request is about the %s %q, and the response shows the %s %q; "+
		"a cache or proxy probably mixes up responses, and nothing of this one is used", s.noun, asked, s.noun, got))
	return &OtherObjectError{Noun: s.noun, Asked: asked, Shown: got, Err: e}
}

// creation is the object that an operation creates. It has no id before, so it is
// recognized by what was sent. A field that is missing or null on either side, or
// that cannot be compared, contradicts nothing.
type creation struct {
	noun    string
	inside  string  // the field of the response that holds the object; "": the response is the object
	fields  []field // identifiers; the first one that both sides have decides
	name    string  // path of a text that a service may store in another form; "": there is none
	created string  // field with the time of its creation
}

// field is a path, the same one in the request and in the object.
type field struct {
	path string
	same func(sent, shown string) bool
	show func(string) string // for messages
}

var creations = map[string]creation{
	"customers.create": {
		noun: "customer", inside: "customer", name: "name", created: "created_at",
		fields: []field{{"external_id", sameText, strconv.Quote}, {"document_number", same.Document, strconv.Quote}},
	},
	"billing_accounts.create": {
		noun: "billing account", name: "customer.name", created: "created_at",
		fields: []field{
			{"external_id", sameText, strconv.Quote}, {"customer.id", sameUUID, strconv.Quote},
			{"customer.external_id", sameText, strconv.Quote}, {"customer.document_number", same.Document, strconv.Quote},
		},
	},
	"subscriptions.create": {
		noun: "subscription", created: "created_at",
		fields: []field{{"external_id", sameText, strconv.Quote}, {"billing_account_id", sameUUID, strconv.Quote}},
	},
	"webhook_endpoints.create": {
		noun: "webhook endpoint", created: "createdAt",
		fields: []field{{"url", sameURL, func(raw string) string { return strconv.Quote(ShownURL(raw)) }}},
	},
	"api_keys.create": {noun: "API key", name: "name", created: "createdAt"},
}

// createdSlack is how much older than the request an object may look that the
// request has created: the clocks of a service differ a little, and the Date of a
// response has no fractions of a second.
const createdSlack = 10 * time.Second

// checkCreated compares an object with the request that is said to have created it.
// Where they have an identifier or the name in common, that is proof enough: a
// service may set the time of a creation as it likes. Otherwise the name must not be
// a quite different one, and the object not clearly older than the request, by the
// service's clock.
func (c *Client) checkCreated(wanted creation, response *Response, object json.RawMessage) error {
	sent, shown := response.call.body, []byte(object)
	if wanted.inside != "" {
		shown = inside(object, wanted.inside)
	}
	if existed := response.call.existed; existed != nil && existed(idIn(shown, "id")) {
		return c.existing(wanted, response, idIn(shown, "id"))
	}
	for _, f := range wanted.fields {
		want, have := textIn(sent, f.path), textIn(shown, f.path)
		switch {
		case want == "" || have == "":
		case f.same(want, have):
			return nil
		default:
			return c.otherCreated(wanted, response, shown, f.path+" "+f.show(want), f.path+" "+f.show(have))
		}
	}
	want, have := textIn(sent, wanted.name), textIn(shown, wanted.name)
	if want != "" && sameText(want, have) {
		return nil
	}
	if unlike(want, have) {
		return c.otherCreated(wanted, response, shown, fmt.Sprintf("%s %q", wanted.name, want),
			fmt.Sprintf("%s %q", wanted.name, have))
	}
	at, ok := Moment(textIn(shown, wanted.created))
	now, known := c.clock.now()
	if asked := now.Add(-time.Since(response.sentAt)); ok && known && at.Before(asked.Add(-createdSlack)) {
		return c.otherCreated(wanted, response, shown,
			"a time of creation after "+asked.UTC().Format(time.RFC3339), "the time of creation "+at.UTC().Format(time.RFC3339))
	}
	return nil
}

func (c *Client) otherCreated(wanted creation, response *Response, shown json.RawMessage, asked,
	got string) error {
	e := c.responseError(response,
		fmt.Sprintf("the request creates the %s with %s, and the response shows the %s %q with %s; "+
			"a cache or proxy probably mixes up responses, and nothing of this one is used",
			wanted.noun, asked, wanted.noun, idIn(shown, "id"), got))
	return &OtherObjectError{Noun: wanted.noun, Asked: asked, Shown: got, Err: e}
}

// existing is the error of a creation whose response shows an object that existed before.
func (c *Client) existing(wanted creation, response *Response, id string) error {
	e := c.responseError(response, fmt.Sprintf("the response to the creation shows the %s %q, which existed before; "+
		"a cache or proxy probably mixes up responses, and nothing of this one is used", wanted.noun, id))
	return &OtherObjectError{Noun: wanted.noun, Asked: "an object that did not exist", Shown: id, Err: e}
}

// sameText compares identifiers without their case and white space, which a service
// may normalize.
func sameText(a, b string) bool { return strings.EqualFold(spaced(a), spaced(b)) }

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// sameUUID distinguishes UUIDs. A reference may also be a code, which the response
// replaces with the id.
func sameUUID(a, b string) bool { return !same.IsUUID(a) || !same.IsUUID(b) || same.ID(a, b) }

// sameURL compares addresses by host and path: what else they have may come masked,
// or normalized.
func sameURL(a, b string) bool {
	x, errX := url.Parse(strings.TrimSpace(a))
	y, errY := url.Parse(strings.TrimSpace(b))
	if errX != nil || errY != nil {
		return true
	}
	return strings.EqualFold(x.Hostname(), y.Hostname()) &&
		strings.TrimRight(x.Path, "/") == strings.TrimRight(y.Path, "/")
}

// ShownURL is an address without the parts that may contain credentials.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an address that cannot be parsed"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// unlike reports whether two names are clearly different. Case, spaces,
// punctuation and a part that was cut off are not a difference.
func unlike(a, b string) bool {
	a, b = letters(a), letters(b)
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// textIn is the text under a dotted path; "" where there is none.
func textIn(object json.RawMessage, path string) string {
	outer, rest, nested := strings.Cut(path, ".")
	if nested {
		return textIn(inside(object, outer), rest)
	}
	return idIn(object, path)
}

// inside is the value of a field of an object; nil where there is none. It finds what
// the decoder of objects finds: a name in letters of another case too, the last one
// where there are several, and no null after a value.
func inside(object json.RawMessage, field string) (value json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, _ := decoder.Token(); start != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		token, _ := decoder.Token()
		var held json.RawMessage
		if decoder.Decode(&held) != nil {
			return nil // what is not JSON has no fields
		}
		if name, ok := token.(string); ok && strings.EqualFold(name, field) && (value == nil || string(held) != "null") {
			value = held
		}
	}
	return value
}

// idIn is the id that an object shows; "" is none.
func idIn(object json.RawMessage, field string) string {
	var text string
	var number json.Number
	if raw := inside(object, field); json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return text
}
