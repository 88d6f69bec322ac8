package apikey

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// ModifyPlan decides whether there is a new key, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	if p.State.Policy().Abandons() {
		return
	}
	keys := p.State.all()
	r.refuseOwn(p.State, p.State.AllowOwnKey, keys, p.Diags)
	if readKnown(ctx, p.Private, p.Diags).had(p.State.KeyExpiresAt) {
		keys = keys[1:]
	}
	r.warnEnds("Destroying "+p.State.displayName()+" ends", p.State, keys, "", p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned.refuseLifetime(p.Diags)
	if own := private.Get[string](ctx, p.Private, keyOwn, p.Diags); own != "" {
		refuseOwn(p.Planned.displayName(), own, p.Diags)
	}
	if !p.InApply() { // no request comes before the creation
		r.warnDuplicate(ctx, p)
		r.refusePast(ctx, p.Planned, p.Diags)
		p.Planned.warnScopes(p.Diags)
		p.Planned.warnLateRenewal(p.Diags)
	}
	p.Planned.RotatedAt, p.Planned.PreviousKeys = types.StringNull(), predecessorList(nil)
	p.Planned.RotationDueAt, p.Planned.KeyExpiresAt = p.Planned.dueOfNew(), types.StringUnknown()
	p.Planned.setSecret(encrypt.Secret{}.Planned(p.Planned.AgeRecipients, true))
}

// dueOfNew is the rotation_due_at that a plan shows for a key that it creates: null where nothing asks for a date.
func (m model) dueOfNew() types.String {
	if m.RotateAfterDays.IsNull() && m.ExpiresAfterDays.IsNull() {
		return types.StringNull()
	}
	return types.StringUnknown()
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	id := p.State.ID.ValueString()
	applying := p.Run.Applying(typeName, id, p.DeferralAllowed)
	p.Update(ctx, id)
	p.Planned.ExpiresAt = p.Planned.ExpiresAt.Or(p.State.ExpiresAt)
	d := r.decideInTime(ctx, p)
	lifetime := p.Planned
	if lifetime.ExpiresAt.Equal(p.State.ExpiresAt) { // under ignore_changes; ValidateConfig rejects the bare configuration
		lifetime.ExpiresAt = value.DateTime{StringValue: types.StringNull()}
	}
	lifetime.refuseLifetime(p.Diags)
	r.refuseOwnInUpdate(d, p.Diags)
	r.handOn(ctx, p)
	if !d.fresh {
		p.State.secret().Warn(p.State.AgeRecipients, p.Planned.AgeRecipients, encrypt.Names{
			Object: "the " + p.State.displayName(), Clear: "token", Encrypted: "encrypted_token",
			Trigger: "rotate_when_changed"}, p.Diags)
	}
	if !applying {
		if d.sure && !d.inherits {
			r.refusePast(ctx, p.Planned, p.Diags)
		}
		r.warnUpdate(ctx, p, d)
	}
	p.Planned = d.planned()
}

// decision is what becomes of a key that exists.
type decision struct {
	plan, state model
	known       known
	// dueAt is when time asks for a new key, and due says that it does.
	dueAt types.String
	due   bool
	// postponed says that the key is due, and the plan after this one renews it.
	postponed bool
	// differs are the arguments that only a new key can have: there is no update of a key (wire contract). What is not
	// known yet is not among them.
	differs []string
	// triggered says that rotate_when_changed asks for a new key, or may ask for one.
	triggered bool
	// ended says that the key has expired.
	ended bool
	// held says that the key stays as it is whatever is configured: this run imports it, or it has ended as configured.
	// What is configured is in the state then, and is sent nowhere.
	held bool
	// sure says that a new key comes. fresh says that it comes, or may come as long as something is not known: then the
	// plan shows the id as unknown, because the apply cannot create a key that no plan has shown.
	sure, fresh bool
	// inherits says that the new key has everything from the old one, so that the service's own rotation creates it.
	inherits bool
}

// decideInTime decides a plan. Terraform makes a plan twice, once to show it and once inside the apply, perhaps days
// later, and both have to decide alike. So a date counts where it had passed at the refresh, which both know of. A date
// that has passed since counts only where nothing else of the key changes: then it is the reason for the apply.
func (r *Resource) decideInTime(ctx context.Context, p *object.Plan[model]) decision {
	k := readKnown(ctx, p.Private, p.Diags)
	d := decide(p.Planned, p.State, k, false)
	at, dated := api.Moment(d.dueAt.ValueString())
	client, ready := r.Client()
	switch {
	case d.held || !dated:
		return d
	case k.had(d.dueAt):
		return decide(p.Planned, p.State, k, true)
	case d.sure || !ready || !client.HasPassed(ctx, at):
		return d
	case p.Changes(ctx, d.planned()):
		d.postponed = !d.fresh
		return d
	}
	return decide(p.Planned, p.State, k, true)
}

// decide decides about a new key. due says that the time for one has come.
func decide(plan, state model, k known, due bool) decision {
	plan.KeyExpiresAt, plan.RotatedAt, plan.CreatedAt = state.KeyExpiresAt, state.RotatedAt, state.CreatedAt
	d := decision{plan: plan, state: state, known: k, due: due, dueAt: plan.dueAt(), differs: plan.unlike(state, k),
		ended: k.had(state.KeyExpiresAt)}
	if k.Rotated && plan.outlives() {
		d.dueAt = earliest(d.dueAt, state.RotationDueAt)
	}
	if d.held = k.imported || d.endedAsConfigured(); d.held {
		return d
	}
	d.triggered = object.Triggered(state.RotateWhenChanged, plan.RotateWhenChanged)
	d.sure = len(d.differs) > 0 || due || d.triggered && isKnown(plan.RotateWhenChanged)
	d.fresh = d.sure || d.triggered || d.mayDiffer()
	d.inherits = plan.isDescribed() && d.passesOn()
	return d
}

// endedAsConfigured reports whether the key has expired because its expires_at has passed, which stays as it is.
func (d decision) endedAsConfigured() bool {
	return d.ended && d.known.had(d.state.ExpiresAt.StringValue) && d.plan.ExpiresAt.Means(d.state.ExpiresAt)
}

// mayDiffer reports whether what is not known yet may ask for a new key.
func (d decision) mayDiffer() bool {
	return !d.plan.isDescribed() || !d.dueAt.IsNull() && !d.plan.isKnown()
}

// passesOn reports whether a successor may have everything from the key.
func (d decision) passesOn() bool {
	return len(d.differs) == 0 && d.plan.ExpiresAfterDays.IsNull() && !d.renews() && !d.ended && !d.known.Rotated
}

// renews reports whether the key is near its end, so that its successor has to have another one.
func (d decision) renews() bool {
	at, renewed := d.plan.renewalAt()
	return renewed && (d.known.had(timeText(at)) || d.due && d.dueAt.Equal(timeText(at)))
}

// unlike lists the arguments of a new key that are known and differ from what the key has. An expiry differs only
// where the argument changes: what the service has given to the key is accepted.
func (m model) unlike(state model, k known) (names []string) {
	compare := func(name string, value, is attr.Value) {
		if isKnown(value) && !value.Equal(is) {
			names = append(names, name)
		}
	}
	compare("name", m.Name, state.Name)
	compare("description", m.Description, state.Description)
	compare("scopes", m.Scopes, state.Scopes)
	imported := k.imported || k.ExpiryPending
	end := value.DateTime{StringValue: state.KeyExpiresAt}
	changes := imported || !m.ExpiresAfterDays.Equal(state.ExpiresAfterDays) || !m.ExpiresAt.Means(state.ExpiresAt)
	switch {
	case !isKnown(m.ExpiresAt, m.ExpiresAfterDays) || !changes:
	case !m.ExpiresAfterDays.IsNull() && (!imported || end.IsNull()):
		names = append(names, "expires_after_days")
	case m.ExpiresAfterDays.IsNull() && !m.ExpiresAt.Means(end):
		names = append(names, "expires_at")
	}
	return names
}

// isKnown reports whether all values, sets and maps with all of their elements, are known.
func isKnown(values ...attr.Value) bool {
	return !slices.ContainsFunc(values, func(v attr.Value) bool {
		raw, err := v.ToTerraformValue(context.Background())
		return err != nil || !raw.IsFullyKnown()
	})
}

// isDescribed reports whether everything is known that the creation of a key sends.
func (m model) isDescribed() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays)
}

// isKnown reports whether all arguments are known.
func (m model) isKnown() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays, m.GracePeriodDays,
		m.RotateWhenChanged, m.RotateAfterDays, m.RevokePreviousKeys, m.AllowOwnKey, m.DeletionPolicy, m.AgeRecipients)
}

// planned makes unknown only what this change can touch; the schema keeps the other computed values.
func (d decision) planned() model {
	plan := d.plan
	plan.RotationDueAt, plan.PreviousKeys = d.dueAt, d.previousKeys()
	if d.fresh {
		for _, computed := range []*types.String{&plan.ID, &plan.KeyPrefix, &plan.Source, &plan.RotatedAt,
			&plan.RotationDueAt, &plan.KeyExpiresAt} {
			*computed = types.StringUnknown()
		}
	}
	if d.sure && (!d.inherits || d.state.KeyExpiresAt.IsNull()) {
		plan.RotationDueAt = d.plan.dueOfNew()
	}
	plan.setSecret(d.state.secret().Planned(plan.AgeRecipients, d.fresh))
	return plan
}

// previousKeys is the list that will be. The old key is the first of it, and the service says until when.
func (d decision) previousKeys() types.List {
	revokes, previous := d.plan.RevokePreviousKeys, predecessorsOf(d.state.PreviousKeys)
	switch {
	case len(d.known.Endings) > 0:
		return types.ListUnknown(predecessorType)
	case revokes.ValueBool():
		return predecessorList(nil)
	case d.fresh && !(d.sure && isKnown(d.plan.GracePeriodDays, revokes)), revokes.IsUnknown() && len(previous) > 0:
		return types.ListUnknown(predecessorType)
	case d.fresh && d.keepsOld():
		old := d.state.all()[0]
		old.GraceUntil = types.StringUnknown()
		previous = append([]predecessor{old}, previous...)
	}
	return predecessorList(previous)
}

// keepsOld reports whether the old key works next to the new one. A key that another system has rotated keeps the end
// that it got there.
func (d decision) keepsOld() bool {
	return !d.ended && (d.known.Rotated || d.plan.GracePeriodDays.ValueInt64() > 0)
}

// endsNow lists the keys that the change ends without a grace period, or may end as long as revoke_previous_keys is not
// known.
func (d decision) endsNow() []predecessor {
	var ends []predecessor
	revokes := d.plan.RevokePreviousKeys.ValueBool() || d.plan.RevokePreviousKeys.IsUnknown()
	if d.fresh && !d.ended && (revokes || isKnown(d.plan.GracePeriodDays) && !d.keepsOld()) {
		ends = append(ends, d.state.all()[0])
	}
	if revokes {
		ends = append(ends, predecessorsOf(d.state.PreviousKeys)...)
	}
	return ends
}
