package webhookendpoint

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID          types.String `tfsdk:"id"`
	URL         types.String `tfsdk:"url"`
	Description types.String `tfsdk:"description"`
	Events      types.Set    `tfsdk:"events"`
	Active      types.Bool   `tfsdk:"active"`
	CreatedAt   types.String `tfsdk:"created_at"`
	UpdatedAt   types.String `tfsdk:"updated_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	shared
	Authentication          types.Object `tfsdk:"authentication"`
	RotateSecretWhenChanged types.Map    `tfsdk:"rotate_secret_when_changed"`
	TestOnApply             types.Bool   `tfsdk:"test_on_apply"`
	AgeRecipients           types.List   `tfsdk:"age_recipients"`
	AllowDuplicate          types.Bool   `tfsdk:"allow_duplicate"`
	Secret                  types.String `tfsdk:"secret"`
	EncryptedSecret         types.String `tfsdk:"encrypted_secret"`
}

// noTrigger is the trigger of a secret that is not rotated. An empty map and no map are the same.
var noTrigger = types.MapValueMust(types.StringType, map[string]attr.Value{})

var authType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"type": types.StringType, "username": types.StringType, "password_wo": types.StringType, "token_wo": types.StringType,
	"name": types.StringType, "value_wo": types.StringType, "credentials_wo_version": fwtype.Whole,
}}

// authentication is a known argument authentication. Its credentials are only there when it was read from the
// configuration.
type authentication struct {
	kind, username, password, token, name, value types.String
	version                                      types.Int64
}

func authOf(object types.Object) authentication {
	fields := object.Attributes()
	text := func(name string) types.String {
		s, _ := fields[name].(types.String)
		return s
	}
	a := authentication{kind: text("type"), username: text("username"), password: text("password_wo"), token: text("token_wo"),
		name: text("name"), value: text("value_wo")}
	a.version, _ = fields["credentials_wo_version"].(types.Int64)
	return a
}

// object is the Terraform object.
func (a authentication) object() types.Object {
	return types.ObjectValueMust(authType.AttrTypes, map[string]attr.Value{"type": a.kind, "username": a.username, "name": a.name,
		"credentials_wo_version": a.version, "password_wo": a.password, "token_wo": a.token, "value_wo": a.value})
}

// withCredentials is a plan with the credentials of the configuration, which no plan may hold. The configuration
// gives nothing else: in an apply Terraform passes it without ignore_changes, so its type, username and name may be
// others than the plan has shown.
func (m model) withCredentials(config model) model {
	if m.Authentication.IsNull() || m.Authentication.IsUnknown() {
		return m
	}
	a, given := authOf(m.Authentication), authOf(config.Authentication)
	switch a.kind.ValueString() {
	case authBasic:
		a.password = given.password
	case authBearer:
		a.token = given.token
	case authHeader:
		a.value = given.value
	}
	m.Authentication = a.object()
	return m
}

// toWire is what is sent, credentials included.
func (a authentication) toWire() collections.Authentication {
	return collections.Authentication{Type: a.kind.ValueString(), Username: a.username.ValueStringPointer(), Password: a.password.ValueStringPointer(),
		Token: a.token.ValueStringPointer(), Name: a.name.ValueStringPointer(), Value: a.value.ValueStringPointer()}
}

// fromAPI builds the whole model of an endpoint, as an import sees it: without a secret, and without credentials.
func fromAPI(e *collections.WebhookEndpoint) model {
	return model{
		shared: shared{
			ID:          types.StringValue(e.ID),
			URL:         wire.TextOrNull(e.URL),
			Description: wire.FilledOrNull(e.Description),
			Events:      events(e.Events),
			Active:      types.BoolValue(e.Active),
			CreatedAt:   wire.TextOrNull(e.CreatedAt),
			UpdatedAt:   wire.TextOrNull(e.UpdatedAt),
		},
		Authentication:          authFromAPI(e.Authentication),
		RotateSecretWhenChanged: noTrigger,
		TestOnApply:             types.BoolNull(),
		AgeRecipients:           encrypt.None,
		AllowDuplicate:          types.BoolNull(),
		Secret:                  types.StringPointerValue(e.Secret),
		EncryptedSecret:         types.StringNull(),
	}
}

// events is the argument for names; none is the empty set, which means all events.
func events(names []string) types.Set {
	if len(names) == 0 {
		return types.SetValueMust(types.StringType, []attr.Value{})
	}
	return contact.Tags(names)
}

// authFromAPI is the argument as the service has it; no authentication is null.
func authFromAPI(a *collections.Authentication) types.Object {
	if a == nil || a.Type == authNone || a.Type == "" {
		return types.ObjectNull(authType.AttrTypes)
	}
	return authentication{kind: types.StringValue(a.Type), username: types.StringPointerValue(a.Username),
		name: types.StringPointerValue(a.Name), version: types.Int64Value(firstVersion)}.object()
}

// keeping carries over from prior (a state, or the plan that was just carried out) what the service never returns.
func (m model) keeping(prior model) model {
	m.TestOnApply, m.AllowDuplicate = prior.TestOnApply, prior.AllowDuplicate
	if !prior.RotateSecretWhenChanged.IsNull() {
		m.RotateSecretWhenChanged = prior.RotateSecretWhenChanged
	}
	if !prior.AgeRecipients.IsNull() {
		m.AgeRecipients = prior.AgeRecipients
	}
	if m.EncryptedSecret = wire.Known(prior.EncryptedSecret); m.Secret.IsNull() {
		m.Secret = wire.Known(prior.Secret)
	}
	if sameAuth(prior.Authentication, m.Authentication) {
		m.Authentication = prior.Authentication
	}
	return m
}

// secret is the secret as the plan or the state has it.
func (m model) secret() encrypt.Secret {
	return encrypt.Secret{Clear: m.Secret, Encrypted: m.EncryptedSecret}
}

func (m *model) setSecret(s encrypt.Secret) { m.Secret, m.EncryptedSecret = s.Clear, s.Encrypted }

// sameAuth compares what the service shows of two authentications: all but the credentials and their version. What is
// not known yet is the same as nothing.
func sameAuth(a, b types.Object) bool {
	if a.IsUnknown() || b.IsUnknown() {
		return false
	}
	one, two := authOf(a), authOf(b)
	if one.isNone() || two.isNone() {
		return one.isNone() && two.isNone()
	}
	return one.kind.Equal(two.kind) && one.username.Equal(two.username) && one.name.Equal(two.name)
}

// toCreate is the body that registers the endpoint as configured.
func (m model) toCreate() collections.WebhookEndpointCreate {
	create := collections.WebhookEndpointCreate{URL: m.URL.ValueString(), Description: m.Description.ValueStringPointer(),
		Events: contact.ToTags(m.Events), Active: m.Active.ValueBoolPointer()}
	if !m.Authentication.IsNull() {
		wired := authOf(m.Authentication).toWire()
		create.Authentication = &wired
	}
	return create
}

// toUpdate is the body that takes the endpoint from state to m, which is the plan with its credentials.
func (m model) toUpdate(state model) collections.WebhookEndpointUpdate {
	update := collections.WebhookEndpointUpdate{
		URL:         wire.Text(m.URL, state.URL),
		Description: wire.Text(m.Description, state.Description),
		Active:      wire.Changed(m.Active, state.Active, types.Bool.ValueBool),
	}
	if !m.Events.Equal(state.Events) {
		update.Events = api.Set(contact.ToTags(m.Events))
	}
	if m.sendsAuth(state) {
		update.Authentication = api.Set(authOf(m.Authentication).orNone().toWire())
	}
	return update
}

// sendsAuth reports whether the update from state to m sends the authentication, credentials included.
func (m model) sendsAuth(state model) bool {
	if !sameAuth(m.Authentication, state.Authentication) {
		return true
	}
	wanted, had := authOf(m.Authentication), authOf(state.Authentication)
	return !wanted.isNone() && !wanted.version.Equal(had.version)
}

// isNone reports whether nothing is sent to authenticate.
func (a authentication) isNone() bool { return a.kind.IsNull() || a.kind.ValueString() == authNone }

func (a authentication) orNone() authentication {
	if a.kind.IsNull() {
		a.kind = types.StringValue(authNone)
	}
	return a
}
