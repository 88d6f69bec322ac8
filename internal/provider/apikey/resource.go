// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the data sources and
// the list resource.
package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
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
	created, err := client.CreateAPIKey(ctx, plan.toCreate())
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("create", plan))
		return
	}
	state := fromAPI(&created.APIKey).keeping(plan)
	state.RotationDueAt = state.dueAt()
	settle.Warn(settle.Onto(ctx, &plan, &state), "The "+state.words(), arguments, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	warnCreated(created, state, &resp.Diagnostics)
}

// warnCreated tells what is unusual about a key that was created.
func warnCreated(created *collections.APIKeyCreated, state model, diags *diag.Diagnostics) {
	warnDiscarded(created, diags)
	if state.Token.IsNull() {
		diags.AddAttributeWarning(path.Root("token"), "The token is not known",
			fmt.Sprintf("The service has not shown the token of %s. Rotate the key to get a new one.", state.words()))
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

// Read refreshes the state. A key that was revoked or has expired is planned again.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var prior model
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	p := readPhase(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	key, err := client.GetAPIKey(ctx, prior.ID.ValueString())
	if err != nil && !api.IsNotFound(err) {
		apidiag.Add(&resp.Diagnostics, err, doing("read", prior))
		return
	}
	if end := ended(key, time.Now()); end != "" {
		resp.Diagnostics.AddWarning("An API key is gone",
			fmt.Sprintf("The %s %s. If it is still configured, the plan creates a new key, with a new token.", prior.words(), end))
		resp.State.RemoveResource(ctx)
		return
	}
	state := fromAPI(key)
	if p != phaseImporting {
		warnExpiry(state, prior, &resp.Diagnostics)
		left, err := inGrace(ctx, client, predecessorsOf(prior.PreviousKeys))
		if err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("read a predecessor of", prior))
			return
		}
		state = state.keeping(prior)
		state.CreatedAt, state.RotatedAt, state.PreviousKeys = prior.CreatedAt, prior.RotatedAt, predecessorList(left)
	}
	state.RotationDueAt = state.dueAt()
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	writePhase(ctx, resp.Private, p.refreshed(), &resp.Diagnostics)
}

// warnExpiry tells why the plan is going to show a new key for no change in the configuration.
func warnExpiry(state, prior model, diags *diag.Diagnostics) {
	if state.ExpiresAt.Means(prior.ExpiresAt) {
		return
	}
	diags.AddAttributeWarning(path.Root("expires_at"), "An API key expires at another time",
		fmt.Sprintf("The service answers %s as the expiry of %s, and it was %s. A rotation outside of Terraform does that, as the key then ends with its grace. "+
			"The plan creates a new key.", state.ExpiresAt, prior.words(), prior.ExpiresAt))
}

// inGrace leaves out the predecessors whose grace is over, or which were revoked before.
func inGrace(ctx context.Context, client *collections.Service, all []predecessor) ([]predecessor, error) {
	var left []predecessor
	for _, p := range running(all, time.Now()) {
		key, err := client.GetAPIKey(ctx, p.id.ValueString())
		if err != nil && !api.IsNotFound(err) {
			return nil, err
		}
		if ended(key, time.Now()) == "" {
			left = append(left, p)
		}
	}
	return left, nil
}

// ended words why a key does not work any more; empty while it does. No key means that the service does not have it.
func ended(k *collections.APIKey, now time.Time) string {
	if k == nil {
		return "does not exist any more at the service"
	}
	if k.RevokedAt != nil {
		return "was revoked outside of Terraform at " + *k.RevokedAt
	}
	if k.ExpiresAt != nil {
		if expiry, ok := fwtype.ParseMoment(*k.ExpiresAt); ok && !expiry.After(now) {
			return "has expired at " + *k.ExpiresAt
		}
	}
	return ""
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
	if end := ended(found, time.Now()); end != "" {
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
	return apidiag.Doing{Verb: verb, Object: m.words(), Attributes: arguments}
}
