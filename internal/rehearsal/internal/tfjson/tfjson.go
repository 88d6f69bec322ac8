// Package tfjson reads the JSON of Terraform's plans and states, and that of objects in them.
package tfjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Fields are the fields of an object of a service, or the attributes of a resource.
type Fields = map[string]any

// Managed is the mode of resources that are no data sources.
const Managed = "managed"

// Plan contains the used parts of the JSON of a plan.
type Plan struct {
	ResourceChanges []ResourceChange `json:"resource_changes"`
	PriorState      struct {
		Values struct {
			RootModule Module `json:"root_module"`
		} `json:"values"`
	} `json:"prior_state"`
	Configuration struct {
		RootModule Configured `json:"root_module"`
	} `json:"configuration"`
	Actions []ResourceChange `json:"action_invocations"`
}

// ResourceChange is a planned change of a resource.
type ResourceChange struct {
	Address         string `json:"address"`
	PreviousAddress string `json:"previous_address"`
	Mode            string `json:"mode"`
	Type            string `json:"type"`
	Provider        string `json:"provider_name"`
	Change          struct {
		Actions      []string       `json:"actions"`
		Before       map[string]any `json:"before"`
		After        map[string]any `json:"after"`
		AfterUnknown map[string]any `json:"after_unknown"`
		// BeforeSensitive and AfterSensitive are true, or have true, for each value that must not be shown.
		BeforeSensitive any `json:"before_sensitive"`
		AfterSensitive  any `json:"after_sensitive"`
		Importing       any `json:"importing"`
	} `json:"change"`
}

// Configured is a module of a configuration.
type Configured struct {
	Resources []struct {
		Address      string `json:"address"`
		Mode         string `json:"mode"`
		Type         string `json:"type"`
		Provisioners []any  `json:"provisioners"`
	} `json:"resources"`
	ModuleCalls map[string]struct {
		Module Configured `json:"module"`
	} `json:"module_calls"`
}

// Module is a module of a state.
type Module struct {
	Resources []Resource `json:"resources"`
	Modules   []Module   `json:"child_modules"`
}

// Resource is an instance of a resource in a state.
type Resource struct {
	Address string         `json:"address"`
	Mode    string         `json:"mode"`
	Type    string         `json:"type"`
	Values  map[string]any `json:"values"`
}

// All are the resources of a module and of those that it calls.
func (m Module) All() (found []Resource) {
	found = append(found, m.Resources...)
	for _, inner := range m.Modules {
		found = append(found, inner.All()...)
	}
	return found
}

// Action is the word for the actions of a change; "" for none.
func (c ResourceChange) Action() string {
	switch actions := strings.Join(c.Change.Actions, " "); actions {
	case "no-op", "read":
		return ""
	case "delete create":
		return "replace"
	case "create delete":
		return "replace (create first)"
	default:
		return actions
	}
}

// Ours reports whether a type is one of this provider.
func Ours(typeName string) bool { return strings.HasPrefix(typeName, "billing_") }

// Billing returns the billing changes of a plan.
func (p Plan) Billing() (all []ResourceChange) {
	for _, c := range p.ResourceChanges {
		if Ours(c.Type) && c.Mode == Managed && c.Action() != "" {
			all = append(all, c)
		}
	}
	return all
}

// UsesBilling reports whether a plan has anything of the provider, so that the provider must have been configured.
func (p Plan) UsesBilling() bool {
	return slices.ContainsFunc(p.ResourceChanges, func(c ResourceChange) bool { return Ours(c.Type) }) ||
		slices.ContainsFunc(p.PriorState.Values.RootModule.All(), func(of Resource) bool { return Ours(of.Type) })
}

// Provisioned are the addresses of the resource blocks with provisioners.
func (m Configured) Provisioned(module string) map[string]bool {
	found := map[string]bool{}
	for _, of := range m.Resources {
		if len(of.Provisioners) > 0 {
			found[module+of.Address] = true
		}
	}
	for name, call := range m.ModuleCalls {
		for address := range call.Module.Provisioned(module + "module." + name + ".") {
			found[address] = true
		}
	}
	return found
}

// Decode keeps every digit of numbers.
func Decode(document []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// Equal reports whether two values are the same in JSON.
func Equal(a, b any) bool {
	one, _ := json.Marshal(a) // of decoded JSON
	other, _ := json.Marshal(b)
	return bytes.Equal(one, other)
}

// Time is a value as a time; zero if it is none.
func Time(v any) time.Time {
	at, _ := time.Parse(time.RFC3339, fmt.Sprint(v)) // zero: none
	return at
}

// Text is a value as a text; empty if there is none.
func Text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// HasUnknown reports whether a plan does not know a value, or a part of it.
func HasUnknown(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, HasUnknown)
	case Fields:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), HasUnknown)
	}
	return false
}

// Either returns a, or b if there is no a.
func Either(a, b Fields) Fields {
	if a != nil {
		return a
	}
	return b
}
