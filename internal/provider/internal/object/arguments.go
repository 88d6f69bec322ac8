package object

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Computed is a string attribute that only the service sets. A plan keeps the value in state, including null;
// ModifyPlan marks it unknown if the change may affect it.
func Computed(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}
}

// KeepText keeps the value in state of a string that is not in the configuration.
func KeepText(more ...planmodifier.String) []planmodifier.String {
	return append(more, stringplanmodifier.UseStateForUnknown())
}

// KeepBool is KeepText for a bool.
func KeepBool() []planmodifier.Bool {
	return []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
}

// Values of deletion_policy. Abandon and Prevent are values of every type.
const (
	PolicyDelete  = "delete"
	PolicyAbandon = "abandon"
	policyPrevent = "prevent"
)

// PolicyName names the argument.
const PolicyName = "deletion_policy"

// PolicyAttribute is the argument with the type's own values; the first is the default. effects describes them, as in
// "`close` closes the account".
func PolicyAttribute(effects string, words ...string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(words[0]),
		Validators: []validator.String{check.OneOf(append(words, PolicyAbandon, policyPrevent)...)},
		MarkdownDescription: fmt.Sprintf("What destroying does: %s, `abandon` removes it from state only, `prevent` "+
			"blocks destroying and replacing. Defaults to `%s`; the value in state applies.", effects, words[0])}
}

// MetadataModeAttribute is the argument custom_metadata_mode.
func MetadataModeAttribute() schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true,
		Default:    stringdefault.StaticString(metadata.ModeMerge),
		Validators: []validator.String{check.OneOf(metadata.ModeMerge, metadata.ModeReplace)},
		MarkdownDescription: "`merge`: this configuration owns the keys of `custom_metadata` that it sets. `replace`: it " +
			"owns the whole object, and the next apply removes other systems' keys. Defaults to `merge`."}
}

// Policy is the deletion_policy of an object.
type Policy struct {
	// Value is the argument; null has no effect.
	Value types.String
	// Object names the object in messages.
	Object string
	// Own is the type's default.
	Own string
	// AfterAbandon describes what continues at the service after the object is abandoned, as a sentence; optional.
	AfterAbandon string
}

// hasPolicy is a model with a deletion_policy.
type hasPolicy interface{ Policy() Policy }

// ifTainted ends the error of an apply, because the plan reports it unless the object is tainted: Terraform plans a
// tainted object without its state.
const ifTainted = " If it is tainted, run terraform untaint to keep it."

// prevents reports whether the policy rejects destroying and replacing.
func (o Policy) prevents() bool { return o.Value.ValueString() == policyPrevent }

// check reports an error if the policy prevents the verb: destroy or replace.
func (o Policy) check(verb, more string, diags *diag.Diagnostics) {
	if !o.prevents() {
		return
	}
	back := ""
	if verb == "destroy" {
		back = "; if its block was removed, put it back for that, and remove it again afterwards"
	}
	diags.AddAttributeError(path.Root(PolicyName), fmt.Sprintf("deletion_policy = %q blocks this plan from %sing %s",
		policyPrevent, strings.TrimSuffix(verb, "e"), o.Object), fmt.Sprintf("The state has "+
		"deletion_policy = \"prevent\". To %s it, set deletion_policy = %q and apply that first%s. "+
		"To remove it from the state only, use \"abandon\", or a removed block with destroy = false.%s", verb,
		o.Own, back, more))
}

// Abandons reports whether the policy removes the object from the state only.
func (o Policy) Abandons() bool { return o.Value.ValueString() == PolicyAbandon }

// warn reports in a plan that the object stays at the service.
func (o Policy) warn(diags *diag.Diagnostics) {
	if o.Abandons() {
		diags.AddAttributeWarning(path.Root(PolicyName), apidiag.Capitalize(o.Object)+" stays at the service",
			strings.TrimSpace("deletion_policy is \"abandon\", so it is removed from the state only. "+o.AfterAbandon))
	}
}

// policyOf is the deletion_policy of a model.
func policyOf(m any) Policy {
	if managed, ok := m.(hasPolicy); ok {
		return managed.Policy()
	}
	return Policy{}
}
