package page

import (
	"fmt"
	"slices"
	"time"
)

// shownComing is the number of upcoming events on the page unless the address asks for a page of them.
const shownComing = 5

// coming is a change of an object that the clock will cause.
type coming struct {
	At           time.Time
	What, Detail string
	Object       thing // empty for a token
}

// Until returns the time to pass to the command that advances the clock.
func (c coming) Until() string { return c.At.UTC().Format(time.RFC3339Nano) }

// next returns the upcoming events of all objects that match the filter, earliest first.
func (v *viewer) next() list[coming] {
	var all []coming
	add := func(at *time.Time, what, detail string, row any) {
		if at != nil && at.After(v.now) && v.matches(row) {
			object, _ := describe(row)
			all = append(all, coming{*at, what, detail, object})
		}
	}
	for _, row := range v.Billing.Subscriptions.All(v.tx) {
		for _, e := range v.future(row) {
			add(&e.At, e.What, e.Detail, row)
		}
	}
	for _, row := range v.Collections.Deliveries.All(v.tx) {
		add(row.State.Due, fmt.Sprintf("attempt %d", row.State.Attempts+1), "to "+v.urlOf(row), row)
	}
	for _, row := range v.Collections.Keys.All(v.tx) {
		if of := row.Key; of.RevokedAt == nil && of.ExpiresAt != nil {
			add(&of.ExpiresAt.Time, "expires", "", row)
		}
	}
	for _, t := range v.tokens() {
		add(&t.Expires, "token expires", t.Prefix, nil)
	}
	slices.SortStableFunc(all, func(a, b coming) int { return a.At.Compare(b.At) })
	if !v.query.Has("coming") && len(all) > shownComing {
		return list[coming]{all[:shownComing], len(all),
			pages{From: 1, To: shownComing, Total: len(all), Next: v.link("coming", "coming", "1")}}
	}
	return pageOf(v, "coming", "coming", all, shownObjects)
}
