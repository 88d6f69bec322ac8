package webhookendpoint

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
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
	AgeRecipients           types.List   `tfsdk:"age_recipients"`
	DeletionPolicy          types.String `tfsdk:"deletion_policy"`
	Secret                  types.String `tfsdk:"secret"`
	EncryptedSecret         types.String `tfsdk:"encrypted_secret"`
}

// fromAPI builds the whole model of an endpoint, as an import sees it: without a secret, and without credentials.
func fromAPI(e *collections.WebhookEndpoint) model {
	return model{
		shared: shared{
			ID:          types.StringValue(e.ID),
			URL:         wire.TextOrNull(e.URL),
			Description: wire.FilledOrNull(e.Description),
			Events:      wire.SetOrEmpty(e.Events),
			Active:      types.BoolValue(e.Active),
			CreatedAt:   wire.TextOrNull(e.CreatedAt),
			UpdatedAt:   wire.TextOrNull(e.UpdatedAt),
		},
		Authentication:          authFromAPI(e.Authentication),
		RotateSecretWhenChanged: object.NoTrigger,
		AgeRecipients:           encrypt.None,
		DeletionPolicy:          types.StringValue(policy.Delete),
		Secret:                  types.StringPointerValue(e.Secret),
		EncryptedSecret:         types.StringNull(),
	}
}

// preserve carries over from prior (a state, or the plan that was just carried out) what the service never returns.
func (m model) preserve(prior model) model {
	m.DeletionPolicy = prior.DeletionPolicy
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

// toCreate is the body that registers the endpoint as configured.
func (m model) toCreate() collections.WebhookEndpointCreate {
	create := collections.WebhookEndpointCreate{URL: m.URL.ValueString(),
		Description: m.Description.ValueStringPointer(),
		Events:      wire.Texts(m.Events), Active: m.Active.ValueBoolPointer()}
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
		update.Events = api.Set(wire.Texts(m.Events))
	}
	if m.sendsAuth(state) {
		update.Authentication = api.Set(authOf(m.Authentication).orNone().toWire())
	}
	return update
}

// displayName names the endpoint inside a sentence. A new one has no id, and its url may not be known yet.
func (m model) displayName() string {
	name := strings.TrimSpace("webhook endpoint " + m.URL.ValueString())
	if id := m.ID.ValueString(); id != "" {
		name += fmt.Sprintf(" (id %s)", id)
	}
	return name
}

// Policy implements policy.Managed.
func (m model) Policy() policy.Of {
	return policy.Of{Value: m.DeletionPolicy, Object: m.displayName(), Own: policy.Delete,
		Stays: "While it is active, the service continues to send events to it."}
}
