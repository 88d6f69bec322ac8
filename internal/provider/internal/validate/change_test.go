package validate

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// changed is what OnChange finds wrong with a text; the state has the texts of addresses[*].country.
func changed(t *testing.T, at path.Path, planned, state types.String) int {
	t.Helper()
	country := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{"country": schema.StringAttribute{Optional: true}}}
	holder := schema.Schema{Attributes: map[string]schema.Attribute{
		"country":   schema.StringAttribute{Optional: true},
		"addresses": schema.ListNestedAttribute{Optional: true, NestedObject: country},
	}}
	objectType := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"country": tftypes.String}}
	whole := tftypes.NewValue(holder.Type().TerraformType(t.Context()), map[string]tftypes.Value{
		"country": tftypes.NewValue(tftypes.String, "uk"),
		"addresses": tftypes.NewValue(tftypes.List{ElementType: objectType}, []tftypes.Value{
			tftypes.NewValue(objectType, map[string]tftypes.Value{"country": tftypes.NewValue(tftypes.String, "br")}),
			tftypes.NewValue(objectType, map[string]tftypes.Value{"country": tftypes.NewValue(tftypes.String, "PT")}),
		}),
	})
	resp := &planmodifier.StringResponse{PlanValue: planned}
	OnChange(Country()).PlanModifyString(t.Context(), planmodifier.StringRequest{Path: at, PathExpression: at.Expression(), ConfigValue: planned,
		PlanValue: planned, StateValue: state, State: tfsdk.State{Raw: whole, Schema: holder}}, resp)
	if !resp.PlanValue.Equal(planned) {
		t.Errorf("%s: the plan has become %s", at, resp.PlanValue)
	}
	return resp.Diagnostics.ErrorsCount()
}

// TestOnChange: only a value that the state does not have is checked.
func TestOnChange(t *testing.T) {
	t.Parallel()
	root, second := path.Root("country"), path.Root("addresses").AtListIndex(1).AtName("country")
	for name, c := range map[string]struct {
		at             path.Path
		planned, state types.String
		errors         int
	}{
		"as it was":               {root, types.StringValue("uk"), types.StringValue("uk"), 0},
		"changed":                 {root, types.StringValue("br"), types.StringValue("uk"), 1},
		"changed to a valid one":  {root, types.StringValue("BR"), types.StringValue("uk"), 0},
		"created":                 {root, types.StringValue("uk"), types.StringNull(), 1},
		"removed":                 {root, types.StringNull(), types.StringValue("uk"), 0},
		"not known yet":           {root, types.StringUnknown(), types.StringValue("uk"), 0},
		"moved from another one":  {second, types.StringValue("br"), types.StringValue("PT"), 0},
		"in no element":           {second, types.StringValue("fr"), types.StringValue("PT"), 1},
		"elsewhere, not in these": {second, types.StringValue("uk"), types.StringValue("PT"), 1},
	} {
		if have := changed(t, c.at, c.planned, c.state); have != c.errors {
			t.Errorf("%s: %d errors, want %d", name, have, c.errors)
		}
	}
}

func TestOnChangeInt64(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		planned, state types.Int64
		errors         int
	}{
		"as it was": {types.Int64Value(0), types.Int64Value(0), 0},
		"changed":   {types.Int64Value(0), types.Int64Value(10), 1},
		"created":   {types.Int64Value(0), types.Int64Null(), 1},
		"removed":   {types.Int64Null(), types.Int64Value(0), 0},
	} {
		resp := &planmodifier.Int64Response{PlanValue: c.planned}
		OnChangeInt64(int64validator.Between(1, 90)).PlanModifyInt64(t.Context(), planmodifier.Int64Request{Path: path.Root("days"),
			ConfigValue: c.planned, PlanValue: c.planned, StateValue: c.state}, resp)
		if have := resp.Diagnostics.ErrorsCount(); have != c.errors {
			t.Errorf("%s: %d errors, want %d", name, have, c.errors)
		}
	}
}

// TestOnChangeElements: what the state's set has is accepted, what is added is checked with its path.
func TestOnChangeElements(t *testing.T) {
	t.Parallel()
	set := func(texts ...string) types.Set {
		elements := make([]attr.Value, len(texts))
		for i, text := range texts {
			elements[i] = types.StringValue(text)
		}
		return types.SetValueMust(types.StringType, elements)
	}
	for name, c := range map[string]struct {
		planned, state types.Set
		errors         int
	}{
		"as it was":       {set(" ", "a"), set("a", " "), 0},
		"a blank one new": {set(" ", "a"), set("a"), 1},
		"created":         {set(" ", ""), types.SetNull(types.StringType), 2},
		"removed":         {types.SetNull(types.StringType), set(" "), 0},
		"not known yet":   {types.SetUnknown(types.StringType), set(" "), 0},
	} {
		resp := &planmodifier.SetResponse{PlanValue: c.planned}
		OnChangeElements(NotBlank()).PlanModifySet(t.Context(), planmodifier.SetRequest{Path: path.Root("tags"), ConfigValue: c.planned,
			PlanValue: c.planned, StateValue: c.state}, resp)
		if have := resp.Diagnostics.ErrorsCount(); have != c.errors {
			t.Errorf("%s: %d errors, want %d", name, have, c.errors)
		}
	}
}
