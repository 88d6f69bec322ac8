// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and the list resource.
//
// schema.go says what a user writes, model.go and customer.go convert, plan.go decides what a plan shows, resource.go, steps.go and
// read.go talk to the service.
package billingaccount

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
)

// Resource is billing_account.
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

// ValidateConfig asks for a customer that can be located or created.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Customer.IsUnknown() || config.Customer.IsNull() {
		return
	}
	c, err := customerOf(ctx, config.Customer)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	if !c.refers() && c.Name.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("customer").AtName("name"), "The customer cannot be located or created",
			"customer needs an id, an external_id or a document_number of an existing customer, or a name for a new one.")
	}
	if !c.ID.IsNull() && !sameData(ctx, c, blank(ctx)) {
		resp.Diagnostics.AddAttributeWarning(path.Root("customer"), "Fields beside a reference are ignored",
			"customer.id refers to an existing customer, so the service ignores the other fields. Remove them, or change the customer with a billing_customer resource.")
	}
}

// Create opens the account as planned and writes it to the state before anything else is done.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	desired, ok := metadata.Owned{}.Under(plan.CustomMetadataMode, r.Conn.Defaults.Object).DesiredAttribute(plan.CustomMetadata, &resp.Diagnostics)
	if !ok {
		return
	}
	body, err := plan.known().toCreate(ctx, desired)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	r.Run().Applies()
	created, err := client.CreateBillingAccount(ctx, body)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("open", plan))
		return
	}
	if created.Adopted {
		resp.Diagnostics.AddWarning("Found the billing account instead of opening it twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the billing account that it opened (id %s).", created.ID))
	}
	work := work{client: client, state: &resp.State, identity: resp.Identity, private: resp.Private, diags: &resp.Diagnostics,
		own: owned{Metadata: metadata.OwnedBy(desired), Customer: plan.setsAtCustomer()}}
	work.create(ctx, plan, &created.BillingAccount)
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete(ctx, typeName, r.Conn.Billing, r.Run(), req, resp, model.stays)
	if !ok {
		return
	}
	if state.DeletionPolicy.ValueString() == policy.Delete {
		if err := client.DeleteBillingAccount(ctx, state.ID.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
		}
		return
	}
	account, err := client.GetBillingAccount(ctx, state.ID.ValueString())
	if err == nil && account.Status != statusClosed {
		_, err = client.CloseBillingAccount(ctx, state.ID.ValueString(), state.StatusReason.ValueString())
		// The customer, which the same run may delete without waiting for this account, closes its accounts.
		if err != nil && isClosed(ctx, client, state.ID.ValueString()) {
			err = nil
		}
	}
	if err != nil && !api.IsNotFound(err) {
		apidiag.Add(&resp.Diagnostics, err, doing("close", state))
	}
}

// stays reports that destroying the account sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	return policy.Stays(m.DeletionPolicy, m.displayName(), waysOut, diags)
}

// isClosed reports whether the account is closed or gone by now.
func isClosed(ctx context.Context, client *billing.Service, id string) bool {
	account, err := client.GetBillingAccount(ctx, id)
	return api.IsNotFound(err) || err == nil && account.Status == statusClosed
}

// save writes state, identity and what a later plan must know of the customer.
func save(ctx context.Context, m model, account *billing.BillingAccount, state *tfsdk.State, identity *tfsdk.ResourceIdentity, store private.Store, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, m)...)
	scheme.Identify(ctx, m.ID, identity, diags)
	if f, err := factsOf(account.Customer); err == nil {
		private.Set(ctx, store, keyFacts, f, diags)
	}
}

// doing describes an operation on the account for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), TypeName: typeName, Attributes: arguments}
}

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
