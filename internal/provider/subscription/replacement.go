package subscription

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
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
func (p *planning) forces(replaced func(accountID string) bool) (names []string) {
	for _, argument := range []struct {
		name           string
		planned, state types.String
	}{
		{argBillingAccountID, p.planned.BillingAccountID, p.state.BillingAccountID},
		{"company_id", p.planned.CompanyID, p.state.CompanyID},
		{"product_group_id", p.planned.ProductGroupID, p.state.ProductGroupID},
	} {
		switch {
		case argument.planned.IsUnknown():
			if argument.name == argBillingAccountID && replaced(argument.state.ValueString()) {
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
func (p *planning) replace(record *run.Record, diags *diag.Diagnostics) {
	if p.state.Status.ValueString() != statusCanceled {
		p.refuseReplacement(diags)
	}
	id := p.state.BillingAccountID.ValueString()
	account, _ := run.Noted[run.Status](record, accountTypeName, id)
	if p.planned.BillingAccountID.IsUnknown() && account.Configured.ValueString() == accountSuspended {
		p.refuseAccount(fmt.Sprintf("that replaces %q", id), "is suspended by this plan", diags)
	}
}

func (p *planning) refuseReplacement(diags *diag.Diagnostics) {
	state := p.state
	if !p.own.applied() {
		diags.AddError("An import replaces nothing",
			fmt.Sprintf("%s was imported and has billing_account_id %s, company_id %s and product_group_id %s. The "+
				"configuration names others, which only a new subscription can have: "+
				"this one would be canceled, and the new one would charge. Write what the subscription has; a "+
				"replacement can be planned once that is "+
				"applied.", apidiag.Capitalize(state.displayName()), state.BillingAccountID, state.CompanyID, state.ProductGroupID))
		return
	}
	refuseDestroy(state, diags)
	if at := state.DeletionPolicy.ValueString(); at == policy.Abandon || at == policyCancelAtPeriodEnd {
		diags.AddAttributeError(path.Root(policy.Attribute), "Two subscriptions would charge",
			fmt.Sprintf("This plan replaces %s, which was applied with deletion_policy = %q: it would continue next "+
				"to the new one. To replace it, set deletion_policy = \"cancel\" "+
				"and apply that first. To have both, give the new one a block of its own.", state.displayName(), at))
	}
}

// checkAccount rejects a new subscription on an account that takes none. What the plan makes of the account counts; the
// service is only asked before a replacement, which cancels another subscription first.
func (p *planning) checkAccount(record *run.Record, replaces bool, diags *diag.Diagnostics) {
	if p.planned.BillingAccountID.IsUnknown() || diags.HasError() {
		return
	}
	id := p.planned.BillingAccountID.ValueString()
	planned, _ := run.Noted[run.Status](record, accountTypeName, id)
	var wrong string
	switch {
	case planned.Changes && planned.Configured.ValueString() == accountSuspended:
		wrong = "is suspended by this plan"
	case !planned.Changes && replaces && p.client != nil:
		wrong = p.readAccount(id, diags)
	}
	if wrong != "" {
		p.refuseAccount(strconv.Quote(id), wrong, diags)
	}
}

// readAccount returns why the account takes no new subscription, "" where it does.
func (p *planning) readAccount(id string, diags *diag.Diagnostics) string {
	account, err := p.client.GetBillingAccount(p.ctx, id)
	switch {
	case api.IsNotFound(err):
		return "does not exist, or belongs to another organization than the token"
	case err != nil:
		apidiag.Add(diags, err, apidiag.Doing{Verb: "read", Object: fmt.Sprintf("the billing account %q", id)})
	case account.Status != accountActive:
		return fmt.Sprintf("is %s and takes no new subscription", account.Status)
	}
	return ""
}

func (p *planning) refuseAccount(account, wrong string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root(argBillingAccountID), "The subscription cannot be created",
		fmt.Sprintf("This plan creates %s on the billing account %s. That account %s, so the creation would fail. A "+
			"subscription that it replaces would be canceled before that. Nothing was changed. Correct "+
			"billing_account_id, or reactivate the account and apply that first.", p.planned.displayName(), account, wrong))
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
				"subscription can have: this one would be canceled, "+
				"and the new one would charge. Nothing was changed. Plan again: the value is known then, and the "+
				"plan shows the replacement.", name, state.displayName(), before, now))
	}
}
