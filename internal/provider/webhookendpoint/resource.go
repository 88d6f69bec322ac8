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

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
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
	settle.Warn(settle.Onto(ctx, &plan, &state), "The "+state.words(), arguments, &resp.Diagnostics)
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
	case state.Secret.IsNull():
		diags.AddAttributeWarning(path.Root("secret"), "The secret is not known",
			fmt.Sprintf("The service has not shown the secret of %s. %s", state.words(), howToRotate))
	}
}

// howToRotate is the way to a secret where none is known.
const howToRotate = "To get a new one, apply once with rotate_secret_when_changed set, and once more with another value in it; the old secret is invalid from then on."

// Read refreshes the state. Only the service's own not-found drops the endpoint.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var prior model
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	importing := imports.Marked(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	endpoint, err := client.GetWebhookEndpoint(ctx, prior.ID.ValueString())
	if api.IsNotFound(err) {
		resp.Diagnostics.AddWarning("A webhook endpoint was deleted outside of Terraform",
			fmt.Sprintf("The %s does not exist any more at the service. If it is still configured, the plan registers it again, with a new id and a new secret.", prior.words()))
		r.Run().Gone(typeName, prior.ID.ValueString())
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("read", prior))
		return
	}
	r.Run().Refreshed(typeName, prior.ID.ValueString())
	state := fromAPI(endpoint)
	if !importing {
		state = state.keeping(prior)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	imports.Mark(ctx, resp.Private, false, &resp.Diagnostics)
}

// Update changes the endpoint, then rotates its secret. Each result is in the state before the next request.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	moved, rotates := !plan.URL.Equal(state.URL), plan.rotates(state)
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
		state.Secret = types.StringPointerValue(answer.Secret)
	}
	// A trigger that was unknown in the plan can turn out to be what it was; then nothing is rotated, and the secret stays.
	plan.Secret = state.Secret
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
	settled.Secret = m.Secret
	settle.Warn(settle.Onto(ctx, &plan, &settled), "The "+m.words(), arguments, diags)
	if plan.rotates(m) {
		settled.RotateSecretWhenChanged = m.RotateSecretWhenChanged
	}
	return settled
}

// Delete removes the endpoint.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	if err := client.DeleteWebhookEndpoint(ctx, state.ID.ValueString()); err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
	}
}

// ImportState finds the endpoint by its id, or by url=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	selector := scheme.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	scheme.Imported(ctx, found.ID, resp)
	resp.Diagnostics.AddAttributeWarning(path.Root("secret"), "The secret of an imported endpoint is not known",
		fmt.Sprintf("The service shows a secret only when an endpoint is registered and when the secret is rotated, so secret is null for %s. %s", found.URL, howToRotate))
}

func finder(client *collections.Service, url string) imports.Finder[collections.WebhookEndpoint] {
	return imports.Finder[collections.WebhookEndpoint]{
		Noun: scheme.Noun,
		Get:  client.GetWebhookEndpoint,
		Find: func(ctx context.Context) ([]collections.WebhookEndpoint, error) {
			return client.FindWebhookEndpoints(ctx, url)
		},
		Line: func(e *collections.WebhookEndpoint) string {
			return fmt.Sprintf("%s  (registered %s)", e.ID, e.CreatedAt)
		},
	}
}

// doing describes an operation on the endpoint for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.words(), TypeName: typeName, Attributes: arguments, Keys: map[string]string{"INVALID_WEBHOOK_URL": "url"}}
}
