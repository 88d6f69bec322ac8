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
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strconv"
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
	// Copy says that the objects are those of a copy (package orgcopy): no amount is invented, and nothing is sent.
	Copy bool

	Organizations store.Table[Organization]
	// sequence holds the last number given out, under one name: what is made at
	// the same time still has an order.
	sequence store.Table[int64]
	kept     store.Table[kept]
}

const sequenceName = "collections"

// ClockTable is the name of the table that holds the clock's setting, under one name.
const ClockTable = "clock"

// OpenCore opens the state file; empty means memory only. The clock is fixed at start; when that is zero, it is what it
// was in the state file, or the real one. A move that cannot be stored is logged.
func OpenCore(stateFile string, start time.Time, logger *slog.Logger) (*Core, error) {
	db, err := store.Open(stateFile)
	if err != nil {
		return nil, err
	}
	c := &Core{DB: db, Clock: NewClock(start), Organizations: store.NewTable[Organization](db, "organizations"),
		sequence: store.NewTable[int64](db, "sequence"), kept: store.NewTable[kept](db, "kept_fields")}
	clocks := store.NewTable[setting](db, ClockTable)
	if start.IsZero() {
		c.Clock.state = store.Read(db, func(tx *store.Tx) setting {
			stored, _ := clocks.Get(tx, ClockTable)
			return stored
		})
	}
	c.Clock.keep = func() {
		if err := db.Update(func(tx *store.Tx) error {
			clocks.Put(tx, ClockTable, c.Clock.current()) // read here: moves may come at the same time
			return nil
		}); err != nil {
			logger.Error("store the clock", "error", err)
		}
	}
	c.Clock.keep()
	return c, nil
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
type Clock struct {
	mu     sync.Mutex
	state  setting
	fault  time.Duration // how far the clock is from the real one because of a fault; 0: there is none
	keep   func()        // stores the setting; nil: nothing does
	OnMove func()        // called after every move; nil: no call
}

// setting is what a restart must find again.
type setting struct {
	Start  time.Time     `json:"start,omitzero"`  // where a fixed clock was first; zero: the clock runs
	At     time.Time     `json:"at,omitzero"`     // where a fixed clock is
	Offset time.Duration `json:"offset,omitzero"` // how far a running clock is from the real one
}

// NewClock is a clock that stands still at start, or the real one when start is
// zero.
func NewClock(start time.Time) *Clock { return &Clock{state: setting{Start: start, At: start}} }

func (c *Clock) current() setting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Now returns the sandbox's time in UTC, cut to the milliseconds that the
// service returns.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().UTC().Truncate(time.Millisecond)
}

func (c *Clock) now() time.Time {
	if c.fault != 0 {
		return time.Now().Add(c.fault)
	}
	if c.state.fixed() {
		return c.state.At
	}
	return time.Now().Add(c.state.Offset)
}

func (s setting) fixed() bool { return !s.Start.IsZero() }

// Advance moves the clock forward by d, or back when d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.move(func() {
		if c.state.fixed() {
			c.state.At = c.state.At.Add(d)
		} else {
			c.state.Offset += d
		}
	})
}

// Set moves the clock to t. A running clock runs on from there.
func (c *Clock) Set(t time.Time) {
	c.move(func() {
		if c.state.fixed() {
			c.state.At = t
		} else {
			c.state.Offset += t.Sub(c.now())
		}
	})
}

// Reset reverts every move, and what a fault does to the clock. The clock then shows the time at which it started, or
// the real time. undo makes it what it was.
func (c *Clock) Reset() (undo func()) {
	var before setting
	var fault time.Duration
	c.move(func() {
		before, fault = c.state, c.fault
		c.state, c.fault = setting{Start: before.Start, At: before.Start}, 0
	})
	return func() { c.move(func() { c.state, c.fault = before, fault }) }
}

// move changes the clock, and keeps the change.
func (c *Clock) move(change func()) {
	c.mu.Lock()
	change()
	c.mu.Unlock()
	if c.keep != nil {
		c.keep()
	}
	c.tell()
}

// differ lets the clock be so far from the real one, until it is 0 again.
func (c *Clock) differ(d time.Duration) {
	c.mu.Lock()
	changed := d != c.fault
	c.fault = d
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

// Begin makes the clock stand at a time, to which it also goes back.
func (c *Clock) Begin(at time.Time) { c.move(func() { c.state = setting{Start: at, At: at} }) }

// Fixed reports whether the clock stands still until it is moved.
func (c *Clock) Fixed() bool { return c.current().fixed() }

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

// inHours are the hours of the units that Go's durations lack.
var inHours = map[string]int{"d": 24, "w": 7 * 24}

var (
	partOfDay = regexp.MustCompile(`\.\d+ *[dw]`)
	days      = regexp.MustCompile(`(\d{1,6})([dw])`)
	// words are the units as people write them, and unitOf their letters.
	words  = regexp.MustCompile(`(\d) *(week|day|hour|minute|min|second|sec)s?\b *(?:and *)?`)
	unitOf = map[string]string{"week": "w", "day": "d", "hour": "h", "minute": "m", "min": "m", "second": "s", "sec": "s"}
)

// ParseDuration reads a duration of Go, with weeks, days and words too: 46d, 1d12h, 2w, 3 days.
func ParseDuration(text string) (time.Duration, error) {
	plain := words.ReplaceAllStringFunc(text, func(part string) string {
		found := words.FindStringSubmatch(part)
		return found[1] + unitOf[found[2]]
	})
	plain = days.ReplaceAllStringFunc(plain, func(part string) string {
		found := days.FindStringSubmatch(part)
		n, _ := strconv.Atoi(found[1]) // no error: these are a few digits
		return strconv.Itoa(n*inHours[found[2]]) + "h"
	})
	d, err := time.ParseDuration(plain)
	if err != nil || partOfDay.MatchString(text) {
		return 0, fmt.Errorf("%q is not a duration such as 46d, 2w, 24h or 90m, up to 292 years", text)
	}
	return d, nil
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
