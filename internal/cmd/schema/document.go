package main

import (
	"encoding/json"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

func schemaOf(s *tfprotov6.Schema) *tfjson.Schema {
	return &tfjson.Schema{Version: uint64(s.Version), Block: blockOf(s.Block)}
}

func blockOf(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	blocks := map[string]*tfjson.SchemaBlockType{}
	for _, inner := range b.BlockTypes {
		blocks[inner.TypeName] = &tfjson.SchemaBlockType{Block: blockOf(inner.Block),
			NestingMode: tfjson.SchemaNestingMode(strings.ToLower(inner.Nesting.String())),
			MinItems:    uint64(inner.MinItems), MaxItems: uint64(inner.MaxItems)}
	}
	return &tfjson.SchemaBlock{Attributes: attributesOf(b.Attributes), NestedBlocks: blocks, Description: b.Description,
		DescriptionKind: kindOf(b.DescriptionKind), Deprecated: b.Deprecated}
}

func attributesOf(all []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	attributes := make(map[string]*tfjson.SchemaAttribute, len(all))
	for _, a := range all {
		converted := &tfjson.SchemaAttribute{Description: a.Description, Deprecated: a.Deprecated, Required: a.Required,
			Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
			DescriptionKind: kindOf(a.DescriptionKind)}
		if a.NestedType != nil {
			converted.AttributeNestedType = &tfjson.SchemaNestedAttributeType{Attributes: attributesOf(a.NestedType.Attributes),
				NestingMode: tfjson.SchemaNestingMode(strings.ToLower(a.NestedType.Nesting.String()))}
		} else {
			converted.AttributeType = typeOf(a.Type)
		}
		attributes[a.Name] = converted
	}
	return attributes
}

func kindOf(kind tfprotov6.StringKind) tfjson.SchemaDescriptionKind {
	return tfjson.SchemaDescriptionKind(strings.ToLower(kind.String()))
}

// typeOf converts a type through its JSON, which is the same in both modules.
func typeOf(t tftypes.Type) (converted cty.Type) {
	encoded, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(encoded, &converted)
	}
	if err != nil {
		panic(err) // every type of a schema has JSON
	}
	return converted
}

func identityOf(i *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	attributes := map[string]*tfjson.IdentityAttribute{}
	for _, a := range i.IdentityAttributes {
		attributes[a.Name] = &tfjson.IdentityAttribute{IdentityType: typeOf(a.Type), Description: a.Description,
			RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport}
	}
	return &tfjson.IdentitySchema{Version: uint64(i.Version), Attributes: attributes}
}

func functionOf(f *tfprotov6.Function) *tfjson.FunctionSignature {
	converted := &tfjson.FunctionSignature{Description: f.Description, Summary: f.Summary,
		DeprecationMessage: f.DeprecationMessage, ReturnType: typeOf(f.Return.Type)}
	for _, p := range f.Parameters {
		converted.Parameters = append(converted.Parameters, parameterOf(p))
	}
	if f.VariadicParameter != nil {
		converted.VariadicParameter = parameterOf(f.VariadicParameter)
	}
	return converted
}

func parameterOf(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{Name: p.Name, Description: p.Description, IsNullable: p.AllowNullValue,
		Type: typeOf(p.Type)}
}
