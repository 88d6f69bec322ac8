package subscription

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// asBefore is m with the arguments as they were before: nothing of a canceled subscription can be changed any more, so no difference in it
// is drift.
func (m model) asBefore(prior model) model {
	m.ExternalID, m.PlanID, m.Items = known(prior.ExternalID, m.ExternalID), known(prior.PlanID, m.PlanID), known(prior.Items, m.Items)
	m.DiscountCodeID, m.DiscountPercent = known(prior.DiscountCodeID, m.DiscountCodeID), known(prior.DiscountPercent, m.DiscountPercent)
	m.BillingCycle, m.CollectionMethod = known(prior.BillingCycle, m.BillingCycle), known(prior.CollectionMethod, m.CollectionMethod)
	m.ProrationBehavior = known(prior.ProrationBehavior, m.ProrationBehavior)
	m.NfeIssuancePolicy, m.Notes = known(prior.NfeIssuancePolicy, m.NfeIssuancePolicy), known(prior.Notes, m.Notes)
	m.AllowPause, m.AllowCancel = known(prior.AllowPause, m.AllowPause), known(prior.AllowCancel, m.AllowCancel)
	m.CancelAtPeriodEnd, m.Pause = known(prior.CancelAtPeriodEnd, m.CancelAtPeriodEnd), known(prior.Pause, m.Pause)
	m.CustomMetadata = known(prior.CustomMetadata, m.CustomMetadata)
	m.EffectiveCustomMetadata = known(prior.EffectiveCustomMetadata, m.EffectiveCustomMetadata)
	return m
}

func known[V attr.Value](prior, now V) V {
	if prior.IsUnknown() {
		return now
	}
	return prior
}

// canceled decides about a subscription that was canceled without Terraform. It reports whether a new one is to be planned.
func (p *planning) canceled(diags *diag.Diagnostics) bool {
	what := p.state.words() + " is canceled at the service since " + p.state.CanceledAt.ValueString() + ", "
	if p.state.CancelAtPeriodEnd.ValueBool() {
		what += "because the end that was scheduled with cancel_at_period_end has come."
	} else {
		what += "and this configuration did not do it."
	}
	switch p.config.onExternalCancel(p.planned) {
	case externalCancelRecreate:
		p.planned.Status = types.StringUnknown()
		return true
	case externalCancelError:
		diags.AddAttributeError(path.Root("on_external_cancel"), "The subscription was canceled outside of Terraform",
			what+" on_external_cancel = \"error\" stops here. To go on, set it to \"keep\" (leave it canceled) or \"recreate\" (make a new subscription), "+
				"or remove the block. To destroy everything in spite of it, run terraform destroy -refresh=false.")
		return false
	}
	if asked := p.planned.transitions(p.state); len(asked) > 0 || p.moves() {
		diags.AddError("A canceled subscription cannot be changed",
			what+fmt.Sprintf(" The configuration asks to: %s. Take these changes back, set on_external_cancel = \"recreate\" to make a new subscription, "+
				"or remove the block (destroying a canceled subscription does nothing).", join(asked)))
		return false
	}
	diags.AddAttributeWarning(path.Root("on_external_cancel"), "The subscription is canceled",
		what+" It is kept in the state, and nothing is made again, because on_external_cancel is \"keep\". Set it to \"recreate\" for a new subscription, or remove the block.")
	return false
}

// moves reports whether the configuration asks for something that only a new subscription can have.
func (p *planning) moves() bool {
	return !p.planned.BillingAccountID.Equal(p.state.BillingAccountID) || !p.planned.CompanyID.Equal(p.state.CompanyID) ||
		!p.planned.ProductGroupID.Equal(p.state.ProductGroupID)
}

func (m model) onExternalCancel(planned model) string {
	if m.OnExternalCancel.IsNull() {
		return planned.OnExternalCancel.ValueString()
	}
	return m.OnExternalCancel.ValueString()
}

func join(asked []transition) string {
	if len(asked) == 0 {
		return "move it elsewhere"
	}
	text := string(asked[0])
	for _, t := range asked[1:] {
		text += ", " + string(t)
	}
	return text
}
