package claims

import (
	"cmp"
	"slices"
)

// Service is one of the three services.
type Service string

// The three services.
const (
	Billing     Service = "recurring billing"
	Finance     Service = "financial management"
	Collections Service = "collections"
)

// Effect is what checking a claim does to the target, beyond objects that it creates and deletes again.
type Effect struct {
	// ReadsOnly: nothing but GET requests are sent.
	ReadsOnly bool
	// Leaves is what stays behind because the service cannot delete it. Empty: nothing does.
	Leaves string
	// Costs says how the check can make the service invoice or charge. Empty: it does not.
	Costs string
	// MovesClock: the clock of the whole service is moved.
	MovesClock bool
}

// The numbers of the claims with each effect. A test compares them with the requests that the claims send.
var (
	readsOnly = []int{3, 6, 7, 12, 21, 22, 23, 24, 25, 31, 32, 33, 34, 351, 352, 703, 712, 713, 714, 715,
		722, 791, 792, 793}
	// createsInvoices are those that ask for an invoice, which cannot be deleted.
	createsInvoices = []int{321, 322, 323, 324}
	// reprices are those that change immediately what a subscription is charged for, or leave charging to the service.
	reprices   = []int{210, 242, 243, 244, 263, 264, 281, 283, 335}
	movesClock = []int{331, 332, 333, 334, 335, 336, 337, 338, 339, 340, 548, 566, 606, 607, 608, 609}
	// createsKeys are those that create or rotate API keys: a revoked key still reads.
	createsKeys = []int{
		538, 539, 541, 542, 543, 544, 546, 547, 548, 549, 550, 551, 552, 553, 554,
		561, 562, 563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 641, 642, 643, 644, 645, 646, 647, 648,
	}
)

func effectOf(number int) Effect {
	e := Effect{ReadsOnly: slices.Contains(readsOnly, number), MovesClock: slices.Contains(movesClock, number)}
	switch {
	case slices.Contains(createsKeys, number):
		e.Leaves = "revoked API keys"
	case slices.Contains(createsInvoices, number):
		e.Leaves, e.Costs = "invoices", "creates invoices"
	case slices.Contains(reprices, number):
		e.Costs = "changes what a subscription is charged"
	}
	return e
}

// InSafeOrder sorts claims so that those with less effect come first: reading, then creating and deleting, then leaving
// something behind, then charging, then moving the clock.
func InSafeOrder(claims []Claim) []Claim {
	rank := func(c Claim) int {
		switch {
		case c.MovesClock:
			return 4
		case c.Costs != "":
			return 3
		case c.Leaves != "":
			return 2
		case !c.ReadsOnly:
			return 1
		}
		return 0
	}
	sorted := slices.Clone(claims)
	slices.SortStableFunc(sorted, func(a, b Claim) int { return cmp.Compare(rank(a), rank(b)) })
	return sorted
}
