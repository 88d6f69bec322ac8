// Package customer is the customer of the recurring-billing service: the resource, the data sources and the list resource.
//
// schema.go says what a user writes, model.go and payload.go convert, pair.go knows how email and emails belong together, plan.go
// decides what a plan shows, resource.go, update.go and import.go talk to the service.
package customer

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Resource is billing_customer.
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

// ValidateConfig refuses arguments for a billing account that is not to be opened.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !config.CreateBillingAccount.Equal(types.BoolValue(false)) {
		return
	}
	for name, given := range map[string]bool{
		"billing_email":      !config.BillingEmail.IsNull(),
		"payment_terms_days": !config.PaymentTermsDays.IsNull(),
		"auto_collection":    !config.AutoCollection.IsNull(),
	} {
		if given {
			resp.Diagnostics.AddAttributeError(path.Root(name), name+" needs a billing account",
				fmt.Sprintf("%s is an attribute of the billing account that is opened together with the customer, and create_billing_account is false. "+
					"Remove %s, or let the account be opened.", name, name))
		}
	}
}

// Create creates the customer and writes it to the state before anything else is done.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	desired, ok := metadata.Owned{}.Under(plan.CustomMetadataMode, r.Conn.Defaults.Object).DesiredAttribute(config.CustomMetadata, &resp.Diagnostics)
	if !ok {
		return
	}
	r.Run().Applies()
	created, err := client.CreateCustomer(ctx, config.toCreate(desired))
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("create", plan))
		return
	}
	own := ownedBy(config)
	own.Metadata = metadata.OwnedBy(desired)
	state := plan.settledOn(&created.Customer, own, &resp.Diagnostics).withAccount(created.BillingAccount)
	state.CreateBillingAccount = plan.CreateBillingAccount
	settle.Warn(settle.Onto(ctx, &plan, &state), state.words(), config.named(), &resp.Diagnostics)
	save(ctx, state, &resp.State, resp.Identity, &resp.Diagnostics)
	own.write(ctx, resp.Private, &resp.Diagnostics)
	if created.Adopted {
		resp.Diagnostics.AddWarning("Found the customer instead of creating it twice",
			fmt.Sprintf("The answer to the creation of customer %q was lost. A customer with its external_id and the same data exists (id %s), so it was taken over.",
				plan.Name.ValueString(), created.Customer.ID))
	}
	if created.BillingAccount == nil && plan.CreateBillingAccount.ValueBool() {
		resp.Diagnostics.AddAttributeWarning(path.Root("billing_account_id"), "The billing account is not known",
			fmt.Sprintf("Customer %q (id %s) was created, but the service did not say which billing account was opened with it.",
				plan.Name.ValueString(), created.Customer.ID))
	}
}

// Read refreshes the state. Only the service's own not-found drops the customer; a bare 404 of a wrong address is an error.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwnership(ctx, req.Private, &resp.Diagnostics)
	importing := imports.Marked(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	// Also for a customer that turns out to be gone: the framework wants an identity from every refresh, and a state that an older
	// Terraform wrote has none.
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	customer, err := client.GetCustomer(ctx, state.ID.ValueString())
	if api.IsNotFound(err) {
		r.Run().Gone(typeName, state.ID.ValueString())
		resp.Diagnostics.AddWarning("A customer was deleted outside of Terraform",
			fmt.Sprintf("Customer %q (id %s) does not exist any more at the service. If it is still configured, the plan creates it again, as a new customer with a new id.",
				state.Name.ValueString(), state.ID.ValueString()))
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("read", state))
		return
	}
	r.Run().Refreshed(typeName, state.ID.ValueString())
	if importing {
		state = importedState(ctx, client, customer, &resp.Diagnostics)
		imports.Mark(ctx, resp.Private, false, &resp.Diagnostics)
	} else {
		state = state.settledOn(customer, own, &resp.Diagnostics)
	}
	save(ctx, state, &resp.State, resp.Identity, &resp.Diagnostics)
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	policy.Refuse(state.DeletionPolicy, state.words(), wayOut, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || policy.Abandoned(state.DeletionPolicy, state.words(), &resp.Diagnostics) {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	r.Run().Applies()
	if err := client.DeleteCustomer(ctx, state.ID.ValueString()); err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
	}
}

// save writes state and identity.
func save(ctx context.Context, m model, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, m)...)
	scheme.Identify(ctx, m.ID, identity, diags)
}

// settledOn is the state after the service has answered c, where m is what was planned or known before.
func (m model) settledOn(c *billing.Customer, own ownership, diags *diag.Diagnostics) model {
	answered, err := fromAPI(c)
	if err == nil {
		answered, err = answered.keeping(m, c, own)
	}
	if err != nil {
		diags.AddError("Unreadable answer of the service", err.Error())
		return m
	}
	return answered
}

// words names the customer at the beginning of a sentence.
func (m model) words() string {
	words := fmt.Sprintf("Customer %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		words += " (id " + id + ")"
	}
	return words
}

// doing describes an operation on the customer for an error.
func doing(verb string, m model) apidiag.Doing {
	words := m.words()
	return apidiag.Doing{Verb: verb, Object: strings.ToLower(words[:1]) + words[1:], TypeName: typeName, Attributes: arguments}
}
