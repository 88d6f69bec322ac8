// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the data sources and
// the list resource.
package apikey

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Resource is billing_api_key.
type Resource struct{ conn.Resource }

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
)

// NewResource makes the resource.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the type. The identity follows the id, which a rotation changes.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
	resp.ResourceBehavior.MutableIdentity = true
}

// Create creates the key and writes its token to the state at once, as it is never shown again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	plan.secret().Reject(plan.AgeRecipients, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	created, err := client.CreateAPIKey(ctx, plan.toCreate())
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("create", plan))
		return
	}
	state := fromAPI(&created.APIKey).keeping(plan)
	state.setSecret(state.secret().Stored(state.AgeRecipients, &resp.Diagnostics))
	state.RotationDueAt = state.dueAt()
	settle.Warn(settle.Onto(ctx, &plan, &state), state.displayName(), arguments, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	warnCreated(created, state, &resp.Diagnostics)
}

// warnCreated tells what is unusual about a key that was created.
func warnCreated(created *collections.APIKeyCreated, state model, diags *diag.Diagnostics) {
	warnDiscarded(created, diags)
	if created.Token == nil {
		diags.AddAttributeWarning(path.Root("token"), "The token is not known",
			fmt.Sprintf("The service has not shown the token of %s. Rotate the key to get a new one.", state.displayName()))
	}
}

// warnDiscarded tells of a key that was created in vain.
func warnDiscarded(created *collections.APIKeyCreated, diags *diag.Diagnostics) {
	if created.DiscardedID != "" {
		diags.AddWarning("An API key was created twice, and the first one revoked",
			fmt.Sprintf("The answer to the creation of API key %q was lost, and with it the token. The key without a token (id %s) was of no use to anybody, so it was "+
				"revoked, and another one (id %s) created.", created.Name, created.DiscardedID, created.ID))
	}
}

// Delete revokes the predecessors whose grace still runs, and then the key. Those that are revoked when it fails are out of the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete(ctx, typeName, r.Conn.Collections, r.Run(), req, resp, r.stays)
	if !ok {
		return
	}
	for _, key := range r.ownLast(state, append(predecessorsOf(state.PreviousKeys), state.current())) {
		if err := client.RevokeAPIKey(ctx, key.id.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("revoke key "+key.id.ValueString()+" of", state))
			return
		}
		state = state.without(key)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// stays reports that destroying the key sends nothing, because it is the provider's own.
func (r *Resource) stays(m model, diags *diag.Diagnostics) bool {
	r.refuseOwn(m, m.AllowOwnKey, "destroy", m.all(), diags)
	return diags.HasError()
}

// doing describes an operation on the key for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), TypeName: typeName, Attributes: arguments}
}
