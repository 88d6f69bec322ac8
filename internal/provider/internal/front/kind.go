package front

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// kind is a resource type: what the framework asks for again in every call.
type kind struct {
	make   func() resource.Resource
	schema schema.Schema
	object tftypes.Type
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
	return metadata.TypeName, &kind{make: constructor, schema: described.Schema, object: described.Schema.Type().TerraformType(ctx)}
}
