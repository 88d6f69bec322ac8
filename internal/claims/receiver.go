package claims

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// patience limits the wait for an asynchronous effect of a request.
	patience = 30 * time.Second
	// pollEvery is the time between two polls.
	pollEvery = 50 * time.Millisecond
)

// receiving prevents a check that needs deliveries from creating objects if the service cannot reach a receiver.
func receiving(check func(*probe, *receiver)) func(*probe) {
	return func(p *probe) {
		if p.target.Receive == nil {
			p.failf("%w: a receiver that the service can reach", ErrNotGiven)
			return
		}
		r := &receiver{}
		url, stop, err := p.target.Receive(p.ctx, r)
		if err != nil {
			p.failf("starting a receiver: %w", err)
			return
		}
		p.stops = append(p.stops, stop)
		r.url = url
		check(p, r)
	}
}

// received is one request that reached the receiver.
type received struct {
	method string
	path   string
	header http.Header
	body   []byte
}

// receiver receives webhooks. It records requests and returns 200, unless another response is set.
type receiver struct {
	url string

	mu       sync.Mutex
	got      []received
	response http.HandlerFunc // nil is an empty 200
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxResponseBytes))
	if err != nil {
		return // the sender has disconnected
	}
	r.mu.Lock()
	r.got = append(r.got, received{request.Method, request.URL.Path, request.Header.Clone(), body})
	response := r.response
	r.mu.Unlock()
	if response != nil {
		response(w, request)
	}
}

// respondWith sets the response of the receiver from now on.
func (r *receiver) respondWith(response http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.response = response
}

// status returns a response with an empty body.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// all returns the received requests in their order.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// of returns the received requests of one event.
func (r *receiver) of(event string) []received {
	return slices.DeleteFunc(r.all(), func(one received) bool { return one.header.Get("X-Webhook-Event") != event })
}

// awaitNth waits for n requests, and returns the last one.
func (p *probe) awaitNth(r *receiver, n int) received {
	return p.await(n, r.all)
}

// await returns an empty request after a failure.
func (p *probe) await(n int, come func() []received) received {
	p.eventually(func() error {
		if got := come(); len(got) < n {
			return fmt.Errorf("received %d deliveries, want %d", len(got), n)
		}
		return nil
	})
	if p.err != nil {
		return received{}
	}
	return come()[n-1]
}

// eventually polls until look returns nil. At the end of the wait, its error is the claim's failure.
func (p *probe) eventually(look func() error) {
	if p.err != nil {
		return
	}
	if p.target.Settle != nil {
		if err := p.target.Settle(p.ctx); err != nil {
			p.failf("waiting for due deliveries: %w", err)
		} else if err := look(); err != nil {
			p.failf("%w", err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		wrong := look()
		if wrong == nil || p.err != nil {
			return
		}
		select {
		case <-ctx.Done():
			p.failf("%w: %w", wrong, ctx.Err())
			return
		case <-ticker.C:
		}
	}
}
