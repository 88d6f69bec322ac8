package check

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Listed accepts the documented values of an argument. A service may be newer than this provider, so an object may have
// another one, see InPlan.
func Listed(words ...string) validator.String { return InPlan(OneOf(words...)) }

// NearMiss returns the documented name of which a word is probably a misspelling; "" if it is none.
func NearMiss(word string, documented []string) string {
	if strings.TrimSpace(word) == "" || slices.Contains(documented, word) {
		return ""
	}
	lower := strings.ToLower(strings.TrimSpace(word))
	nearest := api.Nearest(lower, documented, 1)[0]
	switch edits := api.Distance(lower, nearest); {
	case edits <= 1, edits == 2 && initial(lower) == initial(nearest): // charge.payed, but not charge.void
		return nearest
	}
	return ""
}

// initial returns the first letter after the dot: p of charge.paid.
func initial(name string) string {
	what := name[strings.LastIndexByte(name, '.')+1:]
	return what[:min(1, len(what))]
}
