package apikey

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// ModifyPlan decides whether there is a new key, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	if p.State.Policy().Abandons() {
		return
	}
	r.refuseOwn(p.State, p.State.AllowOwnKey, "destroy", p.State.all(), p.Diags)
	warnEnds("Destroying", p.State, readKnown(ctx, p.Private, p.Diags).working(p.State), p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	r.refusePast(ctx, p.Planned, p.Diags)
	p.Planned.refuseLifetime(p.Diags)
	if own := private.Get[string](ctx, p.Private, keyOwn, p.Diags); own != "" {
		refuseOwn("replace", p.Planned.displayName(), own, p.Diags)
	}
	if !p.InApply() {
		r.warnDuplicate(ctx, p)
		p.Planned.warnScopes(p.Diags)
	}
	p.Planned.RotatedAt, p.Planned.PreviousKeys = types.StringNull(), predecessorList(nil)
	p.Planned.RotationDueAt = types.StringUnknown()
	p.Planned.setSecret(encrypt.Secret{}.Planned(p.Planned.AgeRecipients, true))
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	id := p.State.ID.ValueString()
	applying := p.Run.Applying(typeName, id, p.DeferralAllowed)
	p.Update(ctx, id)
	p.Planned.ExpiresAt = p.Planned.ExpiresAt.Or(p.State.ExpiresAt)
	d := decide(p.Planned, p.State, readKnown(ctx, p.Private, p.Diags))
	p.Planned.refuseLifetime(p.Diags)
	if d.sure && !d.inherits {
		r.refusePast(ctx, p.Planned, p.Diags)
	}
	r.refuseOwnInUpdate(d, p.Diags)
	r.handOn(ctx, p)
	if !d.fresh {
		p.State.secret().Warn(p.State.AgeRecipients, p.Planned.AgeRecipients, encrypt.Names{
			Object: "the " + p.State.displayName(), Clear: "token", Encrypted: "encrypted_token",
			Trigger: "rotate_when_changed"}, p.Diags)
	}
	if !applying {
		r.warnUpdate(ctx, p, d)
	}
	p.Planned = d.planned()
}

// decision is what becomes of a key that exists.
type decision struct {
	plan, state model
	known       known
	// differs are the arguments that only a new key can have: there is no update of a key (wire contract). What is not
	// known yet is not among them.
	differs []string
	// held says that the key stays as it is whatever is configured: this run imports it, or it has ended as configured.
	// What is configured is in the state then, and is sent nowhere.
	held bool
	// sure says that a new key comes. fresh says that it comes, or may come as long as something is not known: then the
	// plan shows the id as unknown, because the apply cannot create a key that no plan has shown.
	sure, fresh bool
	// moved says that another system has rotated the key, and the configuration does not accept its end.
	moved bool
	// inherits says that the new key has everything from the old one, so that the service's own rotation creates it.
	inherits bool
}

func decide(plan, state model, k known) decision {
	d := decision{plan: plan, state: state, known: k, differs: plan.unlike(state, k)}
	d.held = k.Imported || k.expired() && k.Ended && plan.ExpiresAt.Means(state.ExpiresAt)
	if d.held {
		return d
	}
	triggered, overdue := object.Triggered(state.RotateWhenChanged, plan.RotateWhenChanged), k.overdue(plan)
	renews := k.endsSoon(plan) && plan.outlives(k.end())
	d.moved = k.Rotated && !plan.ExpiresAt.IsUnknown() && !plan.ExpiresAt.Means(k.end())
	described := isKnown(plan.Name, plan.Description, plan.Scopes, plan.ExpiresAt, plan.ExpiresAfterDays)
	d.sure = len(d.differs) > 0 || d.moved || triggered && isKnown(plan.RotateWhenChanged) ||
		overdue && isKnown(plan.RotateAfterDays) || renews && isKnown(plan.GracePeriodDays, plan.ExpiresAt)
	d.fresh = d.sure || triggered || overdue || renews || !described
	d.inherits = described && len(d.differs) == 0 && plan.ExpiresAfterDays.IsNull() && !d.moved && !renews && !k.expired()
	return d
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
	imported := k.Imported || k.Owed
	relative := !m.ExpiresAfterDays.Equal(state.ExpiresAfterDays)
	switch {
	case !isKnown(m.ExpiresAt, m.ExpiresAfterDays), !imported && !relative && m.ExpiresAt.Means(state.ExpiresAt):
	case !m.ExpiresAfterDays.IsNull() && (!imported || k.end().IsNull()):
		names = append(names, "expires_after_days")
	case m.ExpiresAfterDays.IsNull() && (k.Expiry == nil || !m.ExpiresAt.Means(k.end())):
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

// planned makes unknown only what this change can touch; the schema keeps the other computed values.
func (d decision) planned() model {
	plan, state := d.plan, d.state
	if d.fresh {
		plan.ID, plan.KeyPrefix, plan.Source, plan.RotatedAt, plan.RotationDueAt = types.StringUnknown(),
			types.StringUnknown(), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	} else {
		plan.RotationDueAt = plan.dueAt(d.known.end())
	}
	plan.setSecret(state.secret().Planned(plan.AgeRecipients, d.fresh))
	revokes := plan.RevokePreviousKeys
	has := len(state.PreviousKeys.Elements()) > 0
	switch {
	case len(d.known.Endings) > 0, d.fresh && !revokes.ValueBool(), has && revokes.IsUnknown():
		plan.PreviousKeys = types.ListUnknown(predecessorType)
	case revokes.ValueBool():
		plan.PreviousKeys = predecessorList(nil)
	}
	return plan
}

// endsNow lists the keys that the change ends without a grace period.
func (d decision) endsNow() []predecessor {
	var ends []predecessor
	revokes := d.plan.RevokePreviousKeys.ValueBool()
	noGrace := isKnown(d.plan.GracePeriodDays) && d.plan.graceDays() == 0 && !d.known.Rotated
	if d.fresh && !d.known.expired() && (revokes || noGrace) {
		ends = append(ends, d.state.all()[0])
	}
	if revokes {
		ends = append(ends, predecessorsOf(d.state.PreviousKeys)...)
	}
	return ends
}

// now is the service's time, or zero as long as it is not known.
func (r *Resource) now(ctx context.Context) time.Time {
	client, ready := r.Client()
	if !ready {
		return time.Time{}
	}
	now, _ := client.Now(ctx)
	return now
}

// refusePast refuses a new key that the service would not create, before anything else happens.
func (r *Resource) refusePast(ctx context.Context, plan model, diags *diag.Diagnostics) {
	expiresAt := plan.ExpiresAt.ValueString()
	if expiresAt == "" {
		return
	}
	if now := r.now(ctx); passed(expiresAt, now) {
		diags.AddAttributeError(path.Root("expires_at"), fmt.Sprintf("The expires_at of API key %q has passed",
			plan.Name.ValueString()), fmt.Sprintf("The plan creates a key that is to expire at %q. The clock of the service "+
			"shows %s already, so the API would reject it. Set a later expires_at, or remove the argument. To end a key, "+
			"remove the resource.", expiresAt, now.Format(time.RFC3339)))
	}
}

// refuseLifetime refuses a key whose successor would be due before the key is used.
func (m model) refuseLifetime(diags *diag.Diagnostics) {
	lifetime := m.ExpiresAfterDays
	if days := lifetime.ValueInt64(); isKnown(lifetime, m.GracePeriodDays) && days > 0 && days <= m.graceDays() {
		diags.AddAttributeError(path.Root("expires_after_days"),
			fmt.Sprintf("The lifetime of API key %q is not longer than its grace period", m.Name.ValueString()),
			fmt.Sprintf("expires_after_days is %d and grace_period_days is %d (its default is %d). A new key is created "+
				"grace_period_days before the old one expires, so that would be at once. Write a larger expires_after_days "+
				"or a smaller grace_period_days.", days, m.graceDays(), int64(defaultGraceDays)))
	}
}

// keyOwn is where the plan of a key hands on to the plan of a key that replaces it (terraform plan -replace) which
// one is the provider's own and may not end: that plan has no state.
const keyOwn = "own_key"

func (r *Resource) handOn(ctx context.Context, p *object.Plan[model]) {
	own := r.ownID(p.State)
	if p.State.Policy().Abandons() || p.State.AllowOwnKey.ValueBool() {
		own = ""
	}
	if own != private.Get[string](ctx, p.Private, keyOwn, p.Diags) {
		private.Set(ctx, p.Private, keyOwn, own, p.Diags)
	}
}

// ownID is the id of the key that the provider itself uses, where that is the current key or one of its predecessors;
// else empty.
func (r *Resource) ownID(m model) string {
	if r.Conn.IsOwnKey(m.Token.ValueString(), m.KeyPrefix.ValueString()) {
		return m.ID.ValueString()
	}
	for _, p := range predecessorsOf(m.PreviousKeys) {
		if r.Conn.IsOwnKey("", p.prefix.ValueString()) {
			return p.id.ValueString()
		}
	}
	return ""
}

// refuseOwn reports an error when verb would end the key that the provider itself uses, which is one of ends. As long
// as it is not known whether that is allowed, nothing is refused: the question is asked again before the call.
func (r *Resource) refuseOwn(state model, allowed types.Bool, verb string, ends []predecessor,
	diags *diag.Diagnostics) {
	own := r.ownID(state)
	if !allowed.ValueBool() && !allowed.IsUnknown() && slices.ContainsFunc(ends,
		func(p predecessor) bool { return p.id.ValueString() == own }) {
		refuseOwn(verb, state.displayName(), own, diags)
	}
}

func refuseOwn(verb, name, own string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("allow_own_key"), fmt.Sprintf("The provider itself uses %s", name),
		fmt.Sprintf("To %s it would end the key %s, with which the provider authenticates. The provider would lose "+
			"access to the collections service, in this run or when the grace period ends. Configure another key for "+
			"the provider (collections_api_key). If you replace the provider's key after this apply, set "+
			"allow_own_key = true; to destroy the key, apply that first.", verb, own))
}

// refuseOwnInUpdate is refuseOwn for what an update does. A key that another system has rotated, or that expires by
// itself, is not ended by the update.
func (r *Resource) refuseOwnInUpdate(d decision, diags *diag.Diagnostics) {
	ends := d.endsNow()
	if d.sure && !d.known.Rotated && !d.known.endsSoon(d.plan) {
		ends = append(ends, d.state.all()[0])
	}
	r.refuseOwn(d.state, d.plan.AllowOwnKey, "change", ends, diags)
}

// ownLast puts the provider's own key behind all others: nothing can be revoked after it.
func (r *Resource) ownLast(m model, keys []predecessor) []predecessor {
	own := r.ownID(m)
	isOwn := func(p predecessor) bool { return p.id.ValueString() == own }
	others := slices.DeleteFunc(slices.Clone(keys), isOwn)
	if i := slices.IndexFunc(keys, isOwn); i >= 0 {
		return append(others, keys[i])
	}
	return others
}
