package subscription

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const (
	argBillingAccountID = "billing_account_id"
	accountTypeName     = "billing_account"
	// accountActive is the status of an account that accepts new subscriptions (wire contract: suspended billing
	// account).
	accountActive    = "active"
	accountSuspended = "suspended"
	// refunds says what no description of the service promises about money that is already charged.
	refunds = "The service documents no refund for the rest of the period."
)

// belongsTo are the arguments whose change requires a new subscription.
var belongsTo = []string{argBillingAccountID, "company_id", "product_group_id"}

// forces lists the planned changes that require a new subscription. An unknown value does not force replacement,
// because it usually turns out to be the same, unless the same run replaces the account.
func (p *planning) forces() (names []string) {
	for _, name := range belongsTo {
		planned, state := p.Planned.get(name), p.State.get(name)
		follows := name == argBillingAccountID && p.Run.Replaces(accountTypeName, p.State.BillingAccountID.ValueString())
		if planned.IsUnknown() && follows || !planned.IsUnknown() && !planned.Equal(state) {
			names = append(names, name)
		}
	}
	return names
}

// replaces reports the effects of a replacement on billing. It rejects a replacement if the existing subscription would
// not be canceled first, because both would be charged.
func (p *planning) replaces(present model) {
	if present.Status.ValueString() == statusCanceled {
		return
	}
	title := present.title()
	if object.Imports(p.ctx, p.Private, p.Diags) {
		p.Diags.AddError(title+" would be replaced during its import",
			fmt.Sprintf("This plan imports and replaces it: it would be canceled, and a new one charged. Configure its "+
				"current values (billing_account_id %s, company_id %s, product_group_id %s) and apply the import; the next plan "+
				"can replace it.", present.BillingAccountID, present.CompanyID, present.ProductGroupID))
		return
	}
	checkDestroy(present, p.Diags)
	if at := present.DeletionPolicy.ValueString(); at == object.PolicyAbandon || at == policyCancelAtPeriodEnd {
		p.Diags.AddAttributeError(path.Root(object.PolicyName), title+" would be charged in addition to the new one",
			fmt.Sprintf("This plan replaces it, and it was applied with deletion_policy = %q, so it would continue. To "+
				"replace it, set deletion_policy = \"cancel\" and apply that first. To keep both, write the new one in a "+
				"separate block.", at))
	}
	if !p.Diags.HasError() {
		amount := ""
		if n := p.withCurrency(present, present); n.cents != nil {
			amount = "; its recurring amount was " + n.amount()
		}
		p.Diags.AddWarning(title+" is canceled and billed again as a new one",
			fmt.Sprintf("The apply cancels it immediately, not at the end of its period (%s)%s. The new one %s; its amount is "+
				"not known. Values that are set elsewhere and not configured are not carried over. "+refunds,
				present.periodEnd(), amount, p.begins()))
	}
}

// begins describes how a new subscription begins.
func (p *planning) begins() string {
	text := "is billed on its own, from a new period"
	_, resumesAt := pauseFields(p.Config.Pause)
	switch {
	case p.Config.CollectionMethod.ValueString() == methodManualInvoice:
		text = "is invoiced manually"
	case p.Config.CollectionMethod.IsUnknown():
		text = "may be billed on its own, from a new period"
	case p.Config.Pause.IsUnknown() || resumesAt.IsUnknown():
		text = "may be paused, and is billed when it is not"
	case !p.Config.Pause.IsNull() && !p.change().pauseOver():
		text = "is paused, and billed when the pause ends"
	}
	switch {
	case p.Config.CancelAtPeriodEnd.IsUnknown():
		text += ", and may end with its first period"
	case p.Config.CancelAtPeriodEnd.ValueBool():
		text = "ends with its first period, so that no invoice follows automatically"
	}
	switch {
	case !p.Config.TrialPeriodDays.IsNull() && !p.Config.TrialPeriodDays.IsUnknown():
		return fmt.Sprintf("starts a new trial of %s days, and then %s", p.Config.TrialPeriodDays, text)
	case !p.Config.TrialEnd.IsNull() && !p.Config.TrialEnd.IsUnknown():
		return fmt.Sprintf("starts a new trial until %s, and then %s", p.Config.TrialEnd.ValueString(), text)
	case p.Config.TrialPeriodDays.IsUnknown() || p.Config.TrialEnd.IsUnknown():
		return "may start a new trial, and then " + text
	}
	return text
}

// warnUnknownAccount warns that the apply cannot move a subscription to an account that it creates. It reports an error
// if the apply also closes the current account.
func (p *planning) warnUnknownAccount() {
	present := p.State.BillingAccountID.ValueString()
	switch {
	case p.State.Status.ValueString() == statusCanceled || !p.Planned.BillingAccountID.IsUnknown():
	case p.Run.Removes(accountTypeName, present):
		p.reject(argBillingAccountID, "this plan removes its billing account", "It belongs to the billing account %q, "+
			"and its new account is known only after apply. If the account, or its customer, was renamed or moved, add a moved "+
			"block from the old address. To use another account, first create it; then change billing_account_id, which "+
			"replaces the subscription; then remove the old one.", present)
	default:
		p.Diags.AddAttributeWarning(path.Root(argBillingAccountID), p.State.title()+" moves to another account only with a "+
			"second apply", fmt.Sprintf("billing_account_id is known only after apply. If it turns out to differ from %q, the "+
			"apply fails before it changes the subscription, and the next plan shows the replacement. If this plan also "+
			"replaces that account, which closes it, plan with -replace for the subscription too.", present))
	}
}

func (m model) requirements() []object.Requirement {
	requirements := []object.Requirement{
		{Argument: argBillingAccountID, Value: m.BillingAccountID.ValueString()},
		{Argument: "trial_end", Value: m.TrialEnd.ValueString()},
		{Argument: "plan_id", Value: m.PlanID.ValueString()},
		{Argument: "discount_code_id", Value: m.DiscountCodeID.ValueString()},
	}
	for _, i := range itemsOf(m.Items) {
		requirements = append(requirements,
			object.Requirement{Argument: argItems, Field: "product_id", Value: i.product.ValueString()},
			object.Requirement{Argument: argItems, Field: "price_id", Value: i.price.ValueString()})
	}
	return requirements
}

// lacks explains why the service would reject the creation of a subscription. It ignores lists that are empty or cannot
// be read.
func unmet(ctx context.Context, client *billing.Service, requirement object.Requirement) (string, error) {
	switch requirement.Argument {
	case argBillingAccountID:
		return accountProblem(ctx, client, requirement.Value)
	case "trial_end":
		if passed, _ := past(ctx, client, requirement.Value); passed {
			return "By the clock of the service, this time has passed. Set a later one, or remove trial_end.", nil
		}
		return "", nil
	}
	collection := collections[cmp.Or(requirement.Field, requirement.Argument)]
	if unlisted(ctx, client, collection, requirement.Value) {
		return fmt.Sprintf("It is not in the service's list of %s. Correct it.", collection), nil
	}
	return "", nil
}

// accountProblem explains why a billing account does not accept a new subscription; "" if it does.
func accountProblem(ctx context.Context, client *billing.Service, id string) (string, error) {
	account, err := client.GetBillingAccount(ctx, id)
	switch {
	case api.IsNotFound(err):
		return "No billing account of the token's organization has this id. Correct it; if it is the id of a customer, use " +
			"its billing_account_id.", nil
	case err == nil && account.Status != accountActive:
		return fmt.Sprintf("This account is %s and accepts no new subscriptions. Use another one, or reactivate it and "+
			"apply that first.", account.Status), nil
	}
	return "", err
}

// longestList limits the time to read a list, because a replacement is possible without it.
const longestList = 20 * time.Second

// unlisted reports whether the service lists a collection without the object.
func unlisted(ctx context.Context, client *billing.Service, collection, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, longestList)
	defer cancel()
	listed := false
	for record, err := range client.ListRecords(ctx, collection, billing.RecordQuery{}) {
		if err != nil || same.ID(record.ID, id) {
			return false
		}
		listed = true
	}
	return listed
}

// checkAccountUsable rejects a replacement on an account that the same plan suspends: Terraform first cancels the
// present subscription, then suspends the account, then creates the new subscription.
func (p *planning) checkAccountUsable() {
	if id := p.Planned.BillingAccountID.ValueString(); p.Replaces && !p.InApply() && !p.Diags.HasError() &&
		p.Run.Unusable(accountTypeName, id) {
		p.reject(argBillingAccountID, "the service would reject its replacement", "This plan suspends the billing account "+
			"%q, which then accepts no new subscriptions. Use an active account.", id)
	}
}

// rejectReplacement rejects an update that requires a new subscription. The plan could not show the replacement, so the
// apply sends nothing.
func rejectReplacement(forces []string, plan, state model, diags *diag.Diagnostics) {
	for _, name := range forces {
		switch {
		case name == "status" && plan.OnExternalCancel.Equal(state.OnExternalCancel):
			name = argCancelAtPeriodEnd
		case name == "status":
			name = "on_external_cancel"
		}
		diags.AddAttributeError(path.Root(name), "The plan did not show that "+state.displayName()+" is replaced",
			fmt.Sprintf("%s was unknown in the plan. It changes from %s to %s, which requires a new subscription: this one "+
				"would be canceled, and the new one charged. Nothing was changed. Plan again: the new plan shows the "+
				"replacement.", name, state.get(name), plan.get(name)))
	}
}

// checkDestroy rejects destroying a subscription that cannot be canceled.
func checkDestroy(state model, diags *diag.Diagnostics) {
	policy := state.DeletionPolicy.ValueString()
	sends := policy == policyCancel || policy == policyCancelAtPeriodEnd && !state.CancelAtPeriodEnd.ValueBool()
	if sends && state.AllowCancel.Equal(types.BoolValue(false)) && state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), state.title()+" cannot be canceled",
			"It has allow_cancel = false, so the API would reject the cancellation. Set allow_cancel = true and apply that "+
				"first, or set deletion_policy = \"abandon\" to remove it from the state only.")
	}
}

// warnCharges reports charges after a subscription is destroyed, and the effect of cancel_at_period_end on the objects
// that it needs.
func (p *planning) warnCharges(state model) {
	at := path.Root(object.PolicyName)
	if state.Status.ValueString() == statusCanceled {
		return
	}
	switch state.DeletionPolicy.ValueString() {
	case policyCancel:
		text := "No further period is charged."
		n, first := p.withCurrency(state, state), ""
		if n.charges() {
			text += " Without this, the next invoice would be: " + n.due() + "."
			first = " To let the period end first, set deletion_policy = \"cancel_at_period_end\" and apply that before " +
				"destroying."
		}
		p.Diags.AddAttributeWarning(at, state.title()+" is canceled immediately",
			fmt.Sprintf("The apply cancels it now, not at the end of its period (%s). %s %s%s", state.periodEnd(), text,
				refunds, first))
	case policyCancelAtPeriodEnd:
		ending, text := state, "No further period is charged."
		ending.CancelAtPeriodEnd = types.BoolValue(true)
		n := p.withCurrency(state, ending)
		if n.charges() {
			text = n.String()
		}
		p.Diags.AddAttributeWarning(at, state.title()+" runs until the end of its period",
			fmt.Sprintf("It is removed from the state now, and ends with %s. Until then, its customer cannot be deleted. %s "+
				"Destroy the customer after that, or set deletion_policy = \"cancel\", apply that, and destroy again.",
				n.period(), text))
	}
}

// planAbandoned describes what an abandoned subscription bills.
func (p *planning) planAbandoned(state model) {
	if state.Policy().Abandons() && state.Status.ValueString() != statusCanceled {
		n := p.withCurrency(state, state)
		p.AfterAbandon = n.unlessEnded()
		if !n.ends {
			p.AfterAbandon = "It continues until it is canceled at the service. " + p.AfterAbandon
		}
	}
}

// planCanceled plans a canceled subscription, and returns the argument that requests a new one, or "".
//
// A canceled subscription cannot be changed. A changed argument is stored in the state without a request, so that the
// next plan is empty.
func (p *planning) planCanceled() string {
	p.planArgumentValues(&diag.Diagnostics{}) // changes that are not sent need no checks
	changed := p.planArguments()

	at, title := path.Root("on_external_cancel"), p.State.title()+" is canceled"
	what := "It was canceled at the service at " + p.State.CanceledAt.ValueString() + "."
	asked := p.asksForEnd() && p.State.CancelAtPeriodEnd.ValueBool() && !p.endedEarly()
	open := p.unknownAbout(asked)
	switch mode := p.Planned.OnExternalCancel.ValueString(); {
	case open != "":
		what += " It is kept in the state. " + open + " is known only after apply; the next plan shows whether a new one " +
			"is created."
	case mode == externalCancelRecreate && object.Imports(p.ctx, p.Private, p.Diags):
		what += " The run that imports it does not create another one; the next plan does."
	case mode == externalCancelRecreate && !asked:
		p.Planned.Status = types.StringUnknown()
		p.Diags.AddAttributeWarning(at, title+": a new subscription is created", what+" The new one "+p.begins()+". To "+
			"leave it canceled, set "+
			"on_external_cancel = \"keep\", or remove the block.")
		return "status"
	case mode == externalCancelError && !asked:
		p.Diags.AddAttributeError(at, title+", and on_external_cancel is \"error\"", what+" To continue, set "+
			"on_external_cancel to \"keep\" (leave it canceled) or \"recreate\" (create a new subscription), or remove the "+
			"block. To destroy everything nevertheless, run terraform destroy -refresh=false.")
		return ""
	case !asked:
		what += " It is kept in the state, and no new one is created automatically. Set on_external_cancel to " +
			"\"recreate\" for a new subscription, or remove the block."
	}
	if len(changed) > 0 {
		what += fmt.Sprintf(" A canceled subscription cannot be changed: changing %s has no effect at the service; only "+
			"the state is updated.", strings.Join(changed, ", "))
	}
	if !asked || open != "" || len(changed) > 0 {
		p.Diags.AddAttributeWarning(at, title, what)
	}
	return ""
}

// asksForEnd reports whether the configuration requests the cancellation, or may: an unknown value does not cause
// re-creation.
func (p *planning) asksForEnd() bool {
	return p.Config.CancelAtPeriodEnd.ValueBool() || p.Config.CancelAtPeriodEnd.IsUnknown()
}

// unknownAbout returns the argument that decides whether there is a new subscription, if it is unknown. asked is true
// if the configuration has requested the cancellation, or may have.
func (p *planning) unknownAbout(asked bool) string {
	mode := p.Planned.OnExternalCancel
	switch {
	case mode.IsUnknown() && (!asked || p.Config.CancelAtPeriodEnd.IsUnknown()):
		return "on_external_cancel"
	case asked && p.Config.CancelAtPeriodEnd.IsUnknown() && mode.ValueString() == externalCancelRecreate:
		return argCancelAtPeriodEnd
	}
	return ""
}

// endedEarly reports whether the subscription was canceled before the end of its period.
func (p *planning) endedEarly() bool {
	at, canceled := api.ParseTime(p.State.CanceledAt.ValueString())
	end, known := api.ParseTime(p.State.CurrentPeriodEnd.ValueString())
	return canceled && known && at.Before(end)
}

// planArguments keeps the planned values of arguments, and the values in state of all other attributes. It returns the
// changed arguments that the service has.
func (p *planning) planArguments() (changed []string) {
	for name := range value.Fields(reflect.TypeFor[model]()) {
		planned := p.Planned.get(name)
		switch {
		case planned.Equal(p.State.get(name)), name == object.PolicyName, name == "on_external_cancel":
		case !slices.Contains(arguments, name), planned.IsUnknown() && p.Config.get(name).IsNull():
			p.Planned.at(name).Set(p.State.at(name))
		case name != "plan_change": // has no effect alone
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// withArgumentsOf returns m with the known arguments of prior: a canceled subscription cannot be changed, so
// differences are not drift.
func (m model) withArgumentsOf(prior model) model {
	for _, name := range append(slices.Clone(arguments), "effective_custom_metadata") {
		recorded := name == argCancellationReason && !m.CancellationReason.IsNull() ||
			name == argCancelAtPeriodEnd && m.CancelAtPeriodEnd.ValueBool() && prior.Status.ValueString() != statusCanceled
		if !recorded && !prior.get(name).IsUnknown() {
			m.at(name).Set(prior.at(name))
		}
	}
	return m
}

// periodEnd formats the end of the period for a message.
func (m model) periodEnd() string { return cmp.Or(m.CurrentPeriodEnd.ValueString(), notKnown) }
