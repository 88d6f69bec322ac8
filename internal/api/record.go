package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Record is an object of open shape, as a service returns those that it does not
// describe: an id, a name where it has one, and all of it, to the last digit.
type Record struct {
	ID   string          // "" where a listed item shows none
	Name string          // "" where there is none
	Raw  json.RawMessage // the whole object, as returned
}

// UnmarshalJSON keeps the whole object, and picks out what is known.
func (r *Record) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*r = Record{ID: LooseText(fields["id"]), Name: LooseText(fields["name"]), Raw: bytes.Clone(data)}
	return nil
}

var errNoRecordID = errors.New("the response contains no record with an id")

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (r *Record) Check() error {
	if r.ID == "" {
		return errNoRecordID
	}
	return nil
}

// Field is the text of a top-level field; "" where the record does not show one.
func (r *Record) Field(name string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &fields) != nil {
		return ""
	}
	return LooseText(fields[name])
}

// LooseText is a string's text, a number as it is written, and "" for anything else.
func LooseText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// Matches drops a record that is clearly not what a filter asked for, because a
// service may ignore a filter (wire contract: tolerance). What a filter means
// exactly only the service knows, so only the two documented kinds are compared
// (service description, Financial management §4), an id and a bound on a time,
// and a record is kept where it does not show the field as plainly.
func (r *Record) Matches(filters map[string]string) bool {
	for name, want := range filters {
		field, bound := splitFilter(name)
		if have := r.Field(field); have != "" && contradicts(bound, want, have) {
			return false
		}
	}
	return true
}

// splitFilter takes a name such as occurred_at[gte] apart.
func splitFilter(name string) (field, bound string) {
	field, bound, bracketed := strings.Cut(name, "[")
	if bracketed && strings.HasSuffix(bound, "]") {
		return field, strings.TrimSuffix(bound, "]")
	}
	return name, ""
}

func contradicts(bound, want, have string) bool {
	if bound == "" {
		return same.IsUUID(want) && same.IsUUID(have) && !same.ID(want, have)
	}
	limit, okLimit := Moment(want)
	at, okAt := Moment(have)
	if !okLimit || !okAt {
		return false
	}
	// Where one is a date and the other a time, the time zone that the service
	// counts days in decides, and it is not known.
	slack := time.Duration(0)
	if IsDate(want) != IsDate(have) {
		slack = 24 * time.Hour
	}
	switch bound {
	case "gte", "gt":
		return at.Add(slack).Before(limit)
	case "lte", "lt":
		// The last day counts whole.
		return at.Add(-slack).After(limit.Add(slack))
	}
	return false
}
