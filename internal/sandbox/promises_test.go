package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const keysAt = "/api/v1/api-keys"

// A rotation never prolongs a key, and a key ends at its expiresAt exactly.
func TestEndOfAKey(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := call(t, server)
	c.base = server.CollectionsURL()
	admin := c.with(server.CollectionsKey())
	ends := morning.AddDate(0, 0, 2)
	made := admin.do("POST", keysAt, `{"name":"k","scopes":["webhook_endpoints:read"],"expiresAt":"`+
		ends.Format(time.RFC3339)+`"}`).want(201)
	id, user := made.text("data", "id"), c.with(made.text("data", "token"))
	admin.do("POST", keysAt+"/"+id+"/rotate", `{"graceDays":7}`).want(200)
	at, err := time.Parse(time.RFC3339, admin.do("GET", keysAt+"/"+id, "").want(200).text("data", "expiresAt"))
	if err != nil || !at.Equal(ends) {
		t.Errorf("the rotated key ends at %s, want %s: %v", at, ends, err)
	}
	server.Clock().Set(ends.Add(-time.Millisecond))
	user.do("GET", "/api/v1/webhook-endpoints", "").want(200)
	server.Clock().Set(ends)
	user.do("GET", "/api/v1/webhook-endpoints", "").want(401)
}

// A key without scopes may do everything but administration.
func TestKeyWithoutScopes(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := call(t, server)
	c.base = server.CollectionsURL()
	made := c.with(server.CollectionsKey()).do("POST", keysAt, `{"name":"k"}`).want(201)
	user := c.with(made.text("data", "token"))
	user.do("GET", "/api/v1/webhook-endpoints", "").want(200)
	user.do("GET", keysAt, "").want(403)
	user.do("DELETE", keysAt+"/"+made.text("data", "id"), "").want(403)
}

// The case of an idempotency key has no meaning.
func TestCaseOfAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := call(t, server)
	c.base = server.FinanceURL()
	c = c.with(server.FinanceToken())
	const key = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2abc"
	first := c.do("POST", "/v1/notes", `{"name":"a"}`, "X-Idempotency-Key", key).want(201).text("data", "id")
	again := c.do("POST", "/v1/notes", `{"name":"b"}`, "X-Idempotency-Key", strings.ToUpper(key)).want(201)
	if id := again.text("data", "id"); id != first {
		t.Errorf("the same key in capitals creates %s, want %s", id, first)
	}
}

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
