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

// These mark a claim with its effect. A test compares the marks with the requests that the claims send.

func (c Claim) readsOnly() Claim  { c.ReadsOnly = true; return c }
func (c Claim) movesClock() Claim { c.MovesClock = true; return c }

// createsKeys is for claims that create or rotate API keys: a revoked key still reads.
func (c Claim) createsKeys() Claim { c.Leaves = "revoked API keys"; return c }

// createsInvoices is for claims that ask for an invoice, which cannot be deleted.
func (c Claim) createsInvoices() Claim {
	c.Leaves, c.Costs = "invoices", "creates invoices"
	return c
}

// reprices is for claims that change immediately what a subscription is charged for, or leave charging to the service.
func (c Claim) reprices() Claim { c.Costs = "changes what a subscription is charged"; return c }

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
