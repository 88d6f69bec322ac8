package sandbox

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// maxBody is the largest request body the sandbox reads, in bytes.
const maxBody = 1 << 20

// call is what a handler is told of the request it serves.
type call struct {
	server       *Server
	organization string // of the token; nothing of another one is ever seen
	key          string // public prefix of the token
	now          time.Time
	path         map[string]string // placeholder → value
	query        url.Values
	body         []byte
	// idempotencyKey is the header X-Idempotency-Key, which only the creations
	// of financial management look at.
	idempotencyKey string
}

// serviceHandler serves one service's operations: it meets the faults, keeps
// the log and writes the answer; process does the rest.
func (s *Server) serviceHandler(service Service, routes []route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := Request{
			Time: s.clock.Now(), Service: service, Method: r.Method,
			Path: r.URL.Path, Query: r.URL.RawQuery, RequestID: s.source.uuid(),
		}
		route, values, routeErr := find(routes, r.Method, r.URL)
		entry.Operation = route.name
		body, bodyErr := readBody(w, r)
		entry.Body = loggable(service, body)

		fault, hit := s.faults.take(route.name, r.Method, r.URL.Path)
		entry.Fault = fault.ID
		if hit && (wait(r.Context(), fault.Latency) != nil || fault.DropBefore) {
			s.drop(entry)
		}
		var a answer
		if hit && fault.answers() && !fault.After {
			a = s.faultAnswer(fault)
		} else {
			a = s.process(service, r, route, &entry, &call{server: s, path: values, body: body},
				errors.Join(routeErr, bodyErr))
			if hit && fault.After && fault.answers() {
				a = s.faultAnswer(fault)
			}
		}
		entry.Status = a.status
		if hit && fault.DropAfter {
			s.drop(entry)
		}
		s.record(entry)
		a.header.Set("Request-Id", entry.RequestID)
		// Date is the sandbox's time, as it is the service's: a client that compares a date asks this header, not its own clock.
		a.header.Set("Date", s.clock.Now().Format(http.TimeFormat))
		a.write(w, hit && fault.TruncateBody)
	})
}

// drop closes the connection without an answer.
func (s *Server) drop(entry Request) {
	entry.Dropped = true
	s.record(entry)
	panic(http.ErrAbortHandler)
}

func (s *Server) record(entry Request) {
	s.log.add(entry)
	if s.options.OnRequest != nil {
		s.options.OnRequest(entry)
		return
	}
	s.options.Logger.Debug("request", "service", entry.Service, "operation", entry.Operation,
		"method", entry.Method, "path", entry.Path, "status", entry.Status,
		"request_id", entry.RequestID, "dropped", entry.Dropped)
}

// process authenticates, then refuses what is no well-formed request of an
// operation, then runs the operation. refusal is what routing and reading
// found wrong: a caller without a token does not learn it.
func (s *Server) process(service Service, r *http.Request, route route, entry *Request, c *call, refusal error) answer {
	var token storedToken
	err := s.db.View(func(tx *store.Tx) error {
		var err error
		token, err = s.authenticate(tx, service, r.Header)
		return err
	})
	entry.Token = token.Prefix
	if err == nil {
		err = errors.Join(s.noteUse(token, entry.Time), refusal)
	}
	if err == nil {
		err = check(r, route, c.path, token.Scopes)
	}
	if err != nil {
		return s.failure(err)
	}
	c.organization, c.key, c.now, c.query = token.Organization, token.Prefix, s.clock.Now(), r.URL.Query()
	c.idempotencyKey = strings.Join(r.Header.Values("X-Idempotency-Key"), ", ")
	if prepare, ok := preparations[route.name]; ok {
		if err := prepare(r.Context(), c); err != nil {
			return s.failure(err)
		}
	}
	if err := s.settle(c.now); err != nil {
		return s.failure(err)
	}
	var result reply
	run := s.db.Update
	if route.method == http.MethodGet {
		run = s.db.View
	}
	if err := run(func(tx *store.Tx) error {
		var err error
		result, err = route.serve(c, tx)
		return err
	}); err != nil {
		return s.failure(err)
	}
	result.records = service == Finance
	return s.success(r, result)
}

// check holds a request against what every operation asks for
// (service description, Recurring billing §1 Wire rules, §5).
func check(r *http.Request, route route, path map[string]string, granted []string) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errContentType
	}
	if err := authorize(route.required(path), granted); err != nil {
		return err
	}
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return errMalformed.with("The query string is malformed.")
	}
	return route.checkQuery(r.URL.Query())
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return body, errBodyTooLarge
	}
	if err != nil {
		return body, fmt.Errorf("%w: read body: %w", errMalformed, err)
	}
	return body, nil
}
