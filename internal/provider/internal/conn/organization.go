package conn

import (
	"context"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// longestBind bounds the question whom a new object belongs to: its creation waits for it.
const longestBind = 10 * time.Second

// organization is whom the token of recurring billing belongs to.
type organization struct {
	mu sync.Mutex
	// owner is nil as long as the service has not said.
	owner *billing.Organization
	// silent says that the service did not say when an object was to be bound, so it is not asked for that again.
	silent bool
	// foreign says that an object of another organization was found in this run.
	foreign bool
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

// HomeOfNew is the id of the organization that a new object belongs to; "" where the service does not say.
func (c *Conn) HomeOfNew(ctx context.Context) string {
	o := &c.organization
	o.mu.Lock()
	silent := o.silent
	o.mu.Unlock()
	if silent {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, longestBind)
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
