package acctest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Block is a resource block of a configuration.
type Block struct {
	// Address is type and name, such as "billing_customer.c".
	Address string
	// Values are the arguments. A Ref is the attribute of another block; Unknown is only known after the apply.
	Values JSON
	// Ignore is ignore_changes: "notes", "custom_metadata.score", `rotate_when_changed["at"]`, or "all" alone.
	Ignore []string
	// CreateBeforeDestroy is that of the lifecycle block.
	CreateBeforeDestroy bool
}

// Type is the resource type of the block.
func (b Block) Type() string {
	name, _, _ := strings.Cut(b.Address, ".")
	return name
}

// Ref in a configuration is an attribute of another block.
type Ref struct{ Address, Attribute string }

// Configuration is a whole configuration.
type Configuration struct {
	// Blocks come after those that they refer to.
	Blocks []Block
	// Defaults is default_custom_metadata of the provider block; nil: none.
	Defaults JSON
	// Imports are the import blocks: addresses and the import ids.
	Imports map[string]string
	// Later are arguments that are only known in the apply, such as "billing_subscription.s.plan_id": they come from a
	// data source that is deferred by depends_on. A value here is what they turn out to be; nil stands for what the block
	// says.
	Later map[string]any
}

// Core drives many objects over the provider's protocol as Terraform does: a new provider for each plan and each apply,
// a refresh before the plan, ignore_changes for the plan alone, a second plan in the apply. It takes milliseconds where
// Terraform takes seconds. What Terraform would report as a bug of the provider is an error of the plan or the apply.
type Core struct {
	t       *testing.T
	service *Service
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
	objects map[string]*held
}

// held is an object in the state.
type held struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Change is what a plan does to one object. Before and After are plain JSON values, and Unknown in After is only known
// after apply.
type Change struct {
	Address, Action string
	Before, After   JSON
	// Replaces are the attributes that force the replacement.
	Replaces []string

	block   Block
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
	// Errors and Warnings are worded with the address of the object.
	Errors, Warnings []string

	configuration Configuration
	refreshed     map[string]*held
}

// Of is the change of the object at an address; nil without one.
func (p *CorePlan) Of(address string) *Change {
	for _, c := range p.Changes {
		if c.Address == address {
			return c
		}
	}
	return nil
}

// Core is a driver with an empty state at this service.
func (s *Service) Core() *Core { return &Core{t: s.t, service: s, objects: map[string]*held{}} }

// State is the object at an address as plain JSON; nil without one.
func (c *Core) State(address string) JSON {
	if object := c.objects[address]; object != nil {
		return view(c.t, object.value)
	}
	return nil
}

// Forget removes an object from the state, as `terraform state rm` does.
func (c *Core) Forget(address string) { delete(c.objects, address) }

// configure starts a new provider.
func (c *Core) configure(defaults JSON, note func(address string, all []*tfprotov6.Diagnostic) bool) bool {
	c.t.Helper()
	c.server = ok(Factories["billing"]())
	c.schemas = ok(c.server.GetProviderSchema(c.ctx(), &tfprotov6.GetProviderSchemaRequest{}))
	config := JSON{}
	for _, argument := range c.service.arguments() {
		config[argument.name] = argument.value
	}
	if defaults != nil {
		config["default_custom_metadata"] = defaults
	}
	response := ok(c.server.ConfigureProvider(c.ctx(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: encode(c.t, object(c.t, c.schemas.Provider, config))}))
	return note("provider", response.Diagnostics)
}

func (c *Core) ctx() context.Context { return context.WithoutCancel(c.t.Context()) }

func (c *Core) schema(address string) *tfprotov6.Schema {
	c.t.Helper()
	schema := c.schemas.ResourceSchemas[Block{Address: address}.Type()]
	if schema == nil {
		c.t.Fatalf("no resource type for %s", address)
	}
	return schema
}

// Plan refreshes and plans. A plan with errors cannot be applied.
func (c *Core) Plan(configuration Configuration) *CorePlan {
	c.t.Helper()
	p := &CorePlan{configuration: configuration, refreshed: map[string]*held{}}
	if !c.configure(configuration.Defaults, p.note) {
		return p
	}
	planned := map[string]tftypes.Value{}
	for _, block := range configuration.Blocks {
		prior, read := c.refresh(block.Address, configuration.Imports[block.Address], p)
		if !read {
			return p
		}
		if prior != nil {
			p.refreshed[block.Address] = prior
		}
		config := c.evaluate(configuration, block, planned, true)
		change, problems := c.change(block, config, prior, nil)
		if !p.note(block.Address, problems) {
			return p
		}
		planned[block.Address] = change.planned
		p.Changes = append(p.Changes, change)
	}
	for _, address := range slices.Sorted(maps.Keys(c.objects)) {
		if slices.ContainsFunc(configuration.Blocks, func(b Block) bool { return b.Address == address }) {
			continue
		}
		prior, read := c.refresh(address, "", p)
		if !read {
			return p
		}
		if prior == nil {
			continue
		}
		p.refreshed[address] = prior
		change, problems := c.destruction(address, prior)
		if !p.note(address, problems) {
			return p
		}
		p.Changes = append(p.Changes, change)
	}
	return p
}

// note keeps diagnostics, and reports whether there was no error among them.
func (p *CorePlan) note(address string, all []*tfprotov6.Diagnostic) bool {
	errs, warnings := worded(address, all)
	p.Errors, p.Warnings = append(p.Errors, errs...), append(p.Warnings, warnings...)
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

// refresh reads an object of the state, or imports it. It is nil where there is none.
func (c *Core) refresh(address, importID string, p *CorePlan) (*held, bool) {
	c.t.Helper()
	prior, typeName := c.objects[address], Block{Address: address}.Type()
	schema := c.schema(address)
	if prior == nil && importID != "" {
		response := ok(c.server.ImportResourceState(c.ctx(),
			&tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: importID}))
		if !p.note(address, response.Diagnostics) || len(response.ImportedResources) != 1 {
			return nil, false
		}
		imported := response.ImportedResources[0]
		prior = &held{decode(c.t, imported.State, schema.ValueType()), imported.Private, imported.Identity}
	}
	if prior == nil {
		return nil, true
	}
	response := ok(c.server.ReadResource(c.ctx(), &tfprotov6.ReadResourceRequest{TypeName: typeName,
		CurrentState: encode(c.t, prior.value), Private: prior.private, CurrentIdentity: prior.identity}))
	if !p.note(address, response.Diagnostics) {
		return nil, false
	}
	read := &held{decode(c.t, response.NewState, schema.ValueType()), response.Private, response.NewIdentity}
	if read.value.IsNull() {
		return nil, true
	}
	return read, true
}

// ok is a result of the protocol, which fails for no reason that a provider has.
func ok[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
