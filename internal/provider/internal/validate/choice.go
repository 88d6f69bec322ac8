package validate

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// OneOf requires one of the values.
func OneOf(values ...string) validator.String { return stringvalidator.OneOf(values...) }

// Between requires a whole number from lowest to highest.
func Between(lowest, highest int64) validator.Int64 { return int64validator.Between(lowest, highest) }

// AtLeast requires a whole number that is not below lowest.
func AtLeast(lowest int64) validator.Int64 { return int64validator.AtLeast(lowest) }

// Matches requires a value of a pattern, which what describes.
func Matches(pattern *regexp.Regexp, what string) validator.String {
	return text{what, "Invalid value", func(s string) string {
		if pattern.MatchString(s) {
			return ""
		}
		return fmt.Sprintf("%q is not %s.", s, what)
	}}
}
