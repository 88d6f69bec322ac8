// Package policy is deletion_policy: what destroying an object does at the service.
package policy

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// Values of deletion_policy. Abandon and Prevent are values of every type.
const (
	Delete  = "delete"
	Abandon = "abandon"
	Prevent = "prevent"
)

// Name names the argument.
const Name = "deletion_policy"

// Attribute is the argument with the type's own words, of which the first is the default. effects says what they do,
// as in "`close` closes the account".
func Attribute(effects string, words ...string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true,
		Default:    stringdefault.StaticString(words[0]),
		Validators: []validator.String{validate.OneOf(append(words, Abandon, Prevent)...)},
		MarkdownDescription: fmt.Sprintf("What destroying does: %s, `abandon` removes it from state only, `prevent` "+
			"is an error in the plan, also for replacement. Defaults to `%s`. The value in state applies.", effects, words[0])}
}

// Of is what an object says of its deletion_policy.
type Of struct {
	// Value is the argument; null has no effect.
	Value types.String
	// Object names the object in messages.
	Object string
	// Own is the type's default.
	Own string
	// Stays says what goes on at the service when the object is abandoned, as a sentence; optional.
	Stays string
}

// Managed is a model with a deletion_policy.
type Managed interface{ Policy() Of }

// Refuse reports an error where the policy prevents what verb says: destroy or replace.
func (o Of) Refuse(verb string, diags *diag.Diagnostics) {
	if o.Value.ValueString() != Prevent {
		return
	}
	diags.AddAttributeError(path.Root(Name), fmt.Sprintf("deletion_policy prevents that this plan %ss %s", verb, o.Object),
		fmt.Sprintf("The state has deletion_policy = \"prevent\". To %s it, set deletion_policy = %q and apply that "+
			"first. To remove it from the state only, use \"abandon\", or a removed block with destroy = false. If it is "+
			"tainted, run terraform untaint to keep it.", verb, o.Own))
}

// Abandons reports whether the policy removes the object from the state only.
func (o Of) Abandons() bool { return o.Value.ValueString() == Abandon }

// Warn reports in a plan that the object stays at the service.
func (o Of) Warn(diags *diag.Diagnostics) {
	if o.Abandons() {
		diags.AddAttributeWarning(path.Root(Name), apidiag.Capitalize(o.Object)+" stays at the service", strings.TrimSpace(
			"deletion_policy is \"abandon\", so it is removed from the state only. "+o.Stays))
	}
}
