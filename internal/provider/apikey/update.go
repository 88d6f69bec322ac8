package apikey

import (
	"context"
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
	if rotates {
		r.refuseOwnKey(state, plan, "rotate", &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
		successor, err := client.RotateAPIKey(ctx, state.ID.ValueString(), plan.graceDays())
		if err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("rotate", state))
			return
		}
		state = state.rotated(successor, plan)
	}
	next := plan.after(state)
	resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
	scheme.Identify(ctx, next.ID, resp.Identity, &resp.Diagnostics)
	// What is left of the import ends here, so that the next plan may rotate.
	writePhase(ctx, resp.Private, phaseManaged, &resp.Diagnostics)
	if !plan.RevokePreviousKeys.ValueBool() || len(next.PreviousKeys.Elements()) == 0 {
		return
	}
	for left := predecessorsOf(next.PreviousKeys); len(left) > 0; left = left[1:] {
		if err := client.RevokeAPIKey(ctx, left[0].id.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("revoke a predecessor of", next))
			return
		}
		next.PreviousKeys = predecessorList(left[1:])
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
	}
}

// rotated is the state after a rotation: the successor's, with the old key before its predecessors.
func (m model) rotated(successor *collections.APIKey, plan model) model {
	until := types.StringPointerValue(successor.GraceUntil)
	if until.IsNull() {
		// The service did not say when the grace ends, so it is counted from here.
		until = types.StringValue(time.Now().UTC().AddDate(0, 0, int(plan.graceDays())).Format(time.RFC3339))
	}
	old := predecessor{id: m.ID, prefix: m.KeyPrefix, graceUntil: until}
	before := running(predecessorsOf(m.PreviousKeys), time.Now())
	if plan.graceDays() > 0 {
		before = append([]predecessor{old}, before...)
	}
	next := fromAPI(successor)
	m.ID, m.Token, m.KeyPrefix = next.ID, next.Token, next.KeyPrefix
	m.RotatedAt = wire.TextOrNull(successor.CreatedAt)
	if m.RotatedAt.IsNull() {
		m.RotatedAt = types.StringValue(time.Now().UTC().Format(time.RFC3339))
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
