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
	r := &Resource{base{Scheme: scheme, Requirements: model.requirements, Unmet: unmet}}
	r.Refresh = r.Read
	return r
}

// Create creates the account and saves it to the state immediately. Then it suspends it if planned; a failure of that
// step is a warning.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	op, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	desired, ok := r.Defaults().Under(op.Plan.CustomMetadata, op.Diags)
	if !ok {
		return
	}
	body := op.Config.body(model{})
	body.CustomMetadata = value.ChangedMetadata(desired)
	created, err := op.Client.CreateBillingAccount(ctx, body)
	if op.Failed(ctx, "create", customerErrors.On(err)) {
		return
	}
	own := ownership{desired}
	convert := func(a *billing.BillingAccount) model {
		state := op.Plan.keep(a, own, op.Diags)
		state.PaymentTermsDays = value.OrPlanned(state.PaymentTermsDays, op.Plan.PaymentTermsDays)
		state.AutoCollection = value.OrPlanned(state.AutoCollection, op.Plan.AutoCollection)
		state.Status = value.OrPlanned(state.Status, op.Plan.Status)
		return state
	}
	last := &created.BillingAccount
	// Saved before the next request: an account that the state lacks would be created again by the next apply.
	op.Save(ctx, convert(last))
	private.SetOwned(ctx, op.Private, own, op.Diags)
	if created.Adopted {
		op.Diags.AddWarning(fmt.Sprintf("Found %s instead of creating it twice", op.State.displayName()),
			"The response to the creation was lost. A lookup found the created account.")
	}
	customer, id := op.State.CustomerID.ValueString(), op.State.ID.ValueString()
	if first := r.Run().Created(ofCustomer, customer); first != "" && !same.ID(first, id) {
		op.Diags.AddAttributeWarning(path.Root(argCustomerID), fmt.Sprintf("Customer %s now has two billing accounts",
			customer), fmt.Sprintf("This apply has created the customer with the account %s, and then the %s. If the "+
			"customer should have one, remove this resource and apply, or close the account %[1]s. For the next customer, set "+
			"create_billing_account = false, or write no billing_account.", first, op.State.displayName()))
	}
	if op.Diags.HasError() {
		return
	}
	if op.Plan.Status.Equal(types.StringValue(statusSuspended)) {
		if suspended, err := setStatus(ctx, op, statusSuspended); !op.Failed(ctx, "suspend", err) {
			last = suspended
		}
	}
	op.Finish(ctx, last, convert)
}

// Read refreshes the state. A closed account counts as gone, because it cannot be reopened.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	own := private.Owned[ownership](ctx, op.Private, op.Diags)
	account, state, ok := op.Get(ctx, func(a *billing.BillingAccount) model {
		if op.Importing {
			return imported(a, op.Diags)
		}
		return op.State.keep(a, own, op.Diags)
	})
	switch {
	case !ok:
		return
	case account.Status == statusClosed:
		op.Gone(ctx, "was closed", "")
		return
	case !op.Importing:
		state.warnSuspended(op.State, op.Diags)
	}
	op.Save(ctx, state)
}

// warnSuspended warns when a refresh first sees that another system has suspended the account.
func (m model) warnSuspended(prior model, diags *diag.Diagnostics) {
	if m.Status.ValueString() != statusSuspended || prior.Status.Equal(m.Status) {
		return
	}
	why := ""
	if m.SuspensionReason.ValueString() != "" { // a free text, which no message quotes
		why = " (suspension_reason says why)"
	}
	diags.AddAttributeWarning(path.Root("status"), apidiag.Capitalize(m.displayName())+" was suspended outside of "+
		"Terraform", fmt.Sprintf("It was suspended at %s%s and rejects new subscriptions. To reactivate it, set status = "+
		"\"active\"; to keep it suspended, set status = \"suspended\". If status is unset, it does not change.",
		cmp.Or(m.SuspendedAt.ValueString(), "an unknown time"), why))
}

// imported returns the state after an import: the whole account.
func imported(a *billing.BillingAccount, diags *diag.Diagnostics) model {
	m, err := fromAPI(a)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	m.CustomMetadata = m.CustomMetadata.OrEmpty()
	return m
}

type operation = object.Op[*billing.Service, billing.BillingAccount, model]

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
	op, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, op.Private, op.Diags)
	next := private.Planned[ownership](ctx, op.Private, op.Diags)
	if !ok || op.Diags.HasError() {
		return
	}
	plan, state := op.Plan, op.State
	becomes := func(status string) bool {
		return plan.Status.ValueString() == status && state.Status.ValueString() != status
	}
	var last *billing.BillingAccount
	if becomes(statusActive) {
		active, err := setStatus(ctx, op, statusActive)
		if op.Failed(ctx, "reactivate", err) {
			return
		}
		last = active
		op.Save(ctx, op.State.keep(last, own, op.Diags))
	}
	updated, err := customMetadata.Send(ctx, op.Client, state.ID, plan.body(state),
		object.MetadataChangeOf(state.Attributes, plan.Attributes, own.Metadata, next.Metadata))
	if updated != nil { // also after the first of two requests
		last = updated
		op.Save(ctx, op.State.keep(last, own, op.Diags))
	}
	if updated != nil || err == nil {
		private.SetOwned(ctx, op.Private, next, op.Diags)
	}
	if op.Failed(ctx, "update", err) {
		return
	}
	if becomes(statusSuspended) {
		suspended, err := setStatus(ctx, op, statusSuspended)
		if op.Failed(ctx, "suspend", err) {
			return
		}
		last = suspended
	}
	op.Finish(ctx, last, func(a *billing.BillingAccount) model { return plan.keep(a, next, op.Diags) })
}

// setStatus activates or suspends the account. If the API rejects that because the account already has the status, it
// succeeds.
func setStatus(ctx context.Context, op *operation, status string) (*billing.BillingAccount, error) {
	id, send := op.State.ID.ValueString(), op.Client.SuspendBillingAccount
	if status == statusActive {
		send = op.Client.ReactivateBillingAccount
	}
	account, err := send(ctx, id, op.Plan.StatusReason.ValueString())
	if err == nil {
		return account, nil
	}
	if now, lookErr := op.Client.GetBillingAccount(ctx, id); lookErr == nil && now.Status == status {
		return now, nil
	}
	return nil, statusErrors.On(err)
}

// Delete applies deletion_policy.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	op, ok := r.BeginDelete(ctx, req, resp, nil)
	id := op.State.ID.ValueString()
	switch {
	case !ok:
	case op.State.DeletionPolicy.ValueString() == object.PolicyDelete:
		op.Failed(ctx, "delete", op.Client.DeleteBillingAccount(ctx, id))
	default:
		op.Failed(ctx, "close", closeAccount(ctx, op.Client, id, op.State.StatusReason.ValueString()))
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
