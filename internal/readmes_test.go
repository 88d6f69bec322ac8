package internal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every folder of examples says what it is and how to run it, and the index names it.
func TestEveryExampleHasAReadme(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile(filepath.Join(root, "examples", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		name := folder.Name() + "/README.md"
		text, err := os.ReadFile(filepath.Join(root, "examples", name))
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("examples/%s has no README with a title: %v", folder.Name(), err)
		}
		if !strings.Contains(string(index), "("+name+")") {
			t.Errorf("examples/README.md does not link to %s", name)
		}
	}
}
