package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// idempotencyHeader makes net/http replay a POST automatically when a reused connection breaks. So it is sent only to
// the service that supports it (service description, Financial management §1).
const idempotencyHeader = "X-Idempotency-Key"

// Client sends requests to one service. It is safe for concurrent use.
type Client struct {
	cfg        Config
	base       *url.URL
	transport  http.RoundTripper
	once       http.RoundTripper // see transportFor; nil: transport
	version    atomic.Int32      // of HTTP, according to the last response; 0 before the first one
	begun      atomic.Bool       // a request that must not be repeated was sent before the first response
	limiter    *Limiter
	observer   Observer
	clock      clock
	outage     outage
	absence    absence
	snapshots  snapshots
	random     func() float64    // in [0, 1)
	secrets    *strings.Replacer // masks Token and Secrets
	createdIDs sync.Map          // ids in responses to creations of this process
	readIDs    sync.Map          // ids in other responses about one object, with the time of the first
	// unauthorized is the first 401. The token does not become valid during a run, so every later call fails with this
	// error immediately, without a request.
	unauthorized atomic.Pointer[Error]
}

// Request identifies an operation and contains its parameters.
type Request struct {
	Operation      string            // name in the operations table
	Path           map[string]string // placeholder → value; escaped; "", "." and ".." are rejected
	Query          url.Values
	Body           any    // nil: none; marshaled once
	IdempotencyKey string // sent if the service supports it
	Accept         string // media type of the response; "" is application/json, anything else is for Raw
	Once           bool   // do not repeat it, even if its operation is repeatable: see Change
	// Optional marks a request that the caller can do without. It is repeated once, or until the deadline of its context,
	// and its failure does not affect other calls.
	Optional bool
}

// Response is a response with a 2xx status.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte // at most 16 MiB; must not be changed
	RequestID string

	call   *call     // the call that it belongs to
	sentAt time.Time // start of the attempt
}

// New validates the configuration and returns a client. It sends no request.
func New(cfg Config) (*Client, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure the client of %s: %w", cfg.Service, err)
	}
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("configure the client of %s: %w", cfg.Service, err)
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	if cfg.MaxWait == 0 {
		cfg.MaxWait = defaultMaxWait
	}
	c := &Client{
		cfg: cfg, base: base, transport: cfg.Transport, limiter: cfg.Limiter,
		observer: cfg.Observer, random: rand.Float64,
		secrets: newSecrets(append(slices.Clone(cfg.Secrets), cfg.Token)...),
	}
	if c.transport == nil {
		c.transport = &connections{make: func() *http.Transport { return newTransport(cfg) }}
		c.once = &connections{make: func() *http.Transport { return young(newTransport(cfg)) }}
	}
	if c.limiter == nil {
		c.limiter = NewLimiter(0)
	}
	if cfg.Random != nil {
		c.random, c.limiter.random = cfg.Random, cfg.Random
	}
	if c.observer == nil {
		c.observer = noObserver{}
	}
	return c, nil
}

// Do carries out one operation and returns its response. It returns *Error for a response that is not a success,
// *AmbiguousError for a request that must not be repeated and whose outcome is unknown, *TransportError if there was no
// response, and the error of ctx when ctx ends. It repeats requests that may be repeated, and waits at the limiter;
// both obey ctx.
//
// A 404 to a read or a deletion of an object is accepted only if the list of such objects can be read: see
// [IsNotFound].
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	k, err := c.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := c.run(ctx, k)
	if e, ok := err.(*Error); ok { //nolint:errorlint // an *AmbiguousError wraps an *Error, and is something else
		c.verifyAbsence(ctx, k, e)
	}
	if !k.optional {
		err = c.concluded(k, err)
	}
	if k.unsent {
		err = &NotSentError{err}
	}
	return response, err
}

// call is a Request that is ready to be sent, possibly more than once.
type call struct {
	operation    string
	route        route
	url          string
	resourcePath string            // path of url, escaped, including ids
	path         map[string]string // placeholder → value
	header       http.Header
	body         []byte // nil: none
	repeatable   bool
	waiting      context.Context // obeyed between attempts
	latest       time.Time       // latest time to wait for the limiter
	sent         int             // requests sent so far
	uncertain    bool            // an earlier attempt may have been carried out
	failing      time.Time       // first failure of an attempt
	throttled    time.Time       // first 429
	optional     bool            // see Request
	unsent       bool            // it ended before an attempt, and no earlier one can have been carried out
}

// once reports whether the response shows a secret once.
func (k *call) once() bool { return operations[k.operation].once }

// notShown replaces a text of a response that may contain such a secret.
const notShown = "the text of the response is not shown, because it may contain a secret"

func (c *Client) prepare(ctx context.Context, r Request) (*call, error) {
	row, ok := operations[r.Operation]
	if !ok {
		return nil, fmt.Errorf("%s: unknown operation %q", c.cfg.Service, r.Operation)
	}
	to, _ := c.cfg.Operations.route(r.Operation)
	path, err := expand(to.template, r.Path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", c.cfg.Service, r.Operation, err)
	}
	k := &call{
		operation:    r.Operation,
		route:        to,
		resourcePath: strings.TrimRight(c.base.EscapedPath(), "/") + path,
		path:         r.Path,
		// Neither a POST configured with another method nor another operation configured as POST is repeatable.
		repeatable: row.repeatable() && to.method != http.MethodPost && !r.Once,
		waiting:    waitingContext(ctx),
		optional:   r.Optional,
	}
	k.latest = time.Now().Add(c.cfg.MaxWait)
	// url.URL escapes the zone of an IPv6 address.
	k.url = (&url.URL{Scheme: "https", Host: c.base.Host}).String() + k.resourcePath
	if len(r.Query) > 0 {
		k.url += "?" + r.Query.Encode()
	}
	if r.Body != nil {
		if k.body, err = json.Marshal(r.Body); err != nil {
			return nil, fmt.Errorf("%s %s: encode the request: %w", c.cfg.Service, r.Operation, err)
		}
	}
	return k, c.setHeader(k, r, row.keyed)
}

func (c *Client) setHeader(k *call, r Request, keyed bool) error {
	// Every request has a Content-Type, even GET and DELETE (service description, Recurring billing §1).
	k.header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if r.Accept != "" {
		k.header.Set("Accept", r.Accept)
	}
	if c.cfg.UserAgent != "" {
		k.header.Set("User-Agent", c.cfg.UserAgent)
	}
	if name := http.CanonicalHeaderKey(c.cfg.AuthHeader); name == "" || name == "Authorization" {
		k.header.Set("Authorization", "Bearer "+c.cfg.Token)
	} else {
		k.header.Set(name, c.cfg.Token)
	}
	if r.IdempotencyKey == "" || !keyed || k.route.method != http.MethodPost {
		return nil
	}
	if ValidateToken(r.IdempotencyKey) != nil {
		return fmt.Errorf("%s %s: the idempotency key contains a character that is not valid in a "+
			"header", c.cfg.Service, r.Operation)
	}
	k.header.Set(idempotencyHeader, r.IdempotencyKey)
	// A repetition with the same key returns the original result and creates no duplicate.
	k.repeatable = true
	return nil
}

// expand fills a template. It rejects values that change the meaning of the path: an empty id would turn the read of
// one object into a list.
func expand(template string, values map[string]string) (string, error) {
	var failure error
	path := placeholder.ReplaceAllStringFunc(template, func(match string) string {
		name := match[1 : len(match)-1]
		value, ok := values[name]
		switch {
		case !ok:
			failure = fmt.Errorf("the path needs a value for {%s}", name)
		case value == "" || value == "." || value == "..":
			failure = fmt.Errorf("%q is not a valid value for {%s} in the path", value, name)
		}
		return url.PathEscape(value)
	})
	return path, failure
}

// request builds one attempt. A request that must not be repeated has no GetBody, so that net/http cannot replay it
// either.
func (k *call) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	request, err := http.NewRequestWithContext(ctx, k.route.method, k.url, body)
	if err != nil {
		return nil, err
	}
	if !k.repeatable {
		request.GetBody = nil
	}
	request.Header = k.header.Clone()
	return request, nil
}

func (c *Client) newError(k *call, status int, header http.Header, body []byte) *Error {
	e := parseError(status, header, body)
	if k.once() && (isSuccess(status) || status >= http.StatusInternalServerError || status >= 400 && !e.Structured) {
		e.Message, e.Details, e.Fields = notShown, nil, nil
	}
	e.Service, e.Origin, e.Operation = c.cfg.Service, c.cfg.Origin, k.operation
	e.Method, e.Path, e.ResourcePath = k.route.method, k.route.template, k.resourcePath
	e.Attempts, e.Uncertain = k.sent, k.uncertain
	e.Message = c.scrub(e.Message)
	return e
}

func (c *Client) scrubHeader(header http.Header) http.Header {
	for name, values := range header {
		for i := range values {
			header[name][i] = c.scrub(values[i])
		}
	}
	return header
}

// scrubBody masks the secrets in a body for a message. It must be called before the body is shortened. Escaped JSON is
// decoded first.
func (c *Client) scrubBody(body []byte) []byte {
	if bytes.IndexByte(body, '\\') >= 0 {
		if value, err := decodeAny(body); err == nil {
			return []byte(encodeMasked(maskSecrets(value, c.scrub)))
		}
	}
	return []byte(c.scrub(string(body)))
}

// scrub masks the secrets in a text. If a secret is found only after unescaping, as in truncated JSON, the text loses
// its escapes.
func (c *Client) scrub(text string) string {
	if strings.Contains(text, `\`) {
		if plain := unescaped(text); c.secrets.Replace(plain) != plain {
			text = plain
		}
	}
	return c.secrets.Replace(text)
}
