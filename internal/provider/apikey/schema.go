package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

const typeName = "billing_api_key"

// scheme is how keys are named for import.
var scheme = imports.Scheme{Noun: "API key", Key: "name"}

// defaultGraceDays is how long an old key works after a rotation when nothing else is said (service description, Collections §8).
const (
	defaultGraceDays = 7
	highestGraceDays = 30
)

// about describes the fields that the resource, the ephemeral resource and the data sources share.
var about = map[string]string{
	"name":        "Name of the key.",
	"description": "What the key is for.",
	"scopes":      "What the key may do: wildcard patterns of permissions. Empty, or absent: everything but administration.",
	"expires_at":  "When the key stops working, ISO 8601.",
	"key_prefix":  "Short public prefix that identifies the key.",
	"source":      "Where the key came from.",
	"token":       "The key itself, as the service shows it once.",
	"created_at":  "When the key was created, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{"name", "description", "scopes", "expires_at", "grace_period_days"}

const byNewKey = " A key cannot be changed, so this makes a new one: with `lifecycle { create_before_destroy = true }` the old key works until the new one is in use."

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "An API key of the collections service, which can be rotated in place: by a trigger, or by age.\n\n" +
			"A rotation gives a new key with its own `id` and `token`; the old one keeps working for `grace_period_days`. The token is in the state: protect the state, " +
			"or use the ephemeral `billing_api_key` where the key is only needed during the run. Destroying revokes the key, and its predecessors while their grace runs.",
		Attributes: map[string]schema.Attribute{
			"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the key that is current (UUID). It changes at a rotation."},
			"name":        schema.StringAttribute{Required: true, Validators: notBlank(), MarkdownDescription: about["name"] + byNewKey},
			"description": schema.StringAttribute{Optional: true, Validators: notBlank(), MarkdownDescription: about["description"] + byNewKey},
			"scopes": schema.SetAttribute{Optional: true, Computed: true, Default: setdefault.StaticValue(scopes(nil)), ElementType: types.StringType,
				MarkdownDescription: about["scopes"] + byNewKey, Validators: scopeValidators()},
			"expires_at": schema.StringAttribute{Optional: true, CustomType: fwtype.DateTimeType{}, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: about["expires_at"] + byNewKey},
			"grace_period_days": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(0, highestGraceDays)},
				MarkdownDescription: "How many days the old key works after a rotation, 0 to 30. Default 7. It goes with the next rotation."},
			"rotate_when_changed": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any values; when they change, the key is rotated in place. Setting the argument for the first time rotates nothing."},
			"rotate_after_days": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Rotate at the first apply after so many days since the creation or the last rotation; see `rotation_due_at`. The clock of the machine that plans decides."},
			"revoke_previous_keys": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "`true` revokes all `previous_keys` at this apply, also the one that a rotation in the same apply leaves behind."},
			"allow_own_key": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Allow rotating or revoking the very key that the provider authenticates with. Without it this is refused, as it locks the provider out."},
			"token":           schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: about["token"] + " Null after an import: rotate to get a new one."},
			"key_prefix":      schema.StringAttribute{Computed: true, MarkdownDescription: about["key_prefix"]},
			"source":          schema.StringAttribute{Computed: true, MarkdownDescription: about["source"]},
			"rotated_at":      schema.StringAttribute{Computed: true, MarkdownDescription: "When this configuration last rotated the key, ISO 8601; null before."},
			"rotation_due_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When `rotate_after_days` will have passed, ISO 8601; null without that argument."},
			"created_at":      schema.StringAttribute{Computed: true, MarkdownDescription: about["created_at"] + " A rotation does not change it."},
			"previous_keys": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "Keys that a rotation has replaced and that still work, newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the old key."},
					"key_prefix":  schema.StringAttribute{Computed: true, MarkdownDescription: about["key_prefix"]},
					"grace_until": schema.StringAttribute{Computed: true, MarkdownDescription: "When the old key stops working, ISO 8601."},
				}}},
		},
	}
}

// IdentitySchema names the key for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = scheme.IdentitySchema()
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }

func scopeValidators() []validator.Set {
	return []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(notBlank()...)}
}
