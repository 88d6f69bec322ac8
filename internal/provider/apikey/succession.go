package apikey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// renew creates the new key: by the service's rotation where that passes everything on, which gives the old key its end
// too. Otherwise, and where the old key was rotated before, it creates one, and notes that the old one is to be ended.
func (w *write) renew(ctx context.Context, inherits bool) bool {
	now, _ := w.Client.Now(ctx)
	grace, old := w.Plan.graceDays(), w.State.all()[0]
	previous := running(predecessorsOf(w.State.PreviousKeys), now)
	if inherits {
		successor, err := w.Client.RotateAPIKey(ctx, old.id.ValueString(), grace)
		switch {
		case err == nil:
			if grace > 0 {
				old.graceUntil = graceUntil(successor, grace, now)
				previous = append([]predecessor{old}, previous...)
			}
			w.take(ctx, successor, w.inherited(ctx, successor), previous)
			return true
		case !api.HasCode(err, collections.CodeKeyNotActive):
			w.rotationFailed(err)
			return false
		}
	}
	key, expiry := w.create(ctx, "The old key is as it was. The next apply creates another key in its place.")
	if key == nil {
		return false
	}
	end := w.known.end()
	if passed(end.ValueString(), now) {
		w.take(ctx, key, expiry, previous)
		return true
	}
	endsItself := (&collections.APIKey{ExpiresAt: w.known.Expiry}).EndsWithin(now, grace)
	if w.known.Rotated || grace > 0 && endsItself {
		old.graceUntil = end.StringValue
	} else {
		w.known.Endings = append(w.known.Endings, ending{ID: old.id.ValueString(), Days: grace})
	}
	w.take(ctx, key, expiry, append([]predecessor{old}, previous...))
	return true
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
	expiry := text(shown.ExpiresAt)
	if expiry == "" && !w.Plan.ExpiresAt.IsNull() {
		w.Diags.AddAttributeWarning(path.Root("expires_at"), fmt.Sprintf("The new API key %q (id %s) never expires",
			w.Plan.Name.ValueString(), successor.ID), fmt.Sprintf("expires_at is %s, and the service has given no expiry to "+
			"the successor of the rotated key. It stays as it is until the next new key. Change expires_at to get one now.",
			w.Plan.ExpiresAt))
	}
	return &expiry
}

// rotationFailed reports why there is no new key. Where the response was lost, the old key shows whether it was
// rotated; the next plan finds that too.
func (w *write) rotationFailed(err error) {
	next := "The old key does not show that it was rotated. The next apply rotates it, or creates a new key in its " +
		"place if it was."
	var lost *collections.LostKeyError
	if errors.As(err, &lost) && lost.Rotated != nil {
		end := text(lost.Rotated.ExpiresAt)
		if earlier(end, w.known.end().ValueString()) {
			next = fmt.Sprintf("The old key was rotated and works until %s, and the token of its successor is lost. The next "+
				"apply creates a new key in its place.", end)
		}
	}
	if !lostKey(err, "the successor of "+w.State.displayName(), next, w.owns, w.Diags) {
		w.fail(err, "rotate")
	}
}

func text(s *string) string { return wire.FilledOrNull(s).ValueString() }

// finish does what is left to do for old keys: the service ends each after its grace period. It reports whether all is
// done.
func (w *write) finish(ctx context.Context) bool {
	for _, e := range slices.Clone(w.known.Endings) {
		if e.Successor == "" {
			if w.Plan.RevokePreviousKeys.ValueBool() {
				continue // it is revoked with all others
			}
			if !w.end(ctx, &e) {
				return false
			}
		}
		if e.Successor != "" && !w.discard(ctx, e) {
			return false
		}
	}
	return true
}

// end gives an old key its end at the service: it is rotated, which creates a successor.
func (w *write) end(ctx context.Context, e *ending) bool {
	if e.Days == 0 {
		return w.revoke(ctx, []predecessor{{id: types.StringValue(e.ID)}})
	}
	successor, err := w.Client.RotateAPIKey(ctx, e.ID, e.Days)
	if err != nil {
		return w.endUnseen(ctx, *e, err)
	}
	now, _ := w.Client.Now(ctx)
	e.Successor = successor.ID
	w.known.Endings = append(w.known.without(e.ID), *e)
	w.state = w.state.endingAt(e.ID, graceUntil(successor, e.Days, now))
	w.save(ctx)
	return true
}

// endUnseen finds out whether an old key has its end although its rotation has failed: it was rotated before, as the
// service says, or the response was lost and it ends within the days that were asked for. An expiry of its own is no
// proof. Its successor is only named, as it may be another system's.
func (w *write) endUnseen(ctx context.Context, e ending, failure error) bool {
	id, days := e.ID, e.Days
	var old *collections.APIKey
	var found []collections.APIKey
	var lost *collections.LostKeyError
	var unread error
	switch {
	case errors.As(failure, &lost):
		old, found = lost.Rotated, lost.Found
		if old == nil {
			unread = failure
		}
	case api.HasCode(failure, collections.CodeKeyNotActive), api.IsNotFound(failure):
		days = highestGraceDays // another system has chosen them
		if old, unread = w.Client.GetAPIKey(ctx, id); old != nil {
			since, _ := api.Moment(w.state.since().ValueString())
			found, _ = w.Client.UnusedKeys(ctx, func(k collections.APIKey) bool {
				created, known := api.Moment(k.CreatedAt)
				return k.Name == old.Name && known && !created.Before(since)
			})
		}
	default:
		unread = failure
	}
	now, _ := w.Client.Now(ctx)
	switch gone := api.IsNotFound(unread); {
	case gone, unread == nil && ended(old, now) != "":
		w.state = w.state.without(id)
	case unread == nil && old.EndsWithin(now, days):
		w.state = w.state.endingAt(id, types.StringPointerValue(old.ExpiresAt))
	default:
		w.fail(failure, "give the old key "+id+" an end, which the next apply tries again, for")
		return false
	}
	found = slices.DeleteFunc(found, w.owns)
	w.known.Endings = w.known.without(id)
	w.save(ctx)
	if len(found) > 0 {
		w.Diags.AddWarning(fmt.Sprintf("%s: an unused key is left, %s", w.state.displayName(),
			strings.Join(idsOf(found), ", ")), "The service ends the old key "+id+" now, by a rotation whose response did not "+
			"arrive here. The successor that it has created is not needed, and nobody has its token."+howToEnd(found))
	}
	return true
}

// discard revokes the successor that was created only to give an old key its end.
func (w *write) discard(ctx context.Context, e ending) bool {
	if err := w.Client.RevokeAPIKey(ctx, e.Successor); err != nil {
		w.fail(err, "revoke the key "+e.Successor+", which nobody uses, of")
		return false
	}
	w.known.Endings = w.known.without(e.ID)
	w.save(ctx)
	return true
}

// revoke ends keys at once.
func (w *write) revoke(ctx context.Context, keys []predecessor) bool {
	for _, key := range keys {
		id := key.id.ValueString()
		if err := w.Client.RevokeAPIKey(ctx, id); err != nil {
			w.fail(err, "revoke the key "+id+" of")
			return false
		}
		w.state, w.known.Endings = w.state.without(id), w.known.without(id)
		w.save(ctx)
	}
	return true
}
