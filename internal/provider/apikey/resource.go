// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the
// data sources and the list resource. successor.go is about keys that a rotation elsewhere has created.
package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

type base = object.Resource[*collections.Service, collections.APIKey, model]

// Resource is billing_api_key.
type Resource struct{ base }

var _ object.Managed = (*Resource)(nil)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// Create creates the key and writes its token to the state at once, as it is never shown again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	w, ok := r.BeginCreate(ctx, req, resp)
	w.Plan.secret().Reject(w.Plan.AgeRecipients, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	created, err := w.Client.CreateAPIKey(ctx, w.Plan.toCreate())
	if err != nil {
		apidiag.Add(w.Diags, err, operation("create", w.Plan))
		return
	}
	state := fromAPI(&created.APIKey).preserve(w.Plan)
	state.setSecret(state.secret().Stored(state.AgeRecipients, w.Diags))
	state.RotationDueAt = state.dueAt()
	settle.Warn(settle.Onto(ctx, &w.Plan, &state), state.displayName(), arguments, w.Diags)
	w.Save(ctx, state.ID, state)
	warnCreated(created, state, w.Diags)
}

// warnCreated reports what is unusual about a key that was created.
func warnCreated(created *collections.APIKeyCreated, state model, diags *diag.Diagnostics) {
	warnDiscarded(created, diags)
	if created.Token == nil {
		diags.AddAttributeWarning(path.Root("token"), "The token is not known",
			fmt.Sprintf("The service has not shown the token of %s. Rotate the key to get a new one.",
				state.displayName()))
	}
}

// warnDiscarded reports a key that was created in vain.
func warnDiscarded(created *collections.APIKeyCreated, diags *diag.Diagnostics) {
	if created.DiscardedID != "" {
		diags.AddWarning("An API key was created twice, and the first one revoked",
			fmt.Sprintf("The response to the creation of API key %q was lost, and the token with it. A key without its "+
				"token cannot be used, so this key (id %s) was revoked and another one (id %s) was created.",
				created.Name, created.DiscardedID, created.ID))
	}
}

// Update rotates the key, writes the successor's token to the state before anything else, and then ends the grace of
// predecessors where that is asked.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	w, ok := r.BeginUpdate(ctx, req, resp)
	plan, state := w.Plan, w.State
	found := readSeen(ctx, w.Private, w.Diags)
	plan.secret().Reject(plan.AgeRecipients, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	// The plan decided about the rotation; it is not decided again, as time has passed since.
	rotates := plan.ID.IsUnknown()
	takes := rotates && decide(plan, state, readPhase(ctx, w.Private, w.Diags), found,
		func() time.Time { return r.now(ctx) }).takes
	creates := rotates && found.Superseded && !takes
	// A key that has expired as configured keeps what it had, also where its configuration differs.
	fulfilled := found.Expired && plan.ExpiresAt.Means(state.ExpiresAt)
	if !creates && !takes && !fulfilled {
		refuseUnplanned(plan, state, w.Diags)
	}
	if r.refuseOwnInUpdate(state, plan, rotates && !found.Superseded, w.Diags); w.Diags.HasError() {
		return
	}
	if rotates && !creates {
		if takes {
			state = state.takenOver(found, plan)
		}
		successor, err := w.Client.RotateAPIKey(ctx, state.ID.ValueString(), plan.graceDays())
		switch {
		case err == nil:
			state = state.rotated(successor, plan.graceDays() > 0, plan, r.now(ctx))
		case rotatedUnseen(ctx, w.Client, err, state, w.Diags):
			creates = true
		default:
			if rotationFailed(ctx, w, err, state, r.now(ctx)) && takes {
				writeSeen(ctx, w.Private, seen{AgeDays: found.AgeDays}, w.Diags)
			}
			return
		}
	}
	if creates {
		created, err := w.Client.CreateAPIKey(ctx, plan.toCreate())
		if err != nil {
			apidiag.Add(w.Diags, err, operation("create", plan))
			return
		}
		stored := fromAPI(&created.APIKey).preserve(plan)
		settle.Warn(settle.Onto(ctx, &plan, &stored), stored.displayName(), arguments, w.Diags)
		warnCreated(created, stored, w.Diags)
		// The old key's grace period ends when it expires.
		created.GraceUntil = state.ExpiresAt.ValueStringPointer()
		state = state.rotated(&created.APIKey, !found.Expired, plan, r.now(ctx))
		if plan.Source.IsUnknown() {
			state.Source = stored.Source
		}
	}
	if rotates {
		writeSeen(ctx, w.Private, seen{}, w.Diags)
	}
	next := plan.applied(state)
	next.setSecret(next.secret().Stored(next.AgeRecipients, w.Diags))
	w.Save(ctx, next.ID, next)
	// What is left of the import ends here, so that the next plan may rotate.
	writePhase(ctx, w.Private, phaseManaged, w.Diags)
	if !plan.RevokePreviousKeys.ValueBool() {
		return
	}
	for _, key := range r.ownLast(next, predecessorsOf(next.PreviousKeys)) {
		if err := w.Client.RevokeAPIKey(ctx, key.id.ValueString()); err != nil {
			apidiag.Add(w.Diags, err, operation("revoke a predecessor of", next))
			return
		}
		next = next.without(key)
		w.Save(ctx, next.ID, next)
	}
}

// rotatedUnseen reports whether the API rejected a rotation because another system has rotated the key, although the
// key works and nothing shows it: a grace period that would end after the expiry of the key does not move that. A key
// like that gets no successor, so a new key is created in its place, and the old one is left to its expiry.
func rotatedUnseen(ctx context.Context, client *collections.Service, err error, state model,
	diags *diag.Diagnostics) bool {
	if e, ok := api.AsError(err); !ok || e.Code != collections.CodeKeyNotActive {
		return false
	}
	now, _ := client.Now(ctx)
	key, err := client.GetAPIKey(ctx, state.ID.ValueString())
	if err != nil || key.ExpiresAt == nil || ended(key, now) != "" {
		return false
	}
	diags.AddWarning("An API key was rotated outside of Terraform",
		fmt.Sprintf("The API rejected the rotation of %s, because another system has rotated it: its expiry, %s, "+
			"comes before the end of the grace period and did not move. A new key was created instead. The old key "+
			"works until then and is in previous_keys, unless revoke_previous_keys is set. The successor that the "+
			"other rotation created is not managed here.", state.displayName(), *key.ExpiresAt))
	return true
}

// rotationFailed reports why there is no token. A rotation that has happened all the same leaves a successor that
// nobody has the token of. It is taken over; the trigger and the age stay as they were, so that the next apply
// rotates it and so gets a token. It returns whether that has happened.
func rotationFailed(ctx context.Context, w *object.Write[*collections.Service, model], err error, state model,
	now time.Time) bool {
	var lost *collections.LostTokenError
	taken := errors.As(err, &lost) && len(lost.SuccessorIDs) == 1
	if taken {
		next := state.succeeded(wire.TextOrNull(lost.GraceUntil), w.Plan.graceDays() > 0, w.Plan, now)
		next.ID, next.KeyPrefix = types.StringValue(lost.SuccessorIDs[0]), types.StringNull()
		next.setSecret(encrypt.Secret{})
		w.Save(ctx, next.ID, next)
		w.Diags.AddWarning("The successor was taken over without its token",
			fmt.Sprintf("The state has %s now, and its token is null. The next apply rotates it, and so gets a token.",
				next.displayName()))
	}
	apidiag.Add(w.Diags, err, operation("rotate", state).Of(w.Plan))
	return taken
}

// refuseUnplanned reports what only a new key can have and the plan did not know: it has turned out to be another
// value than the key has. Nothing was sent.
func refuseUnplanned(plan, state model, diags *diag.Diagnostics) {
	for _, at := range plan.unlike(state) {
		diags.AddAttributeError(at, "The plan has not shown this replacement",
			fmt.Sprintf("%s was not known when the plan was made, and has turned out to be another value than %s "+
				"has. Only a new key can have it, and the plan has shown none, so nothing was sent. Plan again: the "+
				"new plan shows the replacement.", at, state.displayName()))
	}
}

// rotated is the state after a rotation: the successor's, with the old key before its predecessors as long as it works.
func (m model) rotated(successor *collections.APIKey, works bool, plan model, now time.Time) model {
	m = m.succeeded(types.StringPointerValue(successor.GraceUntil), works, plan, now)
	next := fromAPI(successor)
	m.ID, m.KeyPrefix = next.ID, next.KeyPrefix
	m.setSecret(next.secret())
	m.RotatedAt = next.CreatedAt
	if m.RotatedAt.IsNull() && !now.IsZero() {
		m.RotatedAt = types.StringValue(now.Format(time.RFC3339))
	}
	return m
}

// succeeded puts the key among its predecessors if it still works.
func (m model) succeeded(graceUntil types.String, works bool, plan model, now time.Time) model {
	if graceUntil.IsNull() && !now.IsZero() {
		// The service did not say when the grace ends, so it is counted from here.
		graceUntil = types.StringValue(now.AddDate(0, 0, int(plan.graceDays())).Format(time.RFC3339))
	}
	before := running(predecessorsOf(m.PreviousKeys), now)
	if works {
		old := m.current()
		old.graceUntil = graceUntil
		before = append([]predecessor{old}, before...)
	}
	m.PreviousKeys = predecessorList(before)
	return m
}

// applied is the state that the plan leads to, with what a rotation has brought.
func (m model) applied(state model) model {
	m.ID, m.KeyPrefix, m.RotatedAt, m.PreviousKeys = state.ID, state.KeyPrefix, state.RotatedAt, state.PreviousKeys
	m.setSecret(state.secret())
	m.Source = state.Source
	m.RotationDueAt = m.dueAt()
	return m
}

// Delete revokes the predecessors whose grace period still runs, and then the key. Those that are revoked when it fails
// are out of the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, r.stays)
	if !ok {
		return
	}
	state := w.State
	for _, key := range r.ownLast(state, append(predecessorsOf(state.PreviousKeys), state.current())) {
		if err := w.Client.RevokeAPIKey(ctx, key.id.ValueString()); err != nil {
			apidiag.Add(w.Diags, err, operation("revoke key "+key.id.ValueString()+" of", state))
			return
		}
		state = state.without(key)
		w.Save(ctx, state.ID, state)
	}
}

// stays reports that destroying the key sends nothing, because it is the provider's own.
func (r *Resource) stays(m model, diags *diag.Diagnostics) bool {
	r.refuseOwn(m, m.AllowOwnKey, "destroy", m.all(), diags)
	return diags.HasError()
}

// operation describes an operation on the key for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments}
}
