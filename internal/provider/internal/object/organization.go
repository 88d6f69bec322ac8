package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// keyOrganization is the key of the id of an object's organization in recurring billing. The service reports objects of
// other organizations as not found, so a wrong token looks as if everything had been deleted.
var keyOrganization = private.Key("organization")

// bound reports whether objects store their organization. Only recurring billing reports the organization of a token.
func (r *Resource[S, T, M]) bound() bool {
	_, bound := any(*new(S)).(*billing.Service)
	return bound && r.Conn != nil && r.Conn.Billing.Ready
}

// bind stores the token's organization as that of the object, unless one is stored already. If the service does not
// return it, a later refresh stores it.
func (r *Resource[S, T, M]) bind(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	if !r.bound() || private.Get[string](ctx, store, keyOrganization, diags) != "" {
		return
	}
	if organizationID := r.Conn.OrganizationID(ctx); organizationID != "" {
		private.Set(ctx, store, keyOrganization, organizationID, diags)
	}
}

// foreign reports whether the object and the token belong to different organizations, see Conn.CheckOrganization.
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

// foreignEach is foreign, but reports one error per object; all but the first are one line. Terraform removes an object
// from the state if its deletion ends without an error.
func (r *Resource[S, T, M]) foreignEach(ctx context.Context, store private.State, verb, object string, d conn.Doubt,
	diags *diag.Diagnostics) bool {
	before := diags.ErrorsCount()
	cause, is := r.foreign(ctx, store, object, d, diags)
	if is && diags.ErrorsCount() == before {
		apidiag.Again(diags, apidiag.Operation{Verb: verb, Object: object}, cause)
	}
	return is
}
