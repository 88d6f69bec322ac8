package value

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// update is a body with one key of each kind.
type update struct {
	Text  api.Field[string] `json:"text,omitzero"`
	Count api.Field[int64]  `json:"count,omitzero"`
}

// TestChanged: a key is absent when nothing changes, null when it is cleared, and its value otherwise.
func TestChanged(t *testing.T) {
	t.Parallel()
	null, a, b := types.StringNull(), types.StringValue("a"), types.StringValue("b")
	one, two := types.Int64Value(1), types.Int64Value(2)
	for name, c := range map[string]struct {
		body update
		want string
	}{
		"the same":      {update{Text: ChangedText(a, a), Count: Changed(one, one, types.Int64.ValueInt64)}, `{}`},
		"none and none": {update{Text: ChangedText(null, null)}, `{}`},
		"another": {update{Text: ChangedText(b, a), Count: Changed(two, one, types.Int64.ValueInt64)},
			`{"text":"b","count":2}`},
		"the first": {update{Text: ChangedText(a, null), Count: Changed(one, types.Int64Null(), types.Int64.ValueInt64)},
			`{"text":"a","count":1}`},
		"cleared": {update{Text: ChangedText(null, a), Count: Changed(types.Int64Null(), one, types.Int64.ValueInt64)},
			`{"text":null,"count":null}`},
		"emptied":         {update{Text: ChangedText(types.StringValue(""), a)}, `{"text":""}`},
		"zero is a value": {update{Count: Changed(types.Int64Value(0), one, types.Int64.ValueInt64)}, `{"count":0}`},
	} {
		raw, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) != c.want {
			t.Errorf("%s: sends %s, want %s", name, raw, c.want)
		}
	}
	if ChangedText(types.StringUnknown(), a).IsZero() ||
		!ChangedText(types.StringUnknown(), types.StringUnknown()).IsZero() {
		t.Error("a value that is not known yet is a change of one that is known")
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	if !TextOrNull("").IsNull() || TextOrNull("a").ValueString() != "a" {
		t.Error("a text that was left out is not null")
	}
	if !Known(types.StringUnknown()).IsNull() || !Known(types.StringNull()).IsNull() ||
		Known(types.StringValue("a")).ValueString() != "a" {
		t.Error("a state would hold a value that is not known")
	}
}

// TestJSONText: objects are written in one way, whatever the service's; what is not an object has no such text, but may
// have one of its own.
func TestJSONText(t *testing.T) {
	t.Parallel()
	none := types.StringNull()
	for raw, c := range map[string]struct{ object, value types.String }{
		"":     {none, none},
		"null": {none, none},
		"{}":   {types.StringValue("{}"), types.StringValue("{}")},
		`{"b": 9007199254740993, "a":[ 1 ]}`: {types.StringValue(`{"a":[1],"b":9007199254740993}`),
			types.StringValue(`{"a":[1],"b":9007199254740993}`)},
		`[1, 2]`:      {none, types.StringValue(`[1, 2]`)},
		`"12 months"`: {none, types.StringValue(`"12 months"`)},
		`{"a":`:       {none, none},
	} {
		if have := JSONText(json.RawMessage(raw)); !have.Equal(c.object) {
			t.Errorf("the object %q is %s, want %s", raw, have, c.object)
		}
		if have := AnyJSONText(json.RawMessage(raw)); !have.Equal(c.value) {
			t.Errorf("the value %q is %s, want %s", raw, have, c.value)
		}
	}
}

// TestSet: a set has each text once, and none is null.
func TestSet(t *testing.T) {
	t.Parallel()
	if set := SetOf(nil); !set.IsNull() {
		t.Errorf("no tags are %s", set)
	}
	set := SetOf([]string{"b", "a", "b"})
	if have := Texts(set); !slices.Equal(have, []string{"a", "b"}) {
		t.Errorf("sent %v", have)
	}
	if have := Texts(NoStrings()); have == nil || len(have) != 0 {
		t.Errorf("no tags are sent as %#v, and only [] clears them", have)
	}
}

func number(t *testing.T, text string) *big.Float {
	t.Helper()
	n, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWholeType_whole: a whole number, null and unknown are the framework's own values.
func TestWholeType_whole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   tftypes.Value
		want attr.Value
	}{
		"whole":      {tftypes.NewValue(tftypes.Number, number(t, "12")), types.Int64Value(12)},
		"with zeros": {tftypes.NewValue(tftypes.Number, number(t, "12.0")), types.Int64Value(12)},
		"negative":   {tftypes.NewValue(tftypes.Number, number(t, "-1")), types.Int64Value(-1)},
		"the most": {tftypes.NewValue(tftypes.Number, number(t, "9223372036854775807")),
			types.Int64Value(9223372036854775807)},
		"null":    {tftypes.NewValue(tftypes.Number, nil), types.Int64Null()},
		"unknown": {tftypes.NewValue(tftypes.Number, tftypes.UnknownValue), types.Int64Unknown()},
	} {
		if have, err := Days.ValueFromTerraform(t.Context(), c.in); err != nil || !have.Equal(c.want) {
			t.Errorf("%s: %v, %v", name, have, err)
		}
	}
	if _, err := Days.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.Bool, true)); err == nil {
		t.Error("a bool is read as a number")
	}
}

// TestWholeType_notWhole: any other number is rejected with the name of its argument and the value, and is kept as it
// was read.
func TestWholeType_notWhole(t *testing.T) {
	t.Parallel()
	at := path.Root("items").AtSetValue(types.StringValue("x")).AtName("unit_amount_subcents")
	for _, c := range []struct {
		of         WholeType
		text, want string
	}{
		{Days, "1.5", "1.5 is not a whole number of days. Round it"},
		{Whole, "0.1", "0.1 is not a whole number. Round it"},
		{Subcents, "99.99",
			`99.99 is not a whole number of subcents. A subcent is a ten-thousandth of the currency unit; the function subcents converts an amount: subcents("99.99")`},
		{Seconds, "1e30", "1000000000000000000000000000000 is too large. Write a whole number of seconds"},
		{Whole, "-1e300", "-1e+300 is too large"},
		{Whole, "1e-300", "1e-300 is not a whole number"},
		{Whole, "9223372036854775808", "9223372036854775808 is too large"},
		{Whole, "0.33333333333333333333333333333333333333333333333", "0.33333333333333333333 is not a whole number"},
	} {
		raw := tftypes.NewValue(tftypes.Number, number(t, c.text))
		value, err := c.of.ValueFromTerraform(t.Context(), raw)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		back, err := value.ToTerraformValue(t.Context())
		if err != nil || !back.Equal(raw) || value.IsNull() || value.IsUnknown() || !value.Equal(value) ||
			value.Equal(types.Int64Unknown()) {
			t.Errorf("%s has become %s, %v", c.text, back, err)
		}
		var resp xattr.ValidateAttributeResponse
		value.(xattr.ValidateableAttribute).ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: at}, &resp)
		if len(resp.Diagnostics) != 1 || !strings.HasPrefix(resp.Diagnostics[0].Detail(), c.want) ||
			!strings.HasPrefix(resp.Diagnostics[0].Summary(), "Invalid items[*].unit_amount_subcents: ") {
			t.Errorf("%s: %v", c.text, resp.Diagnostics)
		}
		var call function.ValidateParameterResponse
		value.(function.ValidateableParameter).ValidateParameter(t.Context(), function.ValidateParameterRequest{Position: 3},
			&call)
		if call.Error == nil || *call.Error.FunctionArgument != 3 || !strings.HasPrefix(call.Error.Text, c.want) ||
			strings.HasSuffix(call.Error.Text, ".") {
			t.Errorf("%s: %v", c.text, call.Error)
		}
	}
}

func TestPathName(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]path.Path{
		"":                     path.Empty(),
		"name":                 path.Root("name"),
		"addresses[0].country": path.Root("addresses").AtListIndex(0).AtName("country"),
		`filters["a"]`:         path.Root("filters").AtMapKey("a"),
		"items[*].quantity":    path.Root("items").AtSetValue(types.StringValue("x")).AtName("quantity"),
	} {
		if have := check.PathName(at); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}
