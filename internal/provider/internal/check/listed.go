package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

type listed struct{ oneOf }

// Listed accepts the documented values of an argument. A service may be newer than this provider, so another value is
// an error only in the plan, unless the state has it. Validation, which has no state, warns about a probable typo.
func Listed(words ...string) validator.String { return listed{newOneOf(words)} }

func (v listed) inPlan() []validator.String { return []validator.String{v.oneOf} }

type quiet struct{}

// Quiet returns a context in which Listed does not warn. Terraform validates a configuration before it plans, and again
// for the plan and the apply of each object.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quiet{}, true) }

func (v listed) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	word := req.ConfigValue.ValueString()
	meant := NearMiss(word, v.words)
	if meant == "" || ctx.Value(quiet{}) != nil {
		return
	}
	resp.Diagnostics.AddAttributeWarning(Line(req.Path), fmt.Sprintf("%s: did you mean %q?", PathName(req.Path),
		meant), fmt.Sprintf("The documented values are %s. The plan rejects another one, unless the object "+
		"already has it.", v.Described))
}

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
