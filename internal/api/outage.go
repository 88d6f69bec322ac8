package api

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// failuresInRow is how many attempts in a row, of all calls together, have to
	// fail before a call that gives up ends the others too.
	failuresInRow = 5
	// unservedTimeout takes the place of defaultRetryTimeout until the service has
	// responded: an address at which nothing ever was is more likely wrong than down.
	unservedTimeout = 20 * time.Second
)

// EarlierError ends a call for a reason that an earlier call of this run has
// met already. One of them is to be shown in full, the others in one line.
type EarlierError struct {
	Service, Operation string
	First              error // the earlier one
	Err                error // of this call; nil when it was not sent because the service does not respond
}

func (e *EarlierError) Error() string {
	return fmt.Sprintf("%s %s failed for the reason that another error of this run explains: %v", e.Service,
		e.Operation, e.First)
}

func (e *EarlierError) Unwrap() error { return e.Err }

// outage is what the calls of one client share about a service that
// does not respond: one call waits for all, and one reports the failure in full.
type outage struct {
	mu      sync.Mutex
	health  map[string]*health // by operation; allOperations is the service as a whole
	first   map[string]error   // by cause: the first error of those that are the same for all objects
	changed chan struct{}      // closed and replaced when those who pause should look again
}

const allOperations = ""

// health is whether an operation, or the service, works.
type health struct {
	worked   time.Time // when it last did; zero: never in this run
	failures int       // attempts since then
	down     error     // of a call that gave up in vain: the others are not sent
}

// unresponsive is the cause of errors that a response of the service ends.
const unresponsive = ""

// both are the health of an operation and of the service.
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

// works notes a response of the service itself.
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

// fails notes an attempt that the service did not respond to.
func (o *outage) fails(operation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(operation) {
		h.failures++
	}
}

// giveUp notes that a call whose attempts have failed since then has ended. When the
// operation, or of the service, has succeeded meanwhile, its other calls end too.
func (o *outage) giveUp(operation string, since time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.both(operation) {
		if h.down == nil && h.failures >= failuresInRow && !h.worked.After(since) {
			h.down = err
			o.wake()
		}
	}
}

// report returns err when it is the first of its cause, and an EarlierError otherwise.
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

// blocked is the error of a call that must not be sent; nil lets it through.
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

func (o *outage) hasServed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.both(allOperations)[0].worked.IsZero()
}

// watch returns a channel that is closed when the service works again, or when
// nothing is to be waited for any more.
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

// note records what one attempt shows about the service as a whole. A 429 says
// nothing, as the limiter deals with it, and a 404 is to be proven first.
func (c *Client) note(k *call, a *response, v verdict) {
	e, _ := AsError(v.err)
	switch {
	case a.status == 0 && !k.interrupted(), a.status >= http.StatusInternalServerError,
		a.status == http.StatusRequestTimeout:
		c.outage.fails(k.operation)
	case v.response != nil && (len(v.response.Body) == 0 || isJSON(v.response.Header)),
		e != nil && e.Structured && a.status != http.StatusUnauthorized && a.status != http.StatusNotFound:
		c.outage.works(k.operation)
	}
}

// retryTimeout is how long a call that fails is repeated.
func (c *Client) retryTimeout() time.Duration {
	switch {
	case c.cfg.RetryTimeout > 0:
		return c.cfg.RetryTimeout
	case c.outage.hasServed():
		return defaultRetryTimeout
	}
	return unservedTimeout
}
