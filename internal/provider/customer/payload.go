package customer

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// toCreate is the body that creates the customer as configured, with desired as its custom_metadata. What is not configured is
// left out, so that the service's own defaults hold.
func (m model) toCreate(desired metadata.Object) billing.CustomerCreate {
	create := billing.CustomerCreate{
		Name:                 m.Name.ValueString(),
		ExternalID:           m.ExternalID.ValueStringPointer(),
		Nickname:             m.Nickname.ValueStringPointer(),
		LegalName:            m.LegalName.ValueStringPointer(),
		DocumentNumber:       m.DocumentNumber.ValueStringPointer(),
		Kind:                 m.Kind.ValueStringPointer(),
		Birthday:             m.Birthday.ValueStringPointer(),
		Email:                m.Email.ValueStringPointer(),
		Phone:                m.Phone.ValueStringPointer(),
		Notes:                m.Notes.ValueStringPointer(),
		Addresses:            contact.ToAddresses(m.Addresses),
		Phones:               contact.ToWire(contact.Items(m.Phones)),
		Emails:               contact.ToWire(contact.Items(m.Emails)),
		Websites:             contact.ToWire(contact.Items(m.Websites)),
		Tags:                 contact.ToTags(m.Tags),
		CreateBillingAccount: m.CreateBillingAccount.ValueBoolPointer(),
		BillingEmail:         m.BillingEmail.ValueStringPointer(),
		PaymentTermsDays:     m.PaymentTermsDays.ValueInt64Pointer(),
		AutoCollection:       m.AutoCollection.ValueBoolPointer(),
	}
	if len(desired) > 0 {
		create.CustomMetadata = metadata.Payload(desired)
	}
	return create
}

// toUpdate is the body that takes the customer from state to m, except for its custom_metadata. Only what differs is in it; what is
// cleared is null, and a cleared list is empty.
func (m model) toUpdate(state model) billing.CustomerUpdate {
	update := billing.CustomerUpdate{
		ExternalID: wire.Text(m.ExternalID, state.ExternalID),
		Nickname:   wire.Text(m.Nickname, state.Nickname),
		LegalName:  wire.Text(m.LegalName, state.LegalName),
		Kind:       wire.Text(m.Kind, state.Kind),
		Birthday:   wire.Text(m.Birthday, state.Birthday),
		Notes:      wire.Text(m.Notes, state.Notes),
		Name:       wire.Text(m.Name, state.Name),
	}
	if !m.DocumentNumber.Means(state.DocumentNumber) {
		update.DocumentNumber = wire.Text(m.DocumentNumber.StringValue, state.DocumentNumber.StringValue)
	}
	if !contact.KeepOrder(state.Addresses, m.Addresses).Equal(state.Addresses) {
		update.Addresses = api.Set(contact.ToAddresses(m.Addresses))
	}
	if !contact.KeepOrder(state.Websites, m.Websites).Equal(state.Websites) {
		update.Websites = api.Set(contact.ToWire(contact.Items(m.Websites)))
	}
	if !m.Tags.Equal(state.Tags) && len(m.Tags.Elements())+len(state.Tags.Elements()) > 0 || m.Tags.IsUnknown() {
		update.Tags = api.Set(contact.ToTags(m.Tags))
	}
	update.Emails = pair{m.Email, m.Emails}.change(pair{state.Email, state.Emails})
	update.Phones = pair{m.Phone, m.Phones}.change(pair{state.Phone, state.Phones})
	return update
}
