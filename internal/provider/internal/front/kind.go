package front

import (
	"context"
	"maps"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// kind is a resource type with cached data that the framework computes in every call.
type kind struct {
	make           func() resource.Resource
	schema         schema.Schema
	object         tftypes.Object
	identitySchema identityschema.Schema
	identity       tftypes.Type

	// simple is true if this server can plan objects of this type without the framework.
	simple     bool
	attributes map[string]*attribute
}

// attribute describes how the framework prepares an attribute before the resource plans it.
type attribute struct {
	byDefault tftypes.Value // null without a default
	computed  bool          // and without a default
	modify    modify        // nil without plan modifiers
	inside
}

// inside describes the nested attributes of an attribute.
type inside struct{ defaults, computed bool }

// kinds are the resource types of a provider by name. Each is created for its first object: Terraform often starts a
// provider without using it, and few configurations have objects of all types.
type kinds struct {
	once   sync.Once
	byName map[string]func() *kind
}

// kind returns a type by name; nil if there is none, or its schema is invalid.
func (s *Server) kind(ctx context.Context, typeName string) *kind {
	ctx = context.WithoutCancel(ctx)
	s.kinds.once.Do(func() {
		s.kinds.byName = map[string]func() *kind{}
		for _, constructor := range s.resources {
			var metadata resource.MetadataResponse
			constructor().Metadata(ctx, resource.MetadataRequest{}, &metadata)
			s.kinds.byName[metadata.TypeName] = sync.OnceValue(func() *kind {
				return s.inspect(ctx, metadata.TypeName, constructor)
			})
		}
	})
	if learned := s.kinds.byName[typeName]; learned != nil {
		return learned()
	}
	return nil
}

func (s *Server) inspect(ctx context.Context, typeName string, constructor func() resource.Resource) *kind {
	r := constructor()
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	wire, _ := described.Schema.Type().TerraformType(ctx).(tftypes.Object)
	if described.Diagnostics.HasError() {
		return nil
	}
	k := &kind{make: constructor, schema: described.Schema, object: wire, attributes: map[string]*attribute{}}
	whole, ok := r.(object.Managed)
	if !ok || len(k.schema.Blocks) > 0 {
		return k
	}
	var identity resource.IdentitySchemaResponse
	whole.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
	k.identitySchema, k.identity = identity.IdentitySchema, identity.IdentitySchema.Type().TerraformType(ctx)
	blank := s.blank(ctx, typeName, wire)
	k.simple = blank != nil
	for name, described := range k.schema.Attributes {
		a := &attribute{computed: !blank[name].IsKnown()}
		if blank[name].IsKnown() {
			a.byDefault = blank[name]
		}
		var known bool
		a.modify, known = modifierOf(described)
		k.simple = k.simple && known
		if nested, ok := described.(schema.NestedAttribute); ok {
			k.simple = a.look(nested) && k.simple
		}
		a.inside.computed = a.inside.computed || described.IsWriteOnly()
		k.attributes[name] = a
	}
	return k
}

// blank returns the object that the framework plans for an empty configuration: it has the defaults of the schema, and
// unknown computed values. Nil if the framework does not plan one.
func (s *Server) blank(ctx context.Context, typeName string, as tftypes.Object) (planned map[string]tftypes.Value) {
	nulls := map[string]tftypes.Value{}
	for name, attribute := range as.AttributeTypes {
		nulls[name] = tftypes.NewValue(attribute, nil)
	}
	none, errNone := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, nil))
	empty, errEmpty := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, nulls))
	if errNone != nil || errEmpty != nil {
		return nil
	}
	resp, err := s.Framework.PlanResourceChange(context.WithValue(ctx, resultKey{}, &result{blank: true}),
		&tfprotov6.PlanResourceChangeRequest{TypeName: typeName, Config: &empty, PriorState: &none, ProposedNewState: &empty})
	if err != nil || len(resp.Diagnostics) > 0 {
		return nil
	}
	value, err := resp.PlannedState.Unmarshal(as)
	if err != nil || value.As(&planned) != nil {
		return nil
	}
	return maps.Clone(planned)
}

// look inspects nested attributes. Defaults and plan modifiers have the same field names, but other interfaces, in each
// type of attribute. A write-only attribute counts as computed, because the plan has no value for it. It returns false
// if a nested attribute has plan modifiers, which this server does not run.
func (i *inside) look(at schema.NestedAttribute) (simple bool) {
	object := at.GetNestedObject()
	simple = !has(object, "PlanModifiers")
	for _, a := range object.GetAttributes() {
		i.defaults = i.defaults || has(a, "Default")
		i.computed = i.computed || a.IsComputed() || a.IsWriteOnly()
		simple = simple && !has(a, "PlanModifiers")
		if nested, ok := a.(schema.NestedAttribute); ok {
			simple = i.look(nested) && simple
		}
	}
	return simple
}

func has(a any, field string) bool {
	f := reflect.Indirect(reflect.ValueOf(a)).FieldByName(field)
	return f.IsValid() && !f.IsZero()
}

// decode decodes a wire value, including null; it returns false for a value that this server does not handle.
func (k *kind) decode(v *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	if v == nil || len(v.MsgPack) == 0 {
		return tftypes.Value{}, false
	}
	value, err := v.Unmarshal(k.object)
	return value, err == nil
}
