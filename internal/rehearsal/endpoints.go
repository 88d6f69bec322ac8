package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
)

// endpointOccurrences say which webhook endpoints get more, less or something else with the apply. A copy knows only
// the events of API keys, so their number says little about an endpoint.
func endpointOccurrences(without, with outcome, sent []Sent, at time.Time) (all []Occurrence) {
	before, now := without.before[evidence.Endpoint], with.before[evidence.Endpoint]
	for _, id := range ids(before, now) {
		was, is := before[id], now[id]
		add := func(of fields, what string) {
			all = append(all, Occurrence{At: at, Kind: evidence.Endpoint, Object: nameOf(evidence.Endpoint, id, of),
				What: What{More: what}, With: true})
		}
		switch {
		case was == nil:
			add(is, "gets "+eventsOf(is))
		case is == nil:
			add(was, "is deleted: it no longer gets events")
		default:
			for _, what := range changesOf(was, is) {
				add(was, what)
			}
			if slices.ContainsFunc(sent, func(s Sent) bool {
				return s.ID == id && s.accepted("webhook_endpoints.rotate_secret")
			}) {
				add(was, "signs with a new secret from now on; the old one is invalid")
			}
		}
	}
	return all
}

// changesOf are what differs for the consumer of an endpoint.
func changesOf(was, is fields) (all []string) {
	switch old, next := eventsOf(was), eventsOf(is); {
	case !plain.Equal(was["active"], is["active"]) && is["active"] == true:
		all = append(all, "is activated: it gets "+next)
	case !plain.Equal(was["active"], is["active"]):
		all = append(all, "is deactivated: it no longer gets events")
	case old != next:
		all = append(all, "gets "+next+" instead of "+old)
	}
	if !plain.Equal(was["url"], is["url"]) {
		all = append(all, "moves to "+publicURL(is["url"]))
	}
	if !plain.Equal(was["authentication"], is["authentication"]) {
		all = append(all, "gets other credentials")
	}
	return all
}

// eventsOf are the events of an endpoint in words.
func eventsOf(of fields) string {
	list, _ := of["events"].([]any)
	var names []string
	for _, one := range list {
		names = append(names, fmt.Sprint(one))
	}
	slices.Sort(names)
	switch {
	case of["active"] == false:
		return "no events (it is not active)"
	case len(names) == 0:
		return "all events"
	}
	return strings.Join(names, ", ")
}
