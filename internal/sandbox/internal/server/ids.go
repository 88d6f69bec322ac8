package server

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// Source is where ids, secrets and shuffles come from: a secure random source, or a seed
// so that runs repeat. It is safe for use by several goroutines.
type Source struct {
	mu     sync.Mutex
	reader io.Reader
	random *rand.Rand
}

// NewSource seeds with the seed and with the number of times the state has been started:
// a restart must not return the ids of the run before.
func NewSource(seed, starts uint64) *Source {
	var key [32]byte
	if seed == 0 {
		// Read never fails: it ends the process instead.
		_, _ = cryptorand.Read(key[:])
		return &Source{reader: cryptorand.Reader, random: rand.New(rand.NewChaCha8(key))}
	}
	binary.LittleEndian.PutUint64(key[:8], seed)
	binary.LittleEndian.PutUint64(key[8:16], starts)
	stream := rand.NewChaCha8(key)
	return &Source{reader: stream, random: rand.New(stream)}
}

// CanonicalID is an id as the service writes it: a UUID has no case, and is
// accepted in capitals too (assumed).
func CanonicalID(id string) string {
	if _, err := uuid.Parse(id); err == nil && len(id) == UUIDLength {
		return strings.ToLower(id)
	}
	return id
}

// Canonical puts the ids of a request into the form in which they are stored.
func Canonical(ids ...*string) {
	for _, id := range ids {
		if id != nil {
			*id = CanonicalID(*id)
		}
	}
}

// UUID returns a fresh version 4 UUID.
func (s *Source) UUID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Neither reader fails: crypto/rand ends the process, ChaCha8 has no errors.
	return uuid.Must(uuid.NewRandomFromReader(s.reader)).String()
}

// Hex returns n random bytes in lowercase hexadecimal.
func (s *Source) Hex(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := make([]byte, n)
	// See uuid: no reader here fails.
	_, _ = io.ReadFull(s.reader, b)
	return hex.EncodeToString(b)
}

func (s *Source) shuffle(n int, swap func(i, j int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random.Shuffle(n, swap)
}
