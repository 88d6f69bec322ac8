package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var planType = types.ObjectType{AttrTypes: map[string]attr.Type{"timing": types.StringType, "reason": types.StringType}}

// planChangeOf is the argument plan_change that says nothing but when.
func planChangeOf(timing string) types.Object {
	return types.ObjectValueMust(planType.AttrTypes, map[string]attr.Value{"timing": types.StringValue(timing), "reason": types.StringNull()})
}

// planChange reads how a change of plan is to be carried out.
func (m model) planChange() (timing, reason string) {
	if timing = m.planChangeField("timing").ValueString(); timing == "" {
		timing = timingImmediate
	}
	return timing, m.planChangeField("reason").ValueString()
}

// timingUnknown reports whether it is only known after apply when a change of plan takes place.
func (m model) timingUnknown() bool {
	return m.PlanChange.IsUnknown() || m.planChangeField("timing").IsUnknown()
}

func (m model) planChangeField(name string) types.String {
	text, _ := m.PlanChange.Attributes()[name].(types.String)
	return text
}
