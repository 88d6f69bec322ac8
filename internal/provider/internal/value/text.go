// Package value holds what this provider knows of single values: types whose values can be written in more than one
// way (moments, decimals, tax numbers, ids), validators of this domain, and the ways from Terraform's values to the
// structs of this provider and to the bodies of requests.
package value

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// notation says when two spellings of a text mean the same.
type notation interface {
	name() string
	same(a, b string) bool
}

// TextType is the type of a text whose values can be spelled in more than one way, as N says.
type TextType[N notation] struct{ basetypes.StringType }

// Text is a value of TextType.
type Text[N notation] struct{ basetypes.StringValue }

var (
	_ basetypes.StringTypable                    = TextType[moment]{}
	_ basetypes.StringValuableWithSemanticEquals = Text[moment]{}
)

// Equal reports whether o is the same type.
func (t TextType[N]) Equal(o attr.Type) bool {
	_, ok := o.(TextType[N])
	return ok
}

// String names the type in the framework's messages.
func (t TextType[N]) String() string {
	var n N
	return "value." + n.name()
}

// ValueType is the value type of the attribute.
func (t TextType[N]) ValueType(context.Context) attr.Value { return Text[N]{} }

// ValueFromString wraps a string value.
func (t TextType[N]) ValueFromString(_ context.Context,
	v basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Text[N]{StringValue: v}, nil
}

// ValueFromTerraform reads the wire value.
func (t TextType[N]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	s, ok := v.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", v)
	}
	return Text[N]{StringValue: s}, nil
}

// Type is the attribute type of the value.
func (v Text[N]) Type(context.Context) attr.Type { return TextType[N]{} }

// Equal compares exactly.
func (v Text[N]) Equal(o attr.Value) bool {
	other, ok := o.(Text[N])
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals compares what the spellings mean.
func (v Text[N]) StringSemanticEquals(_ context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := o.(Text[N])
	return ok && v.Means(other), nil
}

// Means reports whether both are known and mean the same, or are both null or both unknown.
func (v Text[N]) Means(other Text[N]) bool {
	if v.IsNull() || v.IsUnknown() || other.IsNull() || other.IsUnknown() {
		return v.Equal(other)
	}
	var n N
	return n.same(v.ValueString(), other.ValueString())
}

// Or prefers the spelling of before when both mean the same.
func (v Text[N]) Or(before Text[N]) Text[N] {
	if v.Means(before) {
		return before
	}
	return v
}

// KeepSpelling is a plan modifier that keeps the spelling in state when the configuration means the same, because
// semantic equality does not act in a plan. It comes before RequiresReplace, so that another spelling replaces nothing.
func (t TextType[N]) KeepSpelling() planmodifier.String { return keepSpelling[N]{} }

type keepSpelling[N notation] struct{}

func (keepSpelling[N]) Description(context.Context) string {
	return "Keeps the spelling in state when the configuration means the same."
}

func (k keepSpelling[N]) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

func (keepSpelling[N]) PlanModifyString(_ context.Context, req planmodifier.StringRequest,
	resp *planmodifier.StringResponse) {
	resp.PlanValue = text[N](req.PlanValue).Or(text[N](req.StateValue)).StringValue
}

func text[N notation](s types.String) Text[N] { return Text[N]{StringValue: s} }

func pointer[N notation](s *string) Text[N] {
	return Text[N]{StringValue: basetypes.NewStringPointerValue(s)}
}
