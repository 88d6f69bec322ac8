package apikey

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// What a plan does with an existing key follows from three questions: is there a reason for a new key (reasons), can a
// rotation create it (inherits), and what becomes of the old one (oldKey). The warnings of the plan and the requests of
// the apply use the same answers.

// reason is a reason for a new key.
type reason struct {
	name string
	// holds reports whether there is this reason.
	holds func(decision) certainty
	// why is the sentence about it in the plan; "" if there is nothing to say.
	why func(decision) string
}

// certainty is whether something is so. It is possible if that depends on values that are known only after apply.
type certainty int

const (
	no certainty = iota
	possible
	certain
)

const (
	byChange  = "change"
	byTrigger = "trigger"
	byDate    = "date"
	byUnknown = "unknown"
)

// reasons are the reasons for a new key, in the order in which a plan names them.
var reasons = []reason{
	// Keys cannot be updated (wire contract).
	{byChange, func(d decision) certainty { return certainIf(len(d.differs) > 0) }, func(d decision) string {
		return "Changing " + strings.Join(d.differs, ", ") + " requires a new key. "
	}},
	{byTrigger, func(d decision) certainty {
		switch {
		case !object.Triggered(d.state.RotateWhenChanged, d.plan.RotateWhenChanged):
			return no
		case !isKnown(d.plan.RotateWhenChanged):
			return possible
		}
		return certain
	}, func(decision) string { return "The value of rotate_when_changed changes. " }},
	// Age, or a near end that a new key would outlast.
	{byDate, func(d decision) certainty { return certainIf(d.due) }, func(d decision) string {
		if d.memory.Rotated {
			return "" // warnRotated says why
		}
		return "A new key has been due since " + d.dueAt.ValueString() + ". "
	}},
	{byUnknown, func(d decision) certainty {
		if d.plan.isDescribed() && (d.dueAt.IsNull() || d.plan.isKnown()) {
			return no
		}
		return possible
	}, nil},
}

func certainIf(holds bool) certainty {
	if holds {
		return certain
	}
	return no
}

// fate is what becomes of the old key when there is a new one.
type fate int

const (
	hasEnded  fate = iota // it has already expired
	keepsEnd              // it ends when it would have without the new key
	isRevoked             // it is revoked when the new key is in the state
	getsGrace             // it works for grace_period_days
)

// oldKey returns the fate of the old key, if the apply is now. A key that another system has rotated keeps the end from
// that rotation.
func (d decision) oldKey(now time.Time) fate {
	switch {
	case d.ended:
		return hasEnded
	case d.memory.Rotated:
		return keepsEnd
	case d.plan.GracePeriodDays.ValueInt64() == 0:
		return isRevoked
	case d.endsInGrace(now):
		return keepsEnd
	}
	return getsGrace
}

// endsInGrace reports whether the key ends before a grace period that begins now. If that time is unknown, the one that
// the refresh proves is early enough.
func (d decision) endsInGrace(now time.Time) bool {
	if now.IsZero() {
		now, _ = api.ParseTime(d.memory.Seen)
	}
	key := collections.APIKey{ExpiresAt: d.state.KeyExpiresAt.ValueStringPointer()}
	return key.EndsWithin(now, d.plan.GracePeriodDays.ValueInt64())
}

// keepsOld reports whether the old key works for a while.
func (d decision) keepsOld() bool {
	then := d.oldKey(time.Time{})
	return then == keepsEnd || then == getsGrace
}

// decision is what a plan does with an existing key.
type decision struct {
	plan, state model
	memory      memory
	// dueAt is when age or expiry requires a new key; due is true if that time has passed.
	dueAt types.String
	due   bool
	// postponed is true if the key is due, and the next plan renews it.
	postponed bool
	// differs are the changed arguments that require a new key. It does not contain unknown ones.
	differs []string
	// ended is true if the key has expired.
	ended bool
	// keepsKey is true if the key is kept regardless of the configuration: this run imports it, or it has ended as
	// configured. Then the configured values are stored in the state, but not sent.
	keepsKey bool
	// reasons are those for a new key, by name. If all are only possible, the plan shows the id as unknown too, because
	// the apply cannot create a key that the plan has not shown.
	reasons map[string]certainty
	// inherits is true if the new key has the same values as the old one, so that the service's rotation can create it.
	inherits bool
}

// newKey reports whether a new key is created, or may be.
func (d decision) newKey() bool { return len(d.reasons) > 0 }

// certain reports whether a new key is created.
func (d decision) certain() bool {
	for _, is := range d.reasons {
		if is == certain {
			return true
		}
	}
	return false
}

// decide decides whether to create a new key. due is true if its time has come.
func decide(wanted, state model, k memory, due bool) decision {
	plan := wanted.accepting(state, k)
	plan.KeyExpiresAt, plan.RotatedAt, plan.CreatedAt = state.KeyExpiresAt, state.RotatedAt, state.CreatedAt
	d := decision{plan: plan, state: state, memory: k, due: due, dueAt: plan.dueAt(),
		differs: plan.changedArguments(state, k), ended: k.had(state.KeyExpiresAt)}
	if k.Rotated && plan.wouldLastLonger() {
		d.dueAt = earliest(d.dueAt, state.RotationDueAt)
	}
	if d.keepsKey = k.imported || d.endedAsConfigured(); d.keepsKey {
		return d
	}
	d.reasons = map[string]certainty{}
	for _, r := range reasons {
		if is := r.holds(d); is != no {
			d.reasons[r.name] = is
		}
	}
	d.inherits = plan.isDescribed() && len(d.differs) == 0 && plan.ExpiresAfterDays.IsNull() && !d.isExpiring() &&
		!d.ended && !k.Rotated
	return d
}

// decideInTime decides a plan. Terraform plans twice, once to show the plan and once inside the apply, perhaps days
// later, and both must decide alike. So a date counts if it had passed at the refresh, which both know. A date that has
// passed since counts only if nothing else about the key changes: then it is the reason for the apply, which asks the
// service for its time.
func (r *Resource) decideInTime(ctx context.Context, p *object.Plan[model]) decision {
	k := readMemory(ctx, p.Private, p.Diags)
	d := decide(p.Planned, p.State, k, false)
	at, dated := api.ParseTime(d.dueAt.ValueString())
	client, ready := r.Client()
	switch {
	case d.keepsKey || !dated:
		return d
	case k.had(d.dueAt):
		return decide(p.Planned, p.State, k, true)
	case d.certain() || !ready, p.Applying && p.Changes(ctx, d.planned()):
		return d
	}
	switch passed, err := client.HasPassed(ctx, at, p.Applying); {
	case err != nil:
		apidiag.Add(p.Diags, err, r.Operation("determine whether it is time to replace", p.State))
		return d
	case !passed:
		return d
	case p.Changes(ctx, d.planned()):
		d.postponed = !d.newKey()
		return d
	}
	return decide(p.Planned, p.State, k, true)
}

// endedAsConfigured reports whether the key has expired at its configured, unchanged expires_at.
func (d decision) endedAsConfigured() bool {
	return d.ended && d.memory.had(d.state.ExpiresAt.StringValue) && d.plan.ExpiresAt.Means(d.state.ExpiresAt)
}

// isExpiring reports whether the key is near its end, so that its successor needs a later one.
func (d decision) isExpiring() bool {
	at, renewed := d.plan.renewalAt()
	return renewed && (d.memory.had(timeText(at)) || d.due && d.dueAt.Equal(timeText(at)))
}

// changedArguments lists the known arguments that differ from the key. An expiry differs only if the argument changes:
// the one chosen by the service is accepted.
func (m model) changedArguments(state model, k memory) (names []string) {
	compare := func(name string, value, is attr.Value) {
		if isKnown(value) && !value.Equal(is) && !k.accepts(name, value, is) {
			names = append(names, name)
		}
	}
	compare("name", m.Name, state.Name)
	compare("description", m.Description, state.Description)
	compare("scopes", m.Scopes, state.Scopes)
	imported := k.imported || k.ExpiryPending
	end := value.DateTime{StringValue: state.KeyExpiresAt}
	changes := imported || !m.ExpiresAfterDays.Equal(state.ExpiresAfterDays) || !m.ExpiresAt.Means(state.ExpiresAt)
	switch {
	case !isKnown(m.ExpiresAt, m.ExpiresAfterDays) || !changes:
	case !m.ExpiresAfterDays.IsNull() && (!imported || end.IsNull()):
		names = append(names, "expires_after_days")
	case m.ExpiresAfterDays.IsNull() && !m.ExpiresAt.Means(end):
		names = append(names, "expires_at")
	}
	return names
}

// isKnown reports whether all values are known, including the elements of sets and maps.
func isKnown(values ...attr.Value) bool {
	return !slices.ContainsFunc(values, func(v attr.Value) bool {
		raw, err := v.ToTerraformValue(context.Background())
		return err != nil || !raw.IsFullyKnown()
	})
}

// isDescribed reports whether all values that the creation of a key sends are known.
func (m model) isDescribed() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays)
}

// isKnown reports whether all arguments are known.
func (m model) isKnown() bool {
	return isKnown(m.Name, m.Description, m.Scopes, m.ExpiresAt, m.ExpiresAfterDays, m.GracePeriodDays,
		m.RotateWhenChanged, m.RotateAfterDays, m.RevokePreviousKeys, m.AllowOwnKey, m.DeletionPolicy, m.AgeRecipients)
}

// planned marks only those values unknown that this change may affect; the schema keeps the other computed values.
func (d decision) planned() model {
	plan := d.plan
	plan.RotationDueAt, plan.PreviousKeys = d.dueAt, d.previousKeys()
	if d.newKey() {
		for _, computed := range []*types.String{&plan.ID, &plan.KeyPrefix, &plan.Source, &plan.RotatedAt,
			&plan.RotationDueAt, &plan.KeyExpiresAt} {
			*computed = types.StringUnknown()
		}
	}
	// While a value is unknown, it may turn out that a rotation creates the key.
	created := len(d.differs) > 0 || d.plan.isDescribed() && !d.inherits
	// Or that the key has ended at the configured time, and is kept.
	kept := d.ended && d.plan.ExpiresAt.IsUnknown()
	if d.certain() && (created || d.state.KeyExpiresAt.IsNull()) && !kept {
		plan.RotationDueAt = d.plan.dueOfNew()
	}
	plan.setSecret(d.state.secret().Planned(plan.AgeRecipients, d.newKey()))
	return plan
}

// previousKeys returns the list after the apply. The old key is its first element; the service determines its end.
func (d decision) previousKeys() types.List {
	revokes, previous := d.plan.RevokePreviousKeys, predecessorsOf(d.state.PreviousKeys)
	switch {
	case len(d.memory.Endings) > 0:
		return types.ListUnknown(predecessorType)
	case revokes.ValueBool():
		return predecessorList(nil)
	case d.newKey() && !(d.certain() && isKnown(d.plan.GracePeriodDays, revokes)),
		revokes.IsUnknown() && len(previous) > 0:
		return types.ListUnknown(predecessorType)
	case d.newKey() && d.keepsOld():
		old := d.state.all()[0]
		old.GraceUntil = types.StringUnknown()
		previous = append([]predecessor{old}, previous...)
	}
	return predecessorList(previous)
}

// endsNow lists the keys that the change ends without a grace period, or may end while revoke_previous_keys is unknown.
func (d decision) endsNow() []predecessor {
	var ends []predecessor
	revokes := d.plan.RevokePreviousKeys.ValueBool() || d.plan.RevokePreviousKeys.IsUnknown()
	if d.newKey() && !d.ended && (revokes || isKnown(d.plan.GracePeriodDays) && d.oldKey(time.Time{}) == isRevoked) {
		ends = append(ends, d.state.all()[0])
	}
	if revokes {
		ends = append(ends, predecessorsOf(d.state.PreviousKeys)...)
	}
	return ends
}
