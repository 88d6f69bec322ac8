package acctest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Subject is an object that a test drives without Terraform. Its steps name only the arguments that they are about.
type Subject struct {
	*Direct
	// Base has the arguments of every configuration.
	Base JSON
}

// Subject prepares an object of a resource type at this service.
func (s *Service) Subject(typeName string, base JSON) *Subject {
	s.t.Helper()
	return &Subject{Direct: s.Direct(typeName), Base: base}
}

// With is the configuration with these arguments; nil unsets one.
func (s *Subject) With(lines JSON) JSON {
	config := maps.Clone(s.Base)
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
