package check

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// onChange runs validators in the plan, where the state is known: a value that the service already has is never
// rejected.
type onChange struct {
	texts  []validator.String
	wholes []validator.Int64
}

// OnChange runs the validators on a string that the plan changes or creates. A value in the state is accepted, also if
// it moves to another element of a list or set.
func OnChange(validators ...validator.String) planmodifier.String { return onChange{texts: validators} }

// OnChangeInt64 is OnChange for a whole number.
func OnChangeInt64(validators ...validator.Int64) planmodifier.Int64 {
	return onChange{wholes: validators}
}

func (onChange) Description(context.Context) string {
	return "Rejects a new value that is not valid; a value that the service already has is accepted."
}

func (v onChange) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// PlanModifyString implements planmodifier.String.
func (v onChange) PlanModifyString(ctx context.Context, req planmodifier.StringRequest,
	resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() || isInState(ctx, req.Plan, req.State, req.Path, req.PlanValue, req.StateValue) {
		return
	}
	v.checkText(ctx, req.Path, req.Config, req.PlanValue, &resp.Diagnostics)
}

func (v onChange) checkText(ctx context.Context, at path.Path, config tfsdk.Config, text types.String,
	diags *diag.Diagnostics) {
	for _, validates := range v.texts {
		var checked validator.StringResponse
		validates.ValidateString(ctx, validator.StringRequest{Path: at, PathExpression: at.Expression(), Config: config,
			ConfigValue: text}, &checked)
		diags.Append(checked.Diagnostics...)
	}
}

// PlanModifyInt64 implements planmodifier.Int64.
func (v onChange) PlanModifyInt64(ctx context.Context, req planmodifier.Int64Request,
	resp *planmodifier.Int64Response) {
	if req.ConfigValue.IsNull() || isInState(ctx, req.Plan, req.State, req.Path, req.PlanValue, req.StateValue) {
		return
	}
	for _, whole := range v.wholes {
		checked := &validator.Int64Response{}
		whole.ValidateInt64(ctx, validator.Int64Request{Path: req.Path, PathExpression: req.PathExpression,
			Config: req.Config, ConfigValue: req.PlanValue}, checked)
		resp.Diagnostics.Append(checked.Diagnostics...)
	}
}

// isInState reports whether the state has the value, in any spelling, at the same path or in any element of the lists
// and sets in it.
func isInState(ctx context.Context, plan tfsdk.Plan, state tfsdk.State, at path.Path, planned, before attr.Value) bool {
	if planned.Equal(before) {
		return true
	}
	if state.Raw.IsNull() {
		return false
	}
	var typed attr.Value
	if plan.GetAttribute(ctx, at, &typed).HasError() {
		return false
	}
	places, _ := state.PathMatches(ctx, anyElement(at))
	return slices.ContainsFunc(places, func(place path.Path) bool {
		var value attr.Value
		return !state.GetAttribute(ctx, place, &value).HasError() && sameValue(ctx, typed, value)
	})
}

func sameValue(ctx context.Context, planned, before attr.Value) bool {
	if text, ok := planned.(basetypes.StringValuableWithSemanticEquals); ok {
		other, isText := before.(basetypes.StringValuable)
		equal, diags := text.StringSemanticEquals(ctx, other)
		return isText && equal && !diags.HasError()
	}
	return planned.Equal(before)
}

// anyElement returns the expression of a path that matches any index and set value.
func anyElement(at path.Path) path.Expression {
	var expression path.Expression
	for i, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			if i == 0 {
				expression = path.MatchRoot(string(step))
			} else {
				expression = expression.AtName(string(step))
			}
		case path.PathStepElementKeyInt:
			expression = expression.AtAnyListIndex()
		case path.PathStepElementKeyString:
			expression = expression.AtAnyMapKey()
		case path.PathStepElementKeyValue:
			expression = expression.AtAnySetValue()
		}
	}
	return expression
}

// OnChangeElements runs the validators on the strings that the plan adds to a set.
func OnChangeElements(validators ...validator.String) planmodifier.Set {
	return onChange{texts: validators}
}

// PlanModifySet implements planmodifier.Set.
func (v onChange) PlanModifySet(ctx context.Context, req planmodifier.SetRequest, resp *planmodifier.SetResponse) {
	before := req.StateValue.Elements()
	for _, element := range req.PlanValue.Elements() {
		value, isText := element.(types.String)
		if !isText || req.ConfigValue.IsNull() || slices.ContainsFunc(before, element.Equal) {
			continue
		}
		v.checkText(ctx, req.Path.AtSetValue(element), req.Config, value, &resp.Diagnostics)
	}
}
