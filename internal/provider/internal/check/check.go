// Package check implements validators. Those in InPlan run in the plan, and only for values that the state does not
// have, so that values written earlier, or by another system, are accepted.
package check

import (
	"context"
	"fmt"
	"math/big"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Described is the description of a validator or a plan modifier, which embeds it.
type Described string

// Description returns the description.
func (d Described) Description(context.Context) string { return string(d) }

// MarkdownDescription returns the description.
func (d Described) MarkdownDescription(context.Context) string { return string(d) }

// check is a validator of a string: wrong returns what is wrong and what to write instead, or "".
type check struct {
	Described
	wrong func(string) string
}

// only accepts the strings for which ok returns true; wrong is the message about others.
func only(description Described, ok func(string) bool, wrong string) validator.String {
	return check{description, func(s string) string {
		if ok(s) {
			return ""
		}
		return wrong
	}}
}

func (v check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if wrong := v.wrong(req.ConfigValue.ValueString()); wrong != "" {
		Invalid(req.Path, req.ConfigValue, wrong, &resp.Diagnostics)
	}
}

// Email requires a bare e-mail address.
func Email() validator.String {
	return check{"an e-mail address", func(s string) string {
		address, err := mail.ParseAddress(s)
		if err == nil && address.Address == s && address.Name == "" {
			return ""
		}
		return wrongEmail(s) + " Write one e-mail address alone, such as finance@example.com."
	}}
}

// wrongEmail describes an error without the address.
func wrongEmail(s string) string {
	switch {
	case isBlank(s):
		return "It is blank."
	case strings.TrimSpace(s) != s:
		return "It begins or ends with a space or a line end."
	case !strings.Contains(s, "@"):
		return "It has no @."
	case strings.ContainsAny(s, ",;"):
		return "It contains a comma or a semicolon."
	case strings.ContainsAny(s, "<>"):
		return "It contains a name or brackets."
	case strings.Count(s, "@") > 1:
		return "It has more than one @."
	}
	return "It is not an e-mail address."
}

// OneLine rejects a credential with a line end: it does not fit into a header, and the consumer's own one has none.
func OneLine() validator.String {
	return check{"text without a line end", func(s string) string {
		switch {
		case !strings.ContainsAny(s, "\r\n") || isBlank(s):
			return ""
		case strings.ContainsAny(strings.TrimSpace(s), "\r\n"):
			return "It has several lines, and the header of a delivery has only one. Write one line."
		}
		return "It begins or ends with a line end, as the content of a file often does. Use trimspace(…), such as " +
			"trimspace(file(\"token\"))."
	}}
}

// Date requires a calendar date without a time (ISO 8601).
func Date() validator.String {
	return check{"a date, YYYY-MM-DD", func(s string) string {
		switch date, midnight := strings.CutSuffix(s, "T00:00:00Z"); {
		case isTime(time.DateOnly, s):
			return ""
		case midnight && isTime(time.DateOnly, date):
			return "It is a date with a time. If it comes from yamldecode, quote it in YAML: an unquoted date gets a time."
		}
		return "It is not a valid date. Write year, month and day, such as 1990-12-31."
	}}
}

type notFuture struct{ Described }

// NotFuture warns about a date after tomorrow: the clock of this machine may be wrong by hours, but not a birthday.
func NotFuture() validator.String { return notFuture{"a date that has passed"} }

func (notFuture) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	date, err := time.Parse(time.DateOnly, req.ConfigValue.ValueString())
	if err == nil && time.Until(date) > 24*time.Hour {
		resp.Diagnostics.AddAttributeWarning(req.Path, fmt.Sprintf("%s is in the future", req.Path), "Check the year.")
	}
}

func isTime(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

// DateOrDateTime requires an ISO 8601 date, or a date with time and zone.
func DateOrDateTime() validator.String {
	return only("an ISO 8601 date, or date and time with zone",
		func(s string) bool { return isTime(time.DateOnly, s) || isTime(time.RFC3339, s) },
		"It is neither a date such as 2026-01-31 nor a time with a time zone such as 2026-01-31T12:00:00Z.")
}

var segment = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// IsCollection reports whether a string is a path segment without characters to escape.
func IsCollection(s string) bool { return segment.MatchString(s) }

// Collection requires the name of a collection, such as example.
func Collection(example string) validator.String {
	return only("the name of a collection, one segment of a path", IsCollection,
		"It is not the name of a collection. Write its path segment, such as "+
			example+": letters, digits, dashes, underscores and dots, without a slash.")
}

// Phone requires a string with a digit: phone numbers are written differently in each country.
func Phone() validator.String {
	return check{"a phone number", func(s string) string {
		if strings.ContainsFunc(s, unicode.IsDigit) {
			return ""
		}
		return "It has no digit. Write a phone number with its country and area code, such as +55 11 91234-5678."
	}}
}

// Trimmed rejects an identifier that begins or ends with a space or contains a line break, because lookups by other
// systems would fail.
func Trimmed() validator.String {
	return check{"an identifier without spaces around it and without line breaks", func(s string) string {
		switch {
		case isBlank(s):
		case s != strings.TrimSpace(s):
			return "It begins or ends with a space, so a lookup without the space fails. Remove the space, or use trimspace(…)."
		case strings.ContainsFunc(s, unicode.IsControl):
			return "It contains a line break or another control character. Write one identifier in one line."
		}
		return ""
	}}
}

// Name requires a one-word name of the service, such as example.
func Name(example string) validator.String {
	return only("a name in one word", func(s string) bool { return !strings.ContainsAny(s, " \t\r\n,") || isBlank(s) },
		"It contains a space or a comma. Write one name in each element, such as "+example+".")
}

type notBlank struct{ Described }

// NotBlank rejects a string that is empty or has only spaces or invisible characters; null is the absent value.
func NotBlank() validator.String { return notBlank{"text that is not blank"} }

func (notBlank) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	s := req.ConfigValue.ValueString()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || !isBlank(s) {
		return
	}
	wrong := "It is empty or contains only spaces"
	if invisible := strings.TrimFunc(s, unicode.IsSpace); invisible != "" {
		wrong = fmt.Sprintf("It contains only invisible characters, such as %U", []rune(invisible)[0])
	}
	Invalid(req.Path, req.ConfigValue, wrong+". "+insteadOfBlank(ctx, req), &resp.Diagnostics)
}

// insteadOfBlank returns what to write: an element is removed, and only optional arguments accept null.
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
	return only("a decimal number from 0 to 100", func(s string) bool {
		if !percentage.MatchString(s) {
			return false
		}
		number, ok := new(big.Rat).SetString(s)
		return ok && number.Cmp(big.NewRat(100, 1)) <= 0
	}, "It is not a percentage. Write a decimal number from 0 to 100, such as 12.5.")
}

// Matches requires a value that matches a pattern; what describes it.
func Matches(pattern *regexp.Regexp, what string) validator.String {
	return only(Described(what), pattern.MatchString, "It is not "+what+".")
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// HeaderName requires the name of an HTTP header.
func HeaderName() validator.String {
	return only("the name of an HTTP header", headerName.MatchString,
		"It is not the name of a header. Write letters, digits and dashes, such as X-Webhook-Token.")
}

// NoNulls rejects null elements of a list, set or map.
var NoNulls = noNulls{"no null elements"}

type noNulls struct{ Described }

var (
	_ validator.List = NoNulls
	_ validator.Set  = NoNulls
	_ validator.Map  = NoNulls
)

func (noNulls) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path.AtListIndex(i), element, &resp.Diagnostics)
	}
}

func (noNulls) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path.AtSetValue(element), element, &resp.Diagnostics)
	}
}

func (noNulls) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for key, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path.AtMapKey(key), element, &resp.Diagnostics)
	}
}

func rejectNull(at path.Path, element attr.Value, diags *diag.Diagnostics) {
	if element.IsNull() {
		Invalid(at, element, "The service stores no nulls here. Remove the element, or drop all nulls with [for e in … : e "+
			"if e != null].", diags)
	}
}

type knownStatus struct {
	Described
	documented []string
}

// KnownStatus warns about a status that is not in the service's description. The service may add others, so it is not
// an error.
func KnownStatus(values ...string) validator.String {
	return knownStatus{"a known status of the service", values}
}

// Advisor is a validator that only warns. Terraform validates the configuration of a data source several times and
// reads it once, so Read calls Advise.
type Advisor interface {
	Advise(at path.Path, value string, diags *diag.Diagnostics)
}

func (v knownStatus) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if _, isRead := req.Config.Schema.(schema.Schema); !isRead {
		v.Advise(req.Path, req.ConfigValue.ValueString(), &resp.Diagnostics)
	}
}

// Advise implements Advisor.
func (v knownStatus) Advise(at path.Path, status string, diags *diag.Diagnostics) {
	// Other validators reject blank values.
	if strings.TrimSpace(status) == "" || slices.Contains(v.documented, status) {
		return
	}
	diags.AddAttributeWarning(at, "Unknown status",
		fmt.Sprintf("The statuses that this provider knows are %s. If it is a typo, no object matches.",
			strings.Join(v.documented, ", ")))
}

// PathName formats a path for messages, such as addresses[0].country or items[*].quantity. Terraform does not always
// show the line of an argument, so the message contains the path. The elements of a set have no index.
func PathName(at path.Path) string {
	var name strings.Builder
	for i, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			if i > 0 {
				name.WriteString(".")
			}
			name.WriteString(string(step))
		case path.PathStepElementKeyValue:
			name.WriteString("[*]")
		default:
			name.WriteString(step.String())
		}
	}
	return name.String()
}

// Line returns the path for which Terraform shows the line of the argument: that of the top-level attribute. For a
// nested path, Terraform shows the beginning of the whole block.
func Line(at path.Path) path.Path {
	if first, _ := at.Steps().NextStep(); first != nil {
		if name, ok := first.(path.PathStepAttributeName); ok {
			return path.Root(string(name))
		}
	}
	return at
}
