package object

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// Computed is a text of a resource that only the service sets. A plan keeps the value of the state, null included;
// ModifyPlan marks it unknown in a change that can touch it.
func Computed(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}
}

// KeepText says that a text which the configuration does not name stays as it is in the state.
func KeepText(more ...planmodifier.String) []planmodifier.String {
	return append(more, stringplanmodifier.UseStateForUnknown())
}

// KeepBool is KeepText for a truth value.
func KeepBool() []planmodifier.Bool {
	return []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
}
