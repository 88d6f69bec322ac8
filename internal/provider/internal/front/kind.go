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

	// simple says that this server can plan objects of this type without the framework.
	simple bool
	// defaults are those of the top-level attributes; inner are the attributes that have some further down.
	defaults map[string]tftypes.Value
	inner    []string
}

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
		defaults: map[string]tftypes.Value{}}
	identified, hasIdentity := r.(resource.ResourceWithIdentity)
	_, plans := r.(resource.ResourceWithModifyPlan)
	k.simple = hasIdentity && plans && len(k.schema.Blocks) == 0
	if hasIdentity {
		var identity resource.IdentitySchemaResponse
		identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		k.identitySchema, k.identity = identity.IdentitySchema, identity.IdentitySchema.Type().TerraformType(ctx)
	}
	for name, attribute := range k.schema.Attributes {
		value, known := defaultOf(ctx, attribute)
		if value != nil {
			k.defaults[name] = *value
		}
		inner, innerKnown := hasDefaults(ctx, attribute)
		if inner {
			k.inner = append(k.inner, name)
		}
		k.simple = k.simple && known && innerKnown
	}
	return metadata.TypeName, k
}

// hasDefaults reports whether attributes inside of an attribute have a default. known is false for an attribute of a
// kind that is not known here.
func hasDefaults(ctx context.Context, a schema.Attribute) (has, known bool) {
	var inside map[string]schema.Attribute
	switch a := a.(type) {
	case schema.SingleNestedAttribute:
		inside = a.Attributes
	case schema.ListNestedAttribute:
		inside = a.NestedObject.Attributes
	case schema.SetNestedAttribute:
		inside = a.NestedObject.Attributes
	case schema.MapNestedAttribute:
		inside = a.NestedObject.Attributes
	case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.ListAttribute, schema.SetAttribute,
		schema.MapAttribute, schema.DynamicAttribute, schema.ObjectAttribute:
	default:
		return false, false
	}
	for _, attribute := range inside {
		value, ownKnown := defaultOf(ctx, attribute)
		further, furtherKnown := hasDefaults(ctx, attribute)
		if !ownKnown || !furtherKnown {
			return false, false
		}
		has = has || value != nil || further
	}
	return has, true
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

// keepsDefaults reports whether no default applies to a planned object: where the configuration says nothing, it has
// its default already.
func (k *kind) keepsDefaults(config, planned map[string]tftypes.Value) bool {
	for name, value := range k.defaults {
		if config[name].IsNull() && !value.Equal(planned[name]) {
			return false
		}
	}
	for _, name := range k.inner {
		if !config[name].IsNull() || !planned[name].IsNull() {
			return false
		}
	}
	return true
}

// decode is a value on the wire; false for a value that this server does not handle.
func (k *kind) decode(v *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	if v == nil || len(v.MsgPack) == 0 {
		return tftypes.Value{}, false
	}
	value, err := v.Unmarshal(k.object)
	return value, err == nil && !value.IsNull()
}
