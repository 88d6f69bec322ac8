package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module changes to the folder of a new module with a package and its tests.
func module(t *testing.T, source, tests string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module p\n", "p.go": source, "p_test.go": tests} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
}

// Conditions, operators, calls and assignments are changed, and nothing else.
func TestPlaces(t *testing.T) {
	const source = `package p

func f(a int, ok bool) bool {
	b := a
	b = a + 1
	g()
	if ok {
		return true
	}
	switch {
	case a == b:
	}
	return b > len("x")
}

func g() {}
`
	module(t, source, "package p\n\nvar x = 1 + 1\n")
	all, err := find(t.Context(), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, oneLine(m.text)+" → "+oneLine(m.with))
	}
	want := []string{"b = a + 1 → nothing", "a + 1 → a - 1", "g() → nothing", "ok → false && (ok)", "ok → true || (ok)",
		"return true → return false", "a == b → false && (a == b)", "a == b → a != b", `b > len("x") → b <= len("x")`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run that proves nothing is an error: the tests fail without a mutant, or do not exist.
func TestRun(t *testing.T) {
	const tested = `package p

import "testing"

func Test(t *testing.T) {
	if f() != %s {
		t.Fatal()
	}
}
`
	for name, c := range map[string]struct{ tests, value, want string }{
		"sound":              {tests: ".", value: "3"},
		"a failing test":     {tests: ".", value: "2", want: "fail without a mutant"},
		"no such package":    {tests: "./q", value: "3", want: "fail without a mutant"},
		"a test not to vary": {tests: ".", value: "f()", want: "nine in ten"},
	} {
		t.Run(name, func(t *testing.T) {
			module(t, "package p\n\nfunc f() int { return 1 + 2 }\n", fmt.Sprintf(tested, c.value))
			err := run(t.Context(), []string{"-tests", c.tests, "."})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Each change that breaks a promise still fits the code.
func TestPromises(t *testing.T) {
	t.Parallel()
	all, err := promises("promises.txt")
	if err != nil || len(all) < 30 {
		t.Errorf("%d changes: %v", len(all), err)
	}
}
