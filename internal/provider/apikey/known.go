package apikey

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// known is what the private state remembers of a key. What depends on time is of the last refresh, and plans decide by
// it and not by a clock: so the plan that Terraform makes once more inside the apply, perhaps days later, decides as
// the one that was shown. It is in whole days, so that the state changes once a day at the most.
type known struct {
	// Expiry is when the key ends at the service; "": never, nil: not known.
	Expiry *string `json:"expiry,omitempty"`
	// AgeDays is how many whole days the key had had its token.
	AgeDays int64 `json:"age_days,omitempty"`
	// LeftDays is in how many days the key ends, rounded up; 0 or less: it has ended.
	LeftDays int64 `json:"left_days,omitempty"`
	// Ended says that the expires_at of the state has passed.
	Ended bool `json:"ended,omitempty"`
	// Rotated says that another system has rotated the key: it ends earlier than before.
	Rotated bool `json:"rotated,omitempty"`
	// Imported says that this is the run that imports the key: it makes no new one. Owed says that such a run has left
	// the key with another expiry than is configured.
	Imported bool `json:"imported,omitempty"`
	Owed     bool `json:"owed,omitempty"`
	// Endings are what is left to do for old keys; the next apply continues with the first.
	Endings []ending `json:"endings,omitempty"`
}

// ending is an old key that the service does not end yet. It is rotated, so that it has its end; the successor that
// the service makes for it is not wanted, and revoked.
type ending struct {
	ID   string `json:"id"`
	Days int64  `json:"days"` // 0: it is revoked
	// Successor is to be revoked; "": ID has not been rotated.
	Successor string `json:"successor,omitempty"`
}

const keyKnown = "key"

func readKnown(ctx context.Context, store private.Store, diags *diag.Diagnostics) known {
	return private.Get[known](ctx, store, keyKnown, diags)
}

func (k known) write(ctx context.Context, store private.Store, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyKnown, k, diags)
}

// without leaves out what is left to do for an old key.
func (k known) without(id string) []ending {
	return slices.DeleteFunc(slices.Clone(k.Endings), func(e ending) bool { return e.ID == id })
}

// end is when the key ends at the service; null for never, and where it is not known.
func (k known) end() fwtype.DateTime {
	return fwtype.DateTime{StringValue: wire.FilledOrNull(k.Expiry)}
}

// expired reports whether the key has ended.
func (k known) expired() bool { return !k.end().IsNull() && k.LeftDays <= 0 }

// at is what is known of the key m at a time of the service. Where the service does not show its time, the key is as
// old as it was seen before.
func (k known) at(m model, now time.Time) known {
	const day = 24 * time.Hour
	if now.IsZero() {
		return k
	}
	if since, ok := api.Moment(m.since().ValueString()); ok {
		k.AgeDays = int64(now.Sub(since) / day)
	}
	if end, ok := api.Moment(k.end().ValueString()); ok {
		k.LeftDays = int64((end.Sub(now) + day - 1) / day)
		if !end.After(now) {
			k.LeftDays = 0
		}
	}
	k.Ended = passed(m.ExpiresAt.ValueString(), now)
	return k
}

// overdue reports whether the age of the key asks for a new one, or may ask for one as long as rotate_after_days is not
// known.
func (k known) overdue(plan model) bool {
	switch {
	case plan.RotateAfterDays.IsNull():
		return false
	case plan.RotateAfterDays.IsUnknown():
		return k.AgeDays >= lowestAgeDays
	}
	return k.AgeDays >= plan.RotateAfterDays.ValueInt64()
}

// endsSoon reports whether the key ends within the grace period of the plan, or may as long as that is not known.
func (k known) endsSoon(plan model) bool {
	days := plan.graceDays()
	if plan.GracePeriodDays.IsUnknown() {
		days = highestGraceDays
	}
	return !k.end().IsNull() && k.LeftDays <= days
}
