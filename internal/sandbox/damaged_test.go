package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// A state file that is damaged is one error, and stays as it is.
func TestDamagedStateFile(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	server, err := sandbox.Start(t.Context(), sandbox.Options{StateFile: whole, Start: morning})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string]func([]byte) []byte{
		"four pages": func(b []byte) []byte { return b[:4*os.Getpagesize()] },
		"two pages":  func(b []byte) []byte { return b[:2*os.Getpagesize()] },
		"a few":      func(b []byte) []byte { return b[:100] },
		"text":       func([]byte) []byte { return []byte("no database") },
		"zeros":      func(b []byte) []byte { clear(b[2*os.Getpagesize():]); return b },
		"other half": func(b []byte) []byte { copy(b[2*os.Getpagesize():], strings.Repeat("x", len(b))); return b },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			bad := damage(append([]byte(nil), good...))
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			server, err := sandbox.Start(t.Context(), sandbox.Options{StateFile: path})
			if err == nil {
				t.Errorf("it starts: %v", server.Close())
			} else if text := err.Error(); !strings.Contains(text, path) || strings.Contains(text, "\n") {
				t.Errorf("it says %q", text)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != string(bad) {
				t.Errorf("the file has changed: %v", err)
			}
		})
	}
}
