package main

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// document is the format of `terraform providers schema -json`.
type document struct {
	FormatVersion string           `json:"format_version"`
	Providers     map[string]offer `json:"provider_schemas"`
}

type offer struct {
	Provider    *schema              `json:"provider"`
	Resources   map[string]*schema   `json:"resource_schemas,omitempty"`
	DataSources map[string]*schema   `json:"data_source_schemas,omitempty"`
	Ephemeral   map[string]*schema   `json:"ephemeral_resource_schemas,omitempty"`
	Lists       map[string]*schema   `json:"list_resource_schemas,omitempty"`
	Actions     map[string]*schema   `json:"action_schemas,omitempty"`
	Functions   map[string]*function `json:"functions,omitempty"`
	Identities  map[string]*identity `json:"resource_identity_schemas,omitempty"`
}

type schema struct {
	Version int64  `json:"version"`
	Block   *block `json:"block"`
}

type block struct {
	Attributes  map[string]*attribute `json:"attributes,omitempty"`
	Blocks      map[string]*nested    `json:"block_types,omitempty"`
	Description string                `json:"description,omitempty"`
	Kind        string                `json:"description_kind,omitempty"`
	Deprecated  bool                  `json:"deprecated,omitempty"`
}

// nested is an object in an attribute, with attributes, or a nested block, with a block.
type nested struct {
	Attributes map[string]*attribute `json:"attributes,omitempty"`
	Block      *block                `json:"block,omitempty"`
	Nesting    string                `json:"nesting_mode"`
	MinItems   int64                 `json:"min_items,omitempty"`
	MaxItems   int64                 `json:"max_items,omitempty"`
}

type attribute struct {
	Type        tftypes.Type `json:"type,omitempty"`
	Nested      *nested      `json:"nested_type,omitempty"`
	Description string       `json:"description,omitempty"`
	Kind        string       `json:"description_kind,omitempty"`
	Deprecated  bool         `json:"deprecated,omitempty"`
	Required    bool         `json:"required,omitempty"`
	Optional    bool         `json:"optional,omitempty"`
	Computed    bool         `json:"computed,omitempty"`
	Sensitive   bool         `json:"sensitive,omitempty"`
	WriteOnly   bool         `json:"write_only,omitempty"`
}

type identity struct {
	Version    int64                         `json:"version"`
	Attributes map[string]*identityAttribute `json:"attributes"`
}

type identityAttribute struct {
	Type        tftypes.Type `json:"type"`
	Description string       `json:"description,omitempty"`
	Required    bool         `json:"required_for_import,omitempty"`
	Optional    bool         `json:"optional_for_import,omitempty"`
}

type function struct {
	Description string       `json:"description,omitempty"`
	Summary     string       `json:"summary,omitempty"`
	Deprecation string       `json:"deprecation_message,omitempty"`
	Return      tftypes.Type `json:"return_type"`
	Parameters  []*parameter `json:"parameters,omitempty"`
	Variadic    *parameter   `json:"variadic_parameter,omitempty"`
}

type parameter struct {
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Nullable    bool         `json:"is_nullable,omitempty"`
	Type        tftypes.Type `json:"type"`
}

func schemaOf(s *tfprotov6.Schema) *schema {
	return &schema{Version: s.Version, Block: blockOf(s.Block)}
}

func blockOf(b *tfprotov6.SchemaBlock) *block {
	blocks := map[string]*nested{}
	for _, inner := range b.BlockTypes {
		blocks[inner.TypeName] = &nested{Block: blockOf(inner.Block), Nesting: strings.ToLower(inner.Nesting.String()),
			MinItems: inner.MinItems, MaxItems: inner.MaxItems}
	}
	return &block{Attributes: attributesOf(b.Attributes), Blocks: blocks, Description: b.Description,
		Kind: kindOf(b.DescriptionKind), Deprecated: b.Deprecated}
}

func attributesOf(all []*tfprotov6.SchemaAttribute) map[string]*attribute {
	attributes := make(map[string]*attribute, len(all))
	for _, a := range all {
		converted := &attribute{Type: a.Type, Description: a.Description, Deprecated: a.Deprecated, Required: a.Required,
			Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
			Kind: kindOf(a.DescriptionKind)}
		if a.NestedType != nil {
			converted.Nested = &nested{Attributes: attributesOf(a.NestedType.Attributes),
				Nesting: strings.ToLower(a.NestedType.Nesting.String())}
		}
		attributes[a.Name] = converted
	}
	return attributes
}

func kindOf(kind tfprotov6.StringKind) string {
	return strings.ToLower(kind.String())
}

func identityOf(i *tfprotov6.ResourceIdentitySchema) *identity {
	attributes := map[string]*identityAttribute{}
	for _, a := range i.IdentityAttributes {
		attributes[a.Name] = &identityAttribute{Type: a.Type, Description: a.Description, Required: a.RequiredForImport,
			Optional: a.OptionalForImport}
	}
	return &identity{Version: i.Version, Attributes: attributes}
}

func functionOf(f *tfprotov6.Function) *function {
	converted := &function{Description: f.Description, Summary: f.Summary, Deprecation: f.DeprecationMessage,
		Return: f.Return.Type}
	for _, p := range f.Parameters {
		converted.Parameters = append(converted.Parameters, parameterOf(p))
	}
	if f.VariadicParameter != nil {
		converted.Variadic = parameterOf(f.VariadicParameter)
	}
	return converted
}

func parameterOf(p *tfprotov6.FunctionParameter) *parameter {
	return &parameter{Name: p.Name, Description: p.Description, Nullable: p.AllowNullValue, Type: p.Type}
}
