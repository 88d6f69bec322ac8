package conn

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

const (
	// longestBind bounds how long the result of a creation waits for the organization. It is waited for once in a run.
	longestBind = 2 * time.Second
	// longestDoubt bounds the question whom the token belongs to where something can continue without the answer.
	longestDoubt = 10 * time.Second
)

// organization is whom the token of recurring billing belongs to.
type organization struct {
	mu      sync.Mutex // never held during a request
	current *question

	// waited is set after a creation has waited in vain; no other one waits.
	waited atomic.Bool
	// foreign is set after an object of another organization was found in this run, and undecided after this could not
	// be found out for one: each is reported once.
	foreign, undecided atomic.Bool
}

// question is one request for the organization, which any number of callers wait for.
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

// ask returns the request of this run for the organization, and sends it first where there is none. again sends
// another one after one that has failed. It does not wait, and the request does not end with ctx: others wait for it.
func (c *Conn) ask(ctx context.Context, again bool) *question {
	o := &c.organization
	o.mu.Lock()
	defer o.mu.Unlock()
	if q := o.current; q != nil && !(again && q.answered() && q.err != nil) {
		return q
	}
	q := &question{done: make(chan struct{})}
	o.current = q
	go func() {
		defer close(q.done)
		q.owner, q.err = c.Billing.Client.Me(context.WithoutCancel(ctx))
	}()
	return q
}

// wait returns the organization, or the error of the request or of ctx.
func (q *question) wait(ctx context.Context) (*billing.Organization, error) {
	select {
	case <-q.done:
		return q.owner, q.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Organization returns the organization that the token of recurring billing belongs to. The service is asked once in a
// run, and again after a failure.
func (c *Conn) Organization(ctx context.Context) (*billing.Organization, error) {
	return c.ask(ctx, true).wait(ctx)
}

// OrganizationID is the id of the organization that the token, and with it each new object, belongs to; "" where the
// service does not say within longestBind, or has not said so to an earlier creation.
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

// Doubt says what happens where the service does not say whom the token belongs to.
type Doubt bool

const (
	// DoubtStops makes it an error, because the object would leave the state.
	DoubtStops Doubt = true
	// DoubtPasses takes the object for one of the token's organization.
	DoubtPasses Doubt = false
)

// CheckOrganization reports whether an object, of the organization with that id, belongs to another one than the token.
// It adds one error in a run, for the first such object: one cause, one error. cause is the reason in a few words.
func (c *Conn) CheckOrganization(ctx context.Context, organizationID, object string, d Doubt, diags *diag.Diagnostics) (
	cause string, foreign bool) {
	if d == DoubtPasses {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, longestDoubt)
		defer cancel()
	}
	o := &c.organization
	owner, err := c.ask(ctx, false).wait(ctx)
	switch {
	case err != nil && d == DoubtPasses:
		return "", false
	case err != nil:
		if o.undecided.CompareAndSwap(false, true) {
			apidiag.Add(diags, err, apidiag.Operation{Verb: "find out the organization of the token for", Object: object})
		}
		return "it cannot be found out whether the token belongs to its organization, " + organizationID, true
	case same.ID(owner.ID, organizationID):
		return "", false
	case o.foreign.CompareAndSwap(false, true):
		diags.AddError(fmt.Sprintf("The token belongs to organization %s, and this state to organization %s", owner.ID,
			organizationID),
			fmt.Sprintf("%s was created in or imported from organization %s. The token is one of organization %s (%q), to "+
				"which the objects of another do not exist. Nothing is planned or changed for them. Set token, or "+
				"BILLING_TOKEN, to a token of organization %s, or check which provider configuration (alias) the resource uses.",
				apidiag.Capitalize(object), organizationID, owner.ID, owner.Name, organizationID))
	}
	return fmt.Sprintf("the token belongs to organization %s, and the object to %s", owner.ID, organizationID), true
}
