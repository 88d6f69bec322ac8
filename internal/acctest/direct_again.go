package acctest

// Again is the plan that Terraform makes once more at apply, when everything in the configuration is known. What the first plan knew has
// to hold.
func (d *Direct) Again(first Planned, config JSON) Planned {
	d.t.Helper()
	p := d.Plan(config)
	now := fields(d.t, p.Value)
	for name, planned := range fields(d.t, first.Value) {
		if later := now[name]; !compatible(planned, later) || planned.IsFullyKnown() && !planned.Equal(later) {
			d.t.Errorf("%s was planned as %s, and at apply as %s", name, planned, later)
		}
	}
	return p
}
