package check_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// capitals is a validator as a service may need one.
func capitals() validator.String {
	return check.Matches(regexp.MustCompile("^[^a-z]*$"), "in capitals")
}

// holder has a check of each kind.
func holder() schema.Schema {
	country := schema.StringAttribute{Optional: true, Validators: []validator.String{check.InPlan(capitals())}}
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"country": country,
		"days": schema.Int64Attribute{Optional: true, CustomType: value.Days,
			Validators: []validator.Int64{check.NumberInPlan(check.Between(1, 90))}},
		"document_number": schema.StringAttribute{Optional: true, CustomType: value.DocumentType{},
			Validators: []validator.String{check.InPlan(value.CPFOrCNPJ())}},
		"kind": schema.StringAttribute{Optional: true, Validators: []validator.String{check.Listed("natural", "juridical")}},
		"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType,
			Validators: []validator.Set{check.NoNulls, check.InPlan(check.NotBlank())}},
		"addresses": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{"country": country, "city": country}}},
	}}
}

// TestIsFreeText: a text in free form is found in a string, a set and a nested attribute.
func TestIsFreeText(t *testing.T) {
	t.Parallel()
	free := schema.StringAttribute{Validators: check.TextInPlan(check.FreeText(), capitals())}
	nested := func(inside schema.StringAttribute) schema.Attribute {
		return schema.ListNestedAttribute{NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{"city": inside}}}
	}
	for name, c := range map[string]struct {
		of   schema.Attribute
		want bool
	}{
		"string": {free, true}, "nested": {nested(free), true},
		"set":                {schema.SetAttribute{Validators: []validator.Set{check.NoNulls, check.InPlan(check.FreeText())}}, true},
		"another string":     {schema.StringAttribute{Validators: []validator.String{check.InPlan(capitals())}}, false},
		"another set":        {schema.SetAttribute{Validators: []validator.Set{check.InPlan(capitals())}}, false},
		"another nested one": {nested(schema.StringAttribute{}), false}, "a number": {schema.Int64Attribute{}, false},
	} {
		if have := check.IsFreeText(c.of); have != c.want {
			t.Errorf("%s: %t", name, have)
		}
	}
}

var (
	address = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"country": tftypes.String, "city": tftypes.String}}
	unknown = tftypes.UnknownValue
)

// in is an address in a country.
func in(country any) tftypes.Value {
	return tftypes.NewValue(address, map[string]tftypes.Value{"country": tftypes.NewValue(tftypes.String, country),
		"city": tftypes.NewValue(tftypes.String, nil)})
}

func addresses(all ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.List{ElementType: address}, all)
}

func tags(all ...any) tftypes.Value {
	elements := make([]tftypes.Value, len(all))
	for i, text := range all {
		elements[i] = tftypes.NewValue(tftypes.String, text)
	}
	return tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, elements)
}

// object is a holder with these values; nil is no object.
func object(t *testing.T, values map[string]any) tftypes.Value {
	t.Helper()
	as, _ := holder().Type().TerraformType(t.Context()).(tftypes.Object)
	if values == nil {
		return tftypes.NewValue(as, nil)
	}
	whole := map[string]tftypes.Value{}
	for name, of := range as.AttributeTypes {
		value, isValue := values[name].(tftypes.Value)
		if !isValue {
			value = tftypes.NewValue(of, values[name])
		}
		whole[name] = value
	}
	return tftypes.NewValue(as, whole)
}

// planned are the summaries of what a plan says.
func planned(t *testing.T, config, state map[string]any) (said []string) {
	t.Helper()
	var first diag.Diagnostics
	for i := range 5 {
		diags := check.Plan(t.Context(), tfsdk.Config{Schema: holder(), Raw: object(t, config)},
			tfsdk.State{Schema: holder(), Raw: object(t, state)})
		if i == 0 {
			first = diags
		}
		if !diags.Equal(first) || len(diags) > 0 && !slices.EqualFunc(diags, first, diag.Diagnostic.Equal) {
			t.Errorf("another order: %v, %v", diags, first)
		}
	}
	for _, d := range first {
		said = append(said, d.Summary())
	}
	return said
}

type values = map[string]any

// TestPlan: only a value that the state does not have, in any spelling and in any element, is checked, and all errors
// are reported in the order of the names.
func TestPlan(t *testing.T) {
	t.Parallel()
	held := values{"country": "uk", "days": 0, "document_number": "123.456", "kind": "estate", "tags": tags("a", " "),
		"addresses": addresses(in("br"), in("PT"))}
	for name, c := range map[string]struct {
		config, state values
		want          []string
	}{
		"as it was":                           {held, held, nil},
		"changed":                             {values{"country": "br"}, held, []string{`Invalid country`}},
		"changed to a valid one":              {values{"country": "BR"}, held, nil},
		"removed":                             {values{}, held, nil},
		"not known yet":                       {values{"country": unknown, "tags": unknown, "addresses": unknown}, held, nil},
		"not known yet, inside":               {values{"addresses": addresses(in(unknown)), "tags": tags(unknown)}, held, nil},
		"in another spelling":                 {values{"document_number": "123456"}, held, nil},
		"another number":                      {values{"document_number": "123457"}, held, []string{"Invalid document_number"}},
		"listed":                              {values{"kind": "natural"}, held, nil},
		"not listed":                          {values{"kind": "company"}, held, []string{`Invalid kind`}},
		"moved to another element":            {values{"addresses": addresses(in("PT"), in("br"))}, held, nil},
		"in no element":                       {values{"addresses": addresses(in("BR"), in("fr"))}, held, []string{`Invalid addresses[1].country`}},
		"elsewhere, not in these":             {values{"addresses": addresses(in("uk"))}, held, []string{`Invalid addresses[0].country`}},
		"a blank element is there":            {values{"tags": tags(" ")}, held, nil},
		"a blank element, where none was":     {values{"tags": tags("a", "")}, held, []string{`Invalid tags[*]: ""`}},
		"a number that the state has":         {values{"days": 0, "country": "BR"}, held, nil},
		"another number out of the range":     {values{"days": 91}, held, []string{"Invalid days: 91"}},
		"an object that does not exist yet":   {values{"country": "uk", "days": 0}, nil, []string{`Invalid country`, "Invalid days: 0"}},
		"no object any more":                  {nil, held, nil},
		"the order is the names' and indexes": {values{"tags": tags(""), "kind": "x", "country": "a", "addresses": addresses(in("b"), in("a"))}, nil, []string{`Invalid addresses[0].country`, `Invalid addresses[1].country`, `Invalid country`, `Invalid kind`, `Invalid tags[*]: ""`}},
	} {
		if have := planned(t, c.config, c.state); !slices.Equal(have, c.want) {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
}

// TestValidation: validation warns about what the plan rejects, and says nothing within a plan or an apply.
func TestValidation(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{"natural": 0, "Natural": 1, "company": 1, "": 1} {
		var resp, quiet validator.StringResponse
		req := validator.StringRequest{Path: path.Root("kind"), ConfigValue: types.StringValue(word)}
		check.Listed("natural", "juridical").ValidateString(t.Context(), req, &resp)
		check.Listed("natural", "juridical").ValidateString(check.Quiet(t.Context()), req, &quiet)
		if resp.Diagnostics.HasError() || len(resp.Diagnostics) != want || len(quiet.Diagnostics) > 0 {
			t.Errorf("%q: %v, %v", word, resp.Diagnostics, quiet.Diagnostics)
		}
	}
	for days, want := range map[int64]int{0: 1, 1: 0, 91: 1} {
		var resp validator.Int64Response
		check.NumberInPlan(check.Between(1, 90)).ValidateInt64(t.Context(), validator.Int64Request{Path: path.Root("days"),
			ConfigValue: types.Int64Value(days)}, &resp)
		if resp.Diagnostics.HasError() || resp.Diagnostics.WarningsCount() != want {
			t.Errorf("%d: %v", days, resp.Diagnostics)
		}
	}
	var resp validator.SetResponse
	check.InPlan(check.NotBlank()).ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"),
		ConfigValue: types.SetValueMust(types.StringType, []attr.Value{types.StringValue(""), types.StringValue("a"),
			types.StringNull(), types.StringUnknown()})}, &resp)
	if resp.Diagnostics.HasError() || resp.Diagnostics.WarningsCount() != 1 {
		t.Errorf("a set: %v", resp.Diagnostics)
	}
}
