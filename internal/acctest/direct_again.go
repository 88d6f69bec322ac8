package acctest

// Again is the plan that Terraform makes once more at apply, when everything in the configuration is known: with a
// provider that is configured anew, and without a refresh. What the first plan knew has to hold.
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
