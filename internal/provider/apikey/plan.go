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

// ModifyPlan decides whether there is a new key, whether the key is rotated, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.refuseOwn(state, state.AllowOwnKey, "destroy", state.all(), &resp.Diagnostics)
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
	if resp.RequiresReplace = plan.replacing(state); len(resp.RequiresReplace) > 0 {
		plan.refuseImport(state, phase, resp.RequiresReplace, &resp.Diagnostics)
		// The old key is destroyed with what its state allows. What becomes of the new one is planned without a state.
		r.refuseOwn(state, state.AllowOwnKey, "replace", state.all(), &resp.Diagnostics)
		return
	}
	plan.keepComputed(state)
	rotates := plan.rotates(state, phase, time.Now())
	r.refuseOwnInUpdate(state, plan, rotates, &resp.Diagnostics)
	if rotates {
		plan.forgetRotated()
	}
	plan.RotationDueAt = plan.dueAt()
	plan.foreseeRevocation()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// replacing lists the arguments that can only become what they are to be by a new key (wire contract: there is no update of a key).
func (m model) replacing(state model) path.Paths {
	var changed path.Paths
	for name, differs := range map[string]bool{
		"name":        !m.Name.Equal(state.Name),
		"description": !m.Description.Equal(state.Description),
		"scopes":      !m.Scopes.Equal(state.Scopes),
		"expires_at":  !m.ExpiresAt.Means(state.ExpiresAt),
	} {
		if differs {
			changed = append(changed, path.Root(name))
		}
	}
	return changed
}

// refuseImport refuses to replace the key in the plan that imports it: whoever uses it would be locked out.
func (m model) refuseImport(state model, p phase, differs path.Paths, diags *diag.Diagnostics) {
	if p == phaseManaged {
		return
	}
	for _, at := range differs {
		diags.AddAttributeError(at, "An import replaces nothing",
			fmt.Sprintf("%s has another %s than the configuration, which only a new key can have: this one would be revoked. Write what the key has (%s); "+
				"a replacement can be planned once that is applied.", state.words(), at, state.configured()))
	}
}

// configured is what an import of the key needs in the configuration.
func (m model) configured() string {
	return fmt.Sprintf("name = %s, description = %s, scopes = %s, expires_at = %s", m.Name, m.Description, m.Scopes, m.ExpiresAt.StringValue)
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

// foreseeRevocation plans previous_keys where revoke_previous_keys ends them, or may.
func (m *model) foreseeRevocation() {
	switch {
	case !m.PreviousKeys.IsUnknown() && len(m.PreviousKeys.Elements()) == 0:
	case m.RevokePreviousKeys.IsUnknown():
		m.PreviousKeys = types.ListUnknown(predecessorType)
	case m.RevokePreviousKeys.ValueBool():
		m.PreviousKeys = predecessorList(nil)
	}
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

// words names the key inside a sentence.
func (m model) words() string {
	text := fmt.Sprintf("API key %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
