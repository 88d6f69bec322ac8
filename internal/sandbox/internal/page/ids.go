package page

import (
	"iter"
	"slices"
	"strings"
)

// shortID is the number of characters shown of an id if they are unambiguous.
const shortID = 8

// abbreviated is an id in three parts; the middle part is hidden.
type abbreviated struct{ Head, Middle, Tail string }

func (a abbreviated) String() string {
	if a.Tail != "" {
		return a.Head + "…" + a.Tail
	}
	return a.Head
}

// abbreviate shortens an id to an unambiguous prefix. If ids share a long prefix, it keeps the suffix too. The other
// ids must be sorted.
func abbreviate(id string, sorted []string) abbreviated {
	const longHead, shortTail = 13, 4
	if len(id) <= shortID {
		return abbreviated{Head: id}
	}
	head, tail := shortID, 0
	at, _ := slices.BinarySearch(sorted, id[:shortID])
	for _, other := range sorted[at:] {
		if !strings.HasPrefix(other, id[:shortID]) {
			break
		}
		if other != id {
			head = max(head, 1+common(len(id), func(i int) bool { return i < len(other) && other[i] == id[i] }))
			tail = max(tail, 1+common(len(id), func(i int) bool {
				return i < len(other) && other[len(other)-1-i] == id[len(id)-1-i]
			}))
		}
	}
	head = min(head, len(id))
	if head <= longHead {
		return abbreviated{Head: id[:head], Middle: id[head:]}
	}
	end := len(id) - max(tail, shortTail)
	if end <= shortID {
		return abbreviated{Head: id}
	}
	return abbreviated{Head: id[:shortID], Middle: id[shortID:end], Tail: id[end:]}
}

// common counts the leading indices for which the condition is true.
func common(most int, is func(i int) bool) (n int) {
	for n < most && is(n) {
		n++
	}
	return n
}

// short returns an id as displayed on the page.
func (v *viewer) short(id string) abbreviated {
	if v.ids == nil {
		v.ids = v.allIDs()
		slices.Sort(v.ids)
	}
	return abbreviate(id, v.ids)
}

// allIDs returns all ids that may appear on the page.
func (v *viewer) allIDs() (ids []string) {
	ids = appendKeys(ids, v.Billing.Organizations.All(v.tx))
	ids = appendKeys(ids, v.Billing.PlanIDs(v.tx))
	ids = appendKeys(ids, v.Billing.Customers.All(v.tx))
	ids = appendKeys(ids, v.Billing.Accounts.All(v.tx))
	ids = appendKeys(ids, v.Billing.Invoices.All(v.tx))
	ids = appendKeys(ids, v.Collections.Endpoints.All(v.tx))
	ids = appendKeys(ids, v.Collections.Deliveries.All(v.tx))
	ids = appendKeys(ids, v.Collections.Keys.All(v.tx))
	ids = appendKeys(ids, v.Finance.Records.All(v.tx))
	for id, row := range v.Billing.Subscriptions.All(v.tx) {
		ids = append(ids, id)
		// A subscription's plan may be missing from the catalogue.
		for _, plan := range []*string{row.Subscription.PlanID, row.PendingPlanID} {
			if plan != nil {
				ids = append(ids, *plan)
			}
		}
	}
	for _, r := range v.requests {
		ids = append(ids, r.RequestID)
	}
	return ids
}

func appendKeys[T any](ids []string, rows iter.Seq2[string, T]) []string {
	for id := range rows {
		ids = append(ids, id)
	}
	return ids
}
