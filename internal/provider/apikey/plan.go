package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// ModifyPlan decides whether to create a new key, and plans every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	if p.State.Policy().Abandons() {
		return
	}
	keys := p.State.all()
	r.checkOwnKey(p.State, p.State.AllowOwnKey, keys, p.Diags)
	if readMemory(ctx, p.Private, p.Diags).had(p.State.KeyExpiresAt) {
		keys = keys[1:]
	}
	r.warnEnds("Destroying "+p.State.displayName()+" ends", p.State, keys, "", p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned.checkLifetime(p.Diags)
	if own := private.Get[string](ctx, p.Private, keyOwn, p.Diags); own != "" {
		rejectOwnKey(p.Planned.displayName(), own, p.Diags)
	}
	if !p.InApply() { // during apply, no request precedes the creation
		r.warnDuplicate(ctx, p)
		r.checkExpiry(ctx, p.Planned, p.Diags)
		p.Planned.warnScopes(p.Diags)
		p.Planned.warnLateRenewal(p.Diags)
	}
	p.Planned.RotatedAt, p.Planned.PreviousKeys = types.StringNull(), predecessorList(nil)
	p.Planned.RotationDueAt, p.Planned.KeyExpiresAt = p.Planned.dueOfNew(), types.StringUnknown()
	p.Planned.setSecret(encrypt.Secret{}.Planned(p.Planned.AgeRecipients, true))
}

// dueOfNew returns the planned rotation_due_at of a new key: null if neither age nor expiry requires one.
func (m model) dueOfNew() types.String {
	if m.RotateAfterDays.IsNull() && m.ExpiresAfterDays.IsNull() {
		return types.StringNull()
	}
	return types.StringUnknown()
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	p.Update(ctx)
	p.Planned.ExpiresAt = p.Planned.ExpiresAt.Or(p.State.ExpiresAt)
	d := r.decideInTime(ctx, p)
	lifetime := p.Planned
	if lifetime.ExpiresAt.Equal(p.State.ExpiresAt) {
		// Only under ignore_changes: ValidateConfig rejects the bare configuration.
		lifetime.ExpiresAt = value.DateTime{StringValue: types.StringNull()}
	}
	lifetime.checkLifetime(p.Diags)
	r.checkOwnKeyInUpdate(d, p.Diags)
	r.noteOwnKey(ctx, p)
	if !d.newKey() {
		p.State.secret().Warn(p.State.AgeRecipients, p.Planned.AgeRecipients, encrypt.Names{
			Object: "the " + p.State.displayName(), Clear: "token", Encrypted: "encrypted_token",
			Trigger: "rotate_when_changed"}, p.Diags)
	}
	if !p.Applying {
		if d.certain() && !d.inherits {
			r.checkExpiry(ctx, p.Planned, p.Diags)
		}
		r.warnUpdate(ctx, p, d)
		if !d.newKey() && !d.ended {
			d.memory.warnOther(p.Planned, p.State, p.Diags)
		}
	}
	p.Planned = d.planned()
}
