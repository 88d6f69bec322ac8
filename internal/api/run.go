package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	backoffBase = time.Second
	backoffCap  = 30 * time.Second
)

// interrupted reports whether the caller has ended the call.
func (k *call) interrupted() bool { return k.waiting.Err() != nil }

// verdict is the meaning of a response for the loop.
type verdict struct {
	response *Response
	err      error
	// again allows another attempt: after the limiter if the response was 429, otherwise within the retry time, after
	// pause.
	again, throttled bool
	// uncertain means that this attempt may have been carried out.
	uncertain bool
	pause     time.Duration
}

// run sends a call until its response is final.
//
// The retry limit is a time, not a number of attempts, because a service that restarts is unavailable for minutes. Only
// 5xx, 408 and transport errors count as retries. A 429 has the same time for itself: it is not a failure, and counting
// it would end a run only because the run is large.
func (c *Client) run(ctx context.Context, k *call) (*Response, error) {
	var throttled *Error
	for failures := 0; ; {
		permit, err := c.admit(ctx, k, throttled)
		if err != nil {
			return nil, c.givenUp(k, err)
		}
		a := c.exchange(ctx, k)
		v := c.judge(ctx, k, a)
		c.note(k, a, v)
		if v.throttled {
			again := throttled != nil
			throttled, _ = AsError(v.err)
			c.limitWait(k, throttled)
			permit.throttled(throttled)
			if again && k.optional {
				// The rate limit may only apply to lists, so other calls need not wait.
				return nil, v.err
			}
			continue
		}
		permit.done()
		if !v.again {
			return v.response, v.err
		}
		if failures == 0 {
			k.failing = time.Now()
		}
		wait, ok := c.nextAttempt(k, failures, v)
		if !ok {
			if !k.optional {
				c.outage.giveUp(k, k.failing, v.err)
			}
			return nil, v.err
		}
		failures++
		k.uncertain = k.uncertain || v.uncertain
		if err := c.backoff(ctx, k, wait, v); err != nil {
			return nil, c.givenUp(k, err)
		}
	}
}

// limitWait sets how long a call waits for the limiter after a 429: retryTimeout since its first one, or, if that asked
// for a longer wait, until a request after that wait.
func (c *Client) limitWait(k *call, e *Error) {
	now := time.Now()
	if k.throttled.IsZero() {
		k.throttled, k.latest = now, now.Add(c.retryTimeout())
		if asked := now.Add(e.RetryAfter + limiterJitterMax); e.RetryAfter > 0 && asked.After(k.latest) {
			k.latest = asked.Add(c.cfg.RequestTimeout) // of another call's probe
		}
	}
	if e.RetryAfter > c.cfg.MaxWait {
		k.latest = now
	}
}

// givenUp returns the error of a call that ends before its next attempt, because of an interrupt or of the failure of
// another call: an earlier attempt may have created an object.
func (c *Client) givenUp(k *call, err error) error {
	k.unsent = !k.uncertain
	if k.unsent || k.route.method != http.MethodPost {
		return err
	}
	return &AmbiguousError{Service: c.cfg.Service, Operation: k.operation, SentAt: k.failing, Err: err}
}

// concluded returns the final error of a call. An error about the service, the token or the network, rather than the
// object, is reported in full only once. An *AmbiguousError is always reported in full.
func (c *Client) concluded(k *call, err error) error {
	switch e := err.(type) { //nolint:errorlint // an *AmbiguousError wraps an *Error, and is something else
	case *Error:
		if first := c.unauthorized.Load(); e.Status == http.StatusUnauthorized && first != e {
			return &EarlierError{Service: c.cfg.Service, Operation: k.operation, First: first, Err: e}
		}
		if e.Status == http.StatusForbidden && len(e.Required) > 0 {
			return c.outage.report(k, c.cfg.Service, strings.Join(e.Required, " "), e)
		}
		if e.lacksRoute() { // it says nothing about other operations
			return c.outage.report(k, c.cfg.Service, "the route of "+k.operation, e)
		}
		if !e.Structured && e.Status != http.StatusUnauthorized || e.Status >= http.StatusInternalServerError {
			return c.outage.report(k, c.cfg.Service, unresponsive, e)
		}
	case *TransportError:
		return c.outage.report(k, c.cfg.Service, unresponsive, e)
	}
	return err
}

// admit waits for the permit to send. A rejected token ends the wait: many requests may wait when the first is
// rejected.
func (c *Client) admit(ctx context.Context, k *call, throttled *Error) (*permit, error) {
	if err := c.stopped(k); err != nil {
		return nil, err
	}
	latest := k.latest
	if end := k.failing.Add(c.retryTimeout()); !k.failing.IsZero() && end.Before(latest) {
		latest = end
	}
	permit, err := c.limiter.enter(k.waiting, latest, func(d time.Duration) {
		c.announce(ctx, k, d, "the service asked to slow down (429)")
	})
	if err != nil {
		return nil, c.notSent(k, throttled, err)
	}
	if err := c.stopped(k); err != nil {
		permit.done()
		return nil, err
	}
	return permit, nil
}

// stopped returns the error of a call that is not sent, because the token was rejected or the service does not respond.
func (c *Client) stopped(k *call) error {
	if first := c.unauthorized.Load(); first != nil {
		return &EarlierError{Service: c.cfg.Service, Operation: k.operation, First: first, Err: first}
	}
	return c.outage.blocked(k, c.cfg.Service)
}

// judge returns the meaning of a response (wire contract: which method may be repeated on what).
func (c *Client) judge(ctx context.Context, k *call, a *attempt) verdict {
	switch {
	case a.status == 0:
		return c.judgeFailure(ctx, k, a, a.connected && !unprocessed(a.err))
	case isSuccess(a.status) && a.err == nil:
		return verdict{response: &Response{
			Status: a.status, Header: a.header, Body: a.body, RequestID: a.requestID(),
			call: k, sentAt: a.sentAt,
		}}
	case isSuccess(a.status):
		return c.judgeFailure(ctx, k, a, true)
	}
	e := c.newError(k, a.status, a.header, a.body)
	switch {
	case a.status == http.StatusUnauthorized:
		if !k.optional { // the next required call reports it in full
			c.unauthorized.CompareAndSwap(nil, e)
		}
		return verdict{err: e}
	case a.status == http.StatusTooManyRequests:
		return verdict{err: e, again: true, throttled: true}
	case !k.repeatable && e.isGateways():
		return verdict{err: c.ambiguous(k, a, e)}
	case a.status != http.StatusRequestTimeout && a.status < 500:
		return verdict{err: e}
	case !k.repeatable:
		return verdict{err: c.ambiguous(k, a, e)}
	}
	return verdict{err: e, again: true, uncertain: true, pause: e.RetryAfter}
}

// isGateways reports whether the response is of a gateway that may have forwarded the request: a redirect, a 499 (the
// connection was closed too early), or a conflict that is not the service's own.
func (e *Error) isGateways() bool {
	const closed = 499
	return e.Status < http.StatusBadRequest || e.Status == closed || e.Status == http.StatusConflict && !e.Structured
}

// judgeFailure returns the meaning of a missing or incomplete response. sent means that the request may have been
// carried out.
func (c *Client) judgeFailure(ctx context.Context, k *call, a *attempt, sent bool) verdict {
	switch {
	case !k.repeatable && sent:
		return verdict{err: c.ambiguous(k, a, a.err)}
	case ctx.Err() != nil:
		return verdict{err: fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, a.err)}
	case errors.Is(a.err, errTooLarge), errors.Is(a.err, errTooDeep), errors.Is(a.err, errMalformed):
		e := c.newError(k, a.status, a.header, nil)
		e.Message = a.err.Error()
		return verdict{err: e}
	}
	return verdict{again: !c.permanent(a.err), uncertain: sent, err: &TransportError{Service: c.cfg.Service,
		Origin: c.cfg.Origin, Operation: k.operation, Attempts: k.sent, Err: a.err}}
}

func (c *Client) ambiguous(k *call, a *attempt, err error) *AmbiguousError {
	return &AmbiguousError{
		Service: c.cfg.Service, Operation: k.operation,
		RequestID: a.requestID(), SentAt: a.sentAt, Err: err,
	}
}

// notSent returns the error of a call that the limiter did not let through. throttled is the call's own 429, if any.
func (c *Client) notSent(k *call, throttled *Error, err error) error {
	var closed *closedError
	if !errors.As(err, &closed) {
		return fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, err)
	}
	if throttled != nil {
		late := *throttled
		late.RetryAt, late.Waited = closed.until, time.Since(k.throttled)
		c.outage.giveUp(k, k.throttled, &late)
		return &late
	}
	late := *closed.cause
	late.RetryAt = closed.until
	return fmt.Errorf("%s %s was not sent, because an earlier request got this response: %w", c.cfg.Service,
		k.operation, &late)
}

// nextAttempt returns the time before the next attempt: full jitter over a doubling span, but at least Retry-After. It
// returns false if the attempts or the time are used up, or if the wait would end too late.
func (c *Client) nextAttempt(k *call, failures int, v verdict) (time.Duration, bool) {
	now := time.Now()
	end := k.failing.Add(c.retryTimeout())
	deadline, limited := k.waiting.Deadline()
	if limited && deadline.Before(end) {
		end = deadline
	}
	if earliest := now.Add(v.pause); v.pause > 0 && earliest.After(end) {
		if e, ok := AsError(v.err); ok {
			e.RetryAt = earliest
		}
		return 0, false
	}
	switch {
	case c.cfg.MaxRetries >= 0 && failures >= c.cfg.MaxRetries:
		if e, ok := AsError(v.err); ok {
			e.Capped = true
		}
		var transport *TransportError
		if errors.As(v.err, &transport) {
			transport.Capped = true
		}
		return 0, false
	case k.optional && !limited && (failures > 0 || errors.Is(v.err, errLate)):
		return 0, false
	case !now.Before(end):
		return 0, false
	}
	delay := max(v.pause, time.Duration(c.random()*float64(doubled(backoffBase, backoffCap, failures+1))))
	return min(delay, end.Sub(now)), true
}

// backoff waits before the next attempt. The wait ends early when the service responds to another call, but not before
// the time that the service requested.
func (c *Client) backoff(ctx context.Context, k *call, delay time.Duration, v verdict) error {
	changed := c.outage.watch()
	if err := c.stopped(k); err != nil {
		return err
	}
	c.announce(ctx, k, delay, "the attempt failed: "+v.err.Error())
	err := pause(k.waiting, v.pause, nil)
	if err == nil {
		err = pause(k.waiting, delay-v.pause, changed)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, err)
	}
	return nil
}

func (c *Client) announce(ctx context.Context, k *call, delay time.Duration, reason string) {
	e := c.describe(k)
	e.Event, e.Delay, e.Reason = Waiting, delay, reason
	c.observer.Observe(ctx, e)
}

// doubled returns base, doubled n-1 times, and at most limit.
func doubled(base, limit time.Duration, n int) time.Duration {
	for ; n > 1 && base < limit; n-- {
		base *= 2
	}
	return min(base, limit)
}

// ended returns nil while ctx runs, and then its error, with its cause if that differs.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// pause waits for d, for wake, or for the end of ctx, whose cause it returns. A zero d still checks ctx; a negative d
// waits without limit.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	var elapsed <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		elapsed = timer.C
	}
	select {
	case <-ctx.Done():
		return ended(ctx)
	case <-elapsed:
		return ended(ctx)
	case <-wake:
		return nil
	}
}
