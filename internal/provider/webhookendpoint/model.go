package webhookendpoint

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID          types.String    `tfsdk:"id"`
	URL         types.String    `tfsdk:"url"`
	Description types.String    `tfsdk:"description"`
	Events      value.StringSet `tfsdk:"events"`
	Active      types.Bool      `tfsdk:"active"`
	CreatedAt   types.String    `tfsdk:"created_at"`
	UpdatedAt   types.String    `tfsdk:"updated_at"`
}

type model struct {
	shared
	Authentication          types.Object `tfsdk:"authentication"`
	RotateSecretWhenChanged types.Map    `tfsdk:"rotate_secret_when_changed"`
	AgeRecipients           types.List   `tfsdk:"age_recipients"`
	DeletionPolicy          types.String `tfsdk:"deletion_policy"`
	Secret                  types.String `tfsdk:"secret"`
	EncryptedSecret         types.String `tfsdk:"encrypted_secret"`
}

// fromAPI builds the whole model of an endpoint, as for an import: without secret and credentials.
func fromAPI(e *collections.WebhookEndpoint) model {
	return model{
		shared: shared{
			ID:          types.StringValue(e.ID),
			URL:         value.TextOrNull(e.URL),
			Description: value.FilledOrNull(e.Description),
			Events:      value.SetOrEmpty(e.Events),
			Active:      types.BoolValue(e.Active),
			CreatedAt:   value.TextOrNull(e.CreatedAt),
			UpdatedAt:   value.TextOrNull(e.UpdatedAt),
		},
		Authentication:          authFromAPI(e.Authentication),
		RotateSecretWhenChanged: object.NoTrigger,
		AgeRecipients:           encrypt.None,
		DeletionPolicy:          types.StringValue(object.PolicyDelete),
		Secret:                  types.StringNull(),
		EncryptedSecret:         types.StringNull(),
	}
}

// keep returns the state after a response with e. From m, a state or the applied plan, it keeps the values that the
// service does not return; all of them, if the response has little more than the secret.
func (m model) keep(e *collections.WebhookEndpoint) model {
	state := fromAPI(e)
	state.DeletionPolicy = m.DeletionPolicy
	if !m.RotateSecretWhenChanged.IsNull() {
		state.RotateSecretWhenChanged = m.RotateSecretWhenChanged
	}
	if !m.AgeRecipients.IsNull() {
		state.AgeRecipients = m.AgeRecipients
	}
	state.setSecret(m.secret())
	if sameAuth(m.Authentication, state.Authentication) {
		state.Authentication = m.Authentication
	}
	if e.URL == "" {
		object.CopyKnown(context.Background(), &m, &state)
	}
	return state
}

func (m model) secret() encrypt.Secret {
	return encrypt.Secret{Clear: m.Secret, Encrypted: m.EncryptedSecret}
}

func (m *model) setSecret(s encrypt.Secret) { m.Secret, m.EncryptedSecret = s.Clear, s.Encrypted }

// body returns the changes from prior (for a creation, the zero model) to m, the plan with credentials.
func (m model) body(prior model) collections.WebhookEndpointBody {
	body := collections.WebhookEndpointBody{
		URL:         value.ChangedText(m.URL, prior.URL),
		Description: value.ChangedText(m.Description, prior.Description),
		Events:      value.Changed(m.Events, prior.Events, value.Texts),
		Active:      value.Changed(m.Active, prior.Active, types.Bool.ValueBool),
	}
	if m.sendsAuth(prior) {
		body.Authentication = api.Set(authOf(m.Authentication).orNone().toWire())
	}
	return body
}

// displayName names the endpoint in a sentence. A new one has no id, and its url may be unknown.
func (m model) displayName() string {
	name := strings.TrimSpace("webhook endpoint " + check.Host(m.URL.ValueString()))
	if id := m.ID.ValueString(); id != "" {
		name += fmt.Sprintf(" (id %s)", id)
	}
	return name
}

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: object.PolicyDelete,
		AfterAbandon: "While it is active, the service continues to send events to it."}
}
