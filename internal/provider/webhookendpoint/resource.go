// Package webhookendpoint is the webhook endpoint of the collections service: the resource, the data sources
// (deliveries too), the list resource and the actions on its deliveries. authentication.go is that argument,
// delivery.go follows a delivery.
package webhookendpoint

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

type base = object.Resource[*collections.Service, collections.WebhookEndpoint, model]

// Resource is billing_webhook_endpoint.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// ValidateConfig checks what belongs to which type of authentication. Whether the credentials are needed only the
// plan knows.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Authentication.IsNull() || config.Authentication.IsUnknown() {
		return
	}
	a := authOf(config.Authentication)
	if a.kind.IsUnknown() {
		return
	}
	config.refuseForeign(a, &resp.Diagnostics)
	config.demand(a, false, &resp.Diagnostics)
}

// Create registers the endpoint and writes its secret to the state immediately, as it is never shown again. A response
// that shows little else is completed after that.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	w, ok := r.BeginCreate(ctx, req, resp)
	w.Plan.secret().Reject(w.Plan.AgeRecipients, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	created, err := w.Client.CreateWebhookEndpoint(ctx, w.Plan.withCredentials(w.Config).toCreate())
	if err != nil {
		apidiag.Add(w.Diags, err, operation("register", w.Plan))
		return
	}
	state := fromAPI(created).preserve(w.Plan)
	state.setSecret(state.secret().Stored(state.AgeRecipients, w.Diags))
	differences := settle.Onto(ctx, &w.Plan, &state)
	w.Save(ctx, state.ID, state)
	if created.URL == "" {
		differences = nil
		if read, err := w.Client.GetWebhookEndpoint(ctx, created.ID); err == nil {
			secret := state.secret()
			state = fromAPI(read).preserve(w.Plan)
			state.setSecret(secret)
			differences = settle.Onto(ctx, &w.Plan, &state)
			w.Save(ctx, state.ID, state)
		}
	}
	settle.Warn(differences, state.displayName(), arguments, w.Diags)
	if created.Secret == nil {
		w.Diags.AddAttributeWarning(path.Root("secret"), "The secret of "+state.displayName()+" is not known",
			"The response to its registration did not show it. "+howToRotate)
	}
}

// howToRotate is the way to a secret where none is known.
const howToRotate = "To get a new one, apply once with rotate_secret_when_changed set, and once more with another " +
	"value in it; the old secret is invalid from then on."

// Update changes the endpoint, then rotates its secret. Each result is in the state before the next request.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	w, ok := r.BeginUpdate(ctx, req, resp)
	plan, state := w.Plan, w.State
	plan.secret().Reject(plan.AgeRecipients, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	rotates := plan.rotates(state)
	// Whatever of the update fails, no clear text that the state had is written again.
	state.setSecret(state.secret().Stored(plan.AgeRecipients, w.Diags))
	if body := plan.withCredentials(w.Config).toUpdate(state); !body.IsEmpty() {
		response, err := w.Client.UpdateWebhookEndpoint(ctx, state.ID.ValueString(), body)
		if err != nil {
			apidiag.Add(w.Diags, err, operation("update", state).Of(w.Plan))
			return
		}
		state = state.updated(ctx, response, plan, w.Diags)
		w.Save(ctx, state.ID, state)
	}
	if rotates {
		secret, err := w.Client.RotateWebhookSecret(ctx, state.ID.ValueString())
		if err != nil {
			apidiag.Add(w.Diags, err, operation("rotate the secret of", state))
			return
		}
		shown := encrypt.Secret{Clear: types.StringValue(secret)}
		state.setSecret(shown.Stored(plan.AgeRecipients, w.Diags))
	}
	// A trigger that was unknown in the plan can turn out to be what it was; then nothing is rotated, and the secret
	// stays.
	plan.setSecret(state.secret())
	if plan.UpdatedAt.IsUnknown() {
		plan.UpdatedAt = state.UpdatedAt
	}
	w.Save(ctx, plan.ID, plan)
}

// updated is the state after an update. The secret and its trigger stay as they were until the rotation has happened.
func (m model) updated(ctx context.Context, response *collections.WebhookEndpoint, plan model,
	diags *diag.Diagnostics) model {
	state := fromAPI(response).preserve(plan)
	state.setSecret(m.secret())
	settle.Warn(settle.Onto(ctx, &plan, &state), m.displayName(), arguments, diags)
	if plan.rotates(m) {
		state.RotateSecretWhenChanged = m.RotateSecretWhenChanged
	}
	return state
}

// Delete removes the endpoint.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	if err := w.Client.DeleteWebhookEndpoint(ctx, w.State.ID.ValueString()); err != nil {
		apidiag.Add(w.Diags, err, operation("delete", w.State))
	}
}

// operation describes an operation on the endpoint for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments,
		Keys: map[string]string{"INVALID_WEBHOOK_URL": "url"}}
}
