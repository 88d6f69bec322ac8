package metadata

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// parsed is the object of a JSON text.
func parsed(t *testing.T, text string) Object {
	t.Helper()
	object, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return object
}

// objectOf is a Terraform object with these fields, types included.
func objectOf(fields map[string]attr.Value) Value {
	fieldTypes := map[string]attr.Type{}
	for name, field := range fields {
		fieldTypes[name] = field.Type(context.Background())
	}
	return Value{DynamicValue: types.DynamicValue(types.ObjectValueMust(fieldTypes, fields))}
}

func number(t *testing.T, text string) types.Number {
	t.Helper()
	f, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return types.NumberValue(f)
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want Object
		bad  bool
	}{
		"nothing": {in: ""},
		"blanks":  {in: " \n\t"},
		"null":    {in: "null"},
		"empty":   {in: "{}", want: Object{}},
		"every kind": {in: `{"a":null,"b":true,"c":"x","d":[1,{"e":2}],"f":{"g":{}}}`,
			want: Object{"a": nil, "b": true, "c": "x", "d": []any{json.Number("1"), Object{"e": json.Number("2")}},
				"f": Object{"g": Object{}}}},
		"above 2^53": {in: `{"n":9007199254740993}`, want: Object{"n": json.Number("9007199254740993")}},
		"no float rounding": {in: `{"n":0.1000000000000000055511151231257827}`,
			want: Object{"n": json.Number("0.1000000000000000055511151231257827")}},
		"last key wins": {in: `{"a":1,"a":2}`, want: Object{"a": json.Number("2")}},
		"list":          {in: "[1]", bad: true},
		"text":          {in: `"x"`, bad: true},
		"number":        {in: "1", bad: true},
		"cut short":     {in: `{"a":1`, bad: true},
		"two values":    {in: `{} {}`, bad: true},
		"stray brace":   {in: `{}}`, bad: true},
		"no JSON":       {in: "<html>", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			have, err := Parse([]byte(c.in))
			if (err != nil) != c.bad {
				t.Fatalf("Parse(%q): error %v, want one: %v", c.in, err, c.bad)
			}
			if !c.bad && !reflect.DeepEqual(have, c.want) {
				t.Errorf("Parse(%q) = %#v, want %#v", c.in, have, c.want)
			}
		})
	}
}

func TestText_isNormalized(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                              `{}`,
		`{}`:                            `{}`,
		`{ "b" : 1, "a" : [ 1, 2 ] }`:   `{"a":[1,2],"b":1}`,
		`{"a":"<&>\u00e9"}`:             `{"a":"<&>é"}`,
		`{"n":null}`:                    `{"n":null}`,
		`{"n":12345678901234567890123}`: `{"n":12345678901234567890123}`,
	} {
		if have := Text(parsed(t, in)); have != want {
			t.Errorf("Text of %q: %s, want %s", in, have, want)
		}
	}
}

// TestObject_roundTrip: what a service stores comes back the same through a Terraform value.
func TestObject_roundTrip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{}`: `{}`,
		`{"a":null,"b":[null,[],{}],"c":{"d":{"e":false}}}`: `{"a":null,"b":[null,[],{}],"c":{"d":{"e":false}}}`,
		`{"n":9007199254740993}`:                            `{"n":9007199254740993}`,
		`{"n":-170141183460469231731687303715884105728}`:    `{"n":-170141183460469231731687303715884105728}`,
		`{"n":1e2}`:    `{"n":100}`,
		`{"n":1.50}`:   `{"n":1.5}`,
		`{"n":15e-1}`:  `{"n":1.5}`,
		`{"n":0.1}`:    `{"n":0.1}`,
		`{"n":1e300}`:  `{"n":1e+300}`,
		`{"n":1e-300}`: `{"n":1e-300}`,
		`{"n":0}`:      `{"n":0}`,
		`{"n":-0}`:     `{"n":-0}`,
		`{"text":"100%","` + "\u00fc" + `":"` + "\U0001f600" + `"}`: `{"text":"100%","` + "\u00fc" + `":"` +
			"\U0001f600" + `"}`,
	} {
		object, err := FromObject(parsed(t, in)).Object()
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if have := Text(object); have != want {
			t.Errorf("%s came back as %s, want %s", in, have, want)
		}
		if !same.JSON(parsed(t, in), object) {
			t.Errorf("%s is not Equal to what came back", in)
		}
	}
}

// TestObject_everyKindOfTerraformValue: maps are objects, and lists, tuples and sets are lists.
func TestObject_everyKindOfTerraformValue(t *testing.T) {
	t.Parallel()
	text := func(s string) attr.Value { return types.StringValue(s) }
	v := objectOf(map[string]attr.Value{
		"bool":   types.BoolValue(true),
		"big":    number(t, "9007199254740993"),
		"exp":    number(t, "1e3"),
		"null":   types.StringNull(),
		"object": types.ObjectValueMust(map[string]attr.Type{"x": types.StringType}, map[string]attr.Value{"x": text("y")}),
		"map":    types.MapValueMust(types.StringType, map[string]attr.Value{"k": text("v")}),
		"list":   types.ListValueMust(types.StringType, []attr.Value{text("a"), text("b")}),
		"set":    types.SetValueMust(types.StringType, []attr.Value{text("s")}),
		"tuple": types.TupleValueMust([]attr.Type{types.StringType, types.BoolType},
			[]attr.Value{text("a"), types.BoolValue(false)}),
		"any": types.DynamicValue(text("inside")),
	})
	object, err := v.Object()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"any":"inside","big":9007199254740993,"bool":true,"exp":1000,"list":["a","b"],"map":{"k":"v"},"null":null,"object":{"x":"y"},"set":["s"],"tuple":["a",false]}`
	if have := Text(object); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// TestObject_absent: no value, a null and a typed null are no object; an empty one is one.
func TestObject_absent(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]Value{
		"null":       Null(),
		"typed null": {DynamicValue: types.DynamicValue(types.MapNull(types.StringType))},
		"zero":       {},
	} {
		object, err := v.Object()
		if object != nil || err != nil || !v.IsAbsent() {
			t.Errorf("%s: object %v, error %v, absent %v", name, object, err, v.IsAbsent())
		}
	}
	if !FromObject(nil).IsAbsent() {
		t.Error("the nil object is not absent")
	}
	if empty := FromObject(Object{}); empty.IsAbsent() {
		t.Error("the empty object counts as absent")
	}
}

// TestObject_unknown: an unknown anywhere is ErrUnknown, so that nobody takes a half-known object for the whole.
func TestObject_unknown(t *testing.T) {
	t.Parallel()
	unknown := types.StringUnknown()
	elements := []attr.Value{types.StringValue("known"), unknown}
	for name, v := range map[string]Value{
		"whole":        Unknown(),
		"whole, typed": {DynamicValue: types.DynamicValue(types.MapUnknown(types.StringType))},
		"field":        objectOf(map[string]attr.Value{"a": unknown}),
		"number":       objectOf(map[string]attr.Value{"a": types.NumberUnknown()}),
		"any":          objectOf(map[string]attr.Value{"a": types.DynamicUnknown()}),
		"inside any":   objectOf(map[string]attr.Value{"a": types.DynamicValue(unknown)}),
		"list item":    objectOf(map[string]attr.Value{"a": types.ListValueMust(types.StringType, elements)}),
		"list":         objectOf(map[string]attr.Value{"a": types.ListUnknown(types.StringType)}),
		"set item":     objectOf(map[string]attr.Value{"a": types.SetValueMust(types.StringType, elements)}),
		"tuple item": objectOf(map[string]attr.Value{"a": types.TupleValueMust([]attr.Type{types.StringType,
			types.StringType}, elements)}),
		"map value": objectOf(map[string]attr.Value{"a": types.MapValueMust(types.StringType,
			map[string]attr.Value{"k": unknown})}),
		"deep": objectOf(map[string]attr.Value{"a": types.ObjectValueMust(map[string]attr.Type{"b": types.StringType},
			map[string]attr.Value{"b": unknown})}),
	} {
		if object, err := v.Object(); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: object %v, error %v, want ErrUnknown", name, object, err)
		}
	}
}

func TestObject_notAnObject(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]attr.Value{
		"text": types.StringValue("x"), "list": types.ListValueMust(types.StringType, nil), "int64": types.Int64Value(1),
	} {
		if object, err := (Value{DynamicValue: types.DynamicValue(v)}).Object(); err == nil || errors.Is(err, ErrUnknown) {
			t.Errorf("%s: object %v, error %v", name, object, err)
		}
	}
}

// TestHostileNumbers: a few characters of a number cost neither minutes nor gigabytes (the test would not end), and
// come back as they were. Terraform has no room for them, so there they are text.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"1e999999999", "-1e999999999", "1e-999999999", "1e600000000", "1e20000000", "1e-20000000",
		"1e99999999999999999999", "1" + strings.Repeat("0", 100_000), "0." + strings.Repeat("0", 100_000) + "1"} {
		object := parsed(t, `{"n":`+n+`}`)
		if have := Text(object); have != `{"n":`+n+`}` {
			t.Errorf("%.20s…: text is %.40s", n, have)
		}
		back, err := FromObject(object).Object()
		if err != nil || back["n"] != n {
			t.Errorf("%.20s…: comes back as %.40v, %v", n, back["n"], err)
		}
		if !same.JSON(object, object) || same.JSON(object, Object{"n": json.Number("0")}) ||
			same.JSON(object, Object{"n": json.Number("2e999999999")}) {
			t.Errorf("%.20s…: compares wrongly", n)
		}
	}
}

// TestHostileNumbers_fromConfiguration: such a number in a configuration is an error, not a hang.
func TestHostileNumbers_fromConfiguration(t *testing.T) {
	t.Parallel()
	huge := new(big.Float).SetMantExp(big.NewFloat(1), 60_000_000)
	tiny := new(big.Float).SetMantExp(big.NewFloat(1), -60_000_000)
	for name, f := range map[string]*big.Float{"huge": huge, "tiny": tiny, "infinite": new(big.Float).SetInf(false)} {
		if object, err := objectOf(map[string]attr.Value{"n": types.NumberValue(f)}).Object(); err == nil ||
			!strings.Contains(err.Error(), "number") {
			t.Errorf("%s: object with %d fields, error %v", name, len(object), err)
		}
	}
}

// FuzzParse: whatever the service sends, what Parse takes can be written, read again as the same, and shown to
// Terraform.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, ``, `{"a":[1,2.50,{"b":null}],"c":"\u0000\ud800"}`, `{"n":1e999999999}`,
		`{"n":-0.0e-7}`, `{"a":{"a":{"a":1}}}`, `[`, `{"\ufffd":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse([]byte(Text(object)))
		if err != nil || !same.JSON(object, again) {
			t.Fatalf("%q: written as %q, read again as %v, %v", text, Text(object), again, err)
		}
		back, err := FromObject(object).Object()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := Parse([]byte(Text(back))); err != nil {
			t.Fatalf("%q: came back as %q: %v", text, Text(back), err)
		}
	})
}
