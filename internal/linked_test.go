// Package internal_test checks guarantees that no linter can: the dependencies of the released program, the examples
// and pages of all registered types, messages quoted in guides, links, licenses and workflows.
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

// listed is a package in the output of go list.
type listed struct {
	ImportPath string
	Imports    []string
}

func goList(t *testing.T, arguments ...string) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-json=ImportPath,Imports"}, arguments...)...)
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

func below(path, top string) bool {
	return path == top || strings.HasPrefix(path, top+"/")
}

// TestShippedProgramLinksNoTestCode checks that the released program contains no test doubles and no test libraries.
// Only go-plugin and its dependencies may import the package testing.
func TestShippedProgramLinksNoTestCode(t *testing.T) {
	t.Parallel()
	withTesting := []string{"github.com/hashicorp/go-plugin", "github.com/mitchellh/go-testing-interface"}
	linked := goList(t, "-deps", ".")
	if len(linked) < 100 {
		t.Fatalf("go list returned only %d packages", len(linked))
	}
	for _, p := range linked {
		for _, never := range []string{module + "/internal/sandbox", module + "/internal/evidence",
			module + "/internal/acctest",
			"github.com/hashicorp/terraform-plugin-testing", "go.etcd.io/bbolt", "net/http/httptest"} {
			if below(p.ImportPath, never) {
				t.Errorf("the shipped program links %s", p.ImportPath)
			}
		}
		if slices.Contains(p.Imports, "testing") && !slices.Contains(withTesting, p.ImportPath) {
			t.Errorf("the shipped program links %s, which imports testing", p.ImportPath)
		}
	}
}
