// Package policy is deletion_policy: what destroying an object does at the service.
package policy

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// Values that deletion_policy has for every object, in addition to the object's own values.
const (
	Delete  = "delete"
	Abandon = "abandon"
	Prevent = "prevent"
)

// Attribute names the argument.
const Attribute = "deletion_policy"

// AboutEffect ends every description of the argument.
const AboutEffect = " The value in state applies: apply a change before you destroy the resource. It still " +
	"applies after the block is removed."

// Refuse reports an error when the policy prevents destroying. object names the object, others are
// the values that would let it go.
func Refuse(policy types.String, object, others string, diags *diag.Diagnostics) {
	if policy.ValueString() != Prevent {
		return
	}
	diags.AddError("Destroying this object is prevented",
		fmt.Sprintf("%s was applied with deletion_policy = \"prevent\". To destroy it, set deletion_policy to %s "+
			"and apply that first. To remove it from the state only, use \"abandon\", or a removed block with "+
			"destroy = false.", apidiag.Capitalize(object), others))
}

// Stays reports that destroying sends nothing: the policy prevents it, or leaves the object at the service. It has
// reported that, see Reject and Abandoned.
func Stays(policy types.String, object, others string, diags *diag.Diagnostics) bool {
	Refuse(policy, object, others, diags)
	return policy.ValueString() == Prevent || Abandoned(policy, object, diags)
}

// Abandoned reports whether the policy only removes the object from the state, and says so.
func Abandoned(policy types.String, object string, diags *diag.Diagnostics) bool {
	if policy.ValueString() != Abandon {
		return false
	}
	diags.AddWarning("The object stays at the service", fmt.Sprintf("deletion_policy is \"abandon\": %s was only "+
		"removed from the state.", object))
	return true
}

// WarnAbandoned reports in the plan of a removal that the policy leaves the object at the service. charges is a
// sentence on what is still charged.
func WarnAbandoned(policy types.String, object, charges string, diags *diag.Diagnostics) {
	if policy.ValueString() == Abandon {
		diags.AddWarning("The object stays at the service",
			fmt.Sprintf("deletion_policy is \"abandon\": %s is removed from the state only. %s", object, charges))
	}
}
