package acctest

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// CoreApplied is the result of an apply.
type CoreApplied struct {
	Errors, Warnings []string
	// Diagnostics holds all diagnostics, as the provider returned them.
	Diagnostics []*tfprotov6.Diagnostic

	failed map[string]bool
}

// deposed is appended to the address of a replaced object that has not been destroyed yet.
const deposed = " (deposed)"

// Apply applies a plan, in a new provider. Like Terraform, it skips what depends on an error. createFirst decides an
// order that Terraform leaves open: whether an object that was removed from the configuration is destroyed after the
// others are created.
func (c *Core) Apply(p *CorePlan, createFirst bool) *CoreApplied {
	c.t.Helper()
	if len(p.Errors) > 0 {
		c.t.Fatalf("apply of a plan with errors: %v", p.Errors)
	}
	defer c.begin()()
	c.objects = maps.Clone(p.refreshed)
	done := &CoreApplied{failed: map[string]bool{}}
	if !c.configure(p.configuration.Provider, done.note) {
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
	var first, last []*Change
	for _, change := range gone {
		if createFirst || c.neededByUpdated(change.Address, p.Changes) {
			last = append(last, change)
		} else {
			first = append(first, change)
		}
	}
	c.destroyAll(slices.Concat(first, replaced), done)
	c.carryOut(p, done)
	c.destroyAll(last, done)
	return done
}

// neededByUpdated reports whether an updated object still refers to the one at the address: Terraform updates it before
// it destroys the other.
func (c *Core) neededByUpdated(address string, changes []*Change) bool {
	return slices.ContainsFunc(changes, func(other *Change) bool {
		prior := c.objects[other.Address]
		return other.Action == Update && prior != nil && slices.Contains(prior.needs, address)
	})
}

func (a *CoreApplied) note(address string, all []*tfprotov6.Diagnostic) bool {
	errs, warnings := worded(address, all)
	a.Errors, a.Warnings = append(a.Errors, errs...), append(a.Warnings, warnings...)
	a.Diagnostics = append(a.Diagnostics, all...)
	if len(errs) > 0 {
		a.failed[address] = true
	}
	return len(errs) == 0
}

// destroyAll destroys objects, except those needed by an object that could not be destroyed.
func (c *Core) destroyAll(changes []*Change, done *CoreApplied) {
	c.t.Helper()
	var nodes []node
	for _, change := range changes {
		var dependents []string
		for address, object := range c.objects {
			if slices.Contains(object.needs, change.Address) {
				dependents = append(dependents, address)
			}
		}
		nodes = append(nodes, node{change.Address, dependents, func() {
			needed := false
			for address := range done.failed {
				needed = needed || c.objects[address] != nil && slices.Contains(c.objects[address].needs, change.Address)
			}
			if !needed && c.continues(done) {
				c.destroy(change.Address, change, done)
			}
		}})
	}
	c.walk(nodes)
}

// destroy sends the prior state of the change, which is older than the refreshed state if a block was removed.
func (c *Core) destroy(address string, change *Change, done *CoreApplied) {
	c.t.Helper()
	prior := c.objects[address]
	if (Block{Address: address}).Type() != builtinType {
		schema := c.schema(address)
		none := encode(nothing(schema.ValueType()))
		response := c.send(&tfprotov6.ApplyResourceChangeRequest{TypeName: Block{Address: address}.Type(),
			PriorState: encode(change.prior), PlannedState: none, Config: none, PlannedPrivate: change.private,
			PlannedIdentity: prior.identity})
		if response == nil {
			done.note(address, killed)
			return
		}
		if !done.note(address, response.Diagnostics) {
			if left := decode(response.NewState, schema.ValueType()); !left.IsNull() {
				kept := *prior
				kept.value, kept.private, kept.encoded = left, response.Private, response.NewState
				c.objects[address] = &kept
			}
			return
		}
	}
	delete(c.objects, address)
}

// carryOut creates and updates objects with the values known so far, and then destroys the replaced ones.
func (c *Core) carryOut(p *CorePlan, done *CoreApplied) {
	c.t.Helper()
	results := maps.Clone(p.sources)
	var nodes []node
	for _, block := range p.configuration.Blocks {
		nodes = append(nodes, node{block.Address, block.Needs, func() {
			if !c.continues(done) || !c.carryOutBlock(block, p, results, done) {
				return
			}
			if object := c.objects[block.Address]; object != nil {
				object.needs = block.Needs
				results[block.Address] = view(object.value)
			}
		}})
	}
	c.walk(nodes)
	if !c.continues(done) {
		return
	}
	nodes = nil
	for _, change := range slices.Backward(p.Changes) {
		old := c.objects[change.Address+deposed]
		if old == nil || done.failed[change.Address] {
			continue
		}
		var dependents []string // which are destroyed first
		for address, object := range c.objects {
			if from, isOld := strings.CutSuffix(address, deposed); isOld && slices.Contains(object.needs, change.Address) {
				dependents = append(dependents, from)
			}
		}
		nodes = append(nodes, node{change.Address, dependents, func() {
			again, problems := c.destruction(change.Address, old)
			if done.note(change.Address, problems) {
				c.destroy(change.Address+deposed, again, done)
			}
		}})
	}
	c.walk(nodes)
}

// carryOutBlock applies the plan of a block, and reports whether its object is now as planned. It adds a data source to
// results.
func (c *Core) carryOutBlock(block Block, p *CorePlan, results map[string]JSON, done *CoreApplied) bool {
	c.t.Helper()
	change := p.Of(block.Address)
	switch {
	case needsAny(block.Needs, done.failed) || done.failed[block.Address]:
		done.failed[block.Address] = true
		return false
	case slices.Contains(p.deferred(), block.Address):
		result, problems := c.readSource(block, results)
		if done.note(block.Address, problems) {
			results[block.Address] = result
		}
		return false
	case change == nil || change.Action == NoOp:
		return true
	}
	if change.Action == Replace && block.CreateBeforeDestroy {
		c.objects[block.Address+deposed] = c.objects[block.Address]
		delete(c.objects, block.Address)
	}
	config, problems := c.evaluate(block, results)
	return done.note(block.Address, problems) && c.carryOutOne(change, config, done)
}

// carryOutOne plans a change again with all values known so far, and applies it.
func (c *Core) carryOutOne(first *Change, config valueOf, done *CoreApplied) bool {
	c.t.Helper()
	prior := c.objects[first.Address]
	second, problems := c.change(first.block, config, prior, first, false)
	if !done.note(first.Address, problems) {
		return false
	}
	if action := second.Action; action != first.Action && !(first.Action == Update && action == NoOp) &&
		!(first.Action == Replace && action == Create) {
		return done.note(first.Address, bug("Provider produced inconsistent final plan",
			[]string{"the action changed from " + first.Action + " to " + action}))
	}
	if differences := broken(first.planned, second.planned, ""); len(differences) > 0 {
		return done.note(first.Address, bug("Provider produced inconsistent final plan", differences))
	}
	if second.Action == NoOp {
		return true
	}
	return done.note(first.Address, c.applyChange(second))
}

// continues reports whether the run starts another change: after an interrupt or a kill it adds an error once, and
// stops.
func (c *Core) continues(done *CoreApplied) bool {
	if c.ctx().Err() == nil && !c.dead() {
		return true
	}
	switch {
	case done.failed["terraform"], c.dead() && len(done.Errors) > 0:
	case c.dead():
		done.note("terraform", killed)
	default:
		done.note("terraform", trouble("execution halted", "The run was interrupted."))
	}
	return false
}

// killed is the error of a killed run.
var killed = trouble("Killed", "The run was killed.")

// send sends a change to the provider. It returns nil if the run has been killed in the meantime.
func (c *Core) send(request *tfprotov6.ApplyResourceChangeRequest) *tfprotov6.ApplyResourceChangeResponse {
	c.t.Helper()
	if c.dead() {
		return nil
	}
	response := call(c, c.server.ApplyResourceChange, request)
	if c.dead() {
		return nil
	}
	return response
}

// applyChange applies a planned change, and stores the resulting object, even after an error.
func (c *Core) applyChange(change *Change) []*tfprotov6.Diagnostic {
	c.t.Helper()
	schema := c.schema(change.Address)
	prior := c.objects[change.Address]
	creates := prior == nil || change.prior.IsNull()
	if creates {
		prior = &held{value: nothing(schema.ValueType())}
	}
	request := &tfprotov6.ApplyResourceChangeRequest{TypeName: change.block.Type(),
		Config: encode(change.config), PriorState: prior.encode(), PlannedState: encode(change.planned),
		PlannedPrivate: change.private, PlannedIdentity: prior.identity}
	var response *tfprotov6.ApplyResourceChangeResponse
	if change.block.Type() == builtinType {
		response = builtinApply(request, change.planned)
	} else {
		response = c.send(request)
	}
	if response == nil {
		return killed
	}
	now := &held{value: decode(response.NewState, schema.ValueType()), encoded: response.NewState,
		private:  response.Private,
		identity: response.NewIdentity, needs: change.block.Needs}
	failed := Errors(response.Diagnostics) != ""
	if now.value.IsNull() {
		delete(c.objects, change.Address)
	} else {
		now.tainted = failed && creates
		c.objects[change.Address] = now
	}
	const invalidResult = "Provider returned invalid result object after apply"
	var problems []*tfprotov6.Diagnostic
	switch differences := broken(change.planned, now.value, ""); {
	case failed:
	case now.value.IsNull():
		problems = bug(invalidResult, []string{"the object is missing"})
	case !now.value.IsFullyKnown():
		problems = bug(invalidResult, []string{"unknown value in " + now.value.String()})
	case writeOnlyHeld(schema, now.value) != nil:
		problems = writeOnlyHeld(schema, now.value)
	case len(differences) > 0:
		problems = bug("Provider produced inconsistent result after apply: unexpected new value", differences)
	}
	return append(response.Diagnostics, problems...)
}
