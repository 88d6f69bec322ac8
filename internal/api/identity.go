package api

import (
	"encoding/json"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// OtherObjectError is a success whose body shows another object than the one
// that the path names, as a broken cache or proxy gives it. Nothing of that
// object may be stored or acted on.
type OtherObjectError struct {
	Noun            string // `subscription`
	Asked, Answered string // ids
	Err             *Error // the response
}

func (e *OtherObjectError) Error() string { return e.Err.Error() }

func (e *OtherObjectError) Unwrap() error { return e.Err }

// subject is the object that the response to an operation is about.
type subject struct {
	noun        string // for messages
	placeholder string // holds its id in the path
	field       string // holds its id in the response
}

// subjects are the objects of the operations whose path names one. An operation
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
	s, ok := subjects[k.operation]
	if !ok {
		return nil
	}
	asked := k.path[s.placeholder]
	answered := idIn(object, s.field)
	if answered == "" || same.ID(asked, answered) {
		return nil
	}
	c.cache.forget(k)
	e := c.answerError(response, fmt.Sprintf("the request is about the %s %q, and the response shows the %s %q; "+
		"a cache or proxy probably mixes up responses, and nothing of this one is used", s.noun, asked, s.noun, answered))
	return &OtherObjectError{Noun: s.noun, Asked: asked, Answered: answered, Err: e}
}

// idIn is the id that an object shows; "" is none.
func idIn(object json.RawMessage, field string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return ""
	}
	var text string
	var number json.Number
	if raw := fields[field]; json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return text
}
