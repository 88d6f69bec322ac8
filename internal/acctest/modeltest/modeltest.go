// Package modeltest holds models against the wire, for the unit tests of conversions.
package modeltest

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Wire decodes what a service returns, the object in data where there is one, into a client's type, and returns it as
// it is on the wire too, with the names of Terraform: created_at for createdAt. Numbers are json.Number.
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
	if err := Decode(envelope.Data, &members); err != nil {
		t.Fatal(err)
	}
	named := map[string]any{}
	for name, value := range members {
		named[snake(name)] = value
	}
	return named
}

// Decode decodes the first value of a JSON text with exact numbers.
func Decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

var hump = regexp.MustCompile(`[a-z][A-Z]`)

func snake(name string) string {
	return strings.ToLower(hump.ReplaceAllStringFunc(name, func(pair string) string { return pair[:1] + "_" + pair[1:] }))
}

// Attributes are the values of a model by the names of its attributes, as JSON has them: null is nil, a number
// json.Number, a set a list.
func Attributes(t *testing.T, model any) map[string]any {
	t.Helper()
	attributes := map[string]any{}
	of := reflect.ValueOf(model)
	for _, field := range reflect.VisibleFields(of.Type()) {
		if field.Anonymous {
			continue // its fields follow
		}
		value, ok := of.FieldByIndex(field.Index).Interface().(attr.Value)
		if !ok {
			t.Fatalf("the field %s is not an attribute", field.Name)
		}
		terraform, err := value.ToTerraformValue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		attributes[field.Tag.Get("tfsdk")] = Plain(t, terraform, nil)
	}
	return attributes
}

// Plain is a Terraform value as JSON has it, with exact numbers; what is not known is unknown.
func Plain(t *testing.T, value tftypes.Value, unknown any) any {
	t.Helper()
	var err error
	defer func() {
		if err != nil {
			t.Fatal(err)
		}
	}()
	switch typ := value.Type(); {
	case !value.IsKnown():
		return unknown
	case value.IsNull():
		return nil
	case typ.Is(tftypes.String):
		var text string
		err = value.As(&text)
		return text
	case typ.Is(tftypes.Bool):
		var yes bool
		err = value.As(&yes)
		return yes
	case typ.Is(tftypes.Number):
		number := new(big.Float)
		err = value.As(&number)
		return json.Number(number.Text('f', -1))
	case typ.Is(tftypes.Map{}) || typ.Is(tftypes.Object{}):
		var fields map[string]tftypes.Value
		err = value.As(&fields)
		members := map[string]any{}
		for name, field := range fields {
			members[name] = Plain(t, field, unknown)
		}
		return members
	}
	var elements []tftypes.Value
	err = value.As(&elements)
	list := []any{}
	for _, element := range elements {
		list = append(list, Plain(t, element, unknown))
	}
	return list
}

// Same fails the test for every attribute that differs from what is wanted, or is missing, or is too many. Lists of
// text are compared as sets: a set has its own order.
func Same(t *testing.T, have, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if got, ok := have[name]; !ok || !reflect.DeepEqual(ordered(got), ordered(value)) {
			t.Errorf("%s: %#v, want %#v", name, got, value)
		}
	}
	for name, value := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %#v, which the recorded exchange (internal/evidence/testdata) does not have", name, value)
		}
	}
}

// Agree fails the test for every attribute that both have with different values. Nothing, an empty list and a member
// that is missing are the same here; a list or an object of the wire that is in Terraform as JSON text is left to
// the tests of that.
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

// Shown holds what a data source shows of a response against the wire, and against what the resource shows of it.
// convert makes both models of the client's type; except removes what is meant to differ.
func Shown[W, R, D any](t *testing.T, responses [][]byte, fromAPI func(*W) (R, error), dataFromAPI func(*W) (D, error),
	except func(shown, managed, wire map[string]any)) {
	t.Helper()
	if len(responses) == 0 {
		t.Fatal("nothing is recorded")
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
		// A data source shows the whole object under both names, where the wire may have null.
		managed["custom_metadata"] = managed["effective_custom_metadata"]
		delete(wire, "custom_metadata")
		if except != nil {
			except(shown, managed, wire)
		}
		Agree(t, shown, managed)
		Agree(t, shown, wire)
	}
}

// filled leaves out of a value what is nothing.
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

// ordered is a list of text in the order of the alphabet, and anything else as it is.
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
