// Package webhookendpoint is the webhook endpoint of the collections service: the resource, the data sources (deliveries too), the list
// resource and the actions on its deliveries.
package webhookendpoint

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Resource is billing_webhook_endpoint.
type Resource struct{ conn.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource makes the resource.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the type.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

// Create registers the endpoint and writes its secret to the state at once, as it is never shown again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	plan.secret().Reject(plan.AgeRecipients, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	created, err := client.CreateWebhookEndpoint(ctx, plan.withCredentials(config).toCreate())
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("register", plan))
		return
	}
	state := fromAPI(&created.WebhookEndpoint).keeping(plan)
	state.setSecret(state.secret().Stored(state.AgeRecipients, &resp.Diagnostics))
	settle.Warn(settle.Onto(ctx, &plan, &state), state.displayName(), arguments, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	warnCreated(created, state, &resp.Diagnostics)
	testIfAsked(ctx, client, state, &resp.Diagnostics)
}

// warnCreated tells what is unusual about a registration that has happened. None of it is an error: an error in Create would mark the
// new endpoint for replacement.
func warnCreated(created *collections.WebhookEndpointCreated, state model, diags *diag.Diagnostics) {
	const found = "The answer to the registration was lost. One new endpoint with the same url and settings exists (id %s), so it was taken over. "
	switch {
	case created.SecretErr != nil:
		diags.AddAttributeWarning(path.Root("secret"), "Found the endpoint instead of registering it twice, but its secret is not known",
			fmt.Sprintf(found+"Its first secret was lost with the answer, and getting another one failed: %s\n\n%s", created.ID, apidiag.Text(created.SecretErr), howToRotate))
	case created.Adopted:
		diags.AddWarning("Found the endpoint instead of registering it twice",
			fmt.Sprintf(found+"Its first secret was lost with the answer, so it was rotated.", created.ID))
	case created.Secret == nil:
		diags.AddAttributeWarning(path.Root("secret"), "The secret is not known",
			fmt.Sprintf("The service has not shown the secret of %s. %s", state.displayName(), howToRotate))
	}
}

// howToRotate is the way to a secret where none is known.
const howToRotate = "To get a new one, apply once with rotate_secret_when_changed set, and once more with another value in it; the old secret is invalid from then on."

// Update changes the endpoint, then rotates its secret. Each result is in the state before the next request.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	plan.secret().Reject(plan.AgeRecipients, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	moved, rotates := !plan.URL.Equal(state.URL), plan.rotates(state)
	// Whatever of the update fails, no clear text that the state had is written again.
	state.setSecret(state.secret().Stored(plan.AgeRecipients, &resp.Diagnostics))
	if body := plan.withCredentials(config).toUpdate(state); !body.IsEmpty() {
		answer, err := client.UpdateWebhookEndpoint(ctx, state.ID.ValueString(), body)
		if err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("update", state))
			return
		}
		state = state.updated(ctx, answer, plan, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
	if rotates {
		answer, err := client.RotateWebhookSecret(ctx, state.ID.ValueString())
		if err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("rotate the secret of", state))
			return
		}
		shown := encrypt.Secret{Clear: types.StringPointerValue(answer.Secret)}
		state.setSecret(shown.Stored(plan.AgeRecipients, &resp.Diagnostics))
	}
	// A trigger that was unknown in the plan can turn out to be what it was; then nothing is rotated, and the secret stays.
	plan.setSecret(state.secret())
	if plan.UpdatedAt.IsUnknown() {
		plan.UpdatedAt = state.UpdatedAt
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	scheme.Identify(ctx, plan.ID, resp.Identity, &resp.Diagnostics)
	if moved || rotates {
		testIfAsked(ctx, client, plan, &resp.Diagnostics)
	}
}

// updated is the state after an update. The secret and its trigger stay as they were until the rotation has happened.
func (m model) updated(ctx context.Context, answer *collections.WebhookEndpoint, plan model, diags *diag.Diagnostics) model {
	settled := fromAPI(answer).keeping(plan)
	settled.setSecret(m.secret())
	settle.Warn(settle.Onto(ctx, &plan, &settled), m.displayName(), arguments, diags)
	if plan.rotates(m) {
		settled.RotateSecretWhenChanged = m.RotateSecretWhenChanged
	}
	return settled
}

// Delete removes the endpoint.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete[*collections.Service, model](ctx, typeName, r.Conn.Collections, r.Run(), req, resp, nil)
	if !ok {
		return
	}
	if err := client.DeleteWebhookEndpoint(ctx, state.ID.ValueString()); err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
	}
}

// doing describes an operation on the endpoint for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), TypeName: typeName, Attributes: arguments, Keys: map[string]string{"INVALID_WEBHOOK_URL": "url"}}
}
