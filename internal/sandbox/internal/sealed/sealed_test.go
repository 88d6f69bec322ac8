package sealed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/sealed"
)

func box(t *testing.T, key []byte) *sealed.Box {
	t.Helper()
	b, err := sealed.New(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	b := box(t, sealed.NewKey())
	secret := []byte("whsec_what nobody may read")
	first, second := b.Seal(secret, "endpoint 1"), b.Seal(secret, "endpoint 1")
	if bytes.Contains(first, secret) || bytes.Equal(first, second) {
		t.Error("the sealed text gives something away")
	}
	if text, err := b.Open(first, "endpoint 1"); err != nil || !bytes.Equal(text, secret) {
		t.Errorf("opened %q, %v", text, err)
	}
	changed := bytes.Clone(first)
	changed[len(changed)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return b.Open(first, "endpoint 2") },
		"another key":     func() ([]byte, error) { return box(t, sealed.NewKey()).Open(first, "endpoint 1") },
		"changed":         func() ([]byte, error) { return b.Open(changed, "endpoint 1") },
		"too short":       func() ([]byte, error) { return b.Open(first[:5], "endpoint 1") },
	} {
		if text, err := open(); !errors.Is(err, sealed.ErrSealed) || text != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db.key")
	if _, err := sealed.KeyFile(path, false); err == nil {
		t.Error("read a key that is not there")
	}
	made, err := sealed.KeyFile(path, true)
	if err != nil || len(made) != sealed.KeySize {
		t.Fatalf("%d bytes, %v", len(made), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file %v, %v", info, err)
	}
	if read, err := sealed.KeyFile(path, true); err != nil || !bytes.Equal(read, made) {
		t.Errorf("read another key, %v", err)
	}
	if err := os.WriteFile(path, made[:10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.KeyFile(path, true); err == nil {
		t.Error("took half a key")
	}
	if _, err := sealed.KeyFile(filepath.Join(t.TempDir(), "none", "key"), true); err == nil {
		t.Error("made a key in no folder")
	}
	if _, err := sealed.New(made[:16]); err == nil {
		t.Error("took a key of AES-128")
	}
}
