package claims

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// cleanupTime bounds taking away what one claim has made. It runs on its own context, so that an interrupt leaves
// nothing behind.
const cleanupTime = 30 * time.Second

// remember notes what a call made, whatever the claim makes of the response: an
// object that was made against the contract must go too. Of a key the record
// stays, revoked.
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
	// Before its customer, because an account goes with its customer as a closed one that still reads.
	for _, member := range accountIDs[c.path] {
		if id := a.madeID(member); id != "" {
			p.made = append(p.made, accountPath(id))
		}
	}
}

// madeID is the id at path of what a creation made, also where the service returns the object without its envelope.
func (a *response) madeID(path string) string {
	for _, place := range []string{path, strings.TrimPrefix(path, "data.")} {
		if id, ok := a.at(place).(string); ok {
			return id
		}
	}
	return ""
}

// accountIDs are where a creation returns the id of the account that it made.
var accountIDs = map[string][]string{customersPath: {"data.billing_account.id"}, accountsPath: {"data.id"}}

// cleanUp deletes what the claim made, in the opposite order: a customer with a
// live subscription cannot be deleted. What is gone already is fine.
func (p *probe) cleanUp() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), cleanupTime)
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
		// It is live, and perhaps a claim has forbidden to cancel it.
		p.patch(path, object{"allow_cancel": true})
		p.post(path+"/cancel", object{})
		a = p.delete(path)
	}
	if strings.HasPrefix(path, accountsPath) {
		return // one that stays is closed with its customer
	}
	switch gone := a.status == http.StatusNotFound && a.own(); {
	case gone, a.status == http.StatusOK, a.status == http.StatusNoContent:
	default:
		p.failf("clean-up: %s returned %d, so that it stays", a.what, a.status)
	}
}

// stop ends what the claim had running in addition to its requests.
func (p *probe) stop() {
	for _, stop := range slices.Backward(p.stops) {
		stop()
	}
}
