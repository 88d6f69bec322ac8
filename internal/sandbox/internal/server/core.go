// Package server handles the requests of the sandbox, and has what every
// service uses.
//
// A service brings its routes: serve.go takes a request through faults,
// authentication, rules and a transaction to the operation, and writes its reply
// as the tolerances say. body.go has the forms and rules of bodies, route.go how an operation
// finds its object, list.go the listings, respond.go the errors that all services have. core.go
// has what the services share: tables, clock, ids, organizations. A Call carries
// what an operation needs of its request, and not the server.
package server

import (
	"cmp"
	cryptorand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Core is what all services share: the tables, the clock, ids and the
// organizations.
type Core struct {
	DB     *store.DB
	Clock  *Clock
	Source *Source

	Organizations store.Table[Organization]
	// sequence holds the last number given out, under one name: what is made at
	// the same time still has an order.
	sequence store.Table[int64]
}

const sequenceName = "collections"

// OpenCore opens the state file; empty means memory only. The clock starts at
// start, or is the real one when start is zero.
func OpenCore(stateFile string, start time.Time) (*Core, error) {
	db, err := store.Open(stateFile)
	if err != nil {
		return nil, err
	}
	return &Core{DB: db, Clock: NewClock(start), Organizations: store.NewTable[Organization](db, "organizations"),
		sequence: store.NewTable[int64](db, "sequence")}, nil
}

// Next returns a number larger than all before it.
func (c *Core) Next(tx *store.Tx) int64 {
	last, _ := c.sequence.Get(tx, sequenceName)
	c.sequence.Put(tx, sequenceName, last+1)
	return last + 1
}

// Organization is who a token belongs to, and what /v1/me returns
// (service description, Recurring billing §4 Organization of the token).
type Organization struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Email          string    `json:"email"`
	DocumentType   string    `json:"document_type"` // cpf or cnpj
	DocumentNumber string    `json:"document_number"`
	Environment    string    `json:"environment"` // "sandbox" or "production"
	CreatedAt      Timestamp `json:"created_at"`
}

// OrganizationWithDefaults fills what is empty with an example.
func (c *Core) OrganizationWithDefaults(o Organization) Organization {
	o.ID = cmp.Or(o.ID, c.Source.UUID())
	o.Name = cmp.Or(o.Name, "Padaria Exemplo Ltda")
	o.Email = cmp.Or(o.Email, "financeiro@padaria-exemplo.com.br")
	o.DocumentType = cmp.Or(o.DocumentType, "cnpj")
	o.DocumentNumber = cmp.Or(o.DocumentNumber, "11222333000181")
	o.Environment = cmp.Or(o.Environment, "sandbox")
	if o.CreatedAt.IsZero() {
		o.CreatedAt.Time = c.Clock.Now()
	}
	return o
}

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

// Clock is the time that the sandbox uses: for created_at and
// updated_at, and for the comparison with an expiry. It either runs with the
// real clock, at a distance, or stands still until it is moved.
// It does not outlive the process.
type Clock struct {
	mu     sync.Mutex
	fixed  bool
	start  time.Time // where a fixed clock was first
	moved  moved
	OnMove func() // called after every move; nil: no call
}

// moved is what changes while the clock is in use.
type moved struct {
	at     time.Time     // where a fixed clock is
	offset time.Duration // how far a running clock is from the real one
	fault  time.Duration // how far the clock is from the real one because of a fault; 0: there is none
}

// NewClock is a clock that stands still at start, or the real one when start is
// zero.
func NewClock(start time.Time) *Clock {
	return &Clock{fixed: !start.IsZero(), start: start, moved: moved{at: start}}
}

// Now returns the sandbox's time in UTC, cut to the milliseconds that the
// service returns.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().UTC().Truncate(time.Millisecond)
}

func (c *Clock) now() time.Time {
	if c.moved.fault != 0 {
		return time.Now().Add(c.moved.fault)
	}
	if c.fixed {
		return c.moved.at
	}
	return time.Now().Add(c.moved.offset)
}

// Advance moves the clock forward by d, or back when d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	if c.fixed {
		c.moved.at = c.moved.at.Add(d)
	} else {
		c.moved.offset += d
	}
	c.mu.Unlock()
	c.tell()
}

// Set moves the clock to t. A running clock runs on from there.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	if c.fixed {
		c.moved.at = t
	} else {
		c.moved.offset += t.Sub(c.now())
	}
	c.mu.Unlock()
	c.tell()
}

// Reset reverts every move, and what a fault does to the clock. The clock then shows the time at which it started, or
// the real time. undo makes it what it was.
func (c *Clock) Reset() (undo func()) {
	before := c.become(moved{at: c.start})
	return func() { c.become(before) }
}

func (c *Clock) become(m moved) (before moved) {
	c.mu.Lock()
	before, c.moved = c.moved, m
	c.mu.Unlock()
	c.tell()
	return before
}

// differ lets the clock be so far from the real one, until it is 0 again.
func (c *Clock) differ(d time.Duration) {
	c.mu.Lock()
	changed := d != c.moved.fault
	c.moved.fault = d
	c.mu.Unlock()
	if changed {
		c.tell()
	}
}

func (c *Clock) tell() {
	if c.OnMove != nil {
		c.OnMove()
	}
}

// Fixed reports whether the clock stands still until it is moved.
func (c *Clock) Fixed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fixed
}

// Timestamp is a time as the service returns it: UTC, milliseconds, Z
// (wire contract: datetimes returned).
type Timestamp struct{ time.Time }

// TimestampLayout is that of time.Time.Format.
const TimestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON implements json.Marshaler.
func (i Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + i.UTC().Format(TimestampLayout) + `"`), nil
}

// Next returns now, or one millisecond past the timestamp when the clock has
// not moved since: updated_at moves with every change, even while a fixed
// clock stands.
func (i Timestamp) Next(now time.Time) Timestamp {
	if now.After(i.Time) {
		return Timestamp{now}
	}
	return Timestamp{i.Add(time.Millisecond)}
}

// ParseTime reads a date or a date-time with a zone
// (service description, Recurring billing §1 Data types).
func ParseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
