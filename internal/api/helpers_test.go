package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
)

const testToken = "tok_3kq9vWmZ71xTestToken"

// step is one scripted response. The zero status is a transport error.
type step struct {
	status  int
	body    string
	header  map[string]string
	err     error // instead of a response
	unsent  bool  // no connection is obtained
	cut     bool  // the body breaks off
	hang    bool  // no response until the context ends
	respond func(*http.Request) step
}

// script plays steps in turn; the last one is repeated.
type script struct {
	mu    sync.Mutex
	steps []step
	seen  []*http.Request
	body  []string
}

func play(steps ...step) *script { return &script{steps: steps} }

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(data)
	}
	s.mu.Lock()
	next := s.steps[min(len(s.seen), len(s.steps)-1)]
	s.seen, s.body = append(s.seen, r), append(s.body, body)
	s.mu.Unlock()
	if next.respond != nil {
		next = next.respond(r)
	}
	return next.roundTrip(r)
}

func (s step) roundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if s.unsent {
		return nil, s.err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if s.hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range s.header {
		header.Set(name, value)
	}
	var body io.Reader = strings.NewReader(s.body)
	if s.cut {
		body = io.MultiReader(body, broken{})
	}
	return &http.Response{StatusCode: s.status, Header: header, Body: io.NopCloser(body), Request: r}, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func ok(body string) step               { return step{status: 200, body: body} }
func status(code int) step              { return step{status: code} }
func rejection(code int, s string) step { return step{status: code, body: s} }

func noRetries(cfg *Config) { cfg.MaxRetries = 0 }

var errReset = errors.New("connection reset by peer")

func newClient(t testing.TB, transport http.RoundTripper, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		Service: "billing", BaseURL: "https://api.example.test", Token: testToken,
		MaxRetries: 4, RetryTimeout: defaultRetryTimeout, Transport: transport,
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	getCustomer    = Request{Operation: "customers.get", Path: map[string]string{"id": "c1"}}
	updateCustomer = Request{Operation: "customers.update", Path: map[string]string{"id": "c1"},
		Body: map[string]string{"name": "x"}}
	deleteCustomer = Request{Operation: "customers.delete", Path: map[string]string{"id": "c1"}}
	syncItems      = Request{Operation: "subscriptions.items.sync", Path: map[string]string{"id": "s1"},
		Body: map[string]any{"items": []int{}}}
	createCustomer = Request{Operation: "customers.create", Body: map[string]string{"name": "x"}}
)

// events records what an observer receives.
type events struct {
	mu                           sync.Mutex
	requests, responses, waiting []Exchange
	fallbacks                    []Exchange
}

func (o *events) Observe(_ context.Context, e Exchange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := map[Event]*[]Exchange{Sending: &o.requests, Received: &o.responses, Waiting: &o.waiting,
		FallingBack: &o.fallbacks}[e.Event]
	*kept = append(*kept, e)
}
