package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// Update rotates the key, writes the successor's token to the state before anything else, and then ends the grace of predecessors where
// that is asked.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	// The plan decided about the rotation; it is not decided anew, as time has passed since.
	rotates := plan.ID.IsUnknown()
	if r.refuseOwnInUpdate(state, plan, rotates, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	if rotates {
		successor, err := client.RotateAPIKey(ctx, state.ID.ValueString(), plan.graceDays())
		if err != nil {
			rotationFailed(ctx, err, state, plan, resp)
			return
		}
		state = state.rotated(successor, plan)
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

// rotationFailed reports why there is no token. A rotation that has happened all the same leaves a successor that nobody has the token of.
// It is taken over; the trigger and the age stay as they were, so that the next apply rotates it and so gets a token.
func rotationFailed(ctx context.Context, err error, state, plan model, resp *resource.UpdateResponse) {
	var lost *collections.LostTokenError
	if errors.As(err, &lost) && len(lost.SuccessorIDs) == 1 {
		next := state.succeeded(wire.TextOrNull(lost.GraceUntil), plan)
		next.ID, next.Token, next.KeyPrefix = types.StringValue(lost.SuccessorIDs[0]), types.StringNull(), types.StringNull()
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
		scheme.Identify(ctx, next.ID, resp.Identity, &resp.Diagnostics)
		resp.Diagnostics.AddWarning("The successor was taken over without its token",
			fmt.Sprintf("The state has %s now, and its token is null. The next apply rotates it, and so gets a token.", next.words()))
	}
	apidiag.Add(&resp.Diagnostics, err, doing("rotate", state))
}

// rotated is the state after a rotation: the successor's, with the old key before its predecessors.
func (m model) rotated(successor *collections.APIKey, plan model) model {
	m = m.succeeded(types.StringPointerValue(successor.GraceUntil), plan)
	next := fromAPI(successor)
	m.ID, m.Token, m.KeyPrefix = next.ID, next.Token, next.KeyPrefix
	m.RotatedAt = next.CreatedAt
	if m.RotatedAt.IsNull() {
		m.RotatedAt = types.StringValue(time.Now().UTC().Format(time.RFC3339))
	}
	return m
}

// succeeded puts the key among its predecessors. Without a grace it is none: it does not work any more.
func (m model) succeeded(graceUntil types.String, plan model) model {
	if graceUntil.IsNull() {
		// The service did not say when the grace ends, so it is counted from here.
		graceUntil = types.StringValue(time.Now().UTC().AddDate(0, 0, int(plan.graceDays())).Format(time.RFC3339))
	}
	before := running(predecessorsOf(m.PreviousKeys), time.Now())
	if plan.graceDays() > 0 {
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
	m.RotationDueAt = m.dueAt()
	return m
}
