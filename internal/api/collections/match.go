package collections

import (
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// text takes null for the empty text.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sameSet compares without order, and takes null for the empty set.
func sameSet(a, b []string) bool { return slices.Equal(asSet(a), asSet(b)) }

func asSet(items []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(items)))
}

// sameMoment compares two moments, however they are written. Null is equal to
// null only.
func sameMoment(a, b *string) bool {
	at, ok := api.Moment(text(a))
	other, otherOK := api.Moment(text(b))
	if !ok || !otherOK {
		return text(a) == text(b)
	}
	return at.Equal(other)
}
