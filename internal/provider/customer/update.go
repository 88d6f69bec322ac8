package customer

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Update sends what the plan shows as changing, in one request where the service can do it in one. What only this provider knows
// (deletion_policy, custom_metadata_mode) changes without any request.
//
// What it sends comes from the plan alone: at apply the configuration does not respect ignore_changes. What the plan decided about
// ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwnership(ctx, req.Private, &resp.Diagnostics)
	after := private.Planned[ownership](ctx, req.Private, &resp.Diagnostics).within(ownedBy(config))
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	owner := own.Metadata.Under(plan.CustomMetadataMode, nil)
	answer, err := update(ctx, client, plan.owning(after), state.owning(after), owner, after.Metadata.Object)
	switch {
	case err != nil && answer == nil:
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		return
	case err != nil:
		// The first step has happened: the state says what the service has, not what was planned.
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		plan = plan.settledOn(answer, after, &resp.Diagnostics)
	case answer != nil:
		settled := plan.settledOn(answer, after, &resp.Diagnostics)
		settle.Warn(settle.Onto(ctx, &plan, &settled), settled.displayName(), config.named(), &resp.Diagnostics)
		plan = settled
	}
	save(ctx, plan, &resp.State, resp.Identity, &resp.Diagnostics)
	after.write(ctx, resp.Private, &resp.Diagnostics)
}

// update takes the customer from state to plan, custom_metadata included, and answers it as it is afterwards, or nil when nothing was
// sent. An error beside an answer means that a first step has happened and a second one has not.
func update(ctx context.Context, client *billing.Service, plan, state model, owner metadata.Ownership, desired metadata.Object) (*billing.Customer, error) {
	id, body := state.ID.ValueString(), plan.toUpdate(state)
	if plan.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) {
		if body.IsEmpty() {
			return nil, nil
		}
		return client.UpdateCustomer(ctx, id, body)
	}
	sync := metadata.Sync[billing.Customer]{
		Ownership: owner, Desired: desired,
		Read: func(ctx context.Context) (*billing.Customer, error) { return client.GetCustomer(ctx, id) },
		Of:   func(c *billing.Customer) json.RawMessage { return c.CustomMetadata },
		Send: func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Customer, error) {
			return client.UpdateCustomer(ctx, id, billing.CustomerUpdate{CustomMetadata: api.Set(payload), CustomMetadataMode: api.Set(mode)})
		},
	}
	return sync.Update(ctx, state.EffectiveCustomMetadata.ValueString(), func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Customer, error) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
		return client.UpdateCustomer(ctx, id, body)
	})
}
