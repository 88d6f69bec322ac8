// Package modeltest compares models with the JSON that the services send and receive, for unit tests of conversions.
package modeltest

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// Wire decodes the object in a service's response, which may be in data, into a client's type. It also returns it as it
// is on the wire, with Terraform's names: created_at for createdAt. Numbers are json.Number.
func Wire(t *testing.T, response []byte, into any) map[string]any {
	t.Helper()
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(response, &envelope); err != nil {
		t.Fatal(err)
	}
	if len(envelope.Data) == 0 {
		envelope.Data = response
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := core.Decode(envelope.Data, &members); err != nil {
		t.Fatal(err)
	}
	named := map[string]any{}
	for name, value := range members {
		named[snake(name)] = value
	}
	return named
}

var hump = regexp.MustCompile(`[a-z][A-Z]`)

func snake(name string) string {
	return strings.ToLower(hump.ReplaceAllStringFunc(name, func(pair string) string { return pair[:1] + "_" + pair[1:] }))
}

// Attributes returns the values of a model by attribute name, in JSON types: null is nil, a number json.Number, a set a
// list.
func Attributes(t *testing.T, model any) map[string]any {
	t.Helper()
	attributes := map[string]any{}
	of := reflect.ValueOf(model)
	for _, field := range reflect.VisibleFields(of.Type()) {
		if field.Anonymous {
			continue // VisibleFields includes its fields
		}
		value, ok := of.FieldByIndex(field.Index).Interface().(attr.Value)
		if !ok {
			t.Fatalf("the field %s is not an attribute", field.Name)
		}
		terraform, err := value.ToTerraformValue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		attributes[field.Tag.Get("tfsdk")] = core.Plain(terraform, nil)
	}
	return attributes
}

// Tables fails for each name in tables that a model does not have; for pause.resumes_at it checks pause.
func Tables(t *testing.T, model any, tables map[string][]string) {
	t.Helper()
	fields := reflect.VisibleFields(reflect.TypeOf(model))
	for table, names := range tables {
		for _, name := range names {
			name, _, _ = strings.Cut(name, ".")
			if !slices.ContainsFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("tfsdk") == name }) {
				t.Errorf("%s has the attribute %q, which %T does not have", table, name, model)
			}
		}
	}
}

// Same fails for every attribute that differs from the wanted value, is missing, or is unexpected. Lists of strings are
// compared as sets.
func Same(t *testing.T, have, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if got, ok := have[name]; !ok || !reflect.DeepEqual(ordered(got), ordered(value)) {
			t.Errorf("%s: %#v, want %#v", name, got, value)
		}
	}
	for name, value := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %#v, which is not in the recorded exchange (internal/evidence/testdata)", name, value)
		}
	}
}

// Agree fails for every attribute that has different values in both. Null, an empty list and a missing member are equal
// here; lists and objects that Terraform has as JSON text are left to other tests.
func Agree(t *testing.T, have, other map[string]any) {
	t.Helper()
	for name, value := range other {
		got, ok := have[name]
		switch value.(type) {
		case []any, map[string]any:
			if _, text := got.(string); text {
				continue
			}
		}
		if ok && !reflect.DeepEqual(filled(got), filled(value)) {
			t.Errorf("%s: %#v, want %#v", name, got, value)
		}
	}
}

// Shown compares a data source's model of a response with the wire format, and with the resource's model. convert
// converts the client's type to both models; except removes intended differences.
func Shown[W, R, D any](t *testing.T, responses [][]byte, fromAPI func(*W) (R, error), dataFromAPI func(*W) (D, error),
	except func(shown, managed, wire map[string]any)) {
	t.Helper()
	if len(responses) == 0 {
		t.Fatal("no recorded responses")
	}
	for _, response := range responses {
		var object W
		wire := Wire(t, response, &object)
		resource, err := fromAPI(&object)
		if err != nil {
			t.Fatal(err)
		}
		data, err := dataFromAPI(&object)
		if err != nil {
			t.Fatal(err)
		}
		shown, managed := Attributes(t, data), Attributes(t, resource)
		// A data source has the whole object under both names, while the wire may have null.
		managed["custom_metadata"] = managed["effective_custom_metadata"]
		delete(wire, "custom_metadata")
		if except != nil {
			except(shown, managed, wire)
		}
		Agree(t, shown, managed)
		Agree(t, shown, wire)
	}
}

// filled removes empty values from a value.
func filled(value any) any {
	switch value := value.(type) {
	case []any:
		if len(value) == 0 {
			return nil
		}
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = filled(element)
		}
		return ordered(list)
	case map[string]any:
		members := map[string]any{}
		for name, member := range value {
			if member = filled(member); member != nil {
				members[name] = member
			}
		}
		return members
	}
	return value
}

// ordered sorts a list of strings, and returns anything else unchanged.
func ordered(value any) any {
	list, _ := value.([]any)
	var texts []string
	for _, element := range list {
		text, ok := element.(string)
		if !ok {
			return value
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return value
	}
	slices.Sort(texts)
	return texts
}
