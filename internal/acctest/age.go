package acctest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// Identity is an age key pair.
type Identity struct {
	t    *testing.T
	pair *age.X25519Identity
}

// NewIdentity generates a key pair.
func NewIdentity(t *testing.T) *Identity {
	t.Helper()
	pair, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return &Identity{t, pair}
}

// Recipient returns the public key.
func (i *Identity) Recipient() string { return i.pair.Recipient().String() }

// PrivateKey returns the private key.
func (i *Identity) PrivateKey() string { return i.pair.String() }

// Decrypt returns the clear text of an ASCII-armored file, or "" if the identity cannot decrypt it.
func (i *Identity) Decrypt(file string) string {
	i.t.Helper()
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(file)), i.pair)
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(r)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(text)
}

// Encrypt returns the text as an ASCII-armored file, encrypted for the identity.
func (i *Identity) Encrypt(text string) string {
	i.t.Helper()
	var file strings.Builder
	armored := armor.NewWriter(&file)
	w, err := age.Encrypt(armored, i.pair.Recipient())
	if err != nil {
		i.t.Fatal(err)
	}
	_, err = io.WriteString(w, text)
	if err := errors.Join(err, w.Close(), armored.Close()); err != nil {
		i.t.Fatal(err)
	}
	return file.String()
}
