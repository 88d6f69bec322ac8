package conn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// longestBind limits how long the result of a creation waits for the organization. Only one creation per run waits.
const longestBind = 2 * time.Second

// organization is the organization of the token of recurring billing.
type organization struct {
	mu      sync.Mutex // never held during a request
	current *question

	// waited is set after a creation has waited in vain; the others do not wait.
	waited atomic.Bool
	// foreign is set when an object of another organization was found in this run, undecided when this could not be
	// determined: each is reported once.
	foreign, undecided atomic.Bool
}

// question is one request for the organization. Any number of callers may wait for it.
type question struct {
	done  chan struct{}
	owner *billing.Organization
	err   error
}

// answered reports whether the request has ended.
func (q *question) answered() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// ask returns this run's request for the organization, and sends it if there is none yet. It does not wait, and the
// request does not end with ctx, because others may wait for it: it ends after billing.TryTime, or for a guard after
// the provider's retry_timeout.
func (c *Conn) ask(ctx context.Context, guard bool) *question {
	o := &c.organization
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.current != nil {
		return o.current
	}
	q := &question{done: make(chan struct{})}
	o.current = q
	go func() {
		defer close(q.done)
		send := c.Billing.Client.TryMe
		if guard {
			send = c.Billing.Client.Me
		}
		q.owner, q.err = send(context.WithoutCancel(ctx))
	}()
	return q
}

// wait returns the organization, or the error of the request or of ctx, also after ctx if it is known.
func (q *question) wait(ctx context.Context) (*billing.Organization, error) {
	select {
	case <-q.done:
	case <-ctx.Done():
		if !q.answered() {
			return nil, context.Cause(ctx)
		}
	}
	return q.owner, q.err
}

// Organization returns the organization of the token of recurring billing for a guard, with one request per run.
func (c *Conn) Organization(ctx context.Context) (*billing.Organization, error) {
	return c.ask(ctx, true).wait(ctx)
}

// OrganizationID returns the id of the token's organization, which is that of each new object; "" if the service does
// not respond within longestBind, or did not for an earlier creation.
func (c *Conn) OrganizationID(ctx context.Context) string {
	q := c.ask(ctx, false)
	if !q.answered() && c.organization.waited.Load() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, longestBind)
	defer cancel()
	owner, err := q.wait(ctx)
	if err != nil {
		c.organization.waited.Store(true)
		return ""
	}
	return owner.ID
}

// Foreign reports whether an object of another organization was found in this run.
func (c *Conn) Foreign() bool { return c.organization.foreign.Load() }

// Undecided reports whether the token's organization could not be determined in this run.
func (c *Conn) Undecided() bool {
	o := &c.organization
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.current != nil && o.current.answered() && o.current.err != nil
}

// Doubt is what to do if the token's organization cannot be determined.
type Doubt bool

const (
	// DoubtStops makes it an error, because the object would be removed from the state for a 404.
	DoubtStops Doubt = true
	// DoubtPasses treats the object as one of the token's organization.
	DoubtPasses Doubt = false
)

// CheckOrganization reports whether an object of that organization and the token belong to different organizations. It
// adds one error per run, for the first such object: one cause, one error. cause is the reason in a few words.
func (c *Conn) CheckOrganization(ctx context.Context, organizationID, object string, d Doubt, diags *diag.Diagnostics) (
	cause string, foreign bool) {
	o := &c.organization
	owner, err := c.ask(ctx, false).wait(ctx)
	switch {
	case err != nil && d == DoubtPasses:
		return "", false
	case err != nil:
		switch first := o.undecided.CompareAndSwap(false, true); {
		case first && errors.Is(err, billing.ErrNoMe):
			diags.AddError("Could not determine the organization of the token for "+object, fmt.Sprintf("The service does not "+
				"show the object, and %s. The token may belong to another organization, so the object stays in the state. Try "+
				"again. If you set the guard environment, the provider waits for the response for as long as retry_timeout.", err))
		case first:
			apidiag.Add(diags, err, apidiag.Operation{Verb: "determine the organization of the token for", Object: object})
		}
		return "the organization of the token could not be determined; the object belongs to " + organizationID, true
	case same.ID(owner.ID, organizationID):
		return "", false
	case o.foreign.CompareAndSwap(false, true):
		diags.AddError(fmt.Sprintf("The token belongs to organization %s, but this state to organization %s", owner.ID,
			organizationID),
			fmt.Sprintf("%s belongs to organization %s, whose objects a token of %s (%q) cannot access. Nothing was planned or "+
				"changed. Set token, or BILLING_TOKEN, to a token of the former, or check which provider configuration (alias) "+
				"the resource uses.", apidiag.Capitalize(object), organizationID, owner.ID, owner.Name))
	}
	return fmt.Sprintf("the token belongs to organization %s, but the object to %s", owner.ID, organizationID), true
}
