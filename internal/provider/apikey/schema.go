package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_api_key"

const (
	// defaultGraceDays is how long an old key works next to a new one (service description, Collections §8).
	defaultGraceDays = 7
	highestGraceDays = 30
	// lowestDays and highestDays limit rotate_after_days and expires_after_days: more than a century is a typo.
	lowestDays, highestDays = 1, 36500
	// revoke is the default of deletion_policy.
	revoke = "revoke"
)

const byNewKey = " Changing this creates a new key in place."

const aboutResource = "An API key of the collections service. A trigger (`rotate_when_changed`), the age " +
	"(`rotate_after_days`), a near expiry, or a change of name, description, scopes or expiry creates a new key in " +
	"place. The old key keeps working for `grace_period_days` as one of `previous_keys`.\n\nOnly destroying, " +
	"`revoke_previous_keys` and `grace_period_days = 0` end a key without a grace period; the plan lists these keys. " +
	"The token is in the state: to avoid that, set `age_recipients`, or use the ephemeral `billing_api_key`. A key " +
	"revoked elsewhere is planned for re-creation; a key rotated elsewhere gets a new key in place. The run that " +
	"imports a key does not replace it. See [API keys and webhooks](../guides/rotation.md).\n\nA refresh takes one " +
	"request per key, `previous_keys` included. Managing keys requires the scope `api_keys:*`."

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	freeText := check.TextInPlan(check.FreeText(), check.NotBlank())
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the current key (UUID). Every new key has a new id."),
			"name": schema.StringAttribute{Required: true, Validators: freeText,
				MarkdownDescription: "Name of the key." + byNewKey},
			"description": schema.StringAttribute{Optional: true, Validators: freeText,
				MarkdownDescription: "Purpose of the key, as free text." + byNewKey},
			"scopes": schema.SetAttribute{Optional: true, Computed: true,
				Default: setdefault.StaticValue(value.SetOrEmpty(nil).SetValue), CustomType: value.Strings,
				MarkdownDescription: "Permissions of the key: patterns such as `charges:*`, in any order; an empty set allows " +
					"everything except managing keys. Defaults to `[]`." + byNewKey,
				Validators: []validator.Set{check.NoNulls, check.InPlan(check.NotBlank(), check.Name(`charges:*`))}},
			"expires_at": schema.StringAttribute{Optional: true, CustomType: value.DateTimeType{},
				Validators: []validator.String{check.DateOrDateTime()},
				MarkdownDescription: "When the key stops working: a date, or date and time with zone. If unset, the key never " +
					"expires. Plans warn before it, but do not renew the key. Changing this creates a new key in place."},
			"expires_after_days": schema.Int64Attribute{Optional: true, CustomType: value.Days,
				Validators: []validator.Int64{check.Between(lowestDays, highestDays)},
				MarkdownDescription: "Lifetime in days of every new key, 1 to 36500, instead of `expires_at`; it must exceed " +
					"`grace_period_days`. The key is renewed in place at `rotation_due_at`." + byNewKey},
			"grace_period_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Days,
				Default:    int64default.StaticInt64(defaultGraceDays),
				Validators: []validator.Int64{check.Between(0, highestGraceDays)},
				MarkdownDescription: "Days that an old key keeps working, 0 to 30. Defaults to `7`. With `0`, it is revoked " +
					"once the new key is in the state."},
			"rotate_when_changed": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				Default: mapdefault.StaticValue(object.NoTrigger),
				MarkdownDescription: "Trigger: any values, such as a date. Changing them creates a new key in place; setting " +
					"the first values, or removing all, does not. Defaults to `{}`."},
			"rotate_after_days": schema.Int64Attribute{Optional: true, CustomType: value.Days,
				Validators: []validator.Int64{check.Between(lowestDays, highestDays)},
				MarkdownDescription: "Age in days, 1 to 36500, at which a plan creates a new key in place; see " +
					"`rotation_due_at`."},
			"revoke_previous_keys": schema.BoolAttribute{Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether applies revoke all `previous_keys`, including a key that they replace. `true` " +
					"means no grace period. Defaults to `false`."},
			"allow_own_key": schema.BoolAttribute{Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the provider's own key can be replaced or revoked. Defaults to `false`: the plan " +
					"rejects both. To destroy the key, first apply `true`."},
			object.PolicyName: object.PolicyAttribute("`revoke` revokes the key and its previous keys", revoke),
			"token": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: "The key itself. The service shows it only once. Null with `age_recipients` (see " +
					"`encrypted_token`), and after an import: rotate to get a new one."},
			"encrypted_token": encrypt.Encrypted("token"),
			"age_recipients":  encrypt.Recipients("token", "encrypted_token"),
			"key_prefix":      object.Computed("Short public prefix that identifies the key."),
			"key_expires_at":  object.Computed("When the current key stops working; null if never."),
			"source":          object.Computed("Origin of the key, as reported by the service."),
			"rotated_at":      object.Computed("When this resource last created a new key in place; null before."),
			"rotation_due_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When a plan creates a new key " +
				"because of age or expiry: `rotate_after_days` after the last new key, or `grace_period_days` before " +
				"`key_expires_at`, whichever is earlier. Null if neither applies, or `expires_at` is earlier."},
			"created_at": object.Computed("When the first key was created."),
			"previous_keys": schema.ListNestedAttribute{Computed: true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Old keys that still work, newest first. A key leaves the list when its grace period " +
					"ends.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the old key."},
					"key_prefix": schema.StringAttribute{Computed: true,
						MarkdownDescription: "Short public prefix that identifies the key."},
					"grace_until": schema.StringAttribute{Computed: true, MarkdownDescription: "When the old key stops working. " +
						"Null if an apply failed before it could end the key; the next apply does."},
				}}},
		},
	}
}
