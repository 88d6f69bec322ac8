package front

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// kind is a resource type: what the framework asks for again in every call.
type kind struct {
	make           func() resource.Resource
	schema         schema.Schema
	object         tftypes.Type
	identitySchema identityschema.Schema
	identity       tftypes.Type

	// simple says that this server can plan objects of this type without the framework; changes, that it can also plan
	// those that change.
	simple, changes bool
	attributes      map[string]*attribute
}

// attribute is what the framework does with an attribute of an object before the resource plans it.
type attribute struct {
	byDefault *tftypes.Value // nil without a default
	computed  bool
	modify    modify // nil without plan modifiers
	inside
}

// inside is what attributes further down have.
type inside struct{ defaults, computed, modifiers bool }

// kinds are the resource types of a provider, made when the first is asked for.
type kinds struct {
	all []func() resource.Resource

	once   sync.Once
	byName map[string]*kind
}

// of is a type by its name; nil without one, or when its schema is not valid.
func (k *kinds) of(ctx context.Context, typeName string) *kind {
	k.once.Do(func() {
		k.byName = map[string]*kind{}
		for _, constructor := range k.all {
			name, is := newKind(context.WithoutCancel(ctx), constructor)
			k.byName[name] = is
		}
	})
	return k.byName[typeName]
}

func newKind(ctx context.Context, constructor func() resource.Resource) (string, *kind) {
	r := constructor()
	var metadata resource.MetadataResponse
	r.Metadata(ctx, resource.MetadataRequest{}, &metadata)
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	if described.Diagnostics.HasError() {
		return metadata.TypeName, nil
	}
	k := &kind{make: constructor, schema: described.Schema, object: described.Schema.Type().TerraformType(ctx),
		attributes: map[string]*attribute{}}
	identified, hasIdentity := r.(resource.ResourceWithIdentity)
	_, plans := r.(resource.ResourceWithModifyPlan)
	k.simple = hasIdentity && plans && len(k.schema.Blocks) == 0
	k.changes = k.simple
	if hasIdentity {
		var identity resource.IdentitySchemaResponse
		identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		k.identitySchema, k.identity = identity.IdentitySchema, identity.IdentitySchema.Type().TerraformType(ctx)
	}
	for name, described := range k.schema.Attributes {
		value, known := defaultOf(ctx, described)
		modify, modifiable := modifierOf(described)
		within, innerKnown, innerModifiable := insideOf(ctx, described)
		k.attributes[name] = &attribute{value, described.IsComputed(), modify, within}
		k.simple = k.simple && known && innerKnown
		k.changes = k.changes && k.simple && modifiable && innerModifiable
	}
	return metadata.TypeName, k
}

// insideOf is what the attributes inside of an attribute have. known is false for an attribute of a kind that is not
// known here, and modifiable for one that this server does not change.
func insideOf(ctx context.Context, a schema.Attribute) (of inside, known, modifiable bool) {
	var nested schema.NestedAttributeObject
	switch a := a.(type) {
	case schema.SingleNestedAttribute:
		nested.Attributes = a.Attributes
	case schema.ListNestedAttribute:
		nested = a.NestedObject
	case schema.SetNestedAttribute:
		nested = a.NestedObject
	case schema.MapNestedAttribute:
		nested = a.NestedObject
	case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.ListAttribute, schema.SetAttribute,
		schema.MapAttribute, schema.DynamicAttribute, schema.ObjectAttribute:
	default:
		return of, false, false
	}
	modifiable = len(nested.PlanModifiers) == 0
	for _, described := range nested.Attributes {
		value, ownKnown := defaultOf(ctx, described)
		modify, ownModifiable := modifierOf(described)
		further, furtherKnown, furtherModifiable := insideOf(ctx, described)
		if !ownKnown || !furtherKnown {
			return of, false, false
		}
		of.defaults = of.defaults || value != nil || further.defaults
		of.computed = of.computed || described.IsComputed() || further.computed
		of.modifiers = of.modifiers || modify != nil || further.modifiers
		modifiable = modifiable && ownModifiable && furtherModifiable
	}
	return of, true, modifiable
}

// defaultOf is the default of an attribute; nil without one. known is false when it cannot be found out.
func defaultOf(ctx context.Context, a schema.Attribute) (_ *tftypes.Value, known bool) {
	var value attr.Value
	var failed bool
	switch a := a.(type) {
	case schema.StringAttribute:
		if a.Default != nil {
			var resp defaults.StringResponse
			a.Default.DefaultString(ctx, defaults.StringRequest{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.BoolAttribute:
		if a.Default != nil {
			var resp defaults.BoolResponse
			a.Default.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.Int64Attribute:
		if a.Default != nil {
			var resp defaults.Int64Response
			a.Default.DefaultInt64(ctx, defaults.Int64Request{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.ListAttribute:
		if a.Default != nil {
			var resp defaults.ListResponse
			a.Default.DefaultList(ctx, defaults.ListRequest{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.SetAttribute:
		if a.Default != nil {
			var resp defaults.SetResponse
			a.Default.DefaultSet(ctx, defaults.SetRequest{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.MapAttribute:
		if a.Default != nil {
			var resp defaults.MapResponse
			a.Default.DefaultMap(ctx, defaults.MapRequest{}, &resp)
			value, failed = resp.PlanValue, resp.Diagnostics.HasError()
		}
	case schema.SingleNestedAttribute:
		return nil, a.Default == nil
	case schema.ListNestedAttribute:
		return nil, a.Default == nil
	case schema.SetNestedAttribute:
		return nil, a.Default == nil
	case schema.MapNestedAttribute:
		return nil, a.Default == nil
	case schema.DynamicAttribute:
		return nil, a.Default == nil
	case schema.ObjectAttribute:
		return nil, a.Default == nil
	default:
		return nil, false
	}
	if value == nil || failed {
		return nil, !failed
	}
	of, err := value.ToTerraformValue(ctx)
	return &of, err == nil
}

// decode is a value on the wire, which may be null; false for a value that this server does not handle.
func (k *kind) decode(v *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	if v == nil || len(v.MsgPack) == 0 {
		return tftypes.Value{}, false
	}
	value, err := v.Unmarshal(k.object)
	return value, err == nil
}
