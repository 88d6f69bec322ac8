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
	ID          types.String   `tfsdk:"id"`
	Name        types.String   `tfsdk:"name"`
	Description types.String   `tfsdk:"description"`
	Scopes      types.Set      `tfsdk:"scopes"`
	ExpiresAt   value.DateTime `tfsdk:"expires_at"`
	KeyPrefix   types.String   `tfsdk:"key_prefix"`
	Source      types.String   `tfsdk:"source"`
	CreatedAt   types.String   `tfsdk:"created_at"`
}

// timeFormat is how the service writes a time.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

func timeText(at time.Time) types.String { return types.StringValue(at.UTC().Format(timeFormat)) }

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
	KeyExpiresAt       types.String `tfsdk:"key_expires_at"`
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

// fromAPI builds the whole model of a key, as an import sees it: with the defaults of the schema, without a token,
// which no read puts into the state, and never rotated.
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

// shows is m, a state or a plan, with what the service shows of the key. The rest it never returns. expires_at is what
// was asked for: what the service gives to a successor is its own choice, and is in key_expires_at. created_at is that
// of the first key.
func (m model) shows(k *collections.APIKey) model {
	had := m.shared
	m.shared = fromAPI(k).shared
	m.ExpiresAt = had.ExpiresAt
	if had.CreatedAt.ValueString() != "" {
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

// since is when the key got its token: its last rotation, or else its creation.
func (m model) since() types.String {
	if m.RotatedAt.IsNull() {
		return m.CreatedAt
	}
	return m.RotatedAt
}

// dueAt is when a plan creates a new key because of time: when the key is rotate_after_days old, or in time before it
// ends. It is null where neither comes, or the key ends before, and unknown when that is not known yet.
func (m model) dueAt() types.String {
	since, dated := api.Moment(m.since().ValueString())
	expiry, expires := api.Moment(m.KeyExpiresAt.ValueString())
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

// renewalAt is when the grace period of the key has to begin so that it ends before the key does; false where no new
// key would work longer.
func (m model) renewalAt() (time.Time, bool) {
	expiry, expires := api.Moment(m.KeyExpiresAt.ValueString())
	if !expires || !m.outlives() {
		return time.Time{}, false
	}
	begins := expiry.AddDate(0, 0, -int(m.GracePeriodDays.ValueInt64()))
	if since, dated := api.Moment(m.since().ValueString()); dated && begins.Before(since) {
		return since, true
	}
	return begins, true
}

// outlives reports whether a new key would work longer than the one that exists. With a fixed expires_at nothing can be
// renewed.
func (m model) outlives() bool {
	return m.ExpiresAt.IsNull() || earlier(m.KeyExpiresAt.ValueString(), m.ExpiresAt.ValueString())
}

// earlier reports whether a key that ends at one time ends before another; empty is never.
func earlier(one, other string) bool {
	at, ends := api.Moment(one)
	before, ended := api.Moment(other)
	return ends && (other == "" || ended && at.Before(before))
}

// earliest is the earlier of two times, of which each may be null.
func earliest(one, other types.String) types.String {
	if earlier(other.ValueString(), one.ValueString()) {
		return other
	}
	return one
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

// known is what the private state remembers of a key. Whether there is a new key follows from the configuration, the
// state and the time; what is here proves that time, continues what has begun, and words messages.
type known struct {
	// Seen is the latest time of the service that the last refresh proves: that of the last date of the state that had
	// passed, or else in whole days of the key's age, so that the state changes once a day at the most. The plan that
	// Terraform makes once more inside the apply has no other way to decide as the one that was shown.
	Seen string `json:"seen,omitempty"`
	// Rotated says that the service has ended the key by a rotation that is not of this state: its end stays as it is.
	// Lost says that the response to a rotation of this state was lost.
	Rotated bool `json:"rotated,omitempty"`
	Lost    bool `json:"lost,omitempty"`
	// Unread says that key_expires_at could not be read: the next refresh takes it as it is.
	Unread bool `json:"unread,omitempty"`
	// ExpiryPending is set by a run that imports the key and leaves it with another expiry than is configured: the next
	// plan continues.
	ExpiryPending bool `json:"expiry_pending,omitempty"`
	// Endings are what is left to do for old keys; the next apply continues with the first.
	Endings []ending `json:"endings,omitempty"`

	imported bool // this run imports the key, so it makes no new one
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

func readKnown(ctx context.Context, store private.State, diags *diag.Diagnostics) known {
	k := private.Get[known](ctx, store, keyKnown, diags)
	k.imported = object.Imports(ctx, store, diags)
	return k
}

func (k known) write(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyKnown, k, diags)
}

// had reports whether a date had passed by the time of the refresh.
func (k known) had(date types.String) bool {
	seen, ok := api.Moment(k.Seen)
	return ok && passed(date.ValueString(), seen)
}

// seen is k at a time of the service, at which the state is m. Where the service does not show its time, k stays.
func (k known) seen(m model, now time.Time) known {
	since, ok := api.Moment(m.since().ValueString())
	if now.IsZero() || !ok {
		return k
	}
	const day = 24 * time.Hour
	latest := since.Add(now.Sub(since) / day * day)
	for _, date := range []types.String{m.RotationDueAt, m.KeyExpiresAt, m.ExpiresAt.StringValue} {
		if at, ok := api.Moment(date.ValueString()); ok && !at.After(now) && at.After(latest) {
			latest = at
		}
	}
	k.Seen = latest.UTC().Format(timeFormat)
	return k
}
