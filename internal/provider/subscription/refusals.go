package subscription

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

const argBillingAccountID = "billing_account_id"

// accountTypeName is the resource type of billing accounts.
const accountTypeName = "billing_account"

// Statuses of an account. Only an active one takes a new subscription (wire contract: suspended billing account).
const (
	accountActive    = "active"
	accountSuspended = "suspended"
)

// forces lists the arguments that only a new subscription can have as they are planned. A value that is not known yet
// forces nothing: most often it turns out the same. The exception is the id of an account that the same run replaces.
func (p *planning) forces() (names []string) {
	for _, argument := range []struct {
		name           string
		planned, state types.String
	}{
		{argBillingAccountID, p.Planned.BillingAccountID, p.State.BillingAccountID},
		{"company_id", p.Planned.CompanyID, p.State.CompanyID},
		{"product_group_id", p.Planned.ProductGroupID, p.State.ProductGroupID},
	} {
		switch {
		case argument.planned.IsUnknown():
			if argument.name == argBillingAccountID && p.Run.Replaces(accountTypeName, argument.state.ValueString()) {
				names = append(names, argument.name)
			}
		case !argument.planned.Equal(argument.state):
			names = append(names, argument.name)
		}
	}
	return names
}

// replace rejects a plan that creates another subscription where this one could not be canceled before, because both
// would charge, and one on an account that is replaced too, by a suspended one. Any other account is checked by the
// plan of the new subscription, see checkAccount.
func (p *planning) replace() {
	if p.State.Status.ValueString() != statusCanceled {
		p.refuseReplacement()
	}
	id := p.State.BillingAccountID.ValueString()
	account, _ := run.Noted[run.Status](p.Run, accountTypeName, id)
	if p.Planned.BillingAccountID.IsUnknown() && account.Configured.ValueString() == accountSuspended {
		p.refuseAccount(fmt.Sprintf("that replaces %q", id), "is suspended by this plan")
	}
}

func (p *planning) refuseReplacement() {
	state := p.State
	if !p.own.applied() {
		p.Diags.AddError("An import replaces nothing",
			fmt.Sprintf("%s was imported and has billing_account_id %s, company_id %s and product_group_id %s. The "+
				"configuration names others, which only a new subscription can have: this one would be canceled, and "+
				"the new one would charge. Write what the subscription has; a replacement can be planned once that "+
				"is applied.", apidiag.Capitalize(state.displayName()), state.BillingAccountID, state.CompanyID,
				state.ProductGroupID))
		return
	}
	refuseDestroy(state, p.Diags)
	if at := state.DeletionPolicy.ValueString(); at == policy.Abandon || at == policyCancelAtPeriodEnd {
		p.Diags.AddAttributeError(path.Root(policy.Name), "Two subscriptions would charge",
			fmt.Sprintf("This plan replaces %s, which was applied with deletion_policy = %q: it would continue next "+
				"to the new one. To replace it, set deletion_policy = \"cancel\" and apply that first. To have both, "+
				"write the new one in a separate block.", state.displayName(), at))
	}
}

// checkAccount rejects a new subscription on an account that takes none. What the plan makes of the account counts; the
// service is only asked before a replacement, which cancels another subscription first.
func (p *planning) checkAccount() {
	if p.Planned.BillingAccountID.IsUnknown() || p.Diags.HasError() {
		return
	}
	id := p.Planned.BillingAccountID.ValueString()
	planned, _ := run.Noted[run.Status](p.Run, accountTypeName, id)
	var wrong string
	switch {
	case planned.Changes && planned.Configured.ValueString() == accountSuspended:
		wrong = "is suspended by this plan"
	case !planned.Changes && p.Replaces && p.client != nil:
		wrong = p.readAccount(id)
	}
	if wrong != "" {
		p.refuseAccount(strconv.Quote(id), wrong)
	}
}

// readAccount returns why the account takes no new subscription, "" where it does.
func (p *planning) readAccount(id string) string {
	account, err := p.client.GetBillingAccount(p.ctx, id)
	switch {
	case api.IsNotFound(err):
		return "does not exist, or belongs to another organization than the token"
	case err != nil:
		apidiag.Add(p.Diags, err, apidiag.Operation{Verb: "read", Object: fmt.Sprintf("the billing account %q", id)})
	case account.Status != accountActive:
		return fmt.Sprintf("is %s and takes no new subscription", account.Status)
	}
	return ""
}

func (p *planning) refuseAccount(account, wrong string) {
	p.Diags.AddAttributeError(path.Root(argBillingAccountID), "The subscription cannot be created",
		fmt.Sprintf("This plan creates %s on the billing account %s. That account %s, so the creation would fail. A "+
			"subscription that it replaces would be canceled before that. Nothing was changed. Correct "+
			"billing_account_id, or reactivate the account and apply that first.", p.Planned.displayName(), account,
			wrong))
}

// refuseForced rejects an update that only a new subscription can fulfil. The plan could not show a replacement, so
// nothing is sent.
func refuseForced(forces []string, plan, state model, diags *diag.Diagnostics) {
	values := map[string][2]types.String{
		argBillingAccountID: {state.BillingAccountID, plan.BillingAccountID},
		"company_id":        {state.CompanyID, plan.CompanyID},
		"product_group_id":  {state.ProductGroupID, plan.ProductGroupID},
		"status":            {state.OnExternalCancel, plan.OnExternalCancel},
	}
	for _, name := range forces {
		before, now := values[name][0], values[name][1]
		if name == "status" {
			name = "on_external_cancel"
		}
		diags.AddAttributeError(path.Root(name), "The plan did not show that the subscription is replaced",
			fmt.Sprintf("%s of %s was not known in the plan. It is %s and turned out to be %s, which only a new "+
				"subscription can have: this one would be canceled, and the new one would charge. Nothing was "+
				"changed. Plan again: the value is known then, and the plan shows the replacement.", name,
				state.displayName(), before, now))
	}
}

// refuseDestroy reports what keeps the subscription from being canceled.
func refuseDestroy(state model, diags *diag.Diagnostics) {
	cancels := state.DeletionPolicy.ValueString() == policyCancel ||
		state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if cancels && state.AllowCancel.Equal(types.BoolValue(false)) && state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the API would reject the cancellation. Nothing was changed. "+
				"Set allow_cancel = true and apply that first, or set deletion_policy = \"abandon\" to remove it "+
				"from the state only.", apidiag.Capitalize(state.displayName())))
	}
}

// warnCharges reports what a destroyed subscription still charges, and what destroying with cancel_at_period_end means
// for the objects that it needs.
func warnCharges(state model, diags *diag.Diagnostics) {
	if state.Status.ValueString() == statusCanceled {
		return
	}
	at, who := path.Root(policy.Name), state.displayName()
	end := state.CurrentPeriodEnd.ValueString()
	if end == "" {
		end = "the end of its period"
	}
	switch state.DeletionPolicy.ValueString() {
	case policyCancel:
		diags.AddAttributeWarning(at, "The subscription is canceled immediately",
			fmt.Sprintf("%s is canceled by the apply and not at the end of its period (%s). No further period is charged%s. "+
				"What was charged is not refunded, and "+
				"invoices that exist stay due. To let the period end first, set deletion_policy = \"cancel_at_period_end\" and "+
				"apply that before destroying.",
				apidiag.Capitalize(who), end, state.charge()))
	case policyCancelAtPeriodEnd:
		diags.AddAttributeWarning(at, "The subscription runs until the end of its period",
			fmt.Sprintf("deletion_policy is \"cancel_at_period_end\": %s leaves the state now and runs until %s. Until then "+
				"it can be charged%s; no further period is. "+
				"Until then the service deletes neither its customer nor, with deletion_policy = \"delete\", its billing "+
				"account, and closing the account is immediate. "+
				"Destroy these after that date, or set deletion_policy = \"cancel\", apply that, and destroy everything "+
				"immediately.", who, end, state.charge()))
	}
}

// charge is the amount of a period as the state knows it, for the end of a clause; "" where it does not.
func (m model) charge() string {
	const centsPerUnit = 100
	if m.RecurringAmountCents.IsNull() || m.RecurringAmountCents.IsUnknown() {
		return ""
	}
	cents := m.RecurringAmountCents.ValueInt64()
	text := fmt.Sprintf(" (recurring amount %d.%02d", cents/centsPerUnit, cents%centsPerUnit)
	if cycle := m.BillingCycle.ValueString(); cycle != "" {
		text += ", billing cycle " + cycle
	}
	if trial := m.TrialEnd.ValueString(); m.Status.ValueString() == "trialing" && trial != "" {
		text += ", in trial until " + trial
	}
	return text + ")"
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
				diags.AddAttributeError(path.Root(argItems), "An item without a "+
					"product or a price",
					fmt.Sprintf("items[*].%s is null. Each item needs a product_id and a price_id; to leave an "+
						"item out, remove it from items.", name))
			}
		}
	}
}

// refuseNew reports what the service would reject of a new subscription.
func (p *planning) refuseNew() {
	m := p.Planned
	p.refuseNeither()
	if p.past(m.TrialEnd) {
		p.Diags.AddAttributeError(path.Root("trial_end"), "The trial would have ended already",
			fmt.Sprintf("trial_end is %s, which is in the past. Write a later time, or remove the argument for a "+
				"subscription without a trial.", m.TrialEnd.ValueString()))
	}
	if !p.Config.TrialEnd.IsNull() && !p.Config.TrialPeriodDays.IsNull() {
		p.Diags.AddAttributeError(path.Root("trial_period_days"), "Two trials for one subscription",
			"A new subscription is created with trial_end or with trial_period_days. Remove one of them.")
	}
	if _, resumesAt := pauseFields(m.Pause); p.past(resumesAt) {
		refusePast(resumesAt, p.Diags)
	}
	if !m.Pause.IsNull() && !m.Pause.IsUnknown() {
		p.refusePause()
	}
	if m.CancelAtPeriodEnd.ValueBool() {
		p.refuseEnd()
	}
}

// refuse reports what the service would reject of the changes that the plan needs.
func (p *planning) refuse() {
	p.refuseNeither()
	if slices.Contains(p.asked, pauseIt) && !p.Planned.Pause.IsUnknown() {
		p.refusePause()
	}
	if slices.Contains(p.asked, scheduleCancel) && !p.Planned.CancelAtPeriodEnd.IsUnknown() {
		p.refuseEnd()
	}
	timing, _ := p.Planned.planChange()
	if slices.Contains(p.asked, changePlanNow) && p.Planned.PlanID.IsNull() && timing == timingEndOfPeriod {
		p.Diags.AddAttributeError(path.Root("plan_change"), "A plan cannot be removed at the end of "+
			"the period",
			fmt.Sprintf("plan_id is removed from the configuration of %s, and plan_change.timing is "+
				"\"end_of_period\". The service can only begin another plan with the next period, not end one "+
				"without another. Set plan_change.timing = \"immediate\" to bill the items alone from now on, or "+
				"keep plan_id.", p.State.displayName()))
	}
}

// refuseNeither rejects a configuration that leaves a subscription with nothing to bill. One that the service already
// shows so is left alone: not every service lists items.
func (p *planning) refuseNeither() {
	before := !p.State.PlanID.IsNull() || len(p.State.Items.Elements()) > 0
	if m := p.Planned; m.PlanID.IsNull() && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 &&
		(before || p.State.ID.IsNull()) {
		p.Diags.AddAttributeError(path.Root("plan_id"), "Neither a plan nor items",
			"A subscription needs a plan_id, or items, or both. Set plan_id to the plan, or list the items that "+
				"are billed.")
	}
}

func refusePast(resumesAt fwtype.DateTime, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("pause"), "The pause would have ended already",
		fmt.Sprintf("pause.resumes_at is %q, which is in the past. Write a later date, or remove pause.",
			resumesAt.ValueString()))
}

func (p *planning) refusePause() {
	if p.Planned.AllowPause.Equal(types.BoolValue(false)) {
		p.Diags.AddAttributeError(path.Root("pause"), "The subscription may not be paused",
			fmt.Sprintf("%s has allow_pause = false, so the API would reject the pause. Remove pause, or set "+
				"allow_pause = true.", apidiag.Capitalize(p.Planned.displayName())))
	}
}

func (p *planning) refuseEnd() {
	if p.Planned.AllowCancel.Equal(types.BoolValue(false)) {
		p.Diags.AddAttributeError(path.Root("cancel_at_period_end"), "The subscription may not be canceled",
			fmt.Sprintf("%s has allow_cancel = false, so the API would reject the cancellation. Remove "+
				"cancel_at_period_end, or set allow_cancel = true.", apidiag.Capitalize(p.Planned.displayName())))
	}
}

// refuseNothingBilled rejects a plan that leaves a subscription without items while no plan runs.
func (p *planning) refuseNothingBilled() {
	m := p.Planned
	empties := slices.Contains(p.asked, changeItems) && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0
	if !empties || !m.CurrentPlanID.IsNull() {
		return
	}
	p.Diags.AddAttributeError(path.Root("items"), "Nothing would be billed until the plan begins",
		fmt.Sprintf("%s runs without a plan, and the plan %q begins with the next period (after %s). Until then the "+
			"subscription is billed by its items, so the service does not remove them. Keep items until "+
			"current_plan_id shows the plan, or set plan_change.timing = \"immediate\".",
			apidiag.Capitalize(m.displayName()), m.PendingPlanID.ValueString(),
			p.State.CurrentPeriodEnd.ValueString()))
}
