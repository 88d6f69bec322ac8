package apikey

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Terraform consolidates warnings with equal summaries, so each summary names its key.

// warnUpdate warns about effects on an existing key that the plan does not show.
func (r *Resource) warnUpdate(ctx context.Context, p *object.Plan[model], d decision) {
	plan, state, name := d.plan, d.state, d.state.displayName()
	r.warnEnds("Changing "+name+d.endsOrMayEnd(), state, d.endsNow(), d.why(), p.Diags)
	if !plan.Scopes.Equal(state.Scopes) {
		plan.warnScopes(p.Diags)
	}
	if !plan.ExpiresAfterDays.Equal(state.ExpiresAfterDays) || !plan.GracePeriodDays.Equal(state.GracePeriodDays) {
		plan.warnLateRenewal(p.Diags)
	}
	end := state.KeyExpiresAt.ValueString()
	switch {
	case d.keepsKey && len(d.differs) > 0 && d.memory.imported:
		p.Diags.AddAttributeWarning(path.Root(d.differs[0]), name+" differs from the configuration",
			fmt.Sprintf("Changing %s requires a new key, which the run that imports a key never creates. The next plan creates "+
				"it. To keep this key, configure the values that it has, which data \"billing_api_key\" shows, and %s.",
				strings.Join(d.differs, ", "), d.expiry()))
	case d.keepsKey && len(d.differs) > 0:
		p.Diags.AddAttributeWarning(path.Root("expires_at"), name+" has expired and is not changed",
			fmt.Sprintf("It expired at %s, so changing %s has no effect at the service. To get a new key, set a later "+
				"expires_at or remove the argument.", end, strings.Join(d.differs, ", ")))
		r.warnUnused(ctx, p, d, false) // of a run that was killed before the key expired
	case d.postponed:
		p.Diags.AddAttributeWarning(path.Root("rotation_due_at"), name+" is due, and the next plan renews it",
			fmt.Sprintf("A new key has been due since %s. Without a refresh, a plan with other changes of the key does not "+
				"renew it. Apply, and plan again.", d.dueAt.ValueString()))
	case d.newKey() && !p.Diags.HasError():
		r.warnNew(ctx, p, d)
	case !d.keepsKey && !d.newKey() && r.endsSoon(ctx, d):
		p.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("%s expires at %s and is not renewed", name, end),
			"expires_at is a fixed time, so a new key would not work longer. Set a later expires_at, or expires_after_days "+
				"instead: then a new key is created in place, and this one keeps working until it expires.")
	}
}

// expiry returns the configuration that accepts the expiry of the key.
func (d decision) expiry() string {
	text := fmt.Sprintf("expires_at = %s", d.state.KeyExpiresAt)
	if !d.plan.ExpiresAfterDays.IsNull() {
		text += " instead of expires_after_days"
	}
	return text
}

// endsSoon reports whether the key ends within its grace period. It sends nothing.
func (r *Resource) endsSoon(ctx context.Context, d decision) bool {
	client, ready := r.Client()
	if !ready || d.ended || !isKnown(d.plan.GracePeriodDays) {
		return false
	}
	return d.endsInGrace(client.ServerTime(ctx))
}

// endsOrMayEnd describes whether the keys of endsNow end or may end.
func (d decision) endsOrMayEnd() string {
	if d.plan.RevokePreviousKeys.IsUnknown() || d.newKey() && !d.certain() {
		return " may end"
	}
	return " ends"
}

// why describes the reason for the new key, and unknown values.
func (d decision) why() (text string) {
	if !d.certain() && d.newKey() {
		text = "Whether there is a new key depends on values that are known only after apply. "
	}
	if d.plan.RevokePreviousKeys.IsUnknown() {
		text += "If revoke_previous_keys (known only after apply) is true, old keys have no grace period. "
	}
	for _, r := range reasons {
		if d.reasons[r.name] == certain {
			text += r.why(d)
		}
	}
	return text
}

// warnNew reports the reason for the new key, and until when the old one works. Keys that end immediately have another
// warning.
func (r *Resource) warnNew(ctx context.Context, p *object.Plan[model], d decision) {
	name, end := d.state.displayName(), d.state.KeyExpiresAt.ValueString()
	client, ready := r.Client()
	if !ready {
		return
	}
	now := client.ServerTime(ctx)
	own := ""
	if r.ownID(d.state) == d.state.ID.ValueString() {
		own = " The provider authenticates with the old key: set collections_api_key to the new one before it stops."
	}
	ended := d.ended || passed(end, now)
	switch {
	case ended:
		p.Diags.AddAttributeWarning(path.Root("rotation_due_at"), fmt.Sprintf("%s expired at %s", name, end),
			d.why()+"The old token has been rejected since "+end+".")
	case d.memory.Rotated:
		r.warnRotated(ctx, p, d)
	case slices.ContainsFunc(d.endsNow(), hasID(d.state.ID.ValueString())):
	case !d.certain():
		p.Diags.AddWarning(name+" may be replaced by a new key", d.why()+d.until(now)+own)
		return
	default:
		p.Diags.AddWarning(name+" is replaced by a new key", d.why()+d.until(now)+own)
	}
	// Otherwise a rotation by a killed run has moved the end of the key, and warnRotated reports it.
	if !d.inherits || d.endsInGrace(now) {
		r.warnUnused(ctx, p, d, !ended && d.memory.Rotated && !d.memory.Lost)
	}
}

// until describes until when the old key works if the plan is applied now.
func (d decision) until(now time.Time) string {
	days := d.plan.GracePeriodDays.ValueInt64()
	switch {
	case !isKnown(d.plan.GracePeriodDays):
		return "The old key works for grace_period_days, which is unknown."
	case d.endsInGrace(now):
		return "The old key works until it expires at " + d.state.KeyExpiresAt.ValueString() + "."
	case now.IsZero():
		return fmt.Sprintf("The old key works for grace_period_days = %d after the apply.", days)
	}
	return fmt.Sprintf("The old key works for grace_period_days = %d after the apply: until %s if applied now.", days,
		timeText(now.AddDate(0, 0, int(days))).ValueString())
}

// warnRotated warns that the key's end was set by a rotation that is not in this state.
func (r *Resource) warnRotated(ctx context.Context, p *object.Plan[model], d decision) {
	end := d.state.KeyExpiresAt.ValueString()
	next := d.why() + "The plan creates a new key with a new token, and keeps the old one in previous_keys until then."
	if d.reasons[byTrigger] == no {
		next += " To avoid a new key, set " + d.expiry() + "."
	}
	if d.memory.Lost {
		p.Diags.AddAttributeWarning(path.Root("expires_at"), d.state.displayName()+" was rotated, but the response was lost",
			fmt.Sprintf("Its end was moved to %s by the apply with the lost response, or by another system since. %s", end,
				next))
		return
	}
	client, _ := r.Client()
	found := r.FindDuplicates(ctx, p, object.Duplicates[collections.APIKey]{List: client.ListAPIKeys,
		Same: func(key collections.APIKey) bool {
			return d.memory.createdSince(d.state, key) && works(ctx, client, &key)
		}})
	p.Diags.AddAttributeWarning(path.Root("expires_at"), d.state.displayName()+" was rotated, but not by this state",
		fmt.Sprintf("Its end was moved to %s, which indicates a rotation by another system, or by a run that was "+
			"interrupted: then its token is lost. %s%s", end, next, belongs(found)))
}

// belongs lists the keys that may be the successor of a rotation that is not in this state, and how to end one.
func belongs(found []collections.APIKey) string {
	if len(found) == 0 {
		return ""
	}
	return "\n\nIts successor belongs to the system that rotated it, or to nobody if a run was interrupted. These keys " +
		"have its name and were created since:" + howToEnd(found)
}

// createdSince reports whether a key has the name of the key m, is newer, and is not in this state.
func (k memory) createdSince(m model, key collections.APIKey) bool {
	since, _ := api.ParseTime(m.since().ValueString())
	created, dated := api.ParseTime(key.CreatedAt)
	return same.Text(key.Name, m.Name.ValueString()) && !ownsKey(m, k, key) && dated && !created.Before(since)
}

// warnUnused reports keys that may be left from a run that was killed before it wrote its state: their tokens are lost.
// elsewhere is true if warnRotated lists those with the name in the state.
func (r *Resource) warnUnused(ctx context.Context, p *object.Plan[model], d decision, elsewhere bool) {
	client, ready := r.Client()
	if !ready {
		return
	}
	since, _ := api.ParseTime(d.state.since().ValueString())
	found := r.FindDuplicates(ctx, p, object.Duplicates[collections.APIKey]{List: client.ListAPIKeys,
		Same: func(key collections.APIKey) bool {
			created, known := api.ParseTime(key.CreatedAt)
			old, named := same.Text(key.Name, d.state.Name.ValueString()), same.Text(key.Name, d.plan.Name.ValueString())
			left := (named || old) && !(old && elsewhere) && !ownsKey(d.state, d.memory, key)
			return left && key.LastUsedAt == nil && works(ctx, client, &key) && known && created.After(since)
		}})
	d.state.warnLeft(found, p.Diags)
}

// warnLeft reports unused keys with the name of the key m, which were created after it.
func (m model) warnLeft(found []collections.APIKey, diags *diag.Diagnostics) {
	if len(found) > 0 {
		diags.AddAttributeWarning(path.Root("name"),
			fmt.Sprintf("%s: unused keys with its name exist (id %s)", m.displayName(), listed(found)),
			"They were created after this key, and do not belong to this resource. They may be left over from an interrupted "+
				"run: then their tokens are lost. They may also belong to another resource or system."+howToEnd(found))
	}
}

// ownsKey reports whether a key is in the state, or is still to be revoked.
func ownsKey(m model, k memory, key collections.APIKey) bool {
	return slices.ContainsFunc(m.all(), hasID(key.ID)) ||
		slices.ContainsFunc(k.Endings, func(e ending) bool { return e.ID == key.ID || e.Successor == key.ID })
}

// warnDuplicate warns about working keys with the same name.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan := p.Planned
	client, ready := r.Client()
	if !ready || plan.Name.IsUnknown() {
		return
	}
	r.WarnDuplicates(ctx, p, object.Duplicates[collections.APIKey]{
		At: path.Root("name"), What: fmt.Sprintf("API key with the name %q", plan.Name.ValueString()),
		List: client.ListAPIKeys,
		Same: func(k collections.APIKey) bool {
			return same.Text(k.Name, plan.Name.ValueString()) && works(ctx, client, &k)
		},
		Summary: line,
		More: "A key that was never used may be left over from an interrupted run, or belong to a system that has not " +
			"used it yet. ",
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

func listed(keys []collections.APIKey) string { return strings.Join(idsOf(keys), ", ") }

// howToEnd lists keys and explains how to end one.
func howToEnd(keys []collections.APIKey) string {
	lines := ""
	for _, k := range keys {
		lines += "  " + k.ID + " " + line(k) + "\n"
	}
	return "\n\n" + lines + "\nTo end an unneeded key, revoke it at the service, or import it at a separate address and " +
		"destroy it:\n\n" + apidiag.ImportBlocks(typeName, idsOf(keys)...)
}

// warnEnds reports which keys stop, or may stop, working in this apply. what describes the cause.
func (r *Resource) warnEnds(what string, m model, keys []predecessor, why string, diags *diag.Diagnostics) {
	if len(keys) == 0 {
		return
	}
	which := "a key"
	if len(keys) > 1 {
		which = fmt.Sprintf("%d keys", len(keys))
	}
	text := why + "Requests with these keys are rejected as soon as the apply ends them:\n"
	own := r.ownID(m)
	for _, k := range keys {
		text += fmt.Sprintf("\n  %s (%s)", k.ID.ValueString(), k.KeyPrefix.ValueString())
		if k.ID.ValueString() == own {
			text += ", with which the provider authenticates"
		}
	}
	diags.AddWarning(fmt.Sprintf("%s %s without a grace period", what, which), text)
}

// warnLateRenewal reports a lifetime without a grace period: a plan renews such a key only after it has expired.
func (m model) warnLateRenewal(diags *diag.Diagnostics) {
	if !m.ExpiresAfterDays.IsNull() && isKnown(m.GracePeriodDays) && m.GracePeriodDays.ValueInt64() == 0 {
		diags.AddAttributeWarning(path.Root("grace_period_days"), fmt.Sprintf("API key %q is renewed only after it has "+
			"expired", m.Name.ValueString()), "With grace_period_days = 0, a plan creates the next key when the old token is "+
			"already rejected. Set grace_period_days to 1 or more.")
	}
}

// warnScopes reports scopes that grant no permission, according to the service's description.
func (m model) warnScopes(diags *diag.Diagnostics) {
	odd, idle := 0, 0
	for _, text := range value.Texts(m.Scopes) {
		switch {
		case strings.HasPrefix(text, "api_keys:") && text != "api_keys:*":
			idle++
		case text != "" && text != "*" && !strings.Contains(text, ":"):
			odd++
		}
	}
	if odd > 0 {
		diags.AddAttributeWarning(path.Root("scopes"), fmt.Sprintf("Scopes of API key %q have no colon",
			m.Name.ValueString()), fmt.Sprintf("Scopes without a colon: %d. Those of the service are patterns such as "+
			"\"webhook_endpoints:read\", \"charges:*\" or \"*\". If the service does not know these, they grant nothing.",
			odd))
	}
	if idle > 0 {
		diags.AddAttributeWarning(path.Root("scopes"), fmt.Sprintf("Scopes of API key %q grant nothing",
			m.Name.ValueString()), fmt.Sprintf("Scopes without an effect: %d. Managing keys, including reading them, "+
			"requires \"api_keys:*\".", idle))
	}
}

// checkExpiry rejects a new key that the service would reject, before any request.
func (r *Resource) checkExpiry(ctx context.Context, plan model, diags *diag.Diagnostics) {
	expiresAt := plan.ExpiresAt.ValueString()
	client, ready := r.Client()
	if !ready || expiresAt == "" {
		return
	}
	if now, _ := client.Now(ctx); passed(expiresAt, now) {
		diags.AddAttributeError(path.Root("expires_at"), fmt.Sprintf("The expires_at of API key %q has passed",
			plan.Name.ValueString()), fmt.Sprintf("The plan creates a key that expires at %q. The service's clock is at %s, "+
			"so the API would reject it. Set a later expires_at, or remove the argument. To end a key, "+
			"remove the resource.", expiresAt, now.Format(time.RFC3339)))
	}
}

// checkLifetime rejects a key with two expiries, or with a successor that would be due immediately. Unknown values may
// still be null: during terraform validate, all variables are unknown.
func (m model) checkLifetime(diags *diag.Diagnostics) {
	lifetime := m.ExpiresAfterDays
	if isKnown(m.ExpiresAt, lifetime) && !m.ExpiresAt.IsNull() && !lifetime.IsNull() {
		diags.AddAttributeError(path.Root("expires_after_days"), fmt.Sprintf("API key %q has two expiries",
			m.Name.ValueString()), "Remove expires_at, a fixed time, or expires_after_days, the lifetime of every new key.")
	}
	grace := m.GracePeriodDays.ValueInt64()
	if m.GracePeriodDays.IsNull() { // the configuration does not contain defaults
		grace = defaultGraceDays
	}
	if days := lifetime.ValueInt64(); isKnown(lifetime, m.GracePeriodDays) && days > 0 && days <= grace {
		diags.AddAttributeError(path.Root("expires_after_days"),
			fmt.Sprintf("The lifetime of API key %q is not longer than its grace period", m.Name.ValueString()),
			fmt.Sprintf("expires_after_days is %d and grace_period_days is %d (default %d): each new key would be due for "+
				"renewal immediately. Write a larger expires_after_days or a smaller grace_period_days.", days, grace,
				int64(defaultGraceDays)))
	}
}

// keyOwn is the key of the private state under which the plan of a key stores the id of the provider's own key, if that
// must not end. The plan of a key that replaces it (terraform plan -replace) has no state and reads it there.
var keyOwn = private.Key("own_key")

func (r *Resource) noteOwnKey(ctx context.Context, p *object.Plan[model]) {
	own := r.ownID(p.State)
	if p.State.Policy().Abandons() || p.State.AllowOwnKey.ValueBool() {
		own = ""
	}
	if own != private.Get[string](ctx, p.Private, keyOwn, p.Diags) {
		private.Set(ctx, p.Private, keyOwn, own, p.Diags)
	}
}

// ownID returns the id of the provider's own key, if that is the current key or one of its predecessors; else "".
func (r *Resource) ownID(m model) string {
	for i, p := range m.all() {
		token := ""
		if i == 0 {
			token = m.Token.ValueString()
		}
		if r.Conn.IsOwnKey(token, p.KeyPrefix.ValueString()) {
			return p.ID.ValueString()
		}
	}
	return ""
}

// checkOwnKey reports an error if the provider's own key is one of ends. If allowed is unknown, it reports no error:
// the apply checks again before the request.
func (r *Resource) checkOwnKey(state model, allowed types.Bool, ends []predecessor, diags *diag.Diagnostics) {
	own := r.ownID(state)
	if !allowed.ValueBool() && !allowed.IsUnknown() && slices.ContainsFunc(ends, hasID(own)) {
		rejectOwnKey(state.displayName(), own, diags)
	}
}

func rejectOwnKey(name, own string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("allow_own_key"), "The provider itself uses "+name,
		fmt.Sprintf("The apply would end the key %s, with which the provider authenticates. Configure another key for the "+
			"provider (collections_api_key). If you replace the provider's key after this apply, set allow_own_key = true; "+
			"to destroy the key, apply that first.", own))
}

// checkOwnKeyInUpdate is checkOwnKey for an update. It ignores a key that another system has rotated or that expires
// anyway, because the update does not end it.
func (r *Resource) checkOwnKeyInUpdate(d decision, diags *diag.Diagnostics) {
	ends := d.endsNow()
	if d.certain() && !d.memory.Rotated && !d.isExpiring() && !d.ended {
		ends = append(ends, d.state.all()[0])
	}
	r.checkOwnKey(d.state, d.plan.AllowOwnKey, ends, diags)
}
