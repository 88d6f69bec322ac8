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

// OtherObjectError is a success whose body contains another object than the one in the path, or than the one to create;
// a broken cache or proxy causes it. That object must not be stored or used.
type OtherObjectError struct {
	Noun         string // `subscription`
	Asked, Shown string // ids; of a creation, the value sent and the value in the response
	Err          *Error // the response

	byDate bool // it contains an object that fits the creation but is older
}

func (e *OtherObjectError) Error() string { return e.Err.Error() }

func (e *OtherObjectError) Unwrap() error { return e.Err }

// checkSubject compares the id in an object with the one in the path. An object without an id passes: required fields
// are up to its Check.
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
			c.readIDs.LoadOrStore(strings.ToLower(asked), time.Now())
		}
		return nil
	}
	e := c.responseError(response, fmt.Sprintf("the request is about the %s %q, but the response shows the %s %q; a "+
		"cache or proxy probably mixes up responses; this one was discarded", s.noun, asked, s.noun, got))
	return &OtherObjectError{Noun: s.noun, Asked: asked, Shown: got, Err: e}
}

// checkCreated compares an object with the request that created it. An object that existed before the request is
// another one: it was returned before, or it is older by the dates of the responses (see [Client.age]).
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
	_, was := c.createdIDs.Load(id)
	if at, ok := c.readIDs.Load(strings.ToLower(id)); ok && !was && at.(time.Time).Before(response.sentAt) {
		because, was = "an earlier response of this run has shown it", true
	}
	created := cmp.Or(textIn(shown, "created_at"), textIn(shown, "createdAt"))
	if age := c.dates(created, response); age == older && !was {
		was, byDate = true, true
		because = fmt.Sprintf("it was created at %s, but the request was sent at about %s according to the response's Date "+
			"header",
			created, c.dateAt(response.sentAt))
	}
	if !was {
		return nil
	}
	e := c.responseError(response, fmt.Sprintf("the response shows the %s %q, which existed before the request: %s; "+
		"this response was discarded", wanted.noun, id, because))
	return &OtherObjectError{Noun: wanted.noun, Asked: "a new one", Shown: id, Err: e, byDate: byDate}
}

// checkFields compares the values sent in a creation with those in the response. The service may word or cut a text, or
// drop one: that is still the object. If the external_id is the same, it may have stored another name or plan.
func (c *Client) checkFields(wanted createdObject, response *Response, sent, shown []byte) error {
	id, code := idIn(shown, "id"), textIn(sent, pathExternalID)
	for _, path := range wanted.paths {
		want, have := textIn(sent, path), textIn(shown, path)
		if code != "" && (path == pathName || path == pathPlan) {
			continue
		}
		if have == "" || !isAnother(path, want, have, shown) {
			continue
		}
		show := strconv.Quote
		if path == pathURL {
			show = func(raw string) string { return strconv.Quote(ShownURL(raw)) }
		}
		e := c.responseError(response, fmt.Sprintf("the request creates the %s with %s %s, but the response shows the %s "+
			"%q with %[2]s %[6]s; a cache or proxy probably mixes up responses; this one was discarded",
			wanted.noun, path, show(want), wanted.noun, id, show(have)))
		return &OtherObjectError{Noun: wanted.noun, Asked: path + " " + show(want), Shown: id, Err: e}
	}
	return nil
}

// isAnother reports whether a text that differs from the one sent belongs to another object.
func isAnother(path, want, have string, shown json.RawMessage) bool {
	if same.Wording(want, have) {
		return false
	}
	switch path {
	case pathURL:
		return !sameURL(want, have) && !same.Cut(have, want)
	case pathExternalID, pathName:
		return !same.Cut(have, want)
	}
	// A reference may be a code, even one in the form of a UUID. The response then contains its id.
	coded := path == pathCustomer && textIn(shown, "customer.external_id") == want
	return same.IsUUID(want) && !same.ID(want, have) && !coded
}

// sameURL compares addresses by host and path; the service may mask or normalize the rest.
func sameURL(a, b string) bool {
	x, errX := url.Parse(strings.TrimSpace(a))
	y, errY := url.Parse(strings.TrimSpace(b))
	if errX != nil || errY != nil {
		return true
	}
	return same.Wording(x.Hostname(), y.Hostname()) &&
		same.Wording(strings.Trim(x.Path, "/"), strings.Trim(y.Path, "/"))
}

// ShownURL returns an address without the parts that may be secret: only scheme and host; "" if it has none.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	short := u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		short += "/…"
	}
	return short
}

// textIn returns the text at a dotted path, or "".
func textIn(object json.RawMessage, path string) string {
	outer, rest, nested := strings.Cut(path, ".")
	if nested {
		return textIn(inside(object, outer), rest)
	}
	return idIn(object, path)
}

// inside returns the value of a field of an object, or nil. Like the decoder of objects, it also matches names in
// another case, uses the last of several, and ignores a null after a value.
func inside(object json.RawMessage, field string) (value json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, _ := decoder.Token(); start != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		token, _ := decoder.Token()
		var held json.RawMessage
		if decoder.Decode(&held) != nil {
			return nil // not JSON
		}
		if name, ok := token.(string); ok && strings.EqualFold(name, field) && (value == nil || string(held) != "null") {
			value = held
		}
	}
	return value
}

// idIn returns the id in an object, or "".
func idIn(object json.RawMessage, field string) string {
	var text string
	var number json.Number
	if raw := inside(object, field); json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return text
}
