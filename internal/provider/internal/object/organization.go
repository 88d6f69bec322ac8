package object

import (
	"context"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// longestHome bounds the question whom the token belongs to where something waits that can do without the answer.
const longestHome = 10 * time.Second

// organization is whom the token of recurring billing belongs to.
type organization struct {
	mu sync.Mutex
	// owner is nil as long as the service has not said.
	owner *billing.Organization
	// silent says that the service did not say when the answer was not worth waiting for long, so it is not asked for
	// that again.
	silent bool
	// foreign says that an object of another organization was found in this run, and unsaid that this could not be found
	// out for one.
	foreign, unsaid bool
}

// Organization returns the organization that the token of recurring billing belongs to. The service says it once in a
// run.
func (c *Conn) Organization(ctx context.Context) (*billing.Organization, error) {
	o := &c.organization
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owner != nil {
		return o.owner, nil
	}
	owner, err := c.Billing.Client.Me(ctx)
	if err == nil && owner.ID != "" {
		o.owner = owner
	}
	return owner, err
}

// Home is the id of the organization that the token, and with it each new object, belongs to; "" where the service does
// not say.
func (c *Conn) Home(ctx context.Context) string {
	o := &c.organization
	o.mu.Lock()
	silent := o.silent
	o.mu.Unlock()
	if silent {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, longestHome)
	defer cancel()
	if owner, err := c.Organization(ctx); err == nil {
		return owner.ID
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.silent = true
	return ""
}

// Foreign reports whether an object of another organization was found in this run.
func (c *Conn) Foreign() bool {
	c.organization.mu.Lock()
	defer c.organization.mu.Unlock()
	return c.organization.foreign
}

// FoundForeign notes that an object belongs to another organization than the token, and reports whether it is the
// first.
func (c *Conn) FoundForeign() (first bool) {
	c.organization.mu.Lock()
	defer c.organization.mu.Unlock()
	first, c.organization.foreign = !c.organization.foreign, true
	return first
}

// FoundUnsaid notes that the service does not say whom the token belongs to where it has to be known, and reports
// whether that is the first time.
func (c *Conn) FoundUnsaid() (first bool) {
	c.organization.mu.Lock()
	defer c.organization.mu.Unlock()
	first, c.organization.unsaid = !c.organization.unsaid, true
	return first
}
