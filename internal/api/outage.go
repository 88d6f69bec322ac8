package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

const (
	// failuresInRow is how many attempts in a row, of all calls together, have to
	// fail before a call that gives up ends the others too.
	failuresInRow = 5
	// weakRetries is how often a request is repeated after another one of the same
	// operation has used up its time in vain.
	weakRetries = 2
)

// EarlierError ends a call for a reason that an earlier call of this run has
// reported already. It is one line, and the earlier error says what to do.
type EarlierError struct {
	Service, Operation string
	First              error // the earlier one
	Err                error // of this call; nil when it was not sent because the service does not respond
}

// Reported reports whether the run fails for this reason in any case: see MarkReported.
func (e *EarlierError) Reported() bool {
	reported := reportOf(e.First)
	return reported != nil && reported.Load()
}

// MarkReported notes that err was shown as an error of the run, which no later success takes back. Errors of other
// calls with the same cause need not be.
func MarkReported(err error) {
	var earlier *EarlierError
	if errors.As(err, &earlier) {
		err = earlier.First
	}
	if reported := reportOf(err); reported != nil {
		reported.Store(true)
	}
}

func reportOf(err error) *atomic.Bool {
	var transport *TransportError
	if errors.As(err, &transport) {
		return transport.reported
	}
	if e, ok := AsError(err); ok {
		return e.reported
	}
	return nil
}

func (e *EarlierError) Error() string {
	return fmt.Sprintf("%s %s failed for the reason that another error of this run explains: %v", e.Service,
		e.Operation, e.First)
}

func (e *EarlierError) Unwrap() error { return e.Err }

// outage is what the calls of one client share about a service that
// does not respond: one call waits for all, and one reports the failure in full.
type outage struct {
	mu       sync.Mutex
	served   bool            // the service itself has responded at some time
	failures int             // attempts in a row that it did not respond to
	down     error           // of a call that has used up its time: the others do not begin
	first    error           // reported in full since the service responded last
	weak     map[string]bool // operations of which a call used up its time, while others worked
	changed  chan struct{}   // closed and replaced when those who pause should look again
}

// works notes a response of the service itself, after failures or in the first attempt.
func (o *outage) works(operation string, repeated bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	wake := o.failures > 0
	o.served, o.failures, o.down, o.first = true, 0, nil, nil
	if repeated {
		delete(o.weak, operation)
	}
	if wake {
		o.wake()
	}
}

// fails notes an attempt that the service did not respond to.
func (o *outage) fails() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures++
}

// giveUp notes a call that has used up its time or its attempts. Before that ends
// the other calls, one attempt at the list of such objects finds out whether the
// service is down, or just cannot show some objects.
func (c *Client) giveUp(ctx context.Context, k *call, err error) {
	family, verb := split(k.operation)
	list, prepareErr := c.prepare(ctx, Request{Operation: family + ".list", Path: k.path,
		Query: url.Values{"per_page": {"1"}}})
	if c.outage.suspected() && verb != "list" && prepareErr == nil {
		a := c.exchange(ctx, list)
		c.note(list, a, c.judge(ctx, list, a))
	}
	c.outage.givesUp(k.operation, err)
}

// suspected reports whether the service seems to be down.
func (o *outage) suspected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures >= failuresInRow && o.down == nil
}

func (o *outage) givesUp(operation string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failures < failuresInRow {
		if o.weak == nil {
			o.weak = map[string]bool{}
		}
		o.weak[operation] = true
		return
	}
	o.down = err
	o.wake()
}

// report returns err when it is the first of its kind, and one line otherwise.
func (o *outage) report(k *call, service string, err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == nil {
		o.first = err
		return err
	}
	return &EarlierError{Service: service, Operation: k.operation, First: o.first, Err: err}
}

// blocked is the error of a call that must not be sent; nil lets it through.
func (o *outage) blocked(k *call, service string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down == nil {
		return nil
	}
	return &EarlierError{Service: service, Operation: k.operation, First: o.down}
}

func (o *outage) isWeak(operation string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.weak[operation]
}

func (o *outage) hasServed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.served
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
		c.outage.fails()
	case v.response != nil && (len(v.response.Body) == 0 || isJSON(v.response.Header)),
		e != nil && e.Structured && a.status != http.StatusUnauthorized && a.status != http.StatusNotFound:
		c.outage.works(k.operation, !k.failing.IsZero())
	}
}
