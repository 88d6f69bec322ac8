// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and
// the list resource.
package billingaccount

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// scheme is how billing accounts are named and found.
var scheme = object.Scheme[*billing.Service, billing.BillingAccount]{
	TypeName: typeName, Noun: "billing account", Key: "external_id",
	Service: conn.Billing,
	ID:      func(a *billing.BillingAccount) string { return a.ID },
	Get:     (*billing.Service).GetBillingAccount,
	Listed:  (*billing.Service).RefreshBillingAccount,
	Wrote:   (*billing.Service).Wrote,
	Again:   "creates a new account with a new id; subscriptions of the old one do not move",
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
func NewResource() resource.Resource {
	return &Resource{base{Scheme: scheme, Needs: model.needs, Lacks: lacks}}
}

// Create creates the account as planned and writes it to the state before anything else is done. A suspension follows:
// if it fails, that is a warning.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	w, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	desired, ok := r.Defaults().Under(w.Plan.CustomMetadata, w.Diags)
	if !ok {
		return
	}
	own := ownership{desired}
	show := after(&own, w.Diags)
	w.After = func(response *billing.BillingAccount, prior model) model {
		return show(response, prior).orPlanned(w.Plan)
	}
	// What is not configured is left out, so that the service's own defaults hold.
	body, adopted := w.Config.body(model{}), false
	body.CustomMetadata = value.ChangedMetadata(desired)
	if !w.Do(ctx, step{Verb: "create", Blame: blameCustomer,
		Send: func(ctx context.Context) (*billing.BillingAccount, error) {
			created, err := w.Client.CreateBillingAccount(ctx, body)
			if err != nil {
				return nil, err
			}
			adopted = created.Adopted
			return &created.BillingAccount, nil
		}}) {
		return
	}
	private.SetOwned(ctx, w.Private, own, w.Diags)
	if adopted {
		w.Diags.AddWarning(fmt.Sprintf("Found %s instead of creating it twice", w.State.displayName()),
			"The response to the creation was lost. A lookup found the account that it had created.")
	}
	if w.Diags.HasError() {
		return
	}
	if w.Plan.Status.Equal(types.StringValue(statusSuspended)) {
		w.Do(ctx, suspend(w))
	}
	w.Finish(ctx)
}

// after shows a response as write.After does; own is what the configuration owns so far.
func after(own *ownership, diags *diag.Diagnostics) func(*billing.BillingAccount, model) model {
	return func(response *billing.BillingAccount, prior model) model {
		return prior.after(response, *own, diags)
	}
}

// Read refreshes the state. A closed account is final, so it counts as gone.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	g, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	own := private.Owned[ownership](ctx, g.Private, g.Diags)
	g.After = func(a *billing.BillingAccount, prior model) model { return prior.read(a, own, g.Importing, g.Diags) }
	switch {
	case !g.Get(ctx):
		return
	case g.Last.Status == statusClosed:
		g.Gone(ctx, "was closed, which is final,", "")
		return
	case !g.Importing:
		g.State.warnSuspended(g.Prior, g.Diags)
	}
	g.Save(ctx)
}

// warnSuspended warns when a refresh first sees that another system has suspended the account.
func (m model) warnSuspended(prior model, diags *diag.Diagnostics) {
	if m.Status.ValueString() != statusSuspended || prior.Status.Equal(m.Status) {
		return
	}
	diags.AddAttributeWarning(path.Root("status"), apidiag.Capitalize(m.displayName())+" was suspended outside of "+
		"Terraform", fmt.Sprintf("It was suspended at %s (reason: %s). It takes no new subscription. To reactivate it, write status = "+
		"\"active\"; to keep it so, status = \"suspended\". If status is not configured, it stays as it is.",
		cmp.Or(m.SuspendedAt.ValueString(), "an unknown time"), cmp.Or(m.SuspensionReason.ValueString(), "none given")))
}

// read is the state m after a refresh, or the whole account where it is imported.
func (m model) read(account *billing.BillingAccount, own ownership, importing bool,
	diags *diag.Diagnostics) model {
	if !importing {
		return m.after(account, own, diags)
	}
	whole, err := fromAPI(account)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	whole.CustomMetadata = whole.CustomMetadata.OrEmpty()
	return whole
}

type (
	write = object.Write[*billing.Service, billing.BillingAccount, model]
	step  = object.Step[billing.BillingAccount]
)

// blameStatus is for the operations that change the status.
var blameStatus = object.Blame{Argument: "status", Fields: map[string]string{"reason": "status_reason"}}

// blameCustomer is for the creation, which refers to the customer in an object.
var blameCustomer = object.Blame{Fields: map[string]string{"customer": "customer_id", "customer.id": "customer_id"}}

// customMetadata reads and writes custom_metadata.
var customMetadata = object.CustomMetadataOf[*billing.Service, billing.BillingAccount, billing.AccountBody]{
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
	w, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, w.Private, w.Diags)
	next := private.Planned[ownership](ctx, w.Private, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	w.After = after(&own, w.Diags)
	plan, state := w.Plan, w.State
	becomes := func(status string) bool {
		return plan.Status.ValueString() == status && state.Status.ValueString() != status
	}
	if becomes(statusActive) && !w.Do(ctx, transition(w, "reactivate", statusActive, w.Client.ReactivateBillingAccount)) {
		return
	}
	reactivated := w.Last
	done := w.Do(ctx, object.MetadataStep(customMetadata, w.Client, state.ID, plan.body(state), object.MetadataChange{
		From: state.EffectiveCustomMetadata, To: plan.EffectiveCustomMetadata,
		Owner: own.Metadata.Under(plan.CustomMetadataMode), Desired: next.Metadata.Object}))
	if done || w.Last != reactivated { // also after the first of two requests
		own = next
		private.SetOwned(ctx, w.Private, next, w.Diags)
	}
	if !done {
		return
	}
	if becomes(statusSuspended) && !w.Do(ctx, suspend(w)) {
		return
	}
	private.SetOwned(ctx, w.Private, next, w.Diags)
	w.Finish(ctx)
}

func suspend(w *write) step {
	return transition(w, "suspend", statusSuspended, w.Client.SuspendBillingAccount)
}

// transition takes the account to a status. Where the API rejects that because another user has done it since the plan,
// it is done.
func transition(w *write, verb, status string,
	send func(ctx context.Context, id, reason string) (*billing.BillingAccount, error)) step {
	id := w.State.ID.ValueString()
	return step{Verb: verb, Blame: blameStatus, Send: func(ctx context.Context) (*billing.BillingAccount, error) {
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

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	switch {
	case !ok:
	case w.State.DeletionPolicy.ValueString() == object.PolicyDelete:
		w.Do(ctx, object.Delete[billing.BillingAccount](w.State.ID, w.Client.DeleteBillingAccount))
	default:
		w.Do(ctx, step{Verb: "close", Send: func(ctx context.Context) (*billing.BillingAccount, error) {
			return nil, closeAccount(ctx, w.Client, w.State.ID.ValueString(), w.State.StatusReason.ValueString())
		}})
	}
}

// closeAccount closes an account that is neither closed nor gone.
func closeAccount(ctx context.Context, client *billing.Service, id, reason string) error {
	account, err := client.GetBillingAccount(ctx, id)
	if err == nil && account.Status != statusClosed {
		_, err = client.CloseBillingAccount(ctx, id, reason)
		// The customer, which the same run may delete without waiting for this account, closes its accounts.
		if err != nil && isClosed(ctx, client, id) {
			err = nil
		}
	}
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

// isClosed reports whether the account is closed or gone by now.
func isClosed(ctx context.Context, client *billing.Service, id string) bool {
	account, err := client.GetBillingAccount(ctx, id)
	return api.IsNotFound(err) || err == nil && account.Status == statusClosed
}
