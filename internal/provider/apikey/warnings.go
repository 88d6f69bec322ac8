package apikey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Terraform folds warnings with equal summaries, so each summary names its key.

// warnUpdate reports what the plan of a key that exists does not show by itself.
func (r *Resource) warnUpdate(ctx context.Context, p *object.Plan[model], d decision) {
	plan, state, name := d.plan, d.state, d.state.displayName()
	warnEnds("Changing", state, d.endsNow(), p.Diags)
	if !plan.Scopes.Equal(state.Scopes) {
		plan.warnScopes(p.Diags)
	}
	end := d.known.end().ValueString()
	switch {
	case d.held && len(d.differs) > 0 && d.known.Imported:
		p.Diags.AddAttributeWarning(path.Root(d.differs[0]), fmt.Sprintf("%s differs from the configuration", name),
			fmt.Sprintf("Only a new key can have the configured %s, and the run that imports a key creates none. The next "+
				"plan creates it, and this key keeps working for grace_period_days after that. To keep this key, set what it "+
				"has: %s.", strings.Join(d.differs, ", "), state.configured(end)))
	case d.held && len(d.differs) > 0:
		p.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("%s has expired and does not change", name),
			fmt.Sprintf("It expired at %s, so the change of %s has no effect at the service. To get a new key, set a later "+
				"expires_at or remove the argument.", end, strings.Join(d.differs, ", ")))
	case d.moved:
		p.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("%s was rotated outside of Terraform", name),
			fmt.Sprintf("Its end was moved to %s, as a rotation does. The plan creates a new key with a new token, and leaves "+
				"the old one in previous_keys until then. To create no new key, set expires_at = %[1]q.", end))
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
	if !ready || p.Run == nil {
		return
	}
	all, err := run.Listed(ctx, p.Run, typeName, client.ListAPIKeys)
	if err != nil {
		return
	}
	since, _ := api.Moment(d.state.since().ValueString())
	var found []collections.APIKey
	for _, key := range all {
		created, known := api.Moment(key.CreatedAt)
		named := key.Name == d.plan.Name.ValueString() || key.Name == d.state.Name.ValueString()
		unused := key.LastUsedAt == nil && ended(&key, r.now(ctx)) == ""
		if named && !owned(d.state, d.known, key) && unused && known && created.After(since) {
			found = append(found, key)
		}
	}
	if len(found) > 0 {
		p.Diags.AddAttributeWarning(path.Root("name"),
			fmt.Sprintf("%s: unused keys of its name exist (id %s)", d.state.displayName(), strings.Join(idsOf(found), ", ")),
			"They were created after this key, and are not part of this resource. They may be left from an interrupted run: "+
				"then nobody has their tokens. They may as well belong to another resource or system."+howToEnd(found))
	}
}

// owned reports whether a key is in the state, or one that is left to be revoked.
func owned(m model, k known, key collections.APIKey) bool {
	return slices.ContainsFunc(m.all(), func(p predecessor) bool { return p.id.ValueString() == key.ID }) ||
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
		Same: func(k collections.APIKey) bool {
			return k.Name == plan.Name.ValueString() && ended(&k, r.now(ctx)) == ""
		},
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

// howToEnd lists keys, with the way to end one.
func howToEnd(keys []collections.APIKey) string {
	text, blocks := "\n\n", "\n\nTo end a key that nobody needs, revoke it at the service, or import it at an address of "+
		"its own and destroy it:"
	for _, k := range keys {
		text += "  " + k.ID + " " + line(k) + "\n"
		blocks += "\n\n" + apidiag.ImportBlock(typeName, k.ID)
	}
	return strings.TrimSuffix(text, "\n") + blocks
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
	text := "This apply ends, so that whatever uses it is rejected from then on:\n"
	for _, k := range keys {
		text += fmt.Sprintf("\n  %s (%s)", k.id.ValueString(), k.prefix.ValueString())
	}
	diags.AddWarning(fmt.Sprintf("%s %s ends %s without a grace period", verb, m.displayName(), what), text)
}

// working are the keys that end with the resource and have not ended yet.
func (k known) working(m model) []predecessor {
	if k.expired() {
		return predecessorsOf(m.PreviousKeys)
	}
	return m.all()
}

// warnScopes reports scopes that do not look like those that the service describes.
func (m model) warnScopes(diags *diag.Diagnostics) {
	var odd []string
	for _, element := range m.Scopes.Elements() {
		scope, isText := element.(types.String)
		if text := scope.ValueString(); isText && text != "" && text != "*" && !strings.Contains(text, ":") {
			odd = append(odd, fmt.Sprintf("%q", text))
		}
	}
	if len(odd) > 0 {
		diags.AddAttributeWarning(path.Root("scopes"), fmt.Sprintf("API key %q has unusual scopes: %s",
			m.Name.ValueString(), strings.Join(odd, ", ")), "Scopes of the service are patterns such as "+
			"\"webhook_endpoints:read\", \"charges:*\" or \"*\". If the service knows none like these, the key can be used for "+
			"nothing.")
	}
}

// configured is what the configuration of the key needs to describe it.
func (m model) configured(end string) string {
	expiry := "no expires_at"
	if end != "" {
		expiry = fmt.Sprintf("expires_at = %q", end)
	}
	return fmt.Sprintf("name = %s, description = %s, scopes = %s, %s", m.Name, m.Description, m.Scopes, expiry)
}

// lostKey reports a creation or a rotation whose response was lost, and with it the token; false where it was another
// error. What the resource owns, as owns says, is not what was lost.
func lostKey(err error, name, next string, owns func(collections.APIKey) bool, diags *diag.Diagnostics) bool {
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	text := apidiag.Text(err) + "\n\nNothing was repeated, because each request creates another key. "
	summary := fmt.Sprintf("The response to the creation of %s was lost", name)
	found := slices.DeleteFunc(slices.Clone(lost.Found), owns)
	if len(found) == 0 {
		text += "No key of the name is listed that was created since and never used, so there is probably none. "
		diags.AddError(summary, text+next)
		return true
	}
	diags.AddError(fmt.Sprintf("%s; it may be %s", summary, strings.Join(idsOf(found), ", ")), text+
		"These keys have the name, were created since, and were never used. The token of the new one is lost; one may as "+
		"well belong to another system. "+next+howToEnd(found))
	return true
}
