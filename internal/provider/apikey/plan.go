package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
)

// ModifyPlan decides whether there is a new key, whether the key is rotated, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.Run().Known(typeName, state.ids()...)
		r.refuseOwn(state, state.AllowOwnKey, "destroy", state.all(), &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.Run().PlanCreate(ctx, typeName, req.Private, &resp.Diagnostics)
		r.refusePast(ctx, plan, &resp.Diagnostics)
		r.warnDuplicate(ctx, plan, req.ClientCapabilities.DeferralAllowed, &resp.Diagnostics)
		plan.RotatedAt, plan.PreviousKeys = types.StringNull(), predecessorList(nil)
		plan.RotationDueAt = plan.dueAt()
		plan.setSecret(encrypt.Secret{}.Planned(plan.AgeRecipients, true))
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	r.Run().Known(typeName, state.ids()...)
	imported, found := readPhase(ctx, req.Private, &resp.Diagnostics), readSeen(ctx, req.Private, &resp.Diagnostics)
	p := decide(plan, state, imported, found, func() time.Time { return r.now(ctx) })
	p.refuseImport(&resp.Diagnostics)
	wanted := len(p.differs) > 0 && !p.creates
	if found.Expired && wanted && r.Run().Applying(typeName, state.ID.ValueString(), req.ClientCapabilities.DeferralAllowed) {
		// The first plan has kept what an expired key has, as its new expiry was not known. Update refuses the new one.
		p.fulfilled, p.rotates = true, false
		defer func(expiry fwtype.DateTime) {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("expires_at"), expiry)...)
		}(plan.ExpiresAt)
	}
	if r.Run().PlanUpdate(ctx, typeName, state.ID.ValueString(), wanted, req.ClientCapabilities.DeferralAllowed,
		resp.Private, &resp.Diagnostics) {
		resp.RequiresReplace = p.differs
		// The old key is destroyed with what its state allows. What becomes of the new one is planned without a state.
		r.refuseOwn(state, state.AllowOwnKey, "replace", state.all(), &resp.Diagnostics)
		r.refusePast(ctx, plan, &resp.Diagnostics)
		return
	}
	if p.creates {
		r.refusePast(ctx, plan, &resp.Diagnostics)
	}
	p.update(&resp.Diagnostics)
	r.refuseOwnInUpdate(state, p.plan, p.rotates && !p.creates, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

// now is the service's time, or zero as long as it is not known.
func (r *Resource) now(ctx context.Context) time.Time {
	if r.Conn == nil || !r.Conn.Collections.Ready {
		return time.Time{}
	}
	now, _ := r.Conn.Collections.Client.Now(ctx)
	return now
}

// refusePast refuses to plan a key that the service would not create. A replacement would have revoked the old key
// before that shows.
func (r *Resource) refusePast(ctx context.Context, plan model, diags *diag.Diagnostics) {
	if plan.ExpiresAt.IsNull() || plan.ExpiresAt.IsUnknown() {
		return
	}
	if now := r.now(ctx); passed(plan.ExpiresAt.ValueString(), now) {
		diags.AddAttributeError(path.Root("expires_at"), "The expiry of a new API key has passed",
			fmt.Sprintf("The plan creates %s, which is to expire at %q. The clock of the service shows %s already, so the "+
				"API would reject it. Set a later expires_at, or remove the argument. To end a key, remove the resource.",
				plan.displayName(), plan.ExpiresAt.ValueString(), now.Format(time.RFC3339)))
	}
}

// forgetRotated makes unknown what a rotation changes beside the secret, and nothing else.
func (m *model) forgetRotated() {
	m.ID, m.KeyPrefix, m.RotatedAt = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
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

// displayName names the key inside a sentence.
func (m model) displayName() string {
	text := fmt.Sprintf("API key %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
