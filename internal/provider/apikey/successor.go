package apikey

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// successor is a key that a rotation has created which the state does not know: another system's, or that of a run that
// was killed before it wrote its state.
type successor struct {
	ID     string  `json:"id"`
	Prefix string  `json:"prefix,omitempty"`
	End    *string `json:"end,omitempty"`
	Used   bool    `json:"used,omitempty"`
	// GraceDays is the length in days of the grace period of the previous key; -1: not known.
	GraceDays int64 `json:"grace_days"`
}

// successorsOf lists the successors of a key whose expiry was moved earlier, the newest last. Without the list there
// are none.
func successorsOf(ctx context.Context, client *collections.Service, key *collections.APIKey) (found []successor) {
	chain, err := client.Successors(ctx, *key)
	if err != nil {
		tflog.Debug(ctx, "The successor of a rotated key cannot be looked for", map[string]any{"error": err.Error()})
	}
	rotated := *key
	for _, k := range chain {
		found = append(found, successor{ID: k.ID, Prefix: k.KeyPrefix, End: k.ExpiresAt, Used: k.LastUsedAt != nil,
			GraceDays: graceOf(rotated, k)})
		rotated = k
	}
	return found
}

// graceOf is how many whole days a key works after the creation of its successor; -1 where that is not known.
func graceOf(key, next collections.APIKey) int64 {
	end, ends := fwtype.ParseMoment(expiryOf(&key).ValueString())
	created, known := fwtype.ParseMoment(next.CreatedAt)
	if !ends || !known {
		return -1
	}
	return int64(end.Sub(created).Round(24*time.Hour) / (24 * time.Hour))
}

// unused is the newest successor if nobody has used it; nil otherwise. Nobody can have used one whose token was lost
// with the run.
func (s seen) unused() *successor {
	if len(s.Successors) == 0 || s.Successors[len(s.Successors)-1].Used {
		return nil
	}
	return &s.Successors[len(s.Successors)-1]
}

// aboutSuccessors names the keys of the other rotation for a warning.
func (s seen) aboutSuccessors() string {
	if len(s.Successors) == 0 {
		return "The successor that the other rotation created is not managed here."
	}
	ids := make([]string, len(s.Successors))
	for i, link := range s.Successors {
		ids[i] = link.ID
	}
	text := fmt.Sprintf("That rotation created the key %s, which is not managed here.",
		strings.Join(ids, ", and its rotation the key "))
	if s.unused() != nil {
		text += " It was never used, so it may be left from an interrupted run: if the configuration still asks for " +
			"a rotation, this key is taken over and rotated, and no other one is created."
	}
	return text + " " + apidiag.TakeOver(typeName, ids[len(ids)-1]) + "\n\n"
}

// takesOver reports whether the plan asks for the rotation that has created the successor, with the same grace period,
// and the successor is the key that the plan wants. Then a run was killed in the middle of that rotation: its successor
// is rotated in turn, which gives a token.
func (p planning) takesOver() bool {
	last := p.seen.unused()
	if !p.seen.Superseded || last == nil || !p.asked() || last.GraceDays >= 0 && last.GraceDays != p.plan.graceDays() {
		return false
	}
	with := p.state
	with.ExpiresAt = fwtype.DateTime{StringValue: wire.FilledOrNull(last.End)}
	return !p.plan.ExpiresAt.IsUnknown() && len(p.plan.unlike(with)) == 0
}

// takenOver is the state with the newest successor, without its token. The keys before it are its predecessors, as long
// as they work.
func (m model) takenOver(s seen, plan model) model {
	old := m.current()
	old.graceUntil = m.ExpiresAt.StringValue
	before := predecessorsOf(m.PreviousKeys)
	if !s.Expired {
		before = append([]predecessor{old}, before...)
	}
	for i, link := range s.Successors {
		if i < len(s.Successors)-1 {
			before = append([]predecessor{{types.StringValue(link.ID), wire.TextOrNull(link.Prefix),
				wire.FilledOrNull(link.End)}}, before...)
			continue
		}
		m.ID, m.KeyPrefix = types.StringValue(link.ID), wire.TextOrNull(link.Prefix)
		m.setSecret(encrypt.Secret{})
	}
	m.ExpiresAt, m.PreviousKeys = plan.ExpiresAt, predecessorList(before)
	return m
}

// expiryOf is when a key ends at the service.
func expiryOf(k *collections.APIKey) fwtype.DateTime {
	return fwtype.DateTime{StringValue: wire.FilledOrNull(k.ExpiresAt)}
}
