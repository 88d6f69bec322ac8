package subscription

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
)

// refuseDestroy reports what keeps the subscription from being canceled.
func refuseDestroy(state model, diags *diag.Diagnostics) {
	policy.Refuse(state.DeletionPolicy, state.words(), "\"cancel\" or \"cancel_at_period_end\"", diags)
	cancels := state.DeletionPolicy.ValueString() == policyCancel || state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if cancels && state.AllowCancel.Equal(types.BoolValue(false)) && state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service refuses to cancel it, and nothing was changed. Set allow_cancel = true and apply that first, "+
				"or set deletion_policy = \"abandon\" to only forget it here.", state.words()))
	}
}

// refuseReplacement refuses a plan that makes another subscription where this one could not be canceled before: both would charge.
func (p *planning) refuseReplacement(diags *diag.Diagnostics) {
	state := p.state
	if !p.moves() {
		return
	}
	if !p.own.applied() {
		diags.AddError("An import replaces nothing",
			fmt.Sprintf("%s was imported and has billing_account_id %s, company_id %s and product_group_id %s. The configuration names others, which only a new subscription can have: "+
				"this one would be canceled, and the new one would charge. Write what the subscription has; a replacement can be planned once that is applied.", state.words(), state.BillingAccountID, state.CompanyID, state.ProductGroupID))
		return
	}
	refuseDestroy(state, diags)
	if at := state.DeletionPolicy.ValueString(); at == policy.Abandon || at == policyCancelAtPeriodEnd {
		diags.AddAttributeError(path.Root(policy.Attribute), "Two subscriptions would charge",
			fmt.Sprintf("This plan replaces %s, which was applied with deletion_policy = %q: it would go on beside the new one. To replace it, set deletion_policy = \"cancel\" "+
				"and apply that first. To have both, give the new one a block of its own.", lower(state.words()), at))
	}
}

// refuse reports what the service would refuse for what it says of the subscription, whether the configuration repeats that or not.
func (p *planning) refuse(asked []transition, diags *diag.Diagnostics) {
	if slices.Contains(asked, pauseIt) && p.planned.AllowPause.Equal(types.BoolValue(false)) && p.config.AllowPause.IsNull() {
		diags.AddAttributeError(path.Root("pause"), "The subscription may not be paused",
			fmt.Sprintf("%s has allow_pause = false, so the service would refuse to pause. Remove pause, or set allow_pause = true.", p.state.words()))
	}
	if slices.Contains(asked, scheduleCancel) && p.planned.AllowCancel.Equal(types.BoolValue(false)) && p.config.AllowCancel.IsNull() {
		diags.AddAttributeError(path.Root("cancel_at_period_end"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service would refuse to cancel. Remove cancel_at_period_end, or set allow_cancel = true.", p.state.words()))
	}
}
