package rehearsal

import (
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// An endpoint that gets less, more, or another secret is a difference, also where a copy has no event for it.
func TestEndpointOccurrences(t *testing.T) {
	t.Parallel()
	endpoint := func(id string, active bool, events ...any) fields {
		return fields{"id": id, "url": "https://" + id + ".example.com/a/secret", "active": active, "events": events}
	}
	without := outcome{before: objects{evidence.Endpoint: of(endpoint("same", true), endpoint("gone", true),
		endpoint("off", true), endpoint("on", false), endpoint("less", true, "b", "a"), endpoint("secret", true),
		endpoint("order", true, "a", "b"))}}
	with := outcome{before: objects{evidence.Endpoint: of(endpoint("same", true), endpoint("off", false),
		endpoint("on", true, "a"), endpoint("less", true, "a"), endpoint("secret", true), endpoint("new", true),
		endpoint("order", true, "b", "a"))}}
	got := []string{}
	for _, o := range endpointOccurrences(without, with,
		[]Sent{{ID: "secret", Operation: "webhook_endpoints.rotate_secret", Status: 200},
			{ID: "same", Operation: "webhook_endpoints.rotate_secret", Status: 503}}, time.Time{}) {
		got = append(got, o.Object+" "+o.What.String())
	}
	want := []string{
		`webhook endpoint "https://gone.example.com/…" is deleted: it no longer gets events`,
		`webhook endpoint "https://less.example.com/…" gets a instead of a, b`,
		`webhook endpoint "https://new.example.com/…" gets all events`,
		`webhook endpoint "https://off.example.com/…" is deactivated: it no longer gets events`,
		`webhook endpoint "https://on.example.com/…" is activated: it gets a`,
		`webhook endpoint "https://secret.example.com/…" signs with a new secret from now on; the old one is invalid`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
