package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Unknown in a configuration is a value that is only known after apply.
var Unknown = unknown{}

type unknown struct{}

// Exists reports whether the state holds the object.
func (d *Direct) Exists() bool { return !d.state.IsNull() }

// Text is an attribute of the state as JSON text, "null" for none.
func (d *Direct) Text(name string) string { return text(d.t, fields(d.t, d.state)[name]) }

// Text is an attribute of the plan as JSON text.
func (p Planned) Text(t *testing.T, name string) string {
	t.Helper()
	return text(t, fields(t, p.Value)[name])
}

// Elements are the elements of a list or set of the plan as JSON texts.
func (p Planned) Elements(t *testing.T, name string) []string {
	t.Helper()
	var elements []tftypes.Value
	if err := fields(t, p.Value)[name].As(&elements); err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(elements))
	for i := range elements {
		all[i] = text(t, elements[i])
	}
	return all
}

// Unknown lists the attributes that the plan shows as known after apply, sorted.
func (p Planned) Unknown(t *testing.T) []string {
	t.Helper()
	return where(fields(t, p.Value), func(_ string, v tftypes.Value) bool { return !v.IsFullyKnown() })
}

// Changes lists the attributes that the plan shows as changing, sorted; none is an empty plan.
func (p Planned) Changes(t *testing.T) []string {
	t.Helper()
	if p.Prior.IsNull() || p.Value.IsNull() {
		return where(fields(t, p.Value), func(string, tftypes.Value) bool { return true })
	}
	return Differences(t, p.Prior, p.Value)
}

// State is the state as it is now.
func (d *Direct) State() tftypes.Value { return d.state }

// Differences lists the attributes in which two states differ, sorted.
func Differences(t *testing.T, before, after tftypes.Value) []string {
	t.Helper()
	old := fields(t, before)
	return where(fields(t, after), func(name string, v tftypes.Value) bool { return !v.Equal(old[name]) })
}

// Errors words the errors among diagnostics.
func Errors(all []*tfprotov6.Diagnostic) string { return words(all, tfprotov6.DiagnosticSeverityError) }

// Warnings words the warnings among diagnostics.
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

// proposed is what Terraform proposes: the configuration, and what was before where it says nothing and the provider
// may decide.
func (d *Direct) proposed(config tftypes.Value) tftypes.Value {
	d.t.Helper()
	values, before := fields(d.t, withoutWriteOnly(d.t, d.schema.Block.Attributes, config)), fields(d.t, d.state)
	for _, attribute := range d.schema.Block.Attributes {
		if prior, known := before[attribute.Name]; known && attribute.Computed && values[attribute.Name].IsNull() {
			values[attribute.Name] = prior
		}
	}
	return tftypes.NewValue(d.schema.ValueType(), values)
}

// planIsValid holds a plan to Terraform's first demand: what is configured is planned, or stays as it was.
func (d *Direct) planIsValid(p Planned) {
	d.t.Helper()
	if Errors(p.Diagnostics) != "" {
		return
	}
	config, prior := fields(d.t, withoutWriteOnly(d.t, d.schema.Block.Attributes, p.Config)), fields(d.t, p.Prior)
	for name, planned := range fields(d.t, p.Value) {
		before, existed := prior[name]
		kept := existed && !before.IsNull() && planned.Equal(before)
		if wanted := config[name]; !wanted.IsNull() && !kept && !planned.Equal(wanted) && !compatible(wanted, planned) {
			d.t.Errorf("%s is configured as %s and planned as %s", name, wanted, planned)
		}
	}
}

// resultIsAsPlanned holds a result to Terraform's second demand: what the plan knew has come, and nothing stays
// unknown.
func (d *Direct) resultIsAsPlanned(p Planned) {
	d.t.Helper()
	results := fields(d.t, d.state)
	for name, result := range results {
		if !result.IsFullyKnown() {
			d.t.Errorf("%s is still unknown", name)
		}
	}
	for name, planned := range fields(d.t, p.Value) {
		if result := results[name]; !compatible(planned, result) || planned.IsFullyKnown() && !planned.Equal(result) {
			d.t.Errorf("%s was planned as %s and became %s", name, planned, result)
		}
	}
}

// compatible reports whether later may follow on planned: equal in all that was known. Sets with unknown values may
// become anything.
func compatible(planned, later tftypes.Value) bool {
	if !planned.IsKnown() || planned.Equal(later) {
		return true
	}
	var before, after map[string]tftypes.Value
	if planned.IsNull() || later.IsNull() || !planned.Type().Is(tftypes.Object{}) || planned.As(&before) != nil ||
		later.As(&after) != nil {
		return !planned.IsFullyKnown() || planned.Type().Is(tftypes.Set{}) && later.Type().Is(tftypes.Set{}) &&
			!later.IsNull()
	}
	for name, value := range before {
		if !value.IsNull() && !compatible(value, after[name]) {
			return false
		}
	}
	return true
}

func (d *Direct) encode(v tftypes.Value) *tfprotov6.DynamicValue {
	d.t.Helper()
	return encode(d.t, v)
}

func (d *Direct) decode(v *tfprotov6.DynamicValue) tftypes.Value {
	d.t.Helper()
	return decode(d.t, v, d.schema.ValueType())
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
	return maps.Clone(values) // the value shares its own
}

func where(values map[string]tftypes.Value, holds func(string, tftypes.Value) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if holds(name, values[name]) {
			names = append(names, name)
		}
	}
	return names
}

// object is the configuration of a whole schema.
func object(t *testing.T, schema *tfprotov6.Schema, values JSON) tftypes.Value {
	t.Helper()
	return value(t, schema.ValueType(), values)
}

// value is a Go value as one of a Terraform type.
func value(t *testing.T, as tftypes.Type, v any) tftypes.Value {
	t.Helper()
	switch {
	case v == nil:
		return tftypes.NewValue(as, nil)
	case v == any(Unknown):
		return tftypes.NewValue(as, tftypes.UnknownValue)
	case as.Is(tftypes.DynamicPseudoType):
		return dynamic(t, v)
	case as.Is(tftypes.String): // Terraform converts what has a wording.
		if _, isText := v.(string); !isText {
			v = fmt.Sprint(v)
		}
	}
	switch v := v.(type) {
	case JSON:
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
		return tftypes.NewValue(as, values)
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

// text is a known value as JSON.
func text(t *testing.T, v tftypes.Value) string {
	t.Helper()
	if !v.IsFullyKnown() {
		return "unknown"
	}
	encoded, err := json.Marshal(plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func plain(t *testing.T, v tftypes.Value) any {
	t.Helper()
	as := func(target any) {
		if err := v.As(target); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case v.IsNull():
		return nil
	case v.Type().Is(tftypes.String):
		var s string
		as(&s)
		return s
	case v.Type().Is(tftypes.Bool):
		var b bool
		as(&b)
		return b
	case v.Type().Is(tftypes.Number):
		var n big.Float
		as(&n)
		return json.Number(n.Text('f', -1))
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		all := map[string]any{}
		for name, field := range fields(t, v) {
			all[name] = plain(t, field)
		}
		return all
	default:
		var items []tftypes.Value
		as(&items)
		all := make([]any, len(items))
		for i := range items {
			all[i] = plain(t, items[i])
		}
		return all
	}
}
