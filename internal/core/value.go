package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/msgpack"
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

// typesOf returns the type of a schema's objects, and the one for conversions.
func (s *Schemas) typesOf(schema *tfprotov6.Schema) [2]cty.Type {
	known, cached := s.types.Load(schema)
	if !cached {
		lenient := ctyType(schema.ValueType())
		known = [2]cty.Type{lenient.WithoutOptionalAttributesDeep(), lenient}
		s.types.Store(schema, known)
	}
	return known.([2]cty.Type)
}

func (s *Schemas) typeOf(schema *tfprotov6.Schema) cty.Type { return s.typesOf(schema)[0] }

// ctyType returns a type of the protocol. All attributes of its objects are optional, for conversions.
func ctyType(as tftypes.Type) cty.Type {
	switch as := as.(type) {
	case tftypes.Object:
		all := map[string]cty.Type{}
		for name, inner := range as.AttributeTypes {
			all[name] = ctyType(inner)
		}
		return cty.ObjectWithOptionalAttrs(all, slices.Collect(maps.Keys(all)))
	case tftypes.List:
		return cty.List(ctyType(as.ElementType))
	case tftypes.Set:
		return cty.Set(ctyType(as.ElementType))
	case tftypes.Map:
		return cty.Map(ctyType(as.ElementType))
	}
	switch {
	case as.Is(tftypes.String):
		return cty.String
	case as.Is(tftypes.Number):
		return cty.Number
	case as.Is(tftypes.Bool):
		return cty.Bool
	}
	return cty.DynamicPseudoType
}

func encode(v cty.Value, as cty.Type) *tfprotov6.DynamicValue {
	return &tfprotov6.DynamicValue{MsgPack: ok(msgpack.Marshal(v, as))}
}

// decode returns a value of the provider with its texts in NFC, as Terraform stores them; so is v then.
func decode(v *tfprotov6.DynamicValue, as cty.Type) cty.Value {
	decoded := ok(msgpack.Unmarshal(v.MsgPack, as))
	if packed := string(v.MsgPack); cty.NormalizeString(packed) != packed {
		*v = *encode(decoded, as)
	}
	return decoded
}

// fields returns the attributes of an object; none if it is null or unknown.
func fields(v cty.Value) map[string]cty.Value {
	if !set(v) || v.LengthInt() == 0 {
		return map[string]cty.Value{}
	}
	return v.AsValueMap()
}

// converted returns an object in the type of a schema, as Terraform converts it.
func (s *Schemas) converted(values Object, schema *tfprotov6.Schema) (cty.Value, error) {
	return convert.Convert(ctyOf(values), s.typesOf(schema)[1])
}

// encoded is converted for a request.
func (s *Schemas) encoded(values Object, schema *tfprotov6.Schema) *tfprotov6.DynamicValue {
	return encode(ok(s.converted(values, schema)), s.typeOf(schema))
}

// text returns a known value as JSON.
func text(v cty.Value) string {
	if !v.IsWhollyKnown() {
		return "unknown"
	}
	return string(ok(json.Marshal(FromCty(v))))
}

// view returns an object as plain JSON values with exact numbers, and Unknown for unknown values.
func view(v cty.Value) Object {
	object, _ := FromCty(v).(Object)
	return object
}

// withoutWriteOnly removes the values of write-only arguments, as Terraform does before it stores an object.
func withoutWriteOnly(known attributes, v cty.Value) cty.Value {
	if !set(v) {
		return v
	}
	values := fields(v)
	for _, attribute := range known {
		value := values[attribute.Name]
		switch {
		case attribute.WriteOnly:
			values[attribute.Name] = cty.NullVal(value.Type())
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			values[attribute.Name] = withoutWriteOnly(attribute.NestedType.Attributes, value)
		}
	}
	return cty.ObjectVal(values)
}

// Decode decodes the first value of a JSON text with exact numbers.
func Decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
