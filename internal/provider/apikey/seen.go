package apikey

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const keySeen = "seen"

// seen is what the last refresh has found that depends on time or on other systems. Plans decide by it and not by a
// clock: so the plan that Terraform makes once more inside the apply, perhaps days later, decides as the one that was
// shown. It is stored in the private state.
type seen struct {
	// AgeDays is how many whole days the key had had its token. It is a number of days, so that the state changes
	// once a day at the most.
	AgeDays int64 `json:"age_days,omitempty"`
	// Expired says that the key's expires_at had passed.
	Expired bool `json:"expired,omitempty"`
	// Superseded says that the key ends earlier than before: another system has rotated it. It stays true for this key.
	Superseded bool `json:"superseded,omitempty"`
	// Successors are the keys that the rotation has created, and rotations of those, the newest last.
	Successors []successor `json:"successors,omitempty"`
}

func readSeen(ctx context.Context, store private.Store, diags *diag.Diagnostics) seen {
	return private.Get[seen](ctx, store, keySeen, diags)
}

func writeSeen(ctx context.Context, store private.Store, s seen, diags *diag.Diagnostics) {
	private.Set(ctx, store, keySeen, s, diags)
}

// of is what a refresh sees of a key that had the state prior and has the state m. Where the service does not show
// its time, the age stays the one that was seen before, and nothing has expired.
func (s seen) of(m, prior model, now time.Time) seen {
	const day = 24 * time.Hour
	if since, ok := fwtype.ParseMoment(m.since().ValueString()); ok && !now.IsZero() {
		s.AgeDays = int64(now.Sub(since) / day)
	}
	s.Expired = passed(m.ExpiresAt.ValueString(), now)
	s.Superseded = s.Superseded || earlier(m.ExpiresAt, prior.ExpiresAt)
	return s
}

// earlier reports whether a key that ends at one moment ends before another; none is never.
func earlier(one, other fwtype.DateTime) bool {
	at, ends := fwtype.ParseMoment(one.ValueString())
	before, ended := fwtype.ParseMoment(other.ValueString())
	return ends && !one.Means(other) && (other.IsNull() || ended && at.Before(before))
}

// overdue reports whether the age of the key asks for a rotation, or may ask for one as long as rotate_after_days is
// not known.
func (s seen) overdue(m model) bool {
	switch {
	case m.RotateAfterDays.IsNull():
		return false
	case m.RotateAfterDays.IsUnknown():
		return s.AgeDays >= lowestAgeDays
	}
	return s.AgeDays >= m.RotateAfterDays.ValueInt64()
}
