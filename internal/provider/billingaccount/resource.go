// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and
// the list resource. customer.go is the argument customer, reference.go finds out which customer it means, and shown.go
// plans the attributes that show the customer.
package billingaccount

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
)

type base = object.Resource[*billing.Service, billing.BillingAccount, model]

// Resource is billing_account.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// ValidateConfig asks for a customer that can be located or created.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(fields.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() || config.Customer.IsUnknown() || config.Customer.IsNull() {
		return
	}
	c, err := customerOf(ctx, config.Customer)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	if !c.refers() && c.Name.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "The customer cannot be located "+
			"or created",
			"customer needs an id, an external_id or a document_number of an existing customer, or a name for a "+
				"new one.")
	}
	if !c.ID.IsNull() && !sameData(ctx, c, blank(ctx)) {
		resp.Diagnostics.AddAttributeWarning(path.Root("customer"), "Fields in addition to a reference are ignored",
			"customer.id refers to an existing customer, so the service ignores the other fields. Remove them, or "+
				"change the customer with a billing_customer resource.")
	}
}

// Create opens the account as planned and writes it to the state before anything else is done. What a creation cannot
// carry follows: a change of the customer, a suspension. When one of these fails it is a warning, see settle.Postpone.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	w := work{Write: begun}
	desired, ok := r.Defaults().Under(w.Plan.CustomMetadata, w.Diags)
	if !ok {
		return
	}
	body, err := w.Plan.known().toCreate(ctx, desired)
	if err != nil {
		w.Diags.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	created, err := w.Client.CreateBillingAccount(ctx, body)
	if err != nil {
		if !refuseUnnamed(ctx, err, w.Plan, w.Diags) {
			apidiag.Add(w.Diags, err, operation("open", w.Plan))
		}
		return
	}
	if created.Adopted {
		w.Diags.AddWarning("Found the billing account instead of opening it twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the billing account that it opened "+
				"(id %s).",
				created.ID))
	}
	w.next = ownership{Metadata: desired, Customer: w.Plan.setsAtCustomer()}
	w.own, w.State = w.next, w.Plan
	w.save(ctx, step{Verb: "open"}, &created.BillingAccount, false)
	if all, ok := w.afterCreate(&created.BillingAccount); ok {
		now, done := steps.Run(ctx, &created.BillingAccount, all, w.save, steps.Postpone(w.Diags, w.operation))
		w.finish(ctx, now, done)
	}
}

// afterCreate lists what the plan asks for and the creation could not carry; false means that the response is
// unreadable.
func (w *work) afterCreate(account *billing.BillingAccount) (all []step, ok bool) {
	body, err := w.Plan.known().customerData(account)
	if err != nil {
		apidiag.Unreadable(w.Diags, err)
		return nil, false
	}
	if !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
			return w.Client.UpdateBillingAccount(ctx, account.ID, body)
		}})
	}
	if w.Plan.Status.Equal(types.StringValue(statusSuspended)) {
		all = append(all, w.suspend(account.ID))
	}
	return all, true
}

// work carries out a plan step by step. The result of each step is in the state before the next one begins, so that a
// failure leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	*object.Write[*billing.Service, model]
	// own is what the configuration owns so far, next what it owns once all is done.
	own, next ownership
	// shown are the arguments that the configuration does not name.
	shown []string
}

// step is one request.
type step = steps.Step[billing.BillingAccount]

// verbUpdate is the step that carries custom_metadata, too.
const verbUpdate = "update"

// blameStatus is for the operations that change the status.
var blameStatus = steps.Blame{Argument: "status", Fields: map[string]string{"reason": "status_reason"}}

// customMetadata reads and writes custom_metadata.
var customMetadata = metadata.Remote[*billing.Service, billing.BillingAccount, billing.BillingAccountUpdate]{
	Get: (*billing.Service).GetBillingAccount, Update: (*billing.Service).UpdateBillingAccount,
	Of: func(a *billing.BillingAccount) json.RawMessage { return a.CustomMetadata },
	Put: func(body *billing.BillingAccountUpdate, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update reactivates first, then changes fields, then suspends: a suspended account is the last thing to have.
//
// It does not read the configuration: at apply it does not respect ignore_changes. What the plan decided about
// ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	planned := private.Planned[forApply](ctx, begun.Private, begun.Diags)
	w := work{Write: begun, own: private.Owned[ownership](ctx, begun.Private, begun.Diags), next: planned.Owned,
		shown: planned.Shown}
	if !ok || w.Diags.HasError() {
		return
	}
	var read *billing.BillingAccount
	if planned.Reads || w.State.Name.IsNull() {
		var err error
		if read, err = w.Client.GetBillingAccount(ctx, w.State.ID.ValueString()); err != nil {
			apidiag.Add(w.Diags, err, operation("read", w.State))
			return
		}
		if w.State, err = w.State.asRead(w.Plan, read); err != nil {
			apidiag.Unreadable(w.Diags, err)
			return
		}
	}
	now, done := steps.Run(ctx, read, w.steps(), w.save,
		func(verb string, err error) { apidiag.Add(w.Diags, err, w.operation(verb)) })
	if done {
		w.finish(ctx, now, true)
	}
}

// steps lists what takes the account from state to plan, in order.
func (w *work) steps() []step {
	plan, state := w.Plan.orShown(w.State, w.shown), w.State
	id := state.ID.ValueString()
	var all []step
	if plan.Status.ValueString() == statusActive && state.Status.ValueString() != statusActive {
		all = append(all, w.transition("reactivate", id, statusActive, w.Client.ReactivateBillingAccount))
	}
	body := plan.toUpdate(state)
	metadataDiffers := !plan.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata)
	if metadataDiffers || !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
			if !metadataDiffers {
				return w.Client.UpdateBillingAccount(ctx, id, body)
			}
			return customMetadata.Change(ctx, w.Client, id, body, w.own.Metadata.Under(plan.CustomMetadataMode),
				w.next.Metadata.Object, state.EffectiveCustomMetadata.ValueString())
		}})
	}
	if plan.Status.ValueString() == statusSuspended && state.Status.ValueString() != statusSuspended {
		all = append(all, w.suspend(id))
	}
	return all
}

func (w *work) suspend(id string) step {
	return w.transition("suspend", id, statusSuspended, w.Client.SuspendBillingAccount)
}

// transition takes the account to a status. Where the API rejects that because another user has done it since the plan,
// it is done.
func (w *work) transition(verb, id, status string,
	send func(ctx context.Context, id, reason string) (*billing.BillingAccount, error)) step {
	return step{Verb: verb, Blame: blameStatus, Run: func(ctx context.Context) (*billing.BillingAccount, error) {
		account, err := send(ctx, id, w.Plan.StatusReason.ValueString())
		if err == nil {
			return account, nil
		}
		if now, lookErr := w.Client.GetBillingAccount(ctx, id); lookErr == nil && now.Status == status {
			return now, nil
		}
		return nil, err
	}}
}

// save writes the state between two steps: what the service has, as the state before writes it. What the response to
// the last step shows is written by finish.
func (w *work) save(ctx context.Context, s step, response *billing.BillingAccount, last bool) {
	if last {
		return
	}
	if state, ok := w.State.after(response, w.own, w.Diags); ok {
		w.State = state
		w.Save(ctx, state.ID, state)
		saveFacts(ctx, response, w.Private, w.Diags)
	}
	if s.Verb == verbUpdate {
		w.own = w.next
		private.SetOwned(ctx, w.Private, w.own, w.Diags)
	}
}

// finish writes the state after the last step: the plan, with what only the service could say. last is nil where
// nothing was sent. done says that all steps were done; where one was not, the difference to the plan has been reported
// already.
func (w *work) finish(ctx context.Context, last *billing.BillingAccount, done bool) {
	private.SetOwned(ctx, w.Private, w.next, w.Diags)
	if last == nil {
		w.Save(ctx, w.Plan.ID, w.Plan)
		return
	}
	state, ok := w.Plan.after(last, w.next, w.Diags)
	if !ok {
		return
	}
	if differences := settle.Onto(ctx, &w.Plan, &state); done {
		named := slices.DeleteFunc(slices.Clone(arguments), func(name string) bool {
			return slices.Contains(w.shown,
				name)
		})
		settle.Warn(differences, state.displayName(), named, w.Diags)
	}
	w.Save(ctx, state.ID, state)
	saveFacts(ctx, last, w.Private, w.Diags)
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	client, id := w.Client, w.State.ID.ValueString()
	if w.State.DeletionPolicy.ValueString() == policy.Delete {
		if err := client.DeleteBillingAccount(ctx, id); err != nil {
			apidiag.Add(w.Diags, err, operation("delete", w.State))
		}
		return
	}
	account, err := client.GetBillingAccount(ctx, id)
	if err == nil && account.Status != statusClosed {
		_, err = client.CloseBillingAccount(ctx, id, w.State.StatusReason.ValueString())
		// The customer, which the same run may delete without waiting for this account, closes its accounts.
		if err != nil && isClosed(ctx, client, id) {
			err = nil
		}
	}
	if err != nil && !api.IsNotFound(err) {
		apidiag.Add(w.Diags, err, operation("close", w.State))
	}
}

// Policy implements policy.Managed.
func (m model) Policy() policy.Of {
	return policy.Of{Value: m.DeletionPolicy, Object: m.displayName(), Own: policyClose,
		Stays: "It stays open" + m.balance() + ", and its subscriptions continue to charge."}
}

// isClosed reports whether the account is closed or gone by now.
func isClosed(ctx context.Context, client *billing.Service, id string) bool {
	account, err := client.GetBillingAccount(ctx, id)
	return api.IsNotFound(err) || err == nil && account.Status == statusClosed
}

// saveFacts keeps what a later plan must know of the customer.
func saveFacts(ctx context.Context, account *billing.BillingAccount, store private.Store, diags *diag.Diagnostics) {
	if f, err := factsOf(account.Customer); err == nil {
		private.Set(ctx, store, keyFacts, f, diags)
	}
}

// operation describes an operation on the account for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments}
}

// operation describes an operation on the account as it is now.
func (w *work) operation(verb string) apidiag.Operation { return operation(verb, w.State).Of(w.Plan) }
