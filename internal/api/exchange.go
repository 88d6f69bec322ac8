package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxBodyBytes = 16 << 20
	maxNesting   = 512
)

var (
	errTooLarge  = fmt.Errorf("the response is larger than %d MiB", maxBodyBytes>>20)
	errTooDeep   = fmt.Errorf("the response is nested deeper than %d levels", maxNesting)
	errMalformed = errors.New("the response has a JSON content type, but is not JSON")
	errTruncated = errors.New("the response was cut short")
	errEmpty     = errors.New("the response has no body")
	errLate      = errors.New("it did not arrive within")
)

// attempt is the result of one attempt. With a status and an error, the body is unusable; without a status, there was
// no response.
type attempt struct {
	status    int
	header    http.Header
	body      []byte
	err       error
	connected bool // a connection was obtained, so the request may have arrived
	sentAt    time.Time
}

func (a *attempt) requestID() string { return cleanLine(a.header.Get("Request-Id"), 100) }

// exchange makes one attempt. Requests have no conditions, so a 304 comes from a proxy; the request is sent again in a
// form that the proxy must forward.
func (c *Client) exchange(ctx context.Context, k *call) *attempt {
	if k.route.method != http.MethodGet {
		c.wrote()
	}
	a := c.send(ctx, k)
	if a.status == http.StatusNotModified && a.err == nil {
		k.header.Set("Cache-Control", "no-cache")
		a = c.send(ctx, k)
	}
	return a
}

// send sends the request once and reads the response within the limits.
func (c *Client) send(ctx context.Context, k *call) *attempt {
	k.sent++
	a := &attempt{sentAt: time.Now()}
	watched := c.watch(ctx, k)

	attempt, cancel := context.WithTimeout(ctx, c.cfg.RequestTimeout)
	defer cancel()
	var connected atomic.Bool // the trace may still run after RoundTrip has returned
	attempt = httptrace.WithClientTrace(attempt, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	transport := c.transportFor(k)
	own, isOwn := transport.(*connections)
	number := 0
	if isOwn {
		_, number = own.get()
	}
	c.roundTrip(attempt, transport, k, a)
	a.connected = connected.Load() || a.status != 0
	if isOwn && a.err != nil && attempt.Err() != nil && ctx.Err() == nil {
		own.renew(number)
	}
	if a.err != nil {
		a.err = c.explain(ctx, attempt, a.err)
	}
	watched(a)
	return a
}

func (c *Client) roundTrip(ctx context.Context, transport http.RoundTripper, k *call, a *attempt) {
	request, err := k.request(ctx)
	if err != nil {
		a.err = err
		return
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		a.err = err
		return
	}
	defer response.Body.Close()
	c.version.Store(int32(response.ProtoMajor)) //nolint:gosec // 1 to 3
	a.status, a.header = response.StatusCode, c.scrubHeader(response.Header)
	c.clock.note(a.status, a.header, a.sentAt)
	a.body, a.err = readBody(response.Body)
	if !isSuccess(a.status) || !isJSON(a.header) {
		a.body = c.scrubBody(a.body)
	}
	switch empty := len(bytes.TrimSpace(a.body)) == 0; {
	case a.err != nil || !isSuccess(a.status):
	case empty && k.route.method == http.MethodGet:
		a.err = errEmpty
	case !empty && isJSON(a.header):
		a.err = checkJSON(a.body)
	}
}

// explain describes the error of an attempt, including the timeout that ended it. It never contains the token.
func (c *Client) explain(ctx, attempt context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case attempt.Err() != nil:
		// Not wrapped: DeadlineExceeded would suggest that the caller's own time is up.
		return fmt.Errorf("%w %s", errLate, c.cfg.RequestTimeout)
	}
	if text := c.scrub(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// watch notifies the observer of the start of an attempt, and returns a function that reports its end.
func (c *Client) watch(ctx context.Context, k *call) func(*attempt) {
	e := c.describe(k)
	if k.body != nil {
		e.RequestBody = func() string { return c.scrub(MaskJSON(k.body)) }
	}
	c.observer.Observe(ctx, e)
	return func(a *attempt) {
		e.Event, e.Status, e.Err = Received, a.status, a.err
		e.Duration = time.Since(a.sentAt)
		e.RequestID = a.requestID()
		if len(a.body) > 0 {
			e.ResponseBody = func() string {
				if k.once() {
					return notShown
				}
				return c.scrub(MaskJSON(a.body))
			}
		}
		c.observer.Observe(ctx, e)
	}
}

func (c *Client) describe(k *call) Exchange {
	return Exchange{
		Service: c.cfg.Service, Operation: k.operation,
		Method: k.route.method, Path: k.route.template, Attempt: k.sent,
	}
}

func readBody(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxBodyBytes+1))
	switch {
	case len(data) > maxBodyBytes:
		return nil, errTooLarge
	case err != nil:
		return data, fmt.Errorf("%w: %w", errTruncated, err)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil // RFC 8259, section 8.1: a byte-order mark may be ignored
}

func isSuccess(status int) bool { return status >= 200 && status <= 299 }

// isJSON reports whether a response has a JSON content type.
func isJSON(header http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"))
}

// checkJSON distinguishes a truncated body, which is worth a retry, from one that is not JSON or is nested too deeply.
func checkJSON(body []byte) error {
	if tooDeep(body) {
		if id := deepItem(body); id != "" {
			return fmt.Errorf("%w (item %q)", errTooDeep, cleanLine(id, maxHintRunes))
		}
		return errTooDeep
	}
	if json.Valid(body) {
		return nil
	}
	var whole json.RawMessage
	err := json.NewDecoder(bytes.NewReader(body)).Decode(&whole)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errTruncated
	}
	return errMalformed
}

func tooDeep(body []byte) bool { return deeperThan(maxNesting, body) }

// deeperThan counts brackets outside of strings, without recursion.
func deeperThan(levels int, body []byte) bool {
	depth, quoted, escaped := 0, false, false
	for _, c := range body {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > levels {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// deepItem returns the id of the item of a list that is nested too deeply, as far as it can be found.
func deepItem(body []byte) string {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(body, &list) // without a list, there is no item
	for _, item := range list.Data {
		if deeperThan(maxNesting-2, item) {
			return idIn(item, "id")
		}
	}
	return ""
}

// Observer is notified of every exchange with a service, for logging. The data is already masked. It is called from
// many goroutines and must not block.
type Observer interface {
	Observe(ctx context.Context, e Exchange)
}

// Event is what an Observer is notified of.
type Event int

const (
	// Sending comes before each attempt.
	Sending Event = iota
	// Received comes after each attempt, including transport errors (Err is set, Status is 0).
	Received
	// Waiting comes before a pause: a retry, or a limiter closed by 429. Delay and Reason are set.
	Waiting
	// FallingBack means that an optimization has failed and the requests are sent one by one. Reason and Err are set.
	FallingBack
)

// Exchange describes one attempt to an Observer. Path is the template, never the path with ids.
type Exchange struct {
	Event                            Event
	Service, Operation, Method, Path string

	Status    int
	Attempt   int // counts from 1
	RequestID string
	Duration  time.Duration // of the attempt, until its body was read
	Delay     time.Duration // of the pause announced by Waiting
	Reason    string        // of the pause or the fallback
	Err       error         // transport error, or the error that caused the fallback

	// RequestBody and ResponseBody return the masked bodies, computed only when called. Either may be nil.
	RequestBody, ResponseBody func() string
}

type noObserver struct{}

func (noObserver) Observe(context.Context, Exchange) {}
