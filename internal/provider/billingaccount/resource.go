// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and the list resource.
//
// schema.go says what a user writes, model.go and customer.go convert, plan.go decides what a plan shows, resource.go, steps.go and
// read.go talk to the service.
package billingaccount

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
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
