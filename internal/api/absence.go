package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// proofAge is how long a list that was read proves that the service itself responds. It is short because a proxy can
// take over in the middle of a run.
const proofAge = 10 * time.Second

// absence caches the proofs that a 404 comes from the service itself. It may also come from a gateway without the
// route, another host at the address, or a service that is being deployed.
type absence struct {
	mu     sync.Mutex
	proofs map[string]*proof // by path of the list
}

type proof struct {
	permit chan struct{} // capacity 1: one request proves, and the others wait for it
	at     time.Time
	signed bool // the response had a Request-Id
}

func (a *absence) of(path string) *proof {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proofs == nil {
		a.proofs = map[string]*proof{}
	}
	p, ok := a.proofs[path]
	if !ok {
		p = &proof{permit: make(chan struct{}, 1)}
		a.proofs[path] = p
	}
	return p
}

// verifyAbsence keeps a 404 structured only if the list of the same kind of object can be read. An unproven 404 does
// not prove that the object is gone.
func (c *Client) verifyAbsence(ctx context.Context, k *call, e *Error) {
	if !operations[k.operation].ends || !IsNotFound(e) {
		return
	}
	err := c.proveService(ctx, k, e)
	if err == nil {
		return
	}
	e.Structured = false
	e.Message = c.scrub(fmt.Sprintf("%s. This does not prove that the object is gone: %s",
		strings.TrimRight(e.Message, "."), err))
}

// proveService reads one page of the list that contains the object of a call, unless it was read within proofAge.
func (c *Client) proveService(ctx context.Context, k *call, e *Error) error {
	family, _ := split(k.operation)
	query := url.Values{"per_page": {"1"}}
	if strings.HasPrefix(family, "finance.") {
		query = url.Values{"limit": {"1"}}
	}
	asked, err := c.prepare(ctx, Request{Operation: family + ".list", Path: k.path, Query: query, Optional: k.optional})
	if err != nil {
		return err
	}
	p := c.absence.of(asked.resourcePath)
	select {
	case p.permit <- struct{}{}:
		defer func() { <-p.permit }()
	case <-ctx.Done():
		return ended(ctx)
	}
	if p.at.IsZero() || time.Since(p.at) > proofAge {
		response, err := c.run(ctx, asked)
		if err == nil {
			_, err = decodePage[struct{}](response)
		}
		if err != nil {
			// Not wrapped, or it would be taken for the response to the request itself.
			return errors.New("such objects could not be listed either: " + err.Error())
		}
		p.at, p.signed = response.sentAt, response.RequestID != ""
	}
	if p.signed && e.RequestID == "" {
		return errors.New("the service's responses carry a Request-Id, and this one does not")
	}
	return nil
}

// split separates the name of an operation into the kind of object and the action.
func split(operation string) (family, verb string) {
	dot := strings.LastIndexByte(operation, '.')
	return operation[:dot], operation[dot+1:]
}

// isGone reads the object of a deletion, and reports whether the service indicates that it does not exist or has ended.
// A read may lag behind the deletion.
func isGone[T any](ctx context.Context, c *Client, deletion Request, ended func(T) bool) bool {
	family, _ := split(deletion.Operation)
	object, err := Again(ctx, func(ctx context.Context) (T, error) {
		return One[T](ctx, c, Request{Operation: family + ".get", Path: deletion.Path})
	}, func(object T, err error) bool { return err == nil && !ended(object) })
	return IsNotFound(err) || err == nil && ended(object)
}
