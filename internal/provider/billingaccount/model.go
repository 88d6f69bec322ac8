package billingaccount

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID                      types.String `tfsdk:"id"`
	PublicID                types.String `tfsdk:"public_id"`
	ExternalID              types.String `tfsdk:"external_id"`
	CustomerID              types.String `tfsdk:"customer_id"`
	Currency                types.String `tfsdk:"currency"`
	BillingEmail            types.String `tfsdk:"billing_email"`
	PaymentTermsDays        types.Int64  `tfsdk:"payment_terms_days"`
	AutoCollection          types.Bool   `tfsdk:"auto_collection"`
	Name                    types.String `tfsdk:"name"`
	BalanceCents            types.Int64  `tfsdk:"balance_cents"`
	Status                  types.String `tfsdk:"status"`
	SuspendedAt             types.String `tfsdk:"suspended_at"`
	SuspensionReason        types.String `tfsdk:"suspension_reason"`
	TaxExempt               types.Bool   `tfsdk:"tax_exempt"`
	TaxExemptionCertificate types.String `tfsdk:"tax_exemption_certificate"`
	CustomerTaxType         types.String `tfsdk:"customer_tax_type"`
	Metadata                types.String `tfsdk:"metadata"`
	EffectiveCustomMetadata types.String `tfsdk:"effective_custom_metadata"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	shared
	Customer           types.Object   `tfsdk:"customer"`
	Email              types.String   `tfsdk:"email"`
	Phone              types.String   `tfsdk:"phone"`
	Address            types.Object   `tfsdk:"address"`
	StatusReason       types.String   `tfsdk:"status_reason"`
	CustomMetadata     metadata.Value `tfsdk:"custom_metadata"`
	CustomMetadataMode types.String   `tfsdk:"custom_metadata_mode"`
	DeletionPolicy     types.String   `tfsdk:"deletion_policy"`
}

// fromAPI builds the whole model of an account, as an import sees it: the customer by its id, the whole
// custom_metadata, and the defaults for what only this provider knows.
func fromAPI(a *billing.BillingAccount) (model, error) {
	custom, effective, err := metadata.Import(a.CustomMetadata)
	if err != nil {
		return model{}, fmt.Errorf("custom_metadata of billing account %s: %w", a.ID, err)
	}
	m := model{
		shared: shared{
			ID:                      types.StringValue(a.ID),
			PublicID:                wire.TextOrNull(a.PublicID),
			ExternalID:              wire.FilledOrNull(a.ExternalID),
			Currency:                wire.TextOrNull(a.Currency),
			BillingEmail:            wire.FilledOrNull(a.BillingEmail),
			PaymentTermsDays:        types.Int64PointerValue(a.PaymentTermsDays),
			AutoCollection:          types.BoolPointerValue(a.AutoCollection),
			BalanceCents:            types.Int64PointerValue(a.BalanceCents),
			Status:                  wire.TextOrNull(a.Status),
			SuspendedAt:             wire.FilledOrNull(a.SuspendedAt),
			SuspensionReason:        wire.FilledOrNull(a.SuspensionReason),
			TaxExempt:               types.BoolPointerValue(a.TaxExempt),
			TaxExemptionCertificate: wire.FilledOrNull(a.TaxExemptionCertificate),
			CustomerTaxType:         wire.FilledOrNull(a.CustomerTaxType),
			Metadata:                wire.JSONText(a.Metadata),
			EffectiveCustomMetadata: effective,
			CreatedAt:               wire.TextOrNull(a.CreatedAt),
			UpdatedAt:               wire.TextOrNull(a.UpdatedAt),
		},
		Customer:           types.ObjectNull(customerType.AttrTypes),
		Address:            types.ObjectNull(contact.AddressType.AttrTypes),
		CustomMetadata:     custom,
		CustomMetadataMode: types.StringValue(metadata.ModeMerge),
		DeletionPolicy:     types.StringValue(policyClose),
	}
	if c := a.Customer; c != nil {
		m.CustomerID = wire.TextOrNull(c.ID)
		m.Customer = referenceTo(c.ID)
		m.Name = wire.TextOrNull(c.Name)
		m.Email, m.Phone = first(c.Emails), first(c.Phones)
		if len(c.Addresses) > 0 {
			m.Address = contact.Address(c.Addresses[0])
		}
	}
	return m, nil
}

// preserve carries over from prior (a state, or the plan that was just carried out) what the service never returns, and
// the way prior writes what can be written in more than one way. remote is the account that m was built from.
func (m model) preserve(prior model, remote *billing.BillingAccount, own ownership) model {
	m.Customer = prior.Customer
	m.CustomMetadataMode, m.DeletionPolicy, m.StatusReason = prior.CustomMetadataMode, prior.DeletionPolicy,
		prior.StatusReason
	c := remote.Customer
	switch {
	case c == nil:
		// The response leaves the relation out; what was known of the customer stays.
		m.CustomerID, m.Name = wire.Known(prior.CustomerID), wire.Known(prior.Name)
		m.Email, m.Phone = wire.Known(prior.Email), wire.Known(prior.Phone)
		if !prior.Address.IsUnknown() {
			m.Address = prior.Address
		}
	default:
		m.Email = stillThere(prior.Email, c.Emails, m.Email)
		m.Phone = stillThere(prior.Phone, c.Phones, m.Phone)
		if c.Addresses == nil && !prior.Address.IsUnknown() {
			m.Address = prior.Address
		}
	}
	m.CustomMetadata, m.EffectiveCustomMetadata = own.Metadata.Under(prior.CustomMetadataMode).
		Read(prior.CustomMetadata, prior.EffectiveCustomMetadata, m.CustomMetadata)
	return m
}

// after is the state after a response that shows a, where m is what was planned or known before; false means that the
// response is unreadable, which it has reported.
func (m model) after(a *billing.BillingAccount, own ownership, diags *diag.Diagnostics) (model, bool) {
	state, err := fromAPI(a)
	if err != nil {
		apidiag.Unreadable(diags, err)
		return m, false
	}
	return state.preserve(m, a, own), true
}

// stillThere prefers the value known before while the service still lists it, or lists nothing at all.
func stillThere(before types.String, remote []billing.Contact, now types.String) types.String {
	if before.IsNull() || before.IsUnknown() {
		return now
	}
	listed := slices.ContainsFunc(remote, func(c billing.Contact) bool { return c.Value == before.ValueString() })
	if remote == nil || listed {
		return before
	}
	return now
}

func first(contacts []billing.Contact) types.String {
	if len(contacts) == 0 {
		return types.StringNull()
	}
	return types.StringValue(contacts[0].Value)
}

// known is the plan of a creation without what it leaves to the service: at apply only that is unknown.
func (m model) known() model {
	m.BillingEmail, m.Name, m.Email, m.Phone = wire.Known(m.BillingEmail), wire.Known(m.Name), wire.Known(m.Email),
		wire.Known(m.Phone)
	m.Status = wire.Known(m.Status)
	if m.PaymentTermsDays.IsUnknown() {
		m.PaymentTermsDays = types.Int64Null()
	}
	if m.AutoCollection.IsUnknown() {
		m.AutoCollection = types.BoolNull()
	}
	if m.Address.IsUnknown() {
		m.Address = types.ObjectNull(contact.AddressType.AttrTypes)
	}
	return m
}

// asRead is the state m with what was read of the customer since, to be compared with plan.
func (m model) asRead(plan model, a *billing.BillingAccount) (model, error) {
	read, err := fromAPI(a)
	if err != nil {
		return m, err
	}
	if c := a.Customer; c != nil {
		m.Name, m.Address = read.Name, read.Address
		m.Email, m.Phone = listed(plan.Email, c.Emails, read.Email), listed(plan.Phone, c.Phones, read.Phone)
	}
	return m, nil
}

// toCreate is the body that opens the account as configured, with desired as its custom_metadata.
func (m model) toCreate(ctx context.Context, desired metadata.Owned) (billing.BillingAccountCreate, error) {
	customer, err := customerOf(ctx, m.Customer)
	if err != nil {
		return billing.BillingAccountCreate{}, err
	}
	reference, err := customer.toWire()
	return billing.BillingAccountCreate{
		Customer:         reference,
		ExternalID:       m.ExternalID.ValueStringPointer(),
		BillingEmail:     m.BillingEmail.ValueStringPointer(),
		PaymentTermsDays: m.PaymentTermsDays.ValueInt64Pointer(),
		AutoCollection:   m.AutoCollection.ValueBoolPointer(),
		CustomMetadata:   desired.Payload(),
	}, err
}

// toUpdate is the body that takes the account from state to m, except for its status and custom_metadata.
func (m model) toUpdate(state model) billing.BillingAccountUpdate {
	return billing.BillingAccountUpdate{
		ExternalID:       wire.Text(m.ExternalID, state.ExternalID),
		Name:             wire.Text(m.Name, state.Name),
		Email:            wire.Text(m.Email, state.Email),
		Phone:            wire.Text(m.Phone, state.Phone),
		Address:          wire.Changed(m.Address, state.Address, contact.ToAddress),
		BillingEmail:     wire.Text(m.BillingEmail, state.BillingEmail),
		PaymentTermsDays: wire.Changed(m.PaymentTermsDays, state.PaymentTermsDays, types.Int64.ValueInt64),
		AutoCollection:   wire.Changed(m.AutoCollection, state.AutoCollection, types.Bool.ValueBool),
	}
}

// displayName names the account inside a sentence.
func (m model) displayName() string {
	name := m.Name.ValueString()
	if name == "" {
		name = m.ExternalID.ValueString()
	}
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("billing account %s of %q", id, name)
	}
	return "the billing account"
}
