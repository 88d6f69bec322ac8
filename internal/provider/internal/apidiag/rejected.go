package apidiag

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// rejected reports the rejected value of a field on the corresponding argument.
func rejected(field, reason string, operation Operation, what string, e *api.Error) report {
	steps := stepsOf(field)
	name := nameOf(steps)
	// The first sentence is the reason, the rest are the accepted values.
	reason, more, _ := strings.Cut(reason, ". ")
	r := report{what: what, why: fmt.Sprintf("Invalid value for %s: %s", name, clause(reason)), evidence: evidence(e)}
	got := valueAt(operation.Model, steps)
	if got != "" {
		r.why += " (got " + got + ")"
	}
	r.why += "."
	r.do = sentences(aboutIDs(name, got), more)
	if operation.Choices != nil {
		r.do = sentences(r.do, operation.Choices(name))
	}
	// On the top-level argument: for a nested path, Terraform shows the beginning of the block.
	if value.Field(operation.Model, steps[0]) != nil {
		r.where = steps[0]
	}
	return r
}

var camel = regexp.MustCompile(`[a-z0-9][A-Z]`)

// stepsOf splits a field such as emails[0].value, emails.0.value or expiresAt, and converts it to snake case:
// collections uses camel case.
func stepsOf(field string) []string {
	field = strings.NewReplacer("[", ".", "]", "").Replace(field)
	var steps []string
	for step := range strings.SplitSeq(field, ".") {
		step = camel.ReplaceAllStringFunc(step, func(pair string) string {
			return pair[:1] + "_" + strings.ToLower(pair[1:])
		})
		if step != "" {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return []string{field}
	}
	return steps
}

// nameOf formats the path as in HCL.
func nameOf(steps []string) string {
	var name strings.Builder
	for i, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			name.WriteString("[" + step + "]")
			continue
		}
		if i > 0 {
			name.WriteString(".")
		}
		name.WriteString(step)
	}
	return name.String()
}

// valueAt returns the configured value at a path for the message; "" if there is none, or it is not shown.
func valueAt(model any, steps []string) string {
	field := value.Field(model, steps[0])
	if field == nil {
		return ""
	}
	v, err := field.ToTerraformValue(context.Background())
	for _, step := range steps[1:] {
		var elements []tftypes.Value
		var members map[string]tftypes.Value
		if i, isIndex := strconv.Atoi(step); isIndex == nil && v.As(&elements) == nil && i < len(elements) {
			v = elements[i]
		} else if v.As(&members) == nil {
			v = members[step]
		} else {
			return ""
		}
	}
	if err != nil || v.IsNull() {
		return ""
	}
	return check.ShownRaw(nameOf(steps), v)
}

// aboutIDs explains a frequent mistake with several organizations: an id of another organization.
func aboutIDs(name, value string) string {
	kind, isID := strings.CutSuffix(name[strings.LastIndexByte(name, '.')+1:], "_id")
	if strings.HasSuffix(name, ".id") {
		kind, isID = strings.TrimSuffix(name, ".id"), true
	}
	if !isID || !same.IsUUID(strings.Trim(value, `"`)) {
		return ""
	}
	plural := strings.ReplaceAll(kind, "_", " ") + "s"
	if strings.HasSuffix(kind, "y") {
		plural = strings.TrimSuffix(kind, "y") + "ies"
	}
	text := "Ids of " + plural + " differ between organizations and environments."
	if typeName := check.DataSourceOf(kind + "_id"); typeName != "" {
		text += fmt.Sprintf(" Look it up with data %q.", typeName)
	}
	return text
}

// clause turns the service's reason into the end of a sentence.
func clause(reason string) string {
	reason = strings.TrimRight(strings.TrimSpace(reason), ".")
	if reason == "" {
		return "the service gives no reason"
	}
	first, size := utf8.DecodeRuneInString(reason)
	if second, _ := utf8.DecodeRuneInString(reason[size:]); unicode.IsUpper(second) {
		return reason // an abbreviation
	}
	return string(unicode.ToLower(first)) + reason[size:]
}
