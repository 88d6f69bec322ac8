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

// Effect is the effect of a check on the target, in addition to objects that it creates and deletes.
type Effect struct {
	// ReadsOnly is set if the check sends only GET requests.
	ReadsOnly bool
	// Leaves describes remaining objects that the service cannot delete; empty if there are none.
	Leaves string
	// Costs describes how the check may make the service invoice or charge; empty if it cannot.
	Costs string
	// MovesClock is set if the check advances the clock of the whole service.
	MovesClock bool
}

// InSafeOrder sorts claims by effect: reading, then creating and deleting, then leaving objects behind, then charging,
// then advancing the clock. Within these, a claim comes after those on which it rests.
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
	return basesFirst(sorted)
}

// basesFirst moves claims to the front that others rest on, so that the first of several failures is the cause.
func basesFirst(claims []Claim) []Claim {
	at := map[int]int{}
	for i, c := range claims {
		at[c.Number] = i
	}
	ordered := make([]Claim, 0, len(claims))
	done := make([]bool, len(claims))
	var add func(i int)
	add = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		for _, number := range claims[i].RestsOn {
			if base, ok := at[number]; ok {
				add(base)
			}
		}
		ordered = append(ordered, claims[i])
	}
	for i := range claims {
		add(i)
	}
	return ordered
}
