package apikey

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID          types.String   `tfsdk:"id"`
	Name        types.String   `tfsdk:"name"`
	Description types.String   `tfsdk:"description"`
	Scopes      types.Set      `tfsdk:"scopes"`
	ExpiresAt   value.DateTime `tfsdk:"expires_at"`
	KeyPrefix   types.String   `tfsdk:"key_prefix"`
	Source      types.String   `tfsdk:"source"`
	CreatedAt   types.String   `tfsdk:"created_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	shared
	ExpiresAfterDays   types.Int64  `tfsdk:"expires_after_days"`
	GracePeriodDays    types.Int64  `tfsdk:"grace_period_days"`
	RotateWhenChanged  types.Map    `tfsdk:"rotate_when_changed"`
	RotateAfterDays    types.Int64  `tfsdk:"rotate_after_days"`
	RevokePreviousKeys types.Bool   `tfsdk:"revoke_previous_keys"`
	AllowOwnKey        types.Bool   `tfsdk:"allow_own_key"`
	DeletionPolicy     types.String `tfsdk:"deletion_policy"`
	AgeRecipients      types.List   `tfsdk:"age_recipients"`
	Token              types.String `tfsdk:"token"`
	EncryptedToken     types.String `tfsdk:"encrypted_token"`
	RotatedAt          types.String `tfsdk:"rotated_at"`
	RotationDueAt      types.String `tfsdk:"rotation_due_at"`
	PreviousKeys       types.List   `tfsdk:"previous_keys"`
}

// predecessor is a key that a newer one has replaced. graceUntil is null as long as the service does not end it.
type predecessor struct {
	ID         types.String `tfsdk:"id"`
	KeyPrefix  types.String `tfsdk:"key_prefix"`
	GraceUntil types.String `tfsdk:"grace_until"`
}

var predecessorType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id": types.StringType, "key_prefix": types.StringType, "grace_until": types.StringType}}

// predecessorsOf are the elements of a list; none as long as it is not known.
func predecessorsOf(list types.List) (all []predecessor) {
	if !list.IsNull() {
		list.ElementsAs(context.Background(), &all, false)
	}
	return all
}

func predecessorList(all []predecessor) types.List {
	list, _ := types.ListValueFrom(context.Background(), predecessorType, append([]predecessor{}, all...))
	return list
}

// all are the keys that end with the resource, the newest first.
func (m model) all() []predecessor {
	return append([]predecessor{{ID: m.ID, KeyPrefix: m.KeyPrefix}}, predecessorsOf(m.PreviousKeys)...)
}

// without is the state after a predecessor has ended.
func (m model) without(id string) model {
	m.PreviousKeys = predecessorList(slices.DeleteFunc(predecessorsOf(m.PreviousKeys), named(id)))
	return m
}

// endingAt is the state after a predecessor was given its end.
func (m model) endingAt(id string, end types.String) model {
	all := predecessorsOf(m.PreviousKeys)
	if at := slices.IndexFunc(all, named(id)); at >= 0 {
		all[at].GraceUntil = end
	}
	m.PreviousKeys = predecessorList(all)
	return m
}

// named finds the predecessor with an id.
func named(id string) func(predecessor) bool {
	return func(p predecessor) bool { return p.ID.ValueString() == id }
}

// passed reports whether a time has passed by the service's clock. When moment or now is not known, it has not.
func passed(moment string, now time.Time) bool {
	at, ok := api.Moment(moment)
	return ok && !now.IsZero() && !at.After(now)
}

// running leaves out the predecessors whose grace period is over by now.
func running(all []predecessor, now time.Time) []predecessor {
	return slices.DeleteFunc(all, func(p predecessor) bool { return passed(p.GraceUntil.ValueString(), now) })
}

// fromAPI builds the whole model of a key, as an import sees it: without a token, which no read puts
// into the state, and never rotated.
func fromAPI(k *collections.APIKey) model {
	return model{
		shared: shared{
			ID:          types.StringValue(k.ID),
			Name:        types.StringValue(k.Name),
			Description: value.FilledOrNull(k.Description),
			Scopes:      value.SetOrEmpty(k.Scopes),
			ExpiresAt:   value.DateTime{StringValue: value.FilledOrNull(k.ExpiresAt)},
			KeyPrefix:   value.TextOrNull(k.KeyPrefix),
			Source:      value.TextOrNull(k.Source),
			CreatedAt:   value.TextOrNull(k.CreatedAt),
		},
		RotateWhenChanged: object.NoTrigger,
		DeletionPolicy:    types.StringValue(revoke),
		AgeRecipients:     encrypt.None,
		PreviousKeys:      predecessorList(nil),
	}
}

// shows is m, a state or a plan, with what the service shows of the key. The rest it never returns, and to that belongs
// the expiry: what the service gives to a successor is its own choice, see known.Expiry. created_at is that of the
// first key.
func (m model) shows(k *collections.APIKey) model {
	had := m.shared
	m.shared = fromAPI(k).shared
	m.ExpiresAt = had.ExpiresAt
	if !had.CreatedAt.IsUnknown() {
		m.CreatedAt = had.CreatedAt
	}
	if k.Name == "" { // the response to a rotation may show little but the token
		object.CopyKnown(context.Background(), &had, &m.shared)
	}
	return m
}

// secret is the token as the plan or the state has it.
func (m model) secret() encrypt.Secret {
	return encrypt.Secret{Clear: m.Token, Encrypted: m.EncryptedToken}
}

func (m *model) setSecret(s encrypt.Secret) { m.Token, m.EncryptedToken = s.Clear, s.Encrypted }

// body is what creates the key as configured, by the time of the service.
func (m model) body(now time.Time) collections.APIKeyCreate {
	body := collections.APIKeyCreate{Name: m.Name.ValueString(), Description: m.Description.ValueStringPointer(),
		Scopes: value.Texts(m.Scopes), ExpiresAt: m.ExpiresAt.ValueStringPointer()}
	if !m.ExpiresAfterDays.IsNull() {
		body.ExpiresAt = new(now.AddDate(0, 0, int(m.ExpiresAfterDays.ValueInt64())).UTC().Format(time.RFC3339))
	}
	return body
}

// graceDays is how long an old key works next to the new one.
func (m model) graceDays() int64 {
	if m.GracePeriodDays.IsNull() {
		return defaultGraceDays
	}
	return m.GracePeriodDays.ValueInt64()
}

// since is when the key got its token: its last rotation, or else its creation.
func (m model) since() types.String {
	if m.RotatedAt.IsNull() {
		return m.CreatedAt
	}
	return m.RotatedAt
}

// dueAt is when a plan makes a new key because of time: when the key is rotate_after_days old, or when its grace period
// has to begin so that it ends before the key does. end is the expiry of the key at the service. It is null where
// neither comes, or the key ends before, and unknown when that is not known yet.
func (m model) dueAt(end value.DateTime) types.String {
	if m.RotateAfterDays.IsUnknown() || m.GracePeriodDays.IsUnknown() || m.ExpiresAt.IsUnknown() {
		return types.StringUnknown()
	}
	var due time.Time
	if since, ok := api.Moment(m.since().ValueString()); ok && !m.RotateAfterDays.IsNull() {
		due = since.AddDate(0, 0, int(m.RotateAfterDays.ValueInt64()))
	}
	if expiry, expires := api.Moment(end.ValueString()); expires {
		begins := expiry.AddDate(0, 0, -int(m.graceDays()))
		switch renewed := m.outlives(end); {
		case renewed && (due.IsZero() || begins.Before(due)):
			due = begins
		case !renewed && !due.Before(expiry):
			due = time.Time{}
		}
	}
	if due.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(due.UTC().Format(time.RFC3339))
}

// outlives reports whether a new key would work longer than one that has this end. With a fixed expires_at nothing can
// be renewed.
func (m model) outlives(end value.DateTime) bool {
	return m.ExpiresAt.IsNull() || earlier(end.ValueString(), m.ExpiresAt.ValueString())
}

// earlier reports whether a key that ends at one time ends before another; empty is never.
func earlier(one, other string) bool {
	at, ends := api.Moment(one)
	before, ended := api.Moment(other)
	return ends && (other == "" || ended && at.Before(before))
}

// displayName names the key inside a sentence.
func (m model) displayName() string {
	text := fmt.Sprintf("API key %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}

// Policy is the deletion_policy of the key.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: revoke,
		Stays: "The key and its previous_keys keep working until they expire."}
}

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

func readKnown(ctx context.Context, store object.PrivateState, diags *diag.Diagnostics) known {
	return object.Private[known](ctx, store, keyKnown, diags)
}

func (k known) write(ctx context.Context, store object.PrivateState, diags *diag.Diagnostics) {
	object.SetPrivate(ctx, store, keyKnown, k, diags)
}

// end is when the key ends at the service; null for never, and where it is not known.
func (k known) end() value.DateTime {
	return value.DateTime{StringValue: value.FilledOrNull(k.Expiry)}
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
		k.LeftDays = max(0, int64((end.Sub(now)+day-1)/day))
	}
	k.Ended = passed(m.ExpiresAt.ValueString(), now)
	return k
}

// overdue reports whether the age of the key asks for a new one, or may ask for one as long as rotate_after_days is not
// known.
func (k known) overdue(plan model) bool {
	days := plan.RotateAfterDays.ValueInt64()
	if plan.RotateAfterDays.IsUnknown() {
		days = lowestAgeDays
	}
	return !plan.RotateAfterDays.IsNull() && k.AgeDays >= days
}

// endsSoon reports whether the key ends within the grace period of the plan, or may as long as that is not known.
func (k known) endsSoon(plan model) bool {
	days := plan.graceDays()
	if plan.GracePeriodDays.IsUnknown() {
		days = highestGraceDays
	}
	return !k.end().IsNull() && k.LeftDays <= days
}
