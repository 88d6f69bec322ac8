package object

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

// longestHome bounds the question whom the token belongs to where something waits that can do without the answer.
const longestHome = 10 * time.Second

// organization is whom the token of recurring billing belongs to.
type organization struct {
	mu sync.Mutex
	// owner is nil as long as the service has not said.
	owner *billing.Organization
	// silent says that the service did not say when the answer was not worth waiting for long, so it is not asked for
	// that again.
	silent atomic.Bool
	// foreign says that an object of another organization was found in this run, and unsaid that this could not be found
	// out for one.
	foreign, unsaid atomic.Bool
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
	if c.organization.silent.Load() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, longestHome)
	defer cancel()
	owner, err := c.Organization(ctx)
	if err != nil {
		c.organization.silent.Store(true)
		return ""
	}
	return owner.ID
}

// Foreign reports whether an object of another organization was found in this run.
func (c *Conn) Foreign() bool { return c.organization.foreign.Load() }

// keyOrganization is where an object of recurring billing keeps the id of the organization that it belongs to. To the
// service an object of another organization does not exist, so a wrong token looks as if everything had been deleted.
const keyOrganization = "organization"

// bound reports whether objects remember their organization: only recurring billing says whom a token belongs to.
func (r *Resource[S, T, M]) bound() bool {
	_, bound := any(*new(S)).(*billing.Service)
	return bound && r.Conn != nil && r.Conn.Billing.Ready
}

// bind notes the organization of an object that was created or imported. Where the service does not say, nothing is
// noted.
func (r *Resource[S, T, M]) bind(ctx context.Context, store PrivateState, diags *diag.Diagnostics) {
	if !r.bound() {
		return
	}
	if home := r.Conn.Home(ctx); home != "" {
		SetPrivate(ctx, store, keyOrganization, home, diags)
	}
}

// foreign reports whether the object belongs to another organization than the token, and says so for the first object
// of a run: one cause, one error. It is also true, with the error, where that cannot be found out. cause is the reason
// in a few words.
func (r *Resource[S, T, M]) foreign(ctx context.Context, store PrivateState, object string,
	diags *diag.Diagnostics) (cause string, foreign bool) {
	home := r.home(ctx, store, diags)
	if home == "" {
		return "", false
	}
	owner, err := r.Conn.Organization(ctx)
	switch {
	case err != nil:
		if r.Conn.organization.unsaid.CompareAndSwap(false, true) {
			apidiag.Add(diags, err, apidiag.Operation{Verb: "find out the organization of the token for", Object: object})
		}
		return "it cannot be found out whether the token belongs to its organization, " + home, true
	case same.ID(owner.ID, home):
		return "", false
	case r.Conn.organization.foreign.CompareAndSwap(false, true):
		diags.AddError(fmt.Sprintf("The token belongs to organization %s, and this state to organization %s", owner.ID, home),
			fmt.Sprintf("%s was created in or imported from organization %s. The token is one of organization %s (%q), to "+
				"which the objects of another do not exist. Nothing is planned or changed for them. Set token, or "+
				"BILLING_TOKEN, to a token of organization %s, or check which provider configuration (alias) the resource uses.",
				apidiag.Capitalize(object), home, owner.ID, owner.Name, home))
	}
	return fmt.Sprintf("the token belongs to organization %s, and the object to %s", owner.ID, home), true
}

// home is the organization that the object belongs to; "" where none was noted.
func (r *Resource[S, T, M]) home(ctx context.Context, store PrivateState, diags *diag.Diagnostics) string {
	if !r.bound() {
		return ""
	}
	return Private[string](ctx, store, keyOrganization, diags)
}

// surelyForeign is foreign for what goes on where the service does not say whom the token belongs to.
func (r *Resource[S, T, M]) surelyForeign(ctx context.Context, store PrivateState, object string,
	diags *diag.Diagnostics) (cause string, foreign bool) {
	home := r.home(ctx, store, diags)
	if home == "" {
		return "", false
	}
	if owner := r.Conn.Home(ctx); owner == "" || same.ID(owner, home) {
		return "", false
	}
	return r.foreign(ctx, store, object, diags)
}

// ask is foreign or surelyForeign.
type ask func(ctx context.Context, store PrivateState, object string, diags *diag.Diagnostics) (string, bool)

// each gives every foreign object of an apply an error, those after the first in a line: Terraform takes an object out
// of the state whose deletion ends without one.
func (foreign ask) each(ctx context.Context, store PrivateState, verb, object string, diags *diag.Diagnostics) bool {
	before := diags.ErrorsCount()
	cause, is := foreign(ctx, store, object, diags)
	if is && diags.ErrorsCount() == before {
		apidiag.Again(diags, apidiag.Operation{Verb: verb, Object: object}, cause)
	}
	return is
}
