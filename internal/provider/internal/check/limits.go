package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Invalid reports an invalid value of an argument. detail says what is wrong and what to write instead.
func Invalid(at path.Path, value attr.Value, detail string, diags *diag.Diagnostics) {
	summary := "Invalid " + PathName(at)
	if shown := Shown(PathName(at), value); shown != "" {
		summary += ": " + shown
	}
	diags.AddAttributeError(Line(at), summary, detail)
}

// Quoted quotes a string for the summary of a message, and truncates a long one.
func Quoted(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return strconv.Quote(text)
}

type oneOf struct {
	Described
	words []string
}

// OneOf requires one of at least two words.
func OneOf(words ...string) validator.String { return newOneOf(words) }

func newOneOf(words []string) oneOf {
	last := len(words) - 1
	return oneOf{Described(strings.Join(words[:last], ", ") + " or " + words[last]), words}
}

func (v oneOf) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	word := req.ConfigValue
	if !word.IsNull() && !word.IsUnknown() && !slices.Contains(v.words, word.ValueString()) {
		Invalid(req.Path, word, fmt.Sprintf("Write %s.", v.Described), &resp.Diagnostics)
	}
}

// between accepts whole numbers from lowest to highest.
type between struct {
	Described
	lowest, highest int64
}

// noLimit is the highest number if there is no limit.
const noLimit = -1

// Between requires a whole number from lowest to highest.
func Between(lowest, highest int64) validator.Int64 {
	return between{Described(fmt.Sprintf("Write %d to %d.", lowest, highest)), lowest, highest}
}

// AtLeast requires a whole number of lowest or more.
func AtLeast(lowest int64) validator.Int64 {
	return between{Described(fmt.Sprintf("Write %d or more.", lowest)), lowest, noLimit}
}

// AtLeastOr is AtLeast for an argument of an item: or is the alternative, such as "remove the item".
func AtLeastOr(lowest int64, or string) validator.Int64 {
	return between{Described(fmt.Sprintf("Write %d or more, or %s.", lowest, or)), lowest, noLimit}
}

func (v between) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	number, reject := req.ConfigValue.ValueInt64(), func(how string, limit int64) {
		Invalid(req.Path, req.ConfigValue, fmt.Sprintf("%s is %s %d. %s", req.ConfigValue, how, limit, v.Described),
			&resp.Diagnostics)
	}
	switch {
	case req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown():
	case number < v.lowest:
		reject("below", v.lowest)
	case v.highest != noLimit && number > v.highest:
		reject("above", v.highest)
	}
}

type each struct {
	Described
	validators TextsInPlan
}

// Each runs the validators on every element of a set of strings.
func Each(validators ...validator.String) validator.Set { return each{"valid elements", validators} }

func (v each) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, element := range req.ConfigValue.Elements() {
		if text, isText := element.(types.String); isText {
			walk{ctx, req.Config, &resp.Diagnostics}.text(req.Path.AtSetValue(element), v.validators, text)
		}
	}
}
