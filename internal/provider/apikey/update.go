package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// Update rotates the key, writes the successor's token to the state before anything else, and then ends the grace of
// predecessors where that is asked.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	found := readSeen(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	// The plan decided about the rotation; it is not decided again, as time has passed since.
	rotates := plan.ID.IsUnknown()
	creates := rotates && found.Superseded
	// A key that has expired as configured keeps what it had, whatever its configuration says.
	fulfilled := found.Expired && plan.ExpiresAt.Means(state.ExpiresAt)
	if !creates && !fulfilled {
		refuseUnplanned(plan, state, &resp.Diagnostics)
	}
	if r.refuseOwnInUpdate(state, plan, rotates && !creates, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	switch {
	case creates:
		created, err := client.CreateAPIKey(ctx, plan.toCreate())
		if err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("create", plan))
			return
		}
		stored := fromAPI(&created.APIKey).keeping(plan)
		settle.Warn(settle.Onto(ctx, &plan, &stored), "The "+stored.displayName(), arguments, &resp.Diagnostics)
		warnCreated(created, stored, &resp.Diagnostics)
		// The old key's grace period ends when it expires.
		created.GraceUntil = state.ExpiresAt.ValueStringPointer()
		state = state.rotated(&created.APIKey, !found.Expired, plan, r.now(ctx))
		state.Source = stored.Source
	case rotates:
		successor, err := client.RotateAPIKey(ctx, state.ID.ValueString(), plan.graceDays())
		if err != nil {
			rotationFailed(ctx, err, state, plan, r.now(ctx), resp)
			return
		}
		state = state.rotated(successor, plan.graceDays() > 0, plan, r.now(ctx))
	}
	if rotates {
		writeSeen(ctx, resp.Private, seen{}, &resp.Diagnostics)
	}
	next := plan.after(state)
	resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
	scheme.Identify(ctx, next.ID, resp.Identity, &resp.Diagnostics)
	// What is left of the import ends here, so that the next plan may rotate.
	writePhase(ctx, resp.Private, phaseManaged, &resp.Diagnostics)
	if !plan.RevokePreviousKeys.ValueBool() {
		return
	}
	for _, key := range r.ownLast(next, predecessorsOf(next.PreviousKeys)) {
		if err := client.RevokeAPIKey(ctx, key.id.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("revoke a predecessor of", next))
			return
		}
		next = next.without(key)
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
	}
}

// rotationFailed reports why there is no token. A rotation that has happened all the same leaves a successor that
// nobody has the token of. It is taken over; the trigger and the age stay as they were, so that the next apply
// rotates it and so gets a token.
func rotationFailed(ctx context.Context, err error, state, plan model, now time.Time, resp *resource.UpdateResponse) {
	var lost *collections.LostTokenError
	if errors.As(err, &lost) && len(lost.SuccessorIDs) == 1 {
		next := state.succeeded(wire.TextOrNull(lost.GraceUntil), plan.graceDays() > 0, plan, now)
		next.ID, next.Token, next.KeyPrefix = types.StringValue(lost.SuccessorIDs[0]), types.StringNull(), types.StringNull()
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
		scheme.Identify(ctx, next.ID, resp.Identity, &resp.Diagnostics)
		resp.Diagnostics.AddWarning("The successor was taken over without its token",
			fmt.Sprintf("The state has %s now, and its token is null. The next apply rotates it, and so gets a token.", next.displayName()))
	}
	apidiag.Add(&resp.Diagnostics, err, doing("rotate", state))
}

// refuseUnplanned reports what only a new key can have and the plan did not know: it has turned out to be another
// value than the key has. Nothing was sent.
func refuseUnplanned(plan, state model, diags *diag.Diagnostics) {
	for _, at := range plan.unlike(state) {
		diags.AddAttributeError(at, "The plan has not shown this replacement",
			fmt.Sprintf("%s was not known when the plan was made, and has turned out to be another value than %s has. Only a "+
				"new key can have it, and the plan has shown none, so nothing was sent. Plan again: the new plan shows the "+
				"replacement.", at, state.displayName()))
	}
}

// rotated is the state after a rotation: the successor's, with the old key before its predecessors as long as it works.
func (m model) rotated(successor *collections.APIKey, works bool, plan model, now time.Time) model {
	m = m.succeeded(types.StringPointerValue(successor.GraceUntil), works, plan, now)
	next := fromAPI(successor)
	m.ID, m.Token, m.KeyPrefix = next.ID, next.Token, next.KeyPrefix
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

// after is the state that the plan leads to, with what a rotation has brought.
func (m model) after(state model) model {
	m.ID, m.Token, m.KeyPrefix, m.RotatedAt, m.PreviousKeys = state.ID, state.Token, state.KeyPrefix, state.RotatedAt, state.PreviousKeys
	m.Source = state.Source
	m.RotationDueAt = m.dueAt()
	return m
}
