// Package metadata implements custom_metadata: a free-form object in which the configuration owns the keys that it sets
// and other systems own the rest.
//
// value.go is the Terraform type, tree.go the conversion between Terraform values and JSON, object.go the arithmetic on
// objects (merge, projection, removal), ownership.go the decisions (what a plan changes, what is sent, what a refresh
// shows).
package metadata

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

var (
	_ basetypes.DynamicTypable                    = Type{}
	_ basetypes.DynamicValuableWithSemanticEquals = Value{}
	_ xattr.ValidateableAttribute                 = Value{}
)

// Type is the attribute type of free-form objects: any object or map, with any nesting. Values with the same JSON are
// semantically equal, so that an object and a map, a tuple and a list, or 1 and 1.0 cause no diff.
type Type struct{ basetypes.DynamicType }

// Equal reports whether o is the same type.
func (t Type) Equal(o attr.Type) bool {
	_, ok := o.(Type)
	return ok
}

// String returns the name of the type for the framework's messages.
func (t Type) String() string { return "metadata.Type" }

// ValueType is the value type of the attribute.
func (t Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromDynamic wraps a dynamic value.
func (t Type) ValueFromDynamic(_ context.Context, v basetypes.DynamicValue) (basetypes.DynamicValuable,
	diag.Diagnostics) {
	return Value{DynamicValue: v}, nil
}

// ValueFromTerraform converts the wire value.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.DynamicType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	dynamic, ok := v.(basetypes.DynamicValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", v)
	}
	return Value{DynamicValue: dynamic}, nil
}

// Value is a free-form object in configuration, plan or state.
type Value struct {
	basetypes.DynamicValue
	// whole is the response's object from which Import made the value, with the original spelling of numbers.
	whole Object
}

// Null is the absent object.
func Null() Value { return Value{DynamicValue: basetypes.NewDynamicNull()} }

// OrEmpty returns the value, or the empty object if it is absent. If the service has none, an import stores the empty
// object: then neither {} nor an unset argument causes a diff.
func (v Value) OrEmpty() Value {
	if v.IsAbsent() {
		return FromObject(Object{})
	}
	return v
}

// Unknown is the unknown object.
func Unknown() Value { return Value{DynamicValue: basetypes.NewDynamicUnknown()} }

// Type is the attribute type of the value.
func (v Value) Type(context.Context) attr.Type { return Type{} }

// Equal compares exactly, types included.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.DynamicValue.Equal(other.DynamicValue)
}

// IsAbsent reports whether there is no object; a typed null counts as absent.
func (v Value) IsAbsent() bool { return v.IsNull() || v.IsUnderlyingValueNull() }

// DynamicSemanticEquals reports whether both values mean the same JSON.
func (v Value) DynamicSemanticEquals(_ context.Context, o basetypes.DynamicValuable) (bool, diag.Diagnostics) {
	other, ok := o.(Value)
	if !ok {
		return false, nil
	}
	a, errA := v.Object()
	b, errB := other.Object()
	return errA == nil && errB == nil && same.JSON(a, b), nil
}

// ValidateAttribute rejects everything that is not an object or a map.
func (v Value) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest,
	resp *xattr.ValidateAttributeResponse) {
	if v.IsNull() || v.IsUnknown() {
		return
	}
	switch underlying := v.UnderlyingValue().(type) {
	case basetypes.ObjectValue, basetypes.MapValue:
	case basetypes.StringValue:
		how := "Write an object such as { key = \"value\" }."
		if json.Valid([]byte(underlying.ValueString())) {
			how = "Remove jsonencode() and write the object itself, such as { key = \"value\" }; decode a string from " +
				"elsewhere with jsondecode()."
		}
		resp.Diagnostics.AddAttributeError(req.Path, "Not an object",
			fmt.Sprintf("%s requires an object, but this is a string. %s", req.Path, how))
	default:
		resp.Diagnostics.AddAttributeError(req.Path, "Not an object",
			fmt.Sprintf("%s requires an object such as { key = \"value\" }, or a map.", req.Path))
	}
}
