package sandbox_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// guide is a description as the sandbox serves it.
type guide struct {
	t        *testing.T
	document any
	compiler *jsonschema.Compiler
}

func readGuide(t *testing.T, c caller) guide {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.do("GET", "/api/v1/openapi.json", "").want(200).body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("served.json", document); err != nil {
		t.Fatal(err)
	}
	return guide{t, document, compiler}
}

// at returns the object under the names, with the references on the way followed,
// and its place as a JSON pointer.
func (g guide) at(names ...string) (found map[string]any, pointer string) {
	g.t.Helper()
	found, _ = g.document.(map[string]any)
	for _, name := range names {
		next, ok := found[name].(map[string]any)
		if !ok {
			g.t.Fatalf("the description has no object at %q of %q", name, names)
		}
		found, pointer = next, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if target, ok := found["$ref"].(string); ok {
			found, pointer = g.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
		}
	}
	return found, pointer
}

// validate holds a value against the schema at a pointer.
func (g guide) validate(pointer string, value any) {
	g.t.Helper()
	schema, err := g.compiler.Compile("served.json#" + pointer)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		g.t.Errorf("%v is not as described: %v", value, err)
	}
}

// holds compares a response with the description of its status.
func (g guide) holds(path, method string, r result) {
	g.t.Helper()
	response, pointer := g.at("paths", path, method, "responses", fmt.Sprint(r.status))
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		g.validate(pointer+"/headers/"+name+"/schema", r.header.Get(name))
	}
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		if len(r.body) != 0 || r.header.Get("Content-Type") != "" {
			g.t.Errorf("described without a body, responded with %s", r.body)
		}
		return
	}
	kind := r.header.Get("Content-Type")
	if content[kind] == nil {
		g.t.Fatalf("returned as %q, described as %v", kind, slices.Collect(maps.Keys(content)))
	}
	var body any = string(r.body)
	if kind == "application/json" {
		var err error
		if body, err = jsonschema.UnmarshalJSON(bytes.NewReader(r.body)); err != nil {
			g.t.Fatal(err)
		}
	}
	g.validate(pointer+"/content/"+strings.ReplaceAll(kind, "/", "~1")+"/schema", body)
}
