package subscription

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
)

// refuseDestroy reports what keeps the subscription from being canceled.
func refuseDestroy(state model, diags *diag.Diagnostics) {
	policy.Refuse(state.DeletionPolicy, state.displayName(), "\"cancel\" or \"cancel_at_period_end\"", diags)
	cancels := state.DeletionPolicy.ValueString() == policyCancel || state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if cancels && state.AllowCancel.Equal(types.BoolValue(false)) && state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service refuses to cancel it, and nothing was changed. Set allow_cancel = true and apply that first, "+
				"or set deletion_policy = \"abandon\" to only forget it here.", apidiag.Capitalize(state.displayName())))
	}
}

// warnRunningOn tells what destroying with cancel_at_period_end means for the objects that the subscription needs.
func warnRunningOn(state model, diags *diag.Diagnostics) {
	if state.DeletionPolicy.ValueString() != policyCancelAtPeriodEnd || state.Status.ValueString() == statusCanceled {
		return
	}
	diags.AddAttributeWarning(path.Root(policy.Attribute), "The subscription runs until the end of its period",
		fmt.Sprintf("deletion_policy is \"cancel_at_period_end\": %s leaves the state now and runs until %s. Until "+
			"then the service deletes neither its customer nor, "+
			"with deletion_policy = \"delete\", its billing account, and closing the account is immediate. Destroy "+
			"these after that date, "+
			"or set deletion_policy = \"cancel\", apply that, and destroy everything at "+
			"once.", state.displayName(), state.CurrentPeriodEnd.ValueString()))
}

// refuseIncomplete rejects a known item without a product or a price.
func refuseIncomplete(items types.Set, diags *diag.Diagnostics) {
	for _, element := range items.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			continue
		}
		for _, name := range []string{"product_id", "price_id"} {
			if object.Attributes()[name].IsNull() {
				diags.AddAttributeError(path.Root(argItems).AtSetValue(element).AtName(name), "An item without a product or a price",
					fmt.Sprintf("%s of an item is null. Each item needs a product_id and a price_id; to leave an item out, remove it from items.", name))
			}
		}
	}
}

// refuseNew reports what the service would reject of a new subscription.
func (p *planning) refuseNew(diags *diag.Diagnostics) {
	m := p.planned
	p.refuseNeither(diags)
	if p.past(m.TrialEnd) {
		diags.AddAttributeError(path.Root("trial_end"), "The trial would have ended already",
			fmt.Sprintf("trial_end is %s, which is in the past. Write a later moment, or leave the argument out for "+
				"a subscription without a trial.", m.TrialEnd.ValueString()))
	}
	if !p.config.TrialEnd.IsNull() && !p.config.TrialPeriodDays.IsNull() {
		diags.AddAttributeError(path.Root("trial_period_days"), "Two trials for one subscription",
			"A new subscription is created with trial_end or with trial_period_days. Remove one of them.")
	}
	if _, resumesAt := pauseFields(m.Pause); p.past(resumesAt) {
		refusePast(resumesAt, diags)
	}
	if !m.Pause.IsNull() && !m.Pause.IsUnknown() {
		p.refusePause(diags)
	}
	if m.CancelAtPeriodEnd.ValueBool() {
		p.refuseEnd(diags)
	}
}

// refuse reports what the service would reject of the changes that the plan needs.
func (p *planning) refuse(diags *diag.Diagnostics) {
	p.refuseNeither(diags)
	if slices.Contains(p.asked, pauseIt) && !p.planned.Pause.IsUnknown() {
		p.refusePause(diags)
	}
	if slices.Contains(p.asked, scheduleCancel) && !p.planned.CancelAtPeriodEnd.IsUnknown() {
		p.refuseEnd(diags)
	}
	timing, _ := p.planned.planChange()
	if slices.Contains(p.asked, changePlanNow) && p.planned.PlanID.IsNull() && timing == timingEndOfPeriod {
		diags.AddAttributeError(path.Root("plan_change").AtName("timing"), "A plan cannot be removed at the end of "+
			"the period",
			fmt.Sprintf("plan_id is removed from the configuration of %s, and plan_change.timing is "+
				"\"end_of_period\". The service can only begin another plan with the next period, "+
				"not end one without another. Set plan_change.timing = \"immediate\" to bill the items alone from "+
				"now on, or keep plan_id.", p.state.displayName()))
	}
}

// refuseNeither rejects a configuration that leaves a subscription with nothing to bill. One that the service already shows so is left
// alone: not every service lists items.
func (p *planning) refuseNeither(diags *diag.Diagnostics) {
	before := !p.state.PlanID.IsNull() || len(p.state.Items.Elements()) > 0
	if m := p.planned; m.PlanID.IsNull() && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 && (before || p.state.ID.IsNull()) {
		diags.AddAttributeError(path.Root("plan_id"), "Neither a plan nor items",
			"A subscription needs a plan_id, or items, or both. Set plan_id to the plan, or list the items that are billed.")
	}
}

func refusePast(resumesAt fwtype.DateTime, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("pause").AtName("resumes_at"), "The pause would have ended already",
		fmt.Sprintf("pause.resumes_at is %q, which is in the past. Write a later date, or remove "+
			"pause.", resumesAt.ValueString()))
}

func (p *planning) refusePause(diags *diag.Diagnostics) {
	if p.planned.AllowPause.Equal(types.BoolValue(false)) {
		diags.AddAttributeError(path.Root("pause"), "The subscription may not be paused",
			fmt.Sprintf("%s has allow_pause = false, so the service would refuse to pause. Remove pause, or set "+
				"allow_pause = true.", apidiag.Capitalize(p.planned.displayName())))
	}
}

func (p *planning) refuseEnd(diags *diag.Diagnostics) {
	if p.planned.AllowCancel.Equal(types.BoolValue(false)) {
		diags.AddAttributeError(path.Root("cancel_at_period_end"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the service would refuse to cancel. Remove "+
				"cancel_at_period_end, or set allow_cancel = true.", apidiag.Capitalize(p.planned.displayName())))
	}
}

// refuseNothingBilled rejects a plan that leaves a subscription without items while no plan runs.
func (p *planning) refuseNothingBilled(diags *diag.Diagnostics) {
	m := p.planned
	empties := slices.Contains(p.asked, changeItems) && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0
	if !empties || !m.CurrentPlanID.IsNull() {
		return
	}
	diags.AddAttributeError(path.Root("items"), "Nothing would be billed until the plan begins",
		fmt.Sprintf("%s runs without a plan, and the plan %q begins with the next period (after %s). Until then the "+
			"subscription is billed by its items, so the service does not remove them. "+
			"Keep items until current_plan_id shows the plan, or set plan_change.timing = "+
			"\"immediate\".", apidiag.Capitalize(m.displayName()), m.PendingPlanID.ValueString(), p.state.CurrentPeriodEnd.ValueString()))
}
