// Package golden compares messages with the golden file of a package.
package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// path is the golden file of a package.
const path = "testdata/messages.txt"

// Messages compares the diagnostics of each case with those in testdata/messages.txt, which must not contain other
// sections. UPDATE_MESSAGES=1 writes the file instead.
func Messages(t *testing.T, cases map[string]diag.Diagnostics) {
	t.Helper()
	said := map[string]string{}
	for name, all := range cases {
		var text strings.Builder
		for _, d := range all {
			at := ""
			if with, ok := d.(diag.DiagnosticWithPath); ok {
				at = " at " + with.Path().String()
			}
			fmt.Fprintf(&text, "%s%s: %s\n%s\n\n", strings.ToLower(d.Severity().String()), at, d.Summary(), d.Detail())
		}
		said[name] = strings.TrimRight(text.String(), "\n")
	}
	if os.Getenv("UPDATE_MESSAGES") != "" {
		if err := save(said); err != nil {
			t.Fatal(err)
		}
		return
	}
	file := read(t)
	for name, have := range said {
		compare(t, file, name, have)
	}
	if len(file) != len(said) {
		t.Errorf("%s has %d sections, want %d", path, len(file), len(said))
	}
}

// compare reports an error if a section of the file is missing, or differs from have.
func compare(t *testing.T, file map[string]string, name, have string) {
	t.Helper()
	if want, there := file[name]; !there || want != have {
		t.Errorf("%s has for %q (UPDATE_MESSAGES=1 writes it)\n%s\nbut the messages are\n%s", path, name, want, have)
	}
}

// read returns the sections of the file by name.
func read(t *testing.T) map[string]string {
	t.Helper()
	sections, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// load is read without a test.
func load() (map[string]string, error) {
	sections := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	_, all := Sections(string(text))
	for _, s := range all {
		sections[s.Name] = strings.TrimRight(s.Text, "\n")
	}
	return sections, nil
}

// Section is a part of a file. It begins with "== " and its name.
type Section struct{ Name, Text string }

// Sections returns the text of a file before its first section, and the sections.
func Sections(file string) (before string, all []Section) {
	parts := strings.Split("\n"+file, "\n== ")
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		all = append(all, Section{name, text})
	}
	return strings.TrimPrefix(parts[0], "\n"), all
}

// save writes the file.
func save(sections map[string]string) error {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		fmt.Fprintf(&all, "== %s\n%s", name, sections[name])
		if sections[name] != "" {
			all.WriteString("\n\n")
		}
	}
	return os.WriteFile(path, []byte(strings.TrimRight(all.String(), "\n")+"\n"), 0o600)
}
