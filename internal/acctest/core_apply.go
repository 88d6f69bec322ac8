package acctest

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// CoreApplied is what an apply says.
type CoreApplied struct{ Errors, Warnings []string }

// Apply carries a plan out, in a new provider. It ends at the first error. createFirst says what Terraform leaves open:
// whether an object that is not configured any more is destroyed after the others are created.
func (c *Core) Apply(p *CorePlan, createFirst bool) *CoreApplied {
	c.t.Helper()
	if len(p.Errors) > 0 {
		c.t.Fatalf("apply of a plan with errors: %v", p.Errors)
	}
	c.objects = maps.Clone(p.refreshed)
	done := &CoreApplied{}
	if !c.configure(p.configuration.Defaults, done.note) {
		return done
	}
	var gone, replaced []*Change
	for _, change := range slices.Backward(p.Changes) {
		switch {
		case change.Action == Delete:
			gone = append(gone, change)
		case change.Action == Replace && !change.block.CreateBeforeDestroy:
			replaced = append(replaced, change)
		}
	}
	first := slices.Concat(gone, replaced)
	if createFirst {
		first = replaced
	}
	if !c.destroyAll(first, done) || !c.carryOut(p, done) {
		return done
	}
	if createFirst {
		c.destroyAll(gone, done)
	}
	return done
}

func (a *CoreApplied) note(address string, all []*tfprotov6.Diagnostic) bool {
	errs, warnings := worded(address, all)
	a.Errors, a.Warnings = append(a.Errors, errs...), append(a.Warnings, warnings...)
	return len(errs) == 0
}

func (c *Core) destroyAll(changes []*Change, done *CoreApplied) bool {
	c.t.Helper()
	for _, change := range changes {
		if !c.destroy(change.Address, c.objects[change.Address], change.private, done) {
			return false
		}
		delete(c.objects, change.Address)
	}
	return true
}

func (c *Core) destroy(address string, prior *held, private []byte, done *CoreApplied) bool {
	c.t.Helper()
	none := encode(c.t, nothing(c.schema(address).ValueType()))
	response := ok(c.server.ApplyResourceChange(c.ctx(),
		&tfprotov6.ApplyResourceChangeRequest{TypeName: Block{Address: address}.Type(),
			PriorState: encode(c.t, prior.value), PlannedState: none, Config: none, PlannedPrivate: private,
			PlannedIdentity: prior.identity}))
	return done.note(address, response.Diagnostics)
}

// carryOut creates and updates, with what has become known.
func (c *Core) carryOut(p *CorePlan, done *CoreApplied) bool {
	c.t.Helper()
	results := map[string]tftypes.Value{}
	deposed := map[string]*held{}
	for _, change := range p.Changes {
		if change.Action == Delete {
			continue
		}
		if change.Action != NoOp {
			if change.Action == Replace && change.block.CreateBeforeDestroy {
				deposed[change.Address] = c.objects[change.Address]
				delete(c.objects, change.Address)
			}
			config := c.evaluate(p.configuration, change.block, results, false)
			if !c.carryOutOne(change, config, done) {
				return false
			}
		}
		results[change.Address] = c.objects[change.Address].value
	}
	for _, change := range slices.Backward(p.Changes) {
		old := deposed[change.Address]
		if old == nil {
			continue
		}
		again, problems := c.destruction(change.Address, old)
		if !done.note(change.Address, problems) || !c.destroy(change.Address, old, again.private, done) {
			return false
		}
	}
	return true
}

func (c *Core) carryOutOne(first *Change, config tftypes.Value, done *CoreApplied) bool {
	c.t.Helper()
	prior := c.objects[first.Address]
	second, problems := c.change(first.block, config, prior, first)
	if !done.note(first.Address, problems) {
		return false
	}
	if action := second.Action; action != first.Action && !(first.Action == Update && action == NoOp) &&
		!(first.Action == Replace && action == Create) {
		return done.note(first.Address, bug("Provider produced inconsistent final plan",
			[]string{"the action changed from " + first.Action + " to " + action}))
	}
	if differences := broken(c.t, first.planned, second.planned, ""); len(differences) > 0 {
		return done.note(first.Address, bug("Provider produced inconsistent final plan", differences))
	}
	if second.Action == NoOp {
		return true
	}
	schema := c.schema(first.Address)
	if prior == nil {
		prior = &held{value: nothing(schema.ValueType())}
	}
	response := ok(c.server.ApplyResourceChange(c.ctx(),
		&tfprotov6.ApplyResourceChangeRequest{TypeName: first.block.Type(),
			Config: encode(c.t, config), PriorState: encode(c.t, prior.value), PlannedState: encode(c.t, second.planned),
			PlannedPrivate: second.private, PlannedIdentity: prior.identity}))
	now := &held{decode(c.t, response.NewState, schema.ValueType()), response.Private, response.NewIdentity}
	if now.value.IsNull() {
		delete(c.objects, first.Address)
	} else {
		c.objects[first.Address] = now
	}
	switch {
	case !done.note(first.Address, response.Diagnostics):
		return false
	case now.value.IsNull():
		return done.note(first.Address, bug("Provider returned invalid result object after apply", []string{"there is none"}))
	case !now.value.IsFullyKnown():
		return done.note(first.Address, bug("Provider returned invalid result object after apply",
			[]string{"something is unknown in " + now.value.String()}))
	case !withoutWriteOnly(c.t, schema.Block.Attributes, now.value).Equal(now.value):
		return done.note(first.Address,
			bug("Provider produced invalid object", []string{"a write-only argument is not null"}))
	}
	if differences := broken(c.t, second.planned, now.value, ""); len(differences) > 0 {
		return done.note(first.Address, bug("Provider produced inconsistent result after apply: unexpected new value",
			differences))
	}
	return true
}
