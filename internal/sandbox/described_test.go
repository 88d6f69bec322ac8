package sandbox

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// Every operation says what it returns, and no other does.
func TestReturnsAreOfTheRoutes(t *testing.T) {
	t.Parallel()
	same := func(routes []server.Route, returned map[string]server.Returns) {
		var names []string
		for _, r := range routes {
			names = append(names, r.Name)
		}
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(returned))) {
			t.Errorf("routes %v, returned %v", names, slices.Sorted(maps.Keys(returned)))
		}
	}
	same(new(billing.Service).Routes(), new(billing.Service).Returned())
	same(new(collections.Service).Routes(), new(collections.Service).Returned())
}

// The documents are OpenAPI 3.1. What checks that has a module of its own.
func TestDocumentsAreOpenAPI(t *testing.T) {
	t.Parallel()
	check := exec.CommandContext(t.Context(), "go", "run", ".")
	check.Dir = "../tools/openapi"
	for _, name := range Described() {
		text, err := OpenAPI(name, "https://127.0.0.1:8443")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		check.Args = append(check.Args, file)
	}
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every reference leads to something, every schema is one, and recorded exchanges that are examples are as theirs says.
func TestReferencesSchemasAndExamples(t *testing.T) {
	t.Parallel()
	for _, name := range Described() {
		text, err := OpenAPI(name, "https://127.0.0.1:8443")
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource(name, document); err != nil {
			t.Fatal(err)
		}
		examples := 0
		var walk func(at string, value any)
		walk = func(at string, value any) {
			switch value := value.(type) {
			case map[string]any:
				for key, inner := range value {
					if key != "value" { // of an example
						walk(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), inner)
					}
				}
				if target, ok := value["$ref"].(string); ok {
					if _, err := compiler.Compile(name + target); err != nil {
						t.Error(err)
					}
				}
				if value["schema"] == nil {
					return
				}
				schema, err := compiler.Compile(name + "#" + at + "/schema")
				if err != nil {
					t.Error(err)
					return
				}
				recorded, _ := value["examples"].(map[string]any)
				for exchange, example := range recorded {
					examples++
					if err := schema.Validate(example.(map[string]any)["value"]); err != nil {
						t.Errorf("%s at %s: %v", exchange, at, err)
					}
				}
			case []any:
				for i, inner := range value {
					walk(fmt.Sprint(at, "/", i), inner)
				}
			}
		}
		walk("", document)
		if recorded := name == "billing" || name == "collections"; recorded != (examples > 10) {
			t.Errorf("%s has %d examples", name, examples)
		}
	}
}
