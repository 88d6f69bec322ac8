package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
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
		Addresses:            addressesTo(m.Addresses),
		Phones:               contactsTo(contactItems(m.Phones)),
		Emails:               contactsTo(contactItems(m.Emails)),
		Websites:             contactsTo(contactItems(m.Websites)),
		Tags:                 tagsTo(m.Tags),
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
func (m model) toUpdate(ctx context.Context, state model) billing.CustomerUpdate {
	update := billing.CustomerUpdate{
		ExternalID: text(m.ExternalID, state.ExternalID),
		Nickname:   text(m.Nickname, state.Nickname),
		LegalName:  text(m.LegalName, state.LegalName),
		Kind:       text(m.Kind, state.Kind),
		Birthday:   text(m.Birthday, state.Birthday),
		Notes:      text(m.Notes, state.Notes),
		Name:       text(m.Name, state.Name),
	}
	if same, _ := m.DocumentNumber.StringSemanticEquals(ctx, state.DocumentNumber); !same || m.DocumentNumber.IsNull() != state.DocumentNumber.IsNull() {
		update.DocumentNumber = text(m.DocumentNumber.StringValue, state.DocumentNumber.StringValue)
	}
	if !keepOrder(state.Addresses, m.Addresses).Equal(state.Addresses) {
		update.Addresses = api.Set(addressesTo(m.Addresses))
	}
	if !keepOrder(state.Websites, m.Websites).Equal(state.Websites) {
		update.Websites = api.Set(contactsTo(contactItems(m.Websites)))
	}
	if !m.Tags.Equal(state.Tags) && len(m.Tags.Elements())+len(state.Tags.Elements()) > 0 || m.Tags.IsUnknown() {
		update.Tags = api.Set(tagsTo(m.Tags))
	}
	update.Emails = pair{m.Email, m.Emails}.change(pair{state.Email, state.Emails})
	update.Phones = pair{m.Phone, m.Phones}.change(pair{state.Phone, state.Phones})
	return update
}

// text is one key of an update: absent when nothing changes, null when the value is cleared.
func text(planned, state types.String) api.Field[string] {
	switch {
	case planned.Equal(state):
		return api.Field[string]{}
	case planned.IsNull():
		return api.Null[string]()
	default:
		return api.Set(planned.ValueString())
	}
}

// change is the list that takes the service from state to p. The list carries the main value too, which alone could not be replaced.
func (p pair) change(state pair) api.Field[[]billing.Contact] {
	if p.known() && sameContacts(p.all(), state.all()) {
		return api.Field[[]billing.Contact]{}
	}
	return api.Set(contactsTo(p.all()))
}
