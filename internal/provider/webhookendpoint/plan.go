package webhookendpoint

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ValidateConfig checks what belongs to which kind of authentication.
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
	for _, field := range []struct {
		name  string
		kind  string
		given bool
	}{
		{"username", authBasic, !a.username.IsNull()},
		{"password_wo", authBasic, !a.password.IsNull()},
		{"token_wo", authBearer, !a.token.IsNull()},
		{"name", authHeader, !a.name.IsNull()},
		{"value_wo", authHeader, !a.value.IsNull()},
	} {
		belongs := a.kind.ValueString() == field.kind
		at := path.Root("authentication").AtName(field.name)
		switch {
		case belongs && !field.given:
			resp.Diagnostics.AddAttributeError(at, "Incomplete authentication",
				fmt.Sprintf("authentication of type %q needs %s.", field.kind, field.name))
		case !belongs && field.given:
			resp.Diagnostics.AddAttributeError(at, "Argument of another kind of authentication",
				fmt.Sprintf("%s belongs to authentication of type %q, and type is %q. Remove one of the two.", field.name, field.kind, a.kind.ValueString()))
		}
	}
}

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and state mean the
// same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.ID, plan.CreatedAt, plan.UpdatedAt, plan.Secret = state.ID, state.CreatedAt, state.UpdatedAt, state.Secret
	if !state.Events.IsNull() && !plan.Events.IsNull() && sameEvents(plan.Events, state.Events) {
		plan.Events = state.Events
	}
	if keepsAuth(plan.Authentication, state.Authentication) {
		plan.Authentication = state.Authentication
	}
	if update := plan.toUpdate(state, plan); !update.IsEmpty() {
		plan.UpdatedAt = types.StringUnknown()
	}
	if plan.rotates(state) {
		plan.Secret = types.StringUnknown()
		warnRotation(state, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// keepsAuth reports whether the credentials at the service stand: the same kind and names, and no new version of the credentials. Those
// of an imported endpoint, whose version is not known, count as version 1.
func keepsAuth(plan, state types.Object) bool {
	if plan.IsNull() || state.IsNull() || !sameAuth(plan, state) {
		return false
	}
	wanted, had := authOf(plan).version, authOf(state).version
	return wanted.Equal(had) || had.IsNull() && wanted.Equal(types.Int64Value(1))
}

// rotates reports whether the secret is to be rotated: the trigger had values, and they change. Values that appear for the first time,
// as after an import, only give something to compare with.
func (m model) rotates(state model) bool {
	return !state.RotateSecretWhenChanged.IsNull() && !m.RotateSecretWhenChanged.IsNull() &&
		!m.RotateSecretWhenChanged.Equal(state.RotateSecretWhenChanged)
}

func warnRotation(state model, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("rotate_secret_when_changed"), "The old secret becomes invalid at once",
		fmt.Sprintf("This plan rotates the secret of %s. From that moment deliveries are signed with the new secret only: let the consumer accept both before "+
			"applying, or be ready to redeliver what it refuses meanwhile.", state.words()))
}

// words names the endpoint inside a sentence.
func (m model) words() string {
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("webhook endpoint %s (id %s)", m.URL.ValueString(), id)
	}
	return "webhook endpoint " + m.URL.ValueString()
}
