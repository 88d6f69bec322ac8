package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usesAction = regexp.MustCompile(`uses:\s+(\S+)(?:\s+# (\S+))?`)
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
)

// A tag of an action can be moved to other code, a commit cannot. The token of a checkout must not be left to the steps
// after it, and every workflow begins with few permissions.
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
			t.Errorf("%s: the workflow's own permissions are more than contents: read", path)
		}
	}
}
