package value

import (
	"context"
	"fmt"
	"math/big"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// check is a validator over one string: wrong returns what is wrong and what to write instead, or "".
type check struct {
	description, summary string
	wrong                func(string) string
}

func (v check) Description(context.Context) string { return v.description }

func (v check) MarkdownDescription(context.Context) string { return v.description }

func (v check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if wrong := v.wrong(req.ConfigValue.ValueString()); wrong != "" {
		resp.Diagnostics.AddAttributeError(Line(req.Path), v.summary, PathName(req.Path)+": "+wrong)
	}
}

// Email requires a bare e-mail address.
func Email() validator.String {
	return check{"an e-mail address", "Invalid e-mail address", func(s string) string {
		if address, err := mail.ParseAddress(s); err == nil && address.Address == s && address.Name == "" {
			return ""
		}
		return fmt.Sprintf("%q is not an e-mail address. Write one address without a name or brackets, such as "+
			"finance@example.com.", s)
	}}
}

// Date requires a calendar date without a time (ISO 8601).
func Date() validator.String {
	return check{"a date, YYYY-MM-DD", "Invalid date", func(s string) string {
		if _, err := time.Parse(time.DateOnly, s); err == nil {
			return ""
		}
		return fmt.Sprintf("%q is not a date of the calendar. Write year, month and day, such as 1990-12-31.", s)
	}}
}

// DateOrDateTime requires an ISO 8601 date, or a date with time and zone.
func DateOrDateTime() validator.String {
	return check{"an ISO 8601 date, or date and time with zone", "Invalid date or time", func(s string) string {
		if _, err := time.Parse(time.DateOnly, s); err == nil {
			return ""
		}
		if _, err := time.Parse(time.RFC3339, s); err == nil {
			return ""
		}
		return fmt.Sprintf("%q is neither a date such as 2026-01-31 nor a time with zone such as 2026-01-31T12:00:00Z.", s)
	}}
}

var segment = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// IsCollection reports whether a text is a segment of a path that needs no escaping.
func IsCollection(s string) bool { return segment.MatchString(s) }

// Collection requires the name of a collection, of which example is one.
func Collection(example string) validator.String {
	return check{"the name of a collection, one segment of a path", "Invalid collection", func(s string) string {
		if IsCollection(s) {
			return ""
		}
		return fmt.Sprintf("%q is not the name of a collection. Write the one segment that stands for it in the service's "+
			"paths, such as %s: letters, digits, dashes, underscores and dots, and no slash.", s, example)
	}}
}

// Phone requires a text with a digit: how a number is written differs from country to country.
func Phone() validator.String {
	return check{"a phone number", "Invalid phone number", func(s string) string {
		if strings.ContainsFunc(s, unicode.IsDigit) {
			return ""
		}
		return fmt.Sprintf("%q is not a phone number: it has no digit. Write it with its country and area code, such as "+
			"+55 11 91234-5678.", s)
	}}
}

type notBlank struct{}

// NotBlank rejects text that is empty or has only spaces or invisible characters: absent is null.
func NotBlank() validator.String { return notBlank{} }

func (notBlank) Description(context.Context) string { return "text that is not blank" }

func (v notBlank) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (notBlank) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	s := req.ConfigValue.ValueString()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || !isBlank(s) {
		return
	}
	wrong := "is empty or has only spaces"
	if invisible := strings.TrimFunc(s, unicode.IsSpace); invisible != "" {
		wrong = fmt.Sprintf("has only invisible characters, such as %U", []rune(invisible)[0])
	}
	resp.Diagnostics.AddAttributeError(Line(req.Path), "Blank value",
		fmt.Sprintf("%s %s (got %+q). %s", PathName(req.Path), wrong, s, insteadOfBlank(ctx, req)))
}

// insteadOfBlank says what to write: an element is removed, and null is a value of optional arguments only.
func insteadOfBlank(ctx context.Context, req validator.StringRequest) string {
	last, _ := req.Path.Steps().LastStep()
	if _, isAttribute := last.(path.PathStepAttributeName); !isAttribute {
		return "Write a value, or remove the element."
	}
	if req.Config.Schema == nil {
		return "Write a value, or remove the argument (or set it to null)."
	}
	if a, diags := req.Config.Schema.AttributeAtPath(ctx, req.Path); !diags.HasError() && a.IsRequired() {
		return "The argument is required: write a value."
	}
	return "Write a value, or remove the argument (or set it to null)."
}

func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && unicode.IsPrint(r) })
}

var percentage = regexp.MustCompile(`^(0|[1-9][0-9]{0,2})(\.[0-9]{1,18})?$`)

// Percent requires a decimal number from 0 to 100, written as JSON writes numbers.
func Percent() validator.String {
	return check{"a decimal number from 0 to 100", "Invalid percentage", func(s string) string {
		if number, ok := parseDecimal(s); ok && percentage.MatchString(s) && number.Cmp(big.NewRat(100, 1)) <= 0 {
			return ""
		}
		return fmt.Sprintf("%q is not a percentage. Write a decimal number from 0 to 100, such as 12.5.", s)
	}}
}

// Matches requires a value of a pattern, which what describes.
func Matches(pattern *regexp.Regexp, what string) validator.String {
	return check{what, "Invalid value", func(s string) string {
		if pattern.MatchString(s) {
			return ""
		}
		return fmt.Sprintf("%q is not %s.", s, what)
	}}
}
