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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// renew creates the new key: by the service's rotation where that passes everything on, which gives the old key its end
// too. Otherwise, and where the old key was rotated since the plan, it creates one, and notes that the old one is to be
// ended.
func (w *write) renew(ctx context.Context, d decision) bool {
	if d.inherits {
		rotated := w.rotate(ctx, d)
		if w.spent == nil {
			return rotated
		}
	}
	if !w.create(ctx, "The old key is as it was. The next apply creates another key in its place.",
		func(now time.Time) []predecessor { return w.keep(d, now) }) {
		return false
	}
	w.complete(ctx, false)
	w.check(ctx)
	return true
}

// rotate lets the service replace the key. Where the key was rotated or revoked since the plan, that is in spent, and
// nothing has happened.
func (w *write) rotate(ctx context.Context, d decision) bool {
	grace, old := w.Plan.GracePeriodDays.ValueInt64(), w.before.all()[0]
	rotated := w.Do(ctx, step{Verb: "rotate", Send: func(ctx context.Context) (*collections.APIKey, error) {
		successor, err := w.Client.RotateAPIKey(ctx, old.ID.ValueString(), grace)
		if err != nil {
			return nil, err
		}
		previous := predecessorsOf(w.before.PreviousKeys)
		if d.keepsOld() {
			old.GraceUntil = graceUntil(successor, grace, w.Client.Shown(ctx))
			previous = append([]predecessor{old}, previous...)
		}
		// A successor inherits the end, unless it shows another one.
		w.setNewKey(ctx, successor, w.before.KeyExpiresAt, previous)
		return successor, nil
	}, Explain: func(err error) bool {
		if api.HasCode(err, collections.CodeKeyNotActive) {
			w.spent = err
			return true
		}
		return w.rotationLost(ctx, err)
	}})
	if rotated {
		w.complete(ctx, true)
	}
	return rotated
}

// keep are the old keys next to a new one that was created. What does not end by itself is noted to be ended.
func (w *write) keep(d decision, now time.Time) []predecessor {
	old, previous := w.before.all()[0], predecessorsOf(w.before.PreviousKeys)
	if d.ended {
		return previous
	}
	grace := w.Plan.GracePeriodDays.ValueInt64()
	key := collections.APIKey{ExpiresAt: w.before.KeyExpiresAt.ValueStringPointer()}
	if d.known.Rotated || grace > 0 && w.spent == nil && key.EndsWithin(now, grace) {
		old.GraceUntil = w.before.KeyExpiresAt
	} else {
		w.known.Endings = append(w.known.Endings, ending{ID: old.ID.ValueString(), Days: grace})
	}
	return append([]predecessor{old}, previous...)
}

// create sends the creation. next says what follows where the response is lost, and old returns the keys that the new
// one replaces.
func (w *write) create(ctx context.Context, next string, old func(now time.Time) []predecessor) bool {
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
		w.setNewKey(ctx, key, types.StringPointerValue(body.ExpiresAt), old(w.Client.Shown(ctx)))
		return key, nil
	}, Explain: func(err error) bool {
		return lostKey(err, fmt.Sprintf("The response to the creation of %s was lost", w.Plan.displayName()), next, w.owns,
			w.Diags)
	}})
}

// setNewKey puts a new key into the state, before anything else happens. expiry is its end where the response shows
// none, and old are the keys that it replaces.
func (w *write) setNewKey(ctx context.Context, key *collections.APIKey, expiry types.String, old []predecessor) {
	next := w.After(key, w.Plan)
	w.known = known{Endings: w.known.Endings, Unread: key.ExpiresAt == nil && !expiry.IsNull()}
	next.PreviousKeys, next.KeyExpiresAt = predecessorList(old), expiry
	next.setSecret(encrypt.Secret{Clear: types.StringPointerValue(key.Token)}.Stored(next.AgeRecipients, w.Diags))
	w.State = w.dated(ctx, key, next)
	if key.Token == nil {
		w.Diags.AddAttributeWarning(path.Root("token"), fmt.Sprintf("The token of %s is not known", next.displayName()),
			"The service has not shown it. Change a value in rotate_when_changed to get a new key.")
	}
}

// dated is the state m with the dates of its new key, and notes them.
func (w *write) dated(ctx context.Context, key *collections.APIKey, m model) model {
	now := w.Client.Shown(ctx)
	if key.ExpiresAt != nil {
		m.KeyExpiresAt = value.FilledOrNull(key.ExpiresAt)
	}
	m.RotatedAt = types.StringNull()
	if !w.before.ID.IsNull() {
		if m.RotatedAt = value.TextOrNull(key.CreatedAt); m.RotatedAt.IsNull() && !now.IsZero() {
			m.RotatedAt = timeText(now)
		}
	}
	m.RotationDueAt = m.dueAt()
	w.known = w.known.seen(m, now)
	w.note(ctx)
	return m
}

// complete reads a new key that the response has not shown whole; inherits says that its end is not what was asked for.
// Its token is in the state already, so a failure is left to the next refresh.
func (w *write) complete(ctx context.Context, inherits bool) {
	if w.Last.Name != "" && !(inherits && w.known.Unread) {
		return
	}
	key, err := w.Client.GetAPIKey(ctx, w.Last.ID)
	if err != nil {
		return
	}
	if w.known.Unread = false; inherits && key.ExpiresAt == nil {
		w.State.KeyExpiresAt = types.StringNull()
	}
	w.State = w.dated(ctx, key, w.After(key, w.State))
	w.Last = key
	w.Save(ctx)
	if w.State.KeyExpiresAt.IsNull() && !w.Plan.ExpiresAt.IsNull() {
		w.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("The new API key %q (id %s) never expires",
			w.Plan.Name.ValueString(), key.ID), fmt.Sprintf("expires_at is %s, and the service has given no expiry to the "+
			"new key. It stays as it is until the next new key. Change expires_at to get one now.", w.Plan.ExpiresAt))
	}
}

// check reads an old key that was left to its own expiry: since the plan, another system may have ended it earlier.
func (w *write) check(ctx context.Context) {
	id := w.before.ID.ValueString()
	at := slices.IndexFunc(predecessorsOf(w.State.PreviousKeys), named(id))
	if at < 0 || slices.ContainsFunc(w.known.Endings, func(e ending) bool { return e.ID == id }) {
		return
	}
	planned := w.before.KeyExpiresAt.ValueString()
	old, err := w.Client.GetAPIKey(ctx, id)
	if err == nil && (old.RevokedAt != nil || earlier(api.OrEmpty(old.ExpiresAt), planned)) {
		w.warnEarlier(ctx, old, id, "until "+planned)
		w.Save(ctx)
	}
}

// graceUntil is when a rotated key stops working. Where the service does not say it, it is counted from here.
func graceUntil(successor *collections.APIKey, days int64, now time.Time) types.String {
	if successor.GraceUntil != nil || now.IsZero() {
		return types.StringPointerValue(successor.GraceUntil)
	}
	return timeText(now.AddDate(0, 0, int(days)))
}

// rotationLost reports why there is no new key where the response was lost: the old key shows whether it was rotated.
// If so, the state has its end, and that a new key is due.
func (w *write) rotationLost(ctx context.Context, err error) bool {
	next := "The old key does not show that it was rotated. The next apply rotates it, or creates a new key in its " +
		"place if it was."
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	w.known.Lost = true
	old, now := lost.Rotated, w.Client.Shown(ctx)
	if old != nil && earlier(api.OrEmpty(old.ExpiresAt), w.before.KeyExpiresAt.ValueString()) {
		next = fmt.Sprintf("The old key was rotated and works until %s. If that was this request, the token of its "+
			"successor is lost. The next apply creates a new key in its place.", *old.ExpiresAt)
		w.known.Lost = asked(old, w.Plan.GracePeriodDays.ValueInt64(), now)
		w.State, w.known = rotatedUntil(w.State, w.known, *old.ExpiresAt, now)
		w.Save(ctx)
	}
	w.note(ctx)
	if w.known.Rotated && !w.known.Lost {
		w.Diags.AddError(w.before.displayName()+" was rotated by another system", fmt.Sprintf("%s\n\nThe key works until "+
			"%s, and cannot be rotated again. The next apply creates a new key in its place.%s", apidiag.Text(err),
			*old.ExpiresAt, belongs(slices.DeleteFunc(slices.Clone(lost.Found), w.owns))))
		return true
	}
	return lostKey(err, fmt.Sprintf("The response to the creation of the successor of %s was lost",
		w.before.displayName()), next, w.owns, w.Diags)
}

// rotatedUntil is the state with a key that a rotation has ended whose successor is not in the state: a new key is due.
func rotatedUntil(m model, k known, end string, now time.Time) (model, known) {
	k.Rotated, m.KeyExpiresAt = true, types.StringValue(end)
	if m.RotationDueAt = m.dueAt(); m.outlives() && !now.IsZero() {
		m.RotationDueAt = earliest(m.RotationDueAt, timeText(now))
	}
	return m, k.seen(m, now)
}

// endOld does what is left to do for old keys: the service ends each after its grace period. It reports whether all is
// done.
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
			fine = w.endLater(ctx, e)
		}
		if !fine {
			return false
		}
	}
	return true
}

// endLater gives an old key its end. To that end it is rotated, which creates a successor that nobody needs.
func (w *write) endLater(ctx context.Context, e ending) bool {
	verb := "give the old key " + e.ID + " an end, which the next apply tries again, for"
	return w.Do(ctx, step{Verb: verb, Send: func(ctx context.Context) (*collections.APIKey, error) {
		if w.spent != nil && e.ID == w.before.ID.ValueString() {
			return nil, w.endedElsewhere(ctx, e, w.spent)
		}
		successor, err := w.Client.RotateAPIKey(ctx, e.ID, e.Days)
		var lost *collections.LostKeyError
		switch {
		case errors.As(err, &lost):
			return nil, w.endUnseen(ctx, e, lost)
		case api.HasCode(err, collections.CodeKeyNotActive), api.IsNotFound(err):
			return nil, w.endedElsewhere(ctx, e, err)
		case err != nil:
			return nil, err
		}
		e.Successor = successor.ID
		w.State = w.State.endingAt(e.ID, graceUntil(successor, e.Days, w.Client.Shown(ctx)))
		w.done(ctx, e.ID, e)
		return nil, nil
	}, Explain: func(err error) bool {
		return lostKey(err, fmt.Sprintf("Could not %s %s", verb, w.State.displayName()),
			"The old key works, and does not show that it was rotated.", w.owns, w.Diags)
	}}) && (e.Successor == "" || w.discard(ctx, e))
}

// done notes that nothing is left to do for an old key, but for next.
func (w *write) done(ctx context.Context, id string, next ...ending) {
	others := slices.DeleteFunc(slices.Clone(w.known.Endings), func(e ending) bool { return e.ID == id })
	w.known.Endings = append(others, next...)
	w.note(ctx)
}

// endUnseen finds out whether an old key has its end although the response to its rotation was lost: then it ends when
// that would have ended it. A key that ends earlier by itself is no proof. The successor is only named, as it may be
// another system's.
func (w *write) endUnseen(ctx context.Context, e ending, lost *collections.LostKeyError) error {
	old, now := lost.Rotated, w.Client.Shown(ctx)
	switch {
	case old == nil:
		return lost
	case ended(old, now) != "":
		return w.endedElsewhere(ctx, e, lost)
	case !old.EndsWithin(now, e.Days):
		return lost
	case !asked(old, e.Days, now):
		return w.endedElsewhere(ctx, e, lost)
	}
	w.State = w.State.endingAt(e.ID, types.StringPointerValue(old.ExpiresAt))
	w.done(ctx, e.ID)
	if found := slices.DeleteFunc(slices.Clone(lost.Found), w.owns); len(found) > 0 {
		w.Diags.AddWarning(fmt.Sprintf("%s: a key is left that may be unused, %s", w.State.displayName(), listed(found)),
			"The service ends the old key "+e.ID+" now, by a rotation whose response was lost, and with it the token of its "+
				"successor. It is among these keys, of which one may also belong to another system."+howToEnd(found))
	}
	return nil
}

// asked reports whether a key ends when a rotation of the last hour with this grace period would have ended it. What
// ends earlier was rotated by another system.
func asked(old *collections.APIKey, days int64, now time.Time) bool {
	return old.EndsWithin(now, days) && !old.EndsWithin(now.Add(-time.Hour), days)
}

// endedElsewhere is what becomes of an old key that the service does not rotate, because it was rotated or revoked
// before: it has the end that it got there, and its successor is not of this state.
func (w *write) endedElsewhere(ctx context.Context, e ending, failure error) error {
	old, err := w.Client.GetAPIKey(ctx, e.ID)
	if api.IsNotFound(err) {
		old, err = nil, nil
	}
	now := w.Client.Shown(ctx)
	if err != nil || ended(old, now) == "" && !old.EndsWithin(now, highestGraceDays) {
		return failure
	}
	w.done(ctx, e.ID)
	w.warnEarlier(ctx, old, e.ID, fmt.Sprintf("for grace_period_days = %d", e.Days))
	return nil
}

// warnEarlier stores and reports the end that an old key has got elsewhere; planned says until when it was to work.
func (w *write) warnEarlier(ctx context.Context, old *collections.APIKey, id, planned string) {
	now := w.Client.Shown(ctx)
	if how := ended(old, now); how != "" {
		w.State = w.State.endingAt(id, timeText(now))
		w.Diags.AddWarning(fmt.Sprintf("%s: the old key %s does not work any more", w.State.displayName(), id),
			fmt.Sprintf("It %s, and does not work %s, as was planned.", how, planned))
		return
	}
	w.State = w.State.endingAt(id, types.StringPointerValue(old.ExpiresAt))
	w.Save(ctx)
	who := "Another system has"
	if w.lost || id != w.before.ID.ValueString() {
		who = "Another system, or an apply whose response was lost, has"
	}
	var found []collections.APIKey
	for key, err := range w.Client.ListAPIKeys(ctx) {
		if err != nil {
			break
		}
		if w.known.follows(w.before, key) && !w.owns(key) && works(ctx, w.Client, &key) {
			found = append(found, key)
		}
	}
	w.Diags.AddWarning(fmt.Sprintf("%s: the old key %s was rotated outside of this apply", w.State.displayName(), id),
		fmt.Sprintf("%s rotated it before. It works until %s, and not %s, as was planned.%s", who,
			api.OrEmpty(old.ExpiresAt), planned, belongs(found)))
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
func lostKey(err error, summary, next string, owns func(collections.APIKey) bool, diags *diag.Diagnostics) bool {
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	text := apidiag.Text(err) + "\n\nNothing was repeated, because each request creates another key. "
	found := slices.DeleteFunc(slices.Clone(lost.Found), owns)
	if len(found) == 0 {
		diags.AddError(summary, text+"No key of the name is listed that was never used, so there is probably none. "+next)
		return true
	}
	diags.AddError(summary+"; it may be "+listed(found), text+"These keys have the name and were never used, and may "+
		"have been created since. If one of them is the new one, its token is lost; it may also belong to another system. "+
		next+howToEnd(found))
	return true
}

// ownLast puts the provider's own key behind all others: nothing can be revoked after it.
func (r *Resource) ownLast(m model, keys []predecessor) []predecessor {
	own := r.ownID(m)
	if at := slices.IndexFunc(keys, named(own)); at >= 0 {
		return append(slices.Concat(keys[:at], keys[at+1:]), keys[at])
	}
	return keys
}
