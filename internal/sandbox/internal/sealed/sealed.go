// Package sealed encrypts what must not lie readable in a state file, with
// AES-256-GCM (service description, Collections §5).
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// KeySize is the length of a key in bytes: that of AES-256.
const KeySize = 32

// ErrSealed says that a text cannot be opened: another key has sealed it, for
// something else, or it has been changed.
var ErrSealed = errors.New("the sealed text does not open with this key")

// Box seals and opens texts with one key. It is safe for use by several
// goroutines.
type Box struct{ aead cipher.AEAD }

// New makes a box of a key of KeySize bytes.
func New(key []byte) (*Box, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a key of %d bytes, want %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead: aead}, nil
}

// Seal encrypts text. It opens only as what it is sealed for, so that sealed
// texts cannot be exchanged within a file.
func (b *Box) Seal(text []byte, purpose string) []byte {
	return b.aead.Seal(nil, nil, text, []byte(purpose))
}

// Open answers the text that was sealed for the purpose, or an error wrapping
// ErrSealed.
func (b *Box) Open(sealed []byte, purpose string) ([]byte, error) {
	text, err := b.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return text, nil
}

// NewKey makes a key from chance.
func NewKey() []byte {
	key := make([]byte, KeySize)
	// Read never fails: it ends the process instead.
	_, _ = rand.Read(key)
	return key
}

// KeyFile reads the key at path. When there is none and it may, it makes
// the file (mode 0600); two processes must not do so at once.
func KeyFile(path string, mayMake bool) ([]byte, error) {
	key, err := os.ReadFile(path)
	if mayMake && errors.Is(err, fs.ErrNotExist) {
		key = NewKey()
		err = writeWhole(path, key)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("key file %s: %d bytes, want %d", path, len(key), KeySize)
	}
	return key, nil
}

// writeWhole puts a file in place in one piece: half a key would be a lost one.
func writeWhole(path string, content []byte) error {
	// CreateTemp makes files of mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
