// Package customer is the customer of the recurring-billing service: the resource, the data sources and the list resource.
//
// schema.go says what a user writes, model.go and payload.go convert, pair.go knows how email and emails belong together, plan.go
// decides what a plan shows, resource.go, update.go and read.go talk to the service.
package customer

import (
	"context"
	"encoding/json"
	"fmt"

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
	settle.Warn(settle.Onto(ctx, &plan, &state), state.displayName(), config.named(), &resp.Diagnostics)
	save(ctx, state, &resp.State, resp.Identity, &resp.Diagnostics)
	own.write(ctx, resp.Private, &resp.Diagnostics)
	if created.Adopted {
		resp.Diagnostics.AddWarning("Found the customer instead of creating it twice",
			fmt.Sprintf("The response to the creation of customer %q was lost. A lookup found the customer that it created (id %s).",
				plan.Name.ValueString(), created.Customer.ID))
	}
	if created.BillingAccount == nil && plan.CreateBillingAccount.ValueBool() {
		warnUnknownAccount(state, "was created", created.AccountError, &resp.Diagnostics)
	}
}

// warnUnknownAccount tells that billing_account_id stays null for now.
func warnUnknownAccount(m model, verb string, err error, diags *diag.Diagnostics) {
	reason := "the service does not list one"
	if err != nil {
		reason = "its billing accounts could not be listed: " + apidiag.Text(err)
	}
	diags.AddAttributeWarning(path.Root("billing_account_id"), "The billing account is not known",
		fmt.Sprintf("%s %s, but it is not known which billing account was opened with it, so billing_account_id is null for now. Each plan and refresh looks "+
			"for the account again. Reason: %s", apidiag.Capitalize(m.displayName()), verb, reason))
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete(ctx, typeName, r.Conn.Billing, r.Run(), req, resp, model.stays)
	if !ok {
		return
	}
	if err := client.DeleteCustomer(ctx, state.ID.ValueString()); err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
	}
}

// stays reports that destroying the customer sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	return policy.Stays(m.DeletionPolicy, m.displayName(), wayOut, diags)
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
		apidiag.Unreadable(diags, err)
		return m
	}
	return answered
}

// displayName names the customer inside a sentence.
func (m model) displayName() string {
	words := fmt.Sprintf("customer %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		words += " (id " + id + ")"
	}
	return words
}

// doing describes an operation on the customer for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), TypeName: typeName, Attributes: arguments}
}

// Update sends what the plan shows as changing, in one request where the service can do it in one. What only this provider knows
// (deletion_policy, custom_metadata_mode) changes without any request.
//
// What it sends comes from the plan alone: at apply the configuration does not respect ignore_changes. What the plan decided about
// ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwnership(ctx, req.Private, &resp.Diagnostics)
	after := private.Planned[ownership](ctx, req.Private, &resp.Diagnostics).within(ownedBy(config))
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	owner := own.Metadata.Under(plan.CustomMetadataMode, nil)
	answer, err := update(ctx, client, plan.owning(after), state.owning(after), owner, after.Metadata.Object)
	switch {
	case err != nil && answer == nil:
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		return
	case err != nil:
		// The first step has happened: the state says what the service has, not what was planned.
		apidiag.Add(&resp.Diagnostics, err, doing("update", state))
		plan = plan.settledOn(answer, after, &resp.Diagnostics)
	case answer != nil:
		settled := plan.settledOn(answer, after, &resp.Diagnostics)
		settle.Warn(settle.Onto(ctx, &plan, &settled), settled.displayName(), config.named(), &resp.Diagnostics)
		plan = settled
	}
	save(ctx, plan, &resp.State, resp.Identity, &resp.Diagnostics)
	after.write(ctx, resp.Private, &resp.Diagnostics)
}

// update takes the customer from state to plan, custom_metadata included, and answers it as it is afterwards, or nil when nothing was
// sent. An error beside an answer means that a first step has happened and a second one has not.
func update(ctx context.Context, client *billing.Service, plan, state model, owner metadata.Ownership, desired metadata.Object) (*billing.Customer, error) {
	id, body := state.ID.ValueString(), plan.toUpdate(state)
	if plan.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) {
		if body.IsEmpty() {
			return nil, nil
		}
		return client.UpdateCustomer(ctx, id, body)
	}
	sync := metadata.Sync[billing.Customer]{
		Ownership: owner, Desired: desired,
		Read: func(ctx context.Context) (*billing.Customer, error) { return client.GetCustomer(ctx, id) },
		Of:   func(c *billing.Customer) json.RawMessage { return c.CustomMetadata },
		Send: func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Customer, error) {
			return client.UpdateCustomer(ctx, id, billing.CustomerUpdate{CustomMetadata: api.Set(payload), CustomMetadataMode: api.Set(mode)})
		},
	}
	return sync.Update(ctx, state.EffectiveCustomMetadata.ValueString(), func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Customer, error) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
		return client.UpdateCustomer(ctx, id, body)
	})
}
