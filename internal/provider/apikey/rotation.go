package apikey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// renew creates the new key: by the service's rotation where that passes everything on, which gives the old key its end
// too. Otherwise, and where the old key was rotated before, it creates one, and notes that the old one is to be ended.
func (w *write) renew(ctx context.Context, inherits bool) bool {
	now, _ := w.Client.Now(ctx)
	grace, old := w.Plan.graceDays(), w.before.all()[0]
	previous := running(predecessorsOf(w.before.PreviousKeys), now)
	if inherits {
		spent := false
		rotated := w.Do(ctx, step{Verb: "rotate", Send: func(ctx context.Context) (*collections.APIKey, error) {
			successor, err := w.Client.RotateAPIKey(ctx, old.ID.ValueString(), grace)
			if err != nil {
				return nil, err
			}
			if grace > 0 {
				old.GraceUntil = graceUntil(successor, grace, now)
				previous = append([]predecessor{old}, previous...)
			}
			w.take(ctx, successor, w.inherited(ctx, successor), previous)
			return successor, nil
		}, Explain: func(err error) bool {
			spent = api.HasCode(err, collections.CodeKeyNotActive)
			return spent || w.rotationLost(err)
		}})
		if !spent {
			return rotated
		}
	}
	const next = "The old key is as it was. The next apply creates another key in its place."
	if end := w.known.end(); !passed(end.ValueString(), now) {
		endsItself := (&collections.APIKey{ExpiresAt: w.known.Expiry}).EndsWithin(now, grace)
		if w.known.Rotated || grace > 0 && endsItself {
			old.GraceUntil = end.StringValue
		} else {
			w.known.Endings = append(w.known.Endings, ending{ID: old.ID.ValueString(), Days: grace})
		}
		previous = append([]predecessor{old}, previous...)
	}
	return w.create(ctx, next, previous)
}

// create sends the creation. next says what follows where the response is lost, and old are the keys that the new one
// replaces.
func (w *write) create(ctx context.Context, next string, old []predecessor) bool {
	var now time.Time
	if !w.Plan.ExpiresAfterDays.IsNull() {
		var shown bool
		if now, shown = w.Client.Now(ctx); !shown {
			w.Diags.AddAttributeError(path.Root("expires_after_days"), "The service does not show its time, which the expiry "+
				"of "+w.Plan.displayName()+" needs", "expires_after_days counts from now, by the clock of the service, and "+
				"no response has a Date header. No key was created. Set expires_at instead of expires_after_days.")
			return false
		}
	}
	body := w.Plan.body(now)
	return w.Do(ctx, step{Verb: "create", Send: func(ctx context.Context) (*collections.APIKey, error) {
		key, err := w.Client.CreateAPIKey(ctx, body)
		if err != nil {
			return nil, err
		}
		expiry := key.ExpiresAt
		if expiry == nil {
			expiry = new(api.OrEmpty(body.ExpiresAt))
		}
		w.take(ctx, key, expiry, old)
		return key, nil
	}, Explain: func(err error) bool { return lostKey(err, w.Plan.displayName(), next, w.owns, w.Diags) }})
}

// take is the state with a new key, before anything else happens. old are the keys that it replaces.
func (w *write) take(ctx context.Context, key *collections.APIKey, expiry *string, old []predecessor) {
	now, _ := w.Client.Now(ctx)
	next := w.After(key, w.Plan)
	next.PreviousKeys, next.RotatedAt = predecessorList(old), types.StringNull()
	if !w.before.ID.IsNull() {
		next.RotatedAt = value.TextOrNull(key.CreatedAt)
		if next.RotatedAt.IsNull() && !now.IsZero() {
			next.RotatedAt = types.StringValue(now.Format(time.RFC3339))
		}
	}
	next.setSecret(encrypt.Secret{Clear: types.StringPointerValue(key.Token)}.Stored(next.AgeRecipients, w.Diags))
	w.known = known{Expiry: expiry, Endings: w.known.Endings}.at(next, now)
	w.note(ctx)
	next.RotationDueAt = next.dueAt(w.known.end())
	w.State = next
	if key.Token == nil {
		w.Diags.AddAttributeWarning(path.Root("token"), fmt.Sprintf("The token of %s is not known", next.displayName()),
			"The service has not shown it. Change a value in rotate_when_changed to get a new key.")
	}
}

// graceUntil is when a rotated key stops working. Where the service does not say it, it is counted from here.
func graceUntil(successor *collections.APIKey, days int64, now time.Time) types.String {
	if successor.GraceUntil != nil || now.IsZero() {
		return types.StringPointerValue(successor.GraceUntil)
	}
	return types.StringValue(now.AddDate(0, 0, int(days)).Format(time.RFC3339))
}

// inherited is the expiry that the service has given to a successor; nil where it is not known.
func (w *write) inherited(ctx context.Context, successor *collections.APIKey) *string {
	shown := successor
	if successor.Name == "" || successor.ExpiresAt == nil && !w.known.end().IsNull() {
		var err error
		if shown, err = w.Client.GetAPIKey(ctx, successor.ID); err != nil {
			return nil
		}
	}
	expiry := api.OrEmpty(shown.ExpiresAt)
	if expiry == "" && !w.Plan.ExpiresAt.IsNull() {
		w.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("The new API key %q (id %s) never expires",
			w.Plan.Name.ValueString(), successor.ID), fmt.Sprintf("expires_at is %s, and the service has given no expiry to "+
			"the successor of the rotated key. It stays as it is until the next new key. Change expires_at to get one now.",
			w.Plan.ExpiresAt))
	}
	return &expiry
}

// rotationLost reports why there is no new key where the response was lost: the old key shows whether it was rotated.
// The next plan finds that too.
func (w *write) rotationLost(err error) bool {
	next := "The old key does not show that it was rotated. The next apply rotates it, or creates a new key in its " +
		"place if it was."
	var lost *collections.LostKeyError
	if errors.As(err, &lost) && lost.Rotated != nil {
		end := api.OrEmpty(lost.Rotated.ExpiresAt)
		if earlier(end, w.known.end().ValueString()) {
			next = fmt.Sprintf("The old key was rotated and works until %s, and the token of its successor is lost. The next "+
				"apply creates a new key in its place.", end)
		}
	}
	return lostKey(err, "the successor of "+w.before.displayName(), next, w.owns, w.Diags)
}

// endOld does what is left to do for old keys: the service ends each after its grace period. It reports whether all is
// done. To give an old key its end it is rotated, which creates a successor that nobody needs.
func (w *write) endOld(ctx context.Context) bool {
	for _, e := range slices.Clone(w.known.Endings) {
		var fine bool
		switch {
		case e.Successor != "":
			fine = w.discard(ctx, e)
		case w.Plan.RevokePreviousKeys.ValueBool():
			fine = true // it is revoked with all others
		case e.Days == 0:
			fine = w.revoke(ctx, []predecessor{{ID: types.StringValue(e.ID)}})
		default:
			fine = w.Do(ctx, step{Verb: "give the old key " + e.ID + " an end, which the next apply tries again, for",
				Send: func(ctx context.Context) (*collections.APIKey, error) {
					successor, err := w.Client.RotateAPIKey(ctx, e.ID, e.Days)
					if err != nil {
						return nil, w.endUnseen(ctx, e, err)
					}
					now, _ := w.Client.Now(ctx)
					e.Successor = successor.ID
					w.State = w.State.endingAt(e.ID, graceUntil(successor, e.Days, now))
					w.done(ctx, e.ID, e)
					return nil, nil
				}}) && (e.Successor == "" || w.discard(ctx, e))
		}
		if !fine {
			return false
		}
	}
	return true
}

// done notes that nothing is left to do for an old key, but for next.
func (w *write) done(ctx context.Context, id string, next ...ending) {
	others := slices.DeleteFunc(slices.Clone(w.known.Endings), func(e ending) bool { return e.ID == id })
	w.known.Endings = append(others, next...)
	w.note(ctx)
}

// endUnseen finds out whether an old key has its end although its rotation has failed: it was rotated before, as the
// service says, or the response was lost and it ends within the days that were asked for. An expiry of its own is no
// proof. Its successor is only named, as it may be another system's.
func (w *write) endUnseen(ctx context.Context, e ending, failure error) error {
	days := e.Days
	var lost *collections.LostKeyError
	switch {
	case errors.As(failure, &lost):
	case api.HasCode(failure, collections.CodeKeyNotActive), api.IsNotFound(failure):
		days = highestGraceDays // another system has chosen them
	default:
		return failure
	}
	old, unread := w.Client.GetAPIKey(ctx, e.ID)
	now, _ := w.Client.Now(ctx)
	switch {
	case api.IsNotFound(unread), unread == nil && ended(old, now) != "":
		w.State = w.State.without(e.ID)
	case unread == nil && old.EndsWithin(now, days):
		w.State = w.State.endingAt(e.ID, types.StringPointerValue(old.ExpiresAt))
	default:
		return failure
	}
	w.done(ctx, e.ID)
	since, _ := api.Moment(w.State.since().ValueString())
	found, _ := w.Client.UnusedKeys(ctx, func(k collections.APIKey) bool {
		created, known := api.Moment(k.CreatedAt)
		return old != nil && k.Name == old.Name && known && !created.Before(since) && !w.owns(k)
	})
	if len(found) > 0 {
		w.Diags.AddWarning(fmt.Sprintf("%s: an unused key is left, %s", w.State.displayName(), listed(found)),
			"The service ends the old key "+e.ID+" now, by a rotation whose response did not arrive here. The successor that "+
				"it has created is not needed, and nobody has its token."+howToEnd(found))
	}
	return nil
}

// revoke ends keys at once.
func (w *write) revoke(ctx context.Context, keys []predecessor) bool {
	steps := make([]step, len(keys))
	for i, key := range keys {
		id := key.ID.ValueString()
		steps[i] = w.revocation("revoke the key "+id+" of", id, id)
	}
	return w.Do(ctx, steps...)
}

// discard revokes the successor that was created only to give an old key its end.
func (w *write) discard(ctx context.Context, e ending) bool {
	return w.Do(ctx, w.revocation("revoke the key "+e.Successor+", which nobody uses, of", e.Successor, e.ID))
}

// revocation is the step that revokes a key, after which nothing is left to do for the old one.
func (w *write) revocation(verb, id, old string) step {
	return step{Verb: verb, Send: func(ctx context.Context) (*collections.APIKey, error) {
		err := w.Client.RevokeAPIKey(ctx, id)
		if err == nil {
			w.State = w.State.without(id)
			w.done(ctx, old)
		}
		return nil, err
	}}
}

// lostKey reports a creation or a rotation whose response was lost, and with it the token; false where it was another
// error. What the resource owns, as owns says, is not what was lost.
func lostKey(err error, name, next string, owns func(collections.APIKey) bool, diags *diag.Diagnostics) bool {
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	summary := fmt.Sprintf("The response to the creation of %s was lost", name)
	text := apidiag.Text(err) + "\n\nNothing was repeated, because each request creates another key. "
	found := slices.DeleteFunc(slices.Clone(lost.Found), owns)
	if len(found) == 0 {
		diags.AddError(summary, text+"No key of the name is listed that was never used, so there is probably none. "+next)
		return true
	}
	diags.AddError(summary+"; it may be "+listed(found), text+"These keys have the name and were never used, and may "+
		"have been created since. The token of the new one is lost; one of them may also belong to another system. "+
		next+howToEnd(found))
	return true
}

// keyOwn is where the plan of a key hands on to the plan of a key that replaces it (terraform plan -replace) which
// one is the provider's own and may not end: that plan has no state.
const keyOwn = "own_key"

func (r *Resource) handOn(ctx context.Context, p *object.Plan[model]) {
	own := r.ownID(p.State)
	if p.State.Policy().Abandons() || p.State.AllowOwnKey.ValueBool() {
		own = ""
	}
	if own != object.Private[string](ctx, p.Private, keyOwn, p.Diags) {
		object.SetPrivate(ctx, p.Private, keyOwn, own, p.Diags)
	}
}

// ownID is the id of the key that the provider itself uses, where that is the current key or one of its predecessors;
// else empty.
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

// refuseOwn reports an error when verb would end the key that the provider itself uses, which is one of ends. As long
// as it is not known whether that is allowed, nothing is refused: the question is asked again before the call.
func (r *Resource) refuseOwn(state model, allowed types.Bool, verb string, ends []predecessor,
	diags *diag.Diagnostics) {
	own := r.ownID(state)
	if !allowed.ValueBool() && !allowed.IsUnknown() && slices.ContainsFunc(ends, named(own)) {
		refuseOwn(verb, state.displayName(), own, diags)
	}
}

func refuseOwn(verb, name, own string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("allow_own_key"), "The provider itself uses "+name,
		fmt.Sprintf("To %s it would end the key %s, with which the provider authenticates. Configure another key for the "+
			"provider (collections_api_key). If you replace the provider's key after this apply, set allow_own_key = true; "+
			"to destroy the key, apply that first.", verb, own))
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
	if at := slices.IndexFunc(keys, named(own)); at >= 0 {
		return append(slices.Concat(keys[:at], keys[at+1:]), keys[at])
	}
	return keys
}
