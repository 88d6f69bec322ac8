package webhookendpoint

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// part is an argument of authentication, and the one type that has it.
type part struct {
	name, kind string
	value      types.String
	// credential is sent, and never comes back.
	credential bool
}

func (a authentication) parts() []part {
	return []part{
		{"username", authBasic, a.username, false},
		{"password_wo", authBasic, a.password, true},
		{"token_wo", authBearer, a.token, true},
		{"name", authHeader, a.name, false},
		{"value_wo", authHeader, a.value, true},
	}
}

// ValidateConfig checks what belongs to which type of authentication. Whether the credentials are needed only the
// plan knows.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Authentication.IsNull() || config.Authentication.IsUnknown() {
		return
	}
	a := authOf(config.Authentication)
	if a.kind.IsUnknown() {
		return
	}
	a.refuseForeign(&resp.Diagnostics)
	a.demand(false, &resp.Diagnostics)
}

var authPath = path.Root("authentication")

// refuseForeign reports what belongs to another type of authentication.
func (a authentication) refuseForeign(diags *diag.Diagnostics) {
	for _, p := range a.parts() {
		if p.kind != a.kind.ValueString() && !p.value.IsNull() {
			diags.AddAttributeError(authPath.AtName(p.name), "Argument of another type of authentication",
				fmt.Sprintf("%s belongs to authentication of type %q, and type is %q. Remove one of the two.", p.name, p.kind, a.kind.ValueString()))
		}
	}
}

// demand reports what the type of authentication needs and is not there: the credentials, or the rest.
func (a authentication) demand(credentials bool, diags *diag.Diagnostics) {
	for _, p := range a.parts() {
		if p.credential == credentials && p.kind == a.kind.ValueString() && p.value.IsNull() {
			diags.AddAttributeError(authPath.AtName(p.name), "Incomplete authentication",
				fmt.Sprintf("authentication of type %q needs %s.", p.kind, p.name))
		}
	}
}

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and
// state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, state model
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.Run().Known(typeName, state.ID.ValueString())
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if req.State.Raw.IsNull() {
		r.Run().PlanCreate(ctx, typeName, req.Private, &resp.Diagnostics)
		authOf(plan.withCredentials(config).Authentication).demand(true, &resp.Diagnostics)
		plan.setSecret(encrypt.Secret{}.Planned(plan.AgeRecipients, true))
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		if !resp.Diagnostics.HasError() {
			r.refuseDuplicate(ctx, plan, req.ClientCapabilities.DeferralAllowed, &resp.Diagnostics)
		}
		return
	}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Every change of an endpoint is made in place.
	r.Run().PlanUpdate(ctx, typeName, state.ID.ValueString(), false, req.ClientCapabilities.DeferralAllowed,
		resp.Private, &resp.Diagnostics)
	if plan.sendsAuth(state) {
		// Credentials are only required when they are sent, so that an imported endpoint can be planned without them.
		// The rest is checked again: with ignore_changes on one part, the planned authentication is not the one that
		// was validated.
		sent := authOf(plan.withCredentials(config).Authentication)
		if !sent.kind.IsUnknown() {
			sent.refuseForeign(&resp.Diagnostics)
		}
		sent.demand(false, &resp.Diagnostics)
		sent.demand(true, &resp.Diagnostics)
	}
	if update := plan.toUpdate(state); !update.IsEmpty() {
		plan.UpdatedAt = types.StringUnknown()
	}
	rotates := plan.rotates(state)
	plan.setSecret(state.secret().Planned(plan.AgeRecipients, rotates))
	if rotates {
		warnRotation(state, &resp.Diagnostics)
	} else {
		state.secret().Warn(state.AgeRecipients, plan.AgeRecipients, encrypt.Names{Object: state.displayName(),
			Clear: "secret", Encrypted: "encrypted_secret", Trigger: "rotate_secret_when_changed"}, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// rotates reports whether the secret is to be rotated: the trigger had values, and they change. Values that appear
// for the first time, as after an import, only give something to compare with, and removing them rotates nothing.
func (m model) rotates(state model) bool {
	had, has := state.RotateSecretWhenChanged, m.RotateSecretWhenChanged
	return len(had.Elements()) > 0 && (has.IsUnknown() || len(has.Elements()) > 0) && !has.Equal(had)
}

func warnRotation(state model, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("rotate_secret_when_changed"), "The old secret becomes invalid at once",
		fmt.Sprintf("This plan rotates the secret of %s. From that moment deliveries are signed with the new secret only, and the consumer refuses them until it has it. "+
			"Nothing is lost: the service sends what was refused again after about 4 minutes, signed with the new secret, so hand it to the consumer in the same apply.", state.displayName()))
}

// displayName names the endpoint inside a sentence.
func (m model) displayName() string {
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("webhook endpoint %s (id %s)", m.URL.ValueString(), id)
	}
	return "webhook endpoint " + m.URL.ValueString()
}

// refuseDuplicate reports an error where the service has an endpoint with the same url that is not in the state, such as one that an
// interrupted run has registered: its consumer would get every event twice. It is a warning with allow_duplicate, and as
// long as that is not known.
func (r *Resource) refuseDuplicate(ctx context.Context, plan model, deferralAllowed bool, diags *diag.Diagnostics) {
	if r.Conn == nil || !r.Conn.Collections.Ready || plan.URL.IsUnknown() {
		return
	}
	found := run.Outside(ctx, r.Run(), deferralAllowed, run.Search[collections.WebhookEndpoint]{
		TypeName: typeName, List: r.Conn.Collections.Client.ListWebhookEndpoints,
		ID:   func(e collections.WebhookEndpoint) string { return e.ID },
		Same: func(e collections.WebhookEndpoint) bool { return collections.SameURL(e.URL, plan.URL.ValueString()) },
		// An error that is wrong would block the plan.
		Certain: !plan.AllowDuplicate.ValueBool() && !plan.AllowDuplicate.IsUnknown(),
	})
	if len(found) == 0 {
		return
	}
	lines, ids := make([]string, len(found)), make([]string, len(found))
	for i, e := range found {
		ids[i] = e.ID
		lines[i] = fmt.Sprintf("  %s (created %s, last changed %s)", e.ID, e.CreatedAt, e.UpdatedAt)
	}
	const summary = "A webhook endpoint with this url exists already"
	detail := fmt.Sprintf("The plan creates %s, and the service has an endpoint with the same url that is not part of this state:\n\n%s\n\n"+
		"The consumer would get every event twice. It may be left from an interrupted run, or another workspace may manage it. %s\n\n"+
		"To create another one with the same url, set allow_duplicate = true. An endpoint that another provider configuration manages, or that -target "+
		"leaves out of the plan, counts as well. terraform destroy makes this plan too: run it with -refresh=false.", plan.displayName(), strings.Join(lines, "\n"), apidiag.TakeOver(typeName, ids...))
	if plan.AllowDuplicate.IsUnknown() || plan.AllowDuplicate.ValueBool() {
		diags.AddAttributeWarning(path.Root("url"), summary, detail)
		return
	}
	diags.AddAttributeError(path.Root("url"), summary, detail)
}
