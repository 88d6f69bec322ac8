package subscription

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
)

// Create creates the subscription and writes it to the state before anything else is done. What a creation cannot carry follows: an
// update, a pause, a scheduled cancellation. When one of these fails it is a warning, see settle.Postpone.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	wanted := plan.withoutUnknown()
	desired, ok := metadata.Owned{}.Under(plan.CustomMetadataMode, r.Conn.Defaults.Object).DesiredAttribute(wanted.CustomMetadata, &resp.Diagnostics)
	if !ok {
		return
	}
	r.Run().Applies()
	created, err := client.CreateSubscription(ctx, wanted.toCreate(desired))
	if err != nil {
		apidiag.Add(&resp.Diagnostics, namingExisting(ctx, client, err, plan), doing("create", plan))
		return
	}
	if created.Adopted {
		resp.Diagnostics.AddWarning("Found the subscription instead of creating it twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the subscription that it created (id %s).", created.ID))
	}
	own := ownedBy(wanted).namedBy(ownedBy(config), owned{})
	own.Metadata = metadata.OwnedBy(desired)
	w := &work{client: client, state: &resp.State, identity: resp.Identity, private: resp.Private, diags: &resp.Diagnostics, own: own, before: own}
	if !wanted.Pause.IsNull() {
		w.asked = append(w.asked, pauseIt)
	}
	state := w.reached(ctx, plan, plan, step{Verb: "create"}, &created.Subscription)
	last, done := steps.Run(ctx, w.afterCreate(wanted, state),
		func(s step, answer *billing.Subscription) { state = w.reached(ctx, state, plan, s, answer) },
		func(s step, err error) {
			var failed diag.Diagnostics
			apidiag.Add(&failed, err, doing(s.Verb, state))
			settle.Postpone(failed, w.diags)
		})
	if last == nil {
		last = &created.Subscription
	}
	w.finish(ctx, plan, last, done)
}

// afterCreate lists what the configuration asks for and the creation could not carry.
func (w *work) afterCreate(wanted, state model) []step {
	id := state.ID.ValueString()
	var all []step
	if body := wanted.afterCreate(state); !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.Subscription, error) {
			return w.client.UpdateSubscription(ctx, id, body)
		}})
	}
	return append(all, w.ends(id, wanted, !wanted.Pause.IsNull(), wanted.CancelAtPeriodEnd.ValueBool())...)
}
