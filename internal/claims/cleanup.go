package claims

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// cleanupTime limits the removal of one claim's objects. It has its own context, so that an interrupted check also
// cleans up.
const cleanupTime = 30 * time.Second

// leftError is the error of a claim that holds, but whose objects remain. Other claims are about deletions.
type leftError struct{ error }

// remember records the object that a call created, whatever the claim expects of the response: an object that was
// created against the contract must be deleted, too. The record of a key stays, revoked.
func (p *probe) remember(c call, a *response) {
	if c.method != http.MethodPost {
		return
	}
	member, pathOf := "data.id", customerPath
	switch {
	case p.finance:
		pathOf = func(id string) string { return recordPath(c.path, id) }
	case c.path == customersPath || c.path == accountsPath:
		member = "data.customer.id"
	case c.path == subscriptionsPath:
		pathOf = subscriptionPath
	case c.path == endpointsPath:
		pathOf = endpointPath
	case c.path == keysPath || strings.HasPrefix(c.path, keysPath+"/") && strings.HasSuffix(c.path, "/rotate"):
		pathOf = keyPath
	default:
		return
	}
	if id := a.madeID(member); id != "" {
		p.made = append(p.made, pathOf(id))
	}
	// Before the customer, because deleting a customer only closes its account, which can still be read.
	for _, member := range accountIDs[c.path] {
		if id := a.madeID(member); id != "" {
			p.made = append(p.made, accountPath(id))
		}
	}
}

// madeID returns the id at path of a created object, also if the service returns it without its envelope.
func (a *response) madeID(path string) string {
	for _, place := range []string{path, strings.TrimPrefix(path, "data.")} {
		if id, ok := a.at(place).(string); ok {
			return id
		}
	}
	return ""
}

// accountIDs maps creations to the path of the created account's id.
var accountIDs = map[string][]string{customersPath: {"data.billing_account.id"}, accountsPath: {"data.id"}}

// cleaning marks the context of requests that belong to no statement.
type cleaning struct{}

// cleanUp deletes the claim's objects in reverse order, because a customer with a live subscription cannot be deleted.
// It ignores objects that no longer exist.
func (p *probe) cleanUp() error {
	ctx := context.WithValue(context.WithoutCancel(p.ctx), cleaning{}, true)
	ctx, cancel := context.WithTimeout(ctx, cleanupTime)
	defer cancel()
	var errs []error
	for _, path := range slices.Backward(p.made) {
		q := &probe{ctx: ctx, target: p.target, client: p.client, keyHeader: p.keyHeader, finance: p.finance, last: p.last}
		q.remove(path)
		errs = append(errs, q.err)
	}
	return errors.Join(errs...)
}

func (p *probe) remove(path string) {
	a := p.delete(path)
	if a.status == http.StatusUnprocessableEntity && strings.HasPrefix(path, subscriptionsPath) {
		// It is live, and a claim may have forbidden to cancel it.
		p.patch(path, object{"allow_cancel": true})
		p.post(path+"/cancel", object{})
		a = p.delete(path)
	}
	if strings.HasPrefix(path, accountsPath) {
		return // a remaining account is closed with its customer
	}
	switch gone := a.status == http.StatusNotFound && a.own(); {
	case gone, a.status == http.StatusOK, a.status == http.StatusNoContent:
	default:
		p.failf("%s returned %d, so the object remains", a.what, a.status)
	}
}

// stop stops what the claim runs in addition to its requests.
func (p *probe) stop() {
	for _, stop := range slices.Backward(p.stops) {
		stop()
	}
}
