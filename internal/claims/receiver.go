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

// hears returns a receiver. All receivers of a claim share one address, under different paths.
func (p *probe) hears() *receiver {
	r := &receiver{path: "/" + unique(), ears: &ears{responses: map[string]http.HandlerFunc{}}}
	if p.ears == nil && p.target.Receive == nil {
		p.failf("%w: a receiver that the service can reach", ErrNotGiven)
		return r
	}
	if p.ears == nil {
		url, stop, err := p.target.Receive(p.ctx, r.ears)
		if err != nil {
			p.failf("starting a receiver: %w", err)
			return r
		}
		p.stops = append(p.stops, stop)
		p.ears, r.ears.url = r.ears, url
	}
	r.ears = p.ears
	return r
}

// received is one request that reached the receiver.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// ears are where all receivers of a claim get requests. A response is an empty 200, unless another one is set.
type ears struct {
	url string

	mu        sync.Mutex
	got       []received
	responses map[string]http.HandlerFunc // by path
}

func (e *ears) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxResponseBytes))
	if err != nil {
		return // the sender has disconnected
	}
	e.mu.Lock()
	e.got = append(e.got, received{request.URL.Path, request.Header.Clone(), body})
	response := e.responses[request.URL.Path]
	e.mu.Unlock()
	if response != nil {
		response(w, request)
	}
}

// receiver receives the webhooks of one path.
type receiver struct {
	*ears

	path string
}

// respondWith sets the response of the receiver from now on.
func (r *receiver) respondWith(response http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.responses[r.path] = response
}

// status returns a response with an empty body.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// all returns the received requests in their order.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.got), func(one received) bool { return one.path != r.path })
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
