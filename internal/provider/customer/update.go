package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Update sends what differs, in one request where the service can do it in one. What only this provider knows (deletion_policy,
// custom_metadata_mode) changes without any request.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwnership(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	owner := own.of(plan.CustomMetadataMode, r.Conn.Defaults.Object)
	desired, err := owner.Desired(config.CustomMetadata)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("custom_metadata"), "Invalid custom_metadata", err.Error())
		return
	}
	change := updating{client: client, id: state.ID.ValueString(), body: plan.toUpdate(ctx, state), owner: owner, desired: desired}
	change.metadata = !plan.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata)
	answer, err := change.run(ctx, state.EffectiveCustomMetadata.ValueString())
	after := ownedBy(config, desired)
	switch {
	case err != nil && answer == nil:
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		return
	case err != nil:
		// The first step has happened: the state says what the service has, not what was planned.
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		plan = plan.settledOn(ctx, answer, after, &resp.Diagnostics)
	case answer != nil:
		settled := plan.settledOn(ctx, answer, after, &resp.Diagnostics)
		warnDifferences(settle.Onto(ctx, &plan, &settled), settled, &resp.Diagnostics)
		plan = settled
	}
	save(ctx, plan, &resp.State, resp.Identity, &resp.Diagnostics)
	after.write(ctx, resp.Private, &resp.Diagnostics)
}

// updating is one update of a customer, custom_metadata included.
type updating struct {
	client   *billing.Service
	id       string
	body     billing.CustomerUpdate
	owner    metadata.Ownership
	desired  metadata.Object
	metadata bool // custom_metadata changes
}

// run carries the update out and answers the customer as it is afterwards, or nil when nothing was sent. An error beside an answer
// means that a first step has happened and a second one has not.
func (u updating) run(ctx context.Context, effective string) (*billing.Customer, error) {
	if u.metadata {
		if err := u.chooseMetadata(ctx, effective); err != nil {
			return nil, err
		}
	}
	if u.body.IsEmpty() {
		return nil, nil
	}
	answer, err := u.client.UpdateCustomer(ctx, u.id, u.body)
	if err != nil || !u.metadata {
		return answer, err
	}
	return u.insist(ctx, answer)
}

// chooseMetadata decides between the service's two modes. Its merge never deletes a key (Recurring billing §4), so an object that
// loses keys is read anew and sent whole.
func (u *updating) chooseMetadata(ctx context.Context, effective string) error {
	remote, err := metadata.Parse([]byte(effective))
	if err != nil {
		return err
	}
	result := u.owner.Result(remote, u.desired)
	switch {
	case u.owner.Mode == metadata.ModeReplace && u.owner.Owned != nil:
		u.send(u.desired, metadata.ModeReplace)
	case metadata.Removes(remote, result):
		if remote, err = u.fresh(ctx); err != nil {
			return err
		}
		u.send(u.owner.Result(remote, u.desired), metadata.ModeReplace)
	default:
		u.send(u.desired, metadata.ModeMerge)
	}
	return nil
}

// insist sends the object whole when the service's merge has left out a part of it, as some do with nulls.
func (u updating) insist(ctx context.Context, answer *billing.Customer) (*billing.Customer, error) {
	remote, err := metadata.Parse(answer.CustomMetadata)
	if err != nil {
		return answer, err
	}
	result := u.owner.Result(remote, u.desired)
	if metadata.EqualKnowing(result, remote, u.desired) {
		return answer, nil
	}
	again := updating{client: u.client, id: u.id}
	again.send(result, metadata.ModeReplace)
	second, err := u.client.UpdateCustomer(ctx, u.id, again.body)
	if err != nil {
		return answer, err
	}
	return second, nil
}

func (u *updating) send(object metadata.Object, mode string) {
	u.body.CustomMetadata = api.Set(metadata.Payload(object))
	u.body.CustomMetadataMode = api.Set(mode)
}

func (u updating) fresh(ctx context.Context) (metadata.Object, error) {
	current, err := u.client.GetCustomer(ctx, u.id)
	if err != nil {
		return nil, err
	}
	return metadata.Parse(current.CustomMetadata)
}
