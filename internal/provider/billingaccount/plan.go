package billingaccount

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// waysOut are the policies that let an account go.
const waysOut = `"close" or "delete"`

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and state mean the
// same. What cannot change stays known.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var p planning
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		policy.Refuse(p.state.DeletionPolicy, p.state.words(), waysOut, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		p.planned.CustomMetadata = p.config.CustomMetadata
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
		return
	}
	p.own = readOwned(ctx, req.Private, &resp.Diagnostics)
	p.facts = private.Get[facts](ctx, req.Private, keyFacts, &resp.Diagnostics)
	if r.Conn != nil {
		p.defaults = r.Conn.Defaults
	}
	if p.customerMoves(ctx, &resp.Diagnostics) {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("customer"))
		policy.Refuse(p.state.DeletionPolicy, p.state.words(), waysOut, &resp.Diagnostics)
	}
	p.update(&resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
	if !p.own.applied() && !resp.Plan.Raw.Equal(req.State.Raw) {
		// From its first apply on, the customer stands in the state in the configuration's words: later plans compare with these.
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("customer"), p.config.Customer)...)
	}
}

// planning is the plan of a change in the making.
type planning struct {
	config, state, planned model
	own                    owned
	facts                  facts
	defaults               conn.Defaults
}

// customerMoves decides about the argument customer: it keeps the state's words when they mean the same, and reports whether the
// account would belong to another customer, which only a new account can.
func (p *planning) customerMoves(ctx context.Context, diags *diag.Diagnostics) bool {
	if p.config.Customer.IsUnknown() {
		return p.own.applied()
	}
	config, errConfig := customerOf(ctx, p.config.Customer)
	state, errState := customerOf(ctx, p.state.Customer)
	if errConfig != nil || errState != nil {
		return false
	}
	imported := !p.own.applied()
	// An import cannot tell the words for a new customer from another customer's, and takes the account as the one that is meant.
	means := config.means(p.facts, state) || imported && !config.refers()
	switch {
	case means:
	case !imported:
		return true
	case config.referenceUnknown():
		return false
	default:
		diags.AddAttributeError(path.Root("customer"), "The imported account belongs to another customer",
			fmt.Sprintf("%s belongs to customer %s (%s), and the configuration names another one. An import never replaces an account: write "+
				"customer = { id = %q }, or import the account you mean. To open an account for the other customer instead, remove this one from the "+
				"configuration and apply first.", p.state.words(), p.facts.ID, p.facts.Name, p.facts.ID))
		return false
	}
	if imported || sameData(ctx, config, state) {
		p.planned.Customer = p.state.Customer
		return false
	}
	diags.AddAttributeWarning(path.Root("customer"), "The customer's data is only used when the account is opened",
		fmt.Sprintf("%s exists already, so changes inside customer have no effect at the service. Use name, email, phone and address of the account, "+
			"or a billing_customer resource.", p.state.words()))
	return false
}

// update starts from the state's computed values and makes unknown only what this change can touch; see touches.
func (p *planning) update(diags *diag.Diagnostics) {
	m, state := &p.planned, p.state
	m.ID, m.PublicID, m.CustomerID, m.Currency, m.BalanceCents = state.ID, state.PublicID, state.CustomerID, state.Currency, state.BalanceCents
	m.SuspendedAt, m.SuspensionReason = state.SuspendedAt, state.SuspensionReason
	m.TaxExempt, m.TaxExemptionCertificate, m.CustomerTaxType = state.TaxExempt, state.TaxExemptionCertificate, state.CustomerTaxType
	m.Metadata, m.CreatedAt, m.UpdatedAt = state.Metadata, state.CreatedAt, state.UpdatedAt
	p.keepUnconfigured()

	m.CustomMetadata, m.EffectiveCustomMetadata, _ = p.own.of(m.CustomMetadataMode, p.defaults.Object).
		PlanAttribute(p.config.CustomMetadata, state.CustomMetadata, state.EffectiveCustomMetadata, p.defaults.Unknown, state.words(), diags)
	changes := map[change]bool{
		changeFields:   !m.toUpdate(state).IsEmpty(),
		changeStatus:   !m.Status.Equal(state.Status),
		changeMetadata: !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata),
	}
	for change, made := range changes {
		if made {
			touches[change](m)
		}
	}
}

// keepUnconfigured leaves as it is what the configuration does not name.
func (p *planning) keepUnconfigured() {
	m, config, state := &p.planned, p.config, p.state
	if config.BillingEmail.IsNull() {
		m.BillingEmail = state.BillingEmail
	}
	if config.PaymentTermsDays.IsNull() {
		m.PaymentTermsDays = state.PaymentTermsDays
	}
	if config.AutoCollection.IsNull() {
		m.AutoCollection = state.AutoCollection
	}
	if config.Name.IsNull() {
		m.Name = state.Name
	}
	if config.Email.IsNull() {
		m.Email = state.Email
	}
	if config.Phone.IsNull() {
		m.Phone = state.Phone
	}
	if config.Address.IsNull() {
		m.Address = state.Address
	}
	if config.Status.IsNull() {
		m.Status = state.Status
	}
}

// change is a kind of change to an account.
type change int

const (
	changeFields change = iota
	changeStatus
	changeMetadata
)

// touches says which computed attributes each kind of change can change at the service; a plan shows these as known after apply, and
// no others.
var touches = map[change]func(*model){
	changeFields: func(m *model) { m.UpdatedAt = types.StringUnknown() },
	changeStatus: func(m *model) {
		m.UpdatedAt, m.SuspendedAt, m.SuspensionReason = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	},
	changeMetadata: func(m *model) { m.UpdatedAt = types.StringUnknown() },
}

// words names the account at the beginning of a sentence.
func (m model) words() string {
	name := m.Name.ValueString()
	if name == "" {
		name = m.ExternalID.ValueString()
	}
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("Billing account %s of %q", id, name)
	}
	return "The billing account"
}
