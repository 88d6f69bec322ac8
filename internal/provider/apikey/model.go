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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID          types.String    `tfsdk:"id"`
	Name        types.String    `tfsdk:"name"`
	Description types.String    `tfsdk:"description"`
	Scopes      value.StringSet `tfsdk:"scopes"`
	ExpiresAt   value.DateTime  `tfsdk:"expires_at"`
	KeyPrefix   types.String    `tfsdk:"key_prefix"`
	Source      types.String    `tfsdk:"source"`
	CreatedAt   types.String    `tfsdk:"created_at"`
}

// timeFormat is the service's format of a time.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

func timeText(at time.Time) types.String { return types.StringValue(at.UTC().Format(timeFormat)) }

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
	KeyExpiresAt       types.String `tfsdk:"key_expires_at"`
	RotatedAt          types.String `tfsdk:"rotated_at"`
	RotationDueAt      types.String `tfsdk:"rotation_due_at"`
	PreviousKeys       types.List   `tfsdk:"previous_keys"`
}

// predecessor is a key that a newer one has replaced. graceUntil is null until the service ends it.
type predecessor struct {
	ID         types.String `tfsdk:"id"`
	KeyPrefix  types.String `tfsdk:"key_prefix"`
	GraceUntil types.String `tfsdk:"grace_until"`
}

var predecessorType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id": types.StringType, "key_prefix": types.StringType, "grace_until": types.StringType}}

// predecessorsOf returns the elements of a list; nil if it is unknown.
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

// all returns the keys that are revoked with the resource, newest first.
func (m model) all() []predecessor {
	return append([]predecessor{{ID: m.ID, KeyPrefix: m.KeyPrefix}}, predecessorsOf(m.PreviousKeys)...)
}

// without returns the state after a predecessor has ended.
func (m model) without(id string) model {
	m.PreviousKeys = predecessorList(slices.DeleteFunc(predecessorsOf(m.PreviousKeys), hasID(id)))
	return m
}

// endingAt returns the state with the end of a predecessor.
func (m model) endingAt(id string, end types.String) model {
	all := predecessorsOf(m.PreviousKeys)
	if at := slices.IndexFunc(all, hasID(id)); at >= 0 {
		all[at].GraceUntil = end
	}
	m.PreviousKeys = predecessorList(all)
	return m
}

func hasID(id string) func(predecessor) bool {
	return func(p predecessor) bool { return p.ID.ValueString() == id }
}

// passed reports whether a time has passed by the service's clock. It returns false if moment or now is unknown.
func passed(moment string, now time.Time) bool {
	at, ok := api.ParseTime(moment)
	return ok && !now.IsZero() && !at.After(now)
}

// fromAPI builds the whole model of a key, as for an import: with the defaults of the schema, without a token, which
// the service does not return, and never rotated.
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
		GracePeriodDays:    types.Int64Value(defaultGraceDays),
		RotateWhenChanged:  object.NoTrigger,
		RevokePreviousKeys: types.BoolValue(false),
		AllowOwnKey:        types.BoolValue(false),
		DeletionPolicy:     types.StringValue(revoke),
		AgeRecipients:      encrypt.None,
		KeyExpiresAt:       value.FilledOrNull(k.ExpiresAt),
		PreviousKeys:       predecessorList(nil),
	}
}

// keep returns the state after a response with k; m is a state or the applied plan. expires_at stays the requested
// expiry; key_expires_at is the actual one, because the service chooses that of a successor. created_at is that of the
// first key.
func (m model) keep(k *collections.APIKey) model {
	had := m.shared
	m.shared = fromAPI(k).shared
	m.ExpiresAt = had.ExpiresAt
	if had.CreatedAt.ValueString() != "" {
		m.CreatedAt = had.CreatedAt
	}
	if k.Name == "" { // the response to a rotation may have little more than the token
		object.CopyKnown(context.Background(), &had, &m.shared)
	}
	return m
}

func (m model) secret() encrypt.Secret {
	return encrypt.Secret{Clear: m.Token, Encrypted: m.EncryptedToken}
}

func (m *model) setSecret(s encrypt.Secret) { m.Token, m.EncryptedToken = s.Clear, s.Encrypted }

// body returns the creation of the configured key; now is the service's time.
func (m model) body(now time.Time) collections.APIKeyCreate {
	body := collections.APIKeyCreate{Name: m.Name.ValueString(), Description: m.Description.ValueStringPointer(),
		Scopes: value.Texts(m.Scopes), ExpiresAt: m.ExpiresAt.ValueStringPointer()}
	if !m.ExpiresAfterDays.IsNull() {
		body.ExpiresAt = new(now.AddDate(0, 0, int(m.ExpiresAfterDays.ValueInt64())).UTC().Format(time.RFC3339))
	}
	return body
}

// since returns when the key got its token: at its last rotation, or else its creation.
func (m model) since() types.String {
	if m.RotatedAt.IsNull() {
		return m.CreatedAt
	}
	return m.RotatedAt
}

// dueAt returns when a plan creates a new key because of age or expiry: when the key is rotate_after_days old, or a
// grace period before it ends. It is null if neither applies or the key ends before, and unknown if that is unknown.
func (m model) dueAt() types.String {
	since, dated := api.ParseTime(m.since().ValueString())
	expiry, expires := api.ParseTime(m.KeyExpiresAt.ValueString())
	if !isKnown(m.RotateAfterDays, m.ExpiresAt) || expires && !isKnown(m.GracePeriodDays) {
		return types.StringUnknown()
	}
	var due time.Time
	if dated && !m.RotateAfterDays.IsNull() {
		due = since.AddDate(0, 0, int(m.RotateAfterDays.ValueInt64()))
	}
	renewal, renewed := m.renewalAt()
	switch {
	case renewed && (due.IsZero() || renewal.Before(due)):
		due = renewal
	case expires && !renewed && !due.Before(expiry):
		due = time.Time{}
	}
	if due.IsZero() {
		return types.StringNull()
	}
	return timeText(due)
}

// renewalAt returns when the grace period of the key must begin so that it ends before the key expires: for a key that
// lives no longer than that, the middle of its life. It is false if a new key would not work longer.
func (m model) renewalAt() (time.Time, bool) {
	expiry, expires := api.ParseTime(m.KeyExpiresAt.ValueString())
	if !expires || !m.wouldLastLonger() {
		return time.Time{}, false
	}
	begins := expiry.AddDate(0, 0, -int(m.GracePeriodDays.ValueInt64()))
	if since, dated := api.ParseTime(m.since().ValueString()); dated && !begins.After(since) && since.Before(expiry) {
		return since.Add(expiry.Sub(since) / 2), true //nolint:mnd // the last half of its life
	}
	return begins, true
}

// wouldLastLonger reports whether a new key would work longer than the existing one. A key with a fixed expires_at
// cannot be renewed.
func (m model) wouldLastLonger() bool {
	return m.ExpiresAt.IsNull() || earlier(m.KeyExpiresAt.ValueString(), m.ExpiresAt.ValueString())
}

// earlier reports whether one is before other; "" means never.
func earlier(one, other string) bool {
	at, ends := api.ParseTime(one)
	before, ended := api.ParseTime(other)
	return ends && (other == "" || ended && at.Before(before))
}

// earliest returns the earlier of two times; each may be null. It is unknown if one of them is.
func earliest(one, other types.String) types.String {
	if one.IsUnknown() || other.IsUnknown() {
		return types.StringUnknown()
	}
	if earlier(other.ValueString(), one.ValueString()) {
		return other
	}
	return one
}

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
		AfterAbandon: "The key and its previous_keys keep working until they expire."}
}

// memory is the data about a key in the private state. Configuration, state and time decide whether a new key is
// created; memory proves the time, continues unfinished work, and provides details for messages.
type memory struct {
	// Seen is the latest time of the service that the last refresh proves: the last date in the state that had passed, or
	// else the key's age in whole days, so that the state changes at most once a day. The plan inside the apply needs it
	// to decide like the plan that was shown.
	Seen string `json:"seen,omitempty"`
	// Rotated is true if the key's end was set by a rotation that is not in this state: the end is kept. Lost is true if
	// the response to a rotation was lost.
	Rotated bool `json:"rotated,omitempty"`
	Lost    bool `json:"lost,omitempty"`
	// Unread is true if key_expires_at could not be read: the next refresh accepts its value.
	Unread bool `json:"unread,omitempty"`
	// ExpiryPending is set by the run that imports a key with another expiry than configured: the next plan creates a new
	// key.
	ExpiryPending bool `json:"expiry_pending,omitempty"`
	// Asked holds salted hashes of what the creation of the key has sent: it is not sent again because the service shows
	// something else.
	Asked map[string]string `json:"asked,omitempty"`
	Salt  private.Salt      `json:"salt,omitempty"`
	// Endings are the pending steps for old keys; the next apply continues with the first.
	Endings []ending `json:"endings,omitempty"`

	imported bool // this run imports the key, so it does not create a new one
}

// ending is an old key without an end. To set its end it is rotated, and the unneeded successor is revoked.
type ending struct {
	ID   string `json:"id"`
	Days int64  `json:"days"` // 0 revokes it
	// Successor is the key to revoke; "" if ID has not been rotated.
	Successor string `json:"successor,omitempty"`
	// Lost is true if the response to a rotation of ID was lost: the service may carry it out later.
	Lost bool `json:"lost,omitempty"`
}

var keyMemory = private.Key("key")

func readMemory(ctx context.Context, store private.State, diags *diag.Diagnostics) memory {
	k := private.Get[memory](ctx, store, keyMemory, diags)
	k.imported = object.Imports(ctx, store, diags)
	return k
}

func (k memory) write(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyMemory, k, diags)
}

// had reports whether a date had passed at the time of the refresh.
func (k memory) had(date types.String) bool {
	seen, ok := api.ParseTime(k.Seen)
	return ok && passed(date.ValueString(), seen)
}

// seen returns k with the service's time now and the state m. If the service's time is unknown, k does not change.
func (k memory) seen(m model, now time.Time) memory {
	since, ok := api.ParseTime(m.since().ValueString())
	if now.IsZero() || !ok {
		return k
	}
	const day = 24 * time.Hour
	latest := since.Add(now.Sub(since) / day * day)
	for _, date := range []types.String{m.RotationDueAt, m.KeyExpiresAt, m.ExpiresAt.StringValue} {
		if at, ok := api.ParseTime(date.ValueString()); ok && !at.After(now) && at.After(latest) {
			latest = at
		}
	}
	k.Seen = latest.UTC().Format(timeFormat)
	return k
}
