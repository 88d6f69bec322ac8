package subscription

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// asBefore is m with the arguments as they were before: nothing of a canceled subscription can be changed any more, so
// no difference in it is drift.
func (m model) asBefore(prior model) model {
	m.ExternalID, m.PlanID, m.Items = known(prior.ExternalID, m.ExternalID), known(prior.PlanID,
		m.PlanID), known(prior.Items, m.Items)
	m.CompanyID, m.ProductGroupID = known(prior.CompanyID, m.CompanyID), known(prior.ProductGroupID, m.ProductGroupID)
	m.DiscountCodeID, m.DiscountPercent = known(prior.DiscountCodeID, m.DiscountCodeID), known(prior.DiscountPercent,
		m.DiscountPercent)
	m.BillingCycle, m.CollectionMethod = known(prior.BillingCycle, m.BillingCycle), known(prior.CollectionMethod,
		m.CollectionMethod)
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

// canceled plans a subscription that was canceled without Terraform, and returns the argument that asks for a new one,
// "" for none.
func (p *planning) canceled() string {
	what := apidiag.Capitalize(p.State.displayName()) + " is canceled at the service since " +
		p.State.CanceledAt.ValueString() + ", "
	if p.State.CancelAtPeriodEnd.ValueBool() {
		what += "because the end that was scheduled with cancel_at_period_end has come."
	} else {
		what += "and this configuration did not do it."
	}
	at := path.Root("on_external_cancel")
	switch p.Config.onExternalCancel(p.Planned) {
	case externalCancelRecreate:
		p.Planned.Status = types.StringUnknown()
		p.Diags.AddAttributeWarning(at, "A new subscription will be billed",
			what+" Because on_external_cancel is \"recreate\", this plan creates a new subscription, which charges "+
				"from its start, or from the end of its trial. To leave it canceled, set on_external_cancel = "+
				"\"keep\", or remove the block.")
		return "status"
	case externalCancelError:
		p.Diags.AddAttributeError(at, "The subscription was canceled outside of Terraform",
			what+" on_external_cancel = \"error\" stops here. To continue, set it to \"keep\" (leave it canceled) or "+
				"\"recreate\" (create a new subscription), or remove the block. To destroy everything "+
				"nevertheless, run terraform destroy -refresh=false.")
		return ""
	}
	if changed := p.keepCanceled(); len(changed) > 0 {
		what += fmt.Sprintf(" A canceled subscription cannot be changed, so the change of %s has no effect.",
			strings.Join(changed, ", "))
	}
	p.Diags.AddAttributeWarning(at, "The subscription is canceled",
		what+" It is kept in the state, and nothing is created again, because on_external_cancel is \"keep\". Set it "+
			"to \"recreate\" for a new subscription, or remove the block.")
	return ""
}

// localOnly are the arguments that only this provider knows, so that they can be changed on a canceled subscription
// too.
var localOnly = []string{"deletion_policy", "on_external_cancel"}

// keepCanceled plans everything as it is in the state, but for localOnly, and returns the arguments that the
// configuration changes.
//
// Where the state has no value, Terraform allows no other plan than the configured value. It is written to the state,
// and sent nowhere.
func (p *planning) keepCanceled() (changed []string) {
	planned, state, config := reflect.ValueOf(&p.Planned).Elem(), reflect.ValueOf(p.State), reflect.ValueOf(p.Config)
	for _, field := range reflect.VisibleFields(planned.Type()) {
		if field.Anonymous {
			continue // its fields follow
		}
		name := field.Tag.Get("tfsdk")
		wanted, _ := planned.FieldByIndex(field.Index).Interface().(attr.Value)
		before, _ := state.FieldByIndex(field.Index).Interface().(attr.Value)
		given, _ := config.FieldByIndex(field.Index).Interface().(attr.Value)
		if wanted.Equal(before) || slices.Contains(localOnly, name) {
			continue
		}
		switch {
		case given.IsNull() && wanted.IsUnknown(): // computed, and not asked for
		case name == "plan_change": // asks for nothing alone
		case slices.Contains(arguments, name):
			changed = append(changed, name)
		case name == "effective_custom_metadata" && !slices.Contains(changed, "custom_metadata"):
			changed = append(changed, "custom_metadata (by default_custom_metadata of the provider)")
		}
		if !before.IsNull() || given.IsNull() {
			planned.FieldByIndex(field.Index).Set(state.FieldByIndex(field.Index))
		}
	}
	return changed
}

func (m model) onExternalCancel(planned model) string {
	if m.OnExternalCancel.IsNull() {
		return planned.OnExternalCancel.ValueString()
	}
	return m.OnExternalCancel.ValueString()
}
