package life

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// TestScenarios plays the scenarios of the engine itself.
func TestScenarios(t *testing.T) { Run(t, "testdata/*.txt") }

var wrongFile = flag.String("wrong", "", "the scenario that TestWrong plays in a separate process")

// TestWrong plays scenarios that must fail, each in a separate process: after an apply of one endpoint, a command of
// testdata/wrong/commands.txt, with a part of its message below it.
func TestWrong(t *testing.T) {
	if *wrongFile != "" {
		Run(t, *wrongFile)
		return
	}
	t.Parallel()
	text, err := os.ReadFile("testdata/wrong/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	const file = "\n-- main.tf --\nresource \"billing_webhook_endpoint\" \"e\" {\n" +
		"  url = \"https://example.com/hook\"\n  description = \"first\"\n}\n"
	_, sections := golden.Sections(string(text))
	for _, s := range sections {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "wrong.txt")
			if err := os.WriteFile(path, []byte("apply\n"+s.Name+file), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWrong$", "-wrong="+path)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "wrong.txt:2: "+s.Name) ||
				!strings.Contains(string(out), strings.TrimSpace(s.Text)) {
				t.Errorf("want %q: %v\n%s", s.Text, err, out)
			}
		})
	}
}
