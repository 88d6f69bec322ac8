// Package billingaccount implements billing accounts of the recurring-billing service: the resource, the data sources
// and the list resource.
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
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const argCustomerID = "customer_id"

var scheme = object.Scheme[*billing.Service, billing.BillingAccount]{
	TypeName: typeName, Noun: "billing account", Key: "external_id",
	Texts:      []string{"external_id", "billing_email", "status_reason", "custom_metadata"},
	Service:    conn.Billing,
	ID:         func(a *billing.BillingAccount) string { return a.ID },
	MoreKeys:   []string{argCustomerID},
	Get:        (*billing.Service).GetBillingAccount,
	Refresh:    (*billing.Service).RefreshBillingAccount,
	Wrote:      (*billing.Service).Wrote,
	Recreation: "creates a new account with a new id; subscriptions of the old one do not move",
	Find:       find,
	Summary: func(a *billing.BillingAccount) string {
		return fmt.Sprintf("%s  %s (created %s)", a.ID, a.Status, a.CreatedAt)
	},
	CheckFound: func(_ context.Context, _ *billing.Service, a *billing.BillingAccount, _ object.Selector,
		diags *diag.Diagnostics) {
		if a.Status == statusClosed {
			diags.AddError(fmt.Sprintf("Billing account %s is closed", a.ID), "A closed account cannot be managed. Remove the "+
				"import and create a new account.")
		}
	},
}

// ofCustomer is the key under which the creation of a customer records its account, see run.Created.
const ofCustomer = "billing_account of billing_customer"

// find lists the open accounts of a customer, or the accounts with the external_id. If the list omits the customer, a
// single match is read by its id.
func find(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.BillingAccount, error) {
	if by.Field == argCustomerID {
		return client.OpenAccounts(ctx, by.Value)
	}
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
	return &Resource{base{Scheme: scheme, Requirements: model.requirements, Unmet: unmet}}
}

// Create creates the account and saves it to the state immediately. Then it suspends it if planned; a failure of that
// step is a warning.
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
	// Unset arguments are omitted, so that the service's defaults apply.
	body, adopted := w.Config.body(model{}), false
	body.CustomMetadata = value.ChangedMetadata(desired)
	if !w.Do(ctx, step{Verb: "create", ErrorAttributes: customerErrors,
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
			"The response to the creation was lost. A lookup found the created account.")
	}
	customer, id := w.State.CustomerID.ValueString(), w.State.ID.ValueString()
	if first := r.Run().Created(ofCustomer, customer); first != "" && !same.ID(first, id) {
		w.Diags.AddAttributeWarning(path.Root(argCustomerID), fmt.Sprintf("Customer %s now has two billing accounts",
			customer), fmt.Sprintf("This apply has created the customer with the account %s, and then the %s. If the "+
			"customer should have one, remove this resource and apply, or keep it and close the account %[1]s. For the next "+
			"customer, set create_billing_account = false, or use its billing_account_id and write no billing_account.", first,
			w.State.displayName()))
	}
	if w.Diags.HasError() {
		return
	}
	if w.Plan.Status.Equal(types.StringValue(statusSuspended)) {
		w.Do(ctx, suspend(w))
	}
	w.Finish(ctx)
}

// after returns write.After; own is the current ownership.
func after(own *ownership, diags *diag.Diagnostics) func(*billing.BillingAccount, model) model {
	return func(response *billing.BillingAccount, prior model) model {
		return prior.after(response, *own, diags)
	}
}

// Read refreshes the state. A closed account counts as gone, because it cannot be reopened.
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
		g.Gone(ctx, "was closed", "")
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
		"Terraform", fmt.Sprintf("It was suspended at %s (reason: %s) and rejects new subscriptions. To reactivate it, set "+
		"status = \"active\"; to keep it suspended, set status = \"suspended\". If status is unset, it does not change.",
		cmp.Or(m.SuspendedAt.ValueString(), "an unknown time"), cmp.Or(m.SuspensionReason.ValueString(), "none given")))
}

// read returns the state m after a refresh, or the whole account if it is being imported.
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

var statusErrors = object.ErrorAttributes{Argument: "status", Fields: map[string]string{"reason": "status_reason"}}

var customerErrors = object.ErrorAttributes{Fields: map[string]string{"customer": "customer_id",
	"customer.id": "customer_id"}}

var customMetadata = object.CustomMetadataOf[*billing.Service, billing.BillingAccount, billing.AccountBody]{
	Get: (*billing.Service).GetBillingAccount, Update: (*billing.Service).UpdateBillingAccount,
	Of: func(a *billing.BillingAccount) json.RawMessage { return a.CustomMetadata },
	Put: func(body *billing.AccountBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update reactivates the account first, then changes fields, then suspends it, so that it is active during the changes.
//
// It sends only values of the plan, because the configuration of an apply does not respect ignore_changes. Decisions
// about ownership are in the private state.
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
	done := w.Do(ctx, object.MetadataStep(customMetadata, w.Client, state.ID, plan.body(state),
		object.MetadataChangeOf(state.Attributes, plan.Attributes, own.Metadata, next.Metadata)))
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

// transition changes the status of the account. If the API rejects that because the account already has the status, it
// succeeds.
func transition(w *write, verb, status string,
	send func(ctx context.Context, id, reason string) (*billing.BillingAccount, error)) step {
	id := w.State.ID.ValueString()
	return step{Verb: verb, ErrorAttributes: statusErrors, Send: func(ctx context.Context) (
		*billing.BillingAccount, error) {
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

// Delete applies deletion_policy.
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

// closeAccount closes an account, unless it is already closed or gone.
func closeAccount(ctx context.Context, client *billing.Service, id, reason string) error {
	account, err := client.GetBillingAccount(ctx, id)
	if err == nil && account.Status != statusClosed {
		_, err = client.CloseBillingAccount(ctx, id, reason)
		// The same run may delete the customer concurrently, which closes its accounts.
		if err != nil && isClosed(ctx, client, id) {
			err = nil
		}
	}
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

func isClosed(ctx context.Context, client *billing.Service, id string) bool {
	account, err := client.GetBillingAccount(ctx, id)
	return api.IsNotFound(err) || err == nil && account.Status == statusClosed
}
