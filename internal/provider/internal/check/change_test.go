package check_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// holder has a country, a document number, and a list of addresses.
func holder() schema.Schema {
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"country":         schema.StringAttribute{Optional: true},
		"document_number": schema.StringAttribute{Optional: true, CustomType: value.DocumentType{}},
		"addresses": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{"country": schema.StringAttribute{Optional: true}}}},
	}}
}

// held is what the service has.
func held(t *testing.T) tfsdk.State {
	t.Helper()
	address := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"country": tftypes.String}}
	in := func(country string) tftypes.Value {
		return tftypes.NewValue(address, map[string]tftypes.Value{"country": tftypes.NewValue(tftypes.String, country)})
	}
	return tfsdk.State{Schema: holder(), Raw: tftypes.NewValue(holder().Type().TerraformType(t.Context()),
		map[string]tftypes.Value{
			"country": tftypes.NewValue(tftypes.String, "uk"), "document_number": tftypes.NewValue(tftypes.String, "123.456"),
			"addresses": tftypes.NewValue(tftypes.List{ElementType: address}, []tftypes.Value{in("br"), in("PT")}),
		})}
}

// changed is how many errors OnChange finds where the plan has the text at a place.
func changed(t *testing.T, v validator.String, at path.Path, planned types.String) int {
	t.Helper()
	state := held(t)
	plan := tfsdk.Plan(state)
	if diags := plan.SetAttribute(t.Context(), at, planned); diags.HasError() {
		t.Fatal(diags)
	}
	var before attr.Value
	if diags := state.GetAttribute(t.Context(), at, &before); diags.HasError() {
		t.Fatal(diags)
	}
	text, _ := before.(basetypes.StringValuable).ToStringValue(t.Context())
	resp := &planmodifier.StringResponse{PlanValue: planned}
	check.OnChange(v).PlanModifyString(t.Context(), planmodifier.StringRequest{Path: at, PathExpression: at.Expression(),
		ConfigValue: planned, PlanValue: planned, StateValue: text, Plan: plan, State: state}, resp)
	if !resp.PlanValue.Equal(planned) {
		t.Errorf("%s: the plan has become %s", at, resp.PlanValue)
	}
	return resp.Diagnostics.ErrorsCount()
}

// TestOnChange: only a value that the state does not have, in any spelling and in any element, is checked.
func TestOnChange(t *testing.T) {
	t.Parallel()
	root, document := path.Root("country"), path.Root("document_number")
	second := path.Root("addresses").AtListIndex(1).AtName("country")
	for name, c := range map[string]struct {
		validator validator.String
		at        path.Path
		planned   types.String
		errors    int
	}{
		"as it was":               {capitals(), root, types.StringValue("uk"), 0},
		"changed":                 {capitals(), root, types.StringValue("br"), 1},
		"changed to a valid one":  {capitals(), root, types.StringValue("BR"), 0},
		"removed":                 {capitals(), root, types.StringNull(), 0},
		"not known yet":           {capitals(), root, types.StringUnknown(), 0},
		"moved from another one":  {capitals(), second, types.StringValue("br"), 0},
		"in no element":           {capitals(), second, types.StringValue("fr"), 1},
		"elsewhere, not in these": {capitals(), second, types.StringValue("uk"), 1},
		"in another spelling":     {value.CPFOrCNPJ(), document, types.StringValue("123456"), 0},
		"another number":          {value.CPFOrCNPJ(), document, types.StringValue("123457"), 1},
	} {
		if have := changed(t, c.validator, c.at, c.planned); have != c.errors {
			t.Errorf("%s: %d errors, want %d", name, have, c.errors)
		}
	}
}

// TestOnChange_created: without a state every value is checked.
func TestOnChange_created(t *testing.T) {
	t.Parallel()
	created := tftypes.NewValue(holder().Type().TerraformType(t.Context()), nil)
	resp := &planmodifier.StringResponse{}
	check.OnChange(capitals()).PlanModifyString(t.Context(), planmodifier.StringRequest{Path: path.Root("country"),
		ConfigValue: types.StringValue("uk"), PlanValue: types.StringValue("uk"), StateValue: types.StringNull(),
		State: tfsdk.State{Raw: created, Schema: holder()}}, resp)
	if resp.Diagnostics.ErrorsCount() != 1 {
		t.Error(resp.Diagnostics)
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
		check.OnChangeInt64(check.Between(1, 90)).PlanModifyInt64(t.Context(),
			planmodifier.Int64Request{Path: path.Root("days"),
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
		check.OnChangeElements(check.NotBlank()).PlanModifySet(t.Context(), planmodifier.SetRequest{Path: path.Root("tags"),
			ConfigValue: c.planned, PlanValue: c.planned, StateValue: c.state}, resp)
		if have := resp.Diagnostics.ErrorsCount(); have != c.errors {
			t.Errorf("%s: %d errors, want %d", name, have, c.errors)
		}
	}
}

// capitals is a validator as a service may need one.
func capitals() validator.String {
	return check.Matches(regexp.MustCompile("^[^a-z]*$"), "in capitals")
}
