package internal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usesAction = regexp.MustCompile(`uses:\s+(\S+)(?:\s+# (\S+))?`)
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
)

// TestWorkflowsTrustNobody checks that actions are pinned to commits, because a tag can be moved, that a checkout does
// not leave its token to later steps, and that every workflow starts with minimal permissions.
func TestWorkflowsTrustNobody(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found no workflows: %v", err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for _, used := range usesAction.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(used[1], "./") && (!pinned.MatchString(used[1]) || !strings.HasPrefix(used[2], "v")) {
				t.Errorf("%s: %s is not pinned to a commit, with its version as a comment", path, used[1])
			}
		}
		if checkouts, kept := strings.Count(text, "actions/checkout@"),
			strings.Count(text, "persist-credentials: false"); checkouts != kept {
			t.Errorf("%s: %d of %d checkouts drop their credentials", path, kept, checkouts)
		}
		if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
			t.Errorf("%s: the workflow needs permissions: contents: read", path)
		}
	}
}

// A prerelease such as v0.2.0-rc1 must become neither the latest release nor the image that "latest" names.
func TestPrereleaseIsNotLatest(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(root, ".goreleaser.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"\n  prerelease: auto\n",
		"\n    tags: [\"{{ .Version }}\", \"{{ if not .Prerelease }}latest{{ end }}\"]\n",
	} {
		if !strings.Contains(string(content), line) {
			t.Errorf(".goreleaser.yml does not contain %q", line)
		}
	}
}

// Placeholders stop a release, and are listed with their places.
func TestPlaceholdersStopRelease(t *testing.T) {
	t.Parallel()
	makefile, err := filepath.Abs(filepath.Join(root, "GNUmakefile"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("git", "init", "--quiet"); err != nil {
		t.Skipf("needs git: %v %s", err, out)
	}
	list := func(content string) (string, error) {
		if err := os.WriteFile(filepath.Join(dir, "PAGE.md"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := run("git", "add", "."); err != nil {
			t.Fatalf("git add: %v %s", err, out)
		}
		return run("make", "--no-print-directory", "-f", makefile, "placeholders")
	}

	if out, err := list("# A page\n\n## [0.1.0] - 2026-01-31\n"); err != nil {
		t.Errorf("a page without placeholders stops a release: %v\n%s", err, out)
	}
	for _, placeholder := range []string{
		"> **To be filled in by the owner:** who answers",
		"image: IMAGE_REGISTRY/recurring-billing/billing-sandbox",
		"## [0.1.0] - unreleased",
		"The provider is not in a registry yet",
	} {
		out, err := list("# A page\n\n" + placeholder + "\n")
		if err == nil || !strings.Contains(out, "PAGE.md:3:"+placeholder) {
			t.Errorf("%q does not stop a release with its file and line:\n%s", placeholder, out)
		}
	}
}
