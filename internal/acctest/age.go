package acctest

import (
	"io"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// Identity is the holder of an age key pair.
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

// Recipient is the public key.
func (i *Identity) Recipient() string { return i.pair.Recipient().String() }

// PrivateKey is the private key.
func (i *Identity) PrivateKey() string { return i.pair.String() }

// Decrypt returns the clear text of an ASCII-armored file, or "" where the identity cannot decrypt it.
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
