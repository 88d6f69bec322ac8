package apikey

import (
	"cmp"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// renew creates the new key. If the new key inherits all values, it uses the service's rotation, which also sets the
// end of the old key. Otherwise, or if the old key was rotated since the plan, it creates a key and records that the
// old one must be ended.
func (w *write) renew(ctx context.Context, d decision) bool {
	if d.inherits {
		rotated := w.rotate(ctx, d)
		if w.notRotatable == nil {
			return rotated
		}
		// No plan has shown that, so none has named the key of a run that was killed here.
		left, _ := w.Client.UnusedKeys(ctx, func(k collections.APIKey) bool { return w.memory.createdSince(w.before, k) })
		w.before.warnLeft(left, w.Diags)
	}
	if !w.create(ctx, "The old key is unchanged. The next apply creates another key to replace it.",
		func(now time.Time) []predecessor { return w.keep(d, now) }) {
		return false
	}
	w.complete(ctx, false)
	w.check(ctx)
	return true
}

// rotate rotates the key. If the key was rotated or revoked since the plan, it sets notRotatable, and nothing has
// changed.
func (w *write) rotate(ctx context.Context, d decision) bool {
	grace, old := w.Plan.GracePeriodDays.ValueInt64(), w.before.all()[0]
	successor, err := w.Client.RotateAPIKey(ctx, old.ID.ValueString(), grace)
	if api.HasCode(err, collections.CodeKeyNotActive) {
		w.notRotatable = err
		return false
	}
	if w.rotationLost(ctx, err) || w.Failed(ctx, "rotate", err) {
		return false
	}
	previous := predecessorsOf(w.before.PreviousKeys)
	if d.keepsOld() {
		old.GraceUntil = earliest(graceUntil(successor, grace, w.Client.ServerTime(ctx)), w.before.KeyExpiresAt)
		previous = append([]predecessor{old}, previous...)
	}
	// A successor inherits the end, unless the response has another one.
	w.setNewKey(ctx, successor, w.before.KeyExpiresAt, previous)
	w.complete(ctx, true)
	return true
}

// keep returns the old keys after a new one was created. It records those that must be ended.
func (w *write) keep(d decision, now time.Time) []predecessor {
	old, previous := w.before.all()[0], predecessorsOf(w.before.PreviousKeys)
	switch then := d.oldKey(now); {
	case then == hasEnded:
		return previous
	case then == keepsEnd && w.notRotatable == nil:
		old.GraceUntil = w.before.KeyExpiresAt
	default:
		w.memory.Endings = append(w.memory.Endings, ending{ID: old.ID.ValueString(),
			Days: w.Plan.GracePeriodDays.ValueInt64()})
	}
	return append([]predecessor{old}, previous...)
}

// create creates a key. next describes what happens after a lost response; old returns the keys that the new one
// replaces.
func (w *write) create(ctx context.Context, next string, old func(now time.Time) []predecessor) bool {
	var now time.Time
	if !w.Plan.ExpiresAfterDays.IsNull() {
		now = timeNow(ctx, w.Client, w.Plan.displayName(), noServerTime{"expires_after_days",
			"expires_after_days counts from now by the service's clock", "Set expires_at instead of expires_after_days."},
			w.Diags)
		if now.IsZero() {
			return false
		}
	}
	body := w.Plan.body(now)
	key, err := w.Client.CreateAPIKey(ctx, body)
	if lostKey(err, fmt.Sprintf("The response to the creation of %s was lost", w.Plan.displayName()), next, w.owns,
		w.Diags) || w.Failed(ctx, "create", err) {
		return false
	}
	w.memory = w.memory.remember(w.Plan, w.before)
	w.SentAll = true
	w.setNewKey(ctx, key, types.StringPointerValue(body.ExpiresAt), old(w.Client.ServerTime(ctx)))
	return true
}

// noServerTime describes a key whose expiry counts from now: the argument, why, and what to do without the service's
// time.
type noServerTime struct{ argument, why, instead string }

// timeNow returns the service's time, from which the expiry of a key counts. It reports if that is unknown, and returns
// zero.
func timeNow(ctx context.Context, client *collections.Service, object string, u noServerTime,
	diags *diag.Diagnostics) time.Time {
	now, err := client.Now(ctx)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: "the service's time, required for the expiry of " +
			object})
	} else if now.IsZero() {
		diags.AddAttributeError(path.Root(u.argument), "The service's time, required for the expiry of "+object+
			", is unknown", u.why+", but no response has a Date header. No key was created. "+u.instead)
	}
	return now
}

// setNewKey saves a new key to the state, before any other step. expiry is its end if the response has none; old are
// the keys that it replaces.
func (w *write) setNewKey(ctx context.Context, key *collections.APIKey, expiry types.String, old []predecessor) {
	next := w.Plan.keep(key)
	w.memory = memory{Endings: w.memory.Endings, Unread: key.ExpiresAt == nil && !expiry.IsNull(),
		Asked: w.memory.Asked, Salt: w.memory.Salt}
	next.PreviousKeys, next.KeyExpiresAt = predecessorList(old), expiry
	next.setSecret(encrypt.Secret{Clear: types.StringPointerValue(key.Token)}.Stored(next.AgeRecipients, w.Diags))
	w.last = key
	// Saved before the next request: the service never shows the token again.
	w.Save(ctx, w.withDates(ctx, key, next))
	if key.Token == nil {
		w.Diags.AddAttributeWarning(path.Root("token"), fmt.Sprintf("The token of %s is unknown", next.displayName()),
			"The service did not return it. Change a value in rotate_when_changed to get a new key.")
	}
}

// withDates returns the state m with the dates of its new key, and stores them in the memory.
func (w *write) withDates(ctx context.Context, key *collections.APIKey, m model) model {
	now := w.Client.ServerTime(ctx)
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
	w.memory = w.memory.seen(m, now)
	w.note(ctx)
	return m
}

// complete reads a new key if the response was incomplete; inherits is true if its end was not requested. Its token is
// already in the state, so after a failure the next refresh reads it.
func (w *write) complete(ctx context.Context, inherits bool) {
	if w.last.Name != "" && !(inherits && w.memory.Unread) {
		return
	}
	key, err := w.Client.GetAPIKey(ctx, w.last.ID)
	if err != nil {
		return
	}
	if w.memory.Unread = false; inherits && key.ExpiresAt == nil {
		w.State.KeyExpiresAt = types.StringNull()
	}
	w.last = key
	w.Save(ctx, w.withDates(ctx, key, w.State.keep(key)))
	if w.State.KeyExpiresAt.IsNull() && !w.Plan.ExpiresAt.IsNull() {
		w.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("The new API key %q (id %s) never expires",
			w.Plan.Name.ValueString(), key.ID), fmt.Sprintf("expires_at is %s, but the service did not set an expiry on the "+
			"new key. The next new key gets one. Change expires_at to create one now.", w.Plan.ExpiresAt))
	}
}

// check reads an old key that keeps its own expiry: since the plan, another system may have ended it earlier.
func (w *write) check(ctx context.Context) {
	id := w.before.ID.ValueString()
	at := slices.IndexFunc(predecessorsOf(w.State.PreviousKeys), hasID(id))
	if at < 0 || slices.ContainsFunc(w.memory.Endings, func(e ending) bool { return e.ID == id }) {
		return
	}
	old, err := w.Client.GetAPIKey(ctx, id)
	if err == nil && (old.RevokedAt != nil || w.endsEarlier(old)) {
		w.warnEarlier(ctx, old, id, "until "+w.before.KeyExpiresAt.ValueString())
		w.Save(ctx, w.State)
	}
}

// graceUntil returns when a rotated key stops working. If the response does not contain it, it is calculated.
func graceUntil(successor *collections.APIKey, days int64, now time.Time) types.String {
	if successor.GraceUntil != nil || now.IsZero() {
		return types.StringPointerValue(successor.GraceUntil)
	}
	return timeText(now.AddDate(0, 0, int(days)))
}

// rotationLost reports a rotation with a lost response: the old key shows whether it was rotated. If so, it saves its
// end, and that a new key is due.
func (w *write) rotationLost(ctx context.Context, err error) bool {
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	next := unrotated(lost) + " The next apply rotates it or, if it was rotated, creates a new key to replace it."
	w.memory.Lost = true
	old, now := lost.Rotated, w.Client.ServerTime(ctx)
	if old != nil && w.endsEarlier(old) {
		next = fmt.Sprintf("The old key was rotated and works until %s. If that was this request, the token of its "+
			"successor is lost. The next apply creates a new key to replace it.", *old.ExpiresAt)
		w.memory.Lost = endsLikeRotation(old, w.Plan.GracePeriodDays.ValueInt64(), now)
		var state model
		state, w.memory = rotatedUntil(w.State, w.memory, *old.ExpiresAt, now)
		w.Save(ctx, state)
	}
	w.note(ctx)
	if w.memory.Rotated && !w.memory.Lost {
		w.Diags.AddError(w.before.displayName()+" was rotated by another system", fmt.Sprintf("%s\n\nThe key works until "+
			"%s, and cannot be rotated again. The next apply creates a new key to replace it.%s", apidiag.Text(err),
			*old.ExpiresAt, belongs(slices.DeleteFunc(slices.Clone(lost.Found), w.owns))))
		return true
	}
	return lostKey(err, fmt.Sprintf("The response to the creation of the successor of %s was lost",
		w.before.displayName()), next, w.owns, w.Diags)
}

// unrotated describes an old key whose end was not moved as far as is known.
func unrotated(lost *collections.LostKeyError) string {
	if lost.Rotated == nil {
		return "Whether the old key was rotated is unknown, because reading it failed."
	}
	return "The old key does not appear to have been rotated."
}

// rotatedUntil returns the state of a key with an end from a rotation; its successor is not in the state, so a new key
// is due.
func rotatedUntil(m model, k memory, end string, now time.Time) (model, memory) {
	k.Rotated, m.KeyExpiresAt = true, types.StringValue(end)
	if m.RotationDueAt = m.dueAt(); m.wouldLastLonger() && !now.IsZero() {
		m.RotationDueAt = earliest(m.RotationDueAt, timeText(now))
	}
	return m, k.seen(m, now)
}

// finishOldKeys completes the pending steps for old keys, so that the service ends each after its grace period. It
// reports whether it succeeded.
func (w *write) finishOldKeys(ctx context.Context) bool {
	for _, e := range slices.Clone(w.memory.Endings) {
		var fine bool
		switch {
		case e.Successor != "":
			fine = w.revokeSpare(ctx, e)
		case w.Plan.RevokePreviousKeys.ValueBool():
			fine = true // it is revoked with the others
		case e.Days == 0:
			fine = w.revoke(ctx, []predecessor{{ID: types.StringValue(e.ID)}})
		default:
			fine = w.limitOldKey(ctx, e)
		}
		if !fine {
			return false
		}
	}
	return true
}

// limitOldKey sets the end of an old key by rotating it, which creates an unneeded successor.
func (w *write) limitOldKey(ctx context.Context, e ending) bool {
	verb := "give the old key " + e.ID + " an expiry (the next apply tries again) for"
	successor, err := w.setEnd(ctx, e)
	var lost *collections.LostKeyError
	if errors.As(err, &lost) && lostKey(err, fmt.Sprintf("Could not %s %s", verb, w.State.displayName()), unrotated(lost),
		w.owns, w.Diags) || w.Failed(ctx, verb, err) {
		return false
	}
	w.Save(ctx, w.State)
	e.Successor = successor
	return successor == "" || w.revokeSpare(ctx, e)
}

// setEnd sets the end of an old key, unless it has one from elsewhere. It returns the id of the successor that this
// creates.
func (w *write) setEnd(ctx context.Context, e ending) (successor string, err error) {
	if w.notRotatable != nil && e.ID == w.before.ID.ValueString() {
		return "", w.alreadyLimited(ctx, e, w.notRotatable)
	}
	if e.Lost {
		if late, err := w.rotatedLate(ctx, e); late != nil || err != nil {
			return "", cmp.Or(err, w.limitAfterLostResponse(ctx, e, late))
		}
	}
	key, err := w.Client.RotateAPIKey(ctx, e.ID, e.Days)
	var lost *collections.LostKeyError
	switch {
	case errors.As(err, &lost):
		return "", w.limitAfterLostResponse(ctx, e, lost)
	case api.HasCode(err, collections.CodeKeyNotActive), api.IsNotFound(err):
		return "", w.alreadyLimited(ctx, e, err)
	case err != nil:
		return "", err
	}
	e.Successor = key.ID
	w.State = w.State.endingAt(e.ID, graceUntil(key, e.Days, w.Client.ServerTime(ctx)))
	w.done(ctx, e.ID, e)
	return key.ID, nil
}

// rotatedLate returns the old key if the rotation with a lost response has been carried out since, with its possible
// successors. An error means that these cannot be listed.
func (w *write) rotatedLate(ctx context.Context, e ending) (*collections.LostKeyError, error) {
	old, _ := w.Client.GetAPIKey(ctx, e.ID) // nil after an error: then the rotation shows it
	now := w.Client.ServerTime(ctx)
	if old == nil || ended(old, now) != "" || !old.EndsWithin(now, e.Days) {
		return nil, nil
	}
	found, err := w.successors(ctx, old)
	return &collections.LostKeyError{Rotated: old, Found: found, Err: &api.AmbiguousError{LookedUp: err == nil}}, err
}

// successors lists the unused keys that a rotation of an old key may have created.
func (w *write) successors(ctx context.Context, old *collections.APIKey) ([]collections.APIKey, error) {
	return w.Client.UnusedKeys(ctx, func(k collections.APIKey) bool { return same.Text(k.Name, old.Name) })
}

func (w *write) done(ctx context.Context, id string, next ...ending) {
	others := slices.DeleteFunc(slices.Clone(w.memory.Endings), func(e ending) bool { return e.ID == id })
	w.memory.Endings = append(others, next...)
	w.note(ctx)
}

// limitAfterLostResponse determines whether a rotation with a lost response has set the end of an old key: then the key
// ends when that rotation would end it. An earlier expiry of the key proves nothing. It only reports the successor,
// because that may belong to another system.
func (w *write) limitAfterLostResponse(ctx context.Context, e ending, lost *collections.LostKeyError) error {
	old, now := lost.Rotated, w.Client.ServerTime(ctx)
	switch {
	case old != nil && ended(old, now) != "":
		w.warnSuccessor(e, lost)
		return w.alreadyLimited(ctx, e, lost)
	case old == nil, !old.EndsWithin(now, e.Days), !e.Lost && e.ID == w.before.ID.ValueString() && !w.endsEarlier(old):
		e.Lost = true
		w.done(ctx, e.ID, e)
		return lost
	case !e.Lost && !endsLikeRotation(old, e.Days, now):
		return w.alreadyLimited(ctx, e, lost)
	}
	w.State = w.State.endingAt(e.ID, types.StringPointerValue(old.ExpiresAt))
	if !lost.Err.LookedUp {
		e.Lost = true
		w.done(ctx, e.ID, e)
		return fmt.Errorf("the old key was rotated and works until %s, and looking for its unneeded successor failed: %w",
			*old.ExpiresAt, lost.Err)
	}
	w.done(ctx, e.ID)
	w.warnSuccessor(e, lost)
	return nil
}

// endsEarlier reports whether the old key ends earlier than before this apply.
func (w *write) endsEarlier(old *collections.APIKey) bool {
	return earlier(api.OrEmpty(old.ExpiresAt), w.before.KeyExpiresAt.ValueString())
}

// warnSuccessor names the keys of which one may be the unneeded successor of a rotation with a lost response.
func (w *write) warnSuccessor(e ending, lost *collections.LostKeyError) {
	if found := slices.DeleteFunc(slices.Clone(lost.Found), w.owns); len(found) > 0 {
		w.Diags.AddWarning(fmt.Sprintf("%s: a possibly unused key exists, %s", w.State.displayName(), listed(found)),
			"The old key "+e.ID+" now has an end, set by a rotation. The response, and the token of its successor, were lost. "+
				"The successor is one of these keys, but they may also belong to another system."+howToEnd(found))
	}
}

// endsLikeRotation reports whether the end of a key matches a rotation in the last hour with this grace period. With an
// earlier end, the key was rotated by another system.
func endsLikeRotation(old *collections.APIKey, days int64, now time.Time) bool {
	return old.EndsWithin(now, days) && !old.EndsWithin(now.Add(-time.Hour), days)
}

// alreadyLimited handles an old key that cannot be rotated because it was already rotated or revoked: it keeps that
// end, and its successor does not belong to this state.
func (w *write) alreadyLimited(ctx context.Context, e ending, failure error) error {
	old, err := w.Client.GetAPIKey(ctx, e.ID)
	if api.IsNotFound(err) {
		old, err = nil, nil
	}
	now := w.Client.ServerTime(ctx)
	if err != nil || ended(old, now) == "" && !old.EndsWithin(now, highestGraceDays) {
		return failure
	}
	w.done(ctx, e.ID)
	w.warnEarlier(ctx, old, e.ID, fmt.Sprintf("for grace_period_days = %d", e.Days))
	return nil
}

// warnEarlier saves and reports the end of an old key set elsewhere; planned describes its planned end.
func (w *write) warnEarlier(ctx context.Context, old *collections.APIKey, id, planned string) {
	now := w.Client.ServerTime(ctx)
	if how := ended(old, now); how != "" {
		w.State = w.State.endingAt(id, timeText(now))
		w.Diags.AddWarning(fmt.Sprintf("%s: the old key %s no longer works", w.State.displayName(), id),
			fmt.Sprintf("It %s, so it does not work %s as planned.", how, planned))
		return
	}
	w.Save(ctx, w.State.endingAt(id, types.StringPointerValue(old.ExpiresAt)))
	who := "Another system had"
	if w.lost || id != w.before.ID.ValueString() {
		who = "Another system, or an apply whose response was lost, had"
	}
	var found []collections.APIKey
	for key, err := range w.Client.ListAPIKeys(ctx) {
		if err != nil {
			break
		}
		if w.memory.createdSince(w.before, key) && !w.owns(key) && works(ctx, w.Client, &key) {
			found = append(found, key)
		}
	}
	w.Diags.AddWarning(fmt.Sprintf("%s: the old key %s was rotated outside of this apply", w.State.displayName(), id),
		fmt.Sprintf("%s already rotated it. It works until %s, not %s as planned.%s", who,
			api.OrEmpty(old.ExpiresAt), planned, belongs(found)))
}

func (w *write) revoke(ctx context.Context, keys []predecessor) bool {
	for _, key := range keys {
		id := key.ID.ValueString()
		if !w.revokeOne(ctx, "revoke the key "+id+" of", id, id) {
			return false
		}
	}
	return true
}

// revokeSpare revokes the successor that was created only to set the end of an old key.
func (w *write) revokeSpare(ctx context.Context, e ending) bool {
	return w.revokeOne(ctx, "revoke the key "+e.Successor+" (unused) of", e.Successor, e.ID)
}

// revokeOne revokes a key and completes the pending steps for the old one.
func (w *write) revokeOne(ctx context.Context, verb, id, old string) bool {
	if w.Failed(ctx, verb, w.Client.RevokeAPIKey(ctx, id)) {
		return false
	}
	w.done(ctx, old)
	w.Save(ctx, w.State.without(id))
	return true
}

// lostKey reports a creation or a rotation with a lost response and token; it returns false for other errors. Keys that
// belong to the resource according to owns are not candidates.
func lostKey(err error, summary, next string, owns func(collections.APIKey) bool, diags *diag.Diagnostics) bool {
	var lost *collections.LostKeyError
	if !errors.As(err, &lost) {
		return false
	}
	text := apidiag.Text(err) + "\n\nThe request was not repeated, because each one creates another key. "
	found := slices.DeleteFunc(slices.Clone(lost.Found), owns)
	if len(found) == 0 {
		known := "Whether the key was created is unknown, because looking for it failed. "
		if lost.Err.LookedUp {
			known = "The service lists no unused key with this name, so the key was probably not created. "
		}
		diags.AddError(summary, text+known+next)
		return true
	}
	age := "may be new"
	if lost.Err.Older {
		age = "are older than the request according to the Date headers of the responses, unless these are from another " +
			"clock"
	}
	if !lost.Err.LookedUp {
		text += "Looking for it ended early, so another one may exist anyway. "
	}
	diags.AddError(summary+"; it may be "+listed(found), text+"These keys have the same name, were never used, and "+age+
		". If one of them was created by this request, its token is lost; they may also belong to another system. "+
		next+howToEnd(found))
	return true
}

// ownLast moves the provider's own key to the end: after it is revoked, the provider cannot revoke other keys.
func (r *Resource) ownLast(m model, keys []predecessor) []predecessor {
	own := r.ownID(m)
	if at := slices.IndexFunc(keys, hasID(own)); at >= 0 {
		return append(slices.Concat(keys[:at], keys[at+1:]), keys[at])
	}
	return keys
}
