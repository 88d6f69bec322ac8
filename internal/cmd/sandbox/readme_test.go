package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var (
	shownFile  = regexp.MustCompile("(?ms)^In `([^`\n]+)`.*?\n\n```\\w+\n(.*?)^```$")
	shownShell = regexp.MustCompile("(?ms)^```shell\n(.*?)^```$")
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmePrograms follows the README: for each language it writes the files and runs the commands, in a new folder.
func TestReadmePrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The commands by what they need, besides a shell.
	programs := map[string]string{"python3": "python3 test_service.py", "node": "node --test",
		"curl": "sh test_service.sh"}
	for needs, command := range programs {
		t.Run(needs, func(t *testing.T) {
			t.Parallel()
			for _, needed := range []string{"sh", needs} {
				if _, err := exec.LookPath(needed); err != nil {
					t.Skip(err)
				}
			}
			dir := t.TempDir()
			for _, file := range shownFile.FindAllStringSubmatch(readme(t), -1) {
				if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(binary, filepath.Join(dir, "bin", "billing-sandbox")); err != nil {
				t.Fatal(err)
			}
			script, ran := "set -e\ntrap 'kill $! 2>/dev/null || true' EXIT\n", 0
			for _, block := range shownShell.FindAllStringSubmatch(readme(t), -1) {
				ofOther := func(other string) bool { return other != command && strings.Contains(block[1], other) }
				if !slices.ContainsFunc(slices.Collect(maps.Values(programs)), ofOther) {
					script += block[1]
				}
				ran += strings.Count(block[1], command)
			}
			if ran != 1 {
				t.Fatalf("the README runs %s %d times", command, ran)
			}
			sh := exec.CommandContext(t.Context(), "sh", "-c", script)
			sh.Dir, sh.WaitDelay = dir, 10*time.Second
			sh.Env = append(os.Environ(), asCommand+"=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
				"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestReadmeListsTheControlAPI compares its table with the OpenAPI document.
func TestReadmeListsTheControlAPI(t *testing.T) {
	t.Parallel()
	text, err := sandbox.OpenAPI("control", "https://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			fmt.Fprintf(&rows, "| `%s %s` | %s |\n", strings.ToUpper(method), path, document.Paths[path][method].Summary)
		}
	}
	_, table, _ := strings.Cut(readme(t), "| request | what it does |\n|---|---|\n")
	if !strings.HasPrefix(table, rows.String()+"\n") {
		t.Errorf("the rows of the control API are not\n%s", rows.String())
	}
}
