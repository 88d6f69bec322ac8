package webhookendpoint

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and
// state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, nil, r.planCreate, r.planUpdate)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	authOf(p.Planned.withCredentials(p.Config).Authentication).demand(true, p.Diags)
	p.Planned = p.Planned.plannedCreate()
	if !p.Diags.HasError() {
		r.warnDuplicate(ctx, p)
	}
}

// planUpdate plans a change, which is always made in place.
func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	p.Update(ctx, p.State.ID.ValueString())
	if p.Planned.sendsAuth(p.State) {
		// Credentials are only required when they are sent, so that an imported endpoint can be planned without them.
		// The rest is checked again: with ignore_changes on one part, the planned authentication is not the one that
		// was validated.
		sent := authOf(p.Planned.withCredentials(p.Config).Authentication)
		if !sent.kind.IsUnknown() {
			sent.refuseForeign(p.Diags)
		}
		sent.demand(false, p.Diags)
		sent.demand(true, p.Diags)
	}
	p.Planned = p.Planned.plannedUpdate(p.State, p.Diags)
}

// plannedCreate leaves the secret to the apply.
func (m model) plannedCreate() model {
	m.setSecret(encrypt.Secret{}.Planned(m.AgeRecipients, true))
	return m
}

// plannedUpdate makes unknown only what this change can touch; the schema keeps the other computed values:
//
//	any change at the service   updated_at
//	a rotation                  the secret
func (m model) plannedUpdate(state model, diags *diag.Diagnostics) model {
	if update := m.toUpdate(state); !update.IsEmpty() {
		m.UpdatedAt = types.StringUnknown()
	}
	rotates := m.rotates(state)
	m.setSecret(state.secret().Planned(m.AgeRecipients, rotates))
	if rotates {
		warnRotation(state, diags)
	} else {
		state.secret().Warn(state.AgeRecipients, m.AgeRecipients, encrypt.Names{Object: state.displayName(),
			Clear: "secret", Encrypted: "encrypted_secret", Trigger: "rotate_secret_when_changed"}, diags)
	}
	return m
}

// rotates reports whether the secret is to be rotated.
func (m model) rotates(state model) bool {
	return object.Triggered(state.RotateSecretWhenChanged, m.RotateSecretWhenChanged)
}

func warnRotation(state model, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("rotate_secret_when_changed"), "The old secret becomes invalid immediately",
		fmt.Sprintf("This plan rotates the secret of %s. From then on, deliveries are signed with the new secret "+
			"only, and the consumer rejects them until it has the new secret. Nothing is lost: the service sends "+
			"rejected deliveries again after about 4 minutes, signed with the new secret. Pass it to the consumer "+
			"in the same apply.", state.displayName()))
}

// warnDuplicate warns about endpoints with the same url.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan := p.Planned
	client, ready := r.Client()
	if !ready || plan.URL.IsUnknown() {
		return
	}
	r.WarnExisting(ctx, p, object.Existing[collections.WebhookEndpoint]{
		At: path.Root("url"), What: fmt.Sprintf("webhook endpoint with the url %q", plan.URL.ValueString()),
		List: client.ListWebhookEndpoints,
		Same: func(e collections.WebhookEndpoint) bool { return collections.SameURL(e.URL, plan.URL.ValueString()) },
		Line: func(e collections.WebhookEndpoint) string {
			return fmt.Sprintf("(created %s, last changed %s)", e.CreatedAt, e.UpdatedAt)
		},
		More: "The consumer would get every event twice.",
	})
}
