package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// OtherObjectError is a success whose body shows another object than the one
// that the path names, or that was to be created, as a broken cache or proxy gives
// it. Nothing of that object may be stored or acted on.
type OtherObjectError struct {
	Noun         string // `subscription`
	Asked, Shown string // ids; of a creation what was sent and what the response shows instead
	Err          *Error // the response

	byDate bool // it shows an object that fits the creation, and is older by its date
}

func (e *OtherObjectError) Error() string { return e.Err.Error() }

func (e *OtherObjectError) Unwrap() error { return e.Err }

// checkSubject compares the id in an object with the one in the path. An object
// that shows no id is not another one: what an object needs is up to its Check.
func (c *Client) checkSubject(response *Response, object json.RawMessage) error {
	k := response.call
	row := operations[k.operation]
	if row.creates.noun != "" {
		if err := c.checkCreated(row.creates, response, object); err != nil {
			return err
		}
	}
	s := row.about
	if s.noun == "" {
		return nil
	}
	asked := k.path[row.placeholder()]
	got := idIn(object, s.field)
	if got == "" || same.ID(asked, got) {
		if s.field == "id" {
			c.seen.LoadOrStore(strings.ToLower(asked), time.Now())
		}
		return nil
	}
	e := c.responseError(response, fmt.Sprintf("the request is about the %s %q, and the response shows the %s %q; "+
		"a cache or proxy probably mixes up responses, and nothing of this one is used", s.noun, asked, s.noun, got))
	return &OtherObjectError{Noun: s.noun, Asked: asked, Shown: got, Err: e}
}

// checkCreated compares an object with the request that is said to have created it. One that was there before the
// request is another one: it was shown before, or it is older by the dates of the responses (see [Client.age]).
func (c *Client) checkCreated(wanted createdObject, response *Response, object json.RawMessage) error {
	sent, shown := response.call.body, []byte(object)
	if wanted.inside != "" {
		shown = inside(object, wanted.inside)
	}
	if err := c.checkFields(wanted, response, sent, shown); err != nil {
		return err
	}
	id := idIn(shown, "id")
	because, byDate := "another creation of this run already returned this object", false
	_, was := c.answered.Load(id)
	if at, ok := c.seen.Load(strings.ToLower(id)); ok && !was && at.(time.Time).Before(response.sentAt) {
		because, was = "an earlier response of this run has shown it", true
	}
	created := cmp.Or(textIn(shown, "created_at"), textIn(shown, "createdAt"))
	if age := c.dates(created, response); age == older && !was {
		was, byDate = true, true
		because = fmt.Sprintf("it was created at %s, and the request was sent at about %s by the Date of the response",
			created, c.dateAt(response.sentAt))
	}
	if !was {
		return nil
	}
	e := c.responseError(response, fmt.Sprintf("the response shows the %s %q, which was there before the request: %s; "+
		"nothing of it is used", wanted.noun, id, because))
	return &OtherObjectError{Noun: wanted.noun, Asked: "a new one", Shown: id, Err: e, byDate: byDate}
}

// checkFields compares what was sent to create an object with what the response shows. Where the external_id is the
// same, the service may have stored another name or plan.
func (c *Client) checkFields(wanted createdObject, response *Response, sent, shown []byte) error {
	id, code := idIn(shown, "id"), textIn(sent, pathExternalID)
	for _, path := range wanted.paths {
		want, have := textIn(sent, path), textIn(shown, path)
		if code != "" && (path == pathName || path == pathPlan) {
			continue
		}
		none := path == pathExternalID && want != "" && string(inside(shown, path)) == "null"
		if !none && (have == "" || want == have || !isAnother(path, want, have, shown)) {
			continue
		}
		show := strconv.Quote
		if path == pathURL {
			show = func(raw string) string { return strconv.Quote(ShownURL(raw)) }
		}
		has := show(have)
		if none {
			has = "null"
		}
		e := c.responseError(response, fmt.Sprintf("the request creates the %s with %s %s, and the response shows the %s %q "+
			"with %[2]s %[6]s; a cache or proxy probably mixes up responses, and nothing of this one is used",
			wanted.noun, path, show(want), wanted.noun, id, has))
		return &OtherObjectError{Noun: wanted.noun, Asked: path + " " + show(want), Shown: id, Err: e}
	}
	return nil
}

// isAnother reports whether a text that differs from the one that was sent is that of another object.
func isAnother(path, want, have string, shown json.RawMessage) bool {
	switch path {
	case pathURL:
		return !sameURL(want, have)
	case pathExternalID:
		return true
	case pathName:
		return !strings.EqualFold(strings.Join(strings.Fields(want), " "), strings.Join(strings.Fields(have), " "))
	}
	// A reference may be a code, also one in the form of a UUID. The response shows the id for it.
	coded := path == pathCustomer && textIn(shown, "customer.external_id") == want
	return same.IsUUID(want) && !same.ID(want, have) && !coded
}

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
