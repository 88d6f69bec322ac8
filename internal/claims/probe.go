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

// maxResponseBytes limits how much of a response a claim reads.
const maxResponseBytes = 8 << 20

// object is a JSON object to send.
type object = map[string]any

// probe sends the requests of one claim. After its first failure, later calls do nothing, so that a check reads as a
// list of steps, and the first error is reported.
type probe struct {
	ctx    context.Context
	target Target
	client *http.Client
	err    error
	made   []string // paths of the objects to delete at the end, in reverse order
	stops  []func() // functions to call after that
	ears   *ears    // where its receivers listen; nil if it has none

	keyHeader string // header for the bare token, instead of Authorization
	merges    bool   // set after a merge of custom_metadata
	finance   bool   // sends to financial management, where every creation creates a record
	sent      int    // number of requests

	source string          // of the claim, in lower case
	unread string          // path of the object that the last request has changed
	seen   map[string]seen // objects in responses since the last change, by type, id and time of update

	last    *evidence.Exchange // the last request and response, for the report of a failure
	secrets []string           // must not be in a report
}

// inSteps returns a check whose probe sends to that service. The shapes of the operations that the source names are
// compared.
func inSteps(service Service, source string, check func(*probe)) func(context.Context, Target) error {
	return func(ctx context.Context, target Target) error {
		p := newProbe(ctx, target)
		p.source = strings.ToLower(source)
		defer p.stop()
		if p.speakTo(service); p.err == nil {
			check(p)
			p.readBack()
		}
		err, left := p.masked(p.err), p.masked(p.cleanUp())
		if err == nil && left != nil {
			return &leftError{left}
		}
		return errors.Join(err, left)
	}
}

// speakTo makes the probe send to a service, with its token.
func (p *probe) speakTo(service Service) {
	switch service {
	case Finance:
		p.target.BaseURL, p.target.Token = p.target.FinanceBaseURL, p.target.FinanceToken
		p.finance = true
	case Collections:
		p.target.BaseURL, p.target.Token = p.target.CollectionsBaseURL, p.target.CollectionsAPIKey
		p.keyHeader = p.target.CollectionsAuthHeader
	case Billing:
	}
	if p.target.BaseURL == "" {
		p.failf("%w: %s", ErrNotGiven, service)
	}
}

func newProbe(ctx context.Context, target Target) *probe {
	client := http.Client{}
	if target.Client != nil {
		client = *target.Client
	}
	if target.ReadOnly {
		client.Transport = onlyGET{client.Transport}
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &probe{ctx: ctx, target: target, client: &client, secrets: target.secrets()}
}

// failf records the claim's failure, unless there already is one.
func (p *probe) failf(format string, args ...any) {
	if p.err == nil {
		if p.target.ReadOnly {
			args = withoutData(args)
		}
		p.err = &Failure{err: fmt.Errorf(format, args...), Exchange: p.last}
	}
}

// call is one request. A zero token means the target's own.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any    // sent as JSON
	raw          string // sent unchanged, instead of body
	token        string
	anonymous    bool // no token at all
}

// maxWaits is the maximum number of retries after 429.
const maxWaits = 5

// send sends the request. It never returns nil; after a failure the response is empty. A request that was rejected with
// 429 is repeated, because it had no effect.
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

// wait pauses for the requested number of seconds. It returns false if the context ends first.
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
	if p.sent++; p.target.ReadOnly && p.sent > MostReads {
		p.failf("%w: a result within %d requests", ErrNotGiven, MostReads)
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
			left = "; an object that it has created remains"
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
	a.judge(c)
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

// do sends a POST request without a body.
func (p *probe) do(path string) *response {
	return p.send(call{method: http.MethodPost, path: path})
}

func (p *probe) patch(path string, body object) *response {
	p.merges = p.merges || body["custom_metadata_mode"] == "merge"
	return p.send(call{method: http.MethodPatch, path: path, body: body})
}

func (p *probe) delete(path string) *response {
	return p.send(call{method: http.MethodDelete, path: path})
}

// pairs converts "name", "value", … to a query.
func pairs(namesAndValues []string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		query.Set(namesAndValues[i], namesAndValues[i+1])
	}
	return query
}

// unique returns a lowercase word that is unique in the target.
func unique() string { return "claim" + strings.ToLower(rand.Text()) }
