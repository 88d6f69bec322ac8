package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// keyOpened is the key of the private state with the id of the API key between Open and Close.
const keyOpened = "id"

// ephemeralLife limits the lifetime of a key that is never closed: Terraform skips Close if a consumer of the key
// fails.
const ephemeralLife = time.Hour

// Ephemeral is a key that exists for one run.
type Ephemeral struct{ conn.ConnectedEphemeral }

var (
	_ ephemeral.EphemeralResourceWithConfigure = (*Ephemeral)(nil)
	_ ephemeral.EphemeralResourceWithClose     = (*Ephemeral)(nil)
)

// NewEphemeral returns the ephemeral resource.
func NewEphemeral() ephemeral.EphemeralResource { return &Ephemeral{} }

// Metadata returns the type's name.
func (e *Ephemeral) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = typeName
}

type ephemeralModel struct {
	Name        types.String    `tfsdk:"name"`
	Description types.String    `tfsdk:"description"`
	Scopes      value.StringSet `tfsdk:"scopes"`
	ExpiresAt   value.DateTime  `tfsdk:"expires_at"`
	ID          types.String    `tfsdk:"id"`
	Token       types.String    `tfsdk:"token"`
	KeyPrefix   types.String    `tfsdk:"key_prefix"`
}

// Schema describes the ephemeral resource.
func (e *Ephemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	notBlank := []validator.String{check.NotBlank()}
	says := func(name string) string { return object.Description(&Resource{}, name) }
	resp.Schema = schema.Schema{
		MarkdownDescription: "An API key of the collections service for one run: created when needed, revoked after the " +
			"run, and never in a plan or state. Terraform opens it once for the plan and once for the apply, so these are " +
			"two keys, each created and revoked with one request; if `expires_at` is unset, a third request may read the " +
			"service's time. After an interrupt, the key is not revoked and works until `expires_at`. Use its `token` in " +
			"provider blocks and write-only arguments.\n\nRequires Terraform 1.10 or OpenTofu 1.11. For a key that outlives " +
			"the run, use the resource `billing_api_key`; its token is stored in state.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: notBlank,
				MarkdownDescription: says("name")},
			"description": schema.StringAttribute{Optional: true, Validators: notBlank,
				MarkdownDescription: says("description")},
			"scopes": schema.SetAttribute{Optional: true, CustomType: value.Strings,
				MarkdownDescription: says("scopes"),
				Validators:          []validator.Set{check.NoNulls, check.Each(check.NotBlank(), check.Name(`charges:*`))}},
			"expires_at": schema.StringAttribute{Optional: true, Computed: true, CustomType: value.DateTimeType{},
				Validators: []validator.String{check.DateOrDateTime()},
				MarkdownDescription: says("expires_at") + " Defaults to one hour from now, in case a failed run does not revoke " +
					"the key."},
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the key (UUID)."},
			"token": schema.StringAttribute{Computed: true, Sensitive: true,
				MarkdownDescription: "The key itself. Never in state or plan."},
			"key_prefix": schema.StringAttribute{Computed: true, MarkdownDescription: says("key_prefix")},
		},
	}
}

// Open creates the key.
func (e *Ephemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m ephemeralModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	client, ready := e.Conn.Collections.For("ephemeral "+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	if m.ExpiresAt.IsNull() {
		// The service compares the expiry with its own clock.
		now := timeNow(ctx, client, "the ephemeral API key", noServerTime{"expires_at",
			"The key would expire in one hour by the service's clock", "Set expires_at."}, &resp.Diagnostics)
		if now.IsZero() {
			return
		}
		until := now.Add(ephemeralLife).Format(time.RFC3339)
		m.ExpiresAt = value.DateTimePointer(&until)
	}
	create := collections.APIKeyCreate{Name: m.Name.ValueString(), Description: m.Description.ValueStringPointer(),
		ExpiresAt: m.ExpiresAt.ValueStringPointer()}
	if !m.Scopes.IsNull() {
		create.Scopes = value.Texts(m.Scopes)
	}
	created, err := client.CreateAPIKey(ctx, create)
	name := fmt.Sprintf("the ephemeral API key %q", m.Name.ValueString())
	if err != nil {
		next := "Another run creates another key; this one expires at " + *create.ExpiresAt + "."
		owns := func(collections.APIKey) bool { return false }
		if !lostKey(err, "The response to the creation of "+name+" was lost", next, owns, &resp.Diagnostics) {
			apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "create", Object: name, Model: m})
		}
		return
	}
	if created.Token == nil {
		resp.Diagnostics.AddError(fmt.Sprintf("The service did not return the token of the ephemeral API key %s", created.ID),
			"The key was created, but the response contains no token. The unusable key is revoked.")
		end(ctx, client, created.ID, &resp.Diagnostics) // Terraform does not close a resource that failed to open
		return
	}
	// Before everything else, so that the key is revoked if a later step fails.
	private.Set(ctx, resp.Private, keyOpened, created.ID, &resp.Diagnostics)
	m.ID, m.Token, m.KeyPrefix = types.StringValue(created.ID), types.StringPointerValue(created.Token),
		value.TextOrNull(created.KeyPrefix)
	resp.Diagnostics.Append(resp.Result.Set(ctx, m)...)
}

// end revokes a key.
func end(ctx context.Context, client *collections.Service, id string, diags *diag.Diagnostics) {
	if err := client.RevokeAPIKey(ctx, id); err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "revoke",
			Object: "the ephemeral API key " + id + ", which works until it expires"})
	}
}

// Close revokes the key.
func (e *Ephemeral) Close(ctx context.Context, req ephemeral.CloseRequest, resp *ephemeral.CloseResponse) {
	id := private.Get[string](ctx, req.Private, keyOpened, &resp.Diagnostics)
	client, ready := e.Conn.Collections.For("ephemeral "+typeName, &resp.Diagnostics)
	if ready && id != "" {
		end(ctx, client, id, &resp.Diagnostics)
	}
}
