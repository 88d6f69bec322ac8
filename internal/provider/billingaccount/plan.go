package billingaccount

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// customerTypeName is the resource type of customers.
const customerTypeName = "billing_customer"

// ModifyPlan decides the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, planDestroy, r.planCreate, r.planUpdate)
}

// planDestroy reports an open balance: closing is final.
func planDestroy(_ context.Context, p *object.Plan[model]) {
	if balance := p.State.balance(); balance != "" && p.State.DeletionPolicy.ValueString() == policyClose {
		p.Diags.AddWarning(fmt.Sprintf("%s is closed%s", apidiag.Capitalize(p.State.displayName()), balance),
			"This is the balance of the last refresh, and closing is final. To keep the account open, set "+
				"deletion_policy = \"abandon\" and apply that first.")
	}
}

// planCreate plans an account that does not exist, or the new one of a replacement.
func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	p.Planned.EffectiveCustomMetadata = r.Defaults().Effective(p.Config.CustomMetadata)
}

// needs are what a new account needs.
func (m model) needs() []object.Need {
	return []object.Need{{Argument: "customer_id", Value: m.CustomerID.ValueString()}}
}

// lacks says why the service would not create an account.
func lacks(ctx context.Context, client *billing.Service, need object.Need) (string, error) {
	_, err := client.GetCustomer(ctx, need.Value)
	if api.IsNotFound(err) {
		return "No customer has this id. Correct it, or check the token: ids differ between organizations and " +
			"environments.", nil
	}
	return "", err
}

// plannedCreate leaves to apply what only the service can say. The defaults that it documents are known, and that an
// account which is not suspended has no date and no reason of it.
func (m model) plannedCreate(config model) model {
	m.CustomMetadata = config.CustomMetadata
	if config.PaymentTermsDays.IsNull() {
		m.PaymentTermsDays = types.Int64Value(value.DefaultPaymentTerms)
	}
	if config.AutoCollection.IsNull() {
		m.AutoCollection = types.BoolValue(true)
	}
	if config.Status.IsNull() {
		m.Status = types.StringValue(statusActive)
	}
	if m.Status.ValueString() == statusActive {
		m.SuspendedAt, m.SuspensionReason = types.StringNull(), types.StringNull()
	}
	return m
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	own := private.Owned[ownership](ctx, p.Private, p.Diags)
	imports := object.Imports(ctx, p.Private, p.Diags)
	if p.Diags.HasError() {
		return
	}
	state, id := p.State, p.State.ID.ValueString()
	var next ownership
	p.Planned, next = p.Planned.plannedUpdate(p.Config, state, own, r.Defaults(), p.Diags)
	before := state.CustomerID.ValueString()
	if p.Planned.CustomerID.IsUnknown() && p.Run.Removes(customerTypeName, before) {
		p.Diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("This plan removes the customer of %s",
			state.displayName()), fmt.Sprintf("It belongs to the customer %q, which the plan removes, and the customer that it "+
			"would move to is only known after apply. If the customer was renamed or moved, add a moved block from the old "+
			"address. To have another customer, create that first; then move the account, which replaces it; then remove "+
			"the old one.", before))
		return
	}
	var at path.Paths
	if p.Planned.moves(state, p.Run) {
		at = path.Paths{path.Root("customer_id")}
	}
	if at != nil && imports {
		p.Diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("The imported %s belongs to another customer",
			state.displayName()), fmt.Sprintf("It belongs to customer %q, and an import never replaces an account. Write "+
			"customer_id = %[1]q, or import the account that you mean. Once the import is applied, another customer_id "+
			"replaces the account.", state.CustomerID.ValueString()))
		return
	}
	if replaced := p.Update(ctx, id, at...); at != nil && !replaced {
		p.Diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("The customer of %s is another one than planned",
			state.displayName()), fmt.Sprintf("The account belongs to customer %q. When the plan was made, customer_id was not "+
			"known; it has turned out to be %q, and only a new account can belong to that customer. Nothing was sent. Plan "+
			"again: the plan then shows the replacement.", state.CustomerID.ValueString(), p.Planned.CustomerID.ValueString()))
		return
	}
	if code := state.ExternalID; at != nil && state.Policy().Abandons() && !code.IsNull() &&
		code.Equal(p.Planned.ExternalID) {
		p.Diags.AddAttributeError(path.Root("external_id"), fmt.Sprintf("%s keeps its external_id, so no new account can "+
			"have it", apidiag.Capitalize(state.displayName())), fmt.Sprintf("The other customer_id needs a new account, and the "+
			"old one stays at the service, as it was applied with deletion_policy = %q. Give the new one another external_id, "+
			"or set deletion_policy = %q and apply that first.", object.PolicyAbandon, policyClose))
		return
	}
	if p.Planned.Status.ValueString() == statusSuspended {
		p.Run.Bars(typeName, id)
	}
	private.SetPlanned(ctx, p.Private, next, p.Diags)
}

// moves reports whether only a new account can have the planned customer. One that is only known after apply may be the
// same, unless the same run replaces the customer.
func (m model) moves(state model, record *run.Run) bool {
	before := state.CustomerID.ValueString()
	if m.CustomerID.IsUnknown() {
		return record.Replaces(customerTypeName, before)
	}
	return before != "" && !m.CustomerID.Equal(state.CustomerID)
}

// plannedUpdate makes unknown only what this change can touch; the schema keeps the other computed values:
//
//	any change at the service   updated_at
//	status                      suspended_at, suspension_reason
//
// The second result is what the configuration owns once the plan is applied.
func (m model) plannedUpdate(config, state model, own ownership, defaults metadata.Defaults,
	diags *diag.Diagnostics) (model, ownership) {
	var next ownership
	m.CustomMetadata, m.EffectiveCustomMetadata, next.Metadata = own.Metadata.Plan(metadata.Planning{
		Config: config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: defaults, Object: state.displayName()}, diags)
	changesStatus := !m.Status.Equal(state.Status)
	if changesStatus {
		m.SuspendedAt, m.SuspensionReason = types.StringUnknown(), types.StringUnknown()
	}
	if changesStatus || !m.body(state).IsEmpty() || !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) {
		m.UpdatedAt = types.StringUnknown()
	}
	return m, next
}

// ownership is what the configuration owned of the account when it was last applied, see private.Owned.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
}
