package acctest

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// Again is the plan that Terraform makes once more at apply, when everything in the configuration is known: with a
// provider that is configured again, and without a refresh. What the first plan knew has to hold.
func (d *Direct) Again(first Planned, config JSON) Planned {
	d.t.Helper()
	d.server, _ = d.service.provider()
	d.applying = true
	defer func() { d.applying = false }()
	p := d.Plan(config)
	now := fields(d.t, p.Value)
	for name, planned := range fields(d.t, first.Value) {
		if later := now[name]; !compatible(planned, later) || planned.IsFullyKnown() && !planned.Equal(later) {
			d.t.Errorf("%s was planned as %s, and at apply as %s", name, planned, later)
		}
	}
	if len(p.Replaces) > 0 && len(first.Replaces) == 0 {
		d.t.Errorf("the plan at apply replaces for %v", p.Replaces)
	}
	return p
}

// PlanReplace is the plan of terraform plan -replace: Terraform plans the change, and then the creation of a new object
// with what that plan has left in the private state.
func (d *Direct) PlanReplace(config JSON) Planned {
	d.t.Helper()
	first := d.Plan(config)
	if Errors(first.Diagnostics) != "" {
		return first
	}
	state, private := d.state, d.private
	defer func() { d.state, d.private = state, private }()
	d.state, d.private = tftypes.NewValue(d.schema.ValueType(), nil), first.private
	return d.Plan(config)
}

// PlanTainted is the plan of an object that is marked as tainted: a creation, of which Terraform says nothing more.
func (d *Direct) PlanTainted(config JSON) Planned {
	d.t.Helper()
	state, private := d.state, d.private
	defer func() { d.state, d.private = state, private }()
	d.state, d.private = tftypes.NewValue(d.schema.ValueType(), nil), nil
	return d.Plan(config)
}
