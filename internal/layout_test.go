package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shape says what every resource declares, by file. A method is named without its receiver.
var shape = map[string][]string{
	"schema.go":     {"typeName", "aboutResource", "Schema"},
	"model.go":      {"model", "fromAPI", "preserve", "displayName"},
	"plan.go":       {"ModifyPlan", "planCreate", "planUpdate", "plannedCreate", "plannedUpdate"},
	"resource.go":   {"base", "Resource", "NewResource", "Create", "Update", "Delete", "operation"},
	"read.go":       {"scheme", "Read"},
	"datasource.go": {"NewListDataSource", "listDataSchema", "readMany"},
}

// elsewhere are names that a resource may declare or not, and in which file if it does.
var elsewhere = map[string]string{
	"about": "schema.go", "arguments": "schema.go", "shared": "model.go", "toCreate": "model.go", "toUpdate": "model.go",
	"after": "model.go", "Policy": "model.go", "planDestroy": "plan.go", "ownership": "plan.go", "forApply": "plan.go", "planning": "plan.go",
	"customMetadata": "resource.go", "work": "resource.go", "step": "resource.go", "ValidateConfig": "resource.go",
	"stays": "resource.go", "ListResource": "read.go", "lists": "read.go", "describe": "read.go", "ImportState": "read.go",
	"NewDataSource": "datasource.go", "dataModel": "datasource.go", "dataFromAPI": "datasource.go",
	"dataSchema": "datasource.go",
}

// own are the files that a resource has in addition, for what no other resource has.
var own = map[string][]string{
	"apikey":         {"ephemeral.go", "successor.go"},
	"billingaccount": {"customer.go", "reference.go", "shown.go"},
	"customer":       {"pair.go"},
	"finance":        {"body.go", "entries.go", "openapi.go"},
	"subscription": {"action.go", "canceled.go", "invoices.go", "items.go", "itemsread.go", "pause.go", "references.go",
		"refusals.go", "transitions.go"},
	"webhookendpoint": {"actions.go", "authentication.go", "deliveries.go", "delivery.go"},
}

// TestResourcesHaveOneShape: who knows one resource finds the same things under the same names in the same files of
// every other one. A package with a resource.go is a resource; what it has of its own is listed here.
func TestResourcesHaveOneShape(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(root, "internal", "provider", "*", "resource.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(own) {
		t.Errorf("%d resources, and %d in the table of their own files", len(found), len(own))
	}
	for _, path := range found {
		folder := filepath.Dir(path)
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			declared := declarations(t, folder)
			want := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(shape)), own[name])))
			if have := slices.Sorted(maps.Keys(declared)); !slices.Equal(have, want) {
				t.Errorf("the files are %v, want %v", have, want)
			}
			for file, names := range shape {
				for _, name := range names {
					if !slices.Contains(declared[file], name) {
						t.Errorf("%s does not declare %s", file, name)
					}
				}
			}
			for file, names := range declared {
				for _, name := range names {
					if place, known := elsewhere[name]; known && place != file {
						t.Errorf("%s declares %s, which belongs to %s", file, name, place)
					}
				}
			}
		})
	}
}

// declarations are the names that the files of a folder declare, by file and without tests. A method of another type
// than model, planning and Resource is left out: what it is called is up to the type.
func declarations(t *testing.T, folder string) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		file := entry.Name()
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names[file] = []string{}
		for _, declaration := range parsed.Decls {
			names[file] = append(names[file], declaredBy(declaration)...)
		}
	}
	return names
}

func declaredBy(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || slices.Contains([]string{"model", "planning", "Resource"}, receiver(d)) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// receiver is the type of a method's receiver.
func receiver(d *ast.FuncDecl) string {
	of := d.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	name, _ := of.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
