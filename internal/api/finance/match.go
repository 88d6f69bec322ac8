package finance

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// matches drops an item that is clearly not what a filter asked for, because a
// service may ignore a filter (wire contract: tolerance). What a filter means
// exactly only the service knows, so only the two documented kinds are compared
// (service description, Financial management §4), an id and a bound on a moment,
// and an item is kept where it does not show the field as plainly.
func (q Query) matches(r Record) bool {
	if len(q.Filters) == 0 {
		return true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &fields) != nil {
		return true
	}
	for name, want := range q.Filters {
		field, bound := splitFilter(name)
		if have := text(fields[field]); have != "" && contradicts(bound, want, have) {
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
	limit, okLimit := api.Moment(want)
	at, okAt := api.Moment(have)
	if !okLimit || !okAt {
		return false
	}
	// Where one is a date and the other a moment, the time zone that the service
	// counts days in decides, and it is not known.
	slack := time.Duration(0)
	if api.IsDate(want) != api.IsDate(have) {
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
