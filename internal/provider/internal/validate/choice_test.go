package validate

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestOneOf: the error lists the choices, and a value that differs in case alone is recognized.
func TestOneOf(t *testing.T) {
	t.Parallel()
	for value, says := range map[string]string{
		"close": "", "void": `argument: "void" is not one of "close", "delete".`,
		" Delete": `" Delete" is not one of "close", "delete". Did you mean "delete"?`,
	} {
		if have, why := validated(t, OneOf("close", "delete"), types.StringValue(value)); (have == fine) != (says == "") ||
			!strings.HasSuffix(why, says) {
			t.Errorf("%q: %s (%s)", value, have, why)
		}
	}
}

// TestBetween: the path of a number in an element is readable, and the error is on the argument's line.
func TestBetween(t *testing.T) {
	t.Parallel()
	element := types.ObjectValueMust(nil, nil)
	for _, c := range []struct {
		validator validator.Int64
		value     types.Int64
		says      string
	}{
		{AtLeast(1), types.Int64Value(1), ""}, {AtLeast(1), types.Int64Null(), ""}, {AtLeast(1), types.Int64Unknown(), ""},
		{AtLeast(1), types.Int64Value(0), "items[*].quantity: 0 is out of range. Write a whole number, 1 or more."},
		{Between(0, 30), types.Int64Value(30), ""},
		{Between(0, 30), types.Int64Value(31), "items[*].quantity: 31 is out of range. Write a whole number from 0 to 30."},
	} {
		var resp validator.Int64Response
		c.validator.ValidateInt64(t.Context(),
			validator.Int64Request{Path: path.Root("items").AtSetValue(element).AtName("quantity"), ConfigValue: c.value}, &resp)
		if have := resp.Diagnostics; have.HasError() != (c.says != "") || have.HasError() && have[0].Detail() != c.says {
			t.Errorf("%s: %v", c.value, have)
		}
	}
}

// TestNotBlank_instead: no message asks to leave out what is required, or to write null as an element.
func TestNotBlank_instead(t *testing.T) {
	t.Parallel()
	config := tfsdk.Config{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true}, "notes": schema.StringAttribute{Optional: true},
		"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}}
	for _, c := range []struct {
		at   path.Path
		says string
	}{
		{path.Root("name"), "name is empty or has only spaces (got \"\"). The argument is required: write a value."},
		{path.Root("notes"), "notes is empty or has only spaces (got \"\"). Write a value, or remove the argument (or set it to null)."},
		{path.Root("tags").AtSetValue(types.StringValue("")),
			"tags[*] is empty or has only spaces (got \"\"). Write a value, or remove the element."},
	} {
		var resp validator.StringResponse
		NotBlank().ValidateString(t.Context(), validator.StringRequest{Path: c.at, Config: config,
			ConfigValue: types.StringValue("")}, &resp)
		if have := resp.Diagnostics[0].Detail(); have != c.says {
			t.Errorf("%s\nwant %s", have, c.says)
		}
	}
}
