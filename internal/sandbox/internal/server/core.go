// Package server handles the requests of the sandbox, and provides the parts that all services share.
//
// A service defines its routes. serve.go passes a request through faults, authentication, rules and a transaction to
// the operation, and writes the reply according to the tolerances. body.go implements the forms and rules of bodies,
// route.go the lookup of objects, list.go listings, and respond.go common errors. core.go contains the state that
// services share: tables, clock, ids, organizations. A Call passes an operation the data of its request, but not the
// server.
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

// Core contains the state shared by all services: tables, clock, ids and organizations.
type Core struct {
	DB     *store.DB
	Clock  *Clock
	Source *Source
	// Copy reports whether the objects come from a copy (package orgcopy): no amount is invented, no delivery is sent.
	Copy bool

	Organizations store.Table[Organization]
	// sequence contains the last number issued, under one name. It orders objects created at the same time.
	sequence store.Table[int64]
	kept     store.Table[kept]
	audit    store.Table[AuditEntry] // by number, up to auditCapacity
}

const sequenceName = "collections"

// ClockTable is the name of the table with the clock's setting, which is stored under one name.
const ClockTable = "clock"

// OpenCore opens the state file; an empty name means memory only. The clock is fixed at start. If start is zero, the
// clock is restored from the state file, or else is the real one. If a move cannot be stored, the error is logged.
func OpenCore(stateFile string, start time.Time, logger *slog.Logger) (*Core, error) {
	db, err := store.Open(stateFile)
	if err != nil {
		return nil, err
	}
	c := &Core{DB: db, Clock: NewClock(start), Organizations: store.NewTable[Organization](db, "organizations"),
		sequence: store.NewTable[int64](db, "sequence"), kept: store.NewTable[kept](db, "kept_fields"),
		audit: store.NewTable[AuditEntry](db, "audit")}
	clocks := store.NewTable[setting](db, ClockTable)
	if start.IsZero() {
		c.Clock.state = store.Read(db, func(tx *store.Tx) setting {
			stored, _ := clocks.Get(tx, ClockTable)
			return stored
		})
	}
	c.Clock.keep = func() {
		if err := db.Update(func(tx *store.Tx) error {
			clocks.Put(tx, ClockTable, c.Clock.current()) // read inside the transaction: moves may be concurrent
			return nil
		}); err != nil {
			logger.Error("store the clock", "error", err)
		}
	}
	c.Clock.keep()
	return c, nil
}

// Next returns a number larger than all previous ones.
func (c *Core) Next(tx *store.Tx) int64 {
	last, _ := c.sequence.Get(tx, sequenceName)
	c.sequence.Put(tx, sequenceName, last+1)
	return last + 1
}

// Organization is the owner of a token, returned by /v1/me (service description, Recurring billing §4 Organization of
// the token).
type Organization struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Email          string    `json:"email"`
	DocumentType   string    `json:"document_type"` // cpf or cnpj
	DocumentNumber string    `json:"document_number"`
	Environment    string    `json:"environment"` // "sandbox" or "production"
	CreatedAt      Timestamp `json:"created_at"`
}

// OrganizationWithDefaults replaces empty fields by an example.
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

// Source generates ids, secrets and shuffles, either securely at random or from a seed for repeatable runs. It is safe
// for concurrent use.
type Source struct {
	mu     sync.Mutex
	reader io.Reader
	random *rand.Rand
}

// NewSource combines the seed with the number of starts of the state, so that a restart does not repeat earlier ids.
func NewSource(seed, starts uint64) *Source {
	var key [32]byte
	if seed == 0 {
		// Read never fails: it terminates the process instead.
		_, _ = cryptorand.Read(key[:])
		return &Source{reader: cryptorand.Reader, random: rand.New(rand.NewChaCha8(key))}
	}
	binary.LittleEndian.PutUint64(key[:8], seed)
	binary.LittleEndian.PutUint64(key[8:16], starts)
	stream := rand.NewChaCha8(key)
	return &Source{reader: stream, random: rand.New(stream)}
}

// CanonicalID normalizes the case of an id: UUIDs are accepted in upper case too (assumed).
func CanonicalID(id string) string {
	if _, err := uuid.Parse(id); err == nil && len(id) == UUIDLength {
		return strings.ToLower(id)
	}
	return id
}

// UUID returns a new version 4 UUID.
func (s *Source) UUID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Neither reader fails: crypto/rand terminates the process, ChaCha8 returns no errors.
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

// Clock is the sandbox's time, for created_at, updated_at and expiry checks. It either runs at an offset from the real
// clock, or stands still until it is moved.
type Clock struct {
	mu     sync.Mutex
	state  setting
	fault  time.Duration // offset from the real clock because of a fault; 0 without one
	keep   func()        // stores the setting; nil: nothing does
	OnMove func()        // called after every move; nil: no call
}

// setting is the state of the clock that survives a restart.
type setting struct {
	Start  time.Time     `json:"start,omitzero"`  // initial time of a fixed clock; zero: the clock runs
	At     time.Time     `json:"at,omitzero"`     // current time of a fixed clock
	Offset time.Duration `json:"offset,omitzero"` // offset of a running clock from the real one
}

// NewClock returns a clock fixed at start, or the real clock if start is zero.
func NewClock(start time.Time) *Clock { return &Clock{state: setting{Start: start, At: start}} }

func (c *Clock) current() setting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Now returns the sandbox's time in UTC, truncated to the milliseconds that the service returns.
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

// Advance moves the clock forward by d, or back if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.move(func() {
		if c.state.fixed() {
			c.state.At = c.state.At.Add(d)
		} else {
			c.state.Offset += d
		}
	})
}

// Set moves the clock to t. A running clock continues from there.
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
// the real time. undo reverts the reset.
func (c *Clock) Reset() (undo func()) {
	var before setting
	var fault time.Duration
	c.move(func() {
		before, fault = c.state, c.fault
		c.state, c.fault = setting{Start: before.Start, At: before.Start}, 0
	})
	return func() { c.move(func() { c.state, c.fault = before, fault }) }
}

// move changes the clock and stores the setting.
func (c *Clock) move(change func()) {
	c.mu.Lock()
	change()
	c.mu.Unlock()
	if c.keep != nil {
		c.keep()
	}
	c.tell()
}

// differ sets the clock's offset from the real one; 0 ends it.
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

// Begin fixes the clock at a time, to which Reset returns.
func (c *Clock) Begin(at time.Time) { c.move(func() { c.state = setting{Start: at, At: at} }) }

// Fixed reports whether the clock stands still until it is moved.
func (c *Clock) Fixed() bool { return c.current().fixed() }

// Timestamp is a time in the service's format: UTC, milliseconds, Z (wire contract: datetimes returned).
type Timestamp struct{ time.Time }

// TimestampLayout is a layout of time.Time.Format.
const TimestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON implements json.Marshaler.
func (i Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + i.UTC().Format(TimestampLayout) + `"`), nil
}

// Next returns now, or one millisecond after the timestamp if the clock has not moved since. So updated_at advances
// with every change, even with a fixed clock.
func (i Timestamp) Next(now time.Time) Timestamp {
	if now.After(i.Time) {
		return Timestamp{now}
	}
	return Timestamp{i.Add(time.Millisecond)}
}

// inHours contains the length of the units that Go's durations lack.
var inHours = map[string]int{"d": 24, "w": 7 * 24}

// mostDays is more than the longest duration.
const mostDays = 1 << 20

var (
	partOfDay = regexp.MustCompile(`\.\d+ *[dw]`)
	days      = regexp.MustCompile(`(\d+)([dw])`)
	calendar  = regexp.MustCompile(`(?i)\d *(months?|mo|years?|y)\b`)
	// words maps unit names to letters of unitOf.
	words  = regexp.MustCompile(`(\d) *(week|day|hour|minute|min|second|sec)s?\b *(?:and *)?`)
	unitOf = map[string]string{"week": "w", "day": "d", "hour": "h", "minute": "m", "min": "m", "second": "s", "sec": "s"}
)

// ParseDuration parses a Go duration, extended by weeks, days and words: 46d, 1d12h, 2w, 3 days.
func ParseDuration(text string) (time.Duration, error) {
	plain := words.ReplaceAllStringFunc(text, func(part string) string {
		found := words.FindStringSubmatch(part)
		return found[1] + unitOf[found[2]]
	})
	plain = days.ReplaceAllStringFunc(plain, func(part string) string {
		found := days.FindStringSubmatch(part)
		n, err := strconv.Atoi(found[1])
		if err != nil || n > mostDays {
			return part // which is no duration
		}
		return strconv.Itoa(n*inHours[found[2]]) + "h"
	})
	d, err := time.ParseDuration(plain)
	if err != nil || partOfDay.MatchString(text) {
		hint := ""
		if calendar.MatchString(text) {
			hint = "; months and years have no fixed length: write days, such as 30d"
		}
		return 0, fmt.Errorf("%q is not a duration such as 46d, 2w, 24h or 90m, up to 292 years%s", text, hint)
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
