// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and
// the list resource.
package billingaccount

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// scheme is how billing accounts are named and found.
var scheme = object.Scheme[*billing.Service, billing.BillingAccount]{
	TypeName: typeName, Noun: "billing account", Key: "external_id",
	Service: conn.Billing,
	ID:      func(a *billing.BillingAccount) string { return a.ID },
	Get:     (*billing.Service).GetBillingAccount,
	Listed:  (*billing.Service).RefreshBillingAccount,
	Find:    find,
	Line: func(a *billing.BillingAccount) string {
		return fmt.Sprintf("%s  %s (created %s)", a.ID, a.Status, a.CreatedAt)
	},
	Refuse: func(_ context.Context, _ *billing.Service, a *billing.BillingAccount, _ object.Selector,
		diags *diag.Diagnostics) {
		if a.Status == statusClosed {
			diags.AddError(fmt.Sprintf("Billing account %s is closed", a.ID), "That is final, so there is nothing to manage. "+
				"Remove the import and let a new account be created.")
		}
	},
}

// find lists the accounts with the external_id. Where the list leaves the customer out, the one match is read by its
// id.
func find(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.BillingAccount, error) {
	found, err := client.FindBillingAccounts(ctx, billing.BillingAccountQuery{ExternalID: by.Value})
	if err != nil || len(found) != 1 || found[0].Customer != nil {
		return found, err
	}
	whole, err := client.GetBillingAccount(ctx, found[0].ID)
	if api.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []billing.BillingAccount{*whole}, nil
}

type base = object.Resource[*billing.Service, billing.BillingAccount, model]

// Resource is billing_account.
type Resource struct{ base }

var _ object.Managed = (*Resource)(nil)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// Create creates the account as planned and writes it to the state before anything else is done. A suspension follows:
// when it fails that is a warning, see settle.Postpone.
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
	body := w.Plan.body(model{})
	body.CustomMetadata = wire.Metadata(desired)
	created, err := w.Client.CreateBillingAccount(ctx, body)
	if err != nil {
		apidiag.Add(w.Diags, blameCustomer.On(err), operation("create", w.Plan))
		return
	}
	w.own, w.next, w.State = ownership{desired}, ownership{desired}, w.Plan
	w.save(ctx, step{Verb: "create"}, &created.BillingAccount, false)
	private.SetOwned(ctx, w.Private, w.next, w.Diags)
	if created.Adopted {
		w.Diags.AddWarning(fmt.Sprintf("Found %s instead of creating it twice", w.State.displayName()),
			"The response to the creation was lost. A lookup found the account that it had created.")
	}
	if w.Diags.HasError() {
		return
	}
	var all []step
	if w.Plan.Status.Equal(types.StringValue(statusSuspended)) {
		all = append(all, w.suspend(created.ID))
	}
	now, done := steps.Run(ctx, &created.BillingAccount, all, w.save, steps.Postpone(w.Diags, w.operation))
	w.finish(ctx, now, done)
}

// Read refreshes the state. A closed account is final, so it counts as gone.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	const again = "creates a new account with a new id; subscriptions of the old one do not move"
	client.Wrote(prior.ID.ValueString(), prior.CreatedAt.ValueString(), prior.UpdatedAt.ValueString())
	account := r.Refresh(ctx, client, prior.ID, operation("read", prior), again, resp)
	if account == nil {
		return
	}
	if account.Status == statusClosed {
		r.Gone(ctx, prior.ID, prior.displayName(), "was closed, which is final,", again, resp)
		return
	}
	state, ok := prior.read(account, own, importing, &resp.Diagnostics)
	if !ok {
		return
	}
	scheme.Save(ctx, state.ID, state, &resp.State, resp.Identity, &resp.Diagnostics)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
	if importing || private.Get[bool](ctx, req.Private, keyImports, &resp.Diagnostics) {
		private.Set(ctx, resp.Private, keyImports, importing, &resp.Diagnostics)
	}
}

// read is the state m after a refresh, or the whole account where it is imported.
func (m model) read(account *billing.BillingAccount, own ownership, importing bool,
	diags *diag.Diagnostics) (model, bool) {
	if !importing {
		return m.after(account, own, diags)
	}
	whole, err := fromAPI(account)
	if err != nil {
		apidiag.Unreadable(diags, err)
		return m, false
	}
	whole.CustomMetadata = whole.CustomMetadata.OrEmpty()
	return whole, true
}

// work carries out a plan step by step. The result of each step is in the state before the next one begins, so that a
// failure leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	*object.Write[*billing.Service, billing.BillingAccount, model]
	// own is what the configuration owns so far, next what it owns once all is done.
	own, next ownership
}

// step is one request.
type step = steps.Step[billing.BillingAccount]

// verbUpdate is the step that carries custom_metadata, too.
const verbUpdate = "update"

// blameStatus is for the operations that change the status.
var blameStatus = steps.Blame{Argument: "status", Fields: map[string]string{"reason": "status_reason"}}

// blameCustomer is for the creation, which refers to the customer in an object.
var blameCustomer = steps.Blame{Fields: map[string]string{"customer": "customer_id", "customer.id": "customer_id"}}

// customMetadata reads and writes custom_metadata.
var customMetadata = metadata.Remote[*billing.Service, billing.BillingAccount, billing.AccountBody]{
	Get: (*billing.Service).GetBillingAccount, Update: (*billing.Service).UpdateBillingAccount,
	Of: func(a *billing.BillingAccount) json.RawMessage { return a.CustomMetadata },
	Put: func(body *billing.AccountBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update reactivates first, then changes fields, then suspends: a suspended account is the last thing to have.
//
// What it sends comes from the plan alone: at apply the configuration does not respect ignore_changes. What the plan
// decided about ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	w := work{Write: begun, own: private.Owned[ownership](ctx, begun.Private, begun.Diags),
		next: private.Planned[ownership](ctx, begun.Private, begun.Diags)}
	if !ok || w.Diags.HasError() {
		return
	}
	now, done := steps.Run(ctx, nil, w.steps(), w.save,
		func(verb string, err error) { w.Fail(ctx, err, w.operation(verb)) })
	if done {
		w.finish(ctx, now, true)
	}
}

// steps lists what takes the account from state to plan, in order.
func (w *work) steps() []step {
	plan, state := w.Plan, w.State
	id := state.ID.ValueString()
	var all []step
	if plan.Status.ValueString() == statusActive && state.Status.ValueString() != statusActive {
		all = append(all, w.transition("reactivate", id, statusActive, w.Client.ReactivateBillingAccount))
	}
	body := plan.body(state)
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
	w.State, _ = w.State.after(response, w.own, w.Diags)
	w.Save(ctx, w.State.ID, w.State)
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
	state, _ := w.Plan.after(last, w.next, w.Diags)
	if differences := settle.Onto(ctx, &w.Plan, &state); done {
		settle.Warn(differences, state.displayName(), w.Config.named(), w.Diags)
	}
	w.Save(ctx, state.ID, state)
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	client, id := w.Client, w.State.ID.ValueString()
	if w.State.DeletionPolicy.ValueString() == object.PolicyDelete {
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

// isClosed reports whether the account is closed or gone by now.
func isClosed(ctx context.Context, client *billing.Service, id string) bool {
	account, err := client.GetBillingAccount(ctx, id)
	return api.IsNotFound(err) || err == nil && account.Status == statusClosed
}

// operation describes an operation on the account for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments}
}

// operation describes an operation on the account as it is now.
func (w *work) operation(verb string) apidiag.Operation { return operation(verb, w.State).Of(w.Plan) }
