package webhookendpoint

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_webhook_endpoint"

// Schema describes the resource. plan.go decides which values a change makes unknown.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":         object.Computed("Id of the endpoint (UUID)."),
			"created_at": object.Computed("When the endpoint was registered."),
			"updated_at": object.Computed("When the endpoint was last changed."),
			"url": schema.StringAttribute{Required: true, MarkdownDescription: "Address that receives the events, " +
				"`https://`. Addresses of internal networks are rejected, if possible in the plan. Endpoints with the same " +
				"address get separate deliveries.", Validators: []validator.String{check.HTTPS(), check.InPlan(check.FreeText(), check.NoFragment())}},
			"description": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Purpose of the endpoint, as free text. If removed, it is cleared.",
				Validators:          check.TextInPlan(check.FreeText(), check.NotBlank())},
			"events": schema.SetAttribute{Optional: true, Computed: true,
				Default: setdefault.StaticValue(value.SetOrEmpty(nil).SetValue), CustomType: value.Strings,
				MarkdownDescription: "Names of the events to send. Documented are `" +
					strings.Join(documented, "`, `") + "`; other names are accepted, and patterns such as `*` match nothing. " +
					"Defaults to `[]`: all events, including future ones.", Validators: []validator.Set{check.NoNulls,
					check.InPlan(check.NotBlank(), check.Name("charge.paid"))}},
			"active": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether events are delivered. Defaults to `true`. While it is `false`, deliveries that " +
					"become due are lost."},
			"authentication": authenticationAttribute(),
			"rotate_secret_when_changed": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				Default: mapdefault.StaticValue(object.NoTrigger),
				MarkdownDescription: "Trigger: any values, such as a date. Changing them rotates the secret in place, after " +
					"other changes; setting the first values, or removing all, does not. The old secret is invalid immediately. " +
					"Defaults to `{}`."},
			object.PolicyName: object.PolicyAttribute("`delete` deletes the endpoint and its pending "+
				"deliveries", object.PolicyDelete),
			"secret": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: "Secret that signs the deliveries, `whsec_…`. The service shows it only once. Null with " +
					"`age_recipients` (see `encrypted_secret`), and after an import: rotate to get a new one."},
			"encrypted_secret": encrypt.Encrypted("secret"),
			"age_recipients":   encrypt.Recipients("secret", "encrypted_secret"),
		},
	}
}

const aboutResource = "An address that receives events of the collections service as signed POST requests. A " +
	"[delivery](../guides/rotation.md#what-does-a-delivery-look-like) is attempted up to 8 times within about eight and a half hours.\n\nAll changes are made in place. The " +
	"`secret` is in the state: set `age_recipients` to store it encrypted, or protect the state. See [how to rotate it " +
	"without losing " +
	"events](../guides/rotation.md#how-do-i-rotate-a-webhook-secret-without-losing-events).\n\nDestroying deletes the " +
	"endpoint and its pending deliveries. An endpoint deleted elsewhere is planned for re-creation, with a new id and " +
	"secret. A refresh takes one request."

// authenticationAttribute is the argument authentication; authentication.go implements the relations of its parts.
func authenticationAttribute() schema.SingleNestedAttribute {
	secret := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, WriteOnly: true,
			Validators: []validator.String{check.NotBlank(), check.OneLine()}, // no state has it: not InPlan
			MarkdownDescription: description + " Never in state or plan. Sent only when " +
				"`credentials_wo_version` or another part of `authentication` changes."}
	}
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Authentication of the service to the consumer, in addition to the signature. If unset or " +
			"removed, there is none. A change made elsewhere is drift, except of credentials, which the API never " +
			"returns.", Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Required: true,
				Validators: []validator.String{check.Listed(authTypes...)},
				MarkdownDescription: "Type of authentication: `none`, `basic` (requires `username` and `password_wo`), `bearer` " +
					"(requires `token_wo`) or `header` (requires `name` and `value_wo`). Arguments of other types are errors."},
			"username": schema.StringAttribute{Optional: true, MarkdownDescription: "User name, for type `basic`.",
				Validators: check.TextInPlan(check.OneLine(), check.NotBlank())},
			"password_wo": secret("Password, for type `basic`."),
			"token_wo":    secret("Token, for type `bearer`."),
			"name": schema.StringAttribute{Optional: true, CustomType: value.HeaderNameType{},
				MarkdownDescription: "Name of the header, for type `header`, in any case.",
				Validators:          []validator.String{check.HeaderName()}},
			"value_wo": secret("Value of the header, for type `header`."),
			"credentials_wo_version": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Whole,
				Default: int64default.StaticInt64(firstVersion),
				MarkdownDescription: "Version of the credentials. Increment it to send them again. Defaults to `1`, also after " +
					"an import."},
		}}
}
