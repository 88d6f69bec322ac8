package apikey

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID          types.String    `tfsdk:"id"`
	Name        types.String    `tfsdk:"name"`
	Description types.String    `tfsdk:"description"`
	Scopes      types.Set       `tfsdk:"scopes"`
	ExpiresAt   fwtype.DateTime `tfsdk:"expires_at"`
	KeyPrefix   types.String    `tfsdk:"key_prefix"`
	Source      types.String    `tfsdk:"source"`
	CreatedAt   types.String    `tfsdk:"created_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	shared
	GracePeriodDays    types.Int64  `tfsdk:"grace_period_days"`
	RotateWhenChanged  types.Map    `tfsdk:"rotate_when_changed"`
	RotateAfterDays    types.Int64  `tfsdk:"rotate_after_days"`
	RevokePreviousKeys types.Bool   `tfsdk:"revoke_previous_keys"`
	AllowOwnKey        types.Bool   `tfsdk:"allow_own_key"`
	AgeRecipients      types.List   `tfsdk:"age_recipients"`
	Token              types.String `tfsdk:"token"`
	EncryptedToken     types.String `tfsdk:"encrypted_token"`
	RotatedAt          types.String `tfsdk:"rotated_at"`
	RotationDueAt      types.String `tfsdk:"rotation_due_at"`
	PreviousKeys       types.List   `tfsdk:"previous_keys"`
}

// predecessor is a key that a rotation has replaced.
type predecessor struct{ id, prefix, graceUntil types.String }

var predecessorType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id": types.StringType, "key_prefix": types.StringType, "grace_until": types.StringType}}

func predecessorsOf(list types.List) []predecessor {
	all := make([]predecessor, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok {
			continue
		}
		text := func(name string) types.String {
			s, _ := object.Attributes()[name].(types.String)
			return s
		}
		all = append(all, predecessor{text("id"), text("key_prefix"), text("grace_until")})
	}
	return all
}

func predecessorList(all []predecessor) types.List {
	elements := make([]attr.Value, len(all))
	for i, p := range all {
		elements[i] = types.ObjectValueMust(predecessorType.AttrTypes, map[string]attr.Value{
			"id": p.id, "key_prefix": p.prefix, "grace_until": p.graceUntil})
	}
	return types.ListValueMust(predecessorType, elements)
}

// current is the key itself, as it is among its predecessors when it is rotated.
func (m model) current() predecessor { return predecessor{id: m.ID, prefix: m.KeyPrefix} }

// all are the keys that end with the resource, the newest first.
func (m model) all() []predecessor {
	return append([]predecessor{m.current()}, predecessorsOf(m.PreviousKeys)...)
}

// ids are those of the key and of its predecessors.
func (m model) ids() []string {
	all := m.all()
	ids := make([]string, len(all))
	for i, key := range all {
		ids[i] = key.id.ValueString()
	}
	return ids
}

// without is the state after a predecessor was revoked.
func (m model) without(key predecessor) model {
	left := slices.DeleteFunc(predecessorsOf(m.PreviousKeys), func(p predecessor) bool { return p.id.Equal(key.id) })
	m.PreviousKeys = predecessorList(left)
	return m
}

// passed reports whether a time has passed by the service's clock. When moment or now is not known, it has not.
func passed(moment string, now time.Time) bool {
	at, ok := fwtype.ParseMoment(moment)
	return ok && !now.IsZero() && !at.After(now)
}

// running leaves out the predecessors whose grace period is over by now.
func running(all []predecessor, now time.Time) []predecessor {
	return slices.DeleteFunc(all, func(p predecessor) bool { return passed(p.graceUntil.ValueString(), now) })
}

// fromAPI builds the whole model of a key, as an import sees it: without a token, never rotated.
func fromAPI(k *collections.APIKey) model {
	return model{
		shared: shared{
			ID:          types.StringValue(k.ID),
			Name:        types.StringValue(k.Name),
			Description: wire.FilledOrNull(k.Description),
			Scopes:      wire.SetOrEmpty(k.Scopes),
			ExpiresAt:   fwtype.DateTime{StringValue: wire.FilledOrNull(k.ExpiresAt)},
			KeyPrefix:   wire.TextOrNull(k.KeyPrefix),
			Source:      wire.TextOrNull(k.Source),
			CreatedAt:   wire.TextOrNull(k.CreatedAt),
		},
		GracePeriodDays:    types.Int64Null(),
		RotateWhenChanged:  object.NoTrigger,
		RotateAfterDays:    types.Int64Null(),
		RevokePreviousKeys: types.BoolNull(),
		AllowOwnKey:        types.BoolNull(),
		AgeRecipients:      encrypt.None,
		Token:              types.StringPointerValue(k.Token),
		EncryptedToken:     types.StringNull(),
		RotatedAt:          types.StringNull(),
		RotationDueAt:      types.StringNull(),
		PreviousKeys:       predecessorList(nil),
	}
}

// preserve carries over from prior (a state, or the plan that was just carried out) what the service never returns.
func (m model) preserve(prior model) model {
	m.GracePeriodDays, m.RotateAfterDays = prior.GracePeriodDays, prior.RotateAfterDays
	m.RevokePreviousKeys, m.AllowOwnKey = prior.RevokePreviousKeys, prior.AllowOwnKey
	if !prior.RotateWhenChanged.IsNull() {
		m.RotateWhenChanged = prior.RotateWhenChanged
	}
	if !prior.AgeRecipients.IsNull() {
		m.AgeRecipients = prior.AgeRecipients
	}
	if m.EncryptedToken = wire.Known(prior.EncryptedToken); m.Token.IsNull() {
		m.Token = wire.Known(prior.Token)
	}
	m.ExpiresAt = m.ExpiresAt.Or(prior.ExpiresAt)
	return m
}

// secret is the token as the plan or the state has it.
func (m model) secret() encrypt.Secret {
	return encrypt.Secret{Clear: m.Token, Encrypted: m.EncryptedToken}
}

func (m *model) setSecret(s encrypt.Secret) { m.Token, m.EncryptedToken = s.Clear, s.Encrypted }

// toCreate is the body that creates the key as configured.
func (m model) toCreate() collections.APIKeyCreate {
	return collections.APIKeyCreate{Name: m.Name.ValueString(), Description: m.Description.ValueStringPointer(),
		Scopes: wire.Texts(m.Scopes), ExpiresAt: m.ExpiresAt.ValueStringPointer()}
}

// graceDays is what goes with a rotation.
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

// dueAt is when the key has to be rotated for its age; null when it need not be, unknown when that is not known yet.
func (m model) dueAt() types.String {
	switch {
	case m.RotateAfterDays.IsNull():
		return types.StringNull()
	case m.RotateAfterDays.IsUnknown() || m.since().IsUnknown():
		return types.StringUnknown()
	}
	since, ok := fwtype.ParseMoment(m.since().ValueString())
	if !ok {
		return types.StringNull()
	}
	return types.StringValue(since.AddDate(0, 0, int(m.RotateAfterDays.ValueInt64())).UTC().Format(time.RFC3339))
}

// displayName names the key inside a sentence.
func (m model) displayName() string {
	text := fmt.Sprintf("API key %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
