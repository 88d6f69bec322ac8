// Package apikey implements API keys of the collections service: the resource with its rotation, the ephemeral
// resource, the data sources and the list resource. decision.go says when there is a new key and what becomes of the
// old one; rotation.go creates it and ends the old ones.
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
	r := &Resource{base{Scheme: scheme}}
	r.Refresh = r.Read
	return r
}

var scheme = object.Scheme[*collections.Service, collections.APIKey]{
	TypeName: typeName, Noun: "API key", Key: "name", AnyID: true, MutableIdentity: true,
	Service:    conn.Collections,
	ID:         func(k *collections.APIKey) string { return k.ID },
	Get:        (*collections.Service).GetAPIKey,
	Refresh:    (*collections.Service).RefreshAPIKey,
	Recreation: "creates a new key, with a new token",
	Find: func(ctx context.Context, client *collections.Service, by object.Selector) ([]collections.APIKey, error) {
		return client.FindAPIKeys(ctx, by.Value)
	},
	Summary: func(k *collections.APIKey) string {
		return fmt.Sprintf("%s  %s (created %s)", k.ID, k.KeyPrefix, k.CreatedAt)
	},
	CheckFound: func(ctx context.Context, client *collections.Service, k *collections.APIKey, _ object.Selector,
		diags *diag.Diagnostics) {
		if end := ended(k, client.ServerTime(ctx)); end != "" {
			diags.AddError(fmt.Sprintf("API key %q (id %s) no longer works", k.Name, k.ID), fmt.Sprintf("It %s, so it cannot "+
				"be managed. Remove the import and create a new key.", end))
		}
	},
}

// ValidateConfig rejects arguments that cannot be combined.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.checkLifetime(&resp.Diagnostics)
}

// write is a creation, an update or a deletion in progress.
type write struct {
	*operation
	// last is the new key in the last response; nil if there is none.
	last *collections.APIKey
	// before is the prior state; zero for a creation. memory is from the private state.
	before model
	memory memory
	// notRotatable is the error if the key was rotated or revoked since the plan; nil if that is not known.
	notRotatable error
	// lost is true if an earlier apply may have rotated the key, but the response was lost.
	lost bool
}

type operation = object.Op[*collections.Service, collections.APIKey, model]

func (w *write) note(ctx context.Context) { w.memory.write(ctx, w.Private, w.Diags) }

// owns reports whether a key belongs to this resource, and is not the result of a lost response.
func (w *write) owns(key collections.APIKey) bool {
	return ownsKey(w.before, w.memory, key) || ownsKey(w.State, w.memory, key)
}

// Create creates the key and saves its token to the state immediately, because the service never returns it again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	if !ok || begun.Diags.HasError() {
		return
	}
	w := &write{operation: begun}
	if w.create(ctx, "Another apply creates another key.", func(time.Time) []predecessor { return nil }) {
		w.complete(ctx, false)
		w.Finish(ctx, w.last, w.Plan.keep)
	}
}

// Read refreshes the state. A key that another system has ended is planned for re-creation. A key that has expired at
// its expires_at has ended as configured, so it stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	had, prior := readMemory(ctx, op.Private, op.Diags), op.State
	k := had
	op.Client.Wrote(prior.ID.ValueString(), prior.since().ValueString(), "")
	key, state, ok := op.Find(ctx, func(key *collections.APIKey) (state model) {
		now := op.Client.ServerTime(ctx)
		switch {
		case op.Importing:
			return fromAPI(key)
		case key.RevokedAt != nil:
			return prior.endedBefore(now)
		}
		state, k = refreshed(prior, had, key, now)
		return state
	})
	if !ok {
		return
	}
	now := op.Client.ServerTime(ctx)
	left := predecessorsOf(prior.PreviousKeys)
	revoked := key == nil || key.RevokedAt != nil
	if revoked && !passed(prior.ExpiresAt.ValueString(), now) {
		how := "was revoked"
		if key == nil {
			how = "was deleted"
		}
		op.Gone(ctx, how, keepWorking(left))
		return
	}
	left, err := inGrace(ctx, op.Client, left, now)
	if err != nil {
		apidiag.Add(op.Diags, err, r.Operation("read a previous key of", prior))
		return
	}
	if key == nil {
		state = prior.endedBefore(now)
	}
	if op.Importing || revoked {
		state.RotationDueAt = state.dueAt()
	}
	state.PreviousKeys = predecessorList(left)
	k.Unread = false
	k = k.seen(state, now)
	k.Endings = slices.DeleteFunc(k.Endings, func(e ending) bool {
		return e.Successor == "" && !slices.ContainsFunc(left, hasID(e.ID))
	})
	k.write(ctx, op.Private, op.Diags)
	op.Save(ctx, state)
}

func keepWorking(left []predecessor) string {
	if len(left) == 0 {
		return ""
	}
	text := ". These previous_keys are removed from the state too, and keep working until grace_until, if set:\n"
	for _, p := range left {
		text += fmt.Sprintf("\n  %s (%s): %s", p.ID.ValueString(), p.KeyPrefix.ValueString(), p.GraceUntil)
	}
	return text + "\n\nTo end one, revoke it at the service"
}

// endedBefore returns the state m of a key that was revoked or deleted after its expires_at, so that it had already
// ended.
func (m model) endedBefore(now time.Time) model {
	if !passed(m.KeyExpiresAt.ValueString(), now) {
		m.KeyExpiresAt = m.ExpiresAt.StringValue
	}
	return m
}

// refreshed returns the state and the memory of a key in a response. If its end is earlier than before, it was rotated
// by another system, or by an apply that did not receive the response.
func refreshed(prior model, k memory, key *collections.APIKey, now time.Time) (model, memory) {
	end, had := value.FilledOrNull(key.ExpiresAt), prior.KeyExpiresAt.ValueString()
	state := prior.keep(key)
	if ended(key, now) != "" {
		// An ended key cannot be changed, and the state may contain arguments that were never sent.
		state.Name, state.Description, state.Scopes = prior.Name, prior.Description, prior.Scopes
	}
	if !k.Unread && earlier(end.ValueString(), had) {
		return rotatedUntil(state, k, end.ValueString(), now)
	}
	due := state.RotationDueAt
	if !now.IsZero() { // a Date that was ahead has set a later one
		due = earliest(due, timeText(now))
	}
	state.KeyExpiresAt = end
	if state.RotationDueAt = state.dueAt(); k.Rotated && state.wouldLastLonger() {
		state.RotationDueAt = earliest(state.RotationDueAt, due)
	}
	return state, k
}

// inGrace removes predecessors that were revoked or have reached the end of their grace period. A predecessor that
// another system has rotated ends earlier.
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

// ended describes why a key no longer works by the service's clock; "" while it works.
func ended(k *collections.APIKey, now time.Time) string {
	switch {
	case k == nil:
		return "no longer exists at the service"
	case k.RevokedAt != nil:
		return "was revoked outside of Terraform at " + *k.RevokedAt
	case k.ExpiresAt != nil && passed(*k.ExpiresAt, now):
		return "expired at " + *k.ExpiresAt
	}
	return ""
}

func works(ctx context.Context, client *collections.Service, k *collections.APIKey) bool {
	return ended(k, client.ServerTime(ctx)) == ""
}

// Update creates the planned new key, saves its token to the state, and then ends the old ones. After a failure, the
// remaining steps are in the private state, and the next apply continues there.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	w := &write{operation: begun, before: begun.State, memory: readMemory(ctx, begun.Private, begun.Diags)}
	w.lost = w.memory.Lost
	// The plan has shown whether there is a new key; the time that has passed since does not change that.
	shown, d := w.Plan.ID.IsUnknown(), decide(w.Plan, w.before, w.memory, false)
	if d.newKey() && !shown {
		w.Diags.AddError(fmt.Sprintf("The plan did not show a new key for %s", w.State.displayName()),
			"A value that was unknown in the plan requires a new key. Nothing was sent. Plan again: the new plan shows the "+
				"new key.")
	}
	if shown && !d.certain() { // only a date can be the reason
		d = decide(w.Plan, w.before, w.memory, true)
	}
	r.checkOwnKeyInUpdate(d, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	switch {
	case w.memory.imported:
		w.memory.ExpiryPending = len(d.differs) > 0
	case d.keepsKey: // from now on, the state has values that no creation has sent
		for _, name := range d.differs {
			delete(w.memory.Asked, name)
		}
	}
	if !d.newKey() { // even if a later step fails, the state no longer has the clear text of an encrypted token
		w.State.AgeRecipients, w.State.RotationDueAt = w.Plan.AgeRecipients, w.Plan.RotationDueAt
		w.State.setSecret(w.State.secret().Stored(w.Plan.AgeRecipients, w.Diags))
		w.note(ctx)
		w.Save(ctx, w.State)
	} else if !w.renew(ctx, d) {
		return
	}
	if !w.finishOldKeys(ctx) {
		return
	}
	if w.Plan.RevokePreviousKeys.ValueBool() &&
		!w.revoke(ctx, r.ownLast(w.State, predecessorsOf(w.State.PreviousKeys))) {
		return
	}
	w.Finish(ctx, w.last, w.Plan.keep)
}

// Delete revokes the working predecessors, and then the key. If it fails, the revoked ones are removed from the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, func(m model, diags *diag.Diagnostics) bool {
		r.checkOwnKey(m, m.AllowOwnKey, m.all(), diags)
		return diags.HasError()
	})
	if !ok {
		return
	}
	w := &write{operation: begun, before: begun.State, memory: readMemory(ctx, begun.Private, begun.Diags)}
	for _, e := range w.memory.Endings {
		if e.Successor != "" && !w.revokeSpare(ctx, e) {
			return
		}
	}
	all := w.State.all()
	w.revoke(ctx, r.ownLast(w.State, append(all[1:], all[0])))
}

// ImportState finds the key by its id, or by name=<value>.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	found := scheme.Import(ctx, r.Conn.Collections, r.Run(), req, resp)
	if found == nil {
		return
	}
	name := fmt.Sprintf("API key %q (id %s)", found.Name, found.ID)
	r.Conn.NoteOnce(path.Root("token"), "The token of an imported API key is unknown",
		name+" has token = null, like all keys imported in this run: the service returns a token only when a key is "+
			"created or rotated. To get a new one, apply once with rotate_when_changed set, and again with another value in "+
			"it; then the old key works for grace_period_days.", &resp.Diagnostics)
	if r.Conn.IsOwnKey("", found.KeyPrefix) {
		resp.Diagnostics.AddAttributeWarning(path.Root("allow_own_key"), "The provider authenticates with the imported "+name,
			"The plan rejects changing or destroying it, unless allow_own_key = true.")
	}
}
