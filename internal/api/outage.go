package api

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// failuresInRow is the number of consecutive failed attempts, of all calls together, after which a call that gives up
	// also ends the others.
	failuresInRow = 5
	// unservedTimeout replaces defaultRetryTimeout until the service has responded: before that, the address is more
	// likely wrong than the service down.
	unservedTimeout = 20 * time.Second
)

// EarlierError ends a call for the same reason as an earlier call of this run. The first error should be shown in full,
// the others in one line.
type EarlierError struct {
	Service, Operation string
	First              error // the earlier one
	Err                error // of this call; nil if it was not sent because the service does not respond
}

func (e *EarlierError) Error() string {
	return fmt.Sprintf("%s %s failed for the same reason as another error of this run: %v", e.Service,
		e.Operation, e.First)
}

func (e *EarlierError) Unwrap() error { return e.Err }

// outage is the state that calls of one client share about a service that does not respond: one call waits for all, and
// one reports the failure in full.
type outage struct {
	mu      sync.Mutex
	health  map[string]*health // by operation; allOperations is the whole service
	first   map[string]error   // by cause: the first of the errors that are the same for all objects
	changed chan struct{}      // closed and replaced when paused calls should check again
	served  atomic.Bool        // the service itself has responded, with any status
}

const allOperations = ""

// health is the state of an operation or of the service.
type health struct {
	worked   time.Time // last success; zero: none in this run
	failures int       // attempts since then
	down     error     // of a call that gave up: other calls are not sent
}

// unresponsive is the cause of errors that end with a response of the service.
const unresponsive = ""

// both returns the health of an operation and of the service.
func (o *outage) both(operation string) [2]*health {
	if o.health == nil {
		o.health = map[string]*health{}
	}
	var both [2]*health
	for i, key := range []string{operation, allOperations} {
		if o.health[key] == nil {
			o.health[key] = &health{}
		}
		both[i] = o.health[key]
	}
	return both
}

func (o *outage) works(operation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(operation) {
		if h.failures > 0 {
			o.wake()
		}
		*h = health{worked: time.Now()}
	}
	delete(o.first, unresponsive)
}

// fails records an attempt without a response of the service.
func (o *outage) fails(operation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(operation) {
		h.failures++
	}
}

// giveUp records the end of a call whose attempts have failed, or got 429, since then. Other calls of the operation, or
// of the service, end too, unless one has succeeded since.
func (o *outage) giveUp(k *call, since time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(k.operation) {
		if h.down == nil && max(h.failures, k.sent) >= failuresInRow && !h.worked.After(since) {
			h.down = err
			o.wake()
		}
	}
}

// report returns err if it is the first with its cause, and otherwise an EarlierError.
func (o *outage) report(k *call, service, cause string, err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if first, known := o.first[cause]; known {
		return &EarlierError{Service: service, Operation: k.operation, First: first, Err: err}
	}
	if o.first == nil {
		o.first = map[string]error{}
	}
	o.first[cause] = err
	return err
}

// blocked returns the error of a call that must not be sent, or nil.
func (o *outage) blocked(k *call, service string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(k.operation) {
		if h.down != nil {
			return &EarlierError{Service: service, Operation: k.operation, First: h.down}
		}
	}
	return nil
}

// watch returns a channel that is closed when the service works again, or when waiting no longer makes sense.
func (o *outage) watch() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

func (o *outage) wake() {
	if o.changed != nil {
		close(o.changed)
	}
	o.changed = make(chan struct{})
}

// note records what one attempt shows about the service. A 429 is not a failure, because the limiter handles it, and a
// 404 is not yet proven.
func (c *Client) note(k *call, a *attempt, v verdict) {
	e, _ := AsError(v.err)
	ok := v.response != nil && (len(v.response.Body) == 0 || isJSON(v.response.Header))
	own := e != nil && e.Structured
	if ok || own || v.throttled {
		c.outage.served.Store(true)
	}
	switch {
	case v.throttled:
	case a.status == 0 && !k.interrupted(), a.status >= http.StatusInternalServerError,
		a.status == http.StatusRequestTimeout:
		c.outage.fails(k.operation)
	case ok, own && a.status != http.StatusUnauthorized && !e.Missing():
		c.outage.works(k.operation)
	}
}

// retryTimeout is the maximum time to repeat a failing call.
func (c *Client) retryTimeout() time.Duration {
	switch {
	case c.cfg.RetryTimeout > 0:
		return c.cfg.RetryTimeout
	case c.outage.served.Load():
		return defaultRetryTimeout
	}
	return unservedTimeout
}
