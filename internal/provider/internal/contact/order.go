package contact

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// KeepOrder prefers the list as it was written before when both hold the same items, in whatever order. An empty list
// and none are the same to the service.
func KeepOrder(before, now types.List) types.List {
	if before.IsUnknown() || now.IsUnknown() {
		return now
	}
	if same(before.Elements(), now.Elements(), attr.Value.Equal) {
		return before
	}
	return now
}

// SameItems reports whether both hold the same items, whatever their order.
func SameItems(a, b []Item) bool {
	return same(a, b, func(x, y Item) bool { return x == y })
}

func same[T any](a, b []T, equal func(T, T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, item := range a {
		i := slices.IndexFunc(rest, func(other T) bool { return equal(item, other) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
