// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the data sources and
// the list resource.
package apikey

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
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
	state.RotationDueAt = state.dueAt()
	settle.Warn(settle.Onto(ctx, &plan, &state), "The "+state.displayName(), arguments, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	warnCreated(created, state, &resp.Diagnostics)
}

// warnCreated tells what is unusual about a key that was created.
func warnCreated(created *collections.APIKeyCreated, state model, diags *diag.Diagnostics) {
	warnDiscarded(created, diags)
	if state.Token.IsNull() {
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
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.refuseOwn(state, state.AllowOwnKey, "destroy", state.all(), &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	for _, key := range r.ownLast(state, append(predecessorsOf(state.PreviousKeys), state.current())) {
		if err := client.RevokeAPIKey(ctx, key.id.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("revoke key "+key.id.ValueString()+" of", state))
			return
		}
		state = state.without(key)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// ImportState finds the key by its id, or by name=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	selector := scheme.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	now, _ := client.Now(ctx)
	if end := ended(found, now); end != "" {
		resp.Diagnostics.AddError("The API key does not work any more", fmt.Sprintf("API key %s %s, so there is nothing to manage. Remove the import and let a new key be created.", found.ID, end))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	scheme.Identify(ctx, types.StringValue(found.ID), resp.Identity, &resp.Diagnostics)
	writePhase(ctx, resp.Private, phaseImporting, &resp.Diagnostics)
	resp.Diagnostics.AddAttributeWarning(path.Root("token"), "The token of an imported key is not known",
		fmt.Sprintf("The service shows a token only when a key is created or rotated, so token is null for %q. To get a new one, apply once with rotate_when_changed set, and once "+
			"more with another value in it; the old key works for grace_period_days from then on.", found.Name))
}

func finder(client *collections.Service, name string) imports.Finder[collections.APIKey] {
	return imports.Finder[collections.APIKey]{
		Noun: scheme.Noun,
		Get:  client.GetAPIKey,
		Find: func(ctx context.Context) ([]collections.APIKey, error) {
			return client.FindAPIKeys(ctx, name)
		},
		Line: func(k *collections.APIKey) string {
			return fmt.Sprintf("%s  %s (created %s)", k.ID, k.KeyPrefix, k.CreatedAt)
		},
	}
}

// doing describes an operation on the key for an error. It offers no import block: a key that was created without an answer has lost its token.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), Attributes: arguments}
}
