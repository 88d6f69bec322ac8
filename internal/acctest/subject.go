package acctest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Subject is a Core with one block, of which a test plays each step by itself: the refresh, the plan, the apply. It
// keeps its provider from step to step.
type Subject struct {
	// Base has the arguments of every configuration, so that a step names only those that it is about.
	Base JSON

	t     *testing.T
	core  *Core
	block Block
	// proposed says that a creation with an external_id was planned and not applied. In one run Terraform plans it once.
	proposed bool
}

// Direct is a Subject whose steps name all arguments.
func (s *Service) Direct(typeName string) *Subject {
	s.t.Helper()
	return s.Subject(typeName, nil)
}

// Subject prepares an object of a resource type at this service.
func (s *Service) Subject(typeName string, base JSON) *Subject {
	s.t.Helper()
	d := &Subject{Base: base, t: s.t, core: s.Core(), block: Block{Address: typeName + ".it"}}
	d.configure()
	if d.core.schema(d.block.Address) == nil {
		s.t.Fatalf("no resource type %s", typeName)
	}
	return d
}

// configure starts another provider.
func (s *Subject) configure() { s.core.mustConfigure() }

// Without11 makes Terraform one before 1.11, which has no write-only arguments.
func (s *Subject) Without11() *Subject {
	s.core.Before11 = true
	return s
}

// held is the object of the state, or null.
func (s *Subject) held() *held {
	if object := s.core.objects[s.block.Address]; object != nil {
		return object
	}
	return &held{value: nothing(s.core.schema(s.block.Address).ValueType())}
}

func (s *Subject) config(values JSON) tftypes.Value {
	s.t.Helper()
	return object(s.t, s.core.schema(s.block.Address), values)
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
func (s *Subject) Plan(config JSON) Planned {
	s.t.Helper()
	if !s.Exists() && config["external_id"] != nil {
		if s.proposed {
			s.configure()
		}
		s.proposed = true
	}
	return s.plan(config, s.held(), nil, false)
}

func (s *Subject) plan(config JSON, prior *held, first *Change, forced bool) (p Planned) {
	s.t.Helper()
	p = Planned{Config: nothing(prior.value.Type()), Value: nothing(prior.value.Type()), Prior: prior.value}
	if config == nil {
		p.change, p.Diagnostics = s.core.destruction(s.block.Address, prior)
	} else {
		p.Config = s.config(config)
		p.change, p.Diagnostics = s.core.change(s.block, p.Config, prior, first, forced)
	}
	if p.change != nil {
		p.Value, p.Replaces = p.change.planned, p.change.Replaces
	}
	return p
}

// Again is the plan that Terraform makes once more at apply, when everything in the configuration is known: with
// another provider, and without a refresh. What the first plan knew has to hold.
func (s *Subject) Again(first Planned, config JSON) Planned {
	s.t.Helper()
	s.configure()
	p := s.plan(config, s.held(), first.change, false)
	if p.change != nil {
		for _, problem := range broken(s.t, first.Value, p.Value, "") {
			s.t.Errorf("the plan at apply is another one: %s", problem)
		}
	}
	if len(p.Replaces) > 0 && len(first.Replaces) == 0 {
		s.t.Errorf("the plan at apply replaces for %v", p.Replaces)
	}
	return p
}

// PlanReplace is the plan of terraform plan -replace.
func (s *Subject) PlanReplace(config JSON) Planned {
	s.t.Helper()
	return s.plan(config, s.held(), nil, true)
}

// PlanTainted is the plan of an object that is marked as tainted: a creation, of which Terraform says nothing more.
func (s *Subject) PlanTainted(config JSON) Planned {
	s.t.Helper()
	tainted := *s.held()
	tainted.tainted = true
	return s.plan(config, &tainted, nil, false)
}

// Apply carries a plan out and keeps what becomes of the object, also where that is an error.
func (s *Subject) Apply(p Planned) []*tfprotov6.Diagnostic {
	s.t.Helper()
	if text := Errors(p.Diagnostics); text != "" {
		s.t.Fatalf("apply of a plan with errors: %s", text)
	}
	s.proposed = false
	done := &CoreApplied{failed: map[string]bool{}}
	switch p.change.Action {
	case NoOp:
		return nil
	case Delete, Replace:
		if s.Exists() {
			s.core.destroy(s.block.Address, p.change.private, done)
		}
		if p.change.Action == Delete || Errors(done.Diagnostics) != "" {
			return done.Diagnostics
		}
	}
	change := *p.change
	change.config, change.planned = p.Config, p.Value // a test may have changed them
	return append(done.Diagnostics, s.core.applyChange(&change)...)
}

// Set plans a configuration and applies it, which has to succeed; it returns the warnings of both.
func (s *Subject) Set(config JSON) string {
	s.t.Helper()
	p := s.Plan(config)
	if text := Errors(p.Diagnostics); text != "" {
		s.t.Fatalf("plan: %s", text)
	}
	applied := s.Apply(p)
	if text := Errors(applied); text != "" {
		s.t.Fatalf("apply: %s", text)
	}
	return Warnings(append(p.Diagnostics, applied...))
}

// Refresh reads the object, as every plan begins.
func (s *Subject) Refresh() []*tfprotov6.Diagnostic {
	s.t.Helper()
	p := &CorePlan{}
	if read, fine := s.core.read(s.block.Address, s.held(), p); fine {
		s.keep(read)
	}
	return p.Diagnostics
}

func (s *Subject) keep(object *held) {
	delete(s.core.objects, s.block.Address)
	if object != nil {
		s.core.objects[s.block.Address] = object
	}
}

// Import takes an object over by its import id, and reads it.
func (s *Subject) Import(id string) []*tfprotov6.Diagnostic {
	s.t.Helper()
	s.configure()
	p := &CorePlan{}
	imported := s.core.imported(s.block.Address, id, p)
	if imported == nil {
		return p.Diagnostics
	}
	s.keep(imported)
	return append(p.Diagnostics, s.Refresh()...)
}

// Type is the type of the object.
func (s *Subject) Type() string { return s.block.Type() }

// ID is the id in the state.
func (s *Subject) ID() string { return s.Value("id") }

// Exists reports whether the state holds the object.
func (s *Subject) Exists() bool { return s.core.objects[s.block.Address] != nil }

// Text is an attribute of the state as JSON text, "null" for none.
func (s *Subject) Text(name string) string { return text(s.t, fields(s.t, s.State())[name]) }

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
func (s *Subject) State() tftypes.Value { return s.held().value }

// With is the configuration with these arguments; nil unsets one.
func (s *Subject) With(lines JSON) JSON {
	config := JSON{}
	maps.Copy(config, s.Base)
	maps.Copy(config, lines)
	return config
}

// Configure plans and applies the configuration with these arguments, which has to succeed. It returns the warnings.
func (s *Subject) Configure(lines JSON) string {
	s.t.Helper()
	return s.Set(s.With(lines))
}

// Reread refreshes the state, which has to succeed. It returns the warnings.
func (s *Subject) Reread() string {
	s.t.Helper()
	said := s.Refresh()
	if text := Errors(said); text != "" {
		s.t.Fatalf("refresh: %s", text)
	}
	return Warnings(said)
}

// Replan refreshes, and plans the configuration with these arguments. Both have to succeed.
func (s *Subject) Replan(lines JSON) Planned {
	s.t.Helper()
	s.Reread()
	return s.planned(lines)
}

func (s *Subject) planned(lines JSON) Planned {
	s.t.Helper()
	p := s.Plan(s.With(lines))
	if text := Errors(p.Diagnostics); text != "" {
		s.t.Fatalf("plan: %s", text)
	}
	return p
}

// Settled holds the configuration with these arguments to an empty plan after a refresh. It returns the warnings of
// both.
func (s *Subject) Settled(lines JSON) string {
	s.t.Helper()
	warnings := s.Reread()
	p := s.planned(lines)
	if changes := p.Changes(s.t); len(changes)+len(p.Replaces) > 0 {
		s.t.Errorf("the plan changes %v, and replaces for %v", changes, p.Replaces)
	}
	return warnings + Warnings(p.Diagnostics)
}

// Is holds an attribute of the state to a value in JSON.
func (s *Subject) Is(name, want string) {
	s.t.Helper()
	if have := s.Text(name); have != want {
		s.t.Errorf("%s is %s, want %s", name, have, want)
	}
}

// Value is a text of the state; "null" for none.
func (s *Subject) Value(name string) string { return strings.Trim(s.Text(name), `"`) }

// Fault adds a fault to the sandbox.
func (s *Subject) Fault(f sandbox.Fault) { s.core.service.Sandbox.AddFault(f) }

// Calls lists the operations since the last reset that change something.
func (s *Subject) Calls() []string {
	return slices.DeleteFunc(s.core.service.Operations(), func(name string) bool {
		return strings.HasSuffix(name, ".get") || strings.HasSuffix(name, ".list")
	})
}

// Same holds a list of names to what is wanted.
func Same(t *testing.T, what string, have []string, want ...string) {
	t.Helper()
	if !slices.Equal(have, want) {
		t.Errorf("%s: %v, want %v", what, have, want)
	}
}

// Says holds a message, regardless of its line breaks, to its parts.
func Says(t *testing.T, message string, parts ...string) {
	t.Helper()
	message = strings.Join(strings.Fields(message), " ")
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not contain %q: %s", part, message)
		}
	}
}
