package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// MaxBody is the largest request body the sandbox reads, in bytes.
const MaxBody = 1 << 20

// Call is what a handler needs of the request that it serves.
type Call struct {
	Organization string // of the token; objects of other organizations are never visible
	Now          time.Time
	Path         map[string]string // placeholder → value
	Query        url.Values
	Body         []byte
	Sent         Body // what the body holds, for an operation with a Form

	Tolerance  Tolerance
	MaxPerPage int
	Source     *Source // of the order of a listing
	// Client is the first word of the User-Agent, and Token the public prefix of the token; empty for what a seed does.
	Client, Token string
	fault         Fault // the one that the request has met
	changes       []store.Change
	// IdempotencyKey is the header X-Idempotency-Key, which only the creations
	// of financial management look at.
	IdempotencyKey string
}

// Site is a service as the server serves it.
type Site struct {
	Service Service
	Port    int
	Routes  []Route
	// Header carries the bare credential; empty means Authorization with Bearer.
	Header string
	// Find finds a token of the service by its value, and unknown is what a
	// request gets whose token is not found.
	Find    func(tx *store.Tx, value string) (StoredToken, bool)
	Unknown *Error
	// Used notes that a token has been used; nil: not noted.
	Used func(token StoredToken, now time.Time) error
	// Settle processes what is due by the clock; nil: nothing is ever due.
	Settle func(now time.Time) error
	// Loggable is a body as the request log may keep it; nil: all of it.
	Loggable func(body []byte) []byte
	Records  bool // the objects are free-form
}

// Handler serves the operations of a service: it meets the faults, keeps
// the log and writes the response; process does the rest.
func (s *Server) Handler(site Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := Request{
			Time: s.Clock.Now(), Service: site.Service, Method: short(r.Method),
			Path: short(r.URL.Path), Query: short(r.URL.RawQuery), RequestID: s.Source.UUID(), Client: client(r),
			Run: s.connections.join(r), began: time.Now(),
		}
		route, values, routeErr := find(site.Routes, r.Method, r.URL)
		entry.Operation, entry.Object = route.Name, short(values["id"])
		body, bodyErr := readBody(w, r)
		token, authErr := s.authenticate(site, r.Header)
		if entry.Token = token.Prefix; authErr == nil {
			entry.Body = site.loggable(body)
		}

		fault, hit := s.Faults.take(route.Name, r.Method, r.URL.Path)
		entry.Fault = fault.ID
		process := func(ctx context.Context, entry *Request) response {
			c := s.newCall(values, body)
			c.fault, c.Client, c.Token = fault, entry.Client, token.Prefix
			if authErr != nil {
				return s.failure(authErr)
			}
			// What is wrong with the request, a caller without a token does not learn.
			if err := errors.Join(site.noteUse(token, entry.Time), routeErr, bodyErr); err != nil {
				return s.failure(err)
			}
			return s.process(site, r.WithContext(ctx), route, entry, c, token)
		}
		if hit && fault.Late > 0 {
			s.processLate(site, fault.Late, entry, process)
		}
		if hit && (s.fallsAway(site.Service, fault) || Wait(r.Context(), fault.Latency) != nil || fault.DropBefore) {
			s.drop(entry)
		}
		a := s.respond(r, fault, &entry, process)
		entry.Status, entry.Response = a.status, site.loggable(a.body)
		if hit && fault.DropAfter {
			s.drop(entry)
		}
		s.record(entry)
		if fault.Foreign == "" {
			a.header.Set("Request-Id", entry.RequestID)
		}
		// Date is the sandbox's time, because that is the service's time: a client that compares
		// a date asks this header, not its own clock.
		a.header.Set("Date", s.Clock.Now().Format(http.TimeFormat))
		a.write(w, hit && fault.TruncateBody)
	})
}

// respond processes a request, unless its fault responds instead; after it, the fault may respond too.
func (s *Server) respond(r *http.Request, fault Fault, entry *Request,
	process func(ctx context.Context, entry *Request) response) response {
	if !fault.responds() {
		return process(r.Context(), entry)
	}
	if fault.After {
		process(r.Context(), entry)
	}
	return s.faultResponse(fault)
}

// maxText bounds what the log keeps of a text that a client chooses: a path may have a megabyte.
const maxText = 2 << 10

// short is a text as the log keeps it.
func short(text string) string { return strings.Clone(text[:min(len(text), maxText)]) }

func (site Site) noteUse(token StoredToken, now time.Time) error {
	if site.Used == nil {
		return nil
	}
	return site.Used(token, now)
}

// loggable is a body as the log keeps it.
func (site Site) loggable(body []byte) []byte {
	if site.Loggable == nil {
		return body
	}
	return site.Loggable(body)
}

// client is the first word of the User-Agent, at most 80 bytes of it.
func client(r *http.Request) string {
	name, _, _ := strings.Cut(r.UserAgent(), " ")
	return strings.Clone(name[:min(len(name), 80)])
}

// newCall is a call as the options of the server make it.
func (s *Server) newCall(path map[string]string, body []byte) *Call {
	return &Call{
		Path: path, Body: body,
		Tolerance: s.options.Tolerance, MaxPerPage: s.options.MaxPerPage, Source: s.Source,
	}
}

// lateClient is the client of a log entry that a fault has made of a request which was answered before.
const lateClient = "late"

// Late is how many requests that were answered have still to be processed.
func (s *Server) Late() int { return int(s.late.Load()) }

// processLate processes a request after a while, or never, where the server stops before.
func (s *Server) processLate(site Site, after time.Duration, entry Request,
	process func(ctx context.Context, late *Request) response) {
	s.late.Add(1)
	s.serving.Go(func() {
		defer s.late.Add(-1)
		if Wait(s.stopped, after) != nil {
			return
		}
		entry.Time, entry.began, entry.Client = s.Clock.Now(), time.Now(), lateClient
		a := process(s.stopped, &entry)
		entry.Status, entry.Response = a.status, site.loggable(a.body)
		s.record(entry)
	})
}

func (s *Server) drop(entry Request) {
	entry.Dropped = true
	s.record(entry)
	panic(http.ErrAbortHandler)
}

func (s *Server) record(entry Request) {
	entry.Duration = time.Since(entry.began)
	s.Log.add(entry)
	if s.options.OnRequest != nil {
		s.options.OnRequest(entry)
		return
	}
	s.options.Logger.Debug("request", "service", entry.Service, "operation", entry.Operation,
		"method", entry.Method, "path", entry.Path, "status", entry.Status,
		"request_id", entry.RequestID, "dropped", entry.Dropped)
}

// process rejects what is not a well-formed request of an operation, then runs the operation.
func (s *Server) process(site Site, r *http.Request, route Route, entry *Request, c *Call, token StoredToken) response {
	if err := check(r, route, c.Path, token.Scopes); err != nil {
		return s.failure(err)
	}
	c.Organization, c.Now, c.Query = token.Organization, s.Clock.Now(), r.URL.Query()
	c.IdempotencyKey = strings.Join(r.Header.Values("X-Idempotency-Key"), ", ")
	if route.Prepare != nil {
		if err := route.Prepare(r.Context(), c); err != nil {
			return s.failure(err)
		}
	}
	if site.Settle != nil {
		if err := site.Settle(c.Now); err != nil {
			return s.failure(err)
		}
	}
	result, err := s.run(site, route, c)
	if refusal := new(Error); errors.As(err, &refusal) && refusal.Code == ErrNoRoute.Code {
		entry.Operation = "" // the path of a collection that does not exist looks like that of one that does
	}
	if err != nil {
		return s.failure(err)
	}
	entry.Changes = c.changes
	result.records = site.Records
	return s.success(r, result)
}

// run runs an operation in its transaction.
func (s *Server) run(site Site, route Route, c *Call) (result Reply, err error) {
	run := s.DB.Update
	if route.Method == http.MethodGet {
		run = s.DB.View
		if lag := c.fault.Lag; lag > 0 {
			run = func(read func(*store.Tx) error) error { return s.DB.ViewAsOf(time.Now().Add(-lag), read) }
		}
	}
	err = run(func(tx *store.Tx) error {
		if err := c.mixUp(tx, site.Routes, route); err != nil {
			return err
		}
		var err error
		result, err = route.Serve(c, tx)
		c.changes = tx.Changes()
		return err
	})
	return result, err
}

// check holds a request against what every operation asks for
// (service description, Recurring billing §1 Wire rules, §5).
func check(r *http.Request, route Route, path map[string]string, granted []string) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errContentType
	}
	if err := authorize(route.required(path), granted); err != nil {
		return err
	}
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return ErrMalformed.With("The query string is malformed.")
	}
	return route.CheckQuery(r.URL.Query())
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return body, errBodyTooLarge
	}
	if err != nil {
		return body, fmt.Errorf("%w: read body: %w", ErrMalformed, err)
	}
	return body, nil
}

// logCapacity bounds the memory the request log takes; the oldest go first.
const logCapacity = 20_000

// keptResponses is how many of the newest requests keep the body of their response and the rows they have changed,
// keptBodies how many keep more of their own body than maxOldBody, and maxBody the largest body that is kept, in bytes:
// a page of a listing may have a megabyte, and so may what a client sends.
const (
	keptResponses = 200
	keptBodies    = 1000
	maxBody       = 64 << 10
	maxOldBody    = 4 << 10
)

// Request is one line of the request log. It contains the request and the
// response, and never a whole token.
type Request struct {
	Sequence  uint64    `json:"sequence"` // counts from 1 for the life of the server
	Time      time.Time `json:"time"`     // on the sandbox's clock
	Service   Service   `json:"service"`
	Operation string    `json:"operation"` // name in the wire contract; empty: no such route
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"` // what was or would have been returned; 0: dropped unprocessed
	RequestID string    `json:"request_id"`
	Token     string    `json:"token,omitempty"` // the public prefix of a token that is known
	Fault     string    `json:"fault,omitempty"` // id of the fault it met
	Dropped   bool      `json:"dropped,omitempty"`
	// Client is the first word of the User-Agent, such as terraform-provider-billing/1.0.0: who has sent the request.
	Client string `json:"client,omitempty"`
	// Run is the same number for all requests of one process of the client, see connections.
	Run      uint64        `json:"run"`
	Duration time.Duration `json:"duration_ns"` // by the machine's clock, faults included
	// Body is empty where the request has no valid token, and its beginning where it is long, see maxBody.
	Body []byte `json:"body,omitempty"`
	// Response is the body of the response without credentials. Only the newest requests have it, see keptResponses.
	Response []byte `json:"response,omitempty"`
	// Object is the id in the path, and Changes what the request has changed. Rows contain credentials, so that they
	// are in no JSON. Of older requests only table and id are left.
	Object  string         `json:"-"`
	Changes []store.Change `json:"-"`
	began   time.Time
}

// RequestLog keeps the newest requests in the order of their responses.
type RequestLog struct {
	mu      sync.Mutex
	last    uint64
	entries []Request
}

func (l *RequestLog) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	r.Sequence = l.last
	if len(l.entries) >= logCapacity {
		// Half of the entries are dropped together, so that the copying is rare.
		l.entries = append([]Request(nil), l.entries[logCapacity/2:]...)
	}
	if len(r.Response) > maxBody {
		r.Response = nil
	}
	r.Body = cut(r.Body, maxBody)
	l.entries = append(l.entries, r)
	if old := len(l.entries) - 1 - keptResponses; old >= 0 {
		l.entries[old].Response, l.entries[old].Changes = nil, store.WithoutRows(l.entries[old].Changes)
	}
	if old := len(l.entries) - 1 - keptBodies; old >= 0 {
		l.entries[old].Body = cut(l.entries[old].Body, maxOldBody)
	}
}

// cut is what is kept of a body.
func cut(body []byte, most int) []byte {
	if len(body) <= most {
		return body
	}
	return bytes.Clone(body[:most])
}

// Since returns the requests after the given sequence number.
func (l *RequestLog) Since(sequence uint64) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []Request{}
	for _, r := range l.entries {
		if r.Sequence > sequence {
			out = append(out, r)
		}
	}
	return out
}

// Reset empties the log.
func (l *RequestLog) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
