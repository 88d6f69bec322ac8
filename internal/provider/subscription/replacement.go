package subscription

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
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
	// accountActive is the status of an account that takes new subscriptions (wire contract: suspended billing account).
	accountActive = "active"
)

// belongsTo are the arguments of which only a new subscription can have other values.
var belongsTo = []string{argBillingAccountID, "company_id", "product_group_id"}

// forces lists the arguments that only a new subscription can have as they are planned. A value that is not known yet
// forces nothing: most often it turns out the same. The exception is the id of an account that the same run replaces.
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

// replaces warns what a replacement cancels and bills again, and rejects one where the present subscription could not
// be canceled before, because both would charge.
func (p *planning) replaces(present model) {
	if present.Status.ValueString() == statusCanceled {
		return
	}
	title := present.title()
	if object.Imports(p.ctx, p.Private, p.Diags) {
		p.Diags.AddError(title+" is imported, and an import replaces nothing",
			fmt.Sprintf("This plan imports it and replaces it: it would be canceled, and a new one would charge. Write what it "+
				"has (billing_account_id %s, company_id %s, product_group_id %s) and apply the import; the next plan may "+
				"replace it.", present.BillingAccountID, present.CompanyID, present.ProductGroupID))
		return
	}
	refuseDestroy(present, p.Diags)
	if at := present.DeletionPolicy.ValueString(); at == object.PolicyAbandon || at == policyCancelAtPeriodEnd {
		p.Diags.AddAttributeError(path.Root(object.PolicyName), title+" would charge next to the new one",
			fmt.Sprintf("This plan replaces it, and it was applied with deletion_policy = %q: it would continue. To replace "+
				"it, set deletion_policy = \"cancel\" and apply that first. To have both, write the new one in a separate "+
				"block.", at))
	}
	if !p.Diags.HasError() {
		p.Diags.AddWarning(title+" is canceled and billed again as a new one",
			fmt.Sprintf("The apply cancels it immediately and not at the end of its period (%s), and creates another one, "+
				"which is billed from its start, or from the end of its trial%s. Items, a collection_method and other "+
				"values that another system has set and the configuration leaves out are not carried over, so the amount may "+
				"differ. What was charged is not refunded, and invoices that exist stay due.",
				present.periodEnd(), present.charge()))
	}
}

// warnUnknownAccount warns that a subscription is not moved to an account that this apply creates, and refuses that
// where the apply closes the present one.
func (p *planning) warnUnknownAccount() {
	present := p.State.BillingAccountID.ValueString()
	switch {
	case p.State.Status.ValueString() == statusCanceled || !p.Planned.BillingAccountID.IsUnknown():
	case p.Run.Removes(accountTypeName, present):
		p.refused(argBillingAccountID, "this plan removes its billing account", "It is on the billing account %q, which the "+
			"plan removes, and the account that it would move to is only known after apply. If the account, or its customer, "+
			"was renamed or moved, add a moved block from the old address. To have another account, create that first; "+
			"then move the subscription, which replaces it; then remove the old one.", present)
	default:
		p.Diags.AddAttributeWarning(path.Root(argBillingAccountID), p.State.title()+" moves to another account only with a "+
			"second apply", fmt.Sprintf("billing_account_id is only known after apply. If it turns out to be another account "+
			"than %q, the apply stops before it sends anything for the subscription. Plan again: the account is known then, "+
			"and the plan shows the replacement. If this plan also replaces that account, which closes it, plan with -replace "+
			"for the subscription too.", present))
	}
}

// needs are what a new subscription needs.
func (m model) needs() []object.Need {
	needs := []object.Need{
		{Argument: argBillingAccountID, Value: m.BillingAccountID.ValueString()},
		{Argument: "trial_end", Value: m.TrialEnd.ValueString()},
		{Argument: "plan_id", Value: m.PlanID.ValueString()},
		{Argument: "discount_code_id", Value: m.DiscountCodeID.ValueString()},
	}
	for _, i := range itemsOf(m.Items) {
		needs = append(needs, object.Need{Argument: argItems, Field: "product_id", Value: i.product.ValueString()},
			object.Need{Argument: argItems, Field: "price_id", Value: i.price.ValueString()})
	}
	return needs
}

// lacks says why the service would not create a subscription. A list that cannot be read, or is empty, says nothing.
func lacks(ctx context.Context, client *billing.Service, need object.Need) (string, error) {
	switch need.Argument {
	case argBillingAccountID:
		return refusesSubscription(ctx, client, need.Value)
	case "trial_end":
		if past(ctx, client, need.Value) {
			return "By the clock of the service, this time has passed. Set a later one, or remove trial_end.", nil
		}
		return "", nil
	}
	if collection := collections[cmp.Or(need.Field, need.Argument)]; unlisted(ctx, client, collection, need.Value) {
		return fmt.Sprintf("It is not in the service's list of %s. Correct it.", collection), nil
	}
	return "", nil
}

// refusesSubscription says why a billing account takes no new subscription; "" if it takes one.
func refusesSubscription(ctx context.Context, client *billing.Service, id string) (string, error) {
	account, err := client.GetBillingAccount(ctx, id)
	switch {
	case api.IsNotFound(err):
		return "No billing account of the token's organization has this id. Correct it; if it is the id of a customer, use " +
			"its billing_account_id.", nil
	case err == nil && account.Status != accountActive:
		return fmt.Sprintf("This account is %s and takes no new subscription. Use another one, or reactivate it and apply "+
			"that first.", account.Status), nil
	}
	return "", err
}

// longestList bounds a listing that a replacement can do without.
const longestList = 20 * time.Second

// unlisted reports whether the service lists a collection, and the object with the id is not in it.
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

// refuseBarred rejects a replacement on an account that the same plan suspends: Terraform cancels the present
// subscription first, then suspends, then creates.
func (p *planning) refuseBarred() {
	if id := p.Planned.BillingAccountID.ValueString(); p.Replaces && !p.InApply() && !p.Diags.HasError() &&
		p.Run.Barred(accountTypeName, id) {
		p.refused(argBillingAccountID, "the service would reject its replacement", "The billing account %q is suspended "+
			"once this plan is applied, and takes no new subscription then. Use another one, or an active one.", id)
	}
}

// refuseForced rejects an update that only a new subscription can fulfil. The plan could not show a replacement, so
// nothing is sent.
func refuseForced(forces []string, plan, state model, diags *diag.Diagnostics) {
	for _, name := range forces {
		if name == "status" {
			name = "on_external_cancel"
		}
		diags.AddAttributeError(path.Root(name), "The plan did not show that "+state.displayName()+" is replaced",
			fmt.Sprintf("%s was not known in the plan. It is %s and turned out to be %s, which only a new subscription can "+
				"have: this one would be canceled, and the new one would charge. Nothing was changed. Plan again: the value is "+
				"known then, and the plan shows the replacement.", name, state.get(name), plan.get(name)))
	}
}

// refuseDestroy reports what keeps the subscription from being canceled.
func refuseDestroy(state model, diags *diag.Diagnostics) {
	policy := state.DeletionPolicy.ValueString()
	if (policy == policyCancel || policy == policyCancelAtPeriodEnd) && state.AllowCancel.Equal(types.BoolValue(false)) &&
		state.Status.ValueString() != statusCanceled {
		diags.AddAttributeError(path.Root("allow_cancel"), state.title()+" may not be canceled",
			"It has allow_cancel = false, so the API would reject the cancellation. Nothing was changed. Set "+
				"allow_cancel = true and apply that first, or set deletion_policy = \"abandon\" to remove it from the "+
				"state only.")
	}
}

// warnCharges reports what a destroyed subscription still charges, and what destroying with cancel_at_period_end means
// for the objects that it needs.
func warnCharges(state model, diags *diag.Diagnostics) {
	at := path.Root(object.PolicyName)
	switch policy := state.DeletionPolicy.ValueString(); {
	case state.Status.ValueString() == statusCanceled:
	case policy == policyCancel:
		diags.AddAttributeWarning(at, state.title()+" is canceled immediately",
			fmt.Sprintf("The apply cancels it, and not at the end of its period (%s). No further period is charged%s. What "+
				"was charged is not refunded, and invoices that exist stay due. To let the period end first, set "+
				"deletion_policy = \"cancel_at_period_end\" and apply that before destroying.", state.periodEnd(),
				state.charge()))
	case policy == policyCancelAtPeriodEnd:
		diags.AddAttributeWarning(at, state.title()+" runs until the end of its period",
			fmt.Sprintf("It leaves the state now and runs until %s. Until then it can be charged%s, and the service does not "+
				"delete its customer. Destroy the customer after that date, or set deletion_policy = \"cancel\", apply that, and "+
				"destroy everything immediately.", state.periodEnd(), state.charge()))
	}
}

// planCanceled plans a subscription that is canceled, and returns the argument that asks for a new one, "" for none.
//
// Nothing of it can be changed at the service. A changed argument is taken over into the state, without a request, so
// that the next plan is empty.
func (p *planning) planCanceled() string {
	diags := p.Diags
	// Nothing can be wrong with a change that is not made.
	p.client, p.Diags = nil, &diag.Diagnostics{}
	p.plannedUpdate()
	p.asked, p.Diags = nil, diags
	changed := p.takeOver()

	at, title := path.Root("on_external_cancel"), p.State.title()+" is canceled"
	what := "It was canceled at the service at " + p.State.CanceledAt.ValueString() + "."
	asked := p.asksForEnd() && p.State.CancelAtPeriodEnd.ValueBool() && !p.endedEarly()
	switch mode := p.Planned.OnExternalCancel.ValueString(); {
	case mode == externalCancelRecreate && object.Imports(p.ctx, p.Private, p.Diags):
		what += " The run that imports it does not create another one; the next plan does."
	case mode == externalCancelRecreate && !asked:
		p.Planned.Status = types.StringUnknown()
		p.Diags.AddAttributeWarning(at, title+": a new subscription will be billed", what+" This plan creates a new "+
			"subscription, which charges from its start, or from the end of its trial. To leave it canceled, set "+
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
		what += fmt.Sprintf(" A canceled subscription cannot be changed: the change of %s has no effect at the service, "+
			"and only the state takes it over.", strings.Join(changed, ", "))
	}
	if !asked || len(changed) > 0 {
		p.Diags.AddAttributeWarning(at, title, what)
	}
	return ""
}

// asksForEnd reports whether the configuration asks for the end, or may: a value that is not known yet recreates
// nothing.
func (p *planning) asksForEnd() bool {
	return p.Config.CancelAtPeriodEnd.ValueBool() || p.Config.CancelAtPeriodEnd.IsUnknown()
}

// endedEarly reports whether the subscription was canceled before the end of its period.
func (p *planning) endedEarly() bool {
	at, canceled := api.Moment(p.State.CanceledAt.ValueString())
	end, known := api.Moment(p.State.CurrentPeriodEnd.ValueString())
	return canceled && known && at.Before(end)
}

// takeOver plans the arguments as they are planned so far, and everything else as it is in the state. It returns the
// arguments of the service that change.
func (p *planning) takeOver() (changed []string) {
	for name := range value.Fields(reflect.TypeFor[model]()) {
		planned := p.Planned.get(name)
		switch {
		case planned.Equal(p.State.get(name)), name == object.PolicyName, name == "on_external_cancel":
		case !slices.Contains(arguments, name), planned.IsUnknown() && p.Config.get(name).IsNull():
			p.Planned.at(name).Set(p.State.at(name))
		case name != "plan_change": // which alone asks for nothing
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// withArgumentsOf is m with the known arguments of prior: nothing of a canceled subscription can be changed any more,
// so no difference in it is drift.
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

// periodEnd is the end of the period for a message.
func (m model) periodEnd() string { return cmp.Or(m.CurrentPeriodEnd.ValueString(), "not known") }

// charge is the amount of a period as the state knows it, for the end of a clause; "" where it does not.
func (m model) charge() string {
	if m.RecurringAmountCents.IsNull() || m.RecurringAmountCents.IsUnknown() {
		return ""
	}
	amount := big.NewRat(m.RecurringAmountCents.ValueInt64(), 100) //nolint:mnd // cents in a unit
	text := " (recurring amount " + amount.FloatString(2)          //nolint:mnd // decimals of a unit
	if cycle := m.BillingCycle.ValueString(); cycle != "" {
		text += ", billing cycle " + cycle
	}
	if trial := m.TrialEnd.ValueString(); m.Status.ValueString() == "trialing" && trial != "" {
		text += ", in trial until " + trial
	}
	return text + ")"
}
