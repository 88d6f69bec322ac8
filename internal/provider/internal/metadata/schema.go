package metadata

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Attribute is the argument custom_metadata of a kind of object, named by a noun.
func Attribute(noun string) schema.DynamicAttribute {
	return schema.DynamicAttribute{Optional: true, Computed: true, CustomType: Type{},
		MarkdownDescription: AboutObject(noun)}
}

// ModeAttribute is the argument custom_metadata_mode.
func ModeAttribute() schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(ModeMerge),
		Validators: []validator.String{stringvalidator.OneOf(ModeMerge, ModeReplace)}, MarkdownDescription: AboutMode}
}

// EffectiveAttribute is effective_custom_metadata, which shows the whole object.
func EffectiveAttribute() schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: AboutEffective}
}
