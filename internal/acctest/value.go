package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
)

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

func encode(t *testing.T, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		t.Fatal(err)
	}
	return &encoded
}

func decode(t *testing.T, v *tfprotov6.DynamicValue, as tftypes.Type) tftypes.Value {
	t.Helper()
	value, err := v.Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func fields(t *testing.T, v tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	values := map[string]tftypes.Value{}
	if v.IsNull() {
		return values
	}
	if err := v.As(&values); err != nil {
		t.Fatal(err)
	}
	return maps.Clone(values) // As does not copy
}

// object returns the configuration of a whole schema.
func object(t *testing.T, schema *tfprotov6.Schema, values JSON) tftypes.Value {
	t.Helper()
	return value(t, schema.ValueType(), values)
}

// value converts a Go value to a Terraform type.
func value(t *testing.T, as tftypes.Type, v any) tftypes.Value {
	t.Helper()
	switch {
	case v == nil:
		return tftypes.NewValue(as, nil)
	case v == any(Unknown):
		return tftypes.NewValue(as, tftypes.UnknownValue)
	case as.Is(tftypes.DynamicPseudoType):
		return dynamic(t, v)
	case as.Is(tftypes.String): // Terraform converts numbers and bools to strings.
		if _, isText := v.(string); !isText {
			v = fmt.Sprint(v)
		}
	}
	switch v := v.(type) {
	case JSON:
		return tftypes.NewValue(as, members(t, as, v))
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
			values[i] = value(t, element, v[i])
		}
		return tftypes.NewValue(as, values)
	case int:
		return tftypes.NewValue(as, int64(v))
	case json.Number:
		return tftypes.NewValue(as, number(t, v))
	default:
		return tftypes.NewValue(as, v)
	}
}

// members returns the members of an object or a map.
func members(t *testing.T, as tftypes.Type, v JSON) map[string]tftypes.Value {
	t.Helper()
	values := map[string]tftypes.Value{}
	switch as := as.(type) {
	case tftypes.Object:
		for name, attribute := range as.AttributeTypes {
			values[name] = value(t, attribute, v[name])
		}
	case tftypes.Map:
		for name := range v {
			values[name] = value(t, as.ElementType, v[name])
		}
	}
	for name := range v {
		if _, ok := values[name]; !ok {
			t.Fatalf("no attribute %s", name)
		}
	}
	return values
}

func number(t *testing.T, n json.Number) *big.Float {
	t.Helper()
	exact, _, err := big.ParseFloat(n.String(), 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return exact
}

func dynamic(t *testing.T, v any) tftypes.Value {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	case unknown:
		return tftypes.NewValue(tftypes.DynamicPseudoType, tftypes.UnknownValue)
	case []any:
		values, types := make([]tftypes.Value, len(v)), make([]tftypes.Type, len(v))
		for i := range v {
			values[i] = dynamic(t, v[i])
			types[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values)
	case JSON:
		values := map[string]tftypes.Value{}
		for name, field := range v {
			values[name] = dynamic(t, field)
		}
		return objectOf(values)
	case json.Number:
		return tftypes.NewValue(tftypes.Number, number(t, v))
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case int:
		return tftypes.NewValue(tftypes.Number, int64(v))
	default:
		t.Fatalf("cannot configure a %T", v)
		return tftypes.Value{}
	}
}

// text returns a known value as JSON.
func text(t *testing.T, v tftypes.Value) string {
	t.Helper()
	if !v.IsFullyKnown() {
		return "unknown"
	}
	encoded, err := json.Marshal(modeltest.Plain(t, v, Unknown))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// view returns an object as plain JSON values with exact numbers, and Unknown for unknown values.
func view(t *testing.T, v tftypes.Value) JSON {
	t.Helper()
	object, isObject := modeltest.Plain(t, v, Unknown).(JSON)
	if !isObject {
		return nil
	}
	return object
}

// withoutWriteOnly removes the values of write-only arguments, as Terraform does before it stores an object.
func withoutWriteOnly(t *testing.T, known attributes, v tftypes.Value) tftypes.Value {
	t.Helper()
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	values := fields(t, v)
	for _, attribute := range known {
		value := values[attribute.Name]
		switch {
		case attribute.WriteOnly:
			values[attribute.Name] = tftypes.NewValue(value.Type(), nil)
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			values[attribute.Name] = withoutWriteOnly(t, attribute.NestedType.Attributes, value)
		}
	}
	return tftypes.NewValue(v.Type(), values)
}
