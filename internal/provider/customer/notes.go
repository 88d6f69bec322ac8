package customer

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
)

// forAccounts is what the plan m says to the plans of the customer's billing accounts.
func (m model) forAccounts(state, config model) contact.Planned {
	update := m.toUpdate(state)
	emails, phones := pair{m.Email, m.Emails}, pair{m.Phone, m.Phones}
	return contact.Planned{
		Name: m.Name, NameChanges: !update.Name.IsZero(),
		Emails:     contact.PlannedList[contact.Item]{Items: emails.all(), Known: emails.known(), Changes: !update.Emails.IsZero(), Owned: !config.Emails.IsNull()},
		Phones:     contact.PlannedList[contact.Item]{Items: phones.all(), Known: phones.known(), Changes: !update.Phones.IsZero(), Owned: !config.Phones.IsNull()},
		Addresses:  plannedAddresses(m.Addresses, !update.Addresses.IsZero(), !config.Addresses.IsNull()),
		ExternalID: m.ExternalID, DocumentNumber: m.DocumentNumber,
	}
}

func plannedAddresses(list types.List, changes, owned bool) contact.PlannedList[types.Object] {
	planned := contact.PlannedList[types.Object]{Known: !list.IsUnknown(), Changes: changes, Owned: owned}
	for _, element := range list.Elements() {
		object, isObject := element.(types.Object)
		planned.Known = planned.Known && isObject && known(object)
		planned.Items = append(planned.Items, object)
	}
	return planned
}

func known(object types.Object) bool {
	if object.IsUnknown() {
		return false
	}
	for _, field := range object.Attributes() {
		if field.IsUnknown() {
			return false
		}
	}
	return true
}

// noteCreation tells the plans of billing accounts by which codes the new customer will be found: it is not at the service yet.
func (r *Resource) noteCreation(m model) {
	for _, code := range []string{contact.ByExternalID(m.ExternalID.ValueString()), contact.ByDocument(same.PlainDocument(m.DocumentNumber.ValueString()))} {
		r.Run().Note(typeName, code, contact.Created{})
	}
}
