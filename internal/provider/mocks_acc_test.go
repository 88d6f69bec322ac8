package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccMocks runs the mock data of the examples as their README says: without a service, and without an address or a
// token of one.
func TestAccMocks(t *testing.T) {
	t.Parallel()
	terraform := newCommand(t, "")
	if strings.Contains(terraform.must("version"), "OpenTofu") {
		t.Skip("OpenTofu does not load mocks from a folder")
	}
	if err := os.Remove(filepath.Join(terraform.dir, "main.tf")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(terraform.dir, os.DirFS(filepath.Join(examples, "mocks"))); err != nil {
		t.Fatal(err)
	}
	if out := terraform.must("test"); !strings.Contains(out, "Success! 2 passed, 0 failed.") {
		t.Errorf("terraform test printed %s", out)
	}
}
