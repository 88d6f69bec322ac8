package metadata

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestType_wrapsTerraformValues(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	wire := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String}},
		map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, "x")})
	v, err := Type{}.ValueFromTerraform(ctx, wire)
	if err != nil {
		t.Fatal(err)
	}
	value, ok := v.(Value)
	if !ok || !value.Type(ctx).Equal(Type{}) {
		t.Fatalf("have %T of type %s", v, v.Type(ctx))
	}
	if object, err := value.Object(); err != nil || Text(object) != `{"a":"x"}` {
		t.Errorf("object %v, %v", object, err)
	}
	if (Type{}).Equal(types.DynamicType) {
		t.Error("the plain dynamic type counts as the same")
	}
}

func TestValue_semanticEquality(t *testing.T) {
	t.Parallel()
	tuple := objectOf(map[string]attr.Value{"l": types.TupleValueMust([]attr.Type{types.StringType},
		[]attr.Value{types.StringValue("a")}), "n": number(t, "1.50")})
	list := objectOf(map[string]attr.Value{"l": types.ListValueMust(types.StringType,
		[]attr.Value{types.StringValue("a")}), "n": number(t, "1.5")})
	other := objectOf(map[string]attr.Value{"l": types.ListValueMust(types.StringType,
		[]attr.Value{types.StringValue("b")}), "n": number(t, "1.5")})
	for name, c := range map[string]struct {
		a, b Value
		want bool
	}{
		"tuple and list": {tuple, list, true}, "another item": {list, other, false},
		"unknown": {Unknown(), list, false}, "both unknown": {Unknown(), Unknown(), false},
	} {
		same, diags := c.a.DynamicSemanticEquals(t.Context(), c.b)
		if same != c.want || diags.HasError() {
			t.Errorf("%s: %v %v", name, same, diags)
		}
	}
	if tuple.Equal(list) {
		t.Error("a tuple is exactly equal to a list")
	}
	if same, _ := list.DynamicSemanticEquals(t.Context(), list.DynamicValue); same {
		t.Error("a value of another type is equal")
	}
}

func TestValue_refusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		v  Value
		ok bool
	}{
		"object":    {objectOf(map[string]attr.Value{"a": types.BoolValue(true)}), true},
		"map":       {Value{DynamicValue: types.DynamicValue(types.MapNull(types.StringType))}, true},
		"null":      {Null(), true},
		"unknown":   {Unknown(), true},
		"text":      {Value{DynamicValue: types.DynamicValue(types.StringValue("{}"))}, false},
		"number":    {Value{DynamicValue: types.DynamicValue(number(t, "1"))}, false},
		"list":      {Value{DynamicValue: types.DynamicValue(types.ListValueMust(types.StringType, nil))}, false},
		"null text": {Value{DynamicValue: types.DynamicValue(types.StringNull())}, false},
	} {
		resp := &xattr.ValidateAttributeResponse{}
		c.v.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("custom_metadata")}, resp)
		if resp.Diagnostics.HasError() == c.ok {
			t.Errorf("%s: %v", name, resp.Diagnostics)
		}
	}
}
