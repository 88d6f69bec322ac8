package value

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// StringSetType is the type of a set of strings. The framework's type compares each entry with every other one, in
// each validation and each comparison: that takes seconds for a set of hundreds.
type StringSetType struct{ basetypes.SetType }

// StringSet is a value of StringSetType.
type StringSet struct{ basetypes.SetValue }

var (
	_ basetypes.SetTypable                    = StringSetType{}
	_ basetypes.SetValuableWithSemanticEquals = StringSet{}
)

// Strings is the type of every set of strings.
var Strings = StringSetType{SetType: basetypes.SetType{ElemType: types.StringType}}

// NoStrings is the null set.
func NoStrings() StringSet { return StringSet{SetValue: basetypes.NewSetNull(types.StringType)} }

// SetOf returns a sorted set of strings without duplicates, or null if there are none.
func SetOf(texts []string) StringSet {
	if len(texts) == 0 {
		return NoStrings()
	}
	return SetOrEmpty(texts)
}

// SetOrEmpty is SetOf, but returns the empty set if there are no strings.
func SetOrEmpty(texts []string) StringSet {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return StringSet{SetValue: basetypes.NewSetValueMust(types.StringType, elements)}
}

// Texts is the wire form of a known set of strings.
func Texts(set StringSet) []string {
	texts := make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

// Equal reports whether o is the same type.
func (t StringSetType) Equal(o attr.Type) bool {
	_, ok := o.(StringSetType)
	return ok
}

// String returns the name of the type for the framework's messages.
func (t StringSetType) String() string { return "value.StringSet" }

// ValueType is the value type of the attribute.
func (t StringSetType) ValueType(context.Context) attr.Value { return NoStrings() }

// ValueFromSet wraps a set.
func (t StringSetType) ValueFromSet(_ context.Context, v basetypes.SetValue) (basetypes.SetValuable, diag.Diagnostics) {
	return StringSet{SetValue: v}, nil
}

// ValueFromTerraform converts the wire value.
func (t StringSetType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.SetType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	set, ok := v.(basetypes.SetValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", v)
	}
	return StringSet{SetValue: set}, nil
}

// Validate accepts every set: Terraform sends none with duplicates, and SetOf removes them.
func (t StringSetType) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics {
	return nil
}

// Type is the attribute type of the value.
func (s StringSet) Type(context.Context) attr.Type { return Strings }

// Equal reports whether both have the same entries, in any order.
func (s StringSet) Equal(o attr.Value) bool {
	other, ok := o.(StringSet)
	if !ok || s.IsNull() != other.IsNull() || s.IsUnknown() != other.IsUnknown() {
		return false
	}
	entries, others := s.Elements(), other.Elements()
	if len(entries) != len(others) {
		return false
	}
	left := make(map[attr.Value]bool, len(others))
	for _, entry := range others {
		left[entry] = true
	}
	return !slices.ContainsFunc(entries, func(entry attr.Value) bool { return !left[entry] })
}

// SetSemanticEquals is Equal. Without it, the framework compares each pair of entries.
func (s StringSet) SetSemanticEquals(_ context.Context, o basetypes.SetValuable) (bool, diag.Diagnostics) {
	other, ok := o.(StringSet)
	return ok && s.Equal(other), nil
}
