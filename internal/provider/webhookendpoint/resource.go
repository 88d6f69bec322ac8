// Package webhookendpoint implements webhook endpoints of the collections service: the resource, the data sources, the
// list resource, the deliveries and the actions.
//
// An attribute appears in schema.go, and three times in model.go: field, fromAPI and body. If the service does not
// return it, it is also in keep. planUpdate marks computed attributes unknown. Data sources and the list resource
// are derived from these.
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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

type base = object.Resource[*collections.Service, collections.WebhookEndpoint, model]

// Resource is billing_webhook_endpoint.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource {
	r := &Resource{base{Scheme: scheme}}
	r.Refresh = r.Read
	return r
}

var scheme = object.Scheme[*collections.Service, collections.WebhookEndpoint]{
	TypeName: typeName, Noun: "webhook endpoint", Key: "url",
	Service:    conn.Collections,
	ID:         func(e *collections.WebhookEndpoint) string { return e.ID },
	Get:        (*collections.Service).GetWebhookEndpoint,
	Refresh:    (*collections.Service).RefreshWebhookEndpoint,
	Wrote:      (*collections.Service).Wrote,
	Recreation: "registers it again, with a new id and a new secret",
	Find: func(ctx context.Context, client *collections.Service, by object.Selector) ([]collections.WebhookEndpoint,
		error) {
		return client.FindWebhookEndpoints(ctx, by.Value)
	},
	Codes: map[string]string{"INVALID_WEBHOOK_URL": "url"},
	Summary: func(e *collections.WebhookEndpoint) string {
		return fmt.Sprintf("%s  (registered %s)", e.ID, e.CreatedAt)
	},
}

// ValidateConfig checks the arguments for the type of authentication. Only the plan knows whether credentials are
// required.
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
	config.rejectOtherTypes(a, &resp.Diagnostics)
	config.requireParts(a, openParts, &resp.Diagnostics)
}

// Create registers the endpoint. The service returns the secret only in this response.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	op, ok := r.BeginCreate(ctx, req, resp)
	op.Plan.secret().Reject(op.Plan.AgeRecipients, op.Diags)
	if !ok || op.Diags.HasError() {
		return
	}
	created, err := op.Client.CreateWebhookEndpoint(ctx, op.Config.body(model{}))
	if op.Failed(ctx, "register", err) {
		return
	}
	// Saved before anything else: the service never shows the secret again.
	op.State.storeSecret(created.Secret, op.Diags)
	op.Finish(ctx, created, op.Plan.keep)
	if created.Secret == nil {
		op.Diags.AddAttributeWarning(path.Root("secret"), "The secret of "+op.State.displayName()+" is unknown",
			"The response to the registration did not contain it. "+howToRotate)
	}
}

const howToRotate = "To get a new one, apply once with rotate_secret_when_changed set, and again with another " +
	"value in it; the old secret is invalid from then on."

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	convert := op.State.keep
	if op.Importing {
		convert = fromAPI
	}
	if _, state, ok := op.Get(ctx, convert); ok {
		op.Save(ctx, state)
	}
}

// Update updates the endpoint, then rotates its secret.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	op, ok := r.BeginUpdate(ctx, req, resp)
	plan, state := op.Plan, op.State
	plan.secret().Reject(plan.AgeRecipients, op.Diags)
	if !ok || op.Diags.HasError() {
		return
	}
	// After each step, the arguments that the service does not store are as planned, except the trigger, which changes
	// with the secret. If a step fails, a clear text from the state is not written again.
	op.State.Authentication, op.State.DeletionPolicy = plan.Authentication, plan.DeletionPolicy
	op.State.AgeRecipients = plan.AgeRecipients
	op.State.setSecret(state.secret().Stored(plan.AgeRecipients, op.Diags))

	var updated *collections.WebhookEndpoint
	if body := plan.withCredentials(op.Config).body(state); !body.IsEmpty() {
		var err error
		updated, err = op.Client.UpdateWebhookEndpoint(ctx, state.ID.ValueString(), body)
		if op.Failed(ctx, "update", err) {
			return
		}
		op.Save(ctx, op.State.keep(updated))
	}
	if (plan.rotates(state) || secretLost(ctx, op.Private, op.Diags)) &&
		op.Failed(ctx, "rotate the secret of", rotate(ctx, op)) {
		return
	}
	op.Finish(ctx, updated, plan.keep)
}

type operation = object.Op[*collections.Service, collections.WebhookEndpoint, model]

// rotate rotates the secret of the endpoint. If the outcome is unknown, the secret is unknown too, and the next plan
// rotates it again.
func rotate(ctx context.Context, op *operation) error {
	state := op.State
	secret, err := op.Client.RotateWebhookSecret(ctx, state.ID.ValueString())
	unknown, lost := api.AsAmbiguous(err)
	if lost {
		again := *unknown
		again.Advice += ". The state now has no secret, and the next apply rotates it again"
		state.setSecret(encrypt.Secret{Clear: types.StringNull(), Encrypted: types.StringNull()})
		err = &again
	}
	if err == nil {
		state.storeSecret(&secret, op.Diags)
	}
	if lost || err == nil {
		private.Set(ctx, op.Private, keySecretLost, lost, op.Diags)
		op.Save(ctx, state)
	}
	return err
}

// keySecretLost is the key of the private state that is set if the outcome of a rotation is unknown.
var keySecretLost = private.Key("secret_lost")

func secretLost(ctx context.Context, store private.State, diags *diag.Diagnostics) bool {
	return private.Get[bool](ctx, store, keySecretLost, diags)
}

func (m *model) storeSecret(secret *string, diags *diag.Diagnostics) {
	m.setSecret(encrypt.Secret{Clear: types.StringPointerValue(secret)}.Stored(m.AgeRecipients, diags))
}

// Delete deletes the endpoint.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if op, ok := r.BeginDelete(ctx, req, resp, nil); ok {
		op.Failed(ctx, "delete", op.Client.DeleteWebhookEndpoint(ctx, op.State.ID.ValueString()))
	}
}

// ImportState finds the endpoint by its id, or by url=<value>.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	if found := scheme.Import(ctx, r.Conn.Collections, r.Run(), req, resp); found != nil {
		r.Conn.NoteOnce(path.Root("secret"), "The secret of an imported webhook endpoint is unknown",
			fmt.Sprintf("%s has secret = null, like all endpoints imported in this run: the service returns a secret only at "+
				"registration and rotation. %s", apidiag.Capitalize(fromAPI(found).displayName()), howToRotate),
			&resp.Diagnostics)
	}
}
