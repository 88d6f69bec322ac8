package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	backoffBase = time.Second
	backoffCap  = 30 * time.Second
)

// verdict is what an answer means for the loop.
type verdict struct {
	response *Response
	err      error
	// again says that the request may be sent once more: after the gate when
	// the answer was 429, else on the budget, not before pause has passed.
	again, throttled bool
	pause            time.Duration
}

// run sends a call until its answer is final.
//
// Only 5xx, 408 and transport errors are on the budget. A 429 is not: it says
// when to come back, not that something is wrong, and a budget that counted it
// would end a large run for being large.
func (c *Client) run(ctx context.Context, k *call) (*Response, error) {
	var throttled *Error
	for failures := 0; ; {
		pass, err := c.admit(ctx, k, throttled)
		if err != nil {
			return nil, err
		}
		a := c.exchange(ctx, k)
		v := c.judge(ctx, k, a)
		if v.throttled {
			throttled, _ = AsError(v.err)
			pass.throttled(throttled)
			continue
		}
		pass.done(a.status)
		if !v.again || failures >= c.cfg.MaxRetries {
			return v.response, v.err
		}
		failures++
		k.uncertain = k.uncertain || a.connected
		if err := c.backoff(ctx, k, failures, v); err != nil {
			return nil, err
		}
	}
}

// admit waits for the leave to send. A token that was refused, before or during
// the wait, ends it: many requests may wait when the first one learns of it.
func (c *Client) admit(ctx context.Context, k *call, throttled *Error) (*pass, error) {
	if refused := c.refused.Load(); refused != nil {
		return nil, refused
	}
	pass, err := c.gate.enter(k.waiting, k.latest, func(d time.Duration) {
		c.announce(ctx, k, d, "the service asked to slow down (429)")
	})
	if err != nil {
		return nil, c.notSent(k, throttled, err)
	}
	if refused := c.refused.Load(); refused != nil {
		pass.done(http.StatusUnauthorized)
		return nil, refused
	}
	return pass, nil
}

// judge decides what an answer means (wire contract: which method may be
// repeated on what).
func (c *Client) judge(ctx context.Context, k *call, a *answer) verdict {
	switch {
	case a.status == 0:
		return c.judgeNoAnswer(ctx, k, a)
	case isSuccess(a.status):
		return c.judgeSuccess(ctx, k, a)
	}
	e := c.newError(k, a.status, a.header, a.body)
	switch {
	case a.status == http.StatusTooManyRequests:
		return verdict{err: e, again: true, throttled: true}
	case a.status == http.StatusUnauthorized:
		c.refused.CompareAndSwap(nil, e)
		return verdict{err: e}
	case a.status != http.StatusRequestTimeout && a.status < 500:
		return verdict{err: e}
	case !k.repeatable:
		return verdict{err: c.ambiguous(k, a, e)}
	}
	return verdict{err: e, again: true, pause: e.RetryAfter}
}

func (c *Client) judgeNoAnswer(ctx context.Context, k *call, a *answer) verdict {
	switch {
	case !k.repeatable && a.connected:
		return verdict{err: c.ambiguous(k, a, a.err)}
	case ctx.Err() != nil:
		return verdict{err: fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, a.err)}
	}
	err := &TransportError{Service: c.cfg.Service, Operation: k.operation, Attempts: k.sent, Err: a.err}
	return verdict{err: err, again: !permanent(a.err)}
}

func (c *Client) judgeSuccess(ctx context.Context, k *call, a *answer) verdict {
	if a.err == nil {
		return verdict{response: &Response{
			Status: a.status, Header: a.header, Body: a.body, RequestID: a.requestID(),
			call: k, sentAt: a.sentAt,
		}}
	}
	if !k.repeatable {
		return verdict{err: c.ambiguous(k, a, a.err)}
	}
	if ctx.Err() != nil {
		return verdict{err: fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, a.err)}
	}
	if errors.Is(a.err, errTooLarge) || errors.Is(a.err, errTooDeep) || errors.Is(a.err, errMalformed) {
		e := c.newError(k, a.status, a.header, nil)
		e.Message = a.err.Error()
		return verdict{err: e}
	}
	err := &TransportError{Service: c.cfg.Service, Operation: k.operation, Attempts: k.sent, Err: a.err}
	return verdict{err: err, again: true}
}

// permanent says that the next seconds will not change this error: the peer is
// not who it should be, or does not speak TLS.
func permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &record)
}

func (c *Client) ambiguous(k *call, a *answer, err error) *AmbiguousError {
	return &AmbiguousError{
		Service: c.cfg.Service, Operation: k.operation,
		RequestID: a.requestID(), SentAt: a.sentAt, Err: err,
	}
}

// notSent words why the gate did not let a call through.
func (c *Client) notSent(k *call, throttled *Error, err error) error {
	var closed *closedError
	if !errors.As(err, &closed) {
		return fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, err)
	}
	if throttled != nil {
		late := *throttled
		late.RetryAt = closed.until
		return &late
	}
	late := *closed.cause
	late.RetryAt = closed.until
	return fmt.Errorf("%s %s was not sent, because an earlier request was answered: %w", c.cfg.Service, k.operation, &late)
}

// backoff waits before the next attempt: full jitter on a doubling span, with
// Retry-After as the floor. When the wait cannot end in time it fails now, with
// the error that made it wait.
func (c *Client) backoff(ctx context.Context, k *call, failures int, v verdict) error {
	delay := max(v.pause, time.Duration(c.random()*float64(doubled(backoffBase, backoffCap, failures))))
	wake := time.Now().Add(delay)
	if deadline, ok := k.waiting.Deadline(); ok && wake.After(deadline) || wake.After(k.latest) {
		if e, ok := AsError(v.err); ok && v.pause > 0 {
			e.RetryAt = wake
		}
		return v.err
	}
	c.announce(ctx, k, delay, "the attempt failed: "+v.err.Error())
	if err := pause(k.waiting, delay, nil); err != nil {
		return fmt.Errorf("%s %s: %w", c.cfg.Service, k.operation, err)
	}
	return nil
}

func (c *Client) announce(ctx context.Context, k *call, delay time.Duration, reason string) {
	e := c.describe(k)
	e.Delay, e.Reason = delay, reason
	c.observer.Waiting(ctx, e)
}

// doubled is base, doubled n-1 times, and at most limit.
func doubled(base, limit time.Duration, n int) time.Duration {
	for ; n > 1 && base < limit; n-- {
		base *= 2
	}
	return min(base, limit)
}

// ended is nil while ctx runs, and then the error it ended with, together with
// its cause when that says more.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// pause waits for d, for wake, or for the end of ctx, whose cause it returns.
// No time at all is still a look at ctx; a negative d waits without limit.
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
