// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the
// data sources and the list resource. rotation.go creates a new key and ends the old ones.
package apikey

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

type base = object.Resource[*collections.Service, collections.APIKey, model]

// Resource is billing_api_key.
type Resource struct{ base }

var _ object.Managed = (*Resource)(nil)

// NewResource returns the resource.
func NewResource() resource.Resource {
	return &Resource{base{Scheme: scheme,
		After: func(key *collections.APIKey, prior model) model { return prior.shows(key) },
		Needs: func(m model) []object.Need {
			return []object.Need{{Argument: "expires_at", Value: m.ExpiresAt.ValueString()}}
		},
		Lacks: func(ctx context.Context, client *collections.Service, need object.Need) (string, error) {
			if at, ok := api.Moment(need.Value); ok && client.HasPassed(ctx, at) {
				return "By the clock of the service, this time has passed. Set a later one, and plan again.", nil
			}
			return "", nil
		}}}
}

// scheme is how keys are named and found.
var scheme = object.Scheme[*collections.Service, collections.APIKey]{
	TypeName: typeName, Noun: "API key", Key: "name", AnyID: true, MutableIdentity: true,
	Service: conn.Collections,
	ID:      func(k *collections.APIKey) string { return k.ID },
	Get:     (*collections.Service).GetAPIKey,
	Listed:  (*collections.Service).RefreshAPIKey,
	Again:   "creates a new key, with a new token",
	Find: func(ctx context.Context, client *collections.Service, by object.Selector) ([]collections.APIKey, error) {
		return client.FindAPIKeys(ctx, by.Value)
	},
	Line: func(k *collections.APIKey) string {
		return fmt.Sprintf("%s  %s (created %s)", k.ID, k.KeyPrefix, k.CreatedAt)
	},
	Refuse: func(ctx context.Context, client *collections.Service, k *collections.APIKey, _ object.Selector,
		diags *diag.Diagnostics) {
		if end := ended(k, client.Shown(ctx)); end != "" {
			diags.AddError(fmt.Sprintf("API key %q (id %s) does not work any more", k.Name, k.ID), fmt.Sprintf("It %s, so "+
				"there is nothing to manage. Remove the import and let a new key be created.", end))
		}
	},
}

// ValidateConfig reports arguments that cannot be used together.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.refuseLifetime(&resp.Diagnostics)
}

// write is a creation, an update or a deletion in progress.
type write struct {
	*object.Write[*collections.Service, collections.APIKey, model]
	// before is what Terraform has; zero for a creation. known is what the private state holds.
	before model
	known  known
	// spent is the error that says that the key was rotated or revoked since the plan; nil where it is not known.
	spent error
	// lost says that an earlier apply may have rotated the key: its response was lost.
	lost bool
}

type step = object.Step[collections.APIKey]

// note writes down what is known.
func (w *write) note(ctx context.Context) { w.known.write(ctx, w.Private, w.Diags) }

// owns reports whether a key is known, so that it is none that a lost response has left.
func (w *write) owns(key collections.APIKey) bool {
	return owned(w.before, w.known, key) || owned(w.State, w.known, key)
}

// Create creates the key and writes its token to the state at once, as it is never shown again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	if !ok || begun.Diags.HasError() {
		return
	}
	w := &write{Write: begun}
	if w.create(ctx, "A second apply creates another key.", func(time.Time) []predecessor { return nil }) {
		w.complete(ctx, false)
		w.Finish(ctx)
	}
}

// Read refreshes the state. A key that another system has ended is planned for re-creation; one whose expires_at has
// passed has ended as configured, so it stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	g, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	had := readKnown(ctx, g.Private, g.Diags)
	k := had
	g.Client.Wrote(g.Prior.ID.ValueString(), g.Prior.since().ValueString(), "")
	g.After = func(key *collections.APIKey, prior model) (state model) {
		state, k = prior.read(key, had, g.Importing, g.Client.Shown(ctx))
		return state
	}
	if !g.Find(ctx) {
		return
	}
	now := g.Client.Shown(ctx)
	left := predecessorsOf(g.Prior.PreviousKeys)
	revoked := g.Last == nil || g.Last.RevokedAt != nil
	if revoked && !passed(g.Prior.ExpiresAt.ValueString(), now) {
		how := "was revoked"
		if g.Last == nil {
			how = "was deleted"
		}
		g.Gone(ctx, how, keepWorking(left))
		return
	}
	left, err := inGrace(ctx, g.Client, left, now)
	if err != nil {
		apidiag.Add(g.Diags, err, r.Operation("read a previous key of", g.Prior))
		return
	}
	if g.Last == nil {
		g.State = g.Prior.endedBefore(now)
	}
	if g.Importing || revoked {
		g.State.RotationDueAt = g.State.dueAt()
	}
	g.State.PreviousKeys = predecessorList(left)
	k.Unread = false
	k = k.seen(g.State, now)
	k.Endings = slices.DeleteFunc(k.Endings, func(e ending) bool {
		return e.Successor == "" && !slices.ContainsFunc(left, named(e.ID))
	})
	k.write(ctx, g.Private, g.Diags)
	g.Save(ctx)
}

// keepWorking names the old keys that leave the state together with their successor.
func keepWorking(left []predecessor) string {
	if len(left) == 0 {
		return ""
	}
	text := ". These previous_keys leave the state too, and keep working until grace_until, where they have one:\n"
	for _, p := range left {
		text += fmt.Sprintf("\n  %s (%s): %s", p.ID.ValueString(), p.KeyPrefix.ValueString(), p.GraceUntil)
	}
	return text + "\n\nTo end one, revoke it at the service"
}

// read is the state m after a refresh, and what is known then.
func (m model) read(key *collections.APIKey, k known, importing bool, now time.Time) (model, known) {
	switch {
	case importing:
		return fromAPI(key), k
	case key.RevokedAt != nil:
		return m.endedBefore(now), k
	}
	return refreshed(m, k, key, now)
}

// endedBefore is the state m of a key that was revoked or deleted after its expires_at: it has ended by then, in any
// case.
func (m model) endedBefore(now time.Time) model {
	if !passed(m.KeyExpiresAt.ValueString(), now) {
		m.KeyExpiresAt = m.ExpiresAt.StringValue
	}
	return m
}

// refreshed is the state, and what is known, of a key that the service shows. What ends earlier than it did was rotated
// by another system, or by an apply that never got the response.
func refreshed(prior model, k known, key *collections.APIKey, now time.Time) (model, known) {
	end, had := value.FilledOrNull(key.ExpiresAt), prior.KeyExpiresAt.ValueString()
	state := prior.shows(key)
	if ended(key, now) != "" {
		// Nothing at the service can change any more, and the state may say more than the key ever had.
		state.Name, state.Description, state.Scopes = prior.Name, prior.Description, prior.Scopes
	}
	if !k.Unread && earlier(end.ValueString(), had) {
		return rotatedUntil(state, k, end.ValueString(), now)
	}
	due := state.RotationDueAt
	state.KeyExpiresAt = end
	if state.RotationDueAt = state.dueAt(); k.Rotated && state.outlives() {
		state.RotationDueAt = earliest(state.RotationDueAt, due)
	}
	return state, k
}

// inGrace leaves out the predecessors whose grace period is over, or which were revoked before. One that another system
// has rotated ends earlier.
func inGrace(ctx context.Context, client *collections.Service, all []predecessor, now time.Time) (
	left []predecessor, err error) {
	for _, p := range all {
		if passed(p.GraceUntil.ValueString(), now) {
			continue
		}
		key, err := client.GetAPIKey(ctx, p.ID.ValueString())
		if err != nil && !api.IsNotFound(err) {
			return nil, err
		}
		if ended(key, now) != "" {
			continue
		}
		if end := value.FilledOrNull(key.ExpiresAt); !p.GraceUntil.IsNull() &&
			earlier(end.ValueString(), p.GraceUntil.ValueString()) {
			p.GraceUntil = end
		}
		left = append(left, p)
	}
	return left, nil
}

// ended words why a key does not work any more by the service's clock; empty while it does.
func ended(k *collections.APIKey, now time.Time) string {
	switch {
	case k == nil:
		return "does not exist any more at the service"
	case k.RevokedAt != nil:
		return "was revoked outside of Terraform at " + *k.RevokedAt
	case k.ExpiresAt != nil && passed(*k.ExpiresAt, now):
		return "expired at " + *k.ExpiresAt
	}
	return ""
}

// works reports whether a key works by the service's clock.
func works(ctx context.Context, client *collections.Service, k *collections.APIKey) bool {
	return ended(k, client.Shown(ctx)) == ""
}

// Update creates the new key that the plan has shown, writes its token to the state, and then ends the old ones. What a
// failure leaves is in the state, and the next apply continues there.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	w := &write{Write: begun, before: begun.State, known: readKnown(ctx, begun.Private, begun.Diags)}
	w.lost = w.known.Lost
	// The plan decided about the new key; it is not decided again, as time has passed since.
	fresh, d := w.Plan.ID.IsUnknown(), decide(w.Plan, w.before, w.known, false)
	if d.fresh && !fresh {
		w.Diags.AddError(fmt.Sprintf("The plan has not shown a new key for %s", w.State.displayName()),
			"A value that was not known when the plan was made needs a new key. Nothing was sent. Plan again: the plan then "+
				"shows the new key.")
	}
	if fresh && !d.sure { // nothing but time can be the reason
		d = decide(w.Plan, w.before, w.known, true)
	}
	r.refuseOwnInUpdate(d, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	if w.known.imported {
		w.known.ExpiryPending = len(d.differs) > 0
	}
	if !d.fresh { // whatever fails, a token that is to be encrypted is out of the state
		w.State.AgeRecipients, w.State.RotationDueAt = w.Plan.AgeRecipients, w.Plan.RotationDueAt
		w.State.setSecret(w.State.secret().Stored(w.Plan.AgeRecipients, w.Diags))
		w.note(ctx)
		w.Save(ctx)
	} else if !w.renew(ctx, d) {
		return
	}
	if !w.endOld(ctx) {
		return
	}
	if w.Plan.RevokePreviousKeys.ValueBool() &&
		!w.revoke(ctx, r.ownLast(w.State, predecessorsOf(w.State.PreviousKeys))) {
		return
	}
	w.Finish(ctx)
}

// Delete revokes the predecessors that still work, and then the key. Those that are revoked when it fails are out of
// the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, func(m model, diags *diag.Diagnostics) bool {
		r.refuseOwn(m, m.AllowOwnKey, m.all(), diags)
		return diags.HasError()
	})
	if !ok {
		return
	}
	w := &write{Write: begun, before: begun.State, known: readKnown(ctx, begun.Private, begun.Diags)}
	for _, e := range w.known.Endings {
		if e.Successor != "" && !w.discard(ctx, e) {
			return
		}
	}
	all := w.State.all()
	w.revoke(ctx, r.ownLast(w.State, append(all[1:], all[0])))
}

// ImportState finds the key by its id, or by name=<value>.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	found := scheme.Import(ctx, r.Conn.Collections, req, resp)
	if found == nil {
		return
	}
	name := fmt.Sprintf("API key %q (id %s)", found.Name, found.ID)
	r.Conn.NoteOnce(path.Root("token"), "The token of an imported API key is not known",
		name+", like each key that this run imports: the service shows a token only when a key is created or rotated, so "+
			"token is null. To get a new one, apply "+
			"once with rotate_when_changed set, and once more with another value in it; the old key works for "+
			"grace_period_days from then on.", &resp.Diagnostics)
	if r.Conn.IsOwnKey("", found.KeyPrefix) {
		resp.Diagnostics.AddAttributeWarning(path.Root("allow_own_key"), "The provider authenticates with the imported "+name,
			"To change or destroy it is an error in the plan, unless allow_own_key = true.")
	}
}
