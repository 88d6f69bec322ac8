package apidiag

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// longestValue bounds the characters of a value that a message quotes.
const longestValue = 80

// rejected reports that the service rejected the value of a field, on the argument of that name.
func rejected(diags *diag.Diagnostics, field, reason string, operation Operation, summary string, e *api.Error) {
	steps := stepsOf(field)
	name := nameOf(steps)
	// What follows the first sentence says what there is instead.
	reason, more, _ := strings.Cut(reason, ". ")
	text := fmt.Sprintf("Invalid value for %s: %s", name, clause(reason))
	value, found := valueAt(operation.Model, steps)
	if found {
		text += " (got " + value + ")"
	}
	text += "." + aboutIDs(name, value)
	if more != "" {
		text += " " + more
	}
	if operation.Existing != nil {
		if existing := operation.Existing(name); existing != "" {
			text += " " + existing
		}
	}
	text += evidence(e)
	if !slices.Contains(operation.Attributes, steps[0]) {
		diags.AddError(summary, text)
		return
	}
	// On the top-level argument: for a part of one, Terraform points at the beginning of the block.
	diags.AddAttributeError(path.Root(steps[0]), summary, text)
}

var camel = regexp.MustCompile(`[a-z0-9][A-Z]`)

// stepsOf takes a field such as emails[0].value, emails.0.value or expiresAt apart, in the spelling of Terraform:
// collections writes its names together.
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

// nameOf is the path as HCL writes it.
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

// valueAt is the configured value at a path, as HCL writes it. It is false for what has none, and for credentials.
func valueAt(model any, steps []string) (string, bool) {
	value := fieldOf(model, steps[0])
	for _, step := range steps[1:] {
		value = stepInto(value, step)
	}
	if value == nil || value.IsNull() || value.IsUnknown() || strings.HasSuffix(steps[len(steps)-1], "_wo") {
		return "", false
	}
	switch v := value.(type) {
	case basetypes.StringValuable:
		text, diags := v.ToStringValue(context.Background())
		return shortened(strconv.Quote(text.ValueString())), !diags.HasError()
	case basetypes.BoolValue, basetypes.Int64Valuable, basetypes.NumberValue, basetypes.Float64Value:
		return v.String(), true
	default:
		return "", false
	}
}

// dynamic is a value of any type.
type dynamic interface{ UnderlyingValue() attr.Value }

func stepInto(value attr.Value, step string) attr.Value {
	if d, ok := value.(dynamic); ok {
		value = d.UnderlyingValue()
	}
	elements := func(all []attr.Value) attr.Value {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(all) {
			return all[i]
		}
		return nil
	}
	switch v := value.(type) {
	case basetypes.ListValue:
		return elements(v.Elements())
	case basetypes.SetValue:
		return elements(v.Elements())
	case basetypes.TupleValue:
		return elements(v.Elements())
	case basetypes.MapValue:
		return v.Elements()[step]
	case basetypes.ObjectValue:
		return v.Attributes()[step]
	default:
		return nil
	}
}

// fieldOf is the field of a model with the tfsdk tag name; nil where there is none.
func fieldOf(model any, name string) attr.Value {
	v := reflect.ValueOf(model)
	if v.Kind() != reflect.Struct {
		return nil
	}
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Tag.Get("tfsdk") == name && field.IsExported() {
			value, _ := v.FieldByIndex(field.Index).Interface().(attr.Value)
			return value
		}
	}
	return nil
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= longestValue {
		return text
	}
	return string([]rune(text)[:longestValue]) + `…"`
}

// aboutIDs adds what a user of several organizations trips over: the id of something that another organization has.
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
	return " Ids of " + plural + " differ between organizations and environments."
}

// clause is a reason of the service that continues a sentence.
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
