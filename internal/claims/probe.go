package claims

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// maxResponseBytes bounds what a claim reads of one response.
const maxResponseBytes = 8 << 20

// object is a JSON object to send.
type object = map[string]any

// probe carries one claim's conversation with the target. Its first failure
// sticks: later calls do nothing, so that a check reads as a list of steps and
// the error that is reported is the one that came first.
type probe struct {
	ctx    context.Context
	target Target
	client *http.Client
	err    error
	made   []string // paths of the objects to delete at the end, the last one first
	stops  []func() // what to end after that

	keyHeader string // carries the bare token, instead of Authorization
	merges    bool   // has merged custom_metadata
	finance   bool   // speaks to financial management, where every creation creates a record

	last    *evidence.Exchange // what was sent and received last, for the report of a failure
	secrets []string           // what no report may contain
}

// claim builds a [Claim] from a check in steps.
func claim(number int, source, text string, check func(*probe)) Claim {
	return Claim{
		Number: number, Source: source, Text: text, Service: Billing,
		Check: func(ctx context.Context, target Target) error {
			p := newProbe(ctx, target)
			defer p.stop()
			check(p)
			return errors.Join(p.masked(p.err), p.masked(p.cleanUp()))
		},
	}
}

func newProbe(ctx context.Context, target Target) *probe {
	client := http.Client{}
	if target.Client != nil {
		client = *target.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &probe{ctx: ctx, target: target, client: &client, secrets: target.secrets()}
}

// failf records the claim's failure unless there already is one.
func (p *probe) failf(format string, args ...any) {
	if p.err == nil {
		p.err = &Failure{err: fmt.Errorf(format, args...), Exchange: p.last}
	}
}

// call is one request. The zero token is the target's own.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any    // sent as JSON
	raw          string // sent as it is, instead of body
	token        string
	anonymous    bool // no token at all
}

// maxWaits is how often a call is repeated that the service has rejected with 429.
const maxWaits = 5

// send does the call. It never returns nil, and a response without content after
// a failure. A call that is rejected with 429 is repeated: it has done nothing.
func (p *probe) send(c call) *response {
	a := p.sendOnce(c)
	for range maxWaits {
		if a.status != http.StatusTooManyRequests || !p.wait(a.header.Get("Retry-After")) {
			break
		}
		a = p.sendOnce(c)
	}
	p.remember(c, a)
	return a
}

// wait pauses for as many seconds as the service asked for. It returns false when the context ends first.
func (p *probe) wait(retryAfter string) bool {
	seconds, err := strconv.Atoi(retryAfter)
	if err != nil {
		seconds = 1
	}
	timer := time.NewTimer(min(time.Duration(seconds)*time.Second, patience))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *probe) sendOnce(c call) *response {
	a := &response{p: p, what: c.method + " " + c.path}
	if p.err != nil {
		return a
	}
	if p.target.BaseURL == "" {
		p.failf("%w: recurring billing", ErrNotGiven)
		return a
	}
	request, body, err := p.request(c)
	if err != nil {
		p.failf("%s: %w", a.what, err)
		return a
	}
	a.exchange = p.noteRequest(request, c, body)
	p.last = a.exchange
	response, err := p.client.Do(request)
	if err != nil {
		left := ""
		if c.method == http.MethodPost {
			left = "; what it has created, if anything, stays"
		}
		p.failf("%s: %w%s", a.what, err, left)
		return a
	}
	defer response.Body.Close()
	a.status, a.header, a.tls = response.StatusCode, response.Header, response.TLS
	a.raw, err = io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		p.failf("%s: reading the response: %w", a.what, err)
		return a
	}
	a.decode()
	p.noteResponse(a)
	a.normalize(c)
	if scopes := a.lacking(); scopes != nil && c.token == "" && !c.anonymous {
		p.failf("%w", &ScopeError{Scopes: scopes})
	}
	return a
}

func (p *probe) request(c call) (*http.Request, []byte, error) {
	body := []byte(c.raw)
	if c.body != nil {
		var err error
		if body, err = json.Marshal(c.body); err != nil {
			return nil, nil, err
		}
	}
	method, path := p.target.route(c.method, c.path, p.finance)
	address := strings.TrimSuffix(p.target.BaseURL, "/") + path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(p.ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if !c.anonymous {
		p.authorize(request, cmp.Or(c.token, p.target.Token))
	}
	for name, values := range c.header {
		request.Header[name] = values
	}
	return request, body, nil
}

func (p *probe) authorize(request *http.Request, token string) {
	if p.keyHeader != "" {
		request.Header.Set(p.keyHeader, token)
		return
	}
	request.Header.Set("Authorization", "Bearer "+token)
}

func (p *probe) get(path string, query ...string) *response {
	return p.send(call{method: http.MethodGet, path: path, query: pairs(query)})
}

func (p *probe) post(path string, body object) *response {
	return p.send(call{method: http.MethodPost, path: path, body: body})
}

// do is a step that is sent without a body.
func (p *probe) do(path string) *response {
	return p.send(call{method: http.MethodPost, path: path})
}

func (p *probe) patch(path string, body object) *response {
	p.merges = p.merges || body["custom_metadata_mode"] == "merge"
	return p.send(call{method: http.MethodPatch, path: path, body: body})
}

func (p *probe) put(path string, body object) *response {
	return p.send(call{method: http.MethodPut, path: path, body: body})
}

func (p *probe) delete(path string) *response {
	return p.send(call{method: http.MethodDelete, path: path})
}

// pairs turns "name", "value", … into a query.
func pairs(namesAndValues []string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		query.Set(namesAndValues[i], namesAndValues[i+1])
	}
	return query
}

// unique is a lowercase word that nothing else in the target holds.
func unique() string { return "claim" + strings.ToLower(rand.Text()) }
