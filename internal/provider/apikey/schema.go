package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

const typeName = "billing_api_key"

// defaultGraceDays is how long an old key works after a rotation when nothing else is said (service description,
// Collections §8).
const (
	defaultGraceDays = 7
	highestGraceDays = 30
	// lowestAgeDays is the smallest rotate_after_days.
	lowestAgeDays = 1
)

// about describes the fields that the resource, the ephemeral resource and the data sources share.
var about = map[string]string{
	"name":        "Name of the key.",
	"description": "Purpose of the key, as free text.",
	"scopes": "Permissions of the key: wildcard patterns, such as `charges:*`, in any order. An empty set allows " +
		"everything except administration.",
	"expires_at": "When the key stops working, ISO 8601.",
	"key_prefix": "Short public prefix that identifies the key.",
	"source":     "Origin of the key, as reported by the service.",
	"token":      "The key itself. The service shows it only once.",
	"created_at": "When the key was created, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{"name", "description", "scopes", "expires_at", "grace_period_days"}

const byNewKey = " Changing this forces replacement, and the old key is revoked without a grace period: with " +
	"`lifecycle { create_before_destroy = true }` it works until the new one is in use."

// aboutMoment says how a time is written.
const aboutMoment = " A date (its midnight in UTC), or date and time with zone."

// aboutResource is what the page of the resource begins with.
const aboutResource = "An API key of the collections service, which is rotated in place: by a trigger " +
	"(`rotate_when_changed`), or by age (`rotate_after_days`).\n\nA rotation creates a new key with its own " +
	"`id` and `token`; the old one works for another `grace_period_days`. Changing the name, description, " +
	"expiry or scopes forces replacement, without a grace period; a value that is only known after apply plans " +
	"no replacement. The token is in the state: set `age_recipients` to store it encrypted, protect the state, " +
	"or use the ephemeral `billing_api_key` if the key is only needed during the run. See [rotating keys and " +
	"secrets](../guides/rotation).\n\nDestroying immediately revokes the key and all `previous_keys`. A key " +
	"that was revoked elsewhere is planned for re-creation, with a new token. A key that was rotated elsewhere " +
	"is replaced in place by a new one, and keeps its grace period as one of `previous_keys`. Import by id or " +
	"by `name` (see [the guide on importing](../guides/import)); until the first apply that changes the " +
	"resource, an imported key is neither replaced nor rotated because of its age. A refresh takes one request " +
	"for the key and one for each of `previous_keys`. Managing keys requires a key with the scope `api_keys:*`."

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the current key (UUID). A rotation changes it."),
			"name": schema.StringAttribute{Required: true, PlanModifiers: onChange(validate.NotBlank()),
				MarkdownDescription: about["name"] + byNewKey},
			"description": schema.StringAttribute{Optional: true, PlanModifiers: onChange(validate.NotBlank()),
				MarkdownDescription: about["description"] + byNewKey},
			"scopes": schema.SetAttribute{Optional: true, Computed: true,
				Default: setdefault.StaticValue(wire.SetOrEmpty(nil)), ElementType: types.StringType,
				MarkdownDescription: about["scopes"] + " Defaults to `[]`." +
					byNewKey, Validators: []validator.Set{validate.NoNulls{}},
				PlanModifiers: []planmodifier.Set{validate.OnChangeElements(validate.NotBlank())}},
			"expires_at": schema.StringAttribute{Optional: true, CustomType: fwtype.DateTimeType{},
				Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: about["expires_at"] + aboutMoment + " If unset, the key never expires. " +
					"Rotation does not extend the expiry. A date in the past, by the clock of the service, is " +
					"an error if a key is to be created. A key that has expired stays in the state, and nothing " +
					"is planned for it." +
					byNewKey},
			"grace_period_days": schema.Int64Attribute{Optional: true, CustomType: fwtype.Days,
				Validators: []validator.Int64{validate.Between(0, highestGraceDays)},
				MarkdownDescription: "Days that the old key works after a rotation, 0 to 30. Defaults to `7`. " +
					"Changing only this sends nothing; the next rotation uses it."},
			"rotate_when_changed": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				Default: mapdefault.StaticValue(object.NoTrigger),
				MarkdownDescription: "Trigger: any values, such as a date. Changing them rotates the key in " +
					"place. Defaults to `{}`. Setting the first values, or removing all values, rotates " +
					"nothing."},
			"rotate_after_days": schema.Int64Attribute{Optional: true, CustomType: fwtype.Days,
				Validators: []validator.Int64{validate.AtLeast(lowestAgeDays)},
				MarkdownDescription: "Age in days, 1 or more, after which the next plan rotates the key, counted " +
					"from the creation or the last rotation; see `rotation_due_at`. The clock of the service " +
					"decides, at the refresh: a plan that is applied later does what it has shown, and a plan " +
					"without a refresh uses the last one. If unset, the key is not rotated by age."},
			"revoke_previous_keys": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether this apply revokes all `previous_keys`, also the key that is " +
					"rotated in the same apply. While it is `true`, rotations have no grace period. Defaults to " +
					"`false`."},
			"allow_own_key": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether the key that the provider itself authenticates with can be rotated " +
					"or revoked. Defaults to `false`: that is an error in the plan, because it locks the " +
					"provider out. Apply a change of this argument before you destroy or replace the key."},
			"token": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: about["token"] + " It is in the state, unless `age_recipients` is set: then " +
					"it is null, and `encrypted_token` contains it. Null after an import: rotate to get a new " +
					"token."},
			"encrypted_token": encrypt.Encrypted("token"),
			"age_recipients":  encrypt.Recipients("token", "encrypted_token"),
			"key_prefix":      object.Computed(about["key_prefix"]),
			"source":          object.Computed(about["source"]),
			"rotated_at":      object.Computed("When this resource last rotated the key, ISO 8601; null before."),
			"rotation_due_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key is due " +
				"for rotation by `rotate_after_days`, ISO 8601; null if that is unset."},
			"created_at": object.Computed(about["created_at"] + " A rotation does not change it: it is the " +
				"time of the first key."),
			"previous_keys": schema.ListNestedAttribute{Computed: true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Keys that a rotation has replaced and that still work, newest first. A key " +
					"is removed from the list when its grace period ends.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the old key."},
					"key_prefix": schema.StringAttribute{Computed: true, MarkdownDescription: about["key_prefix"]},
					"grace_until": schema.StringAttribute{Computed: true, MarkdownDescription: "End of the grace " +
						"period, when the old key stops working, ISO 8601."},
				}}},
		},
	}
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }

func onChange(v ...validator.String) []planmodifier.String {
	return []planmodifier.String{validate.OnChange(v...)}
}

func scopeValidators() []validator.Set {
	return []validator.Set{validate.NoNulls{}, setvalidator.ValueStringsAre(notBlank()...)}
}
