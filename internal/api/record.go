package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Record is an object without a documented form: an id, an optional name, and the whole object, with exact numbers.
type Record struct {
	ID   string          // "" where a listed item shows none
	Name string          // "" where there is none
	Raw  json.RawMessage // the whole object, as returned
}

// UnmarshalJSON stores the whole object and decodes the known fields.
func (r *Record) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*r = Record{ID: LooseText(fields["id"]), Name: LooseText(fields["name"]), Raw: bytes.Clone(data)}
	return nil
}

// Check rejects a response without required fields, such as the id.
func (r *Record) Check() error { return Present("record with an id", r.ID) }

// Field returns the text of a top-level field, or "".
func (r *Record) Field(name string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &fields) != nil {
		return ""
	}
	return LooseText(fields[name])
}

// LooseText returns the text of a string, a number as written, and otherwise "".
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

// Matches reports whether a record may match a filter, because a service may ignore a filter (wire contract:
// tolerance). It compares only the two documented kinds of filters, an id and a bound on a time (service description,
// Financial management §4), and accepts records without a comparable field: only the service knows the exact meaning of
// a filter.
func (r *Record) Matches(filters map[string]string) bool {
	for name, want := range filters {
		field, bound := splitFilter(name)
		if have := r.Field(field); have != "" && contradicts(bound, want, have) {
			return false
		}
	}
	return true
}

// splitFilter splits a name such as occurred_at[gte].
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
	limit, okLimit := ParseTime(want)
	at, okAt := ParseTime(have)
	if !okLimit || !okAt {
		return false
	}
	// Between a date and a time, the result depends on the service's time zone, which is unknown.
	slack := time.Duration(0)
	if IsDate(want) != IsDate(have) {
		slack = 24 * time.Hour
	}
	switch bound {
	case "gte", "gt":
		return at.Add(slack).Before(limit)
	case "lte", "lt":
		// The whole last day matches.
		return at.Add(-slack).After(limit.Add(slack))
	}
	return false
}
