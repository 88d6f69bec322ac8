package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Applied is the result of an apply.
type Applied struct {
	Said

	failed map[string]bool
}

// deposed is appended to the address of a replaced object that has not been destroyed yet.
const deposed = " (deposed)"

// Apply applies a plan, in a new provider. Like Terraform, it skips what depends on an error. createFirst decides an
// order that Terraform leaves open: whether an object that was removed from the configuration is destroyed after the
// others are created.
func (w *Workspace) Apply(p *Plan, createFirst bool) *Applied {
	if len(p.Errors) > 0 {
		panic(fmt.Sprintf("apply of a plan with errors: %v", p.Errors))
	}
	defer w.begin()()
	w.objects = maps.Clone(p.refreshed)
	done := &Applied{failed: map[string]bool{}}
	if !w.configure(p.configuration.Provider, done.note) {
		return done
	}
	var gone, replaced []*Change
	for _, change := range slices.Backward(p.Changes) {
		switch {
		case change.Action == Forget:
			delete(w.objects, change.Address)
		case change.Action == Delete:
			gone = append(gone, change)
		case change.Action == Replace && !change.block.CreateBeforeDestroy:
			replaced = append(replaced, change)
		}
	}
	var first, last []*Change
	for _, change := range gone {
		if createFirst || w.neededByUpdated(change.Address, p.Changes) {
			last = append(last, change)
		} else {
			first = append(first, change)
		}
	}
	w.destroyAll(slices.Concat(first, replaced), done)
	w.carryOut(p, done)
	w.destroyAll(last, done)
	return done
}

// neededByUpdated reports whether an updated object still refers to the one at the address: Terraform updates it before
// it destroys the other.
func (w *Workspace) neededByUpdated(address string, changes []*Change) bool {
	return slices.ContainsFunc(changes, func(other *Change) bool {
		prior := w.objects[other.Address]
		return other.Action == Update && prior != nil && slices.Contains(prior.needs, address)
	})
}

func (a *Applied) note(address string, all []*tfprotov6.Diagnostic) bool {
	fine := a.Said.note(address, all)
	if !fine {
		a.failed[address] = true
	}
	return fine
}

// destroyAll destroys objects, except those needed by an object that could not be destroyed.
func (w *Workspace) destroyAll(changes []*Change, done *Applied) {
	var nodes []node
	for _, change := range changes {
		var dependents []string
		for address, object := range w.objects {
			if slices.Contains(object.needs, change.Address) {
				dependents = append(dependents, address)
			}
		}
		nodes = append(nodes, node{change.Address, dependents, func() {
			needed := false
			for address := range done.failed {
				needed = needed || w.objects[address] != nil && slices.Contains(w.objects[address].needs, change.Address)
			}
			if !needed && w.continues(done) {
				w.destroy(change.Address, change, done)
			}
		}})
	}
	w.walk(nodes)
}

// destroy sends the prior state of the change, which is older than the refreshed state if a block was removed.
func (w *Workspace) destroy(address string, change *Change, done *Applied) {
	prior := w.objects[address]
	if (Block{Address: address}).Type() != builtinType {
		as := w.schemas.typeOf(w.schema(address))
		none := encode(cty.NullVal(as), as)
		response := w.send(&tfprotov6.ApplyResourceChangeRequest{TypeName: Block{Address: address}.Type(),
			PriorState: encode(change.prior, as), PlannedState: none, Config: none, PlannedPrivate: change.private,
			PlannedIdentity: prior.identity})
		if response == nil {
			done.note(address, killed)
			return
		}
		if !done.note(address, response.Diagnostics) {
			if left := decode(response.NewState, as); !left.IsNull() {
				kept := *prior
				kept.value, kept.private, kept.encoded = left, response.Private, response.NewState
				w.objects[address] = &kept
			}
			return
		}
	}
	delete(w.objects, address)
}

// carryOut creates and updates objects with the values known so far, and then destroys the replaced ones.
func (w *Workspace) carryOut(p *Plan, done *Applied) {
	results := maps.Clone(p.sources)
	var nodes []node
	for _, block := range p.configuration.Blocks {
		nodes = append(nodes, node{block.Address, block.Needs, func() {
			if !w.continues(done) || !w.carryOutBlock(block, p, results, done) {
				return
			}
			if object := w.objects[block.Address]; object != nil {
				object.needs = block.Needs
				results[block.Address] = view(object.value)
			}
		}})
	}
	w.walk(nodes)
	if !w.continues(done) {
		return
	}
	nodes = nil
	for _, change := range slices.Backward(p.Changes) {
		old := w.objects[change.Address+deposed]
		if old == nil || done.failed[change.Address] {
			continue
		}
		var dependents []string // which are destroyed first
		for address, object := range w.objects {
			if from, isOld := strings.CutSuffix(address, deposed); isOld && slices.Contains(object.needs, change.Address) {
				dependents = append(dependents, from)
			}
		}
		nodes = append(nodes, node{change.Address, dependents, func() {
			again, problems := w.destruction(change.Address, old)
			if done.note(change.Address, problems) {
				w.destroy(change.Address+deposed, again, done)
			}
		}})
	}
	w.walk(nodes)
}

// carryOutBlock applies the plan of a block, and reports whether its object is now as planned. It adds a data source to
// results.
func (w *Workspace) carryOutBlock(block Block, p *Plan, results map[string]Object, done *Applied) bool {
	change := p.Of(block.Address)
	switch {
	case needsAny(block.Needs, done.failed) || done.failed[block.Address]:
		done.failed[block.Address] = true
		return false
	case slices.Contains(p.deferred(), block.Address):
		result, problems := w.readSource(block, results)
		if done.note(block.Address, problems) {
			results[block.Address] = result
		}
		return false
	case change == nil || change.Action == NoOp:
		return true
	}
	if change.Action == Replace && block.CreateBeforeDestroy {
		w.objects[block.Address+deposed] = w.objects[block.Address]
		delete(w.objects, block.Address)
	}
	config, problems := w.evaluate(block, results)
	return done.note(block.Address, problems) && w.carryOutOne(change, config, done)
}

// carryOutOne plans a change again with all values known so far, and applies it.
func (w *Workspace) carryOutOne(first *Change, config cty.Value, done *Applied) bool {
	prior := w.objects[first.Address]
	second, problems := w.change(first.block, config, prior, first, false)
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
	return done.note(first.Address, w.applyChange(second))
}

// continues reports whether the run starts another change: after an interrupt or a kill it adds an error once, and
// stops.
func (w *Workspace) continues(done *Applied) bool {
	if w.ctx().Err() == nil && !w.dead() {
		return true
	}
	switch {
	case done.failed["terraform"], w.dead() && len(done.Errors) > 0:
	case w.dead():
		done.note("terraform", killed)
	default:
		done.note("terraform", trouble("execution halted", "The run was interrupted."))
	}
	return false
}

// killed is the error of a killed run.
var killed = trouble("Killed", "The run was killed.")

// send sends a change to the provider. It returns nil if the run has been killed in the meantime.
func (w *Workspace) send(request *tfprotov6.ApplyResourceChangeRequest) *tfprotov6.ApplyResourceChangeResponse {
	if w.dead() {
		return nil
	}
	response := call(w, w.server.ApplyResourceChange, request)
	if w.dead() {
		return nil
	}
	return response
}

// applyChange applies a planned change, and stores the resulting object, even after an error.
func (w *Workspace) applyChange(change *Change) []*tfprotov6.Diagnostic {
	schema := w.schema(change.Address)
	as := w.schemas.typeOf(schema)
	prior := w.objects[change.Address]
	creates := prior == nil || change.prior.IsNull()
	if creates {
		prior = &held{value: cty.NullVal(as)}
	}
	request := &tfprotov6.ApplyResourceChangeRequest{TypeName: change.block.Type(),
		Config: encode(change.config, as), PriorState: prior.encode(as), PlannedState: encode(change.planned, as),
		PlannedPrivate: change.private, PlannedIdentity: prior.identity}
	var response *tfprotov6.ApplyResourceChangeResponse
	if change.block.Type() == builtinType {
		response = builtinApply(request, change.planned, as)
	} else {
		response = w.send(request)
	}
	if response == nil {
		return killed
	}
	now := &held{value: decode(response.NewState, as), encoded: response.NewState,
		private:  response.Private,
		identity: response.NewIdentity, needs: change.block.Needs}
	failed := Errors(response.Diagnostics) != ""
	if now.value.IsNull() {
		delete(w.objects, change.Address)
	} else {
		now.tainted = failed && creates
		w.objects[change.Address] = now
	}
	const invalidResult = "Provider returned invalid result object after apply"
	var problems []*tfprotov6.Diagnostic
	switch differences := broken(change.planned, now.value, ""); {
	case failed:
	case now.value.IsNull():
		problems = bug(invalidResult, []string{"the object is missing"})
	case !now.value.IsWhollyKnown():
		problems = bug(invalidResult, []string{"unknown value in " + now.value.GoString()})
	case writeOnlyHeld(schema, now.value) != nil:
		problems = writeOnlyHeld(schema, now.value)
	case len(differences) > 0:
		problems = bug("Provider produced inconsistent result after apply: unexpected new value", differences)
	}
	return append(response.Diagnostics, problems...)
}
