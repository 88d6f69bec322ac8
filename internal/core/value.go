package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// Object is an object in plain JSON types, with exact numbers.
type Object = map[string]any

// Unknown in a configuration is a value that is known only after apply.
var Unknown = unknown{}

type unknown struct{}

// Errors lists the errors among diagnostics, one per line.
func Errors(all []*tfprotov6.Diagnostic) string { return words(all, tfprotov6.DiagnosticSeverityError) }

// Warnings lists the warnings among diagnostics, one per line.
func Warnings(all []*tfprotov6.Diagnostic) string {
	return words(all, tfprotov6.DiagnosticSeverityWarning)
}

func words(all []*tfprotov6.Diagnostic, severity tfprotov6.DiagnosticSeverity) string {
	var lines []string
	for _, d := range all {
		if d.Severity == severity {
			lines = append(lines, fmt.Sprintf("[%s] %s: %s", d.Attribute, d.Summary, d.Detail))
		}
	}
	return strings.Join(lines, "\n")
}

func encode(v tftypes.Value) *tfprotov6.DynamicValue {
	encoded := ok(tfprotov6.NewDynamicValue(v.Type(), v))
	return &encoded
}

// decode returns a value of the provider with its texts in NFC, as Terraform stores them; so is v then.
func decode(v *tfprotov6.DynamicValue, as tftypes.Type) tftypes.Value {
	decoded := ok(v.Unmarshal(as))
	if packed := string(v.MsgPack); cty.NormalizeString(packed) == packed {
		return decoded
	}
	decoded = ok(tftypes.Transform(decoded, func(_ *tftypes.AttributePath, inner tftypes.Value) (tftypes.Value, error) {
		if !inner.Type().Is(tftypes.String) || !inner.IsKnown() || inner.IsNull() {
			return inner, nil
		}
		var text string
		unpack(inner, &text)
		return tftypes.NewValue(tftypes.String, cty.NormalizeString(text)), nil
	}))
	*v = *encode(decoded)
	return decoded
}

// unpack sets into to the content of a value.
func unpack(v tftypes.Value, into any) {
	if err := v.As(into); err != nil {
		panic(err)
	}
}

func fields(v tftypes.Value) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	if v.IsNull() {
		return values
	}
	unpack(v, &values)
	return maps.Clone(values) // As does not copy
}

// object returns the configuration of a whole schema.
func object(schema *tfprotov6.Schema, values Object) tftypes.Value {
	return value(schema.ValueType(), values)
}

// value converts a Go value to a Terraform type.
func value(as tftypes.Type, v any) tftypes.Value {
	switch {
	case v == nil:
		return tftypes.NewValue(as, nil)
	case v == any(Unknown):
		return tftypes.NewValue(as, tftypes.UnknownValue)
	case as.Is(tftypes.DynamicPseudoType):
		return dynamic(v)
	case as.Is(tftypes.String): // Terraform converts numbers and bools to strings.
		if _, isText := v.(string); !isText {
			v = fmt.Sprint(v)
		}
	}
	switch v := v.(type) {
	case Object:
		return tftypes.NewValue(as, members(as, v))
	case []any:
		var element tftypes.Type
		switch as := as.(type) {
		case tftypes.Set:
			element = as.ElementType
		case tftypes.List:
			element = as.ElementType
		}
		values := make([]tftypes.Value, len(v))
		for i := range v {
			values[i] = value(element, v[i])
		}
		if as.Is(tftypes.Set{}) && element.Is(tftypes.String) { // Terraform sorts them
			slices.SortFunc(values, func(a, b tftypes.Value) int {
				return strings.Compare(fmt.Sprint(Plain(a, nil)), fmt.Sprint(Plain(b, nil)))
			})
		}
		return tftypes.NewValue(as, values)
	case int:
		return tftypes.NewValue(as, int64(v))
	case json.Number:
		return tftypes.NewValue(as, number(v))
	default:
		return tftypes.NewValue(as, v)
	}
}

// members returns the members of an object or a map.
func members(as tftypes.Type, v Object) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	switch as := as.(type) {
	case tftypes.Object:
		for name, attribute := range as.AttributeTypes {
			values[name] = value(attribute, v[name])
		}
	case tftypes.Map:
		for name := range v {
			values[name] = value(as.ElementType, v[name])
		}
	}
	for name := range v {
		if _, ok := values[name]; !ok {
			panic("no attribute " + name)
		}
	}
	return values
}

func number(n json.Number) *big.Float {
	exact, _, err := big.ParseFloat(n.String(), 10, 512, big.ToNearestEven)
	return ok(exact, err)
}

func dynamic(v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	case unknown:
		return tftypes.NewValue(tftypes.DynamicPseudoType, tftypes.UnknownValue)
	case []any:
		values, types := make([]tftypes.Value, len(v)), make([]tftypes.Type, len(v))
		for i := range v {
			values[i] = dynamic(v[i])
			types[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values)
	case Object:
		values := map[string]tftypes.Value{}
		for name, field := range v {
			values[name] = dynamic(field)
		}
		return objectOf(values)
	case json.Number:
		return tftypes.NewValue(tftypes.Number, number(v))
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case int:
		return tftypes.NewValue(tftypes.Number, int64(v))
	default:
		panic(fmt.Sprintf("cannot configure a %T", v))
	}
}

// text returns a known value as JSON.
func text(v tftypes.Value) string {
	if !v.IsFullyKnown() {
		return "unknown"
	}
	return string(ok(json.Marshal(Plain(v, Unknown))))
}

// view returns an object as plain JSON values with exact numbers, and Unknown for unknown values.
func view(v tftypes.Value) Object {
	object, isObject := Plain(v, Unknown).(Object)
	if !isObject {
		return nil
	}
	return object
}

// withoutWriteOnly removes the values of write-only arguments, as Terraform does before it stores an object.
func withoutWriteOnly(known attributes, v tftypes.Value) tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	values := fields(v)
	for _, attribute := range known {
		value := values[attribute.Name]
		switch {
		case attribute.WriteOnly:
			values[attribute.Name] = tftypes.NewValue(value.Type(), nil)
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			values[attribute.Name] = withoutWriteOnly(attribute.NestedType.Attributes, value)
		}
	}
	return tftypes.NewValue(v.Type(), values)
}

// Plain returns a Terraform value in JSON types, with exact numbers; unknown replaces unknown values.
func Plain(value tftypes.Value, unknown any) any {
	into := func(field any) {
		if err := value.As(field); err != nil {
			panic(err)
		}
	}
	switch typ := value.Type(); {
	case !value.IsKnown():
		return unknown
	case value.IsNull():
		return nil
	case typ.Is(tftypes.String):
		var text string
		into(&text)
		return text
	case typ.Is(tftypes.Bool):
		var yes bool
		into(&yes)
		return yes
	case typ.Is(tftypes.Number):
		number := new(big.Float)
		into(&number)
		return json.Number(number.Text('f', -1))
	case typ.Is(tftypes.Map{}) || typ.Is(tftypes.Object{}):
		var fields map[string]tftypes.Value
		into(&fields)
		members := map[string]any{}
		for name, field := range fields {
			members[name] = Plain(field, unknown)
		}
		return members
	}
	var elements []tftypes.Value
	into(&elements)
	list := []any{}
	for _, element := range elements {
		list = append(list, Plain(element, unknown))
	}
	return list
}

// Decode decodes the first value of a JSON text with exact numbers.
func Decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
