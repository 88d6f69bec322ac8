package webhookendpoint

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
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

const typeName = "billing_webhook_endpoint"

// Schema describes the resource. What a change makes unknown is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":         object.Computed("Id of the endpoint at the service (UUID). Never changes."),
			"created_at": object.Computed("When the endpoint was registered."),
			"updated_at": object.Computed("When the endpoint was last changed."),
			"url": schema.StringAttribute{Required: true, MarkdownDescription: "Address that events are sent to, " +
				"`https://`. Addresses of internal networks are rejected, if possible in the plan. Several endpoints " +
				"can have the same address: each gets its own deliveries.", PlanModifiers: onChange(check.PublicURL())},
			"description": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Purpose of the endpoint, as free text. If removed, it is cleared.",
				PlanModifiers:       onChange(check.NotBlank())},
			"events": schema.SetAttribute{Optional: true, Computed: true,
				Default: setdefault.StaticValue(value.SetOrEmpty(nil)), ElementType: types.StringType,
				MarkdownDescription: "Names of the events that are sent. Documented are `" +
					strings.Join(documented, "`, `") + "`; other names are accepted, and patterns such as `*` match nothing. " +
					"Defaults to `[]`, which means all events, including future ones.", Validators: []validator.Set{check.NoNulls{}},
				PlanModifiers: []planmodifier.Set{check.OnChangeElements(check.NotBlank())}},
			"active": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether events are delivered. Defaults to `true`. If `false`, nothing is delivered, " +
					"and deliveries that become due in the meantime are lost."},
			"authentication": authenticationAttribute(),
			"rotate_secret_when_changed": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				Default: mapdefault.StaticValue(object.NoTrigger),
				MarkdownDescription: "Trigger: any values, such as a date. Changing them rotates the secret in " +
					"place, after the other changes. The old secret is invalid immediately. Defaults to `{}`. " +
					"Setting the first values, or removing all values, does not rotate it."},
			object.PolicyName: object.PolicyAttribute("`delete` deletes the endpoint and the deliveries that it has not "+
				"received", object.PolicyDelete),
			"secret": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: "Secret that signs the deliveries, `whsec_…`. Null if `age_recipients` is set: then " +
					"`encrypted_secret` contains it. Null after an import, because the service does not show it again: " +
					"rotate to get a new one."},
			"encrypted_secret": encrypt.Encrypted("secret"),
			"age_recipients":   encrypt.Recipients("secret", "encrypted_secret"),
		},
	}
}

// aboutResource is what the page of the resource begins with.
const aboutResource = "An address that the collections service sends events to as signed POST requests. A " +
	"delivery is attempted up to 8 times, over about eight and a half hours.\n\nAll changes are made in place. " +
	"The service shows the `secret` only once, when the endpoint is registered and at each rotation. It is then " +
	"in the state: set `age_recipients` to store it encrypted, or protect the state. [The guide on " +
	"rotation](../guides/rotation.md) describes how to change it without losing events.\n\nDestroying deletes the " +
	"endpoint; deliveries that it has not received by then are lost. An endpoint that was deleted elsewhere is " +
	"planned for re-creation, with a new id and a new secret. Import by id or by `url` (see [the guide on " +
	"importing](../guides/import.md)). A refresh takes one request."

func onChange(v ...validator.String) []planmodifier.String {
	return []planmodifier.String{check.OnChange(v...)}
}

// authenticationAttribute is the argument authentication; what its parts mean to each other is in authentication.go.
func authenticationAttribute() schema.SingleNestedAttribute {
	secret := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, WriteOnly: true,
			Validators: []validator.String{check.NotBlank()},
			MarkdownDescription: description + " Never in state or plan. Sent only when " +
				"`credentials_wo_version` or another part of `authentication` changes."}
	}
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Authentication of the service to the consumer, in addition to the signature. If " +
			"unset or removed, the service sends none. A change made elsewhere is drift, except of credentials, " +
			"which the API never returns.", Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Required: true,
				Validators: []validator.String{check.OneOf(authNone, authBasic, authBearer, authHeader)},
				MarkdownDescription: "Type of authentication: `none`, `basic` (requires `username` and `password_wo`), `bearer` " +
					"(requires `token_wo`) or `header` (requires `name` and `value_wo`). Arguments of another type are an error."},
			"username": schema.StringAttribute{Optional: true, MarkdownDescription: "User name, for type `basic`.",
				Validators: []validator.String{check.NotBlank()}},
			"password_wo": secret("Password, for type `basic`."),
			"token_wo":    secret("Token, for type `bearer`."),
			"name": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the header, for type " +
				"`header`.", Validators: []validator.String{check.HeaderName()}},
			"value_wo": secret("Value of the header, for type `header`."),
			"credentials_wo_version": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Whole,
				Default: int64default.StaticInt64(firstVersion),
				MarkdownDescription: "Version of the credentials, a whole number. Increment it to send the " +
					"credentials again. Defaults to `1`, which is also the version after an import."},
		}}
}
