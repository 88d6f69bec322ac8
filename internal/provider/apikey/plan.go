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
	if !d.newKey {
		p.State.secret().Warn(p.State.AgeRecipients, p.Planned.AgeRecipients, encrypt.Names{
			Object: "the " + p.State.displayName(), Clear: "token", Encrypted: "encrypted_token",
			Trigger: "rotate_when_changed"}, p.Diags)
	}
	if !p.Applying {
		if d.certain && !d.inherits {
			r.checkExpiry(ctx, p.Planned, p.Diags)
		}
		r.warnUpdate(ctx, p, d)
		if !d.newKey && !d.ended {
			d.memory.warnOther(p.Planned, p.State, p.Diags)
		}
	}
	p.Planned = d.planned()
}

// decision is what a plan does with an existing key.
type decision struct {
	plan, state model
	memory      memory
	// dueAt is when age or expiry requires a new key; due is true if that time has passed.
	dueAt types.String
	due   bool
	// postponed is true if the key is due, and the next plan renews it.
	postponed bool
	// differs are the changed arguments that require a new key, because keys cannot be updated (wire contract). It does
	// not contain unknown ones.
	differs []string
	// triggered is true if rotate_when_changed requests a new key, or may request one.
	triggered bool
	// ended is true if the key has expired.
	ended bool
	// keepsKey is true if the key is kept regardless of the configuration: this run imports it, or it has ended as
	// configured. Then the configured values are stored in the state, but not sent.
	keepsKey bool
	// certain is true if a new key is created. newKey is true if it is or, depending on unknown values, may be created:
	// then the plan shows the id as unknown, because the apply cannot create a key that the plan has not shown.
	certain, newKey bool
	// inherits is true if the new key has the same values as the old one, so that the service's rotation can create it.
	inherits bool
}

// decideInTime decides a plan. Terraform plans twice, once to show the plan and once inside the apply, perhaps days
// later, and both must decide alike. So a date counts if it had passed at the refresh, which both know. A date that has
// passed since counts only if nothing else about the key changes: then it is the reason for the apply.
func (r *Resource) decideInTime(ctx context.Context, p *object.Plan[model]) decision {
	k := readMemory(ctx, p.Private, p.Diags)
	d := decide(p.Planned, p.State, k, false)
	at, dated := api.ParseTime(d.dueAt.ValueString())
	client, ready := r.Client()
	switch {
	case d.keepsKey || !dated:
		return d
	case k.had(d.dueAt):
		return decide(p.Planned, p.State, k, true)
	case d.certain || !ready || !client.HasPassed(ctx, at):
		return d
	case p.Changes(ctx, d.planned()):
		d.postponed = !d.newKey
		return d
	}
	return decide(p.Planned, p.State, k, true)
}

// decide decides whether to create a new key. due is true if its time has come.
func decide(wanted, state model, k memory, due bool) decision {
	plan := wanted.accepting(state, k)
	plan.KeyExpiresAt, plan.RotatedAt, plan.CreatedAt = state.KeyExpiresAt, state.RotatedAt, state.CreatedAt
	d := decision{plan: plan, state: state, memory: k, due: due, dueAt: plan.dueAt(),
		differs: plan.changedArguments(state, k),
		ended:   k.had(state.KeyExpiresAt)}
	if k.Rotated && plan.wouldLastLonger() {
		d.dueAt = earliest(d.dueAt, state.RotationDueAt)
	}
	if d.keepsKey = k.imported || d.endedAsConfigured(); d.keepsKey {
		return d
	}
	d.triggered = object.Triggered(state.RotateWhenChanged, plan.RotateWhenChanged)
	d.certain = len(d.differs) > 0 || due || d.triggered && isKnown(plan.RotateWhenChanged)
	d.newKey = d.certain || d.triggered || d.mayDiffer()
	d.inherits = plan.isDescribed() && d.canInherit()
	return d
}

// endedAsConfigured reports whether the key has expired at its configured, unchanged expires_at.
func (d decision) endedAsConfigured() bool {
	return d.ended && d.memory.had(d.state.ExpiresAt.StringValue) && d.plan.ExpiresAt.Means(d.state.ExpiresAt)
}

// mayDiffer reports whether unknown values may require a new key.
func (d decision) mayDiffer() bool {
	return !d.plan.isDescribed() || !d.dueAt.IsNull() && !d.plan.isKnown()
}

// canInherit reports whether a successor may inherit all values of the key.
func (d decision) canInherit() bool {
	return len(d.differs) == 0 && d.plan.ExpiresAfterDays.IsNull() && !d.isExpiring() && !d.ended && !d.memory.Rotated
}

// isExpiring reports whether the key is near its end, so that its successor needs a later one.
func (d decision) isExpiring() bool {
	at, renewed := d.plan.renewalAt()
	return renewed && (d.memory.had(timeText(at)) || d.due && d.dueAt.Equal(timeText(at)))
}

// changedArguments lists the known arguments that differ from the key. An expiry differs only if the argument changes:
// the one chosen by the service is accepted.
func (m model) changedArguments(state model, k memory) (names []string) {
	compare := func(name string, value, is attr.Value) {
		if isKnown(value) && !value.Equal(is) && !k.accepts(name, value, is) {
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

// isKnown reports whether all values are known, including the elements of sets and maps.
func isKnown(values ...attr.Value) bool {
	return !slices.ContainsFunc(values, func(v attr.Value) bool {
		raw, err := v.ToTerraformValue(context.Background())
		return err != nil || !raw.IsFullyKnown()
	})
}

// isDescribed reports whether all values that the creation of a key sends are known.
func (m model) isDescribed() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays)
}

// isKnown reports whether all arguments are known.
func (m model) isKnown() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays, m.GracePeriodDays,
		m.RotateWhenChanged, m.RotateAfterDays, m.RevokePreviousKeys, m.AllowOwnKey, m.DeletionPolicy, m.AgeRecipients)
}

// planned marks only those values unknown that this change may affect; the schema keeps the other computed values.
func (d decision) planned() model {
	plan := d.plan
	plan.RotationDueAt, plan.PreviousKeys = d.dueAt, d.previousKeys()
	if d.newKey {
		for _, computed := range []*types.String{&plan.ID, &plan.KeyPrefix, &plan.Source, &plan.RotatedAt,
			&plan.RotationDueAt, &plan.KeyExpiresAt} {
			*computed = types.StringUnknown()
		}
	}
	// While a value is unknown, it may turn out that a rotation creates the key.
	created := len(d.differs) > 0 || d.plan.isDescribed() && !d.inherits
	if d.certain && (created || d.state.KeyExpiresAt.IsNull()) {
		plan.RotationDueAt = d.plan.dueOfNew()
	}
	plan.setSecret(d.state.secret().Planned(plan.AgeRecipients, d.newKey))
	return plan
}

// previousKeys returns the list after the apply. The old key is its first element; the service determines its end.
func (d decision) previousKeys() types.List {
	revokes, previous := d.plan.RevokePreviousKeys, predecessorsOf(d.state.PreviousKeys)
	switch {
	case len(d.memory.Endings) > 0:
		return types.ListUnknown(predecessorType)
	case revokes.ValueBool():
		return predecessorList(nil)
	case d.newKey && !(d.certain && isKnown(d.plan.GracePeriodDays, revokes)), revokes.IsUnknown() && len(previous) > 0:
		return types.ListUnknown(predecessorType)
	case d.newKey && d.keepsOld():
		old := d.state.all()[0]
		old.GraceUntil = types.StringUnknown()
		previous = append([]predecessor{old}, previous...)
	}
	return predecessorList(previous)
}

// keepsOld reports whether the old key has a grace period. A key that another system has rotated keeps the end from
// that rotation.
func (d decision) keepsOld() bool {
	return !d.ended && (d.memory.Rotated || d.plan.GracePeriodDays.ValueInt64() > 0)
}

// endsNow lists the keys that the change ends without a grace period, or may end while revoke_previous_keys is unknown.
func (d decision) endsNow() []predecessor {
	var ends []predecessor
	revokes := d.plan.RevokePreviousKeys.ValueBool() || d.plan.RevokePreviousKeys.IsUnknown()
	if d.newKey && !d.ended && (revokes || isKnown(d.plan.GracePeriodDays) && !d.keepsOld()) {
		ends = append(ends, d.state.all()[0])
	}
	if revokes {
		ends = append(ends, predecessorsOf(d.state.PreviousKeys)...)
	}
	return ends
}
