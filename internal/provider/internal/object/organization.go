package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// keyOrganization is where an object of recurring billing keeps the id of the organization that it belongs to. To the
// service an object of another organization does not exist, so a wrong token looks as if everything had been deleted.
const keyOrganization = "organization"

// bound reports whether objects remember their organization: only recurring billing says whom a token belongs to.
func (r *Resource[S, T, M]) bound() bool {
	_, bound := any(*new(S)).(*billing.Service)
	return bound && r.Conn != nil && r.Conn.Billing.Ready
}

// bind notes the organization of an object that the service shows to the token, unless it is noted already. Where the
// service does not say, a later refresh notes it.
func (r *Resource[S, T, M]) bind(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	if !r.bound() || private.Get[string](ctx, store, keyOrganization, diags) != "" {
		return
	}
	if organizationID := r.Conn.OrganizationID(ctx); organizationID != "" {
		private.Set(ctx, store, keyOrganization, organizationID, diags)
	}
}

// foreign reports whether the object belongs to another organization than the token, see Conn.CheckOrganization.
func (r *Resource[S, T, M]) foreign(ctx context.Context, store private.State, object string, d conn.Doubt,
	diags *diag.Diagnostics) (cause string, foreign bool) {
	if !r.bound() {
		return "", false
	}
	organizationID := private.Get[string](ctx, store, keyOrganization, diags)
	if organizationID == "" {
		return "", false
	}
	return r.Conn.CheckOrganization(ctx, organizationID, object, d, diags)
}

// foreignEach is foreign with an error for each object, those after the first in one line: Terraform removes an object
// from the state whose deletion ends without an error.
func (r *Resource[S, T, M]) foreignEach(ctx context.Context, store private.State, verb, object string, d conn.Doubt,
	diags *diag.Diagnostics) bool {
	before := diags.ErrorsCount()
	cause, is := r.foreign(ctx, store, object, d, diags)
	if is && diags.ErrorsCount() == before {
		apidiag.Again(diags, apidiag.Operation{Verb: verb, Object: object}, cause)
	}
	return is
}
