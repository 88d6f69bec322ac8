package subscription

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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

// replaces warns what a replacement cancels and bills again, and rejects one where the present subscription could not
// be canceled before, because both would charge.
func (p *planning) replaces(present model) {
	if present.Status.ValueString() == statusCanceled {
		return
	}
	title := present.title()
	if p.own.Imported {
		p.Diags.AddError(title+" is imported, and an import replaces nothing",
			fmt.Sprintf("%s has billing_account_id %s, company_id %s and product_group_id %s. This plan imports it and "+
				"replaces it: it would be canceled, and a new one would charge. Write what the subscription has and "+
				"apply the import; the next plan may replace it.", title, present.BillingAccountID, present.CompanyID,
				present.ProductGroupID))
		return
	}
	refuseDestroy(present, p.Diags)
	if at := present.DeletionPolicy.ValueString(); at == object.PolicyAbandon || at == policyCancelAtPeriodEnd {
		p.Diags.AddAttributeError(path.Root(object.PolicyName), title+" would charge next to the new one",
			fmt.Sprintf("This plan replaces %s, which was applied with deletion_policy = %q: it would continue next "+
				"to the new one. To replace it, set deletion_policy = \"cancel\" and apply that first. To have both, "+
				"write the new one in a separate block.", present.displayName(), at))
	}
	if !p.Diags.HasError() {
		p.Diags.AddWarning(title+" is canceled and billed again as a new one",
			fmt.Sprintf("This plan replaces %s: the apply cancels it immediately and not at the end of its period "+
				"(%s), and creates another one, which is billed from its start, or from the end of its trial%s. What was "+
				"charged is not refunded, and invoices that exist stay due.", present.displayName(), present.periodEnd(),
				present.charge()))
	}
}

// refuseSuspendedReplacement rejects a subscription that follows its account, which is replaced by a suspended one.
func (p *planning) refuseSuspendedReplacement() {
	id := p.State.BillingAccountID.ValueString()
	account, _ := run.Noted[run.Status](p.Run, accountTypeName, id)
	if p.Planned.BillingAccountID.IsUnknown() && account.Configured.ValueString() == accountSuspended {
		p.refuseAccount(fmt.Sprintf("that replaces %q", id), "is suspended by this plan. Use another one, or leave it active")
	}
}

// warnUnknownAccount warns that a subscription is not moved to an account that this apply creates.
func (p *planning) warnUnknownAccount() {
	if p.State.Status.ValueString() == statusCanceled || !p.Planned.BillingAccountID.IsUnknown() {
		return
	}
	p.Diags.AddAttributeWarning(path.Root(argBillingAccountID), p.State.title()+" moves to another account only with a "+
		"second apply", fmt.Sprintf("billing_account_id is only known after apply. If it turns out to be another account "+
		"than %q, as one that this plan creates is, the apply creates the account and then stops, before it sends "+
		"anything for the subscription. Plan again: the account is known then, and the plan shows the replacement.",
		p.State.BillingAccountID.ValueString()))
}

// checkAccount rejects a new subscription on an account that takes none: one that this plan suspends, or that is not
// active and stays so. It reports whether it has found the account active.
func (p *planning) checkAccount() bool {
	if p.Planned.BillingAccountID.IsUnknown() || p.Diags.HasError() {
		return false
	}
	id := p.Planned.BillingAccountID.ValueString()
	planned, _ := run.Noted[run.Status](p.Run, accountTypeName, id)
	switch {
	case planned.Changes && planned.Configured.ValueString() == accountSuspended:
		p.refuseAccount(strconv.Quote(id), "is suspended by this plan. Use another one, or leave it active")
	case planned.Changes || p.client == nil || p.InApply():
	default:
		// A read may lag behind the creation of the account, so that one that does not exist is only proof enough where
		// something would be canceled before.
		wrong, active := readAccount(p.ctx, p.client, id, p.Replaces, p.Diags)
		if wrong != "" {
			p.refuseAccount(strconv.Quote(id), wrong)
		}
		return active
	}
	return false
}

// readAccount returns why the account takes no new subscription, "" where it does or that is not known.
func readAccount(ctx context.Context, client *billing.Service, id string, replaces bool,
	diags *diag.Diagnostics) (wrong string, active bool) {
	account, err := client.GetBillingAccount(ctx, id)
	e, responded := api.AsError(err)
	switch {
	case api.IsNotFound(err) && !replaces:
	case api.IsNotFound(err):
		return "does not exist: no billing account of the token's organization has this id. Correct it; if it is the id " +
			"of a customer, use its billing_account_id", false
	case responded && e.Status == http.StatusForbidden: // a token that may not read accounts may still create
	case err != nil:
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: fmt.Sprintf("the billing account %q", id)})
	case account.Status == accountActive:
		return "", true
	default:
		return fmt.Sprintf("is %s and takes no new subscription. Use another one, or reactivate it and apply that first",
			account.Status), false
	}
	return "", false
}

func (p *planning) refuseAccount(account, wrong string) {
	p.refused(argBillingAccountID, "it cannot be created on its billing account", "This plan creates %s on the billing "+
		"account %s, which %s. Nothing was changed.", p.Planned.displayName(), account, wrong)
}

// refuseDoomed asks once more, before the present subscription is canceled, for what would make the service reject the
// new one. The plan may be old.
func (w *work) refuseDoomed(ctx context.Context, next creation) {
	wrong, at := "", argBillingAccountID
	if next.BillingAccountID != "" {
		if wrong, _ = readAccount(ctx, w.Client, next.BillingAccountID, true, w.Diags); wrong != "" {
			wrong = fmt.Sprintf("The billing account %q %s", next.BillingAccountID, wrong)
		}
	}
	if wrong == "" && past(ctx, w.Client, next.TrialEnd) {
		wrong, at = fmt.Sprintf("trial_end %q has passed", next.TrialEnd), "trial_end"
	}
	if wrong != "" {
		w.Diags.AddAttributeError(path.Root(at), w.State.title()+" is not canceled, because its replacement would fail",
			fmt.Sprintf("%s. This has changed since the plan, which cancels %s and creates a new one. Nothing was "+
				"changed. Plan again.", wrong, w.State.displayName()))
	}
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
		diags.AddAttributeError(path.Root(name), "The plan did not show that "+state.displayName()+" is replaced",
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
		diags.AddAttributeError(path.Root("allow_cancel"), state.title()+" may not be canceled",
			"It has allow_cancel = false, so the API would reject the cancellation. Nothing was changed. Set "+
				"allow_cancel = true and apply that first, or set deletion_policy = \"abandon\" to remove it from the "+
				"state only.")
	}
}

// warnCharges reports what a destroyed subscription still charges, and what destroying with cancel_at_period_end means
// for the objects that it needs.
func warnCharges(state model, diags *diag.Diagnostics) {
	if state.Status.ValueString() == statusCanceled {
		return
	}
	at := path.Root(object.PolicyName)
	switch state.DeletionPolicy.ValueString() {
	case policyCancel:
		diags.AddAttributeWarning(at, state.title()+" is canceled immediately",
			fmt.Sprintf("The apply cancels it, and not at the end of its period (%s). No further period is charged%s. What "+
				"was charged is not refunded, and invoices that exist stay due. To let the period end first, set "+
				"deletion_policy = \"cancel_at_period_end\" and apply that before destroying.", state.periodEnd(),
				state.charge()))
	case policyCancelAtPeriodEnd:
		diags.AddAttributeWarning(at, state.title()+" runs until the end of its period",
			fmt.Sprintf("deletion_policy is \"cancel_at_period_end\": it leaves the state now and runs until %s. Until then "+
				"it can be charged%s; no further period is. Until then the service does not delete its customer. Destroy "+
				"the customer after that date, or set deletion_policy = \"cancel\", apply that, and destroy everything "+
				"immediately.", state.periodEnd(), state.charge()))
	}
}

// periodEnd is the end of the period for a message.
func (m model) periodEnd() string {
	if end := m.CurrentPeriodEnd.ValueString(); end != "" {
		return end
	}
	return "which the service does not name"
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

// refuseNew reports what the service would reject of a new subscription.
func (p *planning) refuseNew() {
	m := p.Planned
	p.refuseNeither()
	if p.past(m.TrialEnd) {
		p.refused("trial_end", "its trial would have ended already", "trial_end is %s, which is in the past. Write a "+
			"later time, or remove the argument for a subscription without a trial.", m.TrialEnd.ValueString())
	}
	if !p.Config.TrialEnd.IsNull() && !p.Config.TrialPeriodDays.IsNull() {
		p.refused("trial_period_days", "two trials for one subscription", "A new subscription is created with trial_end "+
			"or with trial_period_days. Remove one of them.")
	}
	for _, t := range transitions {
		if (t.name == pauseIt || t.name == scheduleEnd) && t.asked(p) {
			t.refuse(p)
		}
	}
	p.warnPauseOver()
}

// refuseNeither rejects a configuration that leaves a subscription with nothing to bill. One that the service already
// shows so is left alone: not every service lists items.
func (p *planning) refuseNeither() {
	before := !p.State.PlanID.IsNull() || len(p.State.Items.Elements()) > 0
	if m := p.Planned; m.PlanID.IsNull() && !m.Items.IsUnknown() && len(m.Items.Elements()) == 0 &&
		(before || p.State.ID.IsNull()) {
		p.refused("plan_id", "neither a plan nor items", "A subscription needs a plan_id, or items, or both. Set plan_id "+
			"to the plan, or list the items that are billed.")
	}
}
