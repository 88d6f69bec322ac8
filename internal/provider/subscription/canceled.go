package subscription

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// planCanceled plans a subscription that is canceled, and returns the argument that asks for a new one, "" for none.
//
// Nothing of it can be changed at the service. A changed argument is taken over into the state, without a request, so
// that the next plan is empty.
func (p *planning) planCanceled() string {
	diags := p.Diags
	// Nothing can be wrong with a change that is not made.
	p.client, p.Diags = nil, &diag.Diagnostics{}
	p.plannedUpdate()
	p.asked, p.next, p.Diags = nil, p.own, diags
	changed := p.takeOver()

	at := path.Root("on_external_cancel")
	what := "It is canceled at the service since " + p.State.CanceledAt.ValueString() + "."
	// Where this configuration has asked for the end, it is no news.
	asked := p.State.CancelAtPeriodEnd.ValueBool() && p.own.had(argCancelAtPeriodEnd) && !p.endedEarly()
	switch mode := p.Planned.OnExternalCancel.ValueString(); {
	case mode == externalCancelRecreate && p.own.Imported:
		what += " The run that imports it does not create another one; the next plan does, because on_external_cancel " +
			"is \"recreate\"."
		asked = false
	case mode == externalCancelRecreate:
		p.Planned.Status = types.StringUnknown()
		p.Diags.AddAttributeWarning(at, p.State.title()+" is canceled: a new subscription will be billed",
			what+" Because on_external_cancel is \"recreate\", this plan creates a new subscription, which charges "+
				"from its start, or from the end of its trial. To leave it canceled, set on_external_cancel = "+
				"\"keep\", or remove the block.")
		return "status"
	case mode == externalCancelError && !asked:
		p.Diags.AddAttributeError(at, p.State.title()+" is canceled, and on_external_cancel is \"error\"",
			what+" To continue, set on_external_cancel to \"keep\" (leave it canceled) or \"recreate\" "+
				"(create a new subscription), or remove the block. To destroy everything "+
				"nevertheless, run terraform destroy -refresh=false.")
		return ""
	case asked:
	default:
		what += " It is kept in the state, and nothing is created again, because on_external_cancel is \"keep\". Set it " +
			"to \"recreate\" for a new subscription, or remove the block."
	}
	if len(changed) > 0 {
		what += fmt.Sprintf(" A canceled subscription cannot be changed: the change of %s has no effect at the service, "+
			"and only the state takes it over.", strings.Join(changed, ", "))
	}
	if !asked || len(changed) > 0 {
		p.Diags.AddAttributeWarning(at, p.State.title()+" is canceled", what)
	}
	return ""
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
	state := map[string]attr.Value{}
	p.State.each(func(name string, value reflect.Value) { state[name], _ = value.Interface().(attr.Value) })
	config := map[string]attr.Value{}
	p.Config.each(func(name string, value reflect.Value) { config[name], _ = value.Interface().(attr.Value) })
	p.Planned.each(func(name string, value reflect.Value) {
		planned, _ := value.Interface().(attr.Value)
		argument := slices.Contains(arguments, name)
		switch {
		case planned.Equal(state[name]), name == "deletion_policy", name == "on_external_cancel":
		case !argument, planned.IsUnknown() && config[name].IsNull():
			value.Set(reflect.ValueOf(state[name]))
		case name != "plan_change": // which alone asks for nothing
			changed = append(changed, name)
		}
	})
	slices.Sort(changed)
	return changed
}

// each visits the attributes of a model.
func (m *model) each(visit func(name string, value reflect.Value)) {
	value := reflect.ValueOf(m).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if name := field.Tag.Get("tfsdk"); name != "" {
			visit(name, value.FieldByIndex(field.Index))
		}
	}
}

// withArgumentsOf is m with the known arguments of prior: nothing of a canceled subscription can be changed any more,
// so no difference in it is drift.
func (m model) withArgumentsOf(prior model) model {
	before := map[string]reflect.Value{}
	prior.each(func(name string, value reflect.Value) { before[name] = value })
	m.each(func(name string, value reflect.Value) {
		if !slices.Contains(arguments, name) && name != "effective_custom_metadata" {
			return
		}
		known, _ := before[name].Interface().(attr.Value)
		if name == argCancellationReason && !m.CancellationReason.IsNull() || known.IsUnknown() {
			return
		}
		value.Set(before[name])
	})
	return m
}
