// Package golden holds the whole text of messages in one file of each package.
package golden

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// file is where a package keeps its messages.
const file = "testdata/messages.txt"

// Messages compares the diagnostics of each case with those in testdata/messages.txt. UPDATE_MESSAGES=1 writes the
// file instead.
func Messages(t *testing.T, cases map[string]diag.Diagnostics) {
	t.Helper()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		fmt.Fprintf(&all, "== %s\n", name)
		for _, d := range cases[name] {
			at := ""
			if with, ok := d.(diag.DiagnosticWithPath); ok {
				at = " at " + with.Path().String()
			}
			fmt.Fprintf(&all, "%s%s: %s\n%s\n\n", strings.ToLower(d.Severity().String()), at, d.Summary(), d.Detail())
		}
	}
	have := strings.TrimRight(all.String(), "\n") + "\n"
	if os.Getenv("UPDATE_MESSAGES") != "" {
		if err := os.WriteFile(file, []byte(have), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := func(text string) []string { return strings.Split("\n"+text, "\n== ") }
	expected := sections(string(want))
	for _, section := range sections(have) {
		if !slices.Contains(expected, section) {
			t.Errorf("%s has not (UPDATE_MESSAGES=1 writes it):\n%s", file, section)
		}
	}
	if len(expected) != len(cases)+1 {
		t.Errorf("%s has %d cases, want %d", file, len(expected)-1, len(cases))
	}
}
