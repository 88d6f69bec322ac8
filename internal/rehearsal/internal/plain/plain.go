// Package plain reads the JSON of Terraform's plans and states, and that of objects in them.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tf "github.com/hashicorp/terraform-json"
)

// Fields are the fields of an object of a service, or the attributes of a resource.
type Fields = map[string]any

// Resources are the resources of all modules of a state.
func Resources(of *tf.StateValues) (all []*tf.StateResource) {
	if of == nil || of.RootModule == nil {
		return nil
	}
	modules := []*tf.StateModule{of.RootModule}
	for len(modules) > 0 {
		m := modules[0]
		all, modules = append(all, m.Resources...), append(modules[1:], m.ChildModules...)
	}
	return all
}

// Action is the word for the actions of a change; "" for none.
func Action(actions tf.Actions) string {
	switch {
	case actions.NoOp(), actions.Read():
		return ""
	case actions.DestroyBeforeCreate():
		return "replace"
	case actions.CreateBeforeDestroy():
		return "replace (create first)"
	}
	var words []string
	for _, one := range actions {
		words = append(words, string(one))
	}
	return strings.Join(words, " ")
}

// Ours reports whether a type is one of this provider.
func Ours(typeName string) bool { return strings.HasPrefix(typeName, "billing_") }

// Members are the members of an object; nil for another value.
func Members(v any) Fields {
	of, _ := v.(map[string]any)
	return of
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
