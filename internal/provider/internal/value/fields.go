package value

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Conversion between Terraform's values and the structs of this provider, like Get and Set of the framework, for
// structs with only attr.Values as fields. The fields of a type are cached; the framework's functions parse the tags of
// every field on each call, and compile a regular expression for each. Unusual cases and all errors are left to the
// framework.

// Source is a tfsdk.Config, tfsdk.Plan or tfsdk.State.
type Source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// Get is a faster from.Get. A struct type belongs to the schema of one resource.
func Get[M any](ctx context.Context, from Source, target *M) diag.Diagnostics {
	var raw tftypes.Value
	var described any
	switch from := from.(type) {
	case tfsdk.Config:
		raw, described = from.Raw, from.Schema
	case tfsdk.Plan:
		raw, described = from.Raw, from.Schema
	case tfsdk.State:
		raw, described = from.Raw, from.Schema
	}
	s, _ := described.(schema.Schema)
	c := modelOf(ctx, reflect.TypeFor[M](), s)
	var values map[string]tftypes.Value
	if c == nil || raw.IsNull() || !raw.IsKnown() || raw.As(&values) != nil || len(values) != len(c.fields) {
		return from.Get(ctx, target)
	}
	var result M
	into := reflect.ValueOf(&result).Elem()
	for _, f := range c.fields {
		value := values[f.name]
		converted, err := f.is.ValueFromTerraform(ctx, value)
		if err != nil || reflect.TypeOf(converted) != f.goType || !valid(ctx, f.name, f.is, converted, value) {
			return from.Get(ctx, target)
		}
		into.FieldByIndex(f.index).Set(reflect.ValueOf(converted))
	}
	*target = result
	return nil
}

// Target is a *tfsdk.Plan or a *tfsdk.State.
type Target interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

// Set is a faster into.Set.
func Set(ctx context.Context, into Target, value any) diag.Diagnostics {
	var raw *tftypes.Value
	var described any
	switch into := into.(type) {
	case *tfsdk.Plan:
		raw, described = &into.Raw, into.Schema
	case *tfsdk.State:
		raw, described = &into.Raw, into.Schema
	}
	s, _ := described.(schema.Schema)
	c := modelOf(ctx, reflect.TypeOf(value), s)
	if c == nil {
		return into.Set(ctx, value)
	}
	values := make(map[string]tftypes.Value, len(c.fields))
	from := reflect.ValueOf(value)
	for _, f := range c.fields {
		field, _ := from.FieldByIndex(f.index).Interface().(attr.Value)
		converted, err := field.ToTerraformValue(ctx)
		if err != nil || !f.dynamic && !converted.Type().Equal(f.terraform) || !valid(ctx, f.name, f.is, field, converted) {
			return into.Set(ctx, value)
		}
		values[f.name] = converted
	}
	*raw = tftypes.NewValue(c.object, values)
	return nil
}

// Fields yields the names of a struct type's attributes and their field indexes, in order.
func Fields(of reflect.Type) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for _, f := range structOf(of).fields {
			if !yield(f.name, f.index) {
				return
			}
		}
	}
}

// indexOf returns the field index of the named attribute in a struct type.
func indexOf(of reflect.Type, name string) (index []int, has bool) {
	fields, _ := tagged(of)
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil, false
	}
	return fields[i].index, true
}

// Field returns the named attribute of a struct, or nil.
func Field(of any, name string) attr.Value {
	if of == nil {
		return nil
	}
	index, has := indexOf(reflect.TypeOf(of), name)
	if !has {
		return nil
	}
	value, _ := reflect.ValueOf(of).FieldByIndex(index).Interface().(attr.Value)
	return value
}

// At returns the field of the named attribute; of points to a struct. It panics if the struct has no such attribute.
func At(of any, name string) reflect.Value {
	to := reflect.ValueOf(of).Elem()
	index, has := indexOf(to.Type(), name)
	if !has {
		panic(fmt.Sprintf("%s has no attribute %q", to.Type(), name))
	}
	return to.FieldByIndex(index)
}

// Same reports whether two structs have the same values.
func Same[M any](one, other M) bool {
	fields, ok := tagged(reflect.TypeFor[M]())
	for _, f := range fields {
		value, _ := reflect.ValueOf(one).FieldByIndex(f.index).Interface().(attr.Value)
		with, _ := reflect.ValueOf(other).FieldByIndex(f.index).Interface().(attr.Value)
		ok = ok && value.Equal(with)
	}
	return ok
}

// valid reports whether the attribute and its type accept a value; raw is the same for Terraform.
func valid(ctx context.Context, name string, is attr.Type, value attr.Value, raw tftypes.Value) bool {
	if validates, ok := value.(xattr.ValidateableAttribute); ok {
		var resp xattr.ValidateAttributeResponse
		validates.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{Path: path.Root(name)}, &resp)
		return len(resp.Diagnostics) == 0
	}
	validates, ok := is.(xattr.TypeWithValidate) //nolint:staticcheck // deprecated, and what the framework calls
	return !ok || len(validates.Validate(ctx, raw, path.Root(name))) == 0
}

// field is a field of a struct.
type field struct {
	name   string
	index  []int
	goType reflect.Type

	is        attr.Type
	terraform tftypes.Type
	dynamic   bool
}

// model is a struct with its schema.
type model struct {
	fields []field
	object tftypes.Object
}

// by reflect.Type: *model, nil for a struct that is left to the framework, and *structure
var models, structs sync.Map

// modelOf returns the cached model of a struct type; nil if it is left to the framework.
func modelOf(ctx context.Context, t reflect.Type, s schema.Schema) *model {
	if s.Attributes == nil {
		return nil
	}
	if known, ok := models.Load(t); ok {
		m, _ := known.(*model)
		return m
	}
	m := newModel(ctx, t, s)
	models.Store(t, m)
	return m
}

func newModel(ctx context.Context, t reflect.Type, s schema.Schema) *model {
	fields, ok := tagged(t)
	if !ok || len(fields) != len(s.Attributes) || len(s.Blocks) > 0 {
		return nil
	}
	m := &model{fields: make([]field, len(fields)), object: tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}}
	for i, f := range fields {
		attribute, has := s.Attributes[f.name]
		if !has {
			return nil
		}
		f.is = attribute.GetType()
		f.terraform = f.is.TerraformType(ctx)
		f.dynamic = f.terraform.Is(tftypes.DynamicPseudoType)
		m.fields[i] = f
		m.object.AttributeTypes[f.name] = f.terraform
	}
	return m
}

// structure holds the named fields of a struct type and of its embedded structs. whole is true if there are no others,
// and all are attr.Values.
type structure struct {
	fields []field
	whole  bool
}

// tagged returns the fields of a struct and of its embedded structs; false if one is not an attr.Value.
func tagged(t reflect.Type) ([]field, bool) {
	if s := structOf(t); s.whole && len(s.fields) > 0 {
		return s.fields, true
	}
	return nil, false
}

func structOf(t reflect.Type) *structure {
	known, ok := structs.Load(t)
	if !ok {
		known, _ = structs.LoadOrStore(t, newStructure(t))
	}
	s, _ := known.(*structure)
	return s
}

func newStructure(t reflect.Type) *structure {
	s := &structure{whole: t.Kind() == reflect.Struct}
	if !s.whole {
		return s
	}
	seen := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		name, has := f.Tag.Lookup("tfsdk")
		switch {
		case name == "-", !f.IsExported() && !f.Anonymous:
		case f.Anonymous && !has && f.Type.Kind() == reflect.Struct: // its fields follow
		case !has:
			s.whole = false
		default:
			s.whole = s.whole && !f.Anonymous && !seen[name] && f.Type.Implements(reflect.TypeFor[attr.Value]())
			seen[name] = true
			s.fields = append(s.fields, field{name: name, index: f.Index, goType: f.Type})
		}
	}
	return s
}
