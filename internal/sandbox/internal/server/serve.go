package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// MaxBody is the maximum size of a request body in bytes.
const MaxBody = 1 << 20

// Call is the request that a handler serves.
type Call struct {
	Organization string // of the token; objects of other organizations are never visible
	Now          time.Time
	Path         map[string]string // placeholder → value
	Query        url.Values
	Body         []byte
	Sent         Body // members of the body, for an operation with a Form

	MaxPerPage int
	Source     *Source // of the order of a listing
	// Client is the first word of the User-Agent, and Token the public prefix of the token; empty for a seed.
	Client, Token string
	// Operation and RequestID are for the audit trail.
	Operation, RequestID string
	fault                Fault // the request's fault
	changes              []store.Change
	// IdempotencyKey is the header X-Idempotency-Key, used only by creations in financial management.
	IdempotencyKey string
}

// Site defines a service for the server.
type Site struct {
	Service Service
	Port    int
	Routes  []Route
	// Header is the name of the header with the bare credential; empty: Authorization with Bearer.
	Header string
	// Find looks up a token of the service by its value; unknown is the response if it is not found.
	Find    func(tx *store.Tx, value string) (StoredToken, bool)
	Unknown *Error
	// Used records the use of a token; may be nil.
	Used func(token StoredToken, now time.Time) error
	// Settle processes the changes due by the clock; nil if the service has none.
	Settle func(now time.Time) error
	// Loggable returns a body without credentials for the request log; nil: log it unchanged.
	Loggable func(body []byte) []byte
	Records  bool // objects are free-form
	// PriceOf returns the amount of a price, in subcents; nil if the service has no prices.
	PriceOf func(tx *store.Tx, id string) int64
}

// Handler serves the operations of a service. It applies faults, keeps the request log and writes the response; process
// does the rest.
func (s *Server) Handler(site Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := Request{
			Time: s.Clock.Now(), Service: site.Service, Method: short(r.Method),
			Path: short(r.URL.Path), Query: short(r.URL.RawQuery), RequestID: s.Source.UUID(), Client: client(r),
			Run: s.connections.join(r), Headers: keptHeaders(r.Header, site.Header), began: time.Now(),
		}
		route, values, routeErr := find(site.Routes, r.Method, r.URL)
		entry.Operation, entry.Object = route.Name, short(values["id"])
		body, bodyErr := readBody(w, r)
		token, authErr := s.authenticate(site, r.Header)
		if entry.Token = token.Prefix; authErr == nil {
			entry.Body = site.loggable(body)
		}

		fault, hit := s.meets(r, route.Name)
		entry.Fault = fault.ID
		process := func(ctx context.Context, entry *Request) response {
			c := s.newCall(values, body)
			c.fault, c.Client, c.Token = fault, entry.Client, token.Prefix
			c.Operation, c.RequestID = entry.Operation, entry.RequestID
			r := r.WithContext(ctx)
			x := s.ask(site, r, route, c)
			if authErr != nil {
				return s.bent(x, s.failure(authErr))
			}
			// A caller without a token does not learn more about the request.
			if err := errors.Join(site.noteUse(token, entry.Time), routeErr, bodyErr); err != nil {
				return s.bent(x, s.failure(err))
			}
			return s.bent(x, s.process(site, r, route, entry, c, token, x))
		}
		if hit && fault.Late > 0 {
			s.processLate(site, fault.Late, entry, process)
		}
		if hit && (s.fallsAway(site.Service, fault) || fault.wait(r.Context(), false) != nil || fault.DropBefore) {
			s.drop(entry)
		}
		a := s.respond(r, fault, &entry, process)
		entry.returned(site, a)
		if hit && (fault.wait(r.Context(), true) != nil || fault.DropAfter) {
			s.drop(entry)
		}
		s.record(entry)
		if fault.Foreign == "" {
			a.header.Set("Request-Id", entry.RequestID)
		}
		// Date is the sandbox's time, like that of the service: clients compare dates with this header instead of the local
		// clock.
		a.header.Set("Date", s.Clock.Now().Format(http.TimeFormat))
		truncate := hit && fault.TruncateBody
		s.connections.answered(r, truncate)
		a.write(w, truncate)
	})
}

// respond processes a request. A fault may replace the processing or the response.
func (s *Server) respond(r *http.Request, fault Fault, entry *Request,
	process func(ctx context.Context, entry *Request) response) response {
	if !fault.responds() {
		return process(r.Context(), entry)
	}
	if fault.After {
		process(r.Context(), entry)
	}
	return s.faultResponse(fault, entry.Operation)
}

// maxText is the longest text chosen by a client that the log keeps: a path may have a megabyte.
const maxText = 2 << 10

// short truncates a text for the log.
func short(text string) string { return strings.Clone(text[:min(len(text), maxText)]) }

func (site Site) noteUse(token StoredToken, now time.Time) error {
	if site.Used == nil {
		return nil
	}
	return site.Used(token, now)
}

// loggable returns a body for the log.
func (site Site) loggable(body []byte) []byte {
	if site.Loggable == nil {
		return body
	}
	return site.Loggable(body)
}

// returned records the response.
func (r *Request) returned(site Site, a response) {
	r.Status, r.Response = a.status, site.loggable(a.body)
	if a.status >= http.StatusBadRequest {
		r.Failure = short(failureIn(a.body))
	}
}

// failureIn summarizes the body of an error: its code and the invalid fields, or else the message.
func failureIn(body []byte) string {
	value, _ := Decode(body)
	object, _ := value.(map[string]any)
	inner, ok := object["error"].(map[string]any)
	if !ok { // the flat shape
		inner = map[string]any{"code": object["error_code"], "message": object["error"]}
	}
	code, _ := inner["code"].(string)
	message, _ := inner["message"].(string)
	details, _ := inner["details"].(map[string]any)
	fields, _ := details["fields"].(map[string]any)
	said := []string{code}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		said = append(said, fmt.Sprintf("%s %v", name, fields[name]))
	}
	if field, ok := details["field"].(string); ok {
		said = append(said, field)
	}
	if len(fields) == 0 {
		said = append(said, message)
	}
	return strings.Join(slices.DeleteFunc(said, func(text string) bool { return text == "" }), ": ")
}

// secretHeader matches the names of headers whose values may be credentials.
var secretHeader = regexp.MustCompile(`(?i)auth|token|secret|cookie|passw|credential|session|api.?key`)

// maxHeaders limits the number of headers kept for a request.
const maxHeaders = 50

// keptHeaders returns a request's headers for the log. own is the header with the credential.
func keptHeaders(header http.Header, own string) map[string]string {
	kept := map[string]string{}
	for name, values := range header {
		if len(kept) == maxHeaders {
			break
		}
		kept[name] = short(strings.Join(values, ", "))
		if secretHeader.MatchString(name) || strings.EqualFold(name, own) {
			kept[name] = Masked
		}
	}
	return kept
}

// Masked replaces credentials in the request log.
const Masked = "[REDACTED]"

// client returns the first word of the User-Agent, at most 80 bytes.
func client(r *http.Request) string {
	name, _, _ := strings.Cut(r.UserAgent(), " ")
	return strings.Clone(name[:min(len(name), 80)])
}

// newCall returns a call with the server's options.
func (s *Server) newCall(path map[string]string, body []byte) *Call {
	return &Call{
		Path: path, Body: body,
		MaxPerPage: s.options.MaxPerPage, Source: s.Source,
	}
}

// lateClient is the client in the log entry of a request that a fault processes late.
const lateClient = "late"

// Late returns the number of requests whose processing is still pending.
func (s *Server) Late() int { return int(s.late.Load()) }

// processLate processes a request after a delay, or never if the server stops first.
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
		entry.returned(site, a)
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

// process rejects malformed requests, then runs the operation.
func (s *Server) process(site Site, r *http.Request, route Route, entry *Request, c *Call, token StoredToken,
	x *bend.Exchange) response {
	if err := check(r, route, c.Path, token.Scopes); err != nil {
		return s.failure(err)
	}
	c.Organization, c.Now, c.Query = token.Organization, s.Clock.Now(), r.URL.Query()
	if x != nil {
		c.Query = x.Query
	}
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
		entry.Operation = "" // an unknown collection has the same path pattern as an existing one
	}
	if err != nil {
		return s.failure(err)
	}
	entry.Changes = c.changes
	return s.success(r, result)
}

// run executes an operation in its transaction.
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

// check validates the requirements for all requests (service description, Recurring billing §1 Wire rules, §5).
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

// logCapacity limits the request log; the oldest entries are dropped first.
const logCapacity = 20_000

// limits are how many requests keep their response and changed rows, and how many keep their headers and more than
// maxOldBody of their own body. Bodies of listings and clients may have a megabyte; maxBody is the maximum size in
// bytes.
type limits struct{ responses, bodies int }

// Reads do not push out the bodies of writes and failures, which are looked up later.
var (
	keptOfReads  = limits{responses: 200, bodies: 1000}
	keptOfOthers = limits{responses: 1000, bodies: 1000}
)

const (
	maxBody    = 64 << 10
	maxOldBody = 4 << 10
)

// Request is an entry of the request log. It never contains a complete token.
type Request struct {
	Sequence  uint64    `json:"sequence"` // counts from 1 since the start of the server
	Time      time.Time `json:"time"`     // by the sandbox's clock
	Service   Service   `json:"service"`
	Operation string    `json:"operation"` // name in the wire contract; empty: unknown route
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"` // the returned status, or the one that was lost; 0: dropped unprocessed
	RequestID string    `json:"request_id"`
	Token     string    `json:"token,omitempty"` // public prefix of a known token
	Fault     string    `json:"fault,omitempty"` // id of the applied fault
	Dropped   bool      `json:"dropped,omitempty"`
	// Client is the first word of the User-Agent, such as terraform-provider-billing/1.0.0.
	Client string `json:"client,omitempty"`
	// Run is the same for all requests of a client process, see connections.
	Run      uint64        `json:"run"`
	Duration time.Duration `json:"duration_ns"` // by the machine's clock, faults included
	// Body is empty without a valid token, and truncated to maxBody.
	Body []byte `json:"body,omitempty"`
	// Response is the response body without credentials. Only newer requests have it, see limits.
	Response []byte `json:"response,omitempty"`
	// Failure contains code, fields and message of an error response.
	Failure string `json:"failure,omitempty"`
	// Headers are the request's headers by name, with credentials masked. Older requests have none, see limits.
	Headers map[string]string `json:"-"`
	// Object is the id in the path, and Changes the changed rows. They are excluded from JSON, because rows contain
	// credentials. Older requests keep only table and id.
	Object  string         `json:"-"`
	Changes []store.Change `json:"-"`
	began   time.Time
}

// IsWrite reports whether the request's method changes something.
func (r Request) IsWrite() bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// isRead reports whether the request is a read that succeeded.
func (r Request) isRead() bool { return !r.IsWrite() && !r.Dropped && r.Status < http.StatusBadRequest }

// RequestLog keeps the newest requests in order of their responses.
type RequestLog struct {
	mu            sync.Mutex
	last          uint64
	entries       []Request // of consecutive sequence numbers
	reads, others []uint64  // those that keep their bodies
}

func (l *RequestLog) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	r.Sequence = l.last
	if len(l.entries) >= logCapacity {
		// Drop half of the entries at a time, to copy rarely.
		l.entries = append([]Request(nil), l.entries[logCapacity/2:]...)
	}
	if len(r.Response) > maxBody {
		r.Response = nil
	}
	r.Body = cut(r.Body, maxBody)
	l.entries = append(l.entries, r)
	if r.isRead() {
		l.reads = l.trim(append(l.reads, r.Sequence), keptOfReads)
	} else {
		l.others = l.trim(append(l.others, r.Sequence), keptOfOthers)
	}
}

// trim removes the bodies that exceed the limits, and returns the requests that still have one.
func (l *RequestLog) trim(kept []uint64, most limits) []uint64 {
	if old := len(kept) - 1 - most.responses; old >= 0 {
		if r := l.at(kept[old]); r != nil {
			r.Response, r.Changes = nil, store.WithoutRows(r.Changes)
		}
	}
	if len(kept) <= most.bodies {
		return kept
	}
	if r := l.at(kept[0]); r != nil {
		r.Body, r.Headers = cut(r.Body, maxOldBody), nil
	}
	return kept[1:]
}

// at returns the entry with a sequence number, unless it has been dropped.
func (l *RequestLog) at(sequence uint64) *Request {
	if first := l.entries[0].Sequence; sequence >= first {
		return &l.entries[sequence-first]
	}
	return nil
}

// cut returns the part of a body that is kept.
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
	l.entries, l.reads, l.others = nil, nil, nil
}
