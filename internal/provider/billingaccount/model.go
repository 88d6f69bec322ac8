package billingaccount

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
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
	BalanceCents            types.Int64  `tfsdk:"balance_cents"`
	Status                  types.String `tfsdk:"status"`
	SuspendedAt             types.String `tfsdk:"suspended_at"`
	SuspensionReason        types.String `tfsdk:"suspension_reason"`
	TaxExempt               types.Bool   `tfsdk:"tax_exempt"`
	TaxExemptionCertificate types.String `tfsdk:"tax_exemption_certificate"`
	CustomerTaxType         types.String `tfsdk:"customer_tax_type"`
	Metadata                types.String `tfsdk:"metadata"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

type model struct {
	shared
	metadata.Attributes
	StatusReason   types.String `tfsdk:"status_reason"`
	DeletionPolicy types.String `tfsdk:"deletion_policy"`
}

// fromAPI builds the whole model of an account, as for an import: the whole custom_metadata, and the defaults of
// arguments that only this provider uses.
func fromAPI(a *billing.BillingAccount) (model, error) {
	custom, err := metadata.Import("billing account "+a.ID, a.CustomMetadata)
	m := model{
		shared: shared{
			ID:                      types.StringValue(a.ID),
			PublicID:                value.TextOrNull(a.PublicID),
			ExternalID:              value.FilledOrNull(a.ExternalID),
			Currency:                value.TextOrNull(a.Currency),
			BillingEmail:            value.FilledOrNull(a.BillingEmail),
			PaymentTermsDays:        types.Int64PointerValue(a.PaymentTermsDays),
			AutoCollection:          types.BoolPointerValue(a.AutoCollection),
			BalanceCents:            types.Int64PointerValue(a.BalanceCents),
			Status:                  value.TextOrNull(a.Status),
			SuspendedAt:             value.FilledOrNull(a.SuspendedAt),
			SuspensionReason:        value.FilledOrNull(a.SuspensionReason),
			TaxExempt:               types.BoolPointerValue(a.TaxExempt),
			TaxExemptionCertificate: value.FilledOrNull(a.TaxExemptionCertificate),
			CustomerTaxType:         value.FilledOrNull(a.CustomerTaxType),
			Metadata:                value.JSONText(a.Metadata),
			CreatedAt:               value.TextOrNull(a.CreatedAt),
			UpdatedAt:               value.TextOrNull(a.UpdatedAt),
		},
		Attributes:     custom,
		DeletionPolicy: types.StringValue(policyClose),
	}
	if a.Customer != nil {
		m.CustomerID = value.TextOrNull(a.Customer.ID)
	}
	return m, err
}

// keep returns the state after a response with a. From m, a state or the applied plan, it keeps the values that the
// service never returns, and the spelling of equal values. If custom_metadata is unreadable, or the account belongs to
// another customer, it reports an error and updates the rest: an account never moves to another customer.
func (m model) keep(a *billing.BillingAccount, own ownership, diags *diag.Diagnostics) model {
	state, err := fromAPI(a)
	state.DeletionPolicy, state.StatusReason = m.DeletionPolicy, m.StatusReason
	if m.CustomerID.ValueString() != "" {
		state.CustomerID = m.CustomerID
	}
	if err != nil {
		object.AddUnreadMetadata(state.displayName(), err, diags)
		state.Attributes = metadata.Unread(m.Attributes)
		return state
	}
	state.Attributes = state.Attributes.Seen(m.Attributes, own.Metadata)
	c, id := a.Customer, state.CustomerID.ValueString()
	if c != nil && !same.ID(c.ID, id) {
		diags.AddAttributeError(path.Root("customer_id"), fmt.Sprintf("The service returned customer %s for %s", c.ID,
			state.displayName()), fmt.Sprintf("customer_id is %q, but the response has the customer %q (%q). An account never "+
			"moves to another customer, so customer_id is kept. Check the account at the service; to manage it with that "+
			"customer, remove it from the state and import it.", id, c.ID, c.Name))
	}
	return state
}

// body returns the changes from prior to m, except status and custom_metadata. For a zero prior it creates m, a
// configuration.
func (m model) body(prior model) billing.AccountBody {
	var customer api.Field[billing.CustomerRef]
	if prior.ID.IsNull() {
		customer = api.Set(billing.CustomerRef{ID: m.CustomerID.ValueString()})
	}
	return billing.AccountBody{
		Customer:         customer,
		ExternalID:       value.ChangedText(m.ExternalID, prior.ExternalID),
		BillingEmail:     value.ChangedText(m.BillingEmail, prior.BillingEmail),
		PaymentTermsDays: value.ChangedNumber(m.PaymentTermsDays, prior.PaymentTermsDays),
		AutoCollection:   value.ChangedBool(m.AutoCollection, prior.AutoCollection),
	}
}

func (m model) displayName() string {
	text := "billing account"
	if code := m.ExternalID.ValueString(); code != "" {
		text += fmt.Sprintf(" %q", code)
	}
	switch id, customer := m.ID.ValueString(), check.ShownText("customer_id", m.CustomerID.ValueString()); {
	case id != "":
		return text + " (id " + id + ")"
	case customer != "":
		return text + " of customer " + customer
	default:
		return text
	}
}

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: policyClose,
		AfterAbandon: "It stays open" + m.balance() + ", and its subscriptions charge for as long as they run."}
}

// balance formats the balance in the state for the end of a clause; "" if it is zero.
func (m model) balance() string {
	account := billing.BillingAccount{BalanceCents: m.BalanceCents.ValueInt64Pointer(), Currency: m.Currency.ValueString()}
	if balance := account.OpenBalance(); balance != "" {
		return " with a balance of " + balance
	}
	return ""
}
