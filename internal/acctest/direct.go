package acctest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Direct is a Core with one block, of which a test plays each step by itself: the refresh, the plan, the apply. It
// keeps its provider from step to step.
type Direct struct {
	t     *testing.T
	core  *Core
	block Block
	// planned says that a creation with an external_id was planned and not applied. In one run Terraform plans it once.
	planned bool
}

// Direct prepares an object of a resource type at this service.
func (s *Service) Direct(typeName string) *Direct {
	s.t.Helper()
	d := &Direct{t: s.t, core: s.Core(), block: Block{Address: typeName + ".it"}}
	d.configure()
	if d.core.schema(d.block.Address) == nil {
		s.t.Fatalf("no resource type %s", typeName)
	}
	return d
}

// configure starts another provider.
func (d *Direct) configure() {
	d.t.Helper()
	d.core.configure(nil, func(_ string, all []*tfprotov6.Diagnostic) bool {
		d.t.Helper()
		if text := Errors(all); text != "" {
			d.t.Fatal(text)
		}
		return true
	})
}

// Without11 makes Terraform one before 1.11, which has no write-only arguments.
func (d *Direct) Without11() *Direct {
	d.core.Before11 = true
	return d
}

// held is the object of the state, or null.
func (d *Direct) held() *held {
	if object := d.core.objects[d.block.Address]; object != nil {
		return object
	}
	return &held{value: nothing(d.core.schema(d.block.Address).ValueType())}
}

func (d *Direct) config(values JSON) tftypes.Value {
	d.t.Helper()
	return object(d.t, d.core.schema(d.block.Address), values)
}

// Planned is the response to a plan.
type Planned struct {
	// Config and Value are the configuration and the planned object.
	Config, Value tftypes.Value
	// Prior is the state that it was planned from.
	Prior tftypes.Value
	// Replaces are the attributes that ask for another object.
	Replaces []string
	// Diagnostics hold those of the validation too.
	Diagnostics []*tfprotov6.Diagnostic

	change *Change
}

// Plan validates the configuration and plans it; nil is a configuration without the object.
func (d *Direct) Plan(config JSON) Planned {
	d.t.Helper()
	if !d.Exists() && config["external_id"] != nil {
		if d.planned {
			d.configure()
		}
		d.planned = true
	}
	return d.plan(config, d.held(), nil, false)
}

func (d *Direct) plan(config JSON, prior *held, first *Change, forced bool) (p Planned) {
	d.t.Helper()
	p = Planned{Config: nothing(prior.value.Type()), Value: nothing(prior.value.Type()), Prior: prior.value}
	if config == nil {
		p.change, p.Diagnostics = d.core.destruction(d.block.Address, prior)
	} else {
		p.Config = d.config(config)
		p.change, p.Diagnostics = d.core.change(d.block, p.Config, prior, first, forced)
	}
	if p.change != nil {
		p.Value, p.Replaces = p.change.planned, p.change.Replaces
	}
	return p
}

// Again is the plan that Terraform makes once more at apply, when everything in the configuration is known: with
// another provider, and without a refresh. What the first plan knew has to hold.
func (d *Direct) Again(first Planned, config JSON) Planned {
	d.t.Helper()
	d.configure()
	p := d.plan(config, d.held(), first.change, false)
	if p.change != nil {
		for _, problem := range broken(d.t, first.Value, p.Value, "") {
			d.t.Errorf("the plan at apply is another one: %s", problem)
		}
	}
	if len(p.Replaces) > 0 && len(first.Replaces) == 0 {
		d.t.Errorf("the plan at apply replaces for %v", p.Replaces)
	}
	return p
}

// PlanReplace is the plan of terraform plan -replace.
func (d *Direct) PlanReplace(config JSON) Planned {
	d.t.Helper()
	return d.plan(config, d.held(), nil, true)
}

// PlanTainted is the plan of an object that is marked as tainted: a creation, of which Terraform says nothing more.
func (d *Direct) PlanTainted(config JSON) Planned {
	d.t.Helper()
	tainted := *d.held()
	tainted.tainted = true
	return d.plan(config, &tainted, nil, false)
}

// Apply carries a plan out and keeps what becomes of the object, also where that is an error.
func (d *Direct) Apply(p Planned) []*tfprotov6.Diagnostic {
	d.t.Helper()
	if text := Errors(p.Diagnostics); text != "" {
		d.t.Fatalf("apply of a plan with errors: %s", text)
	}
	d.planned = false
	done := &CoreApplied{failed: map[string]bool{}}
	switch p.change.Action {
	case NoOp:
		return nil
	case Delete, Replace:
		if d.Exists() {
			d.core.destroy(d.block.Address, p.change.private, done)
		}
		if p.change.Action == Delete || Errors(done.Diagnostics) != "" {
			return done.Diagnostics
		}
	}
	change := *p.change
	change.config, change.planned = p.Config, p.Value // a test may have changed them
	return append(done.Diagnostics, d.core.applyChange(&change)...)
}

// Set plans a configuration and applies it, which has to succeed; it returns the warnings of both.
func (d *Direct) Set(config JSON) string {
	d.t.Helper()
	p := d.Plan(config)
	if text := Errors(p.Diagnostics); text != "" {
		d.t.Fatalf("plan: %s", text)
	}
	applied := d.Apply(p)
	if text := Errors(applied); text != "" {
		d.t.Fatalf("apply: %s", text)
	}
	return Warnings(append(p.Diagnostics, applied...))
}

// Refresh reads the object, as every plan begins.
func (d *Direct) Refresh() []*tfprotov6.Diagnostic {
	d.t.Helper()
	p := &CorePlan{}
	if read, fine := d.core.read(d.block.Address, d.held(), p); fine {
		d.keep(read)
	}
	return p.Diagnostics
}

func (d *Direct) keep(object *held) {
	delete(d.core.objects, d.block.Address)
	if object != nil {
		d.core.objects[d.block.Address] = object
	}
}

// Import takes an object over by its import id, and reads it.
func (d *Direct) Import(id string) []*tfprotov6.Diagnostic {
	d.t.Helper()
	d.configure()
	p := &CorePlan{}
	imported := d.core.imported(d.block.Address, id, p)
	if imported == nil {
		return p.Diagnostics
	}
	d.keep(imported)
	return append(p.Diagnostics, d.Refresh()...)
}

// Type is the type of the object.
func (d *Direct) Type() string { return d.block.Type() }

// ID is the id in the state.
func (d *Direct) ID() string { return strings.Trim(d.Text("id"), `"`) }

// Exists reports whether the state holds the object.
func (d *Direct) Exists() bool { return d.core.objects[d.block.Address] != nil }

// Text is an attribute of the state as JSON text, "null" for none.
func (d *Direct) Text(name string) string { return text(d.t, fields(d.t, d.State())[name]) }

// Text is an attribute of the plan as JSON text.
func (p Planned) Text(t *testing.T, name string) string {
	t.Helper()
	return text(t, fields(t, p.Value)[name])
}

// Elements are the elements of a list or set of the plan as JSON texts.
func (p Planned) Elements(t *testing.T, name string) []string {
	t.Helper()
	var elements []tftypes.Value
	if err := fields(t, p.Value)[name].As(&elements); err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(elements))
	for i := range elements {
		all[i] = text(t, elements[i])
	}
	return all
}

// Unknown lists the attributes that the plan shows as known after apply, sorted.
func (p Planned) Unknown(t *testing.T) []string {
	t.Helper()
	return where(fields(t, p.Value), func(_ string, v tftypes.Value) bool { return !v.IsFullyKnown() })
}

// Changes lists the attributes that the plan shows as changing, sorted; none is an empty plan.
func (p Planned) Changes(t *testing.T) []string {
	t.Helper()
	if p.Prior.IsNull() || p.Value.IsNull() {
		return where(fields(t, p.Value), func(string, tftypes.Value) bool { return true })
	}
	return Differences(t, p.Prior, p.Value)
}

// State is the object as it is now, null without one.
func (d *Direct) State() tftypes.Value { return d.held().value }

// Recording is what Terraform sends about an object that did not change, as it is on the wire: for measurements.
type Recording struct {
	TypeName string
	// Config and State are MessagePack, StateJSON is what the state file holds, and Identity is MessagePack.
	Config, State, StateJSON, Private, Identity []byte
}

// Record records the object with the configuration that it was set to.
func (d *Direct) Record(config JSON) Recording {
	d.t.Helper()
	object := d.held()
	r := Recording{TypeName: d.block.Type(), Private: object.private, StateJSON: []byte(text(d.t, object.value)),
		Config: encode(d.t, d.config(config)).MsgPack, State: encode(d.t, object.value).MsgPack}
	if object.identity != nil {
		r.Identity = object.identity.IdentityData.MsgPack
	}
	return r
}
