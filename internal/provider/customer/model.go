package customer

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID             types.String    `tfsdk:"id"`
	PublicID       types.String    `tfsdk:"public_id"`
	ExternalID     types.String    `tfsdk:"external_id"`
	Name           types.String    `tfsdk:"name"`
	Nickname       types.String    `tfsdk:"nickname"`
	LegalName      types.String    `tfsdk:"legal_name"`
	DocumentType   types.String    `tfsdk:"document_type"`
	DocumentNumber value.Document  `tfsdk:"document_number"`
	Kind           types.String    `tfsdk:"kind"`
	Birthday       value.DateTime  `tfsdk:"birthday"`
	Email          types.String    `tfsdk:"email"`
	Phone          types.String    `tfsdk:"phone"`
	Notes          types.String    `tfsdk:"notes"`
	Addresses      types.List      `tfsdk:"addresses"`
	Phones         types.List      `tfsdk:"phones"`
	Emails         types.List      `tfsdk:"emails"`
	Websites       types.List      `tfsdk:"websites"`
	Tags           value.StringSet `tfsdk:"tags"`
	Metadata       types.String    `tfsdk:"metadata"`
	CreatedAt      types.String    `tfsdk:"created_at"`
	UpdatedAt      types.String    `tfsdk:"updated_at"`
}

type model struct {
	shared
	metadata.Attributes
	CreateBillingAccount types.Bool   `tfsdk:"create_billing_account"`
	BillingEmail         types.String `tfsdk:"billing_email"`
	PaymentTermsDays     types.Int64  `tfsdk:"payment_terms_days"`
	AutoCollection       types.Bool   `tfsdk:"auto_collection"`
	BillingAccountID     types.String `tfsdk:"billing_account_id"`
	DeletionPolicy       types.String `tfsdk:"deletion_policy"`
}

// fromAPI builds the whole model of a customer, as for an import: complete lists, the whole custom_metadata, and the
// defaults of arguments that only this provider uses.
func fromAPI(c *billing.Customer) (model, error) {
	custom, err := metadata.Import("customer "+c.ID, c.CustomMetadata)
	return model{
		shared: shared{
			ID:             types.StringValue(c.ID),
			PublicID:       value.TextOrNull(c.PublicID),
			ExternalID:     value.FilledOrNull(c.ExternalID),
			Name:           types.StringValue(c.Name),
			Nickname:       value.FilledOrNull(c.Nickname),
			LegalName:      value.FilledOrNull(c.LegalName),
			DocumentType:   value.FilledOrNull(c.DocumentType),
			DocumentNumber: value.DocumentPointer(c.DocumentNumber),
			Kind:           value.FilledOrNull(c.Kind),
			Birthday:       value.DateTime{StringValue: value.FilledOrNull(c.Birthday)},
			Email:          types.StringNull(),
			Phone:          types.StringNull(),
			Notes:          value.FilledOrNull(c.Notes),
			Addresses:      addressList(c.Addresses),
			Phones:         itemList(fromWire(c.Phones)),
			Emails:         itemList(fromWire(c.Emails)),
			Websites:       itemList(fromWire(c.Websites)),
			Tags:           value.SetOf(c.Tags),
			Metadata:       value.JSONText(c.Metadata),
			CreatedAt:      value.TextOrNull(c.CreatedAt),
			UpdatedAt:      value.TextOrNull(c.UpdatedAt),
		},
		Attributes:           custom,
		CreateBillingAccount: types.BoolNull(),
		DeletionPolicy:       types.StringValue(object.PolicyDelete),
	}, err
}

// keep returns the state after a response with c. From m, a state or the applied plan, it keeps the values that the
// service never returns, and the spelling of equal values. If custom_metadata is unreadable, it reports an error and
// updates the rest.
func (m model) keep(c *billing.Customer, own ownership, diags *diag.Diagnostics) model {
	state, err := fromAPI(c)
	state.DeletionPolicy = m.DeletionPolicy
	state.CreateBillingAccount = m.CreateBillingAccount
	state.BillingEmail = m.BillingEmail
	state.PaymentTermsDays = m.PaymentTermsDays
	state.AutoCollection = m.AutoCollection
	state.BillingAccountID = m.BillingAccountID
	state.Email, state.Phone = own.Email.seen(c.Emails), own.Phone.seen(c.Phones)
	state.Emails, state.Phones = keepOrder(m.Emails, state.Emails), keepOrder(m.Phones, state.Phones)
	state.Addresses = keepOrder(m.Addresses, state.Addresses)
	state.Websites = keepOrder(m.Websites, state.Websites)
	if state.Tags.IsNull() && len(m.Tags.Elements()) == 0 && !m.Tags.IsUnknown() {
		state.Tags = m.Tags
	}
	state.DocumentNumber, state.Birthday = state.DocumentNumber.Or(m.DocumentNumber), state.Birthday.Or(m.Birthday)
	if err != nil {
		object.AddUnreadMetadata(state.displayName(), err, diags)
		state.Attributes = metadata.Unread(m.Attributes)
		return state
	}
	state.Attributes = state.Attributes.Seen(m.Attributes, own.Metadata)
	return state
}

// withAccount sets the billing account that was created with the customer; nil means none.
func (m model) withAccount(account *billing.BillingAccount) model {
	m.CreateBillingAccount = types.BoolValue(account != nil)
	m.BillingAccountID, m.BillingEmail = types.StringNull(), types.StringNull()
	m.PaymentTermsDays, m.AutoCollection = types.Int64Null(), types.BoolNull()
	if account != nil {
		m.BillingAccountID = types.StringValue(account.ID)
		m.BillingEmail = value.FilledOrNull(account.BillingEmail)
		m.PaymentTermsDays = types.Int64PointerValue(account.PaymentTermsDays)
		m.AutoCollection = types.BoolPointerValue(account.AutoCollection)
	}
	return m
}

// body returns the changes from prior to m, except custom_metadata: cleared values are null, cleared lists are empty.
// An unknown list is left to owning. For a zero prior it creates m, without unset arguments, so that the service's
// defaults apply.
func (m model) body(prior model) billing.CustomerBody {
	body := billing.CustomerBody{
		Name:       value.ChangedText(m.Name, prior.Name),
		ExternalID: value.ChangedText(m.ExternalID, prior.ExternalID),
		Nickname:   value.ChangedText(m.Nickname, prior.Nickname),
		LegalName:  value.ChangedText(m.LegalName, prior.LegalName),
		Kind:       value.ChangedText(m.Kind, prior.Kind),
		Notes:      value.ChangedText(m.Notes, prior.Notes),
		Addresses:  changedList(m.Addresses, prior.Addresses, toAddresses),
		Websites:   changedList(m.Websites, prior.Websites, toContacts),
		Tags:       value.ChangedLabels(m.Tags, prior.Tags),

		Birthday:       value.ChangedSpelling(m.Birthday, prior.Birthday),
		DocumentNumber: value.ChangedSpelling(m.DocumentNumber, prior.DocumentNumber),
	}
	if !m.Emails.IsUnknown() {
		body.Emails = changedList(m.Emails, prior.Emails, toContacts)
	}
	if !m.Phones.IsUnknown() {
		body.Phones = changedList(m.Phones, prior.Phones, toContacts)
	}
	if !prior.ID.IsNull() {
		return body
	}
	body.Email, body.Phone = value.ChangedText(m.Email, prior.Email), value.ChangedText(m.Phone, prior.Phone)
	body.CreateBillingAccount = value.ChangedBool(m.CreateBillingAccount, prior.CreateBillingAccount)
	body.BillingEmail = value.ChangedText(m.BillingEmail, prior.BillingEmail)
	body.PaymentTermsDays = value.ChangedNumber(m.PaymentTermsDays, prior.PaymentTermsDays)
	body.AutoCollection = value.ChangedBool(m.AutoCollection, prior.AutoCollection)
	return body
}

func (m model) displayName() string {
	text := fmt.Sprintf("customer %q", m.Name.ValueString())
	if id := m.ID.ValueString(); id != "" {
		text += " (id " + id + ")"
	}
	return text
}
