// Package subscription is the subscription of the recurring-billing service: the resource, the data sources (invoices too) and the list
// resource.
//
// schema.go says what a user writes, model.go and items.go convert, touches.go says what each transition can change, plan.go decides
// what a plan shows, resource.go, create.go, update.go and read.go talk to the service.
package subscription

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Resource is billing_subscription.
type Resource struct{ conn.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource makes the resource.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the type.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

// ValidateConfig refuses what cannot work whatever the service says.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	refuseIncomplete(config.Items, &resp.Diagnostics)
}

// Delete does what deletion_policy says. What is canceled already needs nothing.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete(ctx, typeName, r.Conn.Billing, r.Run(), req, resp, model.stays)
	if !ok {
		return
	}
	atPeriodEnd := state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && state.CancelAtPeriodEnd.ValueBool() {
		return
	}
	own := private.Get[owned](ctx, req.Private, keyOwned, &resp.Diagnostics)
	reason := cmp.Or(own.Reason, state.CancellationReason.ValueString())
	_, err := client.CancelSubscription(ctx, state.ID.ValueString(), billing.Cancel{AtPeriodEnd: atPeriodEnd, Reason: reason})
	if err == nil || api.IsNotFound(err) {
		return
	}
	now, lookErr := client.GetSubscription(ctx, state.ID.ValueString())
	if lookErr == nil && now.Status == statusCanceled {
		return
	}
	if lookErr == nil {
		state.AllowCancel = types.BoolPointerValue(now.AllowCancel)
		refuseDestroy(state, &resp.Diagnostics)
	}
	apidiag.Add(&resp.Diagnostics, blameCancel.On(err), doing("cancel", state))
}

// stays reports that destroying the subscription sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	if m.Status.ValueString() == statusCanceled {
		return true
	}
	refuseDestroy(m, diags)
	return diags.HasError() || policy.Abandoned(m.DeletionPolicy, m.displayName(), diags)
}

// doing describes an operation on the subscription for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), TypeName: typeName, Attributes: arguments}
}
