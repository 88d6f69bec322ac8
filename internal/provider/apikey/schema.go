package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
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
	"description": "What the key is for: free text for people.",
	"scopes": "What the key may do: wildcard patterns of permissions, such as `charges:*`, in any order. Empty: " +
		"everything but administration.",
	"expires_at": "When the key stops working, ISO 8601.",
	"key_prefix": "Short public prefix that identifies the key.",
	"source":     "Where the key came from, as the service says.",
	"token":      "The key itself, which the service shows once.",
	"created_at": "When the key was created, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{"name", "description", "scopes", "expires_at", "grace_period_days"}

const byNewKey = " Another value replaces the key, and the old one is revoked without a grace: with `lifecycle { " +
	"create_before_destroy = true }` it works until the new one is in use."

// aboutMoment says how a moment is written.
const aboutMoment = " A date (its midnight in UTC), or date and time with zone."

// aboutResource is what the page of the resource begins with.
const aboutResource = "An API key of the collections service, which is rotated in place: by a trigger " +
	"(`rotate_when_changed`), or by age (`rotate_after_days`).\n\n" +
	"A rotation gives a new key with its own `id` and `token`; the old one keeps working for `grace_period_days`. " +
	"Another name, description, expiry or other scopes replace the key, without a grace; as long as such a value " +
	"is not known, no replacement is planned. The token is in the state: set `age_recipients` to have it there " +
	"encrypted only, protect the state, or use the ephemeral `billing_api_key` where the key is only needed " +
	"during the run. See [rotating keys and secrets](../guides/rotation).\n\n" +
	"Destroying revokes the key at once, and its predecessors whose grace still runs. A key that was revoked " +
	"elsewhere is planned for re-creation, with a new token. One that was rotated elsewhere gets a new key in " +
	"place, and keeps its grace period as one of `previous_keys`. Import by id or by `name` (see [the guide on " +
	"importing](../guides/import)); until the first apply that changes the resource, an imported key is neither " +
	"replaced nor rotated for its age. A refresh takes one request for the key and one for each of " +
	"`previous_keys`. Managing keys needs a key with the scope `api_keys:*`."

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the key that is current (UUID). It changes at a rotation."),
			"name": schema.StringAttribute{Required: true, PlanModifiers: onChange(validate.NotBlank()),
				MarkdownDescription: about["name"] + byNewKey},
			"description": schema.StringAttribute{Optional: true, PlanModifiers: onChange(validate.NotBlank()),
				MarkdownDescription: about["description"] + byNewKey},
			"scopes": schema.SetAttribute{Optional: true, Computed: true, Default: setdefault.StaticValue(scopes(nil)),
				ElementType: types.StringType,
				MarkdownDescription: about["scopes"] + " Default: empty." +
					byNewKey, Validators: []validator.Set{validate.NoNulls{}},
				PlanModifiers: []planmodifier.Set{validate.OnChangeElements(validate.NotBlank())}},
			"expires_at": schema.StringAttribute{Optional: true, CustomType: fwtype.DateTimeType{},
				Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: about["expires_at"] + aboutMoment + " Default: never. A rotation does not " +
					"prolong it. A date that has passed by the clock of the service is an error when a key is to be " +
					"created. A key whose date has passed stays in the state, and nothing is planned for it." +
					byNewKey},
			"grace_period_days": schema.Int64Attribute{Optional: true, CustomType: fwtype.Days,
				Validators: []validator.Int64{int64validator.Between(0, highestGraceDays)},
				MarkdownDescription: "How many days the old key works after a rotation, 0 to 30. Default 7. A change " +
					"of it alone sends nothing; the next rotation uses it."},
			"rotate_when_changed": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				Default: mapdefault.StaticValue(noTrigger),
				MarkdownDescription: "Any values, such as a date; when they change, the key is rotated in place. " +
					"Defaults to `{}`. The first values, and removing them, rotate nothing."},
			"rotate_after_days": schema.Int64Attribute{Optional: true, CustomType: fwtype.Days,
				Validators: []validator.Int64{int64validator.AtLeast(lowestAgeDays)},
				MarkdownDescription: "Rotate in the first plan that runs so many days, 1 or more, after the creation " +
					"or the last rotation; see `rotation_due_at`. The clock of the service decides, at the refresh: " +
					"a plan that is applied later does what it has shown, and a plan without a refresh uses the last " +
					"one. Default: never."},
			"revoke_previous_keys": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "`true` revokes all `previous_keys` at this apply, also the one that a rotation " +
					"in the same apply leaves behind. As long as it stands, rotations have no grace. Default `false`."},
			"allow_own_key": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether the very key that the provider authenticates with may be rotated or " +
					"revoked. Default `false`: the plan refuses, as that locks the provider out. To destroy or " +
					"replace the key, apply the argument first."},
			"token": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: about["token"] + " It is in the state, unless `age_recipients` is set: then it " +
					"is null, and `encrypted_token` has it. Null after an import: rotate to get a new one."},
			"encrypted_token": encrypt.Encrypted("token"),
			"age_recipients":  encrypt.Recipients("token", "encrypted_token"),
			"key_prefix":      object.Computed(about["key_prefix"]),
			"source":          object.Computed(about["source"]),
			"rotated_at":      object.Computed("When this resource last rotated the key, ISO 8601; null before."),
			"rotation_due_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When `rotate_after_days` " +
				"will have passed, ISO 8601; null without that argument."},
			"created_at": object.Computed(about["created_at"] + " A rotation does not change it: it is that of the " +
				"first key."),
			"previous_keys": schema.ListNestedAttribute{Computed: true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Keys that a rotation has replaced and that still work, newest first. They " +
					"leave the list when their grace is over.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the old key."},
					"key_prefix": schema.StringAttribute{Computed: true, MarkdownDescription: about["key_prefix"]},
					"grace_until": schema.StringAttribute{Computed: true, MarkdownDescription: "When the grace is " +
						"over and the old key stops working, ISO 8601."},
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
