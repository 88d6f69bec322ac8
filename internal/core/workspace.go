package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// Block is a resource or data block of a configuration.
type Block struct {
	// Address is the type and name, such as "example_note.n"; data blocks have the prefix "data.".
	Address string
	// Values are the arguments. Unknown marks a value that is known only after apply.
	Values Object
	// Evaluate replaces Values if there are references: it gets the objects known so far, by address.
	Evaluate func(objects map[string]Object) (Object, error)
	// Arguments are those of a parsed block, as they are written, without Terraform's own.
	Arguments hclsyntax.Attributes
	// Each is the variable each of an instance with for_each.
	Each map[string]cty.Value
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
	Provider Object
	// Imports holds the import blocks: addresses, and the id (a string) or the identity (Object).
	Imports map[string]any
	// Moved holds the moved blocks: old and new addresses.
	Moved map[string]string
	// Removed holds the resources of removed blocks with destroy = false.
	Removed []string
	// Replace lists the addresses of -replace, and Target those of -target.
	Replace, Target []string
	// NoRefresh is -refresh=false, and Destroy -destroy.
	NoRefresh, Destroy bool
	// Variables are the values of -var, for Terraform itself: the blocks already contain them.
	Variables map[string]string
	// Parallelism is -parallelism of Terraform itself; 0 is its default. A workspace is sequential without Turn.
	Parallelism int
	// Text is the configuration for Terraform itself. a workspace ignores it.
	Text string
}

// Provider is what a workspace runs.
type Provider struct {
	// Serve starts it.
	Serve func() tfprotov6.ProviderServer
	// Schemas returns its schemas, which it is asked for if Schemas is nil or returns nil.
	Schemas func() *Schemas
	// Arguments returns those of the provider block that configurations leave out, such as an address; nil: none.
	Arguments func() Object
}

// Schemas are those of a provider.
type Schemas struct {
	*tfprotov6.GetProviderSchemaResponse
	Identities map[string]*tfprotov6.ResourceIdentitySchema

	types sync.Map // see typesOf
}

// SchemasOf asks a provider for its schemas.
func SchemasOf(server tfprotov6.ProviderServer) *Schemas {
	all := ok(server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}))
	identities := ok(server.GetResourceIdentitySchemas(context.Background(),
		&tfprotov6.GetResourceIdentitySchemasRequest{}))
	return &Schemas{GetProviderSchemaResponse: all, Identities: identities.IdentitySchemas}
}

// Workspace is a state, and runs a provider as Terraform does.
type Workspace struct {
	// Killed is closed when the run is killed: later results of the provider are lost. Nil: never.
	Killed <-chan struct{}
	// Interrupted is closed when Terraform is interrupted: the provider is asked to stop, its results are kept, and no
	// other change starts. Nil: never.
	Interrupted <-chan struct{}
	// Turn makes it concurrent: it is called before each object is planned or changed, and returns when that may begin.
	Turn func(address string)

	provider Provider
	server   tfprotov6.ProviderServer
	schemas  *Schemas
	objects  map[string]*held
	// validated is what the provider has said about configurations: that depends on nothing else.
	validated map[string][]*tfprotov6.Diagnostic
	mu        sync.Mutex      // held by one object at a time, except while the provider works
	running   context.Context // of the plan or apply; an interrupt or a kill cancels it
}

// New returns a workspace with an empty state.
func New(p Provider) *Workspace {
	return &Workspace{provider: p, objects: map[string]*held{}, validated: map[string][]*tfprotov6.Diagnostic{}}
}

// held is an object in the state.
type held struct {
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	needs    []string
	tainted  bool
	encoded  *tfprotov6.DynamicValue // as the provider returned it; nil: encode it
}

// missing reports whether there is no object. A refresh that does not find one leaves its private data to the plan.
func (h *held) missing() bool { return h == nil || h.value.IsNull() }

func (h *held) encode(as cty.Type) *tfprotov6.DynamicValue {
	if h.encoded == nil {
		h.encoded = encode(h.value, as)
	}
	return h.encoded
}

// Change is the planned change of one object. Before and After are plain JSON values; After contains Unknown for values
// that are known only after apply.
type Change struct {
	Address, Action string
	Before, After   Object
	// Replaces lists the attributes that force replacement.
	Replaces []string

	block   Block
	config  cty.Value
	prior   cty.Value
	planned cty.Value
	private []byte
}

// Actions of a change.
const (
	NoOp    = "no-op"
	Create  = "create"
	Update  = "update"
	Replace = "replace"
	Delete  = "delete"
	Forget  = "forget" // a removed block with destroy = false
)

// Said is what a plan or an apply has said.
type Said struct {
	// Errors and Warnings start with the address of the object.
	Errors, Warnings []string
	// Diagnostics holds all diagnostics, as the provider returned them.
	Diagnostics []*tfprotov6.Diagnostic
}

// Plan is a plan of a whole configuration.
type Plan struct {
	Changes []*Change
	Said

	configuration Configuration
	refreshed     map[string]*held
	sources       map[string]Object // data sources that were read
}

// Of returns the change of the object at an address; nil if there is none.
func (p *Plan) Of(address string) *Change {
	for _, c := range p.Changes {
		if c.Address == address {
			return c
		}
	}
	return nil
}

// State returns the object at an address as plain JSON; nil if there is none.
func (w *Workspace) State(address string) Object {
	if object := w.objects[address]; object != nil {
		return view(object.value)
	}
	return nil
}

// Addresses returns the sorted addresses of the state.
func (w *Workspace) Addresses() []string { return slices.Sorted(maps.Keys(w.objects)) }

// Taint marks an object for replacement, as `terraform taint` does.
func (w *Workspace) Taint(address string) { w.objects[address].tainted = true }

// Forget removes an object from the state, as `terraform state rm` does.
func (w *Workspace) Forget(address string) { delete(w.objects, address) }

// start starts a new provider.
func (w *Workspace) start() {
	w.server = w.provider.Serve()
	if w.provider.Schemas != nil {
		w.schemas = w.provider.Schemas()
	}
	if w.schemas == nil {
		w.schemas = SchemasOf(w.server)
	}
}

// configure starts and configures a new provider.
func (w *Workspace) configure(arguments Object, note noting) bool {
	w.start()
	config := Object{}
	if w.provider.Arguments != nil {
		maps.Copy(config, w.provider.Arguments())
	}
	maps.Copy(config, arguments)
	if problems := misspelled(w.schemas.Provider.Block.Attributes, config, ""); len(problems) > 0 {
		return note("provider", problems)
	}
	encoded := w.schemas.encoded(config, w.schemas.Provider)
	if !note("provider", w.validate("", encoded, func() []*tfprotov6.Diagnostic {
		return ok(w.server.ValidateProviderConfig(w.ctx(),
			&tfprotov6.ValidateProviderConfigRequest{Config: encoded})).Diagnostics
	})) {
		return false
	}
	response := ok(w.server.ConfigureProvider(w.ctx(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: encoded}))
	return note("provider", response.Diagnostics)
}

// validate returns what the provider says about a configuration of a type, which it is asked once.
func (w *Workspace) validate(typeName string, config *tfprotov6.DynamicValue,
	ask func() []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	key := typeName + string(config.MsgPack)
	said, known := w.validated[key]
	if !known {
		said = ask()
		w.validated[key] = said
	}
	return said
}

func (w *Workspace) ctx() context.Context {
	if w.running != nil {
		return w.running
	}
	return context.Background()
}

// begin starts a plan or an apply that may be interrupted or killed; end ends it.
func (w *Workspace) begin() (end func()) {
	if w.Interrupted == nil && w.Killed == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(w.ctx())
	w.running = ctx
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-w.Interrupted:
		case <-w.Killed:
		case <-ctx.Done():
		}
		cancel()
	})
	return func() {
		cancel()
		watch.Wait()
		w.running = nil
	}
}

// dead reports whether the run has been killed.
func (w *Workspace) dead() bool {
	select {
	case <-w.Killed:
		return true
	default:
		return false
	}
}

// call calls the provider, while other objects go on.
func call[Q, A any](w *Workspace, does func(context.Context, Q) (A, error), request Q) A {
	if w.Turn != nil {
		w.mu.Unlock()
		defer w.mu.Lock()
	}
	return ok(does(w.ctx(), request))
}

// node is an object in Terraform's graph.
type node struct {
	address string
	after   []string // addresses in the same walk
	visit   func()
}

// walk visits nodes one after another, or with Turn concurrently, each as soon as those before it have been visited.
func (w *Workspace) walk(nodes []node) {
	if w.Turn == nil {
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
			w.Turn(n.address)
			w.mu.Lock()
			defer w.mu.Unlock()
			n.visit()
		})
	}
	all.Wait()
}

// schema returns the schema of a type; nil if the type does not exist.
func (w *Workspace) schema(address string) *tfprotov6.Schema {
	block := Block{Address: address}
	switch {
	case block.Type() == builtinType:
		return builtinSchema
	case strings.HasPrefix(address, dataPrefix):
		return w.schemas.DataSourceSchemas[block.Type()]
	default:
		return w.schemas.ResourceSchemas[block.Type()]
	}
}

// Plan refreshes and plans. A plan with errors cannot be applied.
func (w *Workspace) Plan(configuration Configuration) *Plan {
	p := &Plan{configuration: configuration, refreshed: map[string]*held{}, sources: map[string]Object{}}
	defer w.begin()()
	if !w.configure(configuration.Provider, p.note) {
		return p
	}
	objects := configuration.moved(w.objects)
	if configuration.Destroy {
		p.preventDestroy(objects)
		configuration.Blocks, p.configuration.Blocks = nil, nil
	}
	// No object depends on a removed one, so Terraform usually plans it first.
	var removed []node
	for _, address := range destroyedLast(objects) {
		if !slices.ContainsFunc(configuration.Blocks, func(b Block) bool { return b.Address == address }) {
			removed = append(removed, node{address, nil, func() { w.planRemoval(address, objects[address], p) }})
		}
	}
	w.walk(removed)
	w.planBlocks(objects, p)
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
func (p *Plan) preventDestroy(objects map[string]*held) {
	for _, block := range p.configuration.Blocks {
		if block.PreventDestroy && objects[block.Address] != nil {
			p.note(block.Address, trouble("Instance cannot be destroyed", "lifecycle.prevent_destroy is set"))
		}
	}
}

// planRemoval plans the removal of an object that is not in the configuration. Terraform refreshes it after planning
// the removal, except in terraform destroy, and not at all if it only forgets it.
func (w *Workspace) planRemoval(address string, object *held, p *Plan) {
	if !p.targeted(address) {
		p.refreshed[address] = object
		return
	}
	if name, _, _ := strings.Cut(address, "["); slices.Contains(p.configuration.Removed, name) {
		p.refreshed[address] = object
		p.Changes = append(p.Changes, &Change{Address: address, Action: Forget, Before: view(object.value)})
		return
	}
	var change *Change
	planned := func(from *held) bool {
		var problems []*tfprotov6.Diagnostic
		change, problems = w.destruction(address, from)
		return p.note(address, problems)
	}
	if !p.configuration.Destroy && !planned(object) {
		return
	}
	prior, read := w.refresh(address, object, nil, p)
	if !read || prior.missing() {
		return
	}
	p.refreshed[address] = prior
	if !p.configuration.Destroy || planned(prior) {
		p.Changes = append(p.Changes, change)
	}
}

// planBlocks plans the configuration, in the order of the blocks.
func (w *Workspace) planBlocks(objects map[string]*held, p *Plan) {
	planned, failed := map[string]Object{}, map[string]bool{}
	var nodes []node
	for _, block := range p.configuration.Blocks {
		nodes = append(nodes, node{block.Address, block.Needs, func() {
			switch {
			case needsAny(block.Needs, failed): // Terraform does not plan what depends on an error.
				failed[block.Address] = true
			case w.schema(block.Address) == nil:
				failed[block.Address] = !p.note(block.Address, trouble("Invalid resource type", block.Type()))
			case strings.HasPrefix(block.Address, dataPrefix):
				failed[block.Address] = !w.planSource(block, p, planned)
			default:
				failed[block.Address] = !w.planBlock(block, objects[block.Address], p, planned)
			}
		}})
	}
	w.walk(nodes)
}

func needsAny(needs []string, of map[string]bool) bool {
	return slices.ContainsFunc(needs, func(address string) bool { return of[address] })
}

// planBlock refreshes and plans one resource block, and reports whether it succeeds.
func (w *Workspace) planBlock(block Block, prior *held, p *Plan, planned map[string]Object) bool {
	if !p.targeted(block.Address) {
		if prior != nil {
			p.refreshed[block.Address], planned[block.Address] = prior, view(prior.value)
		}
		return true
	}
	prior, read := w.refresh(block.Address, prior, p.configuration.Imports[block.Address], p)
	if !read {
		return false
	}
	if !prior.missing() {
		p.refreshed[block.Address] = prior
	}
	config, problems := w.evaluate(block, planned)
	if !p.note(block.Address, problems) {
		return false
	}
	change, problems := w.change(block, config, prior, nil, slices.Contains(p.configuration.Replace, block.Address))
	if !p.note(block.Address, problems) {
		return false
	}
	planned[block.Address] = change.After
	p.Changes = append(p.Changes, change)
	return true
}

// targeted reports whether the plan includes an address.
func (p *Plan) targeted(address string) bool {
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

func (s *Said) note(address string, all []*tfprotov6.Diagnostic) bool {
	before := len(s.Errors)
	for _, d := range all {
		text := fmt.Sprintf("%s: %s: %s", address, d.Summary, d.Detail)
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			s.Errors = append(s.Errors, text)
		} else {
			s.Warnings = append(s.Warnings, text)
		}
	}
	s.Diagnostics = append(s.Diagnostics, all...)
	return len(s.Errors) == before
}

// refresh reads an object of the state, or imports it.
func (w *Workspace) refresh(address string, prior *held, imported any, p *Plan) (*held, bool) {
	if prior == nil && imported != nil {
		if prior = w.imported(address, imported, p); prior == nil {
			return nil, false
		}
		read, fine := w.read(address, prior, p)
		if fine && read.missing() {
			return nil, p.note(address, trouble("Cannot import non-existent remote object", address))
		}
		return read, fine
	}
	if prior == nil || p.configuration.NoRefresh || (Block{Address: address}).Type() == builtinType {
		return prior, true
	}
	return w.read(address, prior, p)
}

// imported returns the imported object; nil if there are errors.
func (w *Workspace) imported(address string, imported any, p *Plan) *held {
	request := &tfprotov6.ImportResourceStateRequest{TypeName: Block{Address: address}.Type()}
	switch imported := imported.(type) {
	case string:
		request.ID = imported
	case Object:
		as := ctyType(w.schemas.Identities[request.TypeName].ValueType())
		request.Identity = &tfprotov6.ResourceIdentityData{
			IdentityData: encode(ok(convert.Convert(ctyOf(imported), as)), as.WithoutOptionalAttributesDeep())}
	}
	response := call(w, w.server.ImportResourceState, request)
	if !p.note(address, response.Diagnostics) || len(response.ImportedResources) != 1 {
		return nil
	}
	first := response.ImportedResources[0]
	return &held{value: decode(first.State, w.schemas.typeOf(w.schema(address))), private: first.Private,
		identity: first.Identity}
}

// read refreshes an object.
func (w *Workspace) read(address string, prior *held, p *Plan) (*held, bool) {
	schema := w.schema(address)
	as := w.schemas.typeOf(schema)
	response := call(w, w.server.ReadResource, &tfprotov6.ReadResourceRequest{TypeName: Block{Address: address}.Type(),
		CurrentState: prior.encode(as), Private: prior.private, CurrentIdentity: prior.identity})
	if !p.note(address, response.Diagnostics) {
		return nil, false
	}
	read := *prior
	read.value, read.encoded = decode(response.NewState, as), response.NewState
	read.private, read.identity = response.Private, response.NewIdentity
	if read.missing() {
		if read = (held{value: read.value, private: read.private}); prior.tainted {
			read.private = nil
		}
		return &read, true
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
