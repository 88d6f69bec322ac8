package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Conditions, operators, calls and assignments are changed, and nothing else.
func TestPlaces(t *testing.T) {
	folder := t.TempDir()
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
	for name, content := range map[string]string{"go.mod": "module p\n", "p.go": source,
		"p_test.go": "package p\n\nvar x = 1 + 1\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
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
