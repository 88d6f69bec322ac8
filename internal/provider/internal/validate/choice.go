package validate

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
)

// OneOf requires one of the values.
func OneOf(values ...string) validator.String {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = fmt.Sprintf("%q", value)
	}
	choices := strings.Join(quoted, ", ")
	return text{"one of " + choices, "Invalid value", func(s string) string {
		if slices.Contains(values, s) {
			return ""
		}
		hint := ""
		for _, value := range values {
			if strings.EqualFold(strings.TrimSpace(s), value) {
				hint = fmt.Sprintf(" Did you mean %q?", value)
			}
		}
		return fmt.Sprintf("%q is not one of %s.%s", s, choices, hint)
	}}
}

// Matches requires a value of a pattern, which what describes.
func Matches(pattern *regexp.Regexp, what string) validator.String {
	return text{what, "Invalid value", func(s string) string {
		if pattern.MatchString(s) {
			return ""
		}
		return fmt.Sprintf("%q is not %s.", s, what)
	}}
}

type between struct{ lowest, highest int64 }

// Between requires a whole number from lowest to highest.
func Between(lowest, highest int64) validator.Int64 { return between{lowest, highest} }

// AtLeast requires a whole number that is not below lowest.
func AtLeast(lowest int64) validator.Int64 { return between{lowest, math.MaxInt64} }

func (v between) Description(context.Context) string {
	if v.highest == math.MaxInt64 {
		return fmt.Sprintf("a whole number, %d or more", v.lowest)
	}
	return fmt.Sprintf("a whole number from %d to %d", v.lowest, v.highest)
}

func (v between) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v between) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	n := req.ConfigValue.ValueInt64()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || v.lowest <= n && n <= v.highest {
		return
	}
	resp.Diagnostics.AddAttributeError(fwtype.Line(req.Path), "Value out of range",
		fmt.Sprintf("%s: %d is out of range. Write %s.", fwtype.PathName(req.Path), n, v.Description(ctx)))
}
