// Package internal_test holds the rules of the house that no compiler holds:
// which tree may know which, and what belongs to every registered type.
package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/recurring-billing/terraform-provider-billing"

// root is the root of the repository as seen from this package.
const root = ".."

// rule says what the packages of a tree may import in addition to the standard
// library and their own tree. Entries are import paths, or trees of the module
// when they start with "internal/"; either stands for what lies below it too.
type rule struct {
	tree string
	may  []string
	// tests is what their tests may import beyond that.
	tests []string
}

const (
	framework = "github.com/hashicorp/terraform-plugin-framework"
	testingTF = "github.com/hashicorp/terraform-plugin-testing"
)

// table is the import table of CONTRIBUTING.md. A tree that is not in it may
// not exist.
var table = []rule{
	{tree: "internal/api", may: []string{"github.com/agext/levenshtein"}, tests: []string{"internal/evidence"}},
	{tree: "internal/sandbox", may: []string{"go.etcd.io/bbolt", "github.com/google/uuid", "github.com/goccy/go-yaml"},
		tests: []string{"internal/claims", "internal/evidence", "github.com/santhosh-tekuri/jsonschema/v6"}},
	{tree: "internal/cmd/billing-sandbox", may: []string{"internal/sandbox", "internal/claims", "internal/evidence"},
		tests: []string{"github.com/rogpeppe/go-internal"}},
	{tree: "internal/demo", tests: []string{"internal/mirror", "github.com/hashicorp/terraform-json",
		"github.com/rogpeppe/go-internal"}},
	{tree: "internal/cmd/dev", may: []string{"internal/mirror"}, tests: []string{"internal/acctest"}},
	{tree: "internal/cmd/schema", may: []string{"internal/provider", "github.com/hashicorp/terraform-plugin-go"},
		tests: []string{"internal/acctest"}},
	{tree: "internal/mirror", tests: []string{"internal/acctest", "github.com/goccy/go-yaml"}},
	{tree: "internal/evidence"},
	// The claims never depend on the sandbox; their tests run them against one behind a proxy that plants faults. The
	// sandbox's tests run them too, in an external test package, so that neither imports the other's tests.
	{tree: "internal/claims", may: []string{"internal/evidence"}, tests: []string{"internal/sandbox"}},
	{tree: "internal/acctest", may: []string{"internal/provider", "internal/sandbox", "internal/api",
		framework, "github.com/hashicorp/terraform-plugin-go", testingTF, "filippo.io/age"}},
	{tree: "internal/chaos", tests: []string{"internal/acctest", "internal/sandbox"}},
	{tree: "internal/life", may: []string{"internal/acctest", "internal/sandbox", "github.com/hashicorp/hcl/v2",
		"github.com/zclconf/go-cty", "github.com/rogpeppe/go-internal"}, tests: []string{"pgregory.net/rapid"}},
	{tree: "internal/bench", tests: []string{"internal/acctest", "internal/sandbox", "internal/provider", framework,
		"github.com/hashicorp/terraform-plugin-go"}},
	{tree: "internal/provider/internal/encrypt", may: []string{"internal/provider/internal", framework, "filippo.io/age"}},
	{tree: "internal/provider", may: []string{"internal/api", framework,
		framework + "-validators",
		"github.com/hashicorp/terraform-plugin-go", "github.com/hashicorp/terraform-plugin-log"},
		tests: []string{"internal/acctest", "internal/evidence", "internal/life", "internal/sandbox", testingTF}},
	{tree: "internal", tests: []string{"internal/provider", framework}},
	{tree: "", may: []string{"internal/provider", "github.com/hashicorp/terraform-registry-address"}},
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func goList(t *testing.T, arguments ...string) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-json=ImportPath,Standard,Imports,TestImports,XTestImports"}, arguments...)...)
	command.Dir = root
	out, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go list %v: %v\n%s", arguments, err, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("go list %v: %v", arguments, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list %v: %v", arguments, err)
		}
		packages = append(packages, p)
	}
}

// tree is where a package of the module lies, "" being its root.
func tree(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func below(path, top string) bool {
	return path == top || strings.HasPrefix(path, top+"/")
}

// covers reports whether the rule is about a package. The two outermost rules
// are about their own package alone.
func (r rule) covers(importPath string) bool {
	path := tree(importPath)
	return path == r.tree || r.tree != "" && r.tree != "internal" && below(path, r.tree)
}

func (r rule) allows(imported string, inTest bool) bool {
	allowed := r.may
	if inTest {
		allowed = slices.Concat(r.may, r.tests)
	}
	return r.covers(imported) || slices.ContainsFunc(allowed, func(entry string) bool {
		if strings.HasPrefix(entry, "internal/") {
			entry = module + "/" + entry
		}
		return below(imported, entry)
	})
}

// standard tells a package of the standard library: its path starts with no
// domain.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func TestImportTable(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t, "./...") {
		at := slices.IndexFunc(table, func(r rule) bool { return r.covers(p.ImportPath) })
		if at < 0 {
			t.Errorf("%s lies in no tree of the import table", p.ImportPath)
			continue
		}
		r := table[at]
		for _, imported := range p.Imports {
			if !standard(imported) && !r.allows(imported, false) {
				t.Errorf("%s imports %s, which code in %q may not", p.ImportPath, imported, r.tree)
			}
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			if !standard(imported) && !r.allows(imported, true) {
				t.Errorf("the tests of %s import %s, which tests in %q may not", p.ImportPath, imported, r.tree)
			}
		}
	}
}

// A service of the sandbox knows the server and the tables under it, and none of
// the other services; only control and page, which show and control all of them, do.
func TestRoomsOfTheSandboxDoNotKnowEachOther(t *testing.T) {
	t.Parallel()
	const rooms = "internal/sandbox/internal/"
	services := []string{"billing", "collections", "finance"}
	may := map[string][]string{
		"store":       nil,
		"server":      {"store"},
		"billing":     {"server", "store"},
		"collections": {"server", "store"},
		"finance":     {"server", "store"},
		"control":     append([]string{"server", "store"}, services...),
		"page":        append([]string{"server", "store"}, services...),
	}
	seen := map[string]bool{}
	for _, p := range goList(t, "./internal/sandbox/internal/...") {
		room, _, _ := strings.Cut(strings.TrimPrefix(tree(p.ImportPath), rooms), "/")
		allowed, known := may[room]
		if !known {
			t.Errorf("%s lies in no room", p.ImportPath)
			continue
		}
		seen[room] = true
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			there, inside := strings.CutPrefix(tree(imported), rooms)
			there, _, _ = strings.Cut(there, "/")
			if inside && there != room && !slices.Contains(allowed, there) || tree(imported) == "internal/sandbox" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
	if len(seen) != len(may) {
		t.Errorf("rooms %v, want those of %v", seen, may)
	}
}

// An object's folder knows the services and what the provider's own internal
// folder offers, and none of its siblings.
func TestObjectsDoNotKnowEachOther(t *testing.T) {
	t.Parallel()
	const objects, shared = "internal/provider", "internal/provider/internal"
	for _, p := range goList(t, "./internal/provider/...") {
		own, isObject := strings.CutPrefix(tree(p.ImportPath), objects+"/")
		if !isObject {
			continue
		}
		own, _, _ = strings.Cut(own, "/")
		for _, imported := range slices.Concat(p.Imports, p.TestImports) {
			there := tree(imported)
			if imported == module || !strings.HasPrefix(imported, module) || !below(there, objects) {
				continue
			}
			if !below(there, shared) && !below(there, objects+"/"+own) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// What users install holds no test double and no test library. go-plugin
// and what it uses bring the package testing along; nobody else may.
func TestShippedProgramLinksNoTestCode(t *testing.T) {
	t.Parallel()
	withTesting := []string{"github.com/hashicorp/go-plugin", "github.com/mitchellh/go-testing-interface"}
	linked := goList(t, "-deps", ".")
	if len(linked) < 100 {
		t.Fatalf("go list names only %d packages", len(linked))
	}
	for _, p := range linked {
		for _, never := range []string{module + "/internal/sandbox", module + "/internal/evidence",
			module + "/internal/acctest",
			testingTF, "go.etcd.io/bbolt", "net/http/httptest"} {
			if below(p.ImportPath, never) {
				t.Errorf("the shipped program links %s", p.ImportPath)
			}
		}
		if slices.Contains(p.Imports, "testing") && !slices.Contains(withTesting, p.ImportPath) {
			t.Errorf("the shipped program links %s, which imports testing", p.ImportPath)
		}
	}
}
