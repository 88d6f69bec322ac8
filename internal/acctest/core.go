package acctest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// Block is a resource or data block of a configuration.
type Block struct {
	// Address is the type and name, such as "billing_customer.c"; data blocks have the prefix "data.".
	Address string
	// Values are the arguments. Unknown marks a value that is known only after apply.
	Values JSON
	// Evaluate replaces Values if there are references: it gets the objects known so far, by address.
	Evaluate func(objects map[string]JSON) (JSON, error)
	// Needs lists the addresses that the block refers to.
	Needs []string
	// Ignore is ignore_changes: "notes", "custom_metadata.score", or only "all".
	Ignore []string
	// CreateBeforeDestroy and PreventDestroy are arguments of the lifecycle block.
	CreateBeforeDestroy, PreventDestroy bool
}

// Type returns the type of the block.
func (b Block) Type() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.Address, dataPrefix), ".")
	return name
}

const dataPrefix = "data."

// Configuration is a whole configuration with the options of its plan.
type Configuration struct {
	// Blocks come after the blocks they refer to.
	Blocks []Block
	// Provider holds the arguments of the provider block, except those that connect it to the service.
	Provider JSON
	// Imports holds the import blocks: addresses, and the id (a string) or the identity (JSON).
	Imports map[string]any
	// Moved holds the moved blocks: old and new addresses.
	Moved map[string]string
	// Replace lists the addresses of -replace, and Target those of -target.
	Replace, Target []string
	// NoRefresh is -refresh=false, and Destroy -destroy.
	NoRefresh, Destroy bool
	// Variables are the values of -var, for Terraform itself: the blocks for Core already contain them.
	Variables map[string]string
	// Parallelism is -parallelism of Terraform itself; 0 is its default. Core is sequential without Turn; for more than 1
	// it refreshes all objects before it plans, an order that Terraform may then use.
	Parallelism int
	// Text is the configuration for Terraform itself. Core ignores it.
	Text string
}

// Core drives objects over the provider's protocol as Terraform does: a new provider for each plan and each apply, a
// refresh before the plan, ignore_changes only in the plan, a second plan in the apply. It takes milliseconds instead
// of seconds. An error that Terraform would report as a bug of the provider is an error of the plan or the apply.
type Core struct {
	t       *testing.T
	service *Service
	server  tfprotov6.ProviderServer
	schemas typesByName
	objects map[string]*held

	// Killed is closed when the run is killed: later results of the provider are lost. Nil: never.
	Killed <-chan struct{}
	// Interrupted is closed when Terraform is interrupted: the provider is asked to stop, its results are kept, and no
	// other change starts. Nil: never.
	Interrupted <-chan struct{}
	// Turn makes Core concurrent: it is called before each object is planned or changed, and returns when that may begin.
	Turn func(address string)

	// validated is what the provider has said about configurations: that depends on nothing else.
	validated map[string][]*tfprotov6.Diagnostic
	mu        sync.Mutex      // held by one object at a time, except while the provider works
	running   context.Context // of the plan or apply; an interrupt or a kill cancels it
}

// held is an object in the state.
type held struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	needs    []string
	tainted  bool
	encoded  *tfprotov6.DynamicValue // as the provider returned it; nil: encode it
}

func (h *held) encode() *tfprotov6.DynamicValue {
	if h.encoded == nil {
		h.encoded = encode(h.value)
	}
	return h.encoded
}

// Change is the planned change of one object. Before and After are plain JSON values; After contains Unknown for values
// that are known only after apply.
type Change struct {
	Address, Action string
	Before, After   JSON
	// Replaces lists the attributes that force replacement.
	Replaces []string

	block   Block
	config  tftypes.Value
	prior   tftypes.Value
	planned tftypes.Value
	private []byte
}

// Actions of a change.
const (
	NoOp    = "no-op"
	Create  = "create"
	Update  = "update"
	Replace = "replace"
	Delete  = "delete"
)

// CorePlan is a plan of a whole configuration.
type CorePlan struct {
	Changes []*Change
	// Errors and Warnings start with the address of the object.
	Errors, Warnings []string
	// Diagnostics holds all diagnostics, as the provider returned them.
	Diagnostics []*tfprotov6.Diagnostic

	configuration Configuration
	refreshed     map[string]*held
	early         map[string]*held // refreshed before planning; nil: the object does not exist
	sources       map[string]JSON  // data sources that were read
}

// Of returns the change of the object at an address; nil if there is none.
func (p *CorePlan) Of(address string) *Change {
	for _, c := range p.Changes {
		if c.Address == address {
			return c
		}
	}
	return nil
}

// Core returns a driver with an empty state for this service.
func (s *Service) Core() *Core {
	return &Core{t: s.t, service: s, objects: map[string]*held{}, validated: map[string][]*tfprotov6.Diagnostic{}}
}

// State returns the object at an address as plain JSON; nil if there is none.
func (c *Core) State(address string) JSON {
	if object := c.objects[address]; object != nil {
		return view(object.value)
	}
	return nil
}

// Addresses returns the sorted addresses of the state.
func (c *Core) Addresses() []string { return slices.Sorted(maps.Keys(c.objects)) }

// Taint marks an object for replacement, as `terraform taint` does.
func (c *Core) Taint(address string) { c.objects[address].tainted = true }

// Forget removes an object from the state, as `terraform state rm` does.
func (c *Core) Forget(address string) { delete(c.objects, address) }

// configure starts a new provider.
func (c *Core) configure(arguments JSON, note noting) bool {
	c.t.Helper()
	switch {
	case c.service.Serve != nil:
		c.server = c.service.Serve()
		c.schemas = typesOf(c.server)
	case c.service.Dial != nil:
		c.server, c.schemas = provider.Simulated("test", c.service.Dial(), c.service.Random), ownSchemas()
		if !c.service.Uncompared {
			c.server = compared(c.server, ownSchemas)
		}
	default:
		c.server, c.schemas = ok(Factories["billing"]()), ownSchemas()
	}
	config := JSON{}
	for _, argument := range c.service.arguments() {
		config[argument.name] = argument.value
	}
	maps.Copy(config, arguments)
	if problems := misspelled(c.schemas.Provider.Block.Attributes, config, ""); len(problems) > 0 {
		return note("provider", problems)
	}
	encoded := encode(object(c.schemas.Provider, config))
	if !note("provider", c.validate("", encoded, func() []*tfprotov6.Diagnostic {
		return ok(c.server.ValidateProviderConfig(c.ctx(),
			&tfprotov6.ValidateProviderConfigRequest{Config: encoded})).Diagnostics
	})) {
		return false
	}
	response := ok(c.server.ConfigureProvider(c.ctx(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: encoded}))
	return note("provider", response.Diagnostics)
}

// validate returns what the provider says about a configuration of a type, which it is asked once.
func (c *Core) validate(typeName string, config *tfprotov6.DynamicValue,
	ask func() []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	key := typeName + string(config.MsgPack)
	said, known := c.validated[key]
	if !known {
		said = ask()
		c.validated[key] = said
	}
	return said
}

func (c *Core) ctx() context.Context {
	if c.running != nil {
		return c.running
	}
	return context.WithoutCancel(c.t.Context())
}

// begin starts a plan or an apply that may be interrupted or killed; end ends it.
func (c *Core) begin() (end func()) {
	if c.Interrupted == nil && c.Killed == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(c.ctx())
	c.running = ctx
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-c.Interrupted:
		case <-c.Killed:
		case <-ctx.Done():
		}
		cancel()
	})
	return func() {
		cancel()
		watch.Wait()
		c.running = nil
	}
}

// dead reports whether the run has been killed.
func (c *Core) dead() bool {
	select {
	case <-c.Killed:
		return true
	default:
		return false
	}
}

// call calls the provider, while other objects go on.
func call[Q, A any](c *Core, does func(context.Context, Q) (A, error), request Q) A {
	if c.Turn != nil {
		c.mu.Unlock()
		defer c.mu.Lock()
	}
	return ok(does(c.ctx(), request))
}

// node is an object in Terraform's graph.
type node struct {
	address string
	after   []string // addresses in the same walk
	visit   func()
}

// walk visits nodes one after another, or with Turn concurrently, each as soon as those before it have been visited.
func (c *Core) walk(nodes []node) {
	if c.Turn == nil {
		for _, n := range nodes {
			n.visit()
		}
		return
	}
	visited := map[string]chan struct{}{}
	for _, n := range nodes {
		visited[n.address] = make(chan struct{})
	}
	var all sync.WaitGroup
	for _, n := range nodes {
		all.Go(func() {
			defer close(visited[n.address])
			for _, address := range n.after {
				if before := visited[address]; before != nil {
					<-before
				}
			}
			c.Turn(n.address)
			c.mu.Lock()
			defer c.mu.Unlock()
			n.visit()
		})
	}
	all.Wait()
}

// schema returns the schema of a type; nil if the type does not exist.
func (c *Core) schema(address string) *tfprotov6.Schema {
	block := Block{Address: address}
	switch {
	case block.Type() == builtinType:
		return builtinSchema
	case strings.HasPrefix(address, dataPrefix):
		return c.schemas.DataSourceSchemas[block.Type()]
	default:
		return c.schemas.ResourceSchemas[block.Type()]
	}
}

// Plan refreshes and plans. A plan with errors cannot be applied.
func (c *Core) Plan(configuration Configuration) *CorePlan {
	c.t.Helper()
	p := &CorePlan{configuration: configuration, refreshed: map[string]*held{}, sources: map[string]JSON{}}
	defer c.begin()()
	if !c.configure(configuration.Provider, p.note) {
		return p
	}
	objects := configuration.moved(c.objects)
	if configuration.Destroy {
		p.preventDestroy(objects)
		configuration.Blocks, p.configuration.Blocks = nil, nil
	}
	// No object depends on a removed one, so Terraform usually plans it first.
	var removed []node
	for _, address := range destroyedLast(objects) {
		if !slices.ContainsFunc(configuration.Blocks, func(b Block) bool { return b.Address == address }) {
			removed = append(removed, node{address, nil, func() { c.planRemoval(address, objects[address], p) }})
		}
	}
	c.walk(removed)
	if configuration.Parallelism > 1 {
		c.refreshEarly(objects, p)
	}
	c.planBlocks(objects, p)
	order := map[string]int{} // concurrent plans have none
	for i, block := range configuration.Blocks {
		order[block.Address] = i + 1
	}
	slices.SortStableFunc(p.Changes, func(a, b *Change) int { return cmp.Compare(order[a.Address], order[b.Address]) })
	return p
}

// moved returns the objects after the moved blocks are applied.
func (c Configuration) moved(objects map[string]*held) map[string]*held {
	objects = maps.Clone(objects)
	for from, to := range c.Moved {
		if objects[from] != nil && objects[to] == nil {
			objects[to] = objects[from]
			delete(objects, from)
		}
	}
	return objects
}

// preventDestroy reports the objects that terraform destroy must keep.
func (p *CorePlan) preventDestroy(objects map[string]*held) {
	for _, block := range p.configuration.Blocks {
		if block.PreventDestroy && objects[block.Address] != nil {
			p.note(block.Address, trouble("Instance cannot be destroyed", "lifecycle.prevent_destroy is set"))
		}
	}
}

// planRemoval plans the removal of an object that is not in the configuration. Terraform refreshes it after planning
// the removal, except in terraform destroy.
func (c *Core) planRemoval(address string, object *held, p *CorePlan) {
	c.t.Helper()
	if !p.targeted(address) {
		p.refreshed[address] = object
		return
	}
	var change *Change
	var problems []*tfprotov6.Diagnostic
	if !p.configuration.Destroy {
		change, problems = c.destruction(address, object)
	}
	prior, read := c.refresh(address, object, nil, p)
	if !read || prior == nil {
		return
	}
	if p.refreshed[address] = prior; p.configuration.Destroy {
		change, problems = c.destruction(address, prior)
	}
	if p.note(address, problems) {
		p.Changes = append(p.Changes, change)
	}
}

// planBlocks plans the configuration, in the order of the blocks.
func (c *Core) planBlocks(objects map[string]*held, p *CorePlan) {
	c.t.Helper()
	planned, failed := map[string]JSON{}, map[string]bool{}
	var nodes []node
	for _, block := range p.configuration.Blocks {
		nodes = append(nodes, node{block.Address, block.Needs, func() {
			switch {
			case needsAny(block.Needs, failed): // Terraform does not plan what depends on an error.
				failed[block.Address] = true
			case c.schema(block.Address) == nil:
				failed[block.Address] = !p.note(block.Address, trouble("Invalid resource type", block.Type()))
			case strings.HasPrefix(block.Address, dataPrefix):
				failed[block.Address] = !c.planSource(block, p, planned)
			default:
				failed[block.Address] = !c.planBlock(block, objects[block.Address], p, planned)
			}
		}})
	}
	c.walk(nodes)
}

// refreshEarly refreshes the objects of all blocks.
func (c *Core) refreshEarly(objects map[string]*held, p *CorePlan) {
	c.t.Helper()
	p.early = map[string]*held{}
	var nodes []node
	for _, block := range p.configuration.Blocks {
		prior := objects[block.Address]
		if prior == nil || !p.targeted(block.Address) {
			continue
		}
		nodes = append(nodes, node{block.Address, nil, func() {
			if read, fine := c.refresh(block.Address, prior, nil, p); fine {
				p.early[block.Address] = read
			}
		}})
	}
	c.walk(nodes)
}

func needsAny(needs []string, of map[string]bool) bool {
	return slices.ContainsFunc(needs, func(address string) bool { return of[address] })
}

// planBlock refreshes and plans one resource block, and reports whether it succeeds.
func (c *Core) planBlock(block Block, prior *held, p *CorePlan, planned map[string]JSON) bool {
	c.t.Helper()
	if !p.targeted(block.Address) {
		if prior != nil {
			p.refreshed[block.Address], planned[block.Address] = prior, view(prior.value)
		}
		return true
	}
	early, read := p.early[block.Address]
	switch {
	case read:
		prior = early
	case prior != nil && p.early != nil: // its refresh has failed
		return false
	default:
		if prior, read = c.refresh(block.Address, prior, p.configuration.Imports[block.Address], p); !read {
			return false
		}
	}
	if prior != nil {
		p.refreshed[block.Address] = prior
	}
	config, problems := c.evaluate(block, planned)
	if !p.note(block.Address, problems) {
		return false
	}
	change, problems := c.change(block, config, prior, nil, slices.Contains(p.configuration.Replace, block.Address))
	if !p.note(block.Address, problems) {
		return false
	}
	planned[block.Address] = change.After
	p.Changes = append(p.Changes, change)
	return true
}

// targeted reports whether the plan includes an address.
func (p *CorePlan) targeted(address string) bool {
	if len(p.configuration.Target) == 0 || slices.Contains(p.configuration.Target, address) {
		return true
	}
	return slices.ContainsFunc(p.configuration.Blocks, func(b Block) bool { // a plan of a target includes its references
		return slices.Contains(b.Needs, address) && p.targeted(b.Address)
	})
}

// destroyedLast returns the addresses of a state, sorted so that objects come before those that refer to them.
func destroyedLast(objects map[string]*held) []string {
	depth := map[string]int{}
	var of func(address string) int
	of = func(address string) int {
		if object := objects[address]; object != nil && depth[address] == 0 {
			depth[address] = 1
			for _, need := range object.needs {
				depth[address] = max(depth[address], of(need)+1)
			}
		}
		return depth[address]
	}
	return slices.SortedFunc(maps.Keys(objects), func(a, b string) int {
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a, b))
	})
}

// noting records diagnostics, and reports whether they contain no error.
type noting = func(address string, all []*tfprotov6.Diagnostic) bool

func (p *CorePlan) note(address string, all []*tfprotov6.Diagnostic) bool {
	errs, warnings := worded(address, all)
	p.Errors, p.Warnings = append(p.Errors, errs...), append(p.Warnings, warnings...)
	p.Diagnostics = append(p.Diagnostics, all...)
	return len(errs) == 0
}

func worded(address string, all []*tfprotov6.Diagnostic) (errs, warnings []string) {
	for _, d := range all {
		text := fmt.Sprintf("%s: %s: %s", address, d.Summary, d.Detail)
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errs = append(errs, text)
		} else {
			warnings = append(warnings, text)
		}
	}
	return errs, warnings
}

// refresh reads an object of the state, or imports it. It returns nil if the object does not exist.
func (c *Core) refresh(address string, prior *held, imported any, p *CorePlan) (*held, bool) {
	c.t.Helper()
	if prior == nil && imported != nil {
		if prior = c.imported(address, imported, p); prior == nil {
			return nil, false
		}
		read, fine := c.read(address, prior, p)
		if fine && read == nil {
			return nil, p.note(address, trouble("Cannot import non-existent remote object", address))
		}
		return read, fine
	}
	if prior == nil || p.configuration.NoRefresh || (Block{Address: address}).Type() == builtinType {
		return prior, true
	}
	return c.read(address, prior, p)
}

// imported returns the imported object; nil if there are errors.
func (c *Core) imported(address string, imported any, p *CorePlan) *held {
	c.t.Helper()
	request := &tfprotov6.ImportResourceStateRequest{TypeName: Block{Address: address}.Type()}
	switch imported := imported.(type) {
	case string:
		request.ID = imported
	case JSON:
		identity := c.schemas.identities[request.TypeName]
		request.Identity = &tfprotov6.ResourceIdentityData{IdentityData: encode(value(identity.ValueType(),
			imported))}
	}
	response := call(c, c.server.ImportResourceState, request)
	if !p.note(address, response.Diagnostics) || len(response.ImportedResources) != 1 {
		return nil
	}
	first := response.ImportedResources[0]
	return &held{value: decode(first.State, c.schema(address).ValueType()), private: first.Private,
		identity: first.Identity}
}

// read refreshes an object; nil if it does not exist.
func (c *Core) read(address string, prior *held, p *CorePlan) (*held, bool) {
	c.t.Helper()
	response := call(c, c.server.ReadResource, &tfprotov6.ReadResourceRequest{TypeName: Block{Address: address}.Type(),
		CurrentState: prior.encode(), Private: prior.private, CurrentIdentity: prior.identity})
	if !p.note(address, response.Diagnostics) {
		return nil, false
	}
	schema := c.schema(address)
	read := *prior
	read.value, read.encoded = decode(response.NewState, schema.ValueType()), response.NewState
	read.private, read.identity = response.Private, response.NewIdentity
	if read.value.IsNull() {
		return nil, true
	}
	if problems := writeOnlyHeld(schema, read.value); problems != nil {
		return nil, p.note(address, problems)
	}
	return &read, true
}

// ok returns the result of a call whose error the provider cannot cause.
func ok[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
