package apikey

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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
	r.refuseOwn(p.State, p.State.AllowOwnKey, "destroy", p.State.all(), p.Diags)
	keys := p.State.all()
	if readKnown(ctx, p.Private, p.Diags).expired() {
		keys = keys[1:]
	}
	warnEnds("Destroying", p.State, keys, p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	r.refusePast(ctx, p.Planned, p.Diags)
	p.Planned.refuseLifetime(p.Diags)
	if own := object.Private[string](ctx, p.Private, keyOwn, p.Diags); own != "" {
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
	plan := d.plan
	if d.fresh {
		for _, computed := range []*types.String{&plan.ID, &plan.KeyPrefix, &plan.Source, &plan.RotatedAt,
			&plan.RotationDueAt} {
			*computed = types.StringUnknown()
		}
	} else {
		plan.RotationDueAt = plan.dueAt(d.known.end())
	}
	plan.setSecret(d.state.secret().Planned(plan.AgeRecipients, d.fresh))
	revokes := plan.RevokePreviousKeys
	has := len(d.state.PreviousKeys.Elements()) > 0
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

// refusePast refuses a new key that the service would not create, before anything else happens.
func (r *Resource) refusePast(ctx context.Context, plan model, diags *diag.Diagnostics) {
	expiresAt := plan.ExpiresAt.ValueString()
	client, ready := r.Client()
	if !ready || expiresAt == "" {
		return
	}
	if now, _ := client.Now(ctx); passed(expiresAt, now) {
		diags.AddAttributeError(path.Root("expires_at"), fmt.Sprintf("The expires_at of API key %q has passed",
			plan.Name.ValueString()), fmt.Sprintf("The plan creates a key that is to expire at %q. The clock of the service "+
			"shows %s already, so the API would reject it. Set a later expires_at, or remove the argument. To end a key, "+
			"remove the resource.", expiresAt, now.Format(time.RFC3339)))
	}
}

// refuseLifetime refuses a key with two expiries, and one whose successor would be due before the key is used. What is
// not known yet, as every variable is to terraform validate, may still be null.
func (m model) refuseLifetime(diags *diag.Diagnostics) {
	lifetime := m.ExpiresAfterDays
	if isKnown(m.ExpiresAt, lifetime) && !m.ExpiresAt.IsNull() && !lifetime.IsNull() {
		diags.AddAttributeError(path.Root("expires_after_days"), fmt.Sprintf("API key %q has two expiries",
			m.Name.ValueString()), "Remove expires_at, a fixed time, or expires_after_days, the lifetime of every new key.")
	}
	if days := lifetime.ValueInt64(); isKnown(lifetime, m.GracePeriodDays) && days > 0 && days <= m.graceDays() {
		diags.AddAttributeError(path.Root("expires_after_days"),
			fmt.Sprintf("The lifetime of API key %q is not longer than its grace period", m.Name.ValueString()),
			fmt.Sprintf("expires_after_days is %d and grace_period_days is %d (its default is %d): each new key would be due "+
				"for renewal immediately. Write a larger expires_after_days or a smaller grace_period_days.", days, m.graceDays(),
				int64(defaultGraceDays)))
	}
}

// Terraform folds warnings with equal summaries, so each summary names its key.

// warnUpdate reports what the plan of a key that exists does not show by itself.
func (r *Resource) warnUpdate(ctx context.Context, p *object.Plan[model], d decision) {
	plan, state, name := d.plan, d.state, d.state.displayName()
	warnEnds("Changing", state, d.endsNow(), p.Diags)
	if !plan.Scopes.Equal(state.Scopes) {
		plan.warnScopes(p.Diags)
	}
	end, expiry := d.known.end().ValueString(), fmt.Sprintf("expires_at = %s", d.known.end())
	if !plan.ExpiresAfterDays.IsNull() {
		expiry += " instead of expires_after_days"
	}
	switch {
	case d.held && len(d.differs) > 0 && d.known.Imported:
		p.Diags.AddAttributeWarning(path.Root(d.differs[0]), name+" differs from the configuration",
			fmt.Sprintf("Only a new key can have the configured %s, and the run that imports a key creates none. The next "+
				"plan creates it, and this key keeps working for grace_period_days after that. To keep this key, set what it "+
				"has: name = %s, description = %s, scopes = %s, %s.", strings.Join(d.differs, ", "), state.Name,
				state.Description, state.Scopes, expiry))
	case d.held && len(d.differs) > 0:
		p.Diags.AddAttributeWarning(path.Root("expires_at"), name+" has expired and does not change",
			fmt.Sprintf("It expired at %s, so the change of %s has no effect at the service. To get a new key, set a later "+
				"expires_at or remove the argument.", end, strings.Join(d.differs, ", ")))
	case d.moved:
		p.Diags.AddAttributeWarning(path.Root("expires_at"), name+" was rotated outside of Terraform",
			fmt.Sprintf("Its end was moved to %s, as a rotation does. The plan creates a new key with a new token, and leaves "+
				"the old one in previous_keys until then. To create no new key, set %s.", end, expiry))
	case !d.held && !d.fresh && d.known.endsSoon(plan) && !d.known.expired():
		p.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("%s expires at %s and is not renewed", name, end),
			"expires_at is a fixed time, so no new key could live longer. Set a later expires_at, or expires_after_days "+
				"instead: then a new key is created in place, and this one keeps working until it expires.")
	}
	if d.fresh && !d.inherits {
		r.warnUnused(ctx, p, d)
	}
}

// warnUnused names keys that a run may have left that was killed before it wrote its state: nobody has their tokens.
func (r *Resource) warnUnused(ctx context.Context, p *object.Plan[model], d decision) {
	client, ready := r.Client()
	if !ready {
		return
	}
	since, _ := api.Moment(d.state.since().ValueString())
	found := r.Existing(ctx, p, object.Existing[collections.APIKey]{List: client.ListAPIKeys,
		Same: func(key collections.APIKey) bool {
			created, known := api.Moment(key.CreatedAt)
			named := key.Name == d.plan.Name.ValueString() || key.Name == d.state.Name.ValueString()
			return named && !owned(d.state, d.known, key) && key.LastUsedAt == nil && works(ctx, client, &key) && known &&
				created.After(since)
		}})
	if len(found) > 0 {
		p.Diags.AddAttributeWarning(path.Root("name"),
			fmt.Sprintf("%s: unused keys of its name exist (id %s)", d.state.displayName(), listed(found)),
			"They were created after this key, and are not part of this resource. They may be left from an interrupted run: "+
				"then nobody has their tokens. They may also belong to another resource or system."+howToEnd(found))
	}
}

// owned reports whether a key is in the state, or one that is left to be revoked.
func owned(m model, k known, key collections.APIKey) bool {
	return slices.ContainsFunc(m.all(), named(key.ID)) ||
		slices.ContainsFunc(k.Endings, func(e ending) bool { return e.ID == key.ID || e.Successor == key.ID })
}

// warnDuplicate warns about working keys of the same name.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan := p.Planned
	client, ready := r.Client()
	if !ready || plan.Name.IsUnknown() {
		return
	}
	r.WarnExisting(ctx, p, object.Existing[collections.APIKey]{
		At: path.Root("name"), What: fmt.Sprintf("API key with the name %q", plan.Name.ValueString()),
		List: client.ListAPIKeys,
		Same: func(k collections.APIKey) bool { return k.Name == plan.Name.ValueString() && works(ctx, client, &k) },
		Line: line,
		More: "A key that was never used may be left from an interrupted run: nobody has its token.",
	})
}

// line describes a key after its id.
func line(k collections.APIKey) string {
	used := "never used"
	if k.LastUsedAt != nil {
		used = "last used " + *k.LastUsedAt
	}
	return fmt.Sprintf("(%s, created %s, %s)", k.KeyPrefix, k.CreatedAt, used)
}

func idsOf(keys []collections.APIKey) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	return ids
}

// listed are the ids of keys in a message.
func listed(keys []collections.APIKey) string { return strings.Join(idsOf(keys), ", ") }

// howToEnd lists keys, with the way to end one.
func howToEnd(keys []collections.APIKey) string {
	lines := ""
	for _, k := range keys {
		lines += "  " + k.ID + " " + line(k) + "\n"
	}
	return "\n\n" + lines + "\nTo end a key that nobody needs, revoke it at the service, or import it " +
		"at an address of its own and destroy it:\n\n" + apidiag.ImportBlocks(typeName, idsOf(keys)...)
}

// warnEnds reports which keys stop working in this apply.
func warnEnds(verb string, m model, keys []predecessor, diags *diag.Diagnostics) {
	if len(keys) == 0 {
		return
	}
	what := "a key"
	if len(keys) > 1 {
		what = fmt.Sprintf("%d keys", len(keys))
	}
	text := "What uses these keys is rejected as soon as the apply ends them:\n"
	for _, k := range keys {
		text += fmt.Sprintf("\n  %s (%s)", k.ID.ValueString(), k.KeyPrefix.ValueString())
	}
	diags.AddWarning(fmt.Sprintf("%s %s ends %s without a grace period", verb, m.displayName(), what), text)
}

// warnScopes reports scopes that do not look like those that the service describes.
func (m model) warnScopes(diags *diag.Diagnostics) {
	var odd []string
	for _, text := range value.Texts(m.Scopes) {
		if text != "" && text != "*" && !strings.Contains(text, ":") {
			odd = append(odd, fmt.Sprintf("%q", text))
		}
	}
	if len(odd) > 0 {
		diags.AddAttributeWarning(path.Root("scopes"), fmt.Sprintf("API key %q has unusual scopes: %s",
			m.Name.ValueString(), strings.Join(odd, ", ")), "Scopes of the service are patterns such as "+
			"\"webhook_endpoints:read\", \"charges:*\" or \"*\". If the service knows none like these, the key has no "+
			"permission.")
	}
}
