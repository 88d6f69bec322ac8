package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan decides whether the key is rotated, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.refuseOwnKey(state, state, "revoke", &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		plan.RotatedAt, plan.PreviousKeys = types.StringNull(), predecessorList(nil)
		plan.RotationDueAt = plan.dueAt()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	phase := readPhase(ctx, req.Private, &resp.Diagnostics)
	plan.keepComputed(state)
	if len(resp.RequiresReplace) > 0 {
		r.refuseOwnKey(state, plan, "replace", &resp.Diagnostics)
	}
	if plan.rotates(state, phase, time.Now()) {
		plan.forgetRotated()
		r.refuseOwnKey(state, plan, "rotate", &resp.Diagnostics)
	}
	plan.RotationDueAt = plan.dueAt()
	if plan.RevokePreviousKeys.ValueBool() && (plan.PreviousKeys.IsUnknown() || len(state.PreviousKeys.Elements()) > 0) {
		plan.PreviousKeys = predecessorList(nil)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// keepComputed starts from the state's computed values.
func (m *model) keepComputed(state model) {
	m.ID, m.Token, m.KeyPrefix, m.Source, m.CreatedAt = state.ID, state.Token, state.KeyPrefix, state.Source, state.CreatedAt
	m.RotatedAt, m.PreviousKeys = state.RotatedAt, state.PreviousKeys
	m.ExpiresAt = m.ExpiresAt.Or(state.ExpiresAt)
}

// forgetRotated makes unknown what a rotation changes, and nothing else.
func (m *model) forgetRotated() {
	m.ID, m.Token, m.KeyPrefix, m.RotatedAt = types.StringUnknown(), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.PreviousKeys = types.ListUnknown(predecessorType)
}

// rotates reports whether the key is to be rotated: the trigger had values and they change, or the key is too old. The plan that imports
// a key never rotates it.
func (m model) rotates(state model, p phase, now time.Time) bool {
	if p == phaseImported {
		return false
	}
	triggered := !state.RotateWhenChanged.IsNull() && !m.RotateWhenChanged.IsNull() && !m.RotateWhenChanged.Equal(state.RotateWhenChanged)
	return triggered || m.overdue(now)
}

// refuseOwnKey reports an error when verb would hit the key that the provider itself uses.
func (r *Resource) refuseOwnKey(state, plan model, verb string, diags *diag.Diagnostics) {
	if plan.AllowOwnKey.ValueBool() || !r.Conn.IsOwnKey(state.Token.ValueString(), state.KeyPrefix.ValueString()) {
		return
	}
	diags.AddAttributeError(path.Root("allow_own_key"), "This is the key that the provider itself uses",
		fmt.Sprintf("To %s %s would lock the provider out of the collections service, in the middle of the run or at the next one. Let the provider use another key "+
			"(collections_api_key), or set allow_own_key = true (and apply that first when the resource is to be destroyed) if you will replace the key right after.", verb, state.words()))
}

// words names the key inside a sentence.
func (m model) words() string {
	text := fmt.Sprintf("API key %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
