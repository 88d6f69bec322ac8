package billingaccount

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const customerTypeName = "billing_customer"

// ModifyPlan plans every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.warnBalance, r.planCreate, r.planUpdate)
}

// warnBalance reports the balance of an account that a plan ends. It reads the account: Terraform plans the removal of
// a block before it refreshes the object.
func (r *Resource) warnBalance(ctx context.Context, p *object.Plan[model]) {
	client, ends := r.Ending(p)
	if !ends {
		return
	}
	balance := client.OpenBalance(ctx, p.State.ID.ValueString())
	if balance == "" {
		return
	}
	verb := "closed"
	if p.State.DeletionPolicy.ValueString() == object.PolicyDelete {
		verb = "deleted"
	}
	p.Diags.AddWarning(fmt.Sprintf("%s is %s with a balance of %s", apidiag.Capitalize(p.State.displayName()), verb,
		balance), "This is final, and subscriptions that run on it stay. To keep the account open, set "+
		"deletion_policy = \"abandon\" and apply that first.")
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	p.Planned.EffectiveCustomMetadata = r.Defaults().Effective(p.Config.CustomMetadata)
	r.warnSecond(ctx, p)
}

// warnSecond warns about open accounts of the same customer, who usually has one: the one that came with it.
func (r *Resource) warnSecond(ctx context.Context, p *object.Plan[model]) {
	client, ready := r.Client()
	customer := p.Planned.CustomerID.ValueString()
	if !ready || customer == "" {
		return
	}
	r.WarnDuplicates(ctx, p, object.Duplicates[billing.BillingAccount]{
		At: path.Root(argCustomerID), What: "billing account of customer " + customer,
		List: func(ctx context.Context) iter.Seq2[billing.BillingAccount, error] {
			return client.ListBillingAccounts(ctx, billing.BillingAccountQuery{})
		},
		Filtered: func(ctx context.Context) iter.Seq2[billing.BillingAccount, error] {
			return client.ListWholeAccounts(ctx, billing.BillingAccountQuery{CustomerID: customer})
		},
		Same: func(a billing.BillingAccount) bool {
			return a.Status != statusClosed && a.Customer != nil && same.ID(a.Customer.ID, customer)
		},
		Rather: func(a billing.BillingAccount) bool {
			return api.OrEmpty(a.ExternalID) == p.Planned.ExternalID.ValueString()
		},
		Summary: func(a billing.BillingAccount) string {
			return fmt.Sprintf("%s (created %s, last changed %s)", a.Status, a.CreatedAt, a.UpdatedAt)
		},
	})
}

func (m model) requirements() []object.Requirement {
	return []object.Requirement{{Argument: "customer_id", Value: m.CustomerID.ValueString()}}
}

func unmet(ctx context.Context, client *billing.Service, requirement object.Requirement) (string, error) {
	_, err := client.GetCustomer(ctx, requirement.Value)
	if api.IsNotFound(err) {
		return "No customer has this id. Correct it, or check the token: ids differ between organizations and " +
			"environments.", nil
	}
	return "", err
}

// plannedCreate plans a creation. The documented defaults are known, and the date and reason of a suspension are null
// for an account that is not suspended; other computed values are unknown.
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
			state.displayName()), fmt.Sprintf("It belongs to the customer %q, and its new customer is known only after "+
			"apply. If the customer was renamed or moved, add a moved block from the old address. To use another customer, "+
			"first create it; then change customer_id, which replaces the account; then remove the old one.", before))
		return
	}
	var at path.Paths
	if p.Planned.moves(state, p.Run) {
		at = path.Paths{path.Root("customer_id")}
	}
	if at != nil && imports {
		p.Diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("The imported %s belongs to another customer",
			state.displayName()), fmt.Sprintf("It belongs to customer %q, but an import never replaces an account. Write "+
			"customer_id = %[1]q, or import the account that you mean. After the import is applied, changing customer_id "+
			"replaces the account.", state.CustomerID.ValueString()))
		return
	}
	if replaced := p.Update(ctx, at...); at != nil && !replaced {
		p.Diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("The customer of %s differs from the plan",
			state.displayName()), fmt.Sprintf("The account belongs to customer %q. In the plan, customer_id was unknown; it "+
			"turned out to be %q, which requires a new account. Nothing was sent. Plan again: the new plan shows the "+
			"replacement.", state.CustomerID.ValueString(), p.Planned.CustomerID.ValueString()))
		return
	}
	if at != nil {
		r.warnBalance(ctx, p)
	}
	if code := state.ExternalID; at != nil && state.Policy().Abandons() && !code.IsNull() &&
		code.Equal(p.Planned.ExternalID) {
		p.Diags.AddAttributeError(path.Root("external_id"), fmt.Sprintf("%s keeps its external_id, so no new account can "+
			"have it", apidiag.Capitalize(state.displayName())), fmt.Sprintf("The new customer_id requires a new account, but "+
			"the old one stays at the service, because it was applied with deletion_policy = %q. Use another external_id for "+
			"the new one, or set deletion_policy = %q and apply that first.", object.PolicyAbandon, policyClose))
		return
	}
	if p.Planned.Status.ValueString() == statusSuspended {
		p.Run.MarkUnusable(typeName, id)
	}
	private.SetPlanned(ctx, p.Private, next, p.Diags)
}

// moves reports whether the planned customer requires a new account. An unknown customer may be the same, unless the
// same run replaces the customer.
func (m model) moves(state model, record *run.Run) bool {
	before := state.CustomerID.ValueString()
	if m.CustomerID.IsUnknown() {
		return record.Replaces(customerTypeName, before)
	}
	return before != "" && !m.CustomerID.Equal(state.CustomerID)
}

// plannedUpdate marks only those values unknown that this change may affect; the schema keeps the other computed
// values:
//
//	any change at the service   updated_at
//	status                      suspended_at, suspension_reason
//
// The second result is the ownership after the apply.
func (m model) plannedUpdate(config, state model, own ownership, defaults metadata.Defaults,
	diags *diag.Diagnostics) (model, ownership) {
	next := ownership{Metadata: m.Plan(config.Attributes, state.Attributes, own.Metadata, defaults, state.displayName(),
		diags)}
	changesStatus := !m.Status.Equal(state.Status)
	if changesStatus {
		m.SuspendedAt, m.SuspensionReason = types.StringUnknown(), types.StringUnknown()
	}
	if changesStatus || !m.body(state).IsEmpty() || !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) {
		m.UpdatedAt = types.StringUnknown()
	}
	return m, next
}

// ownership is the part of the account that the configuration owned when it was last applied, see private.Owned.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
}
