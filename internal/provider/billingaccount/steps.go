package billingaccount

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
)

// work carries a plan out step by step. Each step's result is in the state before the next one begins, so that a failure half-way
// leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	client   *billing.Service
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  private.Store
	diags    *diag.Diagnostics
	// own is what the configuration will own once all is done.
	own owned
	// shown are the arguments that the configuration does not name.
	shown []string
}

// step is one request.
type step = steps.Step[billing.BillingAccount]

// verbUpdate is the step that carries custom_metadata, too.
const verbUpdate = "update"

// blameStatus is for the operations that change the status.
var blameStatus = steps.Blame{Argument: "status", Fields: map[string]string{"reason": "status_reason"}}

// Update reactivates first, then changes fields, then suspends: a suspended account is the last thing to have.
//
// It does not read the configuration: at apply it does not respect ignore_changes. What the plan decided about ownership comes with
// the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwned(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	planned := private.Planned[forApply](ctx, req.Private, &resp.Diagnostics)
	w := work{client: client, state: &resp.State, identity: resp.Identity, private: resp.Private, diags: &resp.Diagnostics,
		own: planned.Owned, shown: planned.Shown}
	var read *billing.BillingAccount
	if planned.Reads || state.Name.IsNull() {
		var err error
		if read, err = client.GetBillingAccount(ctx, state.ID.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("read", state))
			return
		}
		if state, err = state.asRead(plan, read); err != nil {
			apidiag.Unreadable(&resp.Diagnostics, err)
			return
		}
	}
	w.carryOut(ctx, w.steps(plan.orShown(state, w.shown), state, own.Metadata.Under(plan.CustomMetadataMode, nil)), read, plan, state, own)
}

// steps lists what takes the account from state to plan, in order.
func (w work) steps(plan, state model, owner metadata.Ownership) []step {
	id := state.ID.ValueString()
	var all []step
	if plan.Status.ValueString() == statusActive && state.Status.ValueString() != statusActive {
		all = append(all, step{Verb: "reactivate", Blame: blameStatus, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
			return w.transition(ctx, id, statusActive, func() (*billing.BillingAccount, error) {
				return w.client.ReactivateBillingAccount(ctx, id, plan.StatusReason.ValueString())
			})
		}})
	}
	body, metadataDiffers := plan.toUpdate(state), !plan.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata)
	if metadataDiffers || !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
			return w.update(ctx, id, body, metadataDiffers, owner, state.EffectiveCustomMetadata.ValueString())
		}})
	}
	if plan.Status.ValueString() == statusSuspended && state.Status.ValueString() != statusSuspended {
		all = append(all, w.suspend(id, plan))
	}
	return all
}

func (w work) suspend(id string, plan model) step {
	return step{Verb: "suspend", Blame: blameStatus, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
		return w.transition(ctx, id, statusSuspended, func() (*billing.BillingAccount, error) {
			return w.client.SuspendBillingAccount(ctx, id, plan.StatusReason.ValueString())
		})
	}}
}

// transition takes the account to a status. Where the service rejects that because another user has done it since the plan, it is done.
func (w work) transition(ctx context.Context, id, status string, do func() (*billing.BillingAccount, error)) (*billing.BillingAccount, error) {
	account, err := do()
	if err == nil {
		return account, nil
	}
	if now, lookErr := w.client.GetBillingAccount(ctx, id); lookErr == nil && now.Status == status {
		return now, nil
	}
	return nil, err
}

// update sends the fields that differ, and custom_metadata with them.
func (w work) update(ctx context.Context, id string, body billing.BillingAccountUpdate, withMetadata bool, owner metadata.Ownership,
	effective string) (*billing.BillingAccount, error) {
	if !withMetadata {
		return w.client.UpdateBillingAccount(ctx, id, body)
	}
	sync := metadata.Sync[billing.BillingAccount]{
		Ownership: owner, Desired: w.own.Metadata.Object,
		Read: func(ctx context.Context) (*billing.BillingAccount, error) { return w.client.GetBillingAccount(ctx, id) },
		Of:   func(a *billing.BillingAccount) json.RawMessage { return a.CustomMetadata },
		Send: func(ctx context.Context, payload json.RawMessage, mode string) (*billing.BillingAccount, error) {
			return w.client.UpdateBillingAccount(ctx, id, billing.BillingAccountUpdate{CustomMetadata: api.Set(payload), CustomMetadataMode: api.Set(mode)})
		},
	}
	return sync.Update(ctx, effective, func(ctx context.Context, payload json.RawMessage, mode string) (*billing.BillingAccount, error) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
		return w.client.UpdateBillingAccount(ctx, id, body)
	})
}

// carryOut runs the steps and writes the state after each. read is the account as it was read before them; nil: it was not.
func (w work) carryOut(ctx context.Context, all []step, read *billing.BillingAccount, plan, state model, before owned) {
	last, done := steps.Run(ctx, all,
		func(s step, answer *billing.BillingAccount) {
			state = w.reached(ctx, state, answer, before)
			if s.Verb == verbUpdate {
				private.Set(ctx, w.private, keyOwned, w.own, w.diags)
			}
		},
		func(s step, err error) { apidiag.Add(w.diags, err, doing(s.Verb, state)) })
	if last == nil {
		last = read
	}
	if done {
		w.finish(ctx, plan, last, true)
	}
}

// reached writes the state between two steps: what the service has, in the words of the state before.
func (w work) reached(ctx context.Context, prior model, answer *billing.BillingAccount, own owned) model {
	state, err := fromAPI(answer)
	if err == nil {
		state, err = state.keeping(prior, answer, own)
	}
	if err != nil {
		apidiag.Unreadable(w.diags, err)
		return prior
	}
	save(ctx, state, answer, w.state, w.identity, w.private, w.diags)
	return state
}

// finish writes the state after the last step: the plan, with what only the service could say. Without an answer nothing was asked. done
// says that all steps were done; where one was not, the difference to the plan has been told already.
func (w work) finish(ctx context.Context, plan model, last *billing.BillingAccount, done bool) {
	private.Set(ctx, w.private, keyOwned, w.own, w.diags)
	if last == nil {
		w.diags.Append(w.state.Set(ctx, plan)...)
		scheme.Identify(ctx, plan.ID, w.identity, w.diags)
		return
	}
	state, err := fromAPI(last)
	if err == nil {
		state, err = state.keeping(plan, last, w.own)
	}
	if err != nil {
		apidiag.Unreadable(w.diags, err)
		return
	}
	if differences := settle.Onto(ctx, &plan, &state); done {
		named := slices.DeleteFunc(slices.Clone(arguments), func(name string) bool { return slices.Contains(w.shown, name) })
		settle.Warn(differences, state.displayName(), named, w.diags)
	}
	save(ctx, state, last, w.state, w.identity, w.private, w.diags)
}

// create writes the new account to the state and does what its creation could not: change the customer, suspend.
//
// What fails here is a warning. Terraform marks a new object for replacement when its creation ends in an error, and closing an
// account to open another is worse than a status that the next plan mends.
func (w work) create(ctx context.Context, plan model, account *billing.BillingAccount) {
	state := w.reached(ctx, plan, account, w.own)
	var all []step
	body, err := plan.known().customerData(account)
	if err != nil {
		apidiag.Unreadable(w.diags, err)
		return
	}
	if !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
			return w.client.UpdateBillingAccount(ctx, account.ID, body)
		}})
	}
	if plan.Status.Equal(types.StringValue(statusSuspended)) {
		all = append(all, w.suspend(account.ID, plan))
	}
	last, done := steps.Run(ctx, all,
		func(_ step, answer *billing.BillingAccount) { state = w.reached(ctx, state, answer, w.own) },
		func(s step, err error) {
			var failed diag.Diagnostics
			apidiag.Add(&failed, err, doing(s.Verb, state))
			settle.Postpone(failed, w.diags)
		})
	if last == nil {
		last = account
	}
	w.finish(ctx, plan, last, done)
}
